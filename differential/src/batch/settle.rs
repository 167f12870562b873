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
//! Cost: copies where nothing is to be added up. A few updates are looked at as owned times; a longer history costs bulk
//! operations on a scratch column, and owned times only where a sort is needed.

use std::ops::Range;

use crate::diff::{Diff, Diffs, OverflowAt};
use crate::layout::{Layout, Times};
use crate::time::TimeColumn;

/// Some of one pair's updates: where they are, and which rows.
pub(super) type Part<'a, L> = (&'a Times<L>, &'a Diffs<<L as Layout>::Diff>, Range<usize>);

/// Up to this many updates are looked at one by one.
const FEW: usize = 8;

/// Scratch columns.
pub(super) struct Settle<L: Layout> {
    times: Times<L>,
    updates: Vec<(L::Time, L::Diff)>,
}

impl<L: Layout> Settle<L> {
    pub(super) fn new() -> Self {
        Settle { times: Times::<L>::default(), updates: Vec::new() }
    }

    /// Appends the sum of one pair's updates, which are in two parts, each in order of time, at times joined with `floor`;
    /// how many are left.
    pub(super) fn settle(
        &mut self,
        floor: &L::Time,
        parts: [Part<'_, L>; 2],
        times: &mut Times<L>,
        diffs: &mut Diffs<L::Diff>,
    ) -> Result<usize, OverflowAt<L::Time>> {
        let [(older, older_diffs, older_rows), (newer, newer_diffs, newer_rows)] = parts.clone();
        let len = older_rows.len() + newer_rows.len();
        // Where times stay as they are, and the newer ones are later, nothing is to be added up.
        let apart = older_rows.is_empty()
            || newer_rows.is_empty()
            || older.compare(older_rows.end - 1, newer, newer_rows.start).is_lt();
        if apart && older.are_past(older_rows.clone(), floor) && newer.are_past(newer_rows.clone(), floor) {
            times.extend_range(older, older_rows.clone());
            times.extend_range(newer, newer_rows.clone());
            diffs.extend_range(older_diffs, older_rows);
            diffs.extend_range(newer_diffs, newer_rows);
            return Ok(len);
        }
        if len > FEW {
            self.times.clear();
            self.times.extend_joined(older, older_rows.clone(), floor);
            self.times.extend_joined(newer, newer_rows.clone(), floor);
            if let Some(time) = self.times.uniform() {
                let sum = sum([(older_diffs, older_rows), (newer_diffs, newer_rows)], &time)?;
                if sum.is_zero() {
                    return Ok(0);
                }
                times.push(&time);
                diffs.push(sum);
                return Ok(1);
            }
        }
        self.updates.clear();
        for (times, diffs, rows) in parts {
            for row in rows {
                self.updates.push((times.get_joined(row, floor), diffs.get(row).clone()));
            }
        }
        if !self.updates.is_sorted_by(|a, b| a.0 < b.0) {
            self.updates.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        }
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
