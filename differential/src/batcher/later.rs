//! Updates in the future of all seals so far, in runs by time.
//!
//! ```text
//!   times    2 3 | 3 4 5 6 | 6 7 7 8 8 8 9 9 9 9 9 9 9 9          three runs of a list that was cut
//!   seal(4)  reads the first two; the third's lower bound is past it
//! ```
//!
//! What a seal leaves of a list is laid out in runs of ascending times whose lengths grow by four. So the next seals
//! read short runs at the front, and a row is moved once for each factor of four before it, however many seals pass.
//!
//! Runs stand by descending length, and two of which one is less than twice the other are added up to one. So there
//! are logarithmically many, and updates that come again and again for one future time do not pile up.
//!
//! Why not a map from times to updates: a million updates at a million future times would be a million small columns.
//! Why not one list: each seal would read all of it.

use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::{Frontier, TimeColumn};
use crate::updates::{Keyed, consolidated};

/// Runs of up to this many rows are not cut by time.
const SHORT: usize = 64;

/// Some updates, not none, and the lower bound of their times.
pub(super) struct Run<L: Layout> {
    pub(super) rows: Keyed<L>,
    pub(super) lower: Frontier<L::Time>,
}

impl<L: Layout> Run<L> {
    pub(super) fn new(rows: Keyed<L>) -> Self {
        let mut lower = Frontier::empty();
        rows.times.lower_into(0..rows.len(), &mut lower);
        Run { rows, lower }
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.rows.extend_range(&other.rows, 0..other.rows.len());
        self.lower.extend(&other.lower);
    }

    /// Puts the rows not in advance of `upper` into `sealed`; what is left.
    pub(super) fn split(self, upper: &Frontier<L::Time>, sealed: &mut Vec<Keyed<L>>) -> Option<Self> {
        if upper.precedes(&self.lower) {
            return Some(self);
        }
        let Run { rows, .. } = self;
        // The lower bound is not past `upper`, so a time that all have is not.
        if upper.is_empty() || rows.times.uniform().is_some() {
            sealed.push(rows);
            return None;
        }
        let (left, gone): (Vec<u32>, Vec<u32>) =
            (0..rows.len() as u32).partition(|&row| rows.times.admitted(row as usize, upper));
        if left.is_empty() {
            sealed.push(rows);
            return None;
        }
        sealed.push(rows.gathered(&gone));
        Some(Run::new(rows.gathered(&left)))
    }
}

/// Updates that are in advance of the last `upper`.
pub(super) struct Later<L: Layout> {
    /// By descending length, each at least twice as long as the next.
    runs: Vec<Run<L>>,
}

impl<L: Layout> Default for Later<L> {
    fn default() -> Self {
        Later { runs: Vec::new() }
    }
}

impl<L: Layout> Later<L> {
    /// Lowers a frontier to all times of these updates.
    pub(super) fn lower_into(&self, frontier: &mut Frontier<L::Time>) {
        self.runs.iter().for_each(|run| frontier.extend(&run.lower));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    #[cfg(test)]
    pub(super) fn rows(&self) -> usize {
        self.runs.iter().map(|run| run.rows.len()).sum()
    }

    /// Moves the updates that are not in advance of `upper` into `sealed`.
    pub(super) fn take(
        &mut self,
        upper: &Frontier<L::Time>,
        sealed: &mut Vec<Keyed<L>>,
    ) -> Result<(), OverflowAt<L::Time>> {
        let reached = |run: &mut Run<L>| !upper.precedes(&run.lower);
        let reached: Vec<Run<L>> = self.runs.extract_if(.., reached).collect();
        let rests = reached.into_iter().filter_map(|run| run.split(upper, sealed)).map(|rest| rest.rows).collect();
        self.add(rests)
    }

    /// Adds updates that are in advance of the last `upper`.
    pub(super) fn add(&mut self, rests: Vec<Keyed<L>>) -> Result<(), OverflowAt<L::Time>> {
        if rests.is_empty() {
            return Ok(());
        }
        let rows = consolidated(rests)?;
        let mut end = rows.len();
        if end > SHORT && rows.times.uniform().is_none() {
            let mut order: Vec<u32> = (0..end as u32).collect();
            order.sort_unstable_by(|&a, &b| rows.times.compare(a as usize, &rows.times, b as usize));
            while end > 0 {
                let start = if end > SHORT { end / 4 } else { 0 };
                self.insert(rows.gathered(&order[start..end]))?;
                end = start;
            }
            Ok(())
        } else {
            self.insert(rows)
        }
    }

    /// Puts a run in its place, and adds up any that are of like length.
    fn insert(&mut self, rows: Keyed<L>) -> Result<(), OverflowAt<L::Time>> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut at = self.runs.partition_point(|run| run.rows.len() > rows.len());
        self.runs.insert(at, Run::new(rows));
        loop {
            let like = |longer: usize| {
                longer + 1 < self.runs.len() && self.runs[longer].rows.len() < 2 * self.runs[longer + 1].rows.len()
            };
            let longer = if like(at) {
                at
            } else if at > 0 && like(at - 1) {
                at - 1
            } else {
                return Ok(());
            };
            let rows = consolidated(self.runs.drain(longer..longer + 2).map(|run| run.rows).collect())?;
            if rows.is_empty() {
                return Ok(());
            }
            at = self.runs.partition_point(|run| run.rows.len() > rows.len());
            self.runs.insert(at, Run::new(rows));
        }
    }
}
