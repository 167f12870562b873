//! Updates that a node collects until their time has closed, and then sorts on the fuel of its visits.
//!
//! ```text
//!   containers ──push──> batcher ──the frontier moved──> interval ──a step a visit──> rows, or a batch
//! ```
//!
//! All containers are taken as they come, for that costs little; what costs is sorting them. An interval once begun is
//! finished before the next is sealed, however far the frontier moves meanwhile.
//!
//! Adding up what repeats keeps pace with what arrives, whatever the fuel: who made it had fuel for it. Otherwise a join
//! whose hundred million pairs add up to few would be ahead by most of them (914 MB at most, where it is some tens).
//! Tested in `collecting_laws.rs`.
//!
//! Invariant: `holds` covers what was pushed and has not come out.

use crate::batch::Batch;
use crate::batcher::{Batcher, Sealing};
use crate::error::Fault;
use crate::layout::Layout;
use crate::region::{Fuel, Visit};
use crate::time::{Frontier, Point};
use crate::updates::Keyed;

/// Units of fuel for a row that is read, written or sorted: three times each row, some ten nanoseconds each time.
const ROW_UNITS: u64 = 8;

/// Rows read, written or sorted for each that arrives: more than adding up what repeats takes on the whole.
const KEEP_UP: usize = 8;

/// What was collected, and the interval being sorted.
pub(crate) struct Collecting<L: Layout<Time = Point>> {
    batcher: Batcher<L>,
    /// How many rows came since the last visit.
    arrived: usize,
    /// The end of the last interval that was begun.
    upper: Frontier<Point>,
    interval: Option<Interval<L>>,
}

/// What happened before a frontier and not before the last one; nothing at all in most.
pub(crate) struct Interval<L: Layout<Time = Point>> {
    pub(crate) upper: Frontier<Point>,
    sealing: Option<Sealing<L>>,
}

impl<L: Layout<Time = Point>> Collecting<L> {
    pub(crate) fn new() -> Self {
        Collecting { batcher: Batcher::new(), arrived: 0, upper: Frontier::minimum(), interval: None }
    }

    pub(crate) fn push(&mut self, rows: Keyed<L>) {
        self.arrived += rows.len();
        self.batcher.push(rows);
    }

    /// Sorts what has closed as far as the fuel goes. `take` is given what comes out, never nothing at all: sorted, added
    /// up, each time after all that came out before, and whether that is the last of its interval. What it leaves behind
    /// comes again in front of what follows, and nothing follows the last.
    pub(crate) fn rows(
        &mut self,
        visit: &mut Visit<'_>,
        take: impl FnMut(&mut Keyed<L>, bool, &mut Fuel) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.rows_before(visit.frontier(0), visit, take)
    }

    /// [`rows`](Self::rows) of what is not in advance of `upper`, which only advances: where times are not the region's.
    pub(crate) fn rows_before(
        &mut self,
        upper: &Frontier<Point>,
        visit: &mut Visit<'_>,
        mut take: impl FnMut(&mut Keyed<L>, bool, &mut Fuel) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        while let Some(mut interval) = self.next_before(upper, visit)? {
            if let Some((rows, last)) = interval.rows(visit.fuel)?
                && !rows.is_empty()
            {
                take(rows, last, visit.fuel)?;
            }
            if !interval.is_done() {
                self.put_back(interval, visit);
                break;
            }
        }
        Ok(())
    }

    /// The interval to go on with: the one that was [put back](Self::put_back), or the next if the first input's
    /// frontier has moved.
    pub(crate) fn next(&mut self, visit: &mut Visit<'_>) -> Result<Option<Interval<L>>, Fault> {
        self.next_before(visit.frontier(0), visit)
    }

    fn next_before(&mut self, upper: &Frontier<Point>, visit: &mut Visit<'_>) -> Result<Option<Interval<L>>, Fault> {
        let keep_up = KEEP_UP * std::mem::take(&mut self.arrived);
        if self.interval.is_some() {
            if keep_up > 0 {
                self.batcher.settle(&mut { keep_up })?;
            }
            return Ok(self.interval.take());
        }
        let moved = *upper != self.upper;
        // Where all is about to be sorted, there is no use in adding up first.
        let settles = self.batcher.is_settling() || !moved;
        if settles && spend(visit.fuel, keep_up, |effort| self.batcher.settle(effort))? {
            visit.again();
            return Ok(None);
        }
        if !moved {
            return Ok(None);
        }
        self.upper.clone_from(upper);
        Ok(Some(Interval { upper: upper.clone(), sealing: self.batcher.seal(upper)? }))
    }

    /// Whether nothing is on its way out.
    pub(crate) fn is_done(&self) -> bool {
        self.interval.is_none() && !self.batcher.is_settling()
    }

    /// Keeps an interval that is not done for the next visit.
    pub(crate) fn put_back(&mut self, interval: Interval<L>, visit: &mut Visit<'_>) {
        self.interval = Some(interval);
        visit.again();
    }

    /// How many rows wait to be sorted or are being added up, repetitions included.
    #[cfg(test)]
    pub(super) fn rows_left(&self) -> usize {
        self.batcher.rows_left()
    }

    pub(crate) fn holds(&self, holds: &mut Frontier<Point>) {
        self.batcher.holds(holds);
        if let Some(Interval { sealing: Some(sealing), .. }) = &self.interval {
            sealing.holds(holds);
        }
    }
}

impl<L: Layout<Time = Point>> Interval<L> {
    /// Goes on as far as the fuel goes; once the interval is done, the batch of all that happened in it.
    pub(crate) fn batch(&mut self, fuel: &mut Fuel) -> Result<Option<Batch<L>>, Fault> {
        let Some(sealing) = &mut self.sealing else { return Ok(None) };
        Ok(spend(fuel, 1, |effort| sealing.batch(effort))?)
    }

    /// Goes on as far as the fuel goes; what came out, and whether that is all, if there is anything in the interval.
    fn rows(&mut self, fuel: &mut Fuel) -> Result<Option<(&mut Keyed<L>, bool)>, Fault> {
        let Some(sealing) = &mut self.sealing else { return Ok(None) };
        spend(fuel, 1, |effort| sealing.rows(effort).map(drop))?;
        let last = sealing.is_done();
        // No effort: what is there already.
        Ok(Some((sealing.rows(&mut 0)?, last)))
    }

    pub(crate) fn is_done(&self) -> bool {
        self.sealing.as_ref().is_none_or(Sealing::is_done)
    }
}

/// Lends the effort that the fuel is good for, and some at least, and takes what was spent of it.
fn spend<T>(fuel: &mut Fuel, least: usize, work: impl FnOnce(&mut usize) -> T) -> T {
    let allowed = usize::try_from(fuel.left() / ROW_UNITS).unwrap_or(usize::MAX).max(least).max(1);
    let mut effort = allowed;
    let worked = work(&mut effort);
    fuel.take(ROW_UNITS * (allowed - effort) as u64);
    worked
}
