//! How a history is fed and closed. The answer must not depend on it.
//!
//! | what varies | because |
//! |---|---|
//! | the frontiers that commits move to | batches are cut elsewhere, and times become complete in another order |
//! | when updates arrive | what is fed early waits in batchers; what is fed by itself comes in containers of its own |
//! | whether the past is held | a trace that nobody holds is compacted as early as its readers allow |
//! | fuel | operators stop in the middle, and others run meanwhile |
//! | how many workers, and which of them feeds what | records meet by their hash, wherever they came in |
//! | steps between commits | workers come to a commit in any order, and some have run ahead of it |

use std::fmt;

use differential::time::{Frontier, Point};

use crate::grid::Grid;
use difftest::Random;

/// When updates are fed.
#[derive(Clone, Copy, Debug)]
pub enum Arrival {
    /// In the order given, as late as their times allow.
    InTime,
    /// All before the first commit, in the order given.
    Ahead,
    /// As [`Arrival::Ahead`], and the region takes a step after each.
    OneByOne,
    /// Before a random commit that leaves their time open, in random order, now and then with a step between.
    Scattered(u64),
}

/// Which worker feeds what.
#[derive(Clone, Copy, Debug)]
pub enum Feeders {
    /// Each the updates whose turn it is.
    InTurn,
    /// This one feeds all; the others have nothing to say.
    One(usize),
    /// Any of them, by a seed.
    Any(u64),
    /// As in turn without the last one, which drops its sessions before it has fed anything, and ends.
    WithoutLast,
}

/// A way to run a program.
#[derive(Clone)]
pub struct Way {
    /// The frontiers that commits move to. The last is empty.
    pub frontiers: Vec<Frontier<Point>>,
    /// When updates are fed.
    pub arrival: Arrival,
    /// Whether handles on arrangements are kept, so that traces keep what the last commit completed.
    pub handles_kept: bool,
    /// Units of work that one step does at most; `None` for what is usual.
    pub step_fuel: Option<u64>,
    /// Worker threads. Each update is fed on one of them, and the first one compares.
    pub workers: usize,
    /// Which worker feeds what.
    pub feeders: Feeders,
    /// A seed for how often each worker steps around its commits; `None` for never.
    pub steps: Option<u64>,
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handles = if self.handles_kept { "kept" } else { "dropped" };
        let Way { frontiers, arrival, workers, feeders, .. } = self;
        write!(f, "commits to {frontiers:?}, updates {arrival:?}, handles {handles}, {workers} workers")?;
        if *workers > 1 {
            write!(f, " fed {feeders:?}")?;
        }
        self.steps.map_or(Ok(()), |seed| write!(f, ", steps between by seed {seed}"))?;
        self.step_fuel.map_or(Ok(()), |fuel| write!(f, ", fuel {fuel}"))
    }
}

impl Way {
    /// Commits to these frontiers, updates in time, handles kept, the usual fuel.
    pub fn new(frontiers: Vec<Frontier<Point>>) -> Self {
        Way {
            frontiers,
            arrival: Arrival::InTime,
            handles_kept: true,
            step_fuel: None,
            workers: 1,
            feeders: Feeders::InTurn,
            steps: None,
        }
    }

    /// This way, with several workers.
    pub fn on_workers(self, workers: usize) -> Self {
        Way { workers, ..self }
    }

    /// This way, with updates fed by other workers.
    pub fn fed_by(self, feeders: Feeders) -> Self {
        Way { feeders, ..self }
    }

    /// This way, with each worker stepping now and then around its commits.
    pub fn stepping(self, seed: u64) -> Self {
        Way { steps: Some(seed), ..self }
    }

    /// This way, with updates fed differently.
    pub fn feeding(self, arrival: Arrival) -> Self {
        Way { arrival, ..self }
    }

    /// This way, with every handle on an arrangement dropped at once.
    pub fn dropping_handles(self) -> Self {
        Way { handles_kept: false, ..self }
    }

    /// This way, with little fuel for a step.
    pub fn with_fuel(self, units: u64) -> Self {
        Way { step_fuel: Some(units), ..self }
    }

    /// The worker that feeds an update.
    pub(crate) fn feeder(&self, update: usize) -> usize {
        match self.feeders {
            Feeders::One(worker) => worker % self.workers,
            Feeders::Any(seed) => Random::new(seed.wrapping_add(update as u64)).below(self.workers as u64) as usize,
            Feeders::WithoutLast if self.workers > 1 => update % (self.workers - 1),
            Feeders::InTurn | Feeders::WithoutLast => update % self.workers,
        }
    }

