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
//!
//! With several workers each reads the whole file and feeds the rows whose number in the tick names it; the first one
//! has the clock, and adds up what all have seen. A commit is complete on all workers, so they enter a phase together.

use std::cell::Cell;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use differential::collection::{Collection, Scope, Session};
use differential::column::{Data, Lent, ShapeOf};
use differential::region::Work;
use differential::time::{Frontier, Point};
use differential::{Config, Error, Worker, run_alone};
use interactive::language::report::render;
use interactive::render::{Options, install};
use interactive::value::Row as TextRow;

use crate::digest::Digest;
use crate::plan::{self, Plan, Rounds, Tick};
use crate::report::{Clock, Line};
use crate::rows::{Change, Row, RowFile};
use crate::trouble::Trouble;

/// A workload as it stands in a folder, and who is told of each phase.
pub struct Job {
    /// Where its rows are.
    pub folder: PathBuf,
    /// What to do.
    pub plan: Plan,
    /// On how many workers.
    pub workers: usize,
    /// Told each phase's line when it ends.
    pub tell: fn(&Line),
    /// Told by each worker, at the end of each phase, what it did for how many ticks; if anybody wants to know.
    pub work: Option<fn(&str)>,
}

impl Job {
    fn tell_work(&self, worker: &Worker<'_>, phase: &str, before: Work, ticks: usize) {
        let Some(tell) = self.work else { return };
        let (now, each) = (worker.work(), |now: u64, before: u64| (now - before) as f64 / ticks as f64);
        tell(&format!(
            "{phase} worker={} a tick: activations={:.2} visits={:.1} evaluations={:.1} loads={:.2} messages={:.2}",
            worker.index(),
            each(now.activations, before.activations),
            each(now.visits, before.visits),
            each(now.evaluations, before.evaluations),
            each(now.loads, before.loads),
            each(now.messages, before.messages),
        ));
    }
}

/// What the workers of a job tell each other at the end of a phase.
struct Ends {
    /// By worker: phases that it has ended, and the digest of what it saw so far.
    phases: Vec<AtomicUsize>,
    digests: Vec<AtomicU64>,
}

