//! How much: the diffs of updates, and what may be done with them.
//!
//! An update says that a record's count changes by its *diff*. Diffs are added (two updates of one record at one time
//! are one), negated (a removal undoes an insertion) and multiplied (a join of counts). Every one of these is
//! **checked**: what leaves the range of the type is [`Overflow`], never a wrap.
//!
//! | file | holds |
//! |---|---|
//! | `group` | [`Diff`] and [`Multiply`], and the integers |
//! | `pair` | two diffs that change together: a count and a sum, say |
//! | `bulk` | [`Diffs`], a column of them: products of blocks, sums of ranges, negation |

mod bulk;
mod group;
mod pair;

#[cfg(test)]
mod laws;

pub use crate::error::{Overflow, OverflowAt};
pub use bulk::Diffs;
pub use group::{Diff, Multiply};
