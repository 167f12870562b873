//! Runs a program in a way, and compares what it says with the oracle: after every commit, at every complete time.
//!
//! What is checked, and of what:
//!
//! - **capture**: its updates add up to the oracle's bag at each time that is complete; no update comes at a time that an
//!   earlier frontier said to be complete; its frontier is that of the commit, or one past it.
//! - **probe**: agrees that these times are complete.
//! - **output**: snapshots at the times that the last commit completed are the oracle's bags, and others are refused.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use differential::collection::{Collection, Probe, Session};
use differential::column::Data;
use differential::operators::capture::{Capture, Captured};
use differential::operators::output::Output;
use differential::time::{Frontier, Point};
use differential::trace::ReadError;
use differential::{Config, Worker, run_alone};

use crate::bags::{Bag, History, Pair, accumulate};
use crate::grid::Grid;
use crate::patience::in_time;
use crate::ways::{Arrival, Way};

/// Keeps handles on arrangements while the program runs, or drops them at once, as the way of running has it.
pub struct Kept {
    handles: Option<Vec<Box<dyn Any>>>,
}

impl Kept {
    /// Keeps none.
    pub fn none() -> Self {
        Kept { handles: None }
    }

    /// Takes a handle.
    pub fn keep(&mut self, handle: impl Any) {
        if let Some(handles) = &mut self.handles {
            handles.push(Box::new(handle));
        }
    }
}

/// An oracle out of a function of the inputs' bags.
pub fn recompute<D>(function: impl Fn(&[Bag<Pair>]) -> Bag<D>) -> impl Fn(&[History<Pair>], &Point) -> Bag<D> {
    move |histories, at| {
        let bags: Vec<_> = histories.iter().map(|history| accumulate(history, at)).collect();
        function(&bags)
    }
}

/// A program under test. What runs and watches it is compiled once for all programs of a result.
type Program<D> = dyn Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Send + Sync;

/// Checks a program in every one of `ways`; `what` is part of the message if one fails.
#[track_caller]
pub fn check_all<D: Data + Debug>(
    what: impl Debug,
    grid: &Grid,
    ways: &[Way],
    inputs: &[History<Pair>],
    program: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<D>,
) {
    let program: Arc<Program<D>> = Arc::new(program);
    for way in ways {
        checked(&what, grid, way, inputs, Arc::clone(&program), &|histories, at| oracle(histories, at));
    }
}

/// Checks a program: run in this way on these inputs, it says what the oracle says. Answers the updates that it made.
#[track_caller]
pub fn check<D: Data + Debug>(
    what: impl Debug,
    grid: &Grid,
    way: &Way,
    inputs: &[History<Pair>],
    program: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<D>,
) -> History<D> {
    checked(&what, grid, way, inputs, Arc::new(program), &oracle)
}

#[track_caller]
fn checked<D: Data + Debug>(
    what: &dyn Debug,
    grid: &Grid,
    way: &Way,
    inputs: &[History<Pair>],
    program: Arc<Program<D>>,
    oracle: &dyn Fn(&[History<Pair>], &Point) -> Bag<D>,
) -> History<D> {
    let expected = grid.times().into_iter().map(|time| (time.clone(), oracle(inputs, &time))).collect();
    let _context = Context { what, way, inputs };
    let outcome = in_time(format!("{what:?} in the way: {way:?}"), || run(grid, way, inputs, program, &expected));
    outcome.unwrap_or_else(|complaint| panic!("{complaint}"))
}

/// Says what was being checked, if that ends in a panic: one of the check, or one of the engine.
struct Context<'a> {
    what: &'a dyn Debug,
    way: &'a Way,
    inputs: &'a [History<Pair>],
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("claim {:?}\nin the way: {:?}\ninputs {:?}", self.what, self.way, self.inputs);
        }
    }
}

/// The ends of the program that are watched.
struct Watched<D: Data> {
    capture: Capture<D>,
    output: Output<D>,
    probe: Probe,
    /// What capture has said so far.
    updates: History<D>,
    frontier: Frontier<Point>,
    /// The output's frontier after the last commit.
    readable: Frontier<Point>,
}

fn run<D: Data + Debug>(
    grid: &Grid,
    way: &Way,
    inputs: &[History<Pair>],
    program: Arc<Program<D>>,
    expected: &BTreeMap<Point, Bag<D>>,
) -> Result<History<D>, String> {
    let config = Config::workers(way.workers).input_coordinates(grid.coordinates());
    let config = way.step_fuel.into_iter().fold(config, Config::step_fuel);
    let all: Vec<(usize, (Pair, Point, i64))> = inputs
        .iter()
        .enumerate()
        .flat_map(|(input, history)| history.iter().map(move |update| (input, update.clone())))
        .collect();
    let feed = way.feed(&all.iter().map(|(_, (_, time, _))| time).collect::<Vec<_>>());
    let plan = Feeding { way: way.clone(), inputs: inputs.len(), all, feed, expected: expected.clone() };
    if way.workers == 1 {
        return run_alone(config, |worker| plan.run(worker, &*program));
    }
    let said =
        differential::run(config, move |worker| plan.run(worker, &*program).map_err(differential::Error::Unreadable));
    said.map(|said| said.into_iter().flatten().collect()).map_err(|error| error.to_string())
}

