//! What a program chooses before it runs: where its workers are, what its inputs' times look like, how long a step is.
//!
//! Nothing here changes an answer, except `input_coordinates`, which says what a time is. A value is made by
//! [`Config::workers`] or [`Config::default`], and refined by the methods that take and return it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::watchdog::Watchdog;
use crate::cluster::Cluster;
use crate::error::Error;

/// Units of work that a step does at most, where nothing else is asked for: a millisecond or two.
const STEP_FUEL: u64 = 1 << 18;

/// How many workers there are, and where; what times look like; how long a step is.
///
/// ```
/// use differential::Config;
///
/// # fn main() -> Result<(), differential::Error> {
/// // Two workers in this process.
/// let config = Config::workers(2);
/// // As the person who typed the command wants it; the rest of the words is the program's.
/// let words = ["program", "-w", "2", "edges.txt"].map(String::from);
/// let (config, rest) = Config::from_args(words)?;
/// assert_eq!(rest, ["program", "edges.txt"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    pub(super) cluster: Cluster,
    pub(super) input_coordinates: usize,
    pub(super) step_fuel: u64,
    pub(super) watchdog: Option<Watchdog>,
    pub(super) stop: Option<Arc<AtomicBool>>,
}

impl Default for Config {
    fn default() -> Self {
        Config { cluster: Cluster::default(), input_coordinates: 1, step_fuel: STEP_FUEL, watchdog: None, stop: None }
    }
}

impl From<Cluster> for Config {
    fn from(cluster: Cluster) -> Self {
        Config { cluster, ..Config::default() }
    }
}

impl Config {
    /// This many worker threads, in each process.
    pub fn workers(workers: usize) -> Self {
        Config::from(Cluster::threads(workers))
    }

    /// Workers as the flags `-w`, `-n`, `-p` and `-h` among these words say, and the words that are none of them. The
    /// first word is the program's name.
    ///
    /// The other words must be the same in all processes. See [`Cluster::from_args`] for the flags.
    ///
    /// # Errors
    /// [`Error::Start`] names the flag, or the line of the host file, that has no sense.
    pub fn from_args(words: impl IntoIterator<Item = String>) -> Result<(Self, Vec<String>), Error> {
        let (cluster, rest) = Cluster::from_args(words)?;
        Ok((Config::from(cluster), rest))
    }

    /// Workers in several processes: one listens at each of these addresses, `host:port`, and this one has this number
    /// among them, from 0.
    pub fn processes(mut self, addresses: impl IntoIterator<Item = impl Into<String>>, process: usize) -> Self {
        self.cluster.addresses = addresses.into_iter().map(Into::into).collect();
        self.cluster.process = process;
        self
    }

    /// What the program was asked to do, which must be the same in all processes.
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.cluster.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// How long processes wait for each other while they start: half a minute otherwise.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.cluster.patience = patience;
        self
    }

    /// Inputs whose times have this many coordinates: one, or two for bitemporal data (event, arrival), of which commits
    /// close the last.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let seen = run_alone(Config::default().input_coordinates(2), |worker| {
    ///     let (mut sales, totals) = worker.dataflow(|scope| {
    ///         let (session, sales) = scope.input::<(u32, i64)>("sales");
    ///         (session, sales.sum(|price| price).output())
    ///     })?;
    ///     // Sold on days 1 and 3, both known at the first commit.
    ///     sales.update_at((7, 20), [1, 0], 1)?;
    ///     sales.update_at((7, 5), [3, 0], 1)?;
    ///     let first = worker.commit(&mut sales)?;
    ///     let before = totals.snapshot([2, first])?;
    ///     // Sold on day 2, and known only now.
    ///     sales.update_at((7, 1), [2, 1], 1)?;
    ///     let second = worker.commit(&mut sales)?;
    ///     Ok::<_, Box<dyn std::error::Error>>([before, totals.snapshot([2, second])?, totals.snapshot([3, second])?])
    /// });
    /// // What was sold up to day 2 as known first, and as known now; and up to day 3.
    /// assert_eq!(seen.unwrap(), [20, 21, 26].map(|total| vec![((7, total), 1)]));
    /// ```
    pub fn input_coordinates(self, input_coordinates: usize) -> Self {
        Config { input_coordinates, ..self }
    }

    /// A step does about this many units of work at most: rows read or written, and visits of operators.
    ///
    /// Less lets a program that steps by itself get a word in sooner; no answer depends on it.
    pub fn step_fuel(self, units: u64) -> Self {
        Config { step_fuel: units, ..self }
    }

    /// While a worker waits in [`commit`](super::Worker::commit) or [`run`](super::Worker::run) and has had nothing to do
    /// for this long, `tell` gets a text that says who holds which time, once for each such while.
    ///
    /// For programs that hang: most often one worker does not commit what others do, or does it in another order.
    ///
    /// ```
    /// use std::time::Duration;
    /// let config = differential::Config::workers(2).watchdog(Duration::from_secs(10), |text| eprintln!("{text}"));
    /// # _ = config;
    /// ```
    pub fn watchdog(self, after: Duration, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Config { watchdog: Some(Watchdog::new(after, tell)), ..self }
    }

    /// Once `told` is true, [`commit`](super::Worker::commit), [`run`](super::Worker::run) and
    /// [`step`](super::Worker::step) of the workers of this process answer with [`Error::Stopped`], within a step: for
    /// programs that a person may interrupt. What was complete before can still be read.
    ///
    /// ```
    /// use differential::{Config, Error, run_alone};
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// let told = Arc::new(AtomicBool::new(false));
    /// let outcome = run_alone(Config::default().stop_when(told.clone()), |worker| {
    ///     let mut numbers = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         // Counts up for ever; somebody stops it at a thousand.
    ///         numbers.iterate(|number| {
    ///             let told = told.clone();
    ///             number.inspect(move |number, _, _| told.store(number > 1_000, Ordering::Relaxed)).map(|number| number + 1)
    ///         });
    ///         session
    ///     })?;
    ///     numbers.insert(0);
    ///     worker.commit(&mut numbers)
    /// });
    /// assert_eq!(outcome, Err(Error::Stopped));
    /// ```
    pub fn stop_when(self, told: Arc<AtomicBool>) -> Self {
        Config { stop: Some(told), ..self }
    }
}
