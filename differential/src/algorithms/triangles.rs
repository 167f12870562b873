//! Triangles.

use super::undirected::upward;
use crate::collection::Collection;
use crate::column::{Column, Data, ShapeOf};

/// The triangles of a graph, each once: `(a, b, c)` with `a < b < c` and an edge between any two.
///
/// Input: edges; direction, number, and edges from a node to itself do not matter. `triangles(&edges).map(|_|
/// ()).count()` is how many there are.
///
/// Equation: `triangles = edges(a, b), edges(a, c), edges(b, c)`, with edges from the lesser node to the greater.
///
/// Cost: a pair of edges from each node to two greater ones. So numbers that rise with the number of neighbours make it
/// cheapest: then no node has more than the square root of all edges to greater ones. Cost of a change: the greater
/// neighbours of its lesser end, and the pairs that it closes.
///
/// ```
/// use differential::{Config, algorithms::triangles, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, triangles) = worker.dataflow(|scope| {
///         let (session, edges) = scope.input::<(u32, u32)>("edges");
///         (session, triangles(&edges).output())
///     })?;
///     for edge in [(2, 1), (2, 3), (1, 3), (3, 4)] {
///         edges.insert(edge);
///     }
///     worker.commit(&mut edges)?;
///     Ok::<_, differential::Error>(triangles.rows()?)
/// });
/// assert_eq!(rows, Ok(vec![((1, 2, 3), 1)]));
/// ```
pub fn triangles<N: Data>(edges: &Collection<(N, N)>) -> Collection<(N, N, N)>
where
    ShapeOf<N>: Default,
{
    let upward = upward(edges);
    let by_lesser = upward.arrange_by_key("greater neighbours");
    let open = by_lesser.join_flat(&by_lesser, |a, b, c| {
        let (b, c) = (N::Column::owned(b), N::Column::owned(c));
        (b < c).then(|| ((b, c), N::Column::owned(a)))
    });
    open.join_map(&upward.arrange_by_self("edges upward"), |(b, c), a, ()| {
        (N::Column::owned(a), N::Column::owned(b), N::Column::owned(c))
    })
}
