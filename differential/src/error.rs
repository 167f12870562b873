//! What can go wrong from outside, and how it is told.
//!
//! Three worlds, never mixed. What comes from *outside* (a row, a frontier someone else moved, a closure that panics)
//! becomes a value of [`Error`] with the facts in it. What a *reader* asks of a trace in vain is a `ReadError` of the
//! trace. What is *ours* (a batch out of order) is an assertion that prints both sides, and never appears here.
//!
//! ```text
//!   kernel              node                    region                      caller of commit or step
//!   Err(Overflow)  ->   Err(Fault)         ->   keeps the first         ->  Err(Error::Operator {
//!                       what, and when          adds who: the name              operator, time, reason })
//!                       panic in a closure ->   caught at the node
//! ```
//!
//! Each step adds what it alone knows: the kernel what happened, the node when, the region who.
//!
//! Errors are values that can be kept: the region answers with the same error as long as the operator that met it is
//! there, so they are `Clone` and compare. Tested where they are made: `region/failure_laws.rs`.

mod start;

use std::fmt;

pub use crate::bytes::{Flaw, Malformed};
use crate::time::{Frontier, LateTime, Point};
pub use start::{HostsReason, StartError};

/// A sum or product of diffs left the range of its type.
///
/// Diffs never wrap: the operator that met this reports it with its name, and stops.
///
/// ```
/// use differential::diff::{Diff, Overflow};
/// assert_eq!(i64::MAX.plus(&1), Err(Overflow));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sum or product of diffs overflowed")
    }
}

impl std::error::Error for Overflow {}

/// An [`Overflow`], and the time of the updates whose sum or product it was.
///
/// One word, as it is the answer of kernels that hardly ever fail.
///
/// ```
/// use differential::error::{Fault, OverflowAt};
/// use differential::time::Point;
/// assert_eq!(Fault::from(OverflowAt::new(Point::from(3))).time, Some(Point::from(3)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverflowAt<T>(Box<T>);

impl<T> OverflowAt<T> {
    /// One that was met at `time`.
    pub fn new(time: T) -> Self {
        OverflowAt(Box::new(time))
    }

    /// When it was met.
    pub fn time(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Debug> fmt::Display for OverflowAt<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{Overflow} at time {:?}", self.0)
    }
}

impl<T: fmt::Debug> std::error::Error for OverflowAt<T> {}

impl<T> From<OverflowAt<T>> for Overflow {
    fn from(_: OverflowAt<T>) -> Self {
        Overflow
    }
}

