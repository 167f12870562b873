//! Edges whose direction and number do not matter.

use crate::collection::Collection;
use crate::column::{Column, Data, ShapeOf};

/// Each edge between two different nodes, in both directions, once each. Edges are there if their count is positive.
pub(super) fn both_ways<N: Data>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    ShapeOf<N>: Default,
{
    let there = edges.distinct().filter(|(source, target)| source != target);
    let turned = there.map(|(source, target)| (N::Column::owned(target), N::Column::owned(source)));
    there.concat(&turned).distinct()
}

/// Each edge between two different nodes once, from the lesser node to the greater.
pub(super) fn upward<N: Data>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    ShapeOf<N>: Default,
{
    let there = edges.distinct().filter(|(source, target)| source != target);
    let ordered = there.map(|(source, target)| {
        let (source, target) = (N::Column::owned(source), N::Column::owned(target));
        if source < target { (source, target) } else { (target, source) }
    });
    ordered.distinct()
}