impl Ends {
    fn new(workers: usize) -> Self {
        let zeros = 0..workers;
        Ends {
            phases: zeros.clone().map(|_| AtomicUsize::new(0)).collect(),
            digests: zeros.map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Notes this worker's digest, waits until all have noted theirs, and answers with the sum.
    fn sum(&self, worker: &mut Worker<'_>, digest: u64) -> Result<u64, Trouble> {
        let here = worker.index();
        self.digests[here].store(digest, Ordering::Relaxed);
        let phase = self.phases[here].fetch_add(1, Ordering::Release) + 1;
        while self.phases.iter().any(|ended| ended.load(Ordering::Acquire) < phase) {
            // One that failed says so on its way out.
            worker.step()?;
            std::thread::yield_now();
        }
        Ok(self.digests.iter().fold(0, |sum, digest| sum.wrapping_add(digest.load(Ordering::Relaxed))))
    }
}

/// Runs a program on the job's workers.
fn on_workers(
    job: Job,
    program: impl Fn(&Job, &mut Worker<'_>, &Ends) -> Result<(), Trouble> + Send + Sync + 'static,
) -> Result<(), Trouble> {
    let ends = Ends::new(job.workers);
    if job.workers == 1 {
        return run_alone(Config::default(), |worker| program(&job, worker, &ends));
    }
    let telling = |trouble| match trouble {
        Trouble::Engine(error) => error,
        other => Error::Unreadable(other.to_string()),
    };
    differential::run(Config::workers(job.workers), move |worker| program(&job, worker, &ends).map_err(telling))?;
    Ok(())
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

/// The rows of an input that a worker feeds.
struct Share<R: Row> {
    input: usize,
    rows: RowFile<R>,
    /// This worker, of how many.
    share: (usize, usize),
}

impl<R: Row> Share<R> {
    fn open(job: &Job, worker: &Worker<'_>, input: usize) -> Result<Self, Trouble> {
        let columns = job.plan.inputs.get(input).ok_or(Trouble::Columns(input))?;
        if columns != R::KINDS {
            return Err(Trouble::Columns(input));
        }
        let rows = RowFile::open(&job.folder.join(format!("{input}.bin")))?;
        Ok(Share { input, rows, share: (worker.index(), worker.peers()) })
    }

    /// Hands out this worker's rows of a tick.
    fn each(&mut self, tick: &Tick, mut to: impl FnMut(Change<R>) -> Result<(), Error>) -> Result<(), Trouble> {
        let (here, workers) = self.share;
        for number in 0..tick.rows[self.input] {
            let change = self.rows.read()?;
            if number % workers == here {
                to(change)?;
            }
        }
        Ok(())
    }
}

/// An input: its session, and the rows for it.
struct Source<R: Row> {
    session: Session<R>,
    rows: Share<R>,
}

impl<R: Row> Source<R> {
    fn open(job: &Job, worker: &Worker<'_>, input: usize, session: Session<R>) -> Result<Self, Trouble> {
        Ok(Source { session, rows: Share::open(job, worker, input)? })
    }

    /// Feeds this input's rows of a tick that begins at `start`.
    fn feed(&mut self, tick: &Tick, start: u64) -> Result<(), Trouble> {
        let session = &mut self.session;
        self.rows.each(tick, |change| match tick.span {
            // A tick of one instant begins at the session's present epoch.
            1 => {
                session.update(change.row, change.diff);
                Ok(())
            }
            _ => session.update_at(change.row, start + change.at, change.diff),
        })
    }
}

/// Where everything before `time` is complete.
fn before(time: u64) -> Frontier<Point> {
    Frontier::from(Point::from(time))
}

/// Runs all phases: `advance` feeds a tick that begins at a time, and waits until it is complete; `digest` is of what
/// this worker has seen.
fn phases(
    job: &Job,
    worker: &mut Worker<'_>,
    ends: &Ends,
    mut advance: impl FnMut(&mut Worker<'_>, &Tick, u64) -> Result<(), Trouble>,
    mut digest: impl FnMut() -> u64,
) -> Result<(), Trouble> {
    let mut time = 0;
    for phase in job.plan.phases() {
        let before = worker.work();
        let clock = (worker.index() == 0).then(Clock::start);
        for tick in &phase.ticks {
            advance(worker, tick, time)?;
            time += tick.span;
        }
        let name = format!("{}.{}", job.plan.workload, phase.name);
        let took = clock.map(Clock::stop);
        job.tell_work(worker, &name, before, phase.ticks.len());
        let digest = ends.sum(worker, digest())?;
        if let Some(took) = took {
            (job.tell)(&Line::new(name, took, phase.ticks.len(), digest));
        }
    }
    Ok(())
}

/// Runs a program with one input.
pub fn one<R, D>(job: Job, build: fn(&Scope, &Collection<R>) -> Collection<D>) -> Result<(), Trouble>
where
    R: Row,
    ShapeOf<R>: Default,
    D: Data,
    for<'r> Lent<'r, D>: Digest,
{
    on_workers(job, move |job, worker, ends| {
        let total = Total::default();
        let session = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<R>("rows");
            total.watch(&build(scope, &rows), |row, _| row.digest());
            session
        })?;
        let mut source = Source::open(job, worker, 0, session)?;
        let advance = |worker: &mut Worker<'_>, tick: &Tick, start| {
            source.feed(tick, start)?;
            Ok(worker.commit_to(before(start + tick.span), &mut source.session)?)
        };
        phases(job, worker, ends, advance, || total.0.get())
    })
}

/// Runs a program with two inputs. The digest is of what `hash` makes of a row of the result and its time.
pub fn two<A, B, D>(
    job: Job,
    build: fn(&Collection<A>, &Collection<B>) -> Collection<D>,
    hash: impl Fn(Lent<'_, D>, &Point) -> u64 + Copy + Send + Sync + 'static,
) -> Result<(), Trouble>
where
    A: Row,
    B: Row,
    ShapeOf<A>: Default,
    ShapeOf<B>: Default,
    D: Data,
{
    on_workers(job, move |job, worker, ends| {
        let total = Total::default();
        let (left, right) = worker.dataflow(|scope| {
            let (left_session, left) = scope.input::<A>("left");
            let (right_session, right) = scope.input::<B>("right");
            total.watch(&build(&left, &right), hash);
            (left_session, right_session)
        })?;
        let (mut left, mut right) = (Source::open(job, worker, 0, left)?, Source::open(job, worker, 1, right)?);
        let advance = |worker: &mut Worker<'_>, tick: &Tick, start| {
            left.feed(tick, start)?;
            right.feed(tick, start)?;
            Ok(worker.commit_to(before(start + tick.span), (&mut left.session, &mut right.session))?)
        };
        phases(job, worker, ends, advance, || total.0.get())
    })
}

/// Runs a text program with one source and one export. Every tick is one instant.
pub fn text<R: Row>(job: Job, program: &'static str, row: fn(R) -> TextRow) -> Result<(), Trouble>
where
    ShapeOf<R>: Default,
{
    on_workers(job, move |job, worker, ends| {
        let checked = interactive::language::check(Path::new("ddir"), program.into(), &|file| read_to_string(file));
        let plan = checked.program.and_then(|program| interactive::plan::plan(&program).ok());
        let plan = plan.ok_or_else(|| Trouble::Text(render(&checked.files, &checked.mistakes, false)))?;
        let running = install(worker, &plan, &checked.files, &Options::default());
        let mut running = running.map_err(|error| Trouble::Text(error.to_string()))?;
        let (mut rows, total) = (Share::<R>::open(job, worker, 0)?, Total::default());
        let advance = |worker: &mut Worker<'_>, tick: &Tick, _| {
            rows.each(tick, |change| {
                running.sources[0].session.update(row(change.row), change.diff);
                Ok(())
            })?;
            running.commit(worker)?;
            let changes = running.exports[0].output.changes();
            changes.iter().for_each(|(row, _, diff)| total.add(row.digest(), *diff));
            Ok(())
        };
        phases(job, worker, ends, advance, || total.0.get())
    })
}

/// Loads an arrangement of pairs and keeps it; the digest is of what it holds.
pub fn arrange<V: Data>(job: Job) -> Result<(), Trouble>
where
    (u64, V): Row,
    ShapeOf<(u64, V)>: Default,
    for<'r> Lent<'r, V>: Digest,
{
    on_workers(job, move |job, worker, ends| {
        let (session, arranged) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<(u64, V)>("rows");
            (session, rows.arrange_by_key("rows by key"))
        })?;
        let mut source = Source::open(job, worker, 0, session)?;
        let advance = |worker: &mut Worker<'_>, tick: &Tick, start| {
            source.feed(tick, start)?;
            Ok(worker.commit_to(before(start + tick.span), &mut source.session)?)
        };
        phases(job, worker, ends, advance, || {
            let total = Total::default();
            arranged.for_each(|key, value, _, diff| total.add((key, value).digest(), *diff));
            total.0.get()
        })
    })
}

