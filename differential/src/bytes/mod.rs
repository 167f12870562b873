//! Columns as bytes: what travels between processes.
//!
//! ```text
//!   a lane of u64     7 0 0 0 0 0 0 0   9 0 0 0 0 0 0 0      each value's bytes, little end first, nothing between
//!   strings           3 0 ... 5 0 ...   a b c d e            where each ends, then all their bytes
//! ```
//!
//! A column is written whole, lane by lane, so there is no work a row: the cost is near that of a copy. Bytes do not say
//! what they are. Whoever reads them knows the types and the shape, and the number of rows, which a container of columns
//! says once for all of them. So columns that were written together cannot disagree in length, and there are few places
//! for bytes to be wrong in.
//!
//! Those places are looked at all the same: bytes come from outside. What cannot be read is a [`Malformed`], which says
//! what is wrong and at which byte. Nothing is allocated before the bytes that will fill it are known to be there, so a
//! length that was garbled costs nothing.
//!
//! Invariant: what was written reads back as it was, uniform lanes as uniform lanes. The format is pinned by golden bytes
//! in `updates/wire_laws.rs`; it is for processes of one release, not for files.
//! Why not the encoding of `columnar`: it is in the machine's own byte order, padded to whole words, and read back only
//! from aligned memory; and 128-bit integers and `usize` are no containers of it here.
//!
//! | file | holds |
//! |---|---|
//! | `reader` | [`Reader`], bytes with a place in them; [`Malformed`] and [`Flaw`], what may be wrong with them |
//! | `portable` | [`Portable`], lists of values as bytes: integers and pairs |

mod portable;
mod reader;

#[cfg(test)]
pub(crate) mod laws;
#[cfg(test)]
mod portable_laws;

pub use portable::Portable;
pub use reader::{Flaw, Malformed, Reader};
