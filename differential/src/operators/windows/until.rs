//! Rows until their deadline.
//!
//! ```text
//!   rows, each with a deadline ──┬── deadline past the watermark ──> passed ──> kept by deadline ──┐
//!                                └── reached by it ──> refused                                      │
//!   rises of the watermark ───────────────────────────────────────────> reached: expired, as retractions
//! ```
//!
//! Times are taken one after the other, each once both inputs have passed it: then the watermark at it is known. It rises;
//! what it reaches is retracted, at that time; and the time's own changes are judged.
//!
//! What is kept is kept in a batcher whose times are deadlines: it gives out, sorted and added up, what lies before a
//! frontier, and reads little of what lies after. So a row that goes before its deadline cancels there, and what expires
//! at once is sorted on the fuel of several visits.
//!
//! Invariants: `passed` and `expired` add up to the rows whose deadline is past the watermark; `passed` and `refused` to
//! all rows. A deadline is a function of the row. The least time waiting is held.
//! Cost: a row is copied once where it is kept, and moved as `batcher` says. Why not one output less: who wants only
//! the changes that came in time wants no memory behind them.

use std::collections::BTreeMap;

use super::watermark::Watermark;
use crate::collection::{Changes, Collection};
use crate::column::{Column, Data, Lent};
use crate::error::{Fault, Overflow};
use crate::layout::Rows;
use crate::operators::collecting::Collecting;
use crate::region::{Input, Node, Output, SlotRule, Visit};
use crate::time::{Frontier, Lanes, Point, TimeColumn};
use crate::updates::{Keyed, Updates};

/// Units of fuel for a row that is judged: a look, a copy to those kept, another to send.
const ROW_UNITS: u64 = 4;

/// Rows that passed wait, unsorted, until there are so many of them or the first of their deadlines is reached: what a
/// batcher is given between two of its seals, it sorts. Fewer in tests.
const FRESH_ROWS: usize = if cfg!(test) { 16 } else { 1 << 12 };

/// What becomes of rows with deadlines.
pub(super) struct Until<D: Data> {
    /// Changes whose row's deadline was past the watermark of their time.
    pub(super) passed: Collection<D>,
    /// All other changes.
    pub(super) refused: Collection<D>,
    /// What passed, retracted once its deadline is reached; never if it is not to be kept.
    pub(super) expired: Collection<D>,
}

