//! What can end a run of a program early, each with the facts a person needs to mend it.

use super::shown::counted;
use crate::language::near::near;
use crate::sources::errors::SourceError;
use crate::sources::map::MapError;
use crate::sources::writer::WriteError;
use crate::together::Unfit;
use std::fmt;
use std::io;

/// Why a run ended before its answer was complete.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// Programs cannot be used.
    Unfit(Unfit),
    /// The file that says which tag of a feed is whose.
    Map(MapError),
    /// A flag names something that the program does not have.
    NoSuch {
        /// The flag.
        flag: &'static str,
        /// What it was to be, such as `source`.
        what: &'static str,
        /// What it named.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Sources that no flag gives a file.
    NoFile {
        /// Their names, not none.
        sources: Vec<String>,
    },
    /// A file that cannot be read, or a line of it.
    Source(SourceError),
    /// One bad line more than may be skipped.
    TooManyBad {
        /// How many may be.
        allowed: u64,
        /// What is wrong with this one.
        error: SourceError,
    },
    /// A file that cannot be written.
    Write(WriteError),
    /// The engine could not complete a commit.
    Engine {
        /// The commit, from 1.
        commit: u64,
        /// What it says.
        error: differential::Error,
    },
    /// Workers could not be started, or ended early.
    Workers(differential::Error),
    /// An answer could not be written.
    Output(io::Error),
    /// A person asked for it. What was known by then is written.
    Interrupted,
}

impl From<Unfit> for RunError {
    fn from(unfit: Unfit) -> Self {
        RunError::Unfit(unfit)
    }
}

impl From<MapError> for RunError {
    fn from(error: MapError) -> Self {
        RunError::Map(error)
    }
}

impl From<SourceError> for RunError {
    fn from(error: SourceError) -> Self {
        RunError::Source(error)
    }
}

impl From<WriteError> for RunError {
    fn from(error: WriteError) -> Self {
        RunError::Write(error)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Unfit(unfit) => unfit.fmt(out),
            RunError::Map(error) => error.fmt(out),
            RunError::NoSuch { flag, what, name, known } => {
                write!(out, "{flag}: the program has no {what} {name:?}")?;
                match near(name, known.iter().map(String::as_str)) {
                    Some(meant) => write!(out, "; did you mean {meant:?}?"),
                    None if known.is_empty() => write!(out, ", nor any other"),
                    None => write!(out, "; there are {}", known.join(", ")),
                }
            }
            RunError::NoFile { sources } => {
                let named: Vec<String> = sources.iter().map(|source| format!("`{source}`")).collect();
                let said: Vec<String> = sources.iter().map(|source| format!("--source {source}=FILE")).collect();
                let noun = if sources.len() == 1 { "source" } else { "sources" };
                write!(out, "no file for the {noun} {}: say {}", named.join(", "), said.join(" "))
            }
            RunError::Source(error) => error.fmt(out),
            RunError::TooManyBad { allowed: 0, error } => {
                write!(out, "{error} (--skip-bad N leaves out up to N such lines)")
            }
            RunError::TooManyBad { allowed, error } => {
                let lines = counted(i128::from(*allowed), "bad line");
                write!(out, "{error} ({lines} left out before)")
            }
            RunError::Write(error) => error.fmt(out),
            RunError::Engine { commit, error } => write!(out, "commit {commit} failed: {error}"),
            RunError::Workers(error) => error.fmt(out),
            RunError::Output(error) => write!(out, "cannot write: {error}"),
            RunError::Interrupted => out.write_str("interrupted"),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RunError::Unfit(unfit) => Some(unfit),
            RunError::Map(error) => Some(error),
            RunError::Output(error) => Some(error),
            RunError::Source(error) | RunError::TooManyBad { error, .. } => Some(error),
            RunError::Write(error) => Some(error),
            RunError::Engine { error, .. } | RunError::Workers(error) => Some(error),
            _ => None,
        }
    }
}
