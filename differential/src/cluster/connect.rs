//! From addresses to sockets.
//!
//! ```text
//!   process 0          process 1                 process 2
//!   listens  <-hello-  connects; then listens  <-hello-  connects to 0, then to 1
//! ```
//!
//! Each process connects to those of lower number, and listens for those of higher. It answers only when all lower ones
//! have answered it, so nobody waits in a circle. Whoever isn't there yet is tried again until the patience is over.
//!
//! A connection counts when both have heard the other's hello and found it equal to their own, and the listener has
//! added its verdict: there may be two processes of the same number, and only the listener sees that. Strangers at our
//! door are sent off; strangers at somebody else's are taken for a peer that isn't there yet.
//!
//! Who gives up closes its sockets, and says so at its door to those who come within five seconds; so the others need not
//! wait for a process that it has refused.
//!
//! Cost: a peer is tried every 20 ms, and the door looked at every 5 ms.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::hello::{Hello, Unheard, other_protocol};
use super::layout::Cluster;
use crate::error::StartError;

/// How long to wait before a peer is tried again.
const AGAIN: Duration = Duration::from_millis(20);

/// How often the door is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// No wait is longer, however patient the caller is.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// How long a process that gives up keeps its door, to send off those who would wait for it.
const GRACE: Duration = Duration::from_secs(5);

/// The listener's verdicts on a hello.
const WELCOME: u8 = 0;
const TWICE: u8 = 1;
const GAVE_UP: u8 = 2;

/// A socket to each other process, none to this one.
pub(super) type Sockets = Vec<Option<TcpStream>>;

/// Listens and connects until this process can talk to all others.
///
/// # Errors
/// [`StartError`]: whom it waited for in vain, or what differs.
pub(super) fn connect(cluster: &Cluster) -> Result<Sockets, StartError> {
    let last = cluster.process + 1 == cluster.processes();
    let listener = if last { None } else { Some(listen(&cluster.addresses[cluster.process])?) };
    connect_by(cluster, listener)
}

/// Opens the door.
pub(super) fn listen(address: &str) -> Result<TcpListener, StartError> {
    TcpListener::bind(address)
        .map_err(|error| StartError::Listen { address: address.to_string(), reason: error.to_string() })
}

/// The same with a door that is open already, which the last process doesn't need.
pub(super) fn connect_by(cluster: &Cluster, listener: Option<TcpListener>) -> Result<Sockets, StartError> {
    let deadline = Instant::now() + cluster.patience.min(LONGEST);
    let mut sockets: Sockets = (0..cluster.processes()).map(|_| None).collect();
    for process in 0..cluster.process {
        sockets[process] = Some(reach(cluster, process, &sockets, deadline)?);
    }
    if let Some(listener) = listener {
        let received = receive(cluster, &listener, &mut sockets, deadline);
        if received.is_err() {
            send_off(cluster, &listener, &sockets);
        }
        received?;
    }
    for socket in sockets.iter().flatten() {
        socket.set_read_timeout(None).and_then(|()| socket.set_nodelay(true)).map_err(system)?;
    }
    Ok(sockets)
}

fn system(error: io::Error) -> StartError {
    StartError::System(error.to_string())
}

/// Time until the deadline, which is some: a wait of none is refused by the system.
fn until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

fn absent(cluster: &Cluster, process: usize, reason: String) -> StartError {
    let address = cluster.addresses[process].clone();
    StartError::Absent { process, address, waited: cluster.patience, reason }
}

/// Whether all that have come are still there.
fn all_stay(cluster: &Cluster, sockets: &Sockets) -> Result<(), StartError> {
    let gone = |socket: &TcpStream| {
        let looked = socket.set_nonblocking(true).and_then(|()| socket.peek(&mut [0]));
        let waits = matches!(&looked, Err(error) if error.kind() == ErrorKind::WouldBlock);
        socket.set_nonblocking(false).is_err() || !(waits || looked.is_ok_and(|bytes| bytes > 0))
    };
    let gone = sockets.iter().position(|socket| socket.as_ref().is_some_and(gone));
    gone.map_or(Ok(()), |process| Err(gave_up(cluster, process)))
}

fn gave_up(cluster: &Cluster, process: usize) -> StartError {
    StartError::GaveUp { process, address: cluster.addresses[process].clone() }
}

/// Connects to a process of lower number.
fn reach(cluster: &Cluster, process: usize, sockets: &Sockets, deadline: Instant) -> Result<TcpStream, StartError> {
    loop {
        all_stay(cluster, sockets)?;
        let reason = match greet(cluster, process, deadline) {
            Ok(socket) => return Ok(socket),
            Err(Greeting::Refused(error)) => return Err(error),
            Err(Greeting::NotYet(reason)) => reason,
        };
        if Instant::now() + AGAIN >= deadline {
            return Err(absent(cluster, process, reason));
        }
        std::thread::sleep(AGAIN);
    }
}

/// What came of an attempt.
enum Greeting {
    /// To be tried again.
    NotYet(String),
    /// The peer is there, and we don't fit.
    Refused(StartError),
}

impl From<io::Error> for Greeting {
    fn from(error: io::Error) -> Self {
        Greeting::NotYet(error.to_string())
    }
}

