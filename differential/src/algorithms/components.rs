//! Weakly connected components.

use std::cmp::Ordering;

use super::labels::{bits, propagate};
use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};

/// Each node that is an end of an edge, with the least node of its weakly connected component: `(node, least)`.
///
/// The direction of edges is ignored, and so are their counts, as far as they are positive. A node with only an edge to
/// itself is a component of its own.
///
/// Equation: the least label that reaches each node along edges in both directions, where each node's own number is its
/// label. A node with a lesser neighbour starts none, as a lesser one will reach it: its number would only be overtaken.
/// Cost of a change: in proportion to the nodes whose label changes in some round, and their edges.
pub fn components<N>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    N: Data + Copy + Into<u64>,
    ShapeOf<N>: Default,
{
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    let ends = edges.flat_map(move |(source, target)| [owned(source), owned(target)]).distinct();
    let greater = edges.flat_map(move |(source, target)| match owned(source).cmp(&owned(target)) {
        Ordering::Equal => None,
        order => Some(owned(if order.is_lt() { target } else { source })),
    });
    let labels = ends.concat(&greater.distinct().negate()).map(move |node| (owned(node), owned(node)));
    let both_ways = edges.concat(&edges.map(move |(source, target)| (owned(target), owned(source))));
    propagate(&labels, &both_ways.arrange_by_key("edges both ways"), move |label| bits(owned(label).into()))
}
