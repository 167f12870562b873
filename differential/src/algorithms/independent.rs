//! Independent sets.

use super::undirected::upward;
use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};

/// The lexicographically first maximal independent set: the nodes that one gets by going through all in ascending order
/// and taking each that no node taken before is a neighbour of. Each once.
///
/// Input: edges; direction, number, and edges from a node to itself do not matter. A node is an end of an edge to
/// another.
///
/// Equation: `x(0) = all nodes; x(n + 1) = the nodes without a lesser neighbour in x(n)`. What is asked of a node are
/// lesser ones only, so the first n nodes are right from round n on, and there is one solution. Source: S. A. Cook, A
/// taxonomy of problems with fast parallel algorithms, 1985.
///
/// Cost: as many rounds as the longest path of ascending nodes along which the answer depends; few where numbers are
/// random. Cost of a change: in proportion to the nodes whose answer changes in some round, and their edges.
///
/// ```
/// use differential::{Config, algorithms::independent_set, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, chosen) = worker.dataflow(|scope| {
///         let (session, edges) = scope.input::<(u32, u32)>("edges");
///         (session, independent_set(&edges).output())
///     })?;
///     for edge in [(1, 2), (2, 3), (3, 4)] {
///         edges.insert(edge);
///     }
///     worker.commit(&mut edges)?;
///     Ok::<_, differential::Error>(chosen.rows()?)
/// });
/// assert_eq!(rows, Ok(vec![(1, 1), (3, 1)]));
/// ```
pub fn independent_set<N: Data>(edges: &Collection<(N, N)>) -> Collection<N>
where
    ShapeOf<N>: Default,
{
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    let upward = upward(edges);
    let greater = upward.arrange_by_key("greater neighbours");
    let nodes = upward.flat_map(move |(lesser, greater)| [owned(lesser), owned(greater)]).distinct();
    nodes.iterate(|chosen| {
        let beside = chosen.join(&greater, move |_, (), neighbour| owned(neighbour)).distinct();
        // A node beside one is a node: its count is zero then.
        nodes.concat(&beside.negate())
    })
}
