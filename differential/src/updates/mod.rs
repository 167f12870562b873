//! Flat columns of updates: what flows between operators.
//!
//! ```text
//!   data   a   b   a          a row is an update: its record, its time, its diff
//!   times  4 ------ x 3       (one value while all agree)
//!   diffs  +1  +1  -1
//! ```
//!
//! Unordered and not consolidated: two rows may hold the same record at the same time. A linear operator rewrites the
//! data column row by row and hands times and diffs on as they are.
//!
//! | file | holds |
//! |---|---|
//! | here | [`Updates`], what flows between linear operators |
//! | `keyed` | [`Keyed`], the same with a key and a value a row: what is arranged |
//! | `wire` | updates as bytes |
//! | `split` | one container for each part of the hashes' range: what goes to each worker |
//! | `consolidate` | sorting, adding up, dropping zeros: which way, by what varies |
//! | `sorting` | the same a step at a time |
//! | `few` | updates sorted by comparing them |
//! | `spelled` | updates of which rows of words say all |
//! | `numbered` | updates whose rows end in their number, by which the rest is looked up |
//! | `pieces` | chunks of any length, read a piece at a time |
//! | `words` | updates as rows of words that sort as they do |
//! | `alphabet` | the few times and diffs of many updates, numbered |
//! | `scatter` | cuts many rows into buckets that fit the cache |
//! | `buckets` | sorts and adds up the rows of a bucket |
//! | `radix` | sorts rows of words |
//! | `sums` | adding up diffs, whatever their order |

mod alphabet;
mod buckets;
mod consolidate;
#[cfg(test)]
mod consolidate_laws;
mod few;
mod keyed;
mod numbered;
mod pieces;
mod radix;
mod scatter;
mod sorting;
mod spelled;
mod split;
mod sums;
mod wire;
#[cfg(test)]
mod wire_laws;
mod words;

pub(crate) use consolidate::consolidated;
pub(crate) use few::{FEW, few_sorted};
pub use keyed::Keyed;
pub(crate) use sorting::Sorting;
pub use split::part_of;

use crate::column::{Column, Data, ShapeOf};
use crate::diff::{Diff, Diffs};
use crate::time::{Time, TimeColumn};

/// Columns of updates `(data, time, diff)`, in any order.
#[derive(Debug)]
pub struct Updates<D: Data, T: Time, R: Diff> {
    /// The records.
    pub data: D::Column,
    /// When each happens.
    pub times: T::Column,
    /// By how much each record's count changes.
    pub diffs: Diffs<R>,
}

impl<D: Data, T: Time, R: Diff> Clone for Updates<D, T, R> {
    fn clone(&self) -> Self {
        Updates { data: self.data.clone(), times: self.times.clone(), diffs: self.diffs.clone() }
    }

    /// Into the buffers that are there.
    fn clone_from(&mut self, source: &Self) {
        self.clear();
        self.data.extend_range(&source.data, 0..source.len());
        self.times.extend_range(&source.times, 0..source.len());
        self.diffs.extend_range(&source.diffs, 0..source.len());
    }
}

impl<D: Data, T: Time, R: Diff> Updates<D, T, R> {
    /// No updates, of a shape.
    pub fn empty(shape: &ShapeOf<D>) -> Self {
        Updates { data: D::Column::empty(shape), times: Default::default(), diffs: Default::default() }
    }

    /// The number of updates.
    pub fn len(&self) -> usize {
        self.diffs.len()
    }

    /// Whether there are no updates.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all updates and keeps buffers.
    pub fn clear(&mut self) {
        self.data.clear();
        self.times.clear();
        self.diffs.clear();
    }

    /// Appends an update.
    pub fn push(&mut self, record: D, time: &T, diff: R) {
        self.data.push_owned(record);
        self.times.push(time);
        self.diffs.push(diff);
    }

    /// The named updates, in the order given.
    pub fn gather(&self, rows: &[u32]) -> Self {
        let mut gathered = Self::empty(&self.data.shape());
        gathered.extend_gather(self, rows);
        gathered
    }

    /// Appends the named rows of another, in the order given. Panics past its end.
    pub fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.data.extend_gather(&other.data, rows);
        self.times.extend_gather(&other.times, rows);
        self.diffs.extend_gather(&other.diffs, rows);
    }
}