/// What is fed when, on which worker, and what is expected: the same plan on all workers.
struct Feeding<D> {
    way: Way,
    inputs: usize,
    all: Vec<(usize, (Pair, Point, i64))>,
    feed: Vec<Vec<usize>>,
    expected: BTreeMap<Point, Bag<D>>,
}

impl<D: Data + Debug> Feeding<D> {
    /// What the first worker saw; others see nothing.
    fn run(&self, worker: &mut Worker<'_>, program: &Program<D>) -> Result<History<D>, String> {
        let Feeding { way, all, .. } = self;
        let mut kept = Kept { handles: way.handles_kept.then(Vec::new) };
        let built = worker.dataflow(|scope| {
            let (sessions, collections): (Vec<Session<Pair>>, Vec<Collection<Pair>>) =
                (0..self.inputs).map(|input| scope.input(&format!("input {input}"))).unzip();
            let result = program(&collections, &mut kept).gather();
            let (capture, output, probe) = (result.capture(), result.output(), result.probe());
            let (frontier, readable) = (Frontier::minimum(), Frontier::minimum());
            (sessions, Watched { capture, output, probe, updates: Vec::new(), frontier, readable })
        });
        let (mut sessions, mut watched) = built.map_err(|error| error.to_string())?;
        let here = worker.index();
        if way.leaves_early(here) {
            return Ok(History::new());
        }
        let mut steps = way.steps_of(here).into_iter();
        let mut some_steps = |worker: &mut Worker<'_>| {
            let count = steps.next().expect("one for each commit, and one at the end");
            (0..count).try_for_each(|_| worker.step().map(|_| ())).map_err(|error| error.to_string())
        };
        for (frontier, updates) in way.frontiers.iter().zip(&self.feed) {
            let mine = updates.iter().filter(|&update| way.feeder(*update) == here);
            for (count, update) in mine.enumerate() {
                let (input, (pair, time, diff)) = &all[*update];
                let fed = sessions[*input].update_at(*pair, time.clone(), *diff);
                fed.map_err(|error| error.to_string())?;
                let alone = match way.arrival {
                    Arrival::InTime | Arrival::Ahead => false,
                    Arrival::OneByOne => true,
                    Arrival::Scattered(_) => count % 3 == 0,
                };
                if alone {
                    sessions[*input].flush();
                    worker.step().map_err(|error| error.to_string())?;
                }
            }
            some_steps(worker)?;
            let moving: Vec<&mut Session<Pair>> = sessions.iter_mut().collect();
            worker.commit_to(frontier.clone(), moving).map_err(|error| error.to_string())?;
            if here == 0 {
                watched.compare(frontier, &self.expected, way.workers == 1)?;
            }
        }
        some_steps(worker)?;
        Ok(watched.updates)
    }
}

impl<D: Data + Debug> Watched<D> {
    /// Compares everything after a commit that moved to `committed`. `alone`, all ends are equally far; among several
    /// workers one may know more than another of what comes after the commit.
    fn compare(
        &mut self,
        committed: &Frontier<Point>,
        expected: &BTreeMap<Point, Bag<D>>,
        alone: bool,
    ) -> Result<(), String> {
        self.take()?;
        let (after, probe, output) = (&self.frontier, self.probe.frontier(), self.output.frontier());
        let far_enough = [after, &probe, &output].iter().all(|end| committed.precedes(end));
        if !far_enough || (alone && (probe != *after || output != *after)) {
            return Err(format!(
                "after {committed:?}, capture is at {after:?}, probe at {probe:?}, output at {output:?}"
            ));
        }
        for (time, bag) in expected.iter().filter(|(time, _)| !after.admits(time)) {
            let said = accumulate(&self.updates, time);
            if said != *bag {
                return Err(format!(
                    "at {time:?}, after the commit to {committed:?}: captured {said:?}, expected {bag:?}"
                ));
            }
        }
        let (before, after) = (std::mem::replace(&mut self.readable, output.clone()), &output);
        for (time, bag) in expected {
            let snapshot = self.output.snapshot(time.clone()).map(|rows| rows.into_iter().collect::<Bag<D>>());
            let right = match &snapshot {
                Ok(rows) => !after.admits(time) && rows == bag,
                Err(ReadError::NotYet { .. }) => after.admits(time),
                Err(ReadError::Compacted { .. }) => !before.admits(time),
                Err(_) => false,
            };
            if !right {
                return Err(format!("at {time:?}, from {before:?} to {after:?}: {snapshot:?}, expected {bag:?}"));
            }
        }
        Ok(())
    }

    /// Takes what capture has seen, and checks that it kept its word.
    fn take(&mut self) -> Result<(), String> {
        for event in self.capture.take() {
            match event {
                Captured::Frontier(frontier) if self.frontier.precedes(&frontier) => self.frontier = frontier,
                Captured::Frontier(frontier) => {
                    return Err(format!("capture went back from {:?} to {frontier:?}", self.frontier));
                }
                Captured::Updates(updates) => {
                    if let Some(late) = updates.iter().find(|(_, time, _)| !self.frontier.admits(time)) {
                        return Err(format!("capture was at {:?}, then came {late:?}", self.frontier));
                    }
                    self.updates.extend(updates);
                }
            }
        }
        Ok(())
    }
}
