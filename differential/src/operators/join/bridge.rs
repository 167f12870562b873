//! One side of a join's block, as the matching sees it: numbers, times and diffs, no keys and no values.
//!
//! ```text
//!   ends        2           5   6        rows 0 1 are key 0's, rows 2 3 4 key 1's, row 5 key 2's
//!   values  0   1 | 2   2   3 | 4        the number of the row's value in the column that staging filled
//!   times   3   3 | 3   4   3 | 9
//!   diffs  +1  +1 |+1  -1  +1 |+1
//! ```
//!
//! Values are *proxies*: staging numbers the distinct values of each key in their order, so that two rows hold equal
//! values exactly if they hold equal numbers. Matching, replay and consolidation compare numbers, and are compiled once
//! for all types of keys and values.
//!
//! Invariant: within a key, rows ascend strictly by (value, time), and no diff is zero. Rows past the last key's end
//! are the matching's own (see `replay`): they are cut off again when what was made of them is out.
//! Cost: 4 bytes a row beside times and diffs. Why not the values themselves: a long history holds a value many times,
//! and a string would be copied and compared as often.
//! Tested in `join_laws.rs`, through the whole tactic.

use std::ops::Range;

use crate::diff::{Diff, Diffs, OverflowAt};
use crate::time::{Frontier, Time, TimeColumn};

/// By how many rows a bridge may grow before what was made of them has to go out. Tests meet that bound often.
pub(super) const GROWTH_ROWS: usize = if cfg!(test) { 20 } else { 1 << 14 };

/// Rows (value's number, time, diff), in any order.
pub(super) struct Edits<T: Time, R: Diff> {
    /// The number of each row's value.
    pub(super) values: Vec<u32>,
    /// When each row happens.
    pub(super) times: T::Column,
    /// By how much each row changes its value's count.
    pub(super) diffs: Diffs<R>,
}

impl<T: Time, R: Diff> Default for Edits<T, R> {
    fn default() -> Self {
        Edits { values: Vec::new(), times: Default::default(), diffs: Diffs::default() }
    }
}

/// Buffers of a consolidation.
#[derive(Default)]
pub(super) struct Sorter {
    /// The value's number in the upper half, the row in the lower.
    order: Vec<u64>,
    kept: Vec<u32>,
}

impl<T: Time, R: Diff> Edits<T, R> {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn clear(&mut self) {
        self.truncate(0);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.times.truncate(len);
        self.diffs.truncate(len);
    }

    pub(super) fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.values.extend_from_slice(&other.values[rows.clone()]);
        self.times.extend_range(&other.times, rows.clone());
        self.diffs.extend_range(&other.diffs, rows);
    }

    pub(super) fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.values.extend(rows.iter().map(|&row| other.values[row as usize]));
        self.times.extend_gather(&other.times, rows);
        self.diffs.extend_gather(&other.diffs, rows);
    }

    /// Whether the rows ascend strictly by (value, time), as consolidated rows do.
    pub(super) fn ascends(&self, rows: Range<usize>) -> bool {
        let values = &self.values[rows.clone()];
        let line = self.times.line(rows.clone(), &self.times, rows.clone());
        let is_earlier = |row| match line {
            Some((line, _)) => line.get(row) < line.get(row + 1),
            None => self.times.compare(row, &self.times, row + 1).is_lt(),
        };
        let mut pairs = values.windows(2).zip(rows);
        pairs.all(|(pair, row)| pair[0] < pair[1] || (pair[0] == pair[1] && is_earlier(row)))
    }

    /// Appends some rows of `other` in order of (value, time), the diffs of equal ones added up and zeros left out.
    pub(super) fn extend_consolidated(
        &mut self,
        other: &Self,
        rows: Range<usize>,
        sorter: &mut Sorter,
    ) -> Result<(), OverflowAt<T>> {
        let Sorter { order, kept } = sorter;
        let same_value = |a: u64, b: u64| a >> 32 == b >> 32;
        let compare = |a: u64, b: u64| other.times.compare(a as u32 as usize, &other.times, b as u32 as usize);
        order.clear();
        order.extend(rows.map(|row| u64::from(other.values[row]) << 32 | row as u64));
        order.sort_unstable();
        for run in order.chunk_by_mut(|&a, &b| same_value(a, b)).filter(|run| run.len() > 1) {
            run.sort_unstable_by(|&a, &b| compare(a, b));
        }
        kept.clear();
        for equal in order.chunk_by(|&a, &b| same_value(a, b) && compare(a, b).is_eq()) {
            let mut sum = other.diffs.get(equal[0] as u32 as usize).clone();
            for &row in &equal[1..] {
                sum = sum
                    .plus(&other.diffs.get(row as u32 as usize))
                    .map_err(|_| OverflowAt::new(other.times.get(row as u32 as usize)))?;
            }
            if !sum.is_zero() {
                kept.push(equal[0] as u32);
                self.diffs.push(sum);
            }
        }
        self.values.extend(kept.iter().map(|&row| other.values[row as usize]));
        self.times.extend_gather(&other.times, kept);
        Ok(())
    }

    /// Whether at most half as many values as rows would be left once all of these rows have happened.
    pub(super) fn nets(&self, rows: Range<usize>) -> bool {
        let mut left = 0;
        let mut row = rows.start;
        for run in self.values[rows.clone()].chunk_by(|a, b| a == b) {
            let sum = (row..row + run.len()).try_fold(R::zero(), |sum, row| sum.plus(&self.diffs.get(row)));
            // A sum too large to be held is not zero.
            left += usize::from(!sum.is_ok_and(|sum| sum.is_zero()));
            row += run.len();
        }
        2 * left <= rows.len()
    }
}

