//! Graph algorithms, written only with the public surface.
//!
//! | function | from | to |
//! |---|---|---|
//! | [`reach`] | edges, roots | the nodes that a root reaches |
//! | [`reach_each`] | edges, roots | each root with the nodes that it reaches |
//! | [`bfs`] | edges, roots | the nodes that a root reaches, each with the least number of hops |
//! | [`shortest_paths`] | weighted edges, roots | the nodes that a root reaches, each with the least sum of weights |
//! | [`transitive_closure`] | edges | the pairs of nodes of which the first leads to the second |
//! | [`same_generation`] | edges to children | the pairs of nodes that are equally deep below one |
//! | [`components`] | edges | each node, with the least node of its weakly connected component |
//! | [`strong_components`] | edges | each node, with the least node of its strongly connected component |
//! | [`strong_edges`] | edges | the edges within a strongly connected component |
//! | [`propagate`] | labels, edges | each node, with the least label that reaches it |
//! | [`communities`] | edges | each node, with the label that most of its neighbours have, after some rounds |
//! | [`k_core`] | edges | what is left when nodes with fewer than k neighbours are taken away |
//! | [`levels`] | edges | each node that no cycle leads to, with its level in topological order |
//! | [`independent_set`] | edges | the lexicographically first maximal independent set |
//! | [`triangles`] | edges | three nodes with an edge between any two |
//! | [`pagerank`] | edges | each node with its rank |
//!
//! Each says what it reads, what it answers, by which equation, at what cost, and where it is from. Where "direction
//! and number do not matter", an edge is there if its count is positive.

mod closure;
mod communities;
mod components;
mod cores;
mod independent;
mod labels;
mod levels;
mod pagerank;
mod reach;
mod shortest;
mod strong;
mod triangles;
mod undirected;

pub use closure::{reach_each, same_generation, transitive_closure};
pub use communities::communities;
pub use components::components;
pub use cores::k_core;
pub use independent::independent_set;
pub use labels::propagate;
pub use levels::levels;
pub use pagerank::{Dangling, PageRank, RANK_UNITS, pagerank};
pub use reach::{bfs, reach};
pub use shortest::shortest_paths;
pub use strong::{strong_components, strong_edges};
pub use triangles::triangles;
