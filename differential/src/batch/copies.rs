//! What a merge copies next: which updates of two excerpts, and which sums.
//!
//! ```text
//!   since (1,1)     times (0,1) (1,0) (2,0)   =>   (1,1) (1,1) (2,1)   =>   (1,1) (2,1)
//!                   diffs  +1    -1    +1           +1    -1    +1                 +1
//! ```
//!
//! Advancing may make times equal and may change their order, but never moves an update to another pair, so the only
//! sort in a merge is of one pair's updates, and only where advancing left them out of order or both sides have some.
//!
//! Invariant: the times are as many as the diffs. Cost: a few instructions for each row and column. Why not copying at
//! once: a column looks at how it is stored each time it is asked, several columns for a row or two.

use std::ops::Range;

use smallvec::SmallVec;

use super::Batch;
use super::excerpt::Excerpt;
use crate::diff::{Diff, Diffs, OverflowAt};
use crate::layout::{Layout, Times};
use crate::time::{Origin, Side as Diffed, TimeColumn};

/// The number of a side of sums, behind the two that merge.
const SUMS: usize = 2;

/// A batch that is being merged, as far as it can be seen.
pub(super) type View<'a, L> = (&'a Excerpt<L>, &'a Batch<L>);

/// An excerpt's times and diffs.
type Side<'a, L> = (&'a Times<L>, Diffed<'a, <L as Layout>::Diff>);

/// Updates that are to be copied.
pub(super) struct Copies<L: Layout> {
    times: Vec<Origin>,
    /// The same updates, but for those that are sums.
    diffs: Vec<Origin>,
    sums: Diffs<L::Diff>,
}

impl<L: Layout> Copies<L> {
    pub(super) fn new() -> Self {
        Copies { times: Vec::new(), diffs: Vec::new(), sums: Diffs::default() }
    }

    /// Which updates of which side are to be copied, in order.
    pub(super) fn origins(&self) -> &[Origin] {
        &self.times
    }

    /// Notes some updates of a side's excerpt.
    #[inline]
    pub(super) fn note(&mut self, side: usize, place: Range<usize>) {
        for row in place {
            self.times.push(Origin::new(side, row));
            self.diffs.push(Origin::new(side, row));
        }
    }

    /// Notes the sum of one pair's updates, which are at these places of the excerpts; how many are left.
    pub(super) fn settle(
        &mut self,
        views: [View<'_, L>; 2],
        places: [Range<usize>; 2],
    ) -> Result<usize, OverflowAt<L::Time>> {
        let sides = views.map(|(excerpt, batch)| (excerpt.times(), excerpt.diffs(batch)));
        let ordered = |side: usize| views[side].0.is_ordered(places[side].clone());
        if ordered(0) && ordered(1) { self.merge(sides, places) } else { self.sort(sides, places) }
    }

    /// Notes the sum of one pair's updates, which are in order on each side.
    fn merge(&mut self, sides: [Side<'_, L>; 2], places: [Range<usize>; 2]) -> Result<usize, OverflowAt<L::Time>> {
        let ([(older, _), (newer, _)], [mut a, mut b]) = (sides, places);
        let mut count = 0;
        // Most of the time one side comes after the other.
        let apart = !a.is_empty() && !b.is_empty() && older.compare(a.end - 1, newer, b.start).is_lt();
        while !apart && !a.is_empty() && !b.is_empty() {
            let order = older.compare(a.start, newer, b.start);
            if order.is_eq() {
                count += self.note_sum(sides, &[(0, a.start), (1, b.start)])?;
            } else {
                let (side, row) = if order.is_lt() { (0, a.start) } else { (1, b.start) };
                self.note(side, row..row + 1);
                count += 1;
            }
            a.start += usize::from(order.is_le());
            b.start += usize::from(order.is_ge());
        }
        for (side, rest) in [a, b].into_iter().enumerate().filter(|(_, rest)| !rest.is_empty()) {
            count += rest.len();
            self.note(side, rest);
        }
        Ok(count)
    }

    /// Notes the sum of one pair's updates, of which advancing left some out of order.
    fn sort(&mut self, sides: [Side<'_, L>; 2], [a, b]: [Range<usize>; 2]) -> Result<usize, OverflowAt<L::Time>> {
        let mut order: SmallVec<[(usize, usize); 16]> = a.map(|row| (0, row)).chain(b.map(|row| (1, row))).collect();
        let compare = |a: &(usize, usize), b: &(usize, usize)| sides[a.0].0.compare(a.1, sides[b.0].0, b.1);
        order.sort_unstable_by(compare);
        let mut count = 0;
        for equal in order.chunk_by(|a, b| compare(a, b).is_eq()) {
            if let [(side, row)] = *equal {
                self.note(side, row..row + 1);
                count += 1;
            } else {
                count += self.note_sum(sides, equal)?;
            }
        }
        Ok(count)
    }

    /// Notes the sum of some updates at one time, each said by its side and its place there; whether there is something.
    fn note_sum(&mut self, sides: [Side<'_, L>; 2], equal: &[(usize, usize)]) -> Result<usize, OverflowAt<L::Time>> {
        let (side, row) = equal[0];
        let mut rest = equal[1..].iter().map(|&(side, row)| sides[side].1.get(row));
        let sum = rest.try_fold(sides[side].1.get(row), |sum, diff| sum.plus(&diff));
        let sum = sum.map_err(|_| OverflowAt::new(sides[side].0.get(row)))?;
        if sum.is_zero() {
            return Ok(0);
        }
        self.times.push(Origin::new(side, row));
        self.diffs.push(Origin::new(SUMS, self.sums.len()));
        self.sums.push(sum);
        Ok(1)
    }

    /// Appends all updates noted, and forgets them.
    pub(super) fn copy(&mut self, views: [View<'_, L>; 2], times: &mut Times<L>, diffs: &mut Diffs<L::Diff>) {
        let [(a, older), (b, newer)] = views;
        times.extend_origins([a.times(), b.times()], &self.times);
        let sides = [a.diffs(older), b.diffs(newer), self.sums.side()];
        let some = if self.sums.is_empty() { &sides[..SUMS] } else { &sides };
        diffs.extend_origins(some, &self.diffs);
        self.times.clear();
        self.diffs.clear();
        self.sums.clear();
    }
}
