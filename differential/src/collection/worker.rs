//! Building dataflows, committing, and where workers come from.
//!
//! ```text
//!   run(config, |worker| { worker.dataflow(..)?; ..; worker.commit(..)?; .. })
//!        threads, see `cluster`         one region a worker, one timely operator hosts it
//! ```
//!
//! A commit closes the present epoch of its sessions and runs the region until everything behind them is complete, on
//! all workers. Each worker has sessions of its own for an input, and an epoch is complete when all have closed it: who
//! has nothing to feed commits all the same, or drops its session.
//!
//! A program that ends with an error, or panics, on one worker breaks the computation off on all: each of their next
//! commits answers with that error.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use timely::communication::Allocator;
use timely::worker::Worker as TimelyWorker;

use super::config::Config;
use super::installed::Installed;
use super::scope::Scope;
use super::session::Sessions;
use super::watchdog::{Watch, Watchdog};
use crate::cluster::{self, Alarm};
use crate::error::{Error, Fault};
use crate::region::{Activity, Hosted, NodeId, Region, Work};
use crate::time::{Frontier, Point};

/// A worker: builds dataflows in its region and runs them.
pub struct Worker<'a> {
    /// A handle on it; others may have some too.
    timely: TimelyWorker,
    hosted: Hosted,
    outermost: Scope,
    /// Other workers, and other processes, may end early.
    alarm: Alarm,
    /// Programs of [`run`] must not take their worker away.
    lent: PhantomData<&'a TimelyWorker>,
    watchdog: Option<Watchdog>,
    stop: Option<Arc<AtomicBool>>,
}

impl<'a> Worker<'a> {
    fn new(timely: &'a TimelyWorker, config: &Config, alarm: &Alarm) -> Self {
        Worker { alarm: alarm.clone(), ..Worker::in_timely(timely, config) }
    }

    /// A worker with a region of its own inside a program of timely's: for those who have one already. How many workers
    /// there are is timely's matter.
    ///
    /// All workers of timely must make it at the same place among their dataflows. Whoever steps timely runs the region
    /// too; an error is told by the next call of this worker. Drop it when nothing more is to be built, so that timely
    /// can end. See [`Boundary`](super::Boundary) for how its streams enter and leave.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// timely::execute_directly(|timely| {
    ///     let mut worker = Worker::in_timely(timely, &Config::default());
    ///     let (mut numbers, mut doubled) = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         (session, numbers.map(|number| 2 * number).output())
    ///     })?;
    ///     numbers.insert(21);
    ///     let epoch = worker.commit(&mut numbers)?;
    ///     assert_eq!(doubled.changes(), [(42, epoch.into(), 1)]);
    ///     Ok::<_, Error>(())
    /// })
    /// # .unwrap();
    /// ```
    pub fn in_timely(timely: &TimelyWorker, config: &Config) -> Self {
        let mut timely = timely.clone();
        let hosted = Hosted::new(&mut timely, config.input_coordinates, config.step_fuel);
        let outermost = Scope::outermost(hosted.region().clone());
        let watchdog = config.watchdog.clone();
        Worker {
            timely,
            hosted,
            outermost,
            alarm: Alarm::default(),
            watchdog,
            stop: config.stop.clone(),
            lent: PhantomData,
        }
    }

    /// The number of this worker, counted from 0.
    pub fn index(&self) -> usize {
        self.hosted.region().peers().index
    }

    /// The number of workers, in all processes.
    pub fn peers(&self) -> usize {
        self.hosted.region().peers().count
    }

    /// What this worker's region has done since it was made: for whoever wants to know what a commit costs.
    pub fn work(&self) -> Work {
        self.hosted.region().work()
    }

    /// Adds a dataflow to the region, for good. It may use collections and arrangements of earlier ones.
    ///
    /// May be called again and again while others run; of all workers, in the same order, with the same operators, and
    /// between the same commits: a commit waits for what its worker has built to be complete on all, so one that built
    /// before a commit and one that builds after it would wait for each other. Where two workers built different things,
    /// their next commits answer with [`Error::Plans`], which names both.
    ///
    /// # Errors
    /// [`Error::Scopes`] if collections of two scopes were combined of which neither encloses the other;
    /// [`Error::Cycle`] if going round some cycle would not advance time; [`Error::Removed`] if a collection of a
    /// dataflow was used that was taken out; and alone, [`Error::Operator`] if one was used that depends on an operator
    /// which has failed. Nothing is added then.
    pub fn dataflow<T>(&mut self, build: impl FnOnce(&Scope) -> T) -> Result<T, Error> {
        self.install(build).map(|(built, _)| built)
    }

