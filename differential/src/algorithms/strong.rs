//! Strongly connected components, by labels that travel forward and backward in turn.
//!
//! ```text
//!   x(0) = edges                     x(n + 1) = agree backward (agree forward x(n))
//!   agree: the edges whose two ends got the same label, where each node's own number is its label and the least one
//!          that reaches a node along x(n) wins
//! ```
//!
//! An edge within a component survives every pass, as whatever label reaches one end reaches the other. And what is left
//! in the end is within components: take nodes connected by edges that are left. All have one forward label and one
//! backward label. The least of them keeps its own number in both directions (it has an edge into it and one out of it, or
//! its edges would have been dropped for want of a label). So it reaches all of them, and all of them reach it.
//!
//! Why not a depth-first search: it knows no small change.

use super::labels::{bits, propagate};
use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};

/// The edges whose two ends are in one strongly connected component, with their counts. An edge from a node to itself is
/// one of them.
///
/// Cost of a change: in proportion to the labels that change in some round of some pass, and their edges.
pub fn strong_edges<N>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    N: Data + Copy + Into<u64>,
    ShapeOf<N>: Default,
{
    edges.iterate_in(&edges.scope().inner("strong components"), |edges| {
        let forward = agreeing(edges);
        let backward = agreeing(&turned(&forward));
        turned(&backward)
    })
}

/// Each node that is an end of an edge, with the least node of its strongly connected component: `(node, least)`.
pub fn strong_components<N>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    N: Data + Copy + Into<u64>,
    ShapeOf<N>: Default,
{
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    let labels =
        edges.flat_map(move |(source, target)| [(owned(source), owned(source)), (owned(target), owned(target))]);
    let within = strong_edges(edges).arrange_by_key("edges within components");
    // Within a component every node reaches every other, so the least number reaches them all.
    propagate(&labels, &within, move |label| bits(owned(label).into()))
}

/// The edges whose two ends are reached by the same least label along these edges.
fn agreeing<N>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    N: Data + Copy + Into<u64>,
    ShapeOf<N>: Default,
{
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    // Only nodes with an edge into them start a label. An edge from any other gets none and is dropped, rightly.
    let labels = edges.map(move |(_, target)| (owned(target), owned(target)));
    let by_source = edges.arrange_by_key("edges by source");
    let labels = propagate(&labels, &by_source, move |label| bits(owned(label).into())).arrange_by_key("labels");
    let half = by_source.join(&labels, move |source, target, label| (owned(target), (owned(source), owned(label))));
    let both = half.join_map(&labels, move |target, (source, one), other| {
        ((owned(source), owned(target)), owned(one) == owned(other))
    });
    both.filter(|(_, agree)| agree).map(move |((source, target), _)| (owned(source), owned(target)))
}

fn turned<N: Data + Copy>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    ShapeOf<N>: Default,
{
    edges.map(|(source, target)| (N::Column::owned(target), N::Column::owned(source)))
}
