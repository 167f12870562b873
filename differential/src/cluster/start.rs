//! From sockets to workers, and to what they answer.
//!
//! ```text
//!   connect ── timely's channels ── a thread a worker: program, then whatever its dataflows still have to do ── leave
//!                                      │ panic, error                                                            │
//!                                      '──> alarm                              sockets are ended <── all have left
//! ```
//!
//! A worker's program may end before its dataflows do: it has closed its inputs and follows the others. It leaves when
//! its dataflows are complete, which they are when those of all workers are, or when the alarm was raised.
//!
//! Panics are caught around the program, and timely's worker is dropped after that: in the midst of a panic its drop
//! would poison the queues to the network threads, and spread panics there.
//!
//! Inside a process workers hand each other values, without writing them as bytes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::communication::allocator::zero_copy::initialize::{CommsGuard, initialize_networking_from_sockets};
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::communication::initialize::Hooks;
use timely::worker::Worker;

use super::alarm::{Alarm, Seat};
use super::connect::{Sockets, connect};
use super::layout::Cluster;
use super::wire::Wire;
use crate::error::{Error, Fault, StartError};

/// How long a worker that waits looks for news before it sleeps. Sleeping and waking take a few microseconds; looking
/// takes a core, which the other workers may need. (`dd_like` on two workers: a third of all cpu at 10 us.)
const LOOKS_FOR: Duration = Duration::ZERO;

/// Runs `program` on every worker of this process, and answers what each returned, in the workers' order.
///
/// A program that waits must ask [`Alarm::check`] whenever it wakes, and is woken when the alarm is raised. Returns when
/// all processes are done, or something ended early.
///
/// # Errors
/// [`Error::Start`] if the workers could not be started. Otherwise the first that a worker of this process returned,
/// [`Error::Worker`] if it panicked, or [`Error::Peer`] if another process ended early.
pub fn start<T, F>(cluster: &Cluster, program: F) -> Result<Vec<T>, Error>
where
    T: Send,
    F: Fn(&mut Worker, &Alarm) -> Result<T, Error> + Sync,
{
    cluster.check()?;
    let sockets = if cluster.processes() == 1 { None } else { Some(connect(cluster)?) };
    start_by(cluster, sockets, program)
}

/// The same with sockets that are connected already.
pub(super) fn start_by<T, F>(cluster: &Cluster, sockets: Option<Sockets>, program: F) -> Result<Vec<T>, Error>
where
    T: Send,
    F: Fn(&mut Worker, &Alarm) -> Result<T, Error> + Sync,
{
    let first = cluster.process * cluster.threads;
    let answers: Vec<Mutex<Option<T>>> = (0..cluster.threads).map(|_| Mutex::default()).collect();
    start_all(cluster, sockets, &|worker, alarm| {
        let answer = program(worker, alarm)?;
        *answers[worker.index() - first].lock().expect("only this worker locks it") = Some(answer);
        Ok(())
    })?;
    Ok(answers.into_iter().filter_map(|answer| answer.into_inner().expect("no worker panicked")).collect())
}

/// What a worker does. A thread's life is compiled once, whatever that is.
type Program<'a> = dyn Fn(&mut Worker, &Alarm) -> Result<(), Error> + Sync + 'a;

/// Runs the program on every worker of this process, until all have left.
fn start_all(cluster: &Cluster, sockets: Option<Sockets>, program: &Program<'_>) -> Result<(), Error> {
    let alarm = Alarm::default();
    let seats: Vec<Seat> = (0..cluster.threads).map(|_| alarm.seat()).collect();
    let (channels, network) = open(cluster, sockets, &alarm)?;
    let first = cluster.process * cluster.threads;
    thread::scope(|scope| {
        for (worker, (channels, seat)) in (first..).zip(channels.into_iter().zip(seats)) {
            let alarm = &alarm;
            let thread = thread::Builder::new().name(format!("worker {worker}"));
            if let Err(error) = thread.spawn_scoped(scope, move || work(worker, channels, seat, alarm, program)) {
                alarm.raise(StartError::System(error.to_string()).into());
            }
        }
    });
    if alarm.is_raised() {
        // Its threads end by themselves, but a worker that left something behind keeps its queues, and they would be
        // waited for in vain.
        std::mem::forget(network);
    } else {
        // Waits until all that was said has been sent, and the others have said good-bye, or failed.
        drop(network);
    }
    alarm.check()
}

/// A worker's channels, to be made in its thread.
enum Channels {
    Alone,
    Process(ProcessBuilder),
    Cluster(TcpBuilder),
}

impl Channels {
    fn build(self) -> Allocator {
        match self {
            Channels::Alone => Allocator::Thread(Default::default()),
            Channels::Process(builder) => Allocator::Process(builder.build()),
            Channels::Cluster(builder) => Allocator::Tcp(builder.build()),
        }
    }
}

/// Channels for each worker of this process, and what keeps the network's threads.
fn open(
    cluster: &Cluster,
    sockets: Option<Sockets>,
    alarm: &Alarm,
) -> Result<(Vec<Channels>, Option<CommsGuard>), StartError> {
    let hooks = Hooks::default();
    let local = || ProcessBuilder::new_typed_vector(cluster.threads, hooks.refill.clone(), None);
    let Some(sockets) = sockets else {
        let channels = match cluster.threads {
            1 => vec![Channels::Alone],
            _ => local().into_iter().map(Channels::Process).collect(),
        };
        return Ok((channels, None));
    };
    let system = |error: std::io::Error| StartError::System(error.to_string());
    let wire = |(process, socket): (usize, Option<std::net::TcpStream>)| {
        socket.map(|socket| Wire::new(socket, alarm, process, &cluster.addresses[process])).transpose()
    };
    let wires = sockets.into_iter().enumerate().map(wire).collect::<Result<Vec<_>, _>>().map_err(system)?;
    let (builders, network) =
        initialize_networking_from_sockets(local(), wires, cluster.process, cluster.threads, hooks).map_err(system)?;
    Ok((builders.into_iter().map(Channels::Cluster).collect(), Some(network)))
}

/// A worker's life. If it ends early, the alarm is raised.
fn work(number: usize, channels: Channels, seat: Seat, alarm: &Alarm, program: &Program<'_>) {
    seat.take();
    let mut place: Option<Worker> = None;
    let ended = or_panic(number, || {
        let config = WorkerConfig::default().idle_spin(LOOKS_FOR);
        let worker = place.insert(Worker::new(config, channels.build(), Some(Instant::now())));
        program(worker, alarm)?;
        while worker.has_dataflows() {
            alarm.check()?;
            worker.step_or_park(None);
        }
        Ok(())
    });
    // Before the worker is dropped: without its queues, the network's threads would say good-bye.
    if let Err(error) = ended {
        alarm.raise(error);
    }
    let left = or_panic(number, || {
        drop(place);
        Ok(())
    });
    if let Err(error) = left {
        alarm.raise(error);
    }
}

/// What `run` answers, or that this worker panicked.
fn or_panic(worker: usize, run: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let reason = Fault::from_panic(&*payload).reason;
        Err(Error::Worker { worker, reason })
    })
}