    /// As [`dataflow`](Self::dataflow), with a handle by which it [can be taken out](Installed::remove) again.
    ///
    /// # Errors
    /// As `dataflow`.
    pub fn install<T>(&mut self, build: impl FnOnce(&Scope) -> T) -> Result<(T, Installed), Error> {
        let region = self.outermost.region().clone();
        let built = region.build(|_| build(&self.outermost));
        self.outermost.make_checks(built.is_ok());
        // A mistake comes first: what the region refuses may follow from it.
        match (self.outermost.take_problem(), built) {
            (Some(problem), built) => {
                built.iter().for_each(|(_, nodes)| region.remove(nodes));
                Err(problem)
            }
            (None, built) => built.map(|(built, nodes)| (built, Installed::new(region, nodes))),
        }
    }

    /// Closes the present epoch of these sessions, runs until it is complete, and answers its number.
    ///
    /// Sessions whose epochs differ meet past the latest of them.
    ///
    /// # Errors
    /// What went wrong in an operator. What was complete before can still be read, and what doesn't depend on that
    /// operator goes on. The epoch is closed all the same, and complete wherever it can be.
    ///
    /// As long as the operator is there, every later commit answers with the same error, that of the operator which
    /// failed first: [`failures`](Self::failures) lists all.
    pub fn commit(&mut self, sessions: impl Sessions) -> Result<u64, Error> {
        let epoch = sessions.epoch();
        // Past the last epoch there is nothing.
        let next = epoch.checked_add(1).and_then(|next| Point::default().plus(self.outermost.depth() - 1, next));
        self.commit_to(next.into_iter().collect::<Frontier<_>>(), sessions)?;
        Ok(epoch)
    }

    /// Closes what is not in advance of `frontier`, and runs until that is complete.
    ///
    /// The sessions' present epoch becomes the frontier's first element; an empty frontier closes them for good.
    ///
    /// With several workers it waits until all have closed these inputs as far. So all must close the same inputs in the
    /// same order: two that each wait for the other to close another input wait for ever.
    ///
    /// # Errors
    /// [`Error::Backwards`] if a session has closed more than that already (nothing changes then), or what went wrong
    /// in an operator, as for [`commit`](Self::commit).
    ///
    /// ```
    /// use differential::{Config, run_alone};
    ///
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut numbers, output) = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         (session, numbers.output())
    ///     })?;
    ///     numbers.update_at(7, 3, 1)?;
    ///     worker.commit_to(5, &mut numbers)?;
    ///     assert_eq!(numbers.epoch(), 5);
    ///     Ok::<_, differential::Error>(output.rows())
    /// });
    /// assert_eq!(rows.unwrap(), Ok(vec![(7, 1)]));
    /// ```
    pub fn commit_to(
        &mut self,
        frontier: impl Into<Frontier<Point>>,
        mut sessions: impl Sessions,
    ) -> Result<(), Error> {
        let frontier = frontier.into();
        let present = frontier.elements().first().cloned().unwrap_or_default();
        sessions.check(&frontier)?;
        self.outermost.begin_commit(&frontier);
        sessions.advance(&frontier, &present);
        let mut sources = Vec::new();
        sessions.sources(&mut sources);
        let outcome = self.complete(|_| sources.into_iter().map(|source| (source, frontier.clone())).collect());
        self.outermost.end_commit();
        outcome
    }

    /// Runs until everything that was fed and closed so far is complete, on all workers.
    ///
    /// # Errors
    /// What went wrong in an operator; everything that doesn't depend on it was run all the same. Or what ended early:
    /// [`Error::Worker`] or [`Error::Peer`].
    pub fn run(&mut self) -> Result<(), Error> {
        // Sources move when they are visited.
        while self.hosted.step(&mut self.timely) == Ok(Activity::More) {
            self.attend()?;
        }
        self.complete(Region::sources)
    }

    /// Runs until everything behind some sources is complete up to the frontiers that they come with.
    fn complete(&mut self, sources: impl FnOnce(&Region) -> Vec<(NodeId, Frontier<Point>)>) -> Result<(), Error> {
        let region = self.hosted.region().clone();
        let alone = region.peers().count == 1;
        let mut watch = Watch::new(self.watchdog.as_ref());
        let mut sources = Some(sources);
        let mut ask = || sources.take().map(|sources| region.ask(sources(&region)));
        // Alone, a quiet region has answered everything: the question is worth asking only if something else goes on.
        let mut ticket = if alone { None } else { ask() };
        loop {
            self.attend()?;
            let stepped =
                if alone { self.hosted.step(&mut self.timely) } else { self.hosted.step_or_wait(&mut self.timely) };
            if alone && region.is_quiet() {
                if let Some(ticket) = ticket {
                    region.forget(ticket);
                }
                return stepped.map(|_| ());
            }
            if ticket.is_none() {
                ticket = ask();
            }
            if ticket.is_some_and(|ticket| region.is_reached(ticket)) {
                return region.failure().map_or(Ok(()), Err);
            }
            watch.look(|| region.work().visits + region.heard(), || region.explain());
        }
    }

    /// Whether somebody wants this to end early.
    fn attend(&self) -> Result<(), Error> {
        self.alarm.check()?;
        match &self.stop {
            Some(told) if told.load(Ordering::Relaxed) => Err(Error::Stopped),
            _ => Ok(()),
        }
    }

    /// Who holds which time, in words for people: the operators at which something may still come, in the order in which
    /// they run, how far they are, what they hold; for exchanges and loops, how far each worker is.
    ///
    /// See [`Config::watchdog`] for having it told when a commit does not end.
    pub fn explain(&self) -> String {
        self.hosted.region().explain()
    }

    /// What went wrong in operators that are still there, first things first, and what broke the computation off.
    ///
    /// Empty as long as all is well.
    pub fn failures(&self) -> Vec<Error> {
        self.hosted.region().failures()
    }

    /// Runs for a bounded while; whether work is left. Without work, traces that are not in their smallest form yet are
    /// merged for a while.
    ///
    /// # Errors
    /// What went wrong in an operator, or what ended early: [`Error::Worker`] or [`Error::Peer`].
    pub fn step(&mut self) -> Result<bool, Error> {
        self.attend()?;
        Ok(self.hosted.step(&mut self.timely)? == Activity::More)
    }
}

