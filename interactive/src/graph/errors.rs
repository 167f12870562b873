//! What can go wrong from outside while a graph is replayed, each with the facts a person needs to mend it.
//!
//! Flags are not here: they are refused by `flags.rs` before any file is opened. Whatever of this happens, reports
//! already written stay written, and no report is written for the commit that was open.

use super::rows::LineError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a replay ended before the end of its file.
#[derive(Debug)]
#[non_exhaustive]
pub enum GraphError {
    /// The file could not be opened.
    Open {
        /// Its name as given.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file could not be read on: a disk error, or compressed bytes that are damaged or end too early.
    Read {
        /// Its name as given.
        file: PathBuf,
        /// The line that was being read, from 1.
        line: u64,
        /// What the system says.
        error: io::Error,
    },
    /// A line says something that cannot be done.
    Line {
        /// The file's name as given.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        error: LineError,
    },
    /// Whoever answers could not complete a commit.
    Answers {
        /// The commit, from 1.
        commit: u64,
        /// What the engine says.
        error: AnswersError,
    },
    /// Workers could not be started, or ended early.
    Workers {
        /// What the engine says.
        error: AnswersError,
    },
    /// A person asked for it. What was known by then is reported.
    Interrupted,
    /// A report could not be written.
    Write {
        /// What the system says.
        error: io::Error,
    },
}

/// Why answers could not be brought up to date: the engine's own error.
pub type AnswersError = Box<dyn std::error::Error + Send + Sync>;

impl fmt::Display for GraphError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Open { file, error } => write!(out, "{}: cannot open: {error}", file.display()),
            GraphError::Read { file, line, error } => {
                write!(out, "{}, line {line}: cannot read: {error}", file.display())
            }
            GraphError::Line { file, line, error } => write!(out, "{}, line {line}: {error}", file.display()),
            GraphError::Answers { commit, error } => write!(out, "commit {commit} failed: {error}"),
            GraphError::Workers { error } => error.fmt(out),
            GraphError::Interrupted => out.write_str("interrupted"),
            GraphError::Write { error } => write!(out, "cannot write a report: {error}"),
        }
    }
}

impl std::error::Error for GraphError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            GraphError::Open { error, .. } | GraphError::Read { error, .. } | GraphError::Write { error } => {
                Some(error)
            }
            GraphError::Interrupted => None,
            GraphError::Line { error, .. } => Some(error),
            GraphError::Answers { error, .. } | GraphError::Workers { error } => Some(error.as_ref()),
        }
    }
}
