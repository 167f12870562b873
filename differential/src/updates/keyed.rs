//! Flat columns of updates with a key and a value: what is arranged.
//!
//! ```text
//!   keys   3   1   3
//!   vals   x   y   x          a row is an update of one (key, value) pair
//!   times  4 ------ x 3
//!   diffs  +1 ----- x 3
//! ```
//!
//! Invariant: the four columns have one length. Order and repetitions are the user's business until
//! [`consolidate`](Keyed::consolidate), after which rows ascend by (key, value, time), no two agree in all three, and
//! no diff is zero.

use std::fmt;
use std::ops::Range;

use super::Updates;
use crate::column::{Column, Data};
use crate::diff::{Diff, Diffs};
use crate::layout::{Key, KeyShape, Keys, Layout, Rows, Times, Val, ValShape, Vals};
use crate::time::{Time, TimeColumn};

/// Columns of updates `(key, value, time, diff)`, in any order.
pub struct Keyed<L: Layout> {
    /// The keys.
    pub keys: Keys<L>,
    /// The values.
    pub vals: Vals<L>,
    /// When each update happens.
    pub times: Times<L>,
    /// By how much each pair's count changes.
    pub diffs: Diffs<L::Diff>,
}

// By hand, as a derive would ask the layout itself to be `Clone` and `Debug`.
impl<L: Layout> Clone for Keyed<L> {
    fn clone(&self) -> Self {
        Keyed { keys: self.keys.clone(), vals: self.vals.clone(), times: self.times.clone(), diffs: self.diffs.clone() }
    }
}

impl<L: Layout> fmt::Debug for Keyed<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = (0..self.len())
            .map(|row| (self.keys.get(row), self.vals.get(row), self.times.get(row), self.diffs.get(row)));
        f.debug_list().entries(rows).finish()
    }
}

impl<L: Layout> Keyed<L> {
    /// No updates, of these shapes.
    pub fn empty(keys: &KeyShape<L>, vals: &ValShape<L>) -> Self {
        Keyed {
            keys: Keys::<L>::empty(keys),
            vals: Vals::<L>::empty(vals),
            times: Default::default(),
            diffs: Default::default(),
        }
    }

    /// The shapes of keys and values.
    pub fn shapes(&self) -> (KeyShape<L>, ValShape<L>) {
        (self.keys.shape(), self.vals.shape())
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
        self.keys.clear();
        self.vals.clear();
        self.times.clear();
        self.diffs.clear();
    }

    /// Appends an update.
    pub fn push(&mut self, key: Key<'_, L>, val: Val<'_, L>, time: &L::Time, diff: L::Diff) {
        self.keys.push(key);
        self.vals.push(val);
        self.times.push(time);
        self.diffs.push(diff);
    }

    /// Appends a range of another's updates. Panics past its end.
    pub fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.keys.extend_range(&other.keys, rows.clone());
        self.vals.extend_range(&other.vals, rows.clone());
        self.times.extend_range(&other.times, rows.clone());
        self.diffs.extend_range(&other.diffs, rows);
    }

    /// Appends the named rows of another, in the order given. Panics past its end.
    pub fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.keys.extend_gather(&other.keys, rows);
        self.vals.extend_gather(&other.vals, rows);
        self.times.extend_gather(&other.times, rows);
        self.diffs.extend_gather(&other.diffs, rows);
    }

    /// The named rows, in the order given. Panics past the end.
    pub fn gathered(&self, rows: &[u32]) -> Self {
        let (keys, vals) = self.shapes();
        let mut gathered = Self::empty(&keys, &vals);
        gathered.extend_gather(self, rows);
        gathered
    }

    /// Gives back what buffers have beyond what they hold.
    pub(crate) fn fit(&mut self) {
        self.keys.fit();
        self.vals.fit();
        self.times.fit();
        self.diffs.fit();
    }

    /// Bytes held, buffers included.
    pub fn heap_bytes(&self) -> usize {
        self.keys.heap_bytes() + self.vals.heap_bytes() + self.times.heap_bytes() + self.diffs.heap_bytes()
    }
}

impl<D: Data, T: Time, R: Diff> Keyed<Rows<D, (), T, R>> {
    /// Updates keyed by their records, with empty values. Nothing is copied.
    pub fn by_self(updates: Updates<D, T, R>) -> Self {
        let mut vals = <() as Data>::Column::empty(&());
        vals.count = updates.len() as u64;
        Keyed { keys: updates.data, vals, times: updates.times, diffs: updates.diffs }
    }
}
