//! Pairs of nodes: what leads where, and what is equally deep below one node.

use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::operators::Variable;

/// Each pair of nodes of which the first leads to the second along one edge or more, once.
///
/// Equation: `paths = distinct(edges + (start, target) for each path (start, end) and edge (end, target))`, least
/// solution. Counts of edges matter only by being positive.
///
/// Cost: what comes out can be the square of the nodes, and each pair is derived once for each edge into its end. Cost
/// of a change: in proportion to the pairs whose least number of edges changes, times the edges at their ends. For a
/// few roots [`reach_each`] is much cheaper.
///
/// ```
/// use differential::{Config, algorithms::transitive_closure, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, paths) = worker.dataflow(|scope| {
///         let (session, edges) = scope.input::<(u32, u32)>("edges");
///         (session, transitive_closure(&edges).output())
///     })?;
///     edges.insert((1, 2));
///     edges.insert((2, 1));
///     worker.commit(&mut edges)?;
///     Ok::<_, differential::Error>(paths.rows()?)
/// });
/// assert_eq!(rows, Ok([(1, 1), (1, 2), (2, 1), (2, 2)].map(|pair| (pair, 1)).to_vec()));
/// ```
pub fn transitive_closure<N: Data>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    ShapeOf<N>: Default,
{
    longer_paths(edges, edges)
}

/// For each root the nodes that it reaches: `(root, node)`, the root itself among them, each pair once.
///
/// Equation: `reach = distinct((root, root) + (root, target) for each (root, node) and edge (node, target))`, least
/// solution. Counts of edges and roots matter only by being positive.
///
/// Cost of a change: that of [`reach`](super::reach), for each root that is concerned.
pub fn reach_each<N: Data>(edges: &Collection<(N, N)>, roots: &Collection<N>) -> Collection<(N, N)>
where
    ShapeOf<N>: Default,
{
    longer_paths(&roots.map(|root| (N::Column::owned(root), N::Column::owned(root))), edges)
}

/// The paths `starts`, and those that edges make longer: `(start, end)`, each pair once.
fn longer_paths<N: Data>(starts: &Collection<(N, N)>, edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    ShapeOf<N>: Default,
{
    let by_source = edges.arrange_by_key("edges by source");
    let turned =
        |paths: &Collection<(N, N)>| paths.map(|(one, other)| (N::Column::owned(other), N::Column::owned(one)));
    let longer = Variable::new(&edges.scope().inner("paths"));
    let found = longer.current().concat(&turned(starts)).arrange_by_key("found by end");
    let by_end = found.distinct("paths by end");
    longer.set(&by_end.join(&by_source, |_, start, target| (N::Column::owned(target), N::Column::owned(start))));
    turned(&by_end.pairs()).leave()
}

/// Pairs of nodes of one generation, in both orders, each once: different children of one node, and children of two
/// nodes that are such a pair.
///
/// Input: edges from parent to child; their counts matter only by being positive. Equation, least solution:
///
/// ```text
///   same(x, y) = parent(p, x) and parent(p, y) and x != y,  or  parent(p, x) and same(p, q) and parent(q, y)
/// ```
///
/// A node with two parents that are such a pair is so with itself. Source: the usual example of recursion that is not
/// along one path, F. Bancilhon, R. Ramakrishnan, An amateur's introduction to recursive query processing strategies,
/// 1986.
///
/// Cost: each pair is derived once for each pair of parents that it has. Cost of a change: in proportion to the pairs
/// whose derivations change.
pub fn same_generation<N: Data>(edges: &Collection<(N, N)>) -> Collection<(N, N)>
where
    ShapeOf<N>: Default,
{
    let by_parent = edges.distinct().arrange_by_key("children by parent");
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    let siblings = by_parent.join_flat(&by_parent, move |_, one, other| {
        let (one, other) = (owned(one), owned(other));
        (one != other).then_some((one, other))
    });
    let siblings = siblings.distinct();
    let lower = Variable::new(&edges.scope().inner("same generation"));
    let found = lower.current().concat(&siblings).arrange_by_key("found by one of them");
    let same = found.distinct("same generation");
    let half = same.join(&by_parent, move |_, other, child| (owned(other), owned(child)));
    lower.set(&half.join_map(&by_parent, move |_, one, other| (owned(one), owned(other))));
    same.pairs().leave()
}
