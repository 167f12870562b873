//! The loop over keys with work due; it exists once.
//!
//! A *round* takes everything that came and everything owed that is complete at the input's present frontier, goes
//! through its keys in order, and ends as one batch of corrections. A round may be stopped between two keys when fuel
//! runs out. It holds the times that are due while it lasts, and what comes meanwhile waits for the next one.
//!
//! Compaction: both traces may forget what can't be told apart at or past the frontier met with the times still owed
//! (with fuel, owed times may be long due; without the meet a correction can feed itself for ever).

use std::ops::Range;
use std::sync::Arc;

use super::due::{Due, Subject};
use super::gather::{Few, History, gather, gather_at};
use super::interned::Interned;
use super::moot::{Absorbs, Moot};
use super::owed::Owed;
use crate::batch::Batch;
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diff;
use crate::error::{Fault, Overflow, Reason};
use crate::history::{Edit, Edits, Engine, KeyWork, Replaying};
use crate::layout::{Key, KeyShape, Keys, Layout, Rows, Val, ValShape, Vals};
use crate::operators::arrange::{Arranged, Reader, Writing, arranged};
use crate::region::{Fuel, Node, SlotRule, Visit};
use crate::time::{Frontier, Point};
use crate::trace::{Position, TraceHandle};
use crate::updates::Keyed;

/// Keys that are searched for at once.
const CHUNK_KEYS: usize = 1 << 12;

/// The user's function, of any type: a node is large, and its key loop is compiled once for all functions of the same
/// types. A call costs nothing beside what leads to it.
type Logic<L, V2, R2> =
    Box<dyn FnMut(Key<'_, L>, &[(Val<'_, L>, <L as Layout>::Diff)], &mut Vec<(V2, R2)>) -> Result<(), Reason>>;

/// Where subjects are rows: their values, as those of the result's rows, which are the same.
pub(super) type ByRow<L, V2> = fn(&Vals<L>) -> &<V2 as Data>::Column;

/// The values of rows that are due, as those of the result's rows; `None` where subjects are keys.
pub(super) type AsResults<'a, V2> = Option<&'a <V2 as Data>::Column>;

/// Adds a reduce node, whose subjects are keys, or rows; and which results take in what.
pub(super) fn reduce<L: Layout<Time = Point>, V2: Data, R2: Diff>(
    source: &Arranged<L>,
    name: &str,
    (by_row, absorbs): (Option<ByRow<L, V2>>, Option<Absorbs<L, V2>>),
    shapes: (KeyShape<L>, ShapeOf<V2>),
    logic: Logic<L, V2, R2>,
) -> Arranged<Rows<L::Key, V2, Point, R2>> {
    let scope = source.scope();
    let node = scope.region().reserve(name, scope.depth(), SlotRule::Meet);
    let input = source.reader(node);
    let by_row = by_row.map(|as_result| (source.shapes.1.clone(), as_result));
    arranged(scope, node, shapes.clone(), |writing: Writing<Rows<L::Key, V2, Point, R2>>| Reduce {
        input,
        results: writing.reader(),
        writing,
        shapes,
        by_row,
        absorbs,
        arrived: Vec::new(),
        arrived_times: Frontier::empty(),
        owed: Owed::new(),
        round: None,
        engine: Replaying::default(),
        scratch: Scratch::default(),
        logic,
    })
}

struct Reduce<L: Layout<Time = Point>, V2: Data, R2: Diff> {
    input: Reader<L>,
    /// The history of what this node wrote.
    results: TraceHandle<Rows<L::Key, V2, Point, R2>>,
    writing: Writing<Rows<L::Key, V2, Point, R2>>,
    shapes: (KeyShape<L>, ShapeOf<V2>),
    /// If the subjects are rows: the shape of their values.
    by_row: Option<(ValShape<L>, ByRow<L, V2>)>,
    absorbs: Option<Absorbs<L, V2>>,
    /// Batches that no round has taken up yet, and their least times: those are held, or the node's slot would pass them
    /// while a round lasts.
    arrived: Vec<Arc<Batch<L>>>,
    arrived_times: Frontier<Point>,
    owed: Owed<Subject<L>>,
    round: Option<Round<L, V2, R2>>,
    engine: Replaying<Point, L::Diff, R2>,
    scratch: Scratch<L::Diff, V2, R2>,
    logic: Logic<L, V2, R2>,
}

/// What is worked out for one key after the other. Kept for its buffers; what is in it means nothing between keys.
struct Scratch<R: Diff, V2: Data, R2: Diff> {
    /// The input's history, and the output's.
    edits: Edits<Point, R>,
    results_edits: Edits<Point, R2>,
    due: Frontier<Point>,
    later: Frontier<Point>,
    /// Corrections as the engine finds them, and their order as a batch wants them.
    found: Edits<Point, R2>,
    order: Vec<usize>,
    /// What the user's logic makes.
    made: Vec<(V2, R2)>,
    interned: Interned<V2>,
}