/// Runs `program` on every worker of this process, and answers what each of them returned.
///
/// # Errors
/// [`Error::Start`] if they can't be started. Otherwise the first error that a program returned, [`Error::Worker`] if
/// one panicked, or [`Error::Peer`] if another process ended early: each of these ends all workers, of all processes. So
/// does what goes wrong after a program has returned, in what its dataflows had still to do or on another worker.
pub fn run<T, F>(config: Config, program: F) -> Result<Vec<T>, Error>
where
    T: Send,
    F: Fn(&mut Worker<'_>) -> Result<T, Error> + Sync,
{
    // An error of a program is told to all workers by their regions, so that each program hears what it was; this
    // worker goes on with its share until they have.
    let answers = cluster::start(&config.cluster, |timely, alarm| {
        let mut answer = None;
        let outcome = attend_to(timely, &config, alarm, &mut |worker| {
            answer = Some(program(worker)?);
            Ok(())
        })?;
        Ok(outcome.map(|()| answer.expect("a program that did not fail has an answer")))
    });
    answers?.into_iter().collect()
}

/// A worker's life, compiled once, whatever its program is: if that fails or panics, the other workers are told.
fn attend_to(
    timely: &mut TimelyWorker,
    config: &Config,
    alarm: &Alarm,
    program: &mut dyn FnMut(&mut Worker<'_>) -> Result<(), Error>,
) -> Result<Result<(), Error>, Error> {
    let mut worker = Worker::new(timely, config, alarm);
    let region = worker.hosted.region().clone();
    let outcome = catch_unwind(AssertUnwindSafe(|| program(&mut worker))).unwrap_or_else(|payload| {
        Err(Error::Worker { worker: worker.index(), reason: Fault::from_panic(&*payload).reason })
    });
    if let Err(error) = &outcome {
        region.break_off(error);
    }
    let known = region.failures();
    drop(worker);
    while timely.has_dataflows() {
        alarm.check()?;
        timely.step_or_park(None);
    }
    // A program that has returned hears nothing any more, so its answer must not stand for what went wrong since.
    let news = region.failures().into_iter().find(|error| !known.contains(error));
    Ok(outcome.and_then(|()| news.map_or(Ok(()), Err)))
}

/// Runs `program` on one worker, on this thread. Nothing needs to be `Send`, and nothing needs to outlive the call.
///
/// ```
/// use differential::{Config, run_alone};
///
/// let doubled = run_alone(Config::default(), |worker| {
///     let (mut numbers, doubled) = worker.dataflow(|scope| {
///         let (session, numbers) = scope.input::<u64>("numbers");
///         (session, numbers.map(|number| 2 * number).output())
///     })?;
///     numbers.insert(21);
///     worker.commit(&mut numbers)?;
///     Ok::<_, differential::Error>(doubled.rows())
/// });
/// assert_eq!(doubled.unwrap(), Ok(vec![(42, 1)]));
/// ```
pub fn run_alone<T>(config: Config, program: impl FnOnce(&mut Worker<'_>) -> T) -> T {
    let allocator = Allocator::Thread(Default::default());
    let timely = TimelyWorker::new(timely::WorkerConfig::default(), allocator, None);
    program(&mut Worker::new(&timely, &config, &Alarm::default()))
}