/// Adds a node that lets rows pass until their deadline, and keeps them to take them back then, if so asked.
pub(super) fn until<D: Data>(
    name: &str,
    rows: &Collection<D>,
    watermark: &Watermark,
    keeps: bool,
    deadline: impl FnMut(Lent<'_, D>) -> Option<u64> + 'static,
) -> Until<D> {
    let scope = rows.scope();
    let region = scope.region();
    let node = region.reserve(name, scope.depth(), SlotRule::Meet);
    let input = region.connect(node, &rows.stream);
    let rises = region.connect(node, &watermark.rises);
    let [(passed, passed_stream), (refused, refused_stream), (expired, expired_stream)] =
        [(); 3].map(|()| region.output(node));
    region.install(
        node,
        Judge {
            rows: input,
            rises,
            waiting: BTreeMap::new(),
            present: None,
            watermark: 0,
            lateness: watermark.lateness,
            kept: keeps.then(Collecting::new),
            fresh: Updates::empty(&rows.shape),
            first_deadline: u64::MAX,
            passed,
            refused,
            expired,
            deadline,
        },
    );
    let part = |stream| Collection { stream, ..rows.clone() };
    // What expires comes sorted and added up, each row once.
    let expired = Collection { settled: true, ..part(expired_stream) };
    Until { passed: part(passed_stream), refused: part(refused_stream), expired }
}

struct Judge<D: Data, F> {
    rows: Input<Changes<D, i64>>,
    rises: Input<Changes<u64, i64>>,
    /// What came at times that are not complete yet.
    waiting: BTreeMap<Point, Moment<D>>,
    /// The time that is being worked off, and what is left of it.
    present: Option<(Point, Moment<D>)>,
    /// As of the time worked off last.
    watermark: u64,
    lateness: u64,
    /// What passed, negated, at the times of deadlines.
    kept: Option<Collecting<Rows<D, (), Point, i64>>>,
    /// Of that, what was not given to `kept` yet, and its least deadline.
    fresh: Changes<D, i64>,
    first_deadline: u64,
    passed: Output<Changes<D, i64>>,
    refused: Output<Changes<D, i64>>,
    expired: Output<Changes<D, i64>>,
    deadline: F,
}

/// What came at one time.
struct Moment<D: Data> {
    /// The greatest event time.
    greatest: u64,
    changes: Vec<Changes<D, i64>>,
}

impl<D: Data> Default for Moment<D> {
    fn default() -> Self {
        Moment { greatest: 0, changes: Vec::new() }
    }
}

impl<D: Data, F: FnMut(Lent<'_, D>) -> Option<u64> + 'static> Node for Judge<D, F> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(updates) = self.rows.next() {
            self.await_time(updates);
        }
        while let Some(rises) = self.rises.next() {
            for row in 0..rises.len() {
                let moment = self.waiting.entry(rises.times.get(row)).or_default();
                moment.greatest = moment.greatest.max(rises.data[row]);
            }
        }
        while let Some((time, mut moment)) = self.present.take().or_else(|| self.next_complete(visit)) {
            if !self.work_off(&time, &mut moment, visit)? {
                self.present = Some((time, moment));
                visit.again();
                break;
            }
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        let first = self.present.as_ref().map(|(time, _)| time).or_else(|| self.waiting.keys().next());
        if let Some(time) = first {
            holds.insert(time.clone());
        }
    }
}

impl<D: Data, F: FnMut(Lent<'_, D>) -> Option<u64> + 'static> Judge<D, F> {
    /// Puts updates where those of their times wait.
    fn await_time(&mut self, updates: Changes<D, i64>) {
        if let Some(time) = updates.times.uniform() {
            return self.waiting.entry(time).or_default().changes.push(updates);
        }
        let mut rows = BTreeMap::<Point, Vec<u32>>::new();
        (0..updates.len() as u32).for_each(|row| rows.entry(updates.times.get(row as usize)).or_default().push(row));
        for (time, rows) in rows {
            self.waiting.entry(time).or_default().changes.push(updates.gather(&rows));
        }
    }

    /// The least time at which something waits, if nothing more comes there.
    fn next_complete(&mut self, visit: &Visit<'_>) -> Option<(Point, Moment<D>)> {
        let entry = self.waiting.first_entry()?;
        let complete = (0..2).all(|input| !visit.frontier(input).admits(entry.key()));
        complete.then(|| entry.remove_entry())
    }

    /// Does what a time asks for, until fuel is spent; whether all is done.
    fn work_off(&mut self, time: &Point, moment: &mut Moment<D>, visit: &mut Visit<'_>) -> Result<bool, Fault> {
        self.watermark = self.watermark.max(moment.greatest.saturating_sub(self.lateness));
        if !self.expire(time, visit)? {
            return Ok(false);
        }
        while let Some(updates) = moment.changes.pop() {
            visit.fuel.take(ROW_UNITS * updates.len() as u64);
            self.judge(time, updates)?;
            if visit.fuel.spent() && !moment.changes.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Retracts what the watermark has reached; whether that is all.
    fn expire(&mut self, time: &Point, visit: &mut Visit<'_>) -> Result<bool, Fault> {
        let Some(kept) = &mut self.kept else { return Ok(true) };
        if !self.fresh.is_empty() && (self.first_deadline <= self.watermark || self.fresh.len() >= FRESH_ROWS) {
            let shape = self.fresh.data.shape();
            kept.push(Keyed::by_self(std::mem::replace(&mut self.fresh, Updates::empty(&shape))));
            self.first_deadline = u64::MAX;
        }
        let reached = self.watermark.checked_add(1).map_or(Frontier::empty(), |end| Frontier::from(Point::from(end)));
        let expired = kept.rows_before(&reached, visit, |rows, _, _| {
            let (keys, vals) = rows.shapes();
            let Keyed { keys: data, diffs, .. } = std::mem::replace(rows, Keyed::empty(&keys, &vals));
            let mut times = Lanes::default();
            times.push_repeat(time, diffs.len());
            self.expired.send(Updates { data, times, diffs });
            Ok(())
        });
        // Among those kept, times are deadlines.
        expired.map_err(|fault| fault.at(time.clone()))?;
        Ok(kept.is_done())
    }

    /// Sends changes of one time where they belong.
    fn judge(&mut self, time: &Point, updates: Changes<D, i64>) -> Result<(), Fault> {
        let (mut passing, mut refused) = (Vec::new(), Vec::new());
        let mut ending = Vec::new();
        for row in 0..updates.len() as u32 {
            match (self.deadline)(updates.data.get(row as usize)) {
                Some(deadline) if deadline <= self.watermark => {
                    refused.push(row);
                    continue;
                }
                Some(deadline) if self.kept.is_some() => {
                    ending.push(row);
                    self.fresh.times.push(&Point::from(deadline));
                    self.first_deadline = self.first_deadline.min(deadline);
                }
                _ => {}
            }
            passing.push(row);
        }
        self.fresh.data.extend_gather(&updates.data, &ending);
        for row in ending {
            let removed = updates.diffs.get(row as usize).checked_neg();
            self.fresh.diffs.push(removed.ok_or_else(|| Fault::from(Overflow).at(time.clone()))?);
        }
        if refused.is_empty() {
            self.passed.send(updates);
            return Ok(());
        }
        self.refused.send(updates.gather(&refused));
        if !passing.is_empty() {
            self.passed.send(updates.gather(&passing));
        }
        Ok(())
    }
}
