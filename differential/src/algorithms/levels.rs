//! Levels of a graph without cycles.

use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::operators::Variable;

/// What a node is told: by an edge of the level before it, and of how many edges lead to it.
type Told = (bool, u64);

/// Each node with the number of edges on the longest path that leads to it: its place in a topological order. Nodes on
/// a cycle, and those that a cycle leads to, have none.
///
/// Input: edges; how often one is there does not matter. Every edge between nodes with levels leads to a higher one.
///
/// Equation: `level(node) = 0 if no edge leads to it, else 1 + the greatest level of those before it, once all of them
/// have one`, least solution. Source: A. B. Kahn, Topological sorting of large networks, 1962, a whole level at a time.
///
/// Cost of a change: in proportion to the nodes whose level changes, or is known in another round, and their edges.
///
/// ```
/// use differential::{Config, algorithms::levels, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, levels) = worker.dataflow(|scope| {
///         let (session, edges) = scope.input::<(u32, u32)>("edges");
///         (session, levels(&edges).output())
///     })?;
///     for edge in [(1, 2), (2, 3), (1, 3), (3, 4), (4, 4)] {
///         edges.insert(edge);
///     }
///     worker.commit(&mut edges)?;
///     Ok::<_, differential::Error>(levels.rows()?)
/// });
/// assert_eq!(rows, Ok([(1, 0), (2, 1), (3, 2)].map(|row| (row, 1)).to_vec()));
/// ```
pub fn levels<N: Data>(edges: &Collection<(N, N)>) -> Collection<(N, u64)>
where
    ShapeOf<N>: Default,
{
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    let edges = edges.distinct();
    let by_source = edges.arrange_by_key("edges by source");
    let incoming = edges.map(move |(_, target)| owned(target)).count();
    let targets = incoming.map(move |(node, _)| owned(node));
    let sources = edges.map(move |(source, _)| (owned(source), 0)).distinct().antijoin(&targets);
    let awaited = incoming.map(move |(node, edges)| (owned(node), (true, edges as u64)));

    let scope = edges.scope().inner("levels");
    let variable = Variable::new(&scope);
    let told = variable.current().join_map(&by_source, move |_, level, target| (owned(target), (false, level)));
    let known = told.concat(&awaited).reduce("level", |_, told: &[(Told, i64)], made| {
        // Levels of those before stand first, in order; behind them the number of edges.
        let [levels @ .., ((true, awaited), _)] = told else { return };
        let heard: i64 = levels.iter().map(|(_, edges)| edges).sum();
        if let (Some(((false, greatest), _)), true) = (levels.last(), heard as u64 == *awaited) {
            made.push((greatest + 1, 1));
        }
    });
    let levels = known.concat(&sources);
    variable.set(&levels);
    levels.leave()
}
