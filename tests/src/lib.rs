//! Claims about the engine, made from outside: what a dataflow says must be what recomputing says, at every time.
//!
//! ```text
//!                       ┌──> dataflow, fed and committed in many ways ──> captured updates ──accumulate──┐
//!   random histories ───┤                                                                                 ├─ equal?
//!                       └──accumulate──> bags ──> a plain function of bags ───────────────────────────────┘
//! ```
//!
//! A claim names three things: the inputs' histories, a program, and a plain function that says what the program's
//! result is at a time. [`check`] runs the program in a given [`Way`] (which frontiers commits move to, when updates
//! arrive, whether the past is held, how much fuel a step has) and compares after *every* commit, at *every* time that
//! is complete by then.
//!
//! The oracle is [`accumulate`] and maps of the standard library. It shares no code with the engine, down to the order
//! of times.
//!
//! | file | holds |
//! |---|---|
//! | `bags` | what a history adds up to, and the plain functions used as oracles |
//! | `graphs` | plain answers about graphs |
//! | `grid` | the times looked at, and frontiers between them |
//! | `random` | histories from a seed |
//! | `ways` | how histories are fed and closed, by how many workers |
//! | `matrix` | the points of workers, fuel and commits at which whole suites are run |
//! | `patience` | what waits for ever, ends with a word of what it was |
//! | `check` | runs a program in a way, and compares |
//!
//! The claims themselves are in `tests/tests/`: one file an operator or a promise, `cases_*` for faults met elsewhere.
#![forbid(unsafe_code)]

mod bags;
mod check;
mod graphs;
mod grid;
mod matrix;
mod patience;
mod random;
mod ways;

pub use bags::{Bag, History, Pair, accumulate, antijoin, bag, by_group, join, keys, semijoin, sum};
pub use check::{Kept, check, check_all, recompute};
pub use difftest::Random;
pub use graphs::{
    bfs, communities, components, independent_set, k_core, levels, pagerank, paths, reach, same_generation,
    shortest_paths, strong_components, strong_edges, triangles,
};
pub use grid::Grid;
pub use matrix::{Cell, cells, number_from, whole_matrix};
pub use patience::in_time;
pub use random::{edge_history, history};
pub use ways::{Arrival, Feeders, Way, every_way, lists, permutations};
