//! The flags that say where workers are: the same in every command.
//!
//! ```text
//!   ddir graph edges.txt -w 2                        two threads
//!   ddir graph edges.txt -n 2 -p 0 -h hosts.txt      this is the first of two processes; start the other one with -p 1
//! ```
//!
//! Since `-h` is the host file, help is `--help` only. The first worker of process 0 reads the file and writes the
//! answers; all others work for it, and write nothing unless something fails. Ctrl-C asks process 0 to end and tell what it
//! knows; any other is ended by it, and the rest then says that it is gone.

use crate::stream::quantity::whole;
use clap::Args;
use differential::cluster::Cluster;
use differential::error::StartError;
use std::path::PathBuf;

/// How many workers, and where.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Workers")]
pub struct WorkerFlags {
    /// Workers (threads) in each process
    #[arg(short = 'w', long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>)]
    threads: usize,

    /// Processes; all must be given the same flags, but for -p
    #[arg(short = 'n', long, value_name = "P", default_value_t = 1, value_parser = whole::<usize>)]
    processes: usize,

    /// Which of the processes this one is, from 0; process 0 reads the files and reports
    #[arg(short = 'p', long, value_name = "I", default_value_t = 0, value_parser = whole::<usize>)]
    process: usize,

    /// Where the processes are, one host:port a line; otherwise at ports 2101, 2102 ... of this machine
    #[arg(short = 'h', long, value_name = "HOSTFILE", requires = "processes")]
    hostfile: Option<PathBuf>,
}

impl WorkerFlags {
    /// Whether this process only works for another one.
    pub fn follows(&self) -> bool {
        self.process > 0
    }

    /// The cluster that is asked for. The host file, if one is needed, is read.
    ///
    /// # Errors
    /// Which flag, or which line of the host file, has no sense.
    pub fn cluster(&self) -> Result<Cluster, StartError> {
        Cluster::from_flags(self.threads, self.processes, self.process, self.hostfile.clone())
    }
}
