//! How long commits took, how long the whole run took, and how much memory it needed.
//!
//! A commit's latency is the time from closing it until every answer is current. Latencies go into a histogram with
//! three significant digits, so that a run of any length costs the same memory and percentiles are within 0.1 %.
//!
//! Peak memory is what the operating system counted for the whole process; where it does not tell (elsewhere than on
//! Linux), it is unknown rather than guessed.

use hdrhistogram::Histogram;
use std::time::{Duration, Instant};

/// Measures a run from its start.
pub struct Latencies {
    started: Instant,
    nanoseconds: Histogram<u64>,
}

/// What a run took, in all.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Commits closed.
    pub commits: u64,
    /// Wall-clock seconds of the run, reading included.
    pub seconds: f64,
    /// Latencies of commits in microseconds: the median.
    pub p50_us: f64,
    /// Nine out of ten were at most this.
    pub p90_us: f64,
    /// Ninety-nine out of a hundred were at most this.
    pub p99_us: f64,
    /// All were at most this.
    pub max_us: f64,
    /// The most memory that the process held at any time, if known.
    pub peak_memory_bytes: Option<u64>,
}

impl Latencies {
    /// Starts the clock.
    pub fn start() -> Latencies {
        Latencies {
            started: Instant::now(),
            nanoseconds: Histogram::new(3).expect("three significant digits are allowed"),
        }
    }

    /// Notes a commit that took so long.
    pub fn note(&mut self, latency: Duration) {
        // More than 2^64 nanoseconds are five centuries.
        let nanoseconds = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.record(nanoseconds).expect("the histogram grows as far as its numbers");
    }

    /// Stops the clock.
    pub fn summary(&self) -> Summary {
        let microseconds = |nanoseconds: u64| nanoseconds as f64 / 1_000.0;
        let percentile = |share: f64| microseconds(self.nanoseconds.value_at_quantile(share));
        Summary {
            commits: self.nanoseconds.len(),
            seconds: self.started.elapsed().as_secs_f64(),
            p50_us: percentile(0.50),
            p90_us: percentile(0.90),
            p99_us: percentile(0.99),
            max_us: microseconds(self.nanoseconds.max()),
            peak_memory_bytes: peak_memory_bytes(),
        }
    }
}

impl Summary {
    /// Commits closed in a second of the run.
    pub fn commits_per_second(&self) -> f64 {
        if self.commits == 0 { 0.0 } else { self.commits as f64 / self.seconds.max(1e-9) }
    }
}

/// The largest resident size of this process so far, as Linux tells it.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_a_thousandth_of_the_sorted_list() {
        let mut latencies = Latencies::start();
        let mut sorted: Vec<u64> = (1..=1_000).map(|at: u64| at * at * 37).collect();
        sorted.iter().for_each(|&nanoseconds| latencies.note(Duration::from_nanos(nanoseconds)));
        sorted.sort();
        let summary = latencies.summary();
        assert_eq!(summary.commits, 1_000);
        for (said, rank) in
            [(summary.p50_us, 500), (summary.p90_us, 900), (summary.p99_us, 990), (summary.max_us, 1_000)]
        {
            let exact = sorted[rank - 1] as f64 / 1_000.0;
            assert!((said / exact - 1.0).abs() < 0.002, "{said} for rank {rank}, which is {exact}");
        }
    }

    #[test]
    fn a_run_without_commits_is_all_zero() {
        let summary = Latencies::start().summary();
        assert_eq!((summary.commits, summary.commits_per_second()), (0, 0.0));
        assert_eq!((summary.p50_us, summary.max_us), (0.0, 0.0));
    }

    #[test]
    fn this_process_has_used_memory_where_the_system_tells() {
        if cfg!(target_os = "linux") {
            let peak = peak_memory_bytes().expect("Linux tells the largest resident size");
            assert!((1 << 18..1 << 40).contains(&peak), "{peak}");
        }
    }
}
