//! Shortest paths along weighted edges.

use crate::collection::Collection;
use crate::column::{Column, Data, ShapeOf};

/// The nodes that can be reached from `roots` along `edges`, each with the least sum of weights on a path from a root.
///
/// Input: edges as `(source, (target, weight))`. Counts of edges and roots matter only by being positive. Weights have
/// 32 bits and sums 64, so the sum of a path that passes no node twice cannot overflow.
///
/// Equation: `paths = min(roots at 0 + (target, sum + weight) for each edge and the sum of its source)`, least
/// solution. A round adds one edge to each path, so round n has the least sums of all paths with n edges or fewer
/// (Bellman 1958).
///
/// Cost of a change: in proportion to the nodes whose sum changes in some round, and their edges. A node whose sum
/// changes in many rounds (long paths that are light) costs as often.
///
/// ```
/// use differential::{Config, algorithms::shortest_paths, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut roads, mut homes, distances) = worker.dataflow(|scope| {
///         let (road_session, roads) = scope.input::<(u32, (u32, u32))>("roads");
///         let (home_session, homes) = scope.input::<u32>("homes");
///         (road_session, home_session, shortest_paths(&roads, &homes).output())
///     })?;
///     for road in [(1, (2, 5)), (2, (3, 3)), (1, (3, 10))] {
///         roads.insert(road);
///     }
///     homes.insert(1);
///     worker.commit((&mut roads, &mut homes))?;
///     let before = distances.rows()?;
///     roads.remove((2, (3, 3)));
///     worker.commit((&mut roads, &mut homes))?;
///     Ok::<_, differential::Error>((before, distances.rows()?))
/// });
/// let at = |distances: [u64; 3]| (1..).zip(distances).map(|row| (row, 1)).collect::<Vec<_>>();
/// assert_eq!(rows, Ok((at([0, 5, 8]), at([0, 5, 10]))));
/// ```
pub fn shortest_paths<N: Data>(edges: &Collection<(N, (N, u32))>, roots: &Collection<N>) -> Collection<(N, u64)>
where
    ShapeOf<N>: Default,
{
    let by_source = edges.arrange_by_key("weighted edges by source");
    let starts = roots.map(|root| (N::Column::owned(root), 0));
    starts.iterate(|sums| {
        let farther =
            sums.join_map(&by_source, |_, sum, (target, weight)| (N::Column::owned(target), sum + u64::from(weight)));
        farther.concat(&starts).min()
    })
}