/// Why a dataflow could not be built, or could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An operator could not go on. It and all that depends on it have stopped; everything else goes on.
    Operator {
        /// The name that the operator was given when it was built.
        operator: String,
        /// The time of the update that it was working on, where one is known.
        time: Option<Point>,
        /// What it met.
        reason: Reason,
    },
    /// A dataflow was refused: going round this cycle does not advance time, so it would never end.
    Cycle {
        /// The operators of one such cycle, in the direction of the data.
        operators: Vec<String>,
    },
    /// A dataflow was refused: it combines collections of two scopes of which neither encloses the other, or lets one
    /// leave the outermost.
    Scopes {
        /// The scope of the one.
        left: String,
        /// The scope of the other.
        right: String,
    },
    /// A dataflow was refused: this variable was never given its definition.
    Unset {
        /// The variable, with its scope.
        operator: String,
    },
    /// An update was refused: its time is closed. Nothing has changed.
    Closed {
        /// The input that was to be fed.
        input: String,
        /// The update's time.
        time: Point,
        /// What may still be fed is in advance of this.
        frontier: Frontier<Point>,
    },
    /// An update was refused: its time has more coordinates than the times of inputs. Nothing has changed.
    TooDeep {
        /// The input that was to be fed.
        input: String,
        /// The update's time.
        time: Point,
        /// How many coordinates the times of inputs have.
        coordinates: usize,
    },
    /// A commit was refused: the input has closed more than was asked for. Nothing has changed.
    Backwards {
        /// The input.
        input: String,
        /// The frontier asked for.
        asked: Frontier<Point>,
        /// The input's frontier.
        frontier: Frontier<Point>,
    },
    /// A time can't be read any more: it was given up.
    Compacted {
        /// The time asked for.
        asked: Point,
        /// What can still be told apart is in advance of this.
        since: Frontier<Point>,
    },
    /// A time can't be read yet: it is not complete.
    NotYet {
        /// The time asked for.
        asked: Point,
        /// What may still come is in advance of this.
        upper: Frontier<Point>,
    },
    /// Something else that kept a collection from being read, in words.
    Unreadable(String),
    /// Another worker broke the computation off, in its words.
    Workers(String),
    /// The program was told to stop, as [`Config::stop_when`](crate::Config::stop_when) says.
    Stopped,
    /// Something went wrong on another worker.
    Elsewhere {
        /// Which one.
        worker: usize,
        /// What it says.
        error: String,
    },
    /// Two workers have built different dataflows where they must be the same.
    Plans {
        /// The number of the first operator of the dataflow.
        first: usize,
        /// This worker, and how many operators it built there with which hash, if any.
        ours: (usize, Option<(usize, u64)>),
        /// The other one, likewise.
        theirs: (usize, usize, u64),
    },
    /// Workers could not be started. Nothing has run.
    Start(StartError),
    /// A worker of this process ended with a panic, and took the others with it.
    Worker {
        /// Its number among the workers of all processes.
        worker: usize,
        /// What it met.
        reason: Reason,
    },
    /// Another process ended, or can't be reached any more, before all was done. What this process would answer after
    /// that could be wrong, so it stops.
    Peer {
        /// The process.
        process: usize,
        /// Its address.
        address: String,
        /// What was seen of it last.
        reason: String,
    },
    /// A dataflow was refused: what leaves to timely in held mode goes through an exchange on its way from there.
    Held {
        /// The output.
        output: String,
        /// The exchange.
        exchange: String,
    },
    /// A dataflow was refused: times of timely with so many coordinates can't enter a region or leave it.
    Coordinates {
        /// How many coordinates timely's times have.
        outside: usize,
        /// How many the times of the region's inputs have.
        inside: usize,
    },
    /// A dataflow was refused: an operator was asked for what it does not do.
    Refused {
        /// The operator, by its name.
        operator: String,
        /// What it was asked for, in words.
        reason: String,
    },
    /// A dataflow was refused: it reads from an operator that was taken out.
    Removed {
        /// The operator that was to read.
        reader: String,
        /// The operator that is there no more.
        operator: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Operator { operator, time: Some(time), reason } => {
                write!(f, "operator `{operator}` stopped at time {time:?}: {reason}")
            }
            Error::Operator { operator, time: None, reason } => write!(f, "operator `{operator}` stopped: {reason}"),
            Error::Cycle { operators } => {
                f.write_str("a cycle that does not advance time:")?;
                operators
                    .iter()
                    .chain(operators.first())
                    .enumerate()
                    .try_for_each(|(index, operator)| write!(f, "{} `{operator}`", if index == 0 { "" } else { " ->" }))
            }
            Error::Scopes { left, right } => {
                write!(f, "collections of scopes that are not nested were combined: `{left}` and `{right}`")
            }
            Error::Unset { operator } => write!(f, "`{operator}` was never given its definition"),
            Error::Closed { input, time, frontier } => {
                write!(f, "input `{input}`: time {time:?} is closed; what may be fed is in advance of {frontier:?}")
            }
            Error::TooDeep { input, time, coordinates } => {
                write!(f, "input `{input}`: time {time:?} is deeper than the {coordinates} coordinates of inputs")
            }
            Error::Backwards { input, asked, frontier } => {
                write!(f, "input `{input}`: can't commit to {asked:?}, as it is already closed up to {frontier:?}")
            }
            Error::Compacted { asked, since } => {
                write!(f, "time {asked:?} can't be read any more, only times in advance of {since:?}")
            }
            Error::NotYet { asked, upper } => {
                write!(f, "time {asked:?} can't be read yet: changes may still come in advance of {upper:?}")
            }
            Error::Unreadable(words) | Error::Workers(words) => f.write_str(words),
            Error::Stopped => f.write_str("told to stop"),
            Error::Elsewhere { worker, error } => write!(f, "worker {worker}: {error}"),
            Error::Plans { first, ours: (here, ours), theirs: (there, nodes, hash) } => {
                write!(f, "workers built different dataflows from operator {first} on: worker {here} ")?;
                match ours {
                    Some((nodes, hash)) => write!(f, "{nodes} operators (plan {hash:016x})")?,
                    None => f.write_str("nothing")?,
                }
                write!(f, ", worker {there} {nodes} operators (plan {hash:016x})")
            }
            Error::Start(error) => error.fmt(f),
            Error::Worker { worker, reason } => write!(f, "worker {worker} stopped: {reason}"),
            Error::Peer { process, address, reason } => {
                write!(f, "process {process} ({address}) is gone before the end: {reason}")
            }
            Error::Held { output, exchange } => {
                write!(
                    f,
                    "`{output}` can't leave in held mode: `{exchange}` on its way brings updates to other workers"
                )
            }
            Error::Coordinates { outside, inside } => {
                write!(f, "timely's times have {outside} coordinates, those of the region's inputs {inside}")
            }
            Error::Refused { operator, reason } => write!(f, "operator `{operator}`: {reason}"),
            Error::Removed { reader, operator } => {
                write!(f, "operator `{reader}` reads from `{operator}`, which was taken out")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<StartError> for Error {
    fn from(error: StartError) -> Self {
        Error::Start(error)
    }
}

/// What an operator met that stopped it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A sum or product of diffs left the range of its type.
    Overflow,
    /// A coordinate of a time left the range of `u64`.
    LateTime,
    /// A closure panicked, with this message.
    Panic(String),
    /// A record's total is negative where it must not be.
    Negative {
        /// The record, as its `Debug` shows it.
        record: String,
        /// Its total at the fault's time.
        total: String,
    },
    /// A loop has not converged in the number of rounds that it was given.
    Rounds {
        /// How many those are.
        limit: u64,
        /// How many records were seen to change in the next round: at least so many do.
        records: usize,
        /// Some of them, as their `Debug` shows them.
        changing: Vec<String>,
    },
    /// A time was asked for that a trace can't tell from later ones any more.
    Compacted {
        /// What was asked for.
        asked: Box<Frontier<Point>>,
        /// From where on the trace still tells times apart.
        since: Box<Frontier<Point>>,
    },
    /// What another process sent is not what it should be.
    Malformed(Malformed),
    /// Something else, in words.
    Other(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Overflow => Overflow.fmt(f),
            Reason::LateTime => LateTime.fmt(f),
            Reason::Panic(message) => write!(f, "it panicked: {message}"),
            Reason::Negative { record, total } => write!(f, "the total of {record} is negative: {total}"),
            Reason::Rounds { limit, records, changing } => {
                let more = if changing.len() < *records { ", ..." } else { "" };
                write!(f, "it has not converged in {limit} rounds; {records} records or more still change: ")?;
                write!(f, "{}{more}", changing.join(", "))
            }
            Reason::Compacted { asked, since } => {
                write!(f, "history at {asked:?} was asked for, but is kept only from {since:?} on")
            }
            Reason::Malformed(malformed) => malformed.fmt(f),
            Reason::Other(words) => f.write_str(words),
        }
    }
}

