//! A dataflow fed tick by tick, phase by phase.
//!
//! ```text
//!   for each phase:   clock starts
//!                     for each tick:  feed its rows, commit (which runs until the result is up to date)
//!                     clock stops; a line: seconds, memory, digest
//! ```
//!
//! Building the dataflow belongs to no phase. The digest is kept as changes of the result pass; that of an arrangement is
//! taken once the clock has stopped.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use differential::collection::{Collection, Scope, Session};
use differential::column::{Data, Lent, ShapeOf};
use differential::time::{Frontier, Point};
use differential::{Config, run_alone};

use crate::digest::Digest;
use crate::plan::{Plan, Rounds, Tick};
use crate::report::{Clock, Line};
use crate::rows::{Row, RowFile};
use crate::trouble::Trouble;

/// A workload as it stands in a folder, and who is told of each phase.
pub struct Job<'a> {
    /// Where its rows are.
    pub folder: &'a Path,
    /// What to do.
    pub plan: &'a Plan,
    /// Told each phase's line when it ends.
    pub tell: &'a mut dyn FnMut(&Line),
}

/// A digest that is kept up to date as changes pass.
#[derive(Clone, Default)]
struct Total(Rc<Cell<u64>>);

impl Total {
    fn add(&self, hash: u64, diff: i64) {
        self.0.set(self.0.get().wrapping_add(hash.wrapping_mul(diff as u64)));
    }

    /// Adds up what `hash` makes of each row of a collection and its time.
    fn watch<D: Data>(&self, rows: &Collection<D>, hash: impl Fn(Lent<'_, D>, &Point) -> u64 + 'static) {
        let total = self.clone();
        rows.inspect(move |row, time, diff| total.add(hash(row, time), *diff));
    }
}

/// An input: its session, and the file that its rows come from.
struct Source<R: Row> {
    input: usize,
    session: Session<R>,
    rows: RowFile<R>,
}

impl<R: Row> Source<R> {
    fn open(job: &Job<'_>, input: usize, session: Session<R>) -> Result<Self, Trouble> {
        let columns = job.plan.inputs.get(input).ok_or(Trouble::Columns(input))?;
        if columns != R::KINDS {
            return Err(Trouble::Columns(input));
        }
        Ok(Source { input, session, rows: RowFile::open(&job.folder.join(format!("{input}.bin")))? })
    }

    /// Feeds this input's rows of a tick that begins at `start`.
    fn feed(&mut self, tick: &Tick, start: u64) -> Result<(), Trouble> {
        for _ in 0..tick.rows[self.input] {
            let change = self.rows.read()?;
            // A tick of one instant begins at the session's present epoch.
            match tick.span {
                1 => self.session.update(change.row, change.diff),
                _ => self.session.update_at(change.row, start + change.at, change.diff)?,
            }
        }
        Ok(())
    }
}

/// Where everything before `time` is complete.
fn before(time: u64) -> Frontier<Point> {
    Frontier::from(Point::from(time))
}

/// Runs all phases: `advance` feeds a tick that begins at a time, and waits until it is complete.
fn phases(
    job: &mut Job<'_>,
    mut advance: impl FnMut(&Tick, u64) -> Result<(), Trouble>,
    mut digest: impl FnMut() -> Result<u64, Trouble>,
) -> Result<(), Trouble> {
    let mut time = 0;
    for phase in job.plan.phases() {
        let clock = Clock::start();
        for tick in &phase.ticks {
            advance(tick, time)?;
            time += tick.span;
        }
        let name = format!("{}.{}", job.plan.workload, phase.name);
        let took = clock.stop();
        (job.tell)(&Line::new(name, took, phase.ticks.len(), digest()?));
    }
    Ok(())
}

/// Runs a program with one input.
pub fn one<R, D>(mut job: Job<'_>, build: fn(&Scope, &Collection<R>) -> Collection<D>) -> Result<(), Trouble>
where
    R: Row,
    ShapeOf<R>: Default,
    D: Data,
    for<'r> Lent<'r, D>: Digest,
{
    run_alone(Config::default(), |worker| {
        let total = Total::default();
        let session = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<R>("rows");
            total.watch(&build(scope, &rows), |row, _| row.digest());
            session
        })?;
        let mut source = Source::open(&job, 0, session)?;
        let advance = |tick: &Tick, start| {
            source.feed(tick, start)?;
            Ok(worker.commit_to(before(start + tick.span), &mut source.session)?)
        };
        phases(&mut job, advance, || Ok(total.0.get()))
    })
}

/// Runs a program with two inputs. The digest is of what `hash` makes of a row of the result and its time.
pub fn two<A, B, D>(
    mut job: Job<'_>,
    build: fn(&Collection<A>, &Collection<B>) -> Collection<D>,
    hash: fn(Lent<'_, D>, &Point) -> u64,
) -> Result<(), Trouble>
where
    A: Row,
    B: Row,
    ShapeOf<A>: Default,
    ShapeOf<B>: Default,
    D: Data,
{
    run_alone(Config::default(), |worker| {
        let total = Total::default();
        let (left, right) = worker.dataflow(|scope| {
            let (left_session, left) = scope.input::<A>("left");
            let (right_session, right) = scope.input::<B>("right");
            total.watch(&build(&left, &right), hash);
            (left_session, right_session)
        })?;
        let (mut left, mut right) = (Source::open(&job, 0, left)?, Source::open(&job, 1, right)?);
        let advance = |tick: &Tick, start| {
            left.feed(tick, start)?;
            right.feed(tick, start)?;
            Ok(worker.commit_to(before(start + tick.span), (&mut left.session, &mut right.session))?)
        };
        phases(&mut job, advance, || Ok(total.0.get()))
    })
}

/// Loads an arrangement of pairs and keeps it; the digest is of what it holds.
pub fn arrange<V: Data>(mut job: Job<'_>) -> Result<(), Trouble>
where
    (u64, V): Row,
    ShapeOf<(u64, V)>: Default,
    for<'r> Lent<'r, V>: Digest,
{
    run_alone(Config::default(), |worker| {
        let (session, arranged) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<(u64, V)>("rows");
            (session, rows.arrange_by_key("rows by key"))
        })?;
        let mut source = Source::open(&job, 0, session)?;
        let advance = |tick: &Tick, start| {
            source.feed(tick, start)?;
            Ok(worker.commit_to(before(start + tick.span), &mut source.session)?)
        };
        phases(&mut job, advance, || {
            let total = Total::default();
            arranged.for_each(|key, value, _, diff| total.add((key, value).digest(), *diff));
            Ok(total.0.get())
        })
    })
}

/// Runs rounds of one record, each waited for, through what `build` makes.
pub fn rounds(
    job: Job<'_>,
    rounds: &Rounds,
    build: fn(&Scope, &Collection<(u64, u32)>, &Rounds) -> Collection<(u64, u32)>,
) -> Result<(), Trouble> {
    run_alone(Config::default(), |worker| {
        let total = Total::default();
        let mut session = worker.dataflow(|scope| {
            let (session, rows) = scope.input("rounds");
            total.watch(&build(scope, &rows, rounds), |(x, _), _| x.digest());
            session
        })?;
        let clock = Clock::start();
        for round in 0..rounds.rounds as u64 {
            session.insert((round, 0));
            worker.commit(&mut session)?;
        }
        let took = clock.stop();
        let name = format!("{}.rounds", job.plan.workload);
        (job.tell)(&Line::new(name, took, rounds.rounds, total.0.get()));
        Ok(())
    })
}
