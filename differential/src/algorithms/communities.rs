//! Communities: labels that most neighbours have.

use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::operators::Rounds;

/// Each node that is an end of an edge, with its label after `rounds` rounds in which every node takes the label that
/// most of its neighbours have; of several such, the least.
///
/// Input: edges, each as often as it is there. Both ends of one are neighbours, so what is joined both ways is so
/// twice.
///
/// Equation: `x(0) = (node, node); x(n + 1) = (node, the most frequent label of its neighbours in x(n))`, for all nodes
/// at once. It need not converge, so the number of rounds is part of the question. Source: U. N. Raghavan, R. Albert,
/// S. Kumara, Near linear time algorithm to detect community structures in large-scale networks, 2007, made
/// deterministic as in LDBC Graphalytics.
///
/// Cost of a change: in proportion to the nodes whose label changes in some round, and their neighbours.
///
/// ```
/// use differential::{Config, algorithms::communities, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, labels) = worker.dataflow(|scope| {
///         let (session, edges) = scope.input::<(u32, u32)>("edges");
///         (session, communities(&edges, 3).output())
///     })?;
///     for edge in [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)] {
///         edges.insert(edge);
///     }
///     worker.commit(&mut edges)?;
///     Ok::<_, differential::Error>(labels.rows()?)
/// });
/// let of = |label| move |node| ((node, label), 1);
/// assert_eq!(rows, Ok([[1, 2, 3].map(of(1)), [4, 5, 6].map(of(4))].concat()));
/// ```
pub fn communities<N: Data>(edges: &Collection<(N, N)>, rounds: u64) -> Collection<(N, N)>
where
    ShapeOf<N>: Default,
{
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    let both_ways = edges.concat(&edges.map(move |(source, target)| (owned(target), owned(source))));
    let neighbours = both_ways.arrange_by_key("neighbours");
    let own = both_ways.map(move |(node, _)| owned(node)).distinct().map(move |node| (owned(node), owned(node)));
    own.iterate_for("communities", Rounds::Exactly(rounds), |labels| {
        let heard = labels.join_map(&neighbours, move |_, label, neighbour| (owned(neighbour), owned(label)));
        heard.reduce("most frequent label", move |_, labels: &[(Lent<'_, N>, i64)], made| {
            let mut most: Option<&(Lent<'_, N>, i64)> = None;
            for one in labels.iter().filter(|(_, often)| *often > 0) {
                // Labels ascend: a later one must be more frequent.
                most = most.filter(|most| most.1 >= one.1).or(Some(one));
            }
            made.extend(most.map(|(label, _)| (owned(*label), 1)));
        })
    })
}