impl<R: Diff, V2: Data, R2: Diff> Default for Scratch<R, V2, R2> {
    fn default() -> Self {
        Scratch {
            edits: Edits::default(),
            results_edits: Edits::default(),
            due: Frontier::empty(),
            later: Frontier::empty(),
            found: Edits::default(),
            order: Vec::new(),
            made: Vec::new(),
            interned: Interned::default(),
        }
    }
}

/// What is due in one interval, and how far it has come.
struct Round<L: Layout<Time = Point>, V2: Data, R2: Diff> {
    upper: Frontier<Point>,
    /// The least times due: corrections are in advance of them. (The interval's lower would not do as a hold: the node's
    /// slot may have passed it, as time may pass without work.)
    times: Frontier<Point>,
    due: Due<L>,
    /// The next key to look at, by its row among those due.
    at: usize,
    /// The rows of subjects that were searched for, and how many of those that are not moot were looked at.
    chunk: Range<usize>,
    looked: usize,
    moot: Option<Moot<L, V2>>,
    input: History<L>,
    results: History<Rows<L::Key, V2, Point, R2>>,
    corrections: Keyed<Rows<L::Key, V2, Point, R2>>,
}

impl<L: Layout<Time = Point>, V2: Data, R2: Diff> Node for Reduce<L, V2, R2> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(span) = self.input.spans.next() {
            if let Some(batch) = span.batch {
                self.arrived_times.extend(&self.input.least_times(&batch));
                self.arrived.push(batch);
            }
        }
        while let Some(mut round) = self.round.take().or_else(|| self.open(visit.frontier(0))) {
            if !self.work(&mut round, visit.fuel)? {
                self.round = Some(round);
                visit.again();
                break;
            }
            self.end(round.upper, Batch::new(round.corrections), visit)?;
        }
        // Mostly time passes and nothing is due.
        if self.round.is_none() && visit.frontier(0) != self.writing.upper() {
            self.accept();
            self.end(visit.frontier(0).clone(), None, visit)?;
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        if let Some(round) = &self.round {
            holds.extend(&round.times);
        }
        holds.extend(&self.arrived_times);
        self.input.spans.holds(holds);
        self.owed.holds(holds);
    }

    fn upkeep(&mut self, fuel: &mut Fuel) -> Result<bool, Fault> {
        Ok(self.writing.upkeep(fuel)?)
    }
}

impl<L: Layout<Time = Point>, V2: Data, R2: Diff> Reduce<L, V2, R2> {
    /// Holds the input as it is now.
    fn accept(&self) -> Position {
        let position = self.input.trace.newest();
        self.input.trace.hold_position(position);
        position
    }

