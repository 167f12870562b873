//! Merging two flat batches, row by row.
//!
//! The batches of small commits are merged at once, as they come, so what counts here is that a merge of two rows with
//! sixty is a handful of calls: no layers are formed, times are advanced for all rows in one go, and rows between two
//! pairs of the other side are copied as ranges.
//!
//! Tested in `merge_laws.rs`, with all other merges.

use std::cmp::Ordering;
use std::ops::Range;

use super::Batch;
use super::settle::{self, Settle};
use crate::column::Column;
use crate::diff::{Diff, OverflowAt};
use crate::layout::{Layout, Times};
use crate::time::TimeColumn;
use crate::updates::Keyed;

/// One of the two, and how far it was read.
struct Side<'a, L: Layout> {
    batch: &'a Batch<L>,
    /// Its times, advanced.
    times: Times<L>,
    row: usize,
}

impl<'a, L: Layout> Side<'a, L> {
    fn new(batch: &'a Batch<L>, floor: &L::Time) -> Self {
        let mut times = batch.times.clone();
        times.join_rows(0..batch.len(), floor);
        Side { batch, times, row: 0 }
    }

    fn is_done(&self) -> bool {
        self.row == self.batch.len()
    }

    /// How the pair in a row compares with the other side's next one; smaller if that has ended.
    fn compare(&self, row: usize, other: &Self) -> Ordering {
        if other.is_done() {
            return Ordering::Less;
        }
        (self.batch.keys.compare(row, &other.batch.keys, other.row))
            .then_with(|| self.batch.vals.compare(row, &other.batch.vals, other.row))
    }

    /// The row after the last one that holds the pair of the next row.
    fn pair_end(&self) -> usize {
        let (row, len) = (self.row, self.batch.len());
        if self.batch.net {
            return row + 1;
        }
        (row + 1..len).find(|&next| !self.batch.same_pair(row, next)).unwrap_or(len)
    }

    /// The end of the next rows, up to `end`, whose times are still in order where they are one pair's; a pair is not cut.
    fn ordered_end(&self, end: usize) -> usize {
        if self.batch.net {
            return end;
        }
        let mut pair = self.row;
        for row in self.row + 1..end {
            if !self.batch.same_pair(row - 1, row) {
                pair = row;
            } else if self.times.compare(row - 1, &self.times, row).is_ge() {
                return pair;
            }
        }
        end
    }

    /// The end of the rows before the other side's next pair; the next row is known to be.
    fn run_end(&self, other: &Self) -> usize {
        let (mut low, mut high) = (self.row + 1, self.batch.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.compare(middle, other).is_lt() { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// The batch of both sides' updates at times joined with `floor`; the one batch rewritten if there is no other.
pub(super) fn merge<L: Layout>(
    older: &Batch<L>,
    newer: Option<&Batch<L>>,
    floor: &L::Time,
) -> Result<Option<Batch<L>>, OverflowAt<L::Time>> {
    let (mut a, mut b) = (Side::new(older, floor), Side::new(newer.unwrap_or(older), floor));
    if newer.is_none() {
        b.row = b.batch.len();
    }
    let mut merged = Merged::new(&a, &b, floor);
    while !(a.is_done() && b.is_done()) {
        match if a.is_done() { Ordering::Greater } else { a.compare(a.row, &b) } {
            Ordering::Less => {
                let end = a.run_end(&b);
                merged.extend(&mut a, end)?;
            }
            Ordering::Greater => {
                let end = b.run_end(&a);
                merged.extend(&mut b, end)?;
            }
            Ordering::Equal => {
                let ends = [a.pair_end(), b.pair_end()];
                merged.add((&a, a.row..ends[0]), (&b, b.row..ends[1]))?;
                [a.row, b.row] = ends;
            }
        }
    }
    Ok(merged.finish())
}

/// What is merged so far.
struct Merged<'a, L: Layout> {
    rows: Keyed<L>,
    /// The time of all updates, if both sides agree in it: times are then written at the end.
    same_time: Option<L::Time>,
    floor: &'a L::Time,
    settle: Settle<L>,
}

impl<'a, L: Layout> Merged<'a, L> {
    fn new(a: &Side<'_, L>, b: &Side<'_, L>, floor: &'a L::Time) -> Self {
        let (key_shape, val_shape) = a.batch.shapes();
        let mut rows = Keyed::<L>::empty(&key_shape, &val_shape);
        let capacity = a.batch.len() + b.batch.len() - b.row;
        rows.keys.reserve(capacity);
        rows.vals.reserve(capacity);
        let same_time = a.times.uniform().filter(|time| b.times.uniform().as_ref() == Some(time));
        Merged { rows, same_time, floor, settle: Settle::new() }
    }

    /// Appends a side's rows up to `end`, whose pairs the other side does not have.
    fn extend(&mut self, side: &mut Side<'_, L>, end: usize) -> Result<(), OverflowAt<L::Time>> {
        while side.row < end {
            let rows = side.row..side.ordered_end(end);
            if rows.is_empty() {
                let pair = side.row..side.pair_end();
                self.add((side, pair.clone()), (side, pair.end..pair.end))?;
                side.row = pair.end;
                continue;
            }
            self.rows.keys.extend_range(&side.batch.keys, rows.clone());
            self.rows.vals.extend_range(&side.batch.vals, rows.clone());
            if self.same_time.is_none() {
                self.rows.times.extend_range(&side.times, rows.clone());
            }
            side.row = rows.end;
            self.rows.diffs.extend_range(&side.batch.diffs, rows);
        }
        Ok(())
    }

    /// Appends a pair with the sum of its updates, which are in two parts, unless nothing is left of them.
    fn add(
        &mut self,
        older: (&Side<'_, L>, Range<usize>),
        newer: (&Side<'_, L>, Range<usize>),
    ) -> Result<(), OverflowAt<L::Time>> {
        let [(a, a_rows), (b, b_rows)] = [older, newer];
        let (keys, vals, row) = (&a.batch.keys, &a.batch.vals, a_rows.start);
        let rows = &mut self.rows;
        let count = if let Some(time) = &self.same_time {
            let sum = settle::sum([(&a.batch.diffs, a_rows), (&b.batch.diffs, b_rows)], time)?;
            let kept = !sum.is_zero();
            if kept {
                rows.diffs.push(sum);
            }
            usize::from(kept)
        } else {
            let (a, b) = (a.batch, b.batch);
            let parts = [(&a.times, &a.diffs, a_rows), (&b.times, &b.diffs, b_rows)];
            self.settle.settle(self.floor, parts, &mut rows.times, &mut rows.diffs)?
        };
        rows.keys.extend_repeat(keys, row, count);
        rows.vals.extend_repeat(vals, row, count);
        Ok(())
    }

    fn finish(mut self) -> Option<Batch<L>> {
        if let Some(time) = &self.same_time {
            self.rows.times.push_repeat(time, self.rows.diffs.len());
        }
        Batch::new(self.rows)
    }
}
