//! Why workers could not be started: a flag, a host file, a socket, or peers that were started otherwise.
//!
//! Each tells what to mend and where: the file and line, or both values of what differs. Where a process of a cluster
//! refuses another, both get the same error, seen from their side. Tested where they are made: `cluster/`.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Why workers could not be started. Nothing has run then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// A flag, or what stands for it in a program, has no sense.
    Flag {
        /// The flag, as it is spelled in full.
        flag: &'static str,
        /// What is wrong with its value.
        reason: String,
    },
    /// The host file can't be used.
    Hosts {
        /// Its name, as it was given.
        file: PathBuf,
        /// The line, counted from 1, where one is to blame.
        line: Option<usize>,
        /// What is wrong.
        reason: HostsReason,
    },
    /// This process can't listen at its own address.
    Listen {
        /// The address.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// Another process was waited for in vain.
    Absent {
        /// The process.
        process: usize,
        /// Its address.
        address: String,
        /// How long this process waited.
        waited: Duration,
        /// What came of the last attempt.
        reason: String,
    },
    /// Two processes were started in ways that don't fit.
    Unequal {
        /// What differs.
        what: &'static str,
        /// The other process.
        process: usize,
        /// Its value in this process.
        here: String,
        /// Its value in the other.
        there: String,
    },
    /// Another process with this process's number was there first.
    Twice {
        /// This process's number.
        process: usize,
        /// The process that says so.
        by: usize,
    },
    /// Another process ended while this one still waited for a third; what it says itself is why.
    GaveUp {
        /// The process that ended.
        process: usize,
        /// Its address.
        address: String,
    },
    /// The system gave no thread, or no socket.
    System(String),
}

/// What is wrong with a host file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostsReason {
    /// It can't be read; this is what the system says.
    Unreadable(String),
    /// It names fewer addresses than there are processes.
    TooFew {
        /// How many processes there are.
        processes: usize,
        /// How many addresses it names.
        addresses: usize,
    },
    /// This is not of the form `host:port`.
    NotAnAddress(String),
    /// This is not a port.
    BadPort(String),
    /// This address stands there before.
    Duplicate {
        /// The address.
        address: String,
        /// The line where it stands first.
        first: usize,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Flag { flag, reason } => write!(f, "{flag}: {reason}"),
            StartError::Hosts { file, line: Some(line), reason } => {
                write!(f, "{}, line {line}: {reason}", file.display())
            }
            StartError::Hosts { file, line: None, reason } => write!(f, "{}: {reason}", file.display()),
            StartError::Listen { address, reason } => write!(f, "cannot listen at {address}: {reason}"),
            StartError::Absent { process, address, waited, reason } => {
                write!(f, "process {process} ({address}) did not come within {waited:?}: {reason}")
            }
            StartError::Unequal { what, process, here, there } => {
                write!(f, "processes were started differently: {what} is {here} here and {there} at process {process}")
            }
            StartError::Twice { process, by } => {
                write!(f, "there are two processes of number {process}: process {by} talks to another one already")
            }
            StartError::GaveUp { process, address } => {
                write!(f, "process {process} ({address}) gave up before all had come: it says why")
            }
            StartError::System(reason) => write!(f, "cannot start: {reason}"),
        }
    }
}

impl std::error::Error for StartError {}

impl fmt::Display for HostsReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostsReason::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            HostsReason::TooFew { processes, addresses } => {
                write!(f, "{addresses} addresses for {processes} processes")
            }
            HostsReason::NotAnAddress(text) => write!(f, "{text:?} is not an address: wanted host:port"),
            HostsReason::BadPort(text) => write!(f, "{text:?} is not a port: wanted a number from 1 to 65535"),
            HostsReason::Duplicate { address, first } => write!(f, "{address} stands in line {first} already"),
        }
    }
}
