//! A phase's time, memory and digest, as one line.
//!
//! ```text
//!   phase=reach.first wall=1.208377 cpu=1.190000 ticks=1 digest=0123456789abcdef peak_kb=204800 live_kb=150000
//! ```
//!
//! A [`Clock`] runs while the phase does; stopping it leaves what was [`Measured`], and a digest that is no part of the
//! work may be taken after that.

use std::fmt;
use std::time::Instant;

use crate::measure;

/// Runs while a phase does.
pub struct Clock {
    wall: Instant,
    cpu: f64,
}

/// What a phase took.
pub struct Measured {
    wall: f64,
    cpu: f64,
}

impl Clock {
    /// Starts a phase: its clocks, and the peak of the resident set.
    pub fn start() -> Self {
        measure::reset_peak();
        measure::peers_mark();
        Clock { cpu: measure::cpu_seconds(), wall: Instant::now() }
    }

    /// Ends the phase.
    pub fn stop(self) -> Measured {
        let measured = Measured { wall: self.wall.elapsed().as_secs_f64(), cpu: measure::cpu_seconds() - self.cpu };
        measure::peers_mark();
        measured
    }
}

/// A phase's line; it shows itself as the harness reads it.
pub struct Line {
    /// `WORKLOAD.PHASE`.
    pub phase: String,
    /// What it took.
    pub took: Measured,
    /// The number of its ticks.
    pub ticks: usize,
    /// The digest of the result as it stands at the phase's end.
    pub digest: u64,
    /// The resident set's peak within the phase, in KiB.
    pub peak_kb: u64,
    /// What the allocator has handed out at the phase's end, in KiB.
    pub live_kb: u64,
}

impl Line {
    /// A line about a phase that ended just now.
    pub fn new(phase: String, took: Measured, ticks: usize, digest: u64) -> Self {
        Line { phase, took, ticks, digest, peak_kb: measure::peak_kb(), live_kb: measure::live_kb() }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { phase, took, ticks, digest, peak_kb, live_kb } = self;
        write!(f, "phase={phase} wall={:.6} cpu={:.6} ticks={ticks} ", took.wall, took.cpu)?;
        write!(f, "digest={digest:016x} peak_kb={peak_kb} live_kb={live_kb}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_the_harness_reads_it() {
        let took = Measured { wall: 1.5, cpu: 1.25 };
        let line = Line { phase: "reach.first".into(), took, ticks: 3, digest: 255, peak_kb: 2, live_kb: 1 };
        let expected =
            "phase=reach.first wall=1.500000 cpu=1.250000 ticks=3 digest=00000000000000ff peak_kb=2 live_kb=1";
        assert_eq!(line.to_string(), expected);
    }
}
