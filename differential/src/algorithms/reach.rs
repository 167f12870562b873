//! What can be reached, and in how many hops.

use crate::collection::Collection;
use crate::column::{Column, Data, ShapeOf};

/// The nodes that can be reached from `roots` along `edges`, each once; the roots themselves included.
///
/// Equation: `reach = distinct(roots + targets of edges whose source is in reach)`, least solution. Counts of edges and
/// roots matter only by being positive.
///
/// Cost of a change: in proportion to the nodes whose reachability, or whose number of hops, changes, and their edges.
///
/// ```
/// use differential::{Config, algorithms::reach, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, mut roots, reached) = worker.dataflow(|scope| {
///         let (edge_session, edges) = scope.input::<(u32, u32)>("edges");
///         let (root_session, roots) = scope.input::<u32>("roots");
///         (edge_session, root_session, reach(&edges, &roots).output())
///     })?;
///     edges.insert((1, 2));
///     edges.insert((2, 3));
///     roots.insert(1);
///     worker.commit((&mut edges, &mut roots))?;
///     edges.remove((1, 2));
///     worker.commit((&mut edges, &mut roots))?;
///     Ok::<_, differential::Error>(reached.rows().unwrap())
/// });
/// assert_eq!(rows, Ok(vec![(1, 1)]));
/// ```
pub fn reach<N: Data>(edges: &Collection<(N, N)>, roots: &Collection<N>) -> Collection<N>
where
    ShapeOf<N>: Default,
{
    let by_source = edges.arrange_by_key("edges by source");
    roots.iterate(|near| near.join(&by_source, |_, _, target| N::Column::owned(target)).concat(roots).distinct())
}

/// The nodes that can be reached from `roots` along `edges`, each with its least number of hops from a root.
///
/// Equation: `bfs = min(roots at 0 + targets of edges whose source is in bfs, one hop more)`, least solution.
///
/// Cost of a change: in proportion to the nodes whose number of hops changes, and their edges.
pub fn bfs<N: Data>(edges: &Collection<(N, N)>, roots: &Collection<N>) -> Collection<(N, u32)>
where
    ShapeOf<N>: Default,
{
    let by_source = edges.arrange_by_key("edges by source");
    let starts = roots.map(|root| (N::Column::owned(root), 0));
    starts.iterate(|hops| {
        let farther = hops.join_map(&by_source, |_, hops, target| (N::Column::owned(target), hops + 1));
        farther.concat(&starts).min()
    })
}
