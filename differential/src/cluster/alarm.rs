//! The one flag of a process for all that ends early.
//!
//! ```text
//!   a worker panics or fails ──┐            ┌── sockets are closed: peers see an end without a good-bye
//!   a connection breaks ───────┴─ raise ────┼── parked workers wake, and `check` answers the cause, to all the same
//!                                 once      └── `wait_for_workers` ends when the last of them has left
//! ```
//!
//! Why a flag and not a panic of the thread that noticed: timely spreads such a panic by poisoning its queues, so each
//! worker dies of a panic about a queue, and the cause is in a message of another thread. A flag costs one load a look,
//! and what comes out is a value that says what happened.
//!
//! Invariant: the first cause stays. Whatever breaks afterwards follows from it.

use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use crate::error::Error;

/// The flag, shared by the workers of a process and the threads that serve its sockets.
///
/// [`Alarm::default`] is one that nobody raises: for a worker that is alone.
#[derive(Clone, Debug, Default)]
pub struct Alarm {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Whether `state.cause` is there, to be looked at without a lock.
    raised: AtomicBool,
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct State {
    cause: Option<Error>,
    sockets: Vec<TcpStream>,
    threads: Vec<Thread>,
    /// Workers that have not left yet.
    workers: usize,
}

impl Alarm {
    /// Whether all may go on. To be asked before each wait.
    ///
    /// # Errors
    /// What ended early.
    pub fn check(&self) -> Result<(), Error> {
        if !self.is_raised() {
            return Ok(());
        }
        self.state().cause.clone().map_or(Ok(()), Err)
    }

    /// Whether something ended early.
    pub fn is_raised(&self) -> bool {
        self.shared.raised.load(Ordering::Acquire)
    }

    /// Ends everything of this process, because of this; only the first cause counts.
    pub fn raise(&self, cause: Error) {
        let mut state = self.state();
        if state.cause.is_some() {
            return;
        }
        state.cause = Some(cause);
        self.shared.raised.store(true, Ordering::Release);
        // A socket that is closed already is as good as one that we close.
        state.sockets.iter().for_each(|socket| _ = socket.shutdown(Shutdown::Both));
        state.threads.iter().for_each(Thread::unpark);
    }

    /// Closes this socket when the alarm is raised.
    pub(super) fn guard(&self, socket: TcpStream) {
        self.state().sockets.push(socket);
    }

    /// A place for a worker, which is counted until it is dropped.
    pub(super) fn seat(&self) -> Seat {
        self.state().workers += 1;
        Seat { alarm: self.clone() }
    }

    /// Waits until no worker is left.
    pub(super) fn wait_for_workers(&self) {
        let mut state = self.state();
        while state.workers > 0 {
            state = self.shared.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that holds the lock can panic halfway.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker's place.
pub(super) struct Seat {
    alarm: Alarm,
}

impl Seat {
    /// This thread is the worker: it wakes when the alarm is raised.
    pub(super) fn take(&self) {
        self.alarm.state().threads.push(std::thread::current());
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.alarm.state().workers -= 1;
        self.alarm.shared.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cause_stays_and_all_hear_it() {
        let (alarm, cause) = (Alarm::default(), |words: &str| Error::Workers(words.to_string()));
        assert_eq!((alarm.check(), alarm.is_raised()), (Ok(()), false));
        let other = alarm.clone();
        other.raise(cause("first"));
        other.raise(cause("second"));
        assert_eq!((alarm.check(), alarm.is_raised()), (Err(cause("first")), true));
    }

    #[test]
    fn a_parked_worker_wakes_and_its_leaving_is_waited_for() {
        let alarm = Alarm::default();
        let (seat, unused) = (alarm.seat(), alarm.seat());
        drop(unused);
        let (parked, in_place) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let worker = alarm.clone();
            scope.spawn(move || {
                seat.take();
                parked.send(()).expect("we listen");
                while worker.check().is_ok() {
                    std::thread::park();
                }
                drop(seat);
            });
            in_place.recv().expect("it speaks");
            alarm.raise(Error::Workers("stop".to_string()));
            alarm.wait_for_workers();
        });
    }
}