/// What a node gives back when it can't go on: what it met and when. The region adds its name.
///
/// ```
/// use differential::error::{Fault, Overflow, Reason};
/// use differential::time::Point;
/// let fault = Fault::from(Overflow).at(Point::from(3));
/// assert_eq!((fault.reason, fault.time), (Reason::Overflow, Some(Point::from(3))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The time of the update that was being worked on, where one is known.
    pub time: Option<Point>,
    /// What was met.
    pub reason: Reason,
}

impl Fault {
    /// This fault, met at `time`.
    pub fn at(self, time: Point) -> Self {
        Fault { time: Some(time), ..self }
    }

    /// The fault of a panic, from what [`catch_unwind`](std::panic::catch_unwind) caught.
    pub(crate) fn from_panic(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Reason::Panic(text.unwrap_or("a panic without a text").to_string()).into()
    }
}

impl From<Reason> for Fault {
    fn from(reason: Reason) -> Self {
        Fault { time: None, reason }
    }
}

impl From<LateTime> for Fault {
    fn from(LateTime: LateTime) -> Self {
        Reason::LateTime.into()
    }
}

impl From<Malformed> for Fault {
    fn from(malformed: Malformed) -> Self {
        Reason::Malformed(malformed).into()
    }
}

impl From<Overflow> for Fault {
    fn from(Overflow: Overflow) -> Self {
        Reason::Overflow.into()
    }
}

impl From<OverflowAt<Point>> for Fault {
    fn from(OverflowAt(time): OverflowAt<Point>) -> Self {
        Fault::from(Overflow).at(*time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_facts() {
        let fault = Fault::from(Overflow).at(Point::from([3, 1]));
        let error = Error::Operator { operator: "count".to_string(), time: fault.time, reason: fault.reason };
        assert_eq!(error.to_string(), "operator `count` stopped at time [3, 1]: a sum or product of diffs overflowed");
        let error = Error::Cycle { operators: vec!["leave".to_string(), "map".to_string()] };
        assert_eq!(error.to_string(), "a cycle that does not advance time: `leave` -> `map` -> `leave`");
        let asked = Box::new(Frontier::from(Point::from(2)));
        let since = Box::new(Frontier::from(Point::from(5)));
        assert_eq!(
            Reason::Compacted { asked, since }.to_string(),
            "history at {[2]} was asked for, but is kept only from {[5]} on"
        );
    }
}
