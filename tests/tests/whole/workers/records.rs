//! Records of any length pass from worker to worker: between threads, where they are handed over, and between processes,
//! where they are bytes in buffers that somebody has cut to some size.
//!
//! ```text
//!   last worker   session ──> distinct (where the hash says) ──> gather ──> worker 0: equal to what was fed?
//! ```
//!
//! Timely's buffers between processes are 2^16 bytes (before the socket) and 2^20 (for messages; it doubles them for one
//! that does not fit). What a message has around a record is some hundred bytes, so lengths a little below and above those
//! cut its head, its list of items and its load everywhere.
//!
//! The longest record that is promised takes too much memory for every run:
//!
//! ```text
//!   cargo test -p tests --test whole -- --ignored --exact workers::records::as_long_as_is_promised
//! ```

use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use tests::in_time;

use differential::{Config, Error, Worker, run};

/// Runs a program on two workers: threads of one process, or two processes of this machine.
fn on_two(processes: usize, program: impl Fn(&mut Worker<'_>) -> Result<(), Error> + Sync) {
    if processes == 1 {
        run(Config::workers(2), program).expect("nothing fails");
        return;
    }
    let doors: Vec<_> = (0..2).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let addresses: Vec<_> = doors.iter().map(|door| door.local_addr().expect("open").to_string()).collect();
    drop(doors);
    thread::scope(|scope| {
        for process in 0..2 {
            let config = Config::workers(1).processes(addresses.clone(), process).patience(Duration::from_secs(120));
            let program = &program;
            scope.spawn(move || run(config, program).expect("nothing fails"));
        }
    });
}

/// A text of so many bytes, unlike any of another length.
fn text(bytes: usize) -> String {
    let word = format!("{bytes} bytes, ");
    word.chars().cycle().take(bytes).collect()
}

/// Feeds a text of each length, an epoch each, on the last worker, and compares what reaches the first.
fn pass(processes: usize, lengths: &[usize]) {
    in_time(format!("{processes} processes, {} lengths from {:?}", lengths.len(), lengths.first()), || {
        on_two(processes, |worker| {
            let (mut texts, mut output) = worker.dataflow(|scope| {
                let (session, texts) = scope.input::<String>("texts");
                (session, texts.distinct().gather().output())
            })?;
            for (epoch, bytes) in (0..).zip(lengths) {
                if worker.index() == 1 {
                    texts.insert(text(*bytes));
                }
                worker.commit(&mut texts)?;
                let changes = output.changes();
                let expected = if worker.index() == 0 { vec![(text(*bytes), epoch.into(), 1)] } else { vec![] };
                assert!(changes == expected, "{bytes} bytes in epoch {epoch}: {} changes", changes.len());
            }
            Ok(())
        });
    });
}

#[test]
fn of_every_length_around_the_buffers_of_a_socket() {
    let lengths: Vec<usize> = [0, 1].into_iter().chain((1 << 16) - 500..(1 << 16) + 20).collect();
    pass(2, &lengths);
    pass(1, &lengths[..40]);
}

#[test]
fn of_lengths_around_the_buffers_of_messages() {
    for shift in [20, 21] {
        let lengths: Vec<usize> = ((1 << shift) - 480..(1 << shift) + 20).step_by(20 << (shift - 20)).collect();
        pass(2, &lengths);
    }
}

#[test]
fn of_many_megabytes_and_short_ones_after() {
    for processes in [1, 2] {
        pass(processes, &[3, 20_000_000, 4, 5_000_000, 1 << 16, 0]);
    }
}

/// The text itself through one exchange, as it is then there three or four times in each process.
#[test]
#[ignore = "takes a few gigabytes; the command is at the head of this file"]
fn as_long_as_is_promised() {
    const BYTES: usize = 256 << 20;
    for processes in [1, 2] {
        in_time(format!("{processes} processes"), || {
            on_two(processes, |worker| {
                let (mut texts, mut lengths) = worker.dataflow(|scope| {
                    let (session, texts) = scope.input::<String>("texts");
                    let lengths = texts.gather().map(|text| (text.len() as u64, text.bytes().all(|byte| byte == b'x')));
                    (session, lengths.output())
                })?;
                for epoch in 0..2 {
                    if worker.index() == 1 {
                        texts.insert("x".repeat(BYTES + epoch));
                    }
                    worker.commit(&mut texts)?;
                    let expected = ((BYTES + epoch) as u64, true);
                    let changes: Vec<_> = lengths.changes().into_iter().map(|(length, ..)| length).collect();
                    assert_eq!(changes, if worker.index() == 0 { vec![expected] } else { vec![] });
                }
                Ok(())
            });
        });
    }
}
