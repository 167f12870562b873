//! Cores: what is left when nodes with few neighbours are taken away.

use super::undirected::both_ways;
use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};

/// The nodes of the `k`-core, each once: the largest set of nodes of which each has at least `k` neighbours in the set.
///
/// Input: edges; direction, number, and edges from a node to itself do not matter, so for `k` of 1 and less these are
/// the nodes with a neighbour.
///
/// Equation: `x(0) = all nodes; x(n + 1) = the nodes with at least k neighbours in x(n)`; the greatest solution.
/// Source: S. B. Seidman, Network structure and minimum degree, 1983.
///
/// Cost of a change: in proportion to the nodes that leave in another round than before, and their edges.
///
/// ```
/// use differential::{Config, algorithms::k_core, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, core) = worker.dataflow(|scope| {
///         let (session, edges) = scope.input::<(u32, u32)>("edges");
///         (session, k_core(&edges, 2).output())
///     })?;
///     // A triangle with a tail.
///     for edge in [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)] {
///         edges.insert(edge);
///     }
///     worker.commit(&mut edges)?;
///     Ok::<_, differential::Error>(core.rows()?)
/// });
/// assert_eq!(rows, Ok(vec![(1, 1), (2, 1), (3, 1)]));
/// ```
pub fn k_core<N: Data>(edges: &Collection<(N, N)>, k: u32) -> Collection<N>
where
    ShapeOf<N>: Default,
{
    let edges = both_ways(edges);
    let neighbours = edges.arrange_by_key("neighbours");
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    let nodes = edges.map(move |(node, _)| owned(node)).distinct();
    // Edges come once, so a node's count is the number of its neighbours that are left.
    nodes.iterate(|left| {
        left.join(&neighbours, move |_, (), neighbour| owned(neighbour))
            .threshold(move |count| i64::from(*count >= i64::from(k)))
    })
}
