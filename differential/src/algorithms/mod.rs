//! Graph algorithms, written only with the public surface.
//!
//! | function | from | to |
//! |---|---|---|
//! | [`reach`] | edges, roots | the nodes that a root reaches |
//! | [`bfs`] | edges, roots | the nodes that a root reaches, each with the least number of hops |
//! | [`components`] | edges | each node, with the least node of its weakly connected component |
//! | [`strong_components`] | edges | each node, with the least node of its strongly connected component |
//! | [`strong_edges`] | edges | the edges within a strongly connected component |
//! | [`propagate`] | labels, edges | each node, with the least label that reaches it |

mod components;
mod labels;
mod reach;
mod strong;

pub use components::components;
pub use labels::propagate;
pub use reach::{bfs, reach};
pub use strong::{strong_components, strong_edges};
