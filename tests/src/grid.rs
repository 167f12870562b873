//! The times that a claim looks at: a line of epochs, or a box of two-coordinate times.
//!
//! ```text
//!   line(10)    0 1 2 .. 9
//!
//!   square(4)   (0,3) (1,3) (2,3) (3,3)         x x F .      closed (x): a set that holds, with a time, all before it
//!               ..                              x x . .      F: the frontier past it
//!               (0,0) (1,0) (2,0) (3,0)         x x x F
//! ```

use std::collections::BTreeSet;

use differential::time::{Frontier, Point};

use difftest::Random;

/// All times up to a bound in each coordinate.
#[derive(Clone, Debug)]
pub struct Grid {
    widths: Vec<u64>,
}

impl Grid {
    /// The epochs below `epochs`.
    pub fn line(epochs: u64) -> Self {
        Grid { widths: vec![epochs] }
    }

    /// Two coordinates, both below `width`.
    pub fn square(width: u64) -> Self {
        Grid { widths: vec![width, width] }
    }

    /// The number of coordinates of its times.
    pub fn coordinates(&self) -> usize {
        self.widths.len()
    }

    /// Its times, each once.
    pub fn times(&self) -> Vec<Point> {
        Self::below(&self.widths)
    }

    fn below(widths: &[u64]) -> Vec<Point> {
        let mut times = vec![vec![]];
        for width in widths {
            times = times.iter().flat_map(|time| (0..*width).map(|at| [&time[..], &[at]].concat())).collect();
        }
        times.iter().map(|time| Point::new(time)).collect()
    }

    /// The frontier past `closed`, a set that holds with each time all before it; empty if that is the whole grid.
    pub fn past(&self, closed: &BTreeSet<Point>) -> Frontier<Point> {
        if closed.len() == self.times().len() {
            return Frontier::empty();
        }
        let one_more: Vec<u64> = self.widths.iter().map(|width| width + 1).collect();
        Self::below(&one_more).into_iter().filter(|time| !closed.contains(time)).collect()
    }

    /// Everything closed by one commit.
    pub fn at_once(&self) -> Vec<Frontier<Point>> {
        vec![Frontier::empty()]
    }

    /// One value of the coordinate `index` after the other closed, `step` of them at a time.
    pub fn along(&self, index: usize, step: u64) -> Vec<Frontier<Point>> {
        let ends = (1..).map(|times| times * step).take_while(|end| *end < self.widths[index]);
        let closed = ends.map(|end| self.times().into_iter().filter(|time| time.coordinate(index) < end).collect());
        closed.map(|closed| self.past(&closed)).chain([Frontier::empty()]).collect()
    }

    /// A random staircase: each commit closes one to `most` of the times that could come next.
    pub fn staircase(&self, random: &mut Random, most: u64) -> Vec<Frontier<Point>> {
        let (mut closed, mut frontiers) = (BTreeSet::new(), Vec::new());
        loop {
            for _ in 0..1 + random.below(most) {
                let next = self.past(&closed);
                let next: Vec<_> = next.elements().iter().filter(|time| self.times().contains(time)).collect();
                if !next.is_empty() {
                    closed.insert((*random.pick(&next)).clone());
                }
            }
            frontiers.push(self.past(&closed));
            if frontiers.last() == Some(&Frontier::empty()) {
                return frontiers;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_only_go_forward_and_end_with_everything() {
        let mut random = Random::new(0);
        for grid in [Grid::line(1), Grid::line(9), Grid::square(2), Grid::square(4)] {
            let last = grid.coordinates() - 1;
            let mut plans = vec![grid.at_once(), grid.along(0, 1), grid.along(last, 1), grid.along(last, 3)];
            plans.extend((1..6).map(|most| grid.staircase(&mut random, most)));
            for frontiers in plans {
                assert!(frontiers.is_sorted_by(|earlier, later| earlier.precedes(later) && earlier != later));
                assert_eq!(frontiers.last(), Some(&Frontier::empty()));
            }
        }
    }

    #[test]
    fn a_frontier_lies_past_what_is_closed_and_nothing_else() {
        let grid = Grid::square(4);
        for frontier in grid.staircase(&mut Random::new(1), 1) {
            let closed: BTreeSet<Point> = grid.times().into_iter().filter(|time| !frontier.admits(time)).collect();
            assert_eq!(grid.past(&closed), frontier);
        }
        assert_eq!(grid.staircase(&mut Random::new(1), 1).len(), 16);
    }
}