/// One side of a block: rows of keys that both sides have.
///
/// A backend fills it key by key, in one order on both sides, and each key value by value, in any order. Values are
/// numbered as they come, from 0 on, through all keys of the block; what the numbers stand for the backend knows.
///
/// ```
/// use differential::operators::join::JoinBridge;
///
/// let mut bridge = JoinBridge::<u64, i64>::default();
/// assert_eq!(bridge.value(), 0);
/// bridge.update(&3, 1);
/// bridge.update(&5, -1); // of the same value
/// assert_eq!(bridge.value(), 1);
/// bridge.update(&3, 1);
/// bridge.end_key();
/// assert_eq!(bridge.len(), 3);
/// ```
pub struct JoinBridge<T: Time, R: Diff> {
    /// Where the rows of each key end.
    pub(super) ends: Vec<u32>,
    /// The rows.
    pub(super) edits: Edits<T, R>,
    /// How many values were numbered.
    pub(super) values: u32,
    /// Below this row, each row holds the value of its own number: known at no cost where each value has one update.
    pub(super) distinct: usize,
    /// What consolidation leaves behind.
    spare: Edits<T, R>,
}

impl<T: Time, R: Diff> Default for JoinBridge<T, R> {
    fn default() -> Self {
        JoinBridge { ends: Vec::new(), edits: Edits::default(), values: 0, distinct: 0, spare: Edits::default() }
    }
}

impl<T: Time, R: Diff> JoinBridge<T, R> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Begins the present key's next value, which differs from its others; its number.
    pub fn value(&mut self) -> u32 {
        self.values += 1;
        self.values - 1
    }

    /// Adds an update of the present value, in any order of time.
    pub fn update(&mut self, time: &T, diff: R) {
        self.edits.values.push(self.values - 1);
        self.edits.times.push(time);
        self.edits.diffs.push(diff);
    }

    /// Ends a key.
    pub fn end_key(&mut self) {
        self.ends.push(self.edits.len() as u32);
    }
}

impl<T: Time, R: Diff> JoinBridge<T, R> {
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.edits.clear();
        self.values = 0;
        self.distinct = 0;
    }

    /// The number of rows that there is room for.
    pub(super) fn rows_capacity(&self) -> usize {
        self.edits.values.capacity()
    }

    /// The rows of keys, without what the matching appended.
    pub(super) fn staged(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Cuts off what the matching appended.
    pub(super) fn truncate_to_staged(&mut self) {
        self.edits.truncate(self.staged());
    }

    /// The rows that the matching appended.
    pub(super) fn appended(&self) -> usize {
        self.edits.len() - self.staged()
    }

    /// The rows of a key.
    pub(super) fn run(&self, key: usize) -> Range<u32> {
        let start = if key == 0 { 0 } else { self.ends[key - 1] };
        start..self.ends[key]
    }

    /// Whether no two neighbours among these rows hold one value.
    pub(super) fn is_distinct(&self, rows: &Range<u32>) -> bool {
        rows.end as usize <= self.distinct
            || self.edits.values[rows.start as usize..rows.end as usize].windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Ends the staging of a block: times are advanced by the view that this side is read through and joined with `lower`,
    /// and what fell together by that, or came more than once, is added up.
    pub(super) fn finish(
        &mut self,
        as_of: Option<&Frontier<T>>,
        lower: &T,
        sorter: &mut Sorter,
    ) -> Result<(), OverflowAt<T>> {
        let rows = 0..self.len();
        assert!(u32::try_from(rows.len()).is_ok(), "a block of {} rows: one key is too long", rows.len());
        if let Some(as_of) = as_of {
            self.edits.times.advance_rows(rows.clone(), as_of);
        }
        self.edits.times.join_rows(rows.clone(), lower);
        if self.values as usize == rows.len() {
            self.distinct = rows.len();
            Ok(())
        } else {
            self.consolidate(sorter)
        }
    }

    /// Consolidates the rows of each key that is not in order, or holds a (value, time) twice.
    fn consolidate(&mut self, sorter: &mut Sorter) -> Result<(), OverflowAt<T>> {
        if self.edits.ascends(0..self.edits.len()) {
            return Ok(());
        }
        let spare = &mut self.spare;
        std::mem::swap(&mut self.edits, spare);
        self.edits.clear();
        let mut start = 0;
        for end in &mut self.ends {
            let rows = start..*end as usize;
            start = rows.end;
            if spare.ascends(rows.clone()) {
                self.edits.extend_range(spare, rows);
            } else {
                self.edits.extend_consolidated(spare, rows, sorter)?;
            }
            *end = self.edits.len() as u32;
        }
        Ok(())
    }
}