    /// Ends the interval up to `upper`, and holds what is still needed.
    fn end(
        &mut self,
        upper: Frontier<Point>,
        corrections: Option<Batch<Rows<L::Key, V2, Point, R2>>>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Fault> {
        if self.writing.write(&upper, corrections)? {
            visit.rest();
        }
        let mut hold = upper;
        self.owed.holds(&mut hold);
        self.input.hold_times(&hold);
        self.results.hold_times(&hold);
        self.results.hold_position(self.results.newest());
        Ok(())
    }

    /// Takes up what came and what came due; `None` if there is nothing.
    fn open(&mut self, upper: &Frontier<Point>) -> Option<Round<L, V2, R2>> {
        if self.arrived.is_empty() && !self.owed.is_due(upper) {
            return None;
        }
        let fresh = std::mem::take(&mut self.arrived);
        let owed = self.owed.take_due(upper);
        let mut times = Frontier::empty();
        for (_, time) in &owed {
            if !times.admits(time) {
                times.insert(time.clone());
            }
        }
        times.extend(&self.arrived_times);
        self.arrived_times.clear();
        let input = self.input.trace.read(self.accept()).expect("a held position can be read");
        let results = self.results.read(self.results.newest()).expect("as above");
        let shapes = (&self.shapes.0, self.by_row.as_ref().map(|(vals, _)| vals));
        let as_of = self.input.spans.as_of.clone();
        let absorbs = self.absorbs.clone().filter(|_| as_of.is_none());
        let due = Due::new(shapes, fresh, owed, as_of);
        Some(Round {
            upper: upper.clone(),
            times,
            at: 0,
            chunk: 0..0,
            looked: 0,
            moot: absorbs.and_then(|absorbs| Moot::new(absorbs, shapes, &due, &input)),
            due,
            input: History::new(input),
            results: History::new(results),
            corrections: Keyed::empty(&self.shapes.0, &self.shapes.1),
        })
    }

    /// Goes through the round's keys until fuel is spent; true if it is done.
    fn work(&mut self, round: &mut Round<L, V2, R2>, fuel: &mut Fuel) -> Result<bool, Fault> {
        let Round { upper, due: work_due, at, chunk, looked, moot, input, results, corrections, .. } = round;
        let Scratch { edits, results_edits, due, later, found, order, made, interned } = &mut self.scratch;
        while *at < work_due.keys.len() {
            if *at == chunk.end {
                *chunk = *at..work_due.keys.len().min(*at + CHUNK_KEYS);
                *looked = 0;
                let as_results = as_results::<L, V2>(&self.by_row, work_due);
                results.find(&work_due.keys, as_results, chunk.clone());
                if let Some(moot) = moot {
                    let (keys, vals) = moot.sift(work_due, chunk.clone(), results, as_results);
                    input.find(keys, vals, 0..keys.len());
                } else {
                    input.find(&work_due.keys, work_due.vals.as_ref(), chunk.clone());
                }
            }
            // These borrow from batches, so they last as long as a chunk's positions.
            let (mut values, mut results_values, mut group) = (Few::new(), Few::new(), Few::new());
            while *at < chunk.end {
                if fuel.spent() {
                    return Ok(false);
                }
                let number = *at - chunk.start;
                if moot.as_ref().is_some_and(|moot| moot.is(number)) {
                    work_due.skip(*at);
                    *at += 1;
                    fuel.take(1);
                    continue;
                }
                work_due.take(*at, due);
                let subject @ (key, val) = work_due.subject(*at);
                let result = (key, as_results::<L, V2>(&self.by_row, work_due).map(|vals| vals.get(*at)));
                // Nearly always one time is due, and what else there is comes after `upper`: so it is in a loop, where a
                // key is due once a round. Else histories are taken up edit by edit.
                let mut alone = match due.elements() {
                    [time] if !upper.admits(time) => Some(time),
                    _ => None,
                };
                let mut read = 0;
                if let Some(time) = alone {
                    let (present, is) = self.engine.present();
                    let overflowed = |overflow: Overflow| Fault::from(overflow).at(time.clone());
                    read +=
                        gather_at(input, *looked, subject, time, &mut values, present, later).map_err(overflowed)?;
                    read +=
                        gather_at(results, number, result, time, &mut results_values, is, later).map_err(overflowed)?;
                    if !later.elements().iter().all(|later| upper.admits(later)) {
                        later.clear();
                        alone = None;
                    }
                }
                let floor = || due.meet().expect("a key is looked at for a due time");
                if alone.is_none() {
                    let floor = floor();
                    gather(input, *looked, subject, &floor, &mut values, edits);
                    gather(results, number, result, &floor, &mut results_values, results_edits);
                    read += edits.len() + results_edits.len();
                }
                *at += 1;
                *looked += 1;
                fuel.take(1 + read as u64);
                interned.clear();
                let mut failed = None;
                let logic = &mut self.logic;
                let mut evaluate = |time: &Point, counts: &[(u32, L::Diff)], output: &mut Vec<(u32, R2)>| {
                    if counts.is_empty() {
                        return Ok(());
                    }
                    group.clear();
                    group.extend(counts.iter().map(|(rank, count)| (values[*rank as usize], count.clone())));
                    if let Err(reason) = logic(key, &group, made) {
                        failed = Some(Fault::from(reason).at(time.clone()));
                        return Err(Overflow);
                    }
                    for (value, count) in made.drain(..) {
                        output.push((interned.rank(value, &results_values), count));
                    }
                    Ok(())
                };
                let corrected = match alone {
                    Some(time) => self.engine.correct_present(time, &mut evaluate, found),
                    None => {
                        let work = KeyWork { input: edits, output: results_edits, due, upper };
                        self.engine.correct(work, &mut evaluate, found, later)
                    }
                };
                if let Err(overflow) = corrected {
                    // A sum of counts says no time: nothing went wrong before the floor.
                    return Err(failed.unwrap_or_else(|| Fault::from(overflow).at(floor())));
                }
                for time in later.elements() {
                    self.owed.owe((Keys::<L>::owned(key), val.map(Vals::<L>::owned)), time);
                }
                later.clear();

                // Corrections come by time; a batch wants them by value, then by time.
                let value = |edit: &Edit<Point, R2>| interned.value(edit.rank, &results_values);
                order.clear();
                order.extend(0..found.len());
                if order.len() > 1 {
                    order.sort_unstable_by_key(|&at| (value(&found.as_slice()[at]), at));
                }
                for edit in order.iter().map(|&at| &found.as_slice()[at]) {
                    corrections.push(key, value(edit), &edit.time, edit.diff.clone());
                }
                found.clear();
            }
        }
        Ok(true)
    }
}

/// The values of subjects, as those of the result's rows.
fn as_results<'a, L: Layout<Time = Point>, V2: Data>(
    by_row: &Option<(ValShape<L>, ByRow<L, V2>)>,
    due: &'a Due<L>,
) -> AsResults<'a, V2> {
    by_row.as_ref().zip(due.vals.as_ref()).map(|((_, as_results), vals)| as_results(vals))
}
