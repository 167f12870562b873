//! One pair's updates at the times to which they are advanced.
//!
//! ```text
//!   since (1,1)     times (0,1) (1,0) (2,0)   =>   (1,1) (1,1) (2,1)   =>   (1,1) (2,1)
//!                   diffs  +1    -1    +1           +1    -1    +1                 +1
//! ```
//!
//! Advancing may make times equal and may change their order, but never moves an update to another pair, so the only
//! sort in a merge is of one pair's updates, and only where advancing left them out of order.
//!
//! Cost: bulk operations on a scratch column; owned times only where a sort is needed.

use std::ops::Range;

use crate::diff::{Diff, Diffs, OverflowAt};
use crate::layout::{Layout, Times};
use crate::time::{Frontier, TimeColumn};

/// Some of one pair's updates: where they are, and which rows.
pub(super) type Part<'a, L> = (&'a Times<L>, &'a Diffs<<L as Layout>::Diff>, Range<usize>);

/// Scratch columns.
pub(super) struct Settle<L: Layout> {
    times: Times<L>,
    updates: Vec<(L::Time, L::Diff)>,
}

impl<L: Layout> Settle<L> {
    pub(super) fn new() -> Self {
        Settle { times: Times::<L>::default(), updates: Vec::new() }
    }

    /// Appends the sum of one pair's updates, which are in two parts, at times advanced by `since`; how many are left.
    pub(super) fn settle(
        &mut self,
        since: &Frontier<L::Time>,
        parts: [Part<'_, L>; 2],
        times: &mut Times<L>,
        diffs: &mut Diffs<L::Diff>,
    ) -> Result<usize, OverflowAt<L::Time>> {
        self.times.clear();
        parts.iter().for_each(|(times, _, rows)| self.times.extend_range(times, rows.clone()));
        let len = self.times.len();
        self.times.advance_rows(0..len, since);

        if (1..len).all(|row| self.times.compare(row - 1, &self.times, row).is_lt()) {
            times.extend_range(&self.times, 0..len);
            parts.iter().for_each(|(_, part, rows)| diffs.extend_range(part, rows.clone()));
            return Ok(len);
        }
        if let Some(time) = self.times.uniform() {
            let [(_, older, older_rows), (_, newer, newer_rows)] = parts;
            let sum = sum([(older, older_rows), (newer, newer_rows)], &time)?;
            if sum.is_zero() {
                return Ok(0);
            }
            times.extend_range(&self.times, 0..1);
            diffs.push(sum);
            return Ok(1);
        }

        let parts = parts.iter().flat_map(|(_, part, rows)| part.iter_range(rows.clone()));
        self.updates.clear();
        self.updates.extend((0..len).map(|row| self.times.get(row)).zip(parts.cloned()));
        self.updates.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let before = times.len();
        for equal in self.updates.chunk_by(|a, b| a.0 == b.0) {
            let sum = equal[1..].iter().try_fold(equal[0].1.clone(), |sum, (_, diff)| sum.plus(diff));
            let sum = sum.map_err(|_| OverflowAt::new(equal[0].0.clone()))?;
            if !sum.is_zero() {
                times.push(&equal[0].0);
                diffs.push(sum);
            }
        }
        Ok(times.len() - before)
    }

    /// Appends a range of times advanced by `since`, in the order they have.
    pub(super) fn advance(
        &mut self,
        since: &Frontier<L::Time>,
        times: &Times<L>,
        rows: Range<usize>,
        into: &mut Times<L>,
    ) {
        if rows.clone().all(|row| times.admitted(row, since)) {
            into.extend_range(times, rows);
        } else {
            self.times.clear();
            self.times.extend_range(times, rows.clone());
            self.times.advance_rows(0..rows.len(), since);
            into.extend_range(&self.times, 0..rows.len());
        }
    }
}

/// The sum of one pair's diffs at `time`, which are in two parts.
#[inline]
pub(super) fn sum<R: Diff, T: Clone>(
    [(older, older_rows), (newer, newer_rows)]: [(&Diffs<R>, Range<usize>); 2],
    time: &T,
) -> Result<R, OverflowAt<T>> {
    let sum = older.sum(older_rows).and_then(|sum| sum.plus(&newer.sum(newer_rows)?));
    sum.map_err(|_| OverflowAt::new(time.clone()))
}
