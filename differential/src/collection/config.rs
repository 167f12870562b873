//! What a program chooses before it runs: where its workers are, what its inputs' times look like, how long a step is.
//!
//! Nothing here changes an answer, except `input_coordinates`, which says what a time is. A value is made by
//! [`Config::workers`] or [`Config::default`], and refined by the methods that take and return it.

/// Units of work that a step does at most, where nothing else is asked for: about a millisecond.
const STEP_FUEL: u64 = 1 << 20;

/// How many workers there are, and where.
#[derive(Debug)]
pub struct Config {
    pub(super) workers: usize,
    pub(super) input_coordinates: usize,
    pub(super) step_fuel: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config { workers: 1, input_coordinates: 1, step_fuel: STEP_FUEL }
    }
}

impl Config {
    /// This many worker threads.
    pub fn workers(workers: usize) -> Self {
        Config { workers, ..Config::default() }
    }

    /// Inputs whose times have this many coordinates: one, or two for bitemporal data (event, arrival), of which commits
    /// close the last.
    pub fn input_coordinates(self, input_coordinates: usize) -> Self {
        Config { input_coordinates, ..self }
    }

    /// A step does about this many units of work at most: rows read or written, and visits of operators.
    ///
    /// Less lets a program that steps by itself get a word in sooner; no answer depends on it.
    pub fn step_fuel(self, units: u64) -> Self {
        Config { step_fuel: units, ..self }
    }
}