    /// Whether a worker drops its sessions before it has fed anything.
    pub(crate) fn leaves_early(&self, worker: usize) -> bool {
        matches!(self.feeders, Feeders::WithoutLast) && self.workers > 1 && worker + 1 == self.workers
    }

    /// How often a worker steps before each commit, and after the last.
    pub(crate) fn steps_of(&self, worker: usize) -> Vec<u64> {
        let seed = |seed: u64| Random::new(seed.wrapping_mul(31).wrapping_add(worker as u64));
        let commits = 0..self.frontiers.len() + 1;
        self.steps.map(seed).map_or(vec![0; commits.len()], |mut random| commits.map(|_| random.below(5)).collect())
    }

    /// For each update, before which commit it is fed; and the order in which updates are fed before one commit.
    pub(crate) fn feed(&self, times: &[&Point]) -> Vec<Vec<usize>> {
        let mut random = Random::new(if let Arrival::Scattered(seed) = self.arrival { seed } else { 0 });
        let mut feed = vec![Vec::new(); self.frontiers.len()];
        for (update, time) in times.iter().enumerate() {
            // The first commit closes it unless its frontier is at or before the time, and so on.
            let last = self.frontiers.iter().take_while(|frontier| frontier.admits(time)).count();
            let commit = match self.arrival {
                Arrival::InTime => last,
                Arrival::Ahead | Arrival::OneByOne => 0,
                Arrival::Scattered(_) => random.below(last as u64 + 1) as usize,
            };
            feed[commit].push(update);
        }
        if let Arrival::Scattered(_) = self.arrival {
            feed.iter_mut().for_each(|updates| random.shuffle(updates));
        }
        feed
    }
}

/// About a dozen ways over a grid, each unlike the others; random ones from `seed`. A few have two or three workers.
pub fn every_way(grid: &Grid, seed: u64) -> Vec<Way> {
    let mut random = Random::new(seed);
    let last = grid.coordinates() - 1;
    let ways = [
        Way::new(grid.at_once()),
        Way::new(grid.at_once()).feeding(Arrival::OneByOne).dropping_handles(),
        Way::new(grid.along(last, 1)),
        Way::new(grid.along(last, 1)).feeding(Arrival::Ahead).dropping_handles(),
        Way::new(grid.along(last, 2)).feeding(Arrival::Scattered(seed)),
        Way::new(grid.along(0, 1)).dropping_handles(),
        Way::new(grid.along(0, 1)).feeding(Arrival::Scattered(seed)).with_fuel(50),
        Way::new(grid.along(0, 3)).with_fuel(1),
        Way::new(grid.staircase(&mut random, 1)).dropping_handles(),
        Way::new(grid.staircase(&mut random, 1)).feeding(Arrival::Ahead).with_fuel(1).dropping_handles(),
        Way::new(grid.staircase(&mut random, 4)).feeding(Arrival::Scattered(seed)),
        Way::new(grid.staircase(&mut random, 4)).feeding(Arrival::Scattered(seed)).with_fuel(50).dropping_handles(),
        Way::new(grid.along(last, 1)).feeding(Arrival::Scattered(seed)).stepping(seed).on_workers(2),
        Way::new(grid.staircase(&mut random, 4)).feeding(Arrival::Ahead).with_fuel(1).dropping_handles().on_workers(3),
    ];
    ways.to_vec()
}

/// Every list of at most `most` of the items, as combinations with repetition.
pub fn lists<T: Clone>(items: &[T], most: usize) -> Vec<Vec<T>> {
    if most == 0 {
        return vec![vec![]];
    }
    let mut all = vec![vec![]];
    for at in 0..items.len() {
        all.extend(lists(&items[at..], most - 1).into_iter().map(|rest| [&[items[at].clone()], &rest[..]].concat()));
    }
    all
}

/// The items in every order.
pub fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![vec![]];
    }
    let mut orders = Vec::new();
    for first in 0..items.len() {
        let mut rest = items.to_vec();
        let item = rest.remove(first);
        orders.extend(permutations(&rest).into_iter().map(|order| [std::slice::from_ref(&item), &order[..]].concat()));
    }
    orders
}