/// Runs rounds of one record, each waited for, through what `build` makes.
pub fn rounds(
    job: Job,
    build: fn(&Scope, &Collection<(u64, u32)>, &Rounds) -> Collection<(u64, u32)>,
) -> Result<(), Trouble> {
    on_workers(job, move |job, worker, ends| {
        let plan::Work::Rounds(rounds) = &job.plan.work else { return Err(Trouble::Plan("rounds")) };
        let total = Total::default();
        let mut session = worker.dataflow(|scope| {
            let (session, rows) = scope.input("rounds");
            total.watch(&build(scope, &rows, rounds), |(x, _), _| x.digest());
            session
        })?;
        let (here, workers) = (worker.index(), worker.peers());
        let before = worker.work();
        let clock = (here == 0).then(Clock::start);
        for round in 0..rounds.rounds {
            if round % workers == here {
                session.insert((round as u64, 0));
            }
            worker.commit(&mut session)?;
        }
        let took = clock.map(Clock::stop);
        let name = format!("{}.rounds", job.plan.workload);
        job.tell_work(worker, &name, before, rounds.rounds);
        let digest = ends.sum(worker, total.0.get())?;
        if let Some(took) = took {
            (job.tell)(&Line::new(name, took, rounds.rounds, digest));
        }
        Ok(())
    })
}
