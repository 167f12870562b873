//! How many processes and threads there are, where they are, and which of them this one is.
//!
//! Workers are numbered over all processes: process `p` of `threads` each has workers `p * threads ..`. All processes
//! must be given the same number of threads and the same number of addresses, in the same order; the handshake checks
//! that. Addresses may be spelled differently: a process knows itself and others by number.
//!
//! A layout is a plain value and may be senseless until [`Cluster::check`] has seen it.

use std::time::Duration;

use crate::error::StartError;

/// How long a process waits for all others, where nothing else is asked for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process listens at this port of its own machine and the next ones, where no host file says otherwise.
const FIRST_PORT: u16 = 2101;

/// As many threads as a process may have: channels are made for each pair of them.
const MOST_THREADS: usize = 512;

/// As many processes as there may be: each has two threads and a socket for each other.
const MOST_PROCESSES: usize = 512;

/// Workers: how many in each process, and where the processes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// How many workers each process has.
    pub threads: usize,
    /// Which of the processes this one is, from 0.
    pub process: usize,
    /// Where each process listens, as `host:port`; one of them, or none, is a single process that needs no network.
    pub addresses: Vec<String>,
    /// What the program was asked to do: must be equal in all processes.
    pub arguments: Vec<String>,
    /// How long to wait for other processes in all.
    pub patience: Duration,
}

impl Default for Cluster {
    fn default() -> Self {
        Cluster::threads(1)
    }
}

impl Cluster {
    /// This many workers in this process, which is the only one.
    pub fn threads(threads: usize) -> Self {
        Cluster { threads, process: 0, addresses: Vec::new(), arguments: Vec::new(), patience: PATIENCE }
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.addresses.len().max(1)
    }

    /// How many workers there are in all processes.
    pub fn workers(&self) -> usize {
        self.threads.saturating_mul(self.processes())
    }

    /// The addresses of this many processes that run on one machine, where nobody says otherwise.
    pub(super) fn local_addresses(processes: usize) -> Vec<String> {
        (FIRST_PORT..).take(processes).map(|port| format!("localhost:{port}")).collect()
    }

    /// Whether such a cluster can be.
    ///
    /// # Errors
    /// [`StartError::Flag`] names the number that has no sense.
    pub fn check(&self) -> Result<(), StartError> {
        check_processes(self.processes(), self.process)?;
        match self.threads {
            1..=MOST_THREADS => Ok(()),
            threads => Err(StartError::Flag {
                flag: "--threads",
                reason: format!("{threads} is out of range: from 1 to {MOST_THREADS}"),
            }),
        }
    }
}

/// Whether there can be this many processes, and this one among them.
pub(super) fn check_processes(processes: usize, process: usize) -> Result<(), StartError> {
    if !(1..=MOST_PROCESSES).contains(&processes) {
        let reason = format!("{processes} is out of range: from 1 to {MOST_PROCESSES}");
        return Err(StartError::Flag { flag: "--processes", reason });
    }
    if process >= processes {
        let reason = match processes {
            1 => format!("{process} is out of range: there is one process, number 0, if --processes says no other"),
            _ => format!("{process} is out of range: {processes} processes have the numbers 0 to {}", processes - 1),
        };
        return Err(StartError::Flag { flag: "--process", reason });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_sense_are_named() {
        let said = |threads, process, addresses| {
            let addresses = vec!["here:1".to_string(); addresses];
            let cluster = Cluster { process, addresses, ..Cluster::threads(threads) };
            cluster.check().map_err(|error| error.to_string())
        };
        assert_eq!(said(1, 0, 0), Ok(()));
        assert_eq!(said(512, 511, 512), Ok(()));
        let refused = |text: &str| Err(text.to_string());
        assert_eq!(said(0, 0, 0), refused("--threads: 0 is out of range: from 1 to 512"));
        assert_eq!(said(513, 0, 0), refused("--threads: 513 is out of range: from 1 to 512"));
        assert_eq!(
            said(1, 1, 0),
            refused("--process: 1 is out of range: there is one process, number 0, if --processes says no other")
        );
        assert_eq!(said(1, 2, 2), refused("--process: 2 is out of range: 2 processes have the numbers 0 to 1"));
        assert_eq!(said(1, 0, 513), refused("--processes: 513 is out of range: from 1 to 512"));
    }

    #[test]
    fn workers_are_counted_over_all_processes() {
        assert_eq!((Cluster::threads(3).processes(), Cluster::threads(3).workers()), (1, 3));
        let cluster = Cluster { addresses: Cluster::local_addresses(2), ..Cluster::threads(3) };
        assert_eq!((cluster.processes(), cluster.workers()), (2, 6));
        assert_eq!(cluster.addresses, ["localhost:2101", "localhost:2102"]);
    }
}
