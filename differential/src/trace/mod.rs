//! A collection's past: the batches of an arrangement, merged as they age, and who still needs what.
//!
//! ```text
//!   spans      1   2   3   4   5   6   7        appended so far; some of them without a batch
//!   batches   [1       ..     4] [5] [7]        neighbours merge: nobody holds the cuts in between
//!                              ^
//!                              a reader holds position 4, and may read exactly the first four spans
//! ```
//!
//! One [`TraceWriter`] appends spans and pays for merging; any number of [`TraceHandle`]s read. A handle holds two
//! things, which move separately:
//!
//! - **times**: at every time in advance of its frontier it can still tell collections apart. The meet of all these
//!   frontiers is `since`: merges advance times by it, and add up what has become equal.
//! - **a position**: the boundary before which it has read. No merge crosses it. A position is a number of spans, never
//!   a time: advancing by `since` moves an old update past the upper frontier of its span, so times can't say any more
//!   which updates came before the boundary.
//!
//! Invariants, tested in `trace_laws.rs`:
//!
//! 1. Spans abut: each one's `lower` is the `upper` before it. `since` and `upper` only advance.
//! 2. At every time in advance of `since`, what had been appended adds up to what it did before any merge.
//! 3. Reading at a held position gives exactly the updates appended before it.
//! 4. The number of batches is logarithmic in the number of updates between two held positions (`pacing`), a million
//!    spans without batches are one number, and a trace that is left alone becomes one batch.
//!
//! | file | holds |
//! |---|---|
//! | `refusal` | [`ReadError`], why a trace can't be read as asked |
//! | `holds` | who still needs which times and which positions |
//! | `observer` | [`Observer`], told what becomes of batches |
//! | `spine` | the batches, and their merges |
//! | `handle` | [`TraceWriter`] and [`TraceHandle`] |

mod refusal;
mod holds;
mod observer;
mod spine;
mod handle;

#[cfg(test)]
mod trace_laws;

pub use handle::{TraceHandle, TraceWriter};
pub use observer::Observer;
pub use refusal::ReadError;

/// A number of spans appended to a trace: where one part of its past ends and the next begins.
pub type Position = u64;
