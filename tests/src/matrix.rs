//! The matrix in which suites are run: workers, fuel, and how many epochs one commit closes.
//!
//! ```text
//!                 fuel: usual                fuel: one record
//!   commits:     1     10    100            1     10    100
//!   1 worker     .      .     .             .      x     .
//!   2 workers    .      x     .             .      .     .        x: of a sample, drawn by a seed
//!   3 workers    .      .     .             x      .     .
//!   8 workers    .      .     x             .      .     .
//! ```
//!
//! "10 commits" means that ten epochs have been fed and closed when the region next runs. Everything else that may vary
//! (who feeds what and when, whether handles are kept, steps between commits, the histories themselves) follows from the
//! seed of a cell.
//!
//! Two variables of the environment choose: `WORKERS_MATRIX=whole` takes all cells, each with several seeds, in place of
//! a sample; `WORKERS_SEED=7` draws other samples. A failure prints the cell, from which it can be run again.

use crate::grid::Grid;
use crate::ways::{Arrival, Feeders, Way};
use difftest::Random;

const WORKERS: [usize; 4] = [1, 2, 3, 8];
const FUEL: [Option<u64>; 2] = [None, Some(1)];
const COMMITS: [u64; 3] = [1, 10, 100];

/// Seeds a cell, when the whole matrix is asked for.
const SEEDS: u64 = 8;

/// A point of the matrix, and a seed for what it leaves open.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// How many workers.
    pub workers: usize,
    /// Units of work a step; `None` for what is usual.
    pub fuel: Option<u64>,
    /// How many epochs one commit closes.
    pub commits: u64,
    /// What all else is drawn from.
    pub seed: u64,
}

impl Cell {
    /// The epochs of its histories: several commits' worth, or a little more than one.
    pub fn grid(&self) -> Grid {
        Grid::line(match self.commits {
            1 => 7,
            10 => 24,
            commits => commits + 5,
        })
    }

    /// How its histories are fed and closed.
    pub fn way(&self) -> Way {
        let mut random = Random::new(self.seed);
        let seed = random.below(1 << 32);
        let arrival = *random.pick(&[Arrival::InTime, Arrival::Ahead, Arrival::OneByOne, Arrival::Scattered(seed)]);
        let one = Feeders::One(random.below(self.workers as u64) as usize);
        let feeders = *random.pick(&[Feeders::InTurn, one, Feeders::Any(seed), Feeders::WithoutLast]);
        let way = Way::new(self.grid().along(0, self.commits)).feeding(arrival).fed_by(feeders);
        let way = if random.below(2) == 0 { way.dropping_handles() } else { way };
        let way = if random.below(3) > 0 { way.stepping(seed) } else { way };
        self.fuel.into_iter().fold(way, Way::with_fuel).on_workers(self.workers)
    }
}

/// The cells in which to run the suite of this name: some that `most` bounds, or the whole matrix if that is asked for.
pub fn cells(suite: &str, most: usize) -> Vec<Cell> {
    let seed = number_from("WORKERS_SEED", 0);
    let whole = whole_matrix();
    let mut all = Vec::new();
    for seed in if whole { seed..seed + SEEDS } else { seed..seed + 1 } {
        for workers in WORKERS {
            for fuel in FUEL {
                all.extend(COMMITS.map(|commits| Cell { workers, fuel, commits, seed }));
            }
        }
    }
    if !whole {
        // Each suite is drawn from a stream of its own, and each of its cells gets a seed of its own.
        let named = suite.bytes().fold(seed, |sum, byte| sum.wrapping_mul(257).wrapping_add(byte.into()));
        let mut random = Random::new(named);
        random.shuffle(&mut all);
        all.truncate(most);
        all.iter_mut().for_each(|cell| cell.seed = random.below(1 << 32));
    }
    all
}

/// Whether the whole matrix is asked for.
pub fn whole_matrix() -> bool {
    std::env::var("WORKERS_MATRIX").is_ok_and(|asked| asked == "whole")
}

/// A number from the environment, or `otherwise`.
///
/// # Panics
/// If what is there is no number.
pub fn number_from(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| {
        text.parse().unwrap_or_else(|_| panic!("{variable} is to be a number, and not `{text}`"))
    })
}
