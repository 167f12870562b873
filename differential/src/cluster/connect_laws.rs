//! Connecting, by processes that are threads here: whoever fits finds all others, and whoever doesn't is told why on
//! both sides. Doors are opened at port 0, so that the system picks free ones.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use super::connect::{connect, connect_by, listen};
use super::hello::Hello;
use super::layout::Cluster;
use crate::error::StartError;

/// Open doors, and the clusters of the processes behind them.
fn doors(processes: usize) -> (Vec<TcpListener>, Vec<Cluster>) {
    let doors: Vec<TcpListener> = (0..processes).map(|_| listen("127.0.0.1:0").expect("a free port")).collect();
    let addresses: Vec<String> = doors.iter().map(|door| door.local_addr().expect("open").to_string()).collect();
    let cluster = |process| Cluster { process, addresses: addresses.clone(), ..Cluster::threads(2) };
    (doors, (0..processes).map(cluster).collect())
}

type Outcome = Result<Vec<Option<TcpStream>>, StartError>;

/// All of them at once.
fn all(doors: Vec<TcpListener>, clusters: &[Cluster]) -> Vec<Outcome> {
    thread::scope(|scope| {
        let threads: Vec<_> =
            clusters.iter().zip(doors).map(|(cluster, door)| scope.spawn(|| connect_by(cluster, Some(door)))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// Each pair says its numbers to each other over the sockets.
fn talk(outcomes: Vec<Outcome>) {
    let mut sockets: Vec<Vec<Option<TcpStream>>> =
        outcomes.into_iter().map(|outcome| outcome.expect("connected")).collect();
    for (from, sockets) in sockets.iter_mut().enumerate() {
        assert!(sockets[from].is_none(), "none to oneself");
        for (to, socket) in sockets.iter_mut().enumerate().filter(|(to, _)| *to != from) {
            socket.as_mut().expect("one to each other").write_all(&[from as u8, to as u8]).expect("open");
        }
    }
    for (to, sockets) in sockets.iter_mut().enumerate() {
        for (from, socket) in sockets.iter_mut().enumerate().filter(|(from, _)| *from != to) {
            let mut said = [0; 2];
            socket.as_mut().expect("one to each other").read_exact(&mut said).expect("open");
            assert_eq!(said, [from as u8, to as u8]);
        }
    }
}

#[test]
fn all_find_each_other() {
    for processes in 1..=5 {
        let (doors, clusters) = doors(processes);
        talk(all(doors, &clusters));
    }
}

#[test]
fn strangers_at_the_door_disturb_nobody() {
    let (doors, clusters) = doors(2);
    let mut callers: Vec<TcpStream> =
        (0..3).map(|_| TcpStream::connect(&clusters[0].addresses[0]).expect("open")).collect();
    callers[0].write_all(b"GET / HTTP/1.1\r\n\r\n").expect("open");
    callers.remove(1);
    talk(all(doors, &clusters));
}

#[test]
fn unequal_processes_are_told_on_both_sides() {
    let change: [(&str, fn(&mut Cluster)); 3] = [
        ("the number of threads", |cluster| cluster.threads = 3),
        ("the number of processes", |cluster| cluster.addresses.push("elsewhere:1".to_string())),
        ("an argument", |cluster| cluster.arguments = vec!["--scc".to_string()]),
    ];
    for (what, change) in change {
        let (doors, mut clusters) = doors(2);
        change(&mut clusters[1]);
        let told: Vec<(&str, usize, String, String)> = all(doors, &clusters)
            .into_iter()
            .map(|outcome| match outcome {
                Err(StartError::Unequal { what, process, here, there }) => (what, process, here, there),
                other => panic!("{what}: {other:?}"),
            })
            .collect();
        let [zero, one] = &told[..] else { panic!("two processes") };
        assert_eq!((zero.0, zero.1, one.0, one.1), (what, 1, what, 0));
        assert_eq!((&zero.2, &zero.3), (&one.3, &one.2), "{what}: both see both values");
        assert_ne!(zero.2, zero.3);
    }
}

/// Process 0 refuses one of the others; none waits for that one, whoever came first.
#[test]
fn a_refusal_ends_the_waiting_of_all() {
    for odd in [1, 2] {
        for late in 0..3 {
            let (doors, mut clusters) = doors(3);
            clusters.iter_mut().for_each(|cluster| cluster.patience = Duration::from_secs(100));
            clusters[odd].arguments = vec!["--scc".to_string()];
            let outcomes: Vec<Outcome> = thread::scope(|scope| {
                let start = |(cluster, door): (usize, TcpListener)| {
                    let cluster = &clusters[cluster];
                    scope.spawn(move || connect_by(cluster, Some(door)))
                };
                let (mut first, last): (Vec<_>, Vec<_>) = (0..).zip(doors).partition(|(process, _)| *process != late);
                let mut threads: Vec<_> = first.drain(..).map(start).collect();
                threads.extend(last.into_iter().map(start));
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            let told: Vec<StartError> = outcomes.into_iter().map(|outcome| outcome.expect_err("they differ")).collect();
            let named = told.iter().filter(|error| matches!(error, StartError::Unequal { what: "an argument", .. }));
            assert!(named.count() >= 2, "{odd}, {late}: {told:?}");
            let others = told.iter().filter(|error| matches!(error, StartError::GaveUp { process: 0, .. }));
            assert!(others.count() <= 1, "{odd}, {late}: {told:?}");
        }
    }
}

#[test]
fn a_second_process_of_one_number_is_told_and_the_first_goes_on() {
    let (mut doors, clusters) = doors(3);
    drop(doors.split_off(1));
    let door = doors.pop().expect("of process 0");
    // Process 2 comes last: the door stays open until both others of number 1 have been answered.
    let (zero, mut ones) = thread::scope(|scope| {
        let zero = scope.spawn(|| connect_by(&clusters[0], Some(door)));
        let alone = Cluster { addresses: clusters[0].addresses.clone(), ..clusters[1].clone() };
        let one = || {
            let mut socket = TcpStream::connect(&alone.addresses[0]).expect("open");
            socket.write_all(&Hello::new(&alone, 0).encode()).expect("open");
            Hello::read(&mut socket).expect("an answer");
            let mut verdict = [9];
            socket.read_exact(&mut verdict).expect("a verdict");
            (verdict[0], socket)
        };
        let ones = [one(), one()];
        let mut two = TcpStream::connect(&alone.addresses[0]).expect("open");
        two.write_all(&Hello::new(&clusters[2], 0).encode()).expect("open");
        (zero.join().expect("no panic").expect("both came"), ones)
    });
    assert_eq!((ones[0].0, ones[1].0), (0, 1), "welcome, twice");
    ones[0].1.write_all(b"x").expect("open");
    let mut said = [0];
    zero[1].as_ref().expect("process 1").read_exact(&mut said).expect("the first of them");
    assert_eq!(said, *b"x");
}

#[test]
fn the_second_of_one_number_gets_a_typed_error() {
    let (mut doors, clusters) = doors(3);
    let door = doors.remove(0);
    let alone: Vec<Cluster> =
        [1, 1].map(|at| Cluster { patience: Duration::from_secs(1), ..clusters[at].clone() }).into();
    thread::scope(|scope| {
        let zero = Cluster { patience: Duration::from_secs(1), ..clusters[0].clone() };
        scope.spawn(move || connect_by(&zero, Some(door)));
        let outcomes: Vec<Outcome> = alone.iter().map(|cluster| connect_by(cluster, None)).collect();
        assert!(outcomes[0].is_ok(), "{outcomes:?}");
        assert_eq!(outcomes[1].as_ref().err(), Some(&StartError::Twice { process: 1, by: 0 }));
    });
}

#[test]
fn a_port_in_use_is_named() {
    let (_doors, clusters) = doors(2);
    let Err(StartError::Listen { address, reason }) = connect(&clusters[0]) else { panic!("it is in use") };
    assert_eq!(address, clusters[0].addresses[0]);
    assert!(reason.contains("in use"), "{reason}");
    let cluster = Cluster { addresses: vec!["no such host:1".to_string(); 2], ..Cluster::threads(1) };
    assert!(matches!(connect(&cluster), Err(StartError::Listen { .. })));
}

#[test]
fn nobody_is_waited_for_longer_than_patience() {
    let patience = Duration::from_millis(60);
    let (mut doors, clusters) = doors(2);
    let [zero, one] = [0, 1].map(|at| Cluster { patience, ..clusters[at].clone() });
    let said = |outcome: Outcome| outcome.expect_err("nobody is there").to_string();
    // The door of process 0 is closed: it is tried again and again.
    let door = doors.remove(0);
    drop(door);
    let address = &one.addresses[0];
    let refused = said(connect(&one));
    assert!(refused.starts_with(&format!("process 0 ({address}) did not come within 60ms: ")), "{refused}");
    // It is open, and nobody answers.
    let silent = doors.remove(0);
    let behind = Cluster { addresses: vec![one.addresses[1].clone(), "elsewhere:1".to_string()], ..one.clone() };
    let mute = said(connect(&behind));
    assert!(mute.contains("did not come within 60ms: it answers nothing: "), "{mute}");
    drop(silent);
    // Nobody calls, or only strangers do.
    let door = listen("127.0.0.1:0").expect("a free port");
    let address = door.local_addr().expect("open");
    assert!(said(connect_by(&zero, Some(door))).ends_with("did not come within 60ms: nobody called"));
    let door = listen("127.0.0.1:0").expect("a free port");
    let mut stranger = TcpStream::connect(door.local_addr().expect("open")).expect("open");
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("open");
    assert!(said(connect_by(&zero, Some(door))).ends_with("did not come within 60ms: a stranger called"), "{address}");
}
