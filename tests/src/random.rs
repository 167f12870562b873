//! Histories from a seed.

use differential::time::Point;
use difftest::Random;

use crate::bags::{History, Pair};
use crate::grid::Grid;

/// A history of `updates` updates of pairs of `keys` keys and `values` values, at any times of the grid.
///
/// Half of the updates undo an earlier one, so that much cancels; counts below zero occur all the same.
pub fn history(random: &mut Random, grid: &Grid, updates: usize, keys: u64, values: u64) -> History<Pair> {
    let (times, mut history) = (grid.times(), History::<Pair>::new());
    while history.len() < updates {
        let time = random.pick(&times).clone();
        if !history.is_empty() && random.below(2) == 0 {
            let (pair, _, diff) = random.pick(&history).clone();
            history.push((pair, time, -diff));
        } else {
            let pair = (random.below(keys) as u32, random.below(values) as u32);
            history.push((pair, time, [1, 1, 1, 2, -1][random.below(5) as usize]));
        }
    }
    history
}

/// A history of a graph with `nodes` nodes over a line of epochs: first `edges` edges, then in each epoch `changes` edges
/// come or go, only such that are there. Some edges are there twice.
pub fn edge_history(random: &mut Random, epochs: u64, nodes: u64, edges: usize, changes: usize) -> History<Pair> {
    let (mut present, mut history) = (Vec::<Pair>::new(), Vec::new());
    for epoch in 0..epochs {
        for _ in 0..if epoch == 0 { edges } else { changes } {
            let goes = epoch > 0 && !present.is_empty() && random.below(2) == 0;
            let (edge, diff) = if goes {
                (present.swap_remove(random.below(present.len() as u64) as usize), -1)
            } else {
                let edge = (random.below(nodes) as u32, random.below(nodes) as u32);
                present.push(edge);
                (edge, 1)
            };
            history.push((edge, Point::from(epoch), diff));
        }
    }
    history
}
