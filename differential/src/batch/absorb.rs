//! A few updates taken into a small batch that nobody else can see.
//!
//! ```text
//!   batch   a@3 +1   c@3 +1   d@3 +2       since {5}
//!   newer      b@4 +1   c@5 -1             =>   a@5 +1   b@5 +1   d@5 +2
//! ```
//!
//! A batch never changes, for whoever reads it. But the batches of small commits are merged as they come, and the last
//! merge's result is mostly seen by its trace alone. Then two rows are inserted and one removed, where a merge would
//! make four columns, fill them and free two times four.
//!
//! Only where every pair has one update on both sides, and one in the sum: so an order of pairs is the order of rows, and
//! what is to be done is known before anything is changed. Everything else is left to a merge.
//!
//! Cost: a search and an insertion for each new row; nothing is allocated but what columns need to grow.
//! Tested in `merge_laws.rs`, with all merges.

use smallvec::SmallVec;
use timely::progress::Timestamp;

use super::{Batch, Offsets};
use crate::column::Column;
use crate::diff::{Diff, OverflowAt};
use crate::layout::Layout;
use crate::time::{Frontier, TimeColumn};

/// More new rows than this are merged: searching for each of them, and moving all behind it, is dear then.
const FEW: usize = 64;

impl<L: Layout> Batch<L> {
    /// Makes this the merge of itself with `newer`, at times advanced by `since`, if that is a matter of a few rows in
    /// their places: whether it was. It may have come to hold nothing.
    ///
    /// # Errors
    /// A sum of diffs overflows; the batch is as it was, but for times advanced.
    pub fn absorb(&mut self, newer: &Self, since: &Frontier<L::Time>) -> Result<bool, OverflowAt<L::Time>> {
        let len = self.len();
        let small = newer.len() <= FEW && len + newer.len() < Self::FLAT_UPDATES;
        if !(small && self.net && newer.net) {
            return Ok(false);
        }
        let floor = since.meet().unwrap_or_else(Timestamp::minimum);
        self.times.join_rows(0..len, &floor);
        self.inserts_only.take();
        let mut advanced = None;
        if !newer.times.are_past(0..newer.len(), &floor) {
            advanced.insert(newer.times.clone()).join_rows(0..newer.len(), &floor);
        }
        let times = advanced.as_ref().unwrap_or(&newer.times);

        let mut inserted: SmallVec<[(u32, u32); 4]> = SmallVec::new();
        let mut removed: SmallVec<[u32; 4]> = SmallVec::new();
        let mut sums: SmallVec<[(usize, L::Diff); 2]> = SmallVec::new();
        let mut at = 0;
        for row in 0..newer.len() {
            at = self.pair_at(at, newer, row);
            let here = at < len
                && self.keys.compare(at, &newer.keys, row).is_eq()
                && self.vals.compare(at, &newer.vals, row).is_eq();
            if !here {
                // By then what is removed before it will have gone.
                inserted.push(((at - removed.len()) as u32, row as u32));
                continue;
            }
            if self.times.compare(at, times, row).is_ne() {
                return Ok(false);
            }
            let sum = self.diffs.get(at).plus(&newer.diffs.get(row)).map_err(|_| OverflowAt::new(times.get(row)))?;
            if sum.is_zero() { removed.push(at as u32) } else { sums.push((at, sum)) }
        }

        sums.into_iter().for_each(|(at, sum)| self.diffs.set(at, sum));
        if !removed.is_empty() {
            self.keys.remove_rows(&removed);
            self.vals.remove_rows(&removed);
            self.times.remove_rows(&removed);
            self.diffs.remove_rows(&removed);
        }
        if !inserted.is_empty() {
            self.keys.insert_rows(&newer.keys, &inserted);
            self.vals.insert_rows(&newer.vals, &inserted);
            self.times.insert_rows(times, &inserted);
            self.diffs.insert_rows(&newer.diffs, &inserted);
        }
        (self.values, self.updates) = (Offsets::Identity(self.len()), Offsets::Identity(self.len()));
        if cfg!(debug_assertions) && self.len() > 0 {
            self.check();
        }
        Ok(true)
    }

    /// The first row from `from` on whose pair is at or past that of another flat batch's row.
    fn pair_at(&self, from: usize, other: &Self, row: usize) -> usize {
        let before = |at: usize| {
            let order = self.keys.compare(at, &other.keys, row);
            order.is_lt() || order.is_eq() && self.vals.compare(at, &other.vals, row).is_lt()
        };
        let (mut low, mut high, mut step) = (from, from, 4);
        while high < self.len() && before(high) {
            (low, high, step) = (high + 1, high + step, 2 * step);
        }
        high = high.min(self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }
}
