//! What is asked of a graph, and the contract of whoever answers.
//!
//! The front feeds changes of rows and closes commits; it does not know how answers come about. In the program the
//! engine answers (`engine.rs`); in tests a recomputation from nothing does, a dozen obvious lines a question, and
//! the two must agree at every commit.

use super::errors::AnswersError;
use super::rows::{Edge, Node};
use std::collections::{BTreeMap, BTreeSet};

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// For each of these nodes: how many nodes are reached from it along directed edges, itself included?
    pub roots: BTreeSet<Node>,
    /// How many weak components are there, and how large is the largest?
    pub components: bool,
    /// The same for strong components.
    pub scc: bool,
}

/// The state of a graph, as far as asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// How many nodes are an end of a present edge.
    pub nodes: u64,
    /// How many distinct directed edges are present, loops included.
    pub distinct_directed_edges: u64,
    /// For each root asked for, how many nodes it reaches: itself if it is a node, else none.
    pub reached: BTreeMap<Node, u64>,
    /// Weak components, if asked for.
    pub weak: Option<Components>,
    /// Strong components, if asked for.
    pub strong: Option<Components>,
}

/// A division of the nodes: every node is in exactly one component, alone if need be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// How many components.
    pub count: u64,
    /// How many nodes the largest has; 0 for the empty graph.
    pub largest: u64,
}

/// Keeps the answers to some questions current while rows come and go.
///
/// 1. The graph is the set of edges whose diffs, over all commits closed, add up to more than zero.
/// 2. After `commit` returns without error, `read` tells the answers for everything fed before it, and nothing else.
/// 3. After an error, nothing is promised any more: the caller stops.
pub trait Answers {
    /// Adds `diff` copies of `edge` to the commit that is open.
    fn change(&mut self, edge: Edge, diff: i64) -> Result<(), AnswersError>;

    /// Closes the commit and works until every answer is current.
    fn commit(&mut self) -> Result<(), AnswersError>;

    /// The answers as of the last commit; those for the empty graph before the first.
    fn read(&mut self) -> Result<Answer, AnswersError>;
}
