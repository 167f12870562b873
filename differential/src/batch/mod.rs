//! Sorted updates that never change again: how they are stored, made, read, merged and checked.
//!
//! ```text
//!   keys     a         c                 distinct keys, ascending
//!            |  \      |
//!   vals     x   y     x                 for each key its distinct values, ascending
//!            |   | \   |
//!   times    1   1  4  2                 for each value its updates, by time, none of them zero
//!   diffs   +1  +1 -1 +3
//! ```
//!
//! A batch is shared by `Arc` and may be read from any thread: nothing in it ever changes for who has it. Merging two of
//! them makes a third; only one that nobody but its trace has may take a few updates in (`absorb`). A reader names rows by numbers: [`Batch::run`], [`Batch::vals_of`] and [`Batch::updates_of`] go from keys
//! down to updates and work on both forms, the trie above and the flat form of small batches.
//!
//! A layer in which everything has exactly one thing below it is stored without offsets, and times and diffs that all
//! agree are one value: ten million distinct pairs loaded at one time are two columns and nothing else.
//!
//! | file | holds |
//! |---|---|
//! | `offsets` | [`Offsets`], where each row's part of the layer below begins |
//! | `gallop` | searching forward from where one stands |
//! | `columns` | [`Batch`] and what readers ask of it |
//! | `check` | what is true of every batch, as numbered lines |
//! | `layers` | [`Layers`], a batch from sorted rows, a block at a time |
//! | `build` | a batch from all its rows, and from one form to the other |
//! | `span` | [`Span`], an interval of time and what happened in it |
//! | `excerpt` | some of a batch's updates at the times to which they are advanced |
//! | `copies` | which updates are copied next, and the sum of one pair's |
//! | `small` | merging two flat batches, row by row |
//! | `absorb` | a few updates taken into a small batch in place |
//! | `sink` | the columns that a merge fills |
//! | `block` | neighbouring keys merged layer by layer |
//! | `merge` | [`Merge`], two batches to one, a little at a time |

mod offsets;
mod gallop;
mod columns;
mod check;
mod layers;
mod build;
mod span;
mod excerpt;
mod copies;
mod small;
mod absorb;
mod sink;
mod block;
mod merge;

#[cfg(test)]
mod batch_laws;
#[cfg(test)]
mod merge_laws;

pub use columns::Batch;
pub use layers::Layers;
pub use merge::{Merge, Progress};
pub use offsets::Offsets;
pub use span::Span;
