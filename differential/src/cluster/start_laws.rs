//! Starting: workers of any number of threads and processes exchange and agree; and whatever ends early ends all, with
//! one typed error, and no wait that has no end.
//!
//! Processes are threads here, each with its own sockets, except where one is killed: that one is this test's own
//! program, started again. No test sleeps; what ends early does so when the others are known to wait for it.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;

use timely::dataflow::InputHandle;
use timely::dataflow::operators::{Exchange, Input, Inspect, Probe};
use timely::worker::Worker;

use super::Alarm;
use super::connect::{connect_by, listen};
use super::layout::Cluster;
use super::start::{start, start_by};
use crate::error::{Error, Reason};

/// Clusters of processes on this machine.
fn clusters(processes: usize, threads: usize) -> (Vec<std::net::TcpListener>, Vec<Cluster>) {
    let doors: Vec<_> = (0..processes).map(|_| listen("127.0.0.1:0").expect("a free port")).collect();
    let addresses: Vec<String> = doors.iter().map(|door| door.local_addr().expect("open").to_string()).collect();
    let cluster = |process| Cluster { process, addresses: addresses.clone(), ..Cluster::threads(threads) };
    (doors, (0..processes).map(cluster).collect())
}

/// Runs a program on all workers of some processes; answers what each process ended with.
pub(crate) fn run<T: Send>(
    processes: usize,
    threads: usize,
    program: impl Fn(&mut Worker, &Alarm) -> Result<T, Error> + Sync,
) -> Vec<Result<Vec<T>, Error>> {
    if processes == 1 {
        return vec![start(&Cluster::threads(threads), program)];
    }
    let (doors, clusters) = clusters(processes, threads);
    thread::scope(|scope| {
        let running: Vec<_> = clusters
            .iter()
            .zip(doors)
            .map(|(cluster, door)| {
                let program = &program;
                scope.spawn(move || {
                    let sockets = connect_by(cluster, Some(door)).expect("all are there");
                    start_by(cluster, Some(sockets), program)
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().expect("no panic comes out")).collect()
    })
}

/// How many times each worker has seen a number, in a dataflow that goes on until its input is closed.
type Seen = std::rc::Rc<std::cell::RefCell<Vec<u64>>>;

/// A dataflow that sends numbers to the worker they name.
fn build(worker: &mut Worker) -> (InputHandle<u64, timely::container::CapacityContainerBuilder<Vec<u64>>>, Seen) {
    let seen = Seen::default();
    let (mut input, sink) = (InputHandle::new(), Seen::clone(&seen));
    worker.dataflow(|scope| {
        scope
            .input_from(&mut input)
            .container::<Vec<u64>>()
            .exchange(|number| *number)
            .inspect(move |number| sink.borrow_mut().push(*number))
            .probe();
    });
    (input, seen)
}

/// Waits until this worker has seen so many numbers.
fn wait(worker: &mut Worker, alarm: &Alarm, seen: &Seen, numbers: usize) -> Result<(), Error> {
    while seen.borrow().len() < numbers {
        alarm.check()?;
        worker.step_or_park(None);
    }
    Ok(())
}

/// Every worker sends a number to every worker.
fn greet_all(worker: &mut Worker) -> (InputHandle<u64, timely::container::CapacityContainerBuilder<Vec<u64>>>, Seen) {
    let (mut input, seen) = build(worker);
    (0..worker.peers() as u64).for_each(|number| input.send(number));
    // Closing an epoch is what empties the buffers of an exchange.
    input.advance_to(1);
    (input, seen)
}

#[test]
fn workers_of_threads_and_processes_exchange_and_agree() {
    for (processes, threads) in [(1, 1), (1, 2), (1, 5), (2, 1), (2, 2), (3, 2)] {
        let outcomes = run(processes, threads, |worker, alarm| {
            let (input, seen) = greet_all(worker);
            wait(worker, alarm, &seen, worker.peers())?;
            drop(input);
            assert_eq!(*seen.borrow(), vec![worker.index() as u64; worker.peers()]);
            Ok((worker.index(), worker.peers()))
        });
        for (process, outcome) in outcomes.into_iter().enumerate() {
            let wanted = (process * threads..).take(threads).map(|worker| (worker, processes * threads));
            assert_eq!(outcome, Ok(wanted.collect()), "{processes} processes of {threads}");
        }
    }
}

#[test]
fn a_program_may_end_before_its_dataflows() {
    for (processes, threads) in [(1, 3), (2, 1)] {
        // Only worker 0 waits; the others have left their programs, and follow.
        let outcomes = run(processes, threads, |worker, alarm| {
            let (input, seen) = greet_all(worker);
            if worker.index() == 0 {
                wait(worker, alarm, &seen, worker.peers())?;
            }
            drop(input);
            Ok(())
        });
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    }
}

#[test]
fn records_longer_than_any_buffer_pass() {
    let outcomes = run(2, 1, |worker, alarm| {
        let seen = std::rc::Rc::new(std::cell::Cell::new(0_usize));
        let (mut input, sink) = (InputHandle::new(), std::rc::Rc::clone(&seen));
        worker.dataflow(|scope| {
            scope
                .input_from(&mut input)
                .container::<Vec<String>>()
                .exchange(|_| 1)
                .inspect(move |text: &String| sink.set(sink.get() + text.len()))
                .probe();
        });
        if worker.index() == 0 {
            input.send("x".repeat(5_000_000));
        }
        input.advance_to(1_u64);
        while worker.index() == 1 && seen.get() < 5_000_000 {
            alarm.check()?;
            worker.step_or_park(None);
        }
        Ok(())
    });
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
}

/// The last worker ends early, when all have heard of it; the others wait for what never comes.
fn last_ends(processes: usize, threads: usize, end: fn() -> Result<(), Error>) -> Vec<Result<Vec<()>, Error>> {
    run(processes, threads, move |worker, alarm| {
        let (_input, seen) = greet_all(worker);
        wait(worker, alarm, &seen, worker.peers())?;
        if worker.index() + 1 == worker.peers() {
            return end();
        }
        wait(worker, alarm, &seen, usize::MAX)
    })
}

#[test]
fn a_panic_or_an_error_of_one_worker_ends_all() {
    let failed = || Error::Workers("no more".to_string());
    for (processes, threads) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (3, 1)] {
        let last = processes * threads - 1;
        let panicked = Error::Worker { worker: last, reason: Reason::Panic("on purpose".to_string()) };
        let by_panic = last_ends(processes, threads, || panic!("on purpose"));
        let by_error = last_ends(processes, threads, || Err(Error::Workers("no more".to_string())));
        for (outcomes, cause) in [(by_panic, panicked), (by_error, failed())] {
            for (process, outcome) in outcomes.into_iter().enumerate() {
                if process + 1 == processes {
                    assert_eq!(outcome, Err(cause.clone()), "its own process");
                } else {
                    // The connection to any process that ended may be the first to break.
                    assert!(matches!(outcome, Err(Error::Peer { .. })), "process {process}: {outcome:?}");
                }
            }
        }
    }
}

#[test]
fn a_panic_while_everybody_follows_ends_all() {
    let outcomes = run(2, 2, |worker, alarm| {
        let (input, seen) = greet_all(worker);
        if worker.index() == 0 {
            wait(worker, alarm, &seen, worker.peers())?;
            panic!("on purpose");
        }
        // The input stays open behind the program's back, so nobody's dataflow ends.
        std::mem::forget(input);
        Ok(())
    });
    assert!(matches!(outcomes[0], Err(Error::Worker { worker: 0, .. })), "{outcomes:?}");
    assert!(matches!(outcomes[1], Err(Error::Peer { process: 0, .. })), "{outcomes:?}");
}

#[test]
fn a_connection_that_breaks_within_a_message_is_a_loss() {
    use timely::communication::networking::MessageHeader;
    let header = MessageHeader { channel: 0, source: 1, target_lower: 0, target_upper: 1, length: 90, seqno: 0 };
    let mut message = Vec::new();
    header.write_to(&mut message).expect("memory takes all");
    message.extend([7; 50]);
    for length in [0, 1, 47, 48, 49, message.len()] {
        let (mut doors, clusters) = clusters(2, 1);
        let outcome = thread::scope(|scope| {
            let door = doors.remove(0);
            let peer = scope.spawn(|| {
                let sockets = connect_by(&clusters[1], None).expect("process 0 is there");
                let mut socket: &TcpStream = sockets[0].as_ref().expect("connected");
                std::io::Write::write_all(&mut socket, &message[..length]).expect("open");
            });
            let sockets = connect_by(&clusters[0], Some(door)).expect("process 1 is there");
            let outcome = start_by(&clusters[0], Some(sockets), |worker, alarm| {
                let (_input, seen) = build(worker);
                wait(worker, alarm, &seen, 1)
            });
            peer.join().expect("no panic");
            outcome
        });
        assert!(matches!(outcome, Err(Error::Peer { process: 1, .. })), "{length} bytes: {outcome:?}");
    }
}

/// Tells a child of [`a_process_that_is_killed_is_a_loss`] where process 0 is.
const KILLED: &str = "CLUSTER_TEST_TO_BE_KILLED";

/// Not a test by itself: process 1, which waits for its end.
#[test]
fn to_be_killed() {
    let Ok(addresses) = std::env::var(KILLED) else { return };
    let addresses = addresses.split(' ').map(str::to_string).collect();
    let cluster = Cluster { process: 1, addresses, ..Cluster::threads(2) };
    let outcome = start(&cluster, |worker, alarm| {
        let (_input, seen) = greet_all(worker);
        wait(worker, alarm, &seen, usize::MAX)
    });
    panic!("it outlived its end: {outcome:?}");
}

#[test]
fn a_process_that_is_killed_is_a_loss() {
    let (mut doors, clusters) = clusters(2, 2);
    let here = std::env::current_exe().expect("this is a program");
    let mut child = Command::new(here)
        .args(["--exact", "cluster::start_laws::to_be_killed", "--nocapture"])
        .env(KILLED, clusters[1].addresses.join(" "))
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs twice");
    let sockets = connect_by(&clusters[0], Some(doors.remove(0))).expect("the child comes");
    let killer = std::sync::Mutex::new(&mut child);
    let outcome = start_by(&clusters[0], Some(sockets), |worker, alarm| {
        let (_input, seen) = greet_all(worker);
        wait(worker, alarm, &seen, worker.peers())?;
        if worker.index() == 0 {
            killer.lock().expect("one thread").kill().expect("it runs");
        }
        wait(worker, alarm, &seen, usize::MAX)
    });
    assert!(matches!(outcome, Err(Error::Peer { process: 1, .. })), "{outcome:?}");
    let said = child.stdout.take().map(|out| BufReader::new(out).lines().map_while(Result::ok).collect::<Vec<_>>());
    assert!(!child.wait().expect("it was ours").success(), "{said:?}");
}
