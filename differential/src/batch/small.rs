//! Merging two flat batches, row by row.
//!
//! The batches of small commits are merged at once, as they come, so what counts here is that a merge of two rows with
//! two rows is a handful of pushes: no layers are formed, and times are advanced for all rows in one go.
//!
//! Tested in `merge_laws.rs`, with all other merges.

use std::cmp::Ordering;

use super::Batch;
use super::settle::Settle;
use crate::column::Column;
use crate::diff::{Diff, Overflow};
use crate::layout::{Layout, Times};
use crate::time::{Frontier, TimeColumn};
use crate::updates::Keyed;

/// One of the two, and how far it was read.
struct Side<'a, L: Layout> {
    batch: &'a Batch<L>,
    /// Its times, advanced.
    times: Times<L>,
    /// Whether each row is a pair of its own.
    distinct: bool,
    row: usize,
}

impl<'a, L: Layout> Side<'a, L> {
    fn new(batch: &'a Batch<L>, since: &Frontier<L::Time>) -> Self {
        let mut times = batch.times.clone();
        times.advance_rows(0..batch.len(), since);
        Side { batch, times, distinct: batch.times.uniform().is_some(), row: 0 }
    }

    fn is_done(&self) -> bool {
        self.row == self.batch.len()
    }

    /// The row after the last one that holds the pair of the next row.
    fn pair_end(&self) -> usize {
        let (row, len) = (self.row, self.batch.len());
        if self.distinct {
            return row + 1;
        }
        (row + 1..len).find(|&next| !self.batch.same_pair(row, next)).unwrap_or(len)
    }
}

/// The batch of both sides' updates at times advanced by `since`; the one batch rewritten if there is no other.
pub(super) fn merge<L: Layout>(
    older: &Batch<L>,
    newer: Option<&Batch<L>>,
    since: &Frontier<L::Time>,
) -> Result<Option<Batch<L>>, Overflow> {
    let (mut a, mut b) = (Side::new(older, since), Side::new(newer.unwrap_or(older), since));
    if newer.is_none() {
        b.row = b.batch.len();
    }
    let (key_shape, val_shape) = older.shapes();
    let mut rows = Keyed::<L>::empty(&key_shape, &val_shape);
    rows.keys.reserve(older.len() + b.batch.len() - b.row);
    rows.vals.reserve(older.len() + b.batch.len() - b.row);

    let same_time = a.times.uniform().filter(|time| b.times.uniform().as_ref() == Some(time));
    let mut settle = Settle::<L>::new();
    while !(a.is_done() && b.is_done()) {
        let order = match (a.is_done(), b.is_done()) {
            (true, _) => Ordering::Greater,
            (_, true) => Ordering::Less,
            _ => (a.batch.keys.compare(a.row, &b.batch.keys, b.row))
                .then_with(|| a.batch.vals.compare(a.row, &b.batch.vals, b.row)),
        };
        let a_rows = a.row..if order.is_le() { a.pair_end() } else { a.row };
        let b_rows = b.row..if order.is_ge() { b.pair_end() } else { b.row };
        let (source, row) = if order.is_le() { (a.batch, a.row) } else { (b.batch, b.row) };
        (a.row, b.row) = (a_rows.end, b_rows.end);

        let count = if same_time.is_some() {
            let sum = a.batch.diffs.sum(a_rows)?.plus(&b.batch.diffs.sum(b_rows)?)?;
            let kept = !sum.is_zero();
            if kept {
                rows.diffs.push(sum);
            }
            usize::from(kept)
        } else {
            let parts = [(&a.times, &a.batch.diffs, a_rows), (&b.times, &b.batch.diffs, b_rows)];
            settle.settle(since, parts, &mut rows.times, &mut rows.diffs)?
        };
        rows.keys.extend_repeat(&source.keys, row, count);
        rows.vals.extend_repeat(&source.vals, row, count);
    }
    if let Some(time) = same_time {
        rows.times.push_repeat(&time, rows.diffs.len());
    }
    Ok(Batch::new(rows))
}