/// One attempt.
fn greet(cluster: &Cluster, process: usize, deadline: Instant) -> Result<TcpStream, Greeting> {
    let mut socket = dial(&cluster.addresses[process], deadline)?;
    socket.set_read_timeout(Some(until(deadline)))?;
    let hello = Hello::new(cluster, process);
    socket.write_all(&hello.encode())?;
    let heard = Hello::read(&mut socket).map_err(|unheard| match unheard {
        Unheard::Io(error) => Greeting::NotYet(format!("it answers nothing: {error}")),
        Unheard::Stranger => Greeting::NotYet("something else answers there".to_string()),
        Unheard::Protocol(protocol) => Greeting::Refused(other_protocol(process, protocol)),
    })?;
    hello.compare(&heard).map_err(Greeting::Refused)?;
    let mut verdict = [0];
    socket.read_exact(&mut verdict)?;
    match verdict {
        [WELCOME] => Ok(socket),
        [GAVE_UP] => Err(Greeting::Refused(gave_up(cluster, process))),
        _ => Err(Greeting::Refused(StartError::Twice { process: cluster.process, by: process })),
    }
}

/// A connection to any of the places that an address names.
fn dial(address: &str, deadline: Instant) -> io::Result<TcpStream> {
    let mut outcome = Err(io::Error::new(ErrorKind::NotFound, "the name stands for no address"));
    for place in address.to_socket_addrs()? {
        outcome = TcpStream::connect_timeout(&place, until(deadline));
        if let Ok(socket) = &outcome {
            // Where nobody listens, the system may connect a socket to itself.
            if socket.local_addr()? != socket.peer_addr()? {
                break;
            }
            outcome = Err(ErrorKind::ConnectionRefused.into());
        }
    }
    outcome
}

/// Somebody at the door, and what they said.
type Arrival = (TcpStream, Result<Hello, Unheard>);

/// Lets in the processes of higher number.
fn receive(
    cluster: &Cluster,
    listener: &TcpListener,
    sockets: &mut Sockets,
    deadline: Instant,
) -> Result<(), StartError> {
    let address = &cluster.addresses[cluster.process];
    let broken = |error: io::Error| StartError::Listen { address: address.clone(), reason: error.to_string() };
    listener.set_nonblocking(true).map_err(broken)?;
    let (sender, arrivals) = mpsc::channel::<Arrival>();
    let mut last_stranger = None;
    while let Some(missing) = (cluster.process + 1..sockets.len()).find(|&process| sockets[process].is_none()) {
        all_stay(cluster, sockets)?;
        match listener.accept() {
            Ok((socket, _)) => hear(socket, deadline, sender.clone()).map_err(system)?,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            // Whoever called has hung up.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
            Err(error) => return Err(broken(error)),
        }
        match arrivals.recv_timeout(LOOK) {
            Ok(arrival) => last_stranger = admit(cluster, arrival, sockets)?.or(last_stranger),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        if Instant::now() >= deadline && sockets[missing].is_none() {
            let reason = last_stranger.unwrap_or_else(|| "nobody called".to_string());
            return Err(absent(cluster, missing, reason));
        }
    }
    Ok(())
}

/// Tells those who have not called yet that it is in vain, if they come soon.
///
/// Those who were let in see their socket close. Whoever comes later waits for as long as it is patient: it can't tell a
/// process that is gone from one that isn't there yet.
fn send_off(cluster: &Cluster, listener: &TcpListener, sockets: &Sockets) {
    let deadline = Instant::now() + GRACE;
    // One of them is the cause, or never comes.
    let mut to_come = (cluster.process + 1..sockets.len()).filter(|&process| sockets[process].is_none()).count();
    while to_come > 1 && Instant::now() < deadline {
        let Ok((mut socket, _)) = listener.accept() else {
            std::thread::sleep(LOOK);
            continue;
        };
        let usable = socket.set_nonblocking(false).and_then(|()| socket.set_read_timeout(Some(until(deadline))));
        if let (Ok(()), Ok(heard)) = (usable, Hello::read(&mut socket)) {
            let hello = Hello::new(cluster, usize::try_from(heard.from).unwrap_or(usize::MAX)).encode();
            _ = socket.write_all(&[&hello[..], &[GAVE_UP]].concat());
            to_come -= 1;
        }
    }
}

/// Listens to whoever called, on a thread of its own: somebody who says nothing must not keep the door.
fn hear(mut socket: TcpStream, deadline: Instant, arrivals: Sender<Arrival>) -> io::Result<()> {
    socket.set_nonblocking(false)?;
    socket.set_read_timeout(Some(until(deadline)))?;
    std::thread::Builder::new().name("hello".to_string()).spawn(move || {
        let heard = Hello::read(&mut socket);
        // Nobody listens any more once all have come.
        _ = arrivals.send((socket, heard));
    })?;
    Ok(())
}

/// Answers a call, and keeps the socket if it is the one that was waited for; else tells what was wrong with it.
fn admit(cluster: &Cluster, (mut socket, heard): Arrival, sockets: &mut Sockets) -> Result<Option<String>, StartError> {
    let heard = match heard {
        Ok(heard) => heard,
        Err(Unheard::Io(error)) => return Ok(Some(format!("somebody called and said nothing: {error}"))),
        Err(Unheard::Stranger) => return Ok(Some("a stranger called".to_string())),
        Err(Unheard::Protocol(protocol)) => {
            // Its number is said in its own protocol; ours tells it that they differ.
            _ = socket.write_all(&Hello::new(cluster, 0).encode());
            return Err(other_protocol(usize::MAX, protocol));
        }
    };
    let from = usize::try_from(heard.from).unwrap_or(usize::MAX);
    let hello = Hello::new(cluster, from);
    let equal = hello.compare(&heard);
    let twice = equal.is_ok() && sockets.get(from).is_none_or(Option::is_some);
    let verdict = if twice { TWICE } else { WELCOME };
    let answered = socket.write_all(&[&hello.encode()[..], &[verdict]].concat());
    equal?;
    match answered {
        Ok(()) if !twice => {
            sockets[from] = Some(socket);
            Ok(None)
        }
        Ok(()) => Ok(Some(format!("a second process {from} called"))),
        Err(error) => Ok(Some(format!("process {from} called and hung up: {error}"))),
    }
}
