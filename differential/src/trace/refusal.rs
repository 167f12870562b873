//! Why a trace can't be read as asked: an answer to the reader, with the facts in it.

use std::fmt;

use super::Position;
use crate::error::Error;
use crate::time::{Frontier, Point};

/// Why a trace could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError<T> {
    /// That time was given up: ask at or past `since`, or hold it earlier next time.
    Compacted {
        /// The time asked for.
        asked: T,
        /// What can still be told apart.
        since: Frontier<T>,
    },
    /// Not known yet: wait until `upper` has passed the time.
    NotYet {
        /// The time asked for.
        asked: T,
        /// What may still come.
        upper: Frontier<T>,
    },
    /// Nothing held that boundary, and spans on both sides of it were merged: hold the position before it is passed.
    Merged {
        /// The position asked for.
        asked: Position,
        /// The first span of the batch that the position lies in.
        first: Position,
        /// The last span of that batch.
        last: Position,
    },
    /// There are not that many spans.
    NotAppended {
        /// The position asked for.
        asked: Position,
        /// The spans appended so far.
        newest: Position,
    },
    /// All readers had released their times, and so everything has gone.
    Released,
    /// A count left the range of its type while the updates were added up.
    Overflow,
}

impl<T: fmt::Debug> fmt::Display for ReadError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Compacted { asked, since } => {
                write!(f, "time {asked:?} can't be told apart any more: times are kept since {since:?}")
            }
            ReadError::NotYet { asked, upper } => {
                write!(f, "time {asked:?} is not complete yet: updates may still come at {upper:?}")
            }
            ReadError::Merged { asked, first, last } => {
                write!(f, "position {asked} was not held: spans {first} to {last} have become one batch")
            }
            ReadError::NotAppended { asked, newest } => {
                write!(f, "position {asked} is ahead of the {newest} spans appended so far")
            }
            ReadError::Released => f.write_str("all readers had let go of the trace, and its contents have gone"),
            ReadError::Overflow => f.write_str("a count left the range of its type"),
        }
    }
}

impl<T: fmt::Debug> std::error::Error for ReadError<T> {}

impl From<ReadError<Point>> for Error {
    // So that a program may read and commit under one `?`.
    fn from(error: ReadError<Point>) -> Self {
        match error {
            ReadError::Compacted { asked, since } => Error::Compacted { asked, since },
            ReadError::NotYet { asked, upper } => Error::NotYet { asked, upper },
            other => Error::Unreadable(other.to_string()),
        }
    }
}
