//! PageRank, in whole numbers.
//!
//! ```text
//!   rank of u, as a count ──> its share for each edge, rounded down ──(edges)──> counts of targets add up
//!                                                        all nodes, (1 - d) each ──(+)
//! ```
//!
//! Ranks are *counts* of nodes, so that adding up shares is what collections do anyway, and a small change of a rank is
//! a small update. They are whole numbers of a billionth of the average rank: a rank is the same on every machine and
//! in any order of additions, and an edge loses less than one such unit a round.

use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::operators::Rounds;

/// What PageRank is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRank {
    /// How many rounds.
    pub rounds: u64,
    /// How much of a rank goes along edges, in hundredths; the rest is spread over all nodes. At most 100.
    pub damping_percent: u8,
    /// What becomes of the rank of nodes without edges from them.
    pub dangling: Dangling,
}

/// What becomes of the rank of nodes without edges from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dangling {
    /// It is spread over all nodes. Then a change of one such rank changes all ranks a little: a tick costs at least a
    /// step a node and round.
    Spread,
    /// It is lost. Ranks then add up to less, and a change is felt only along edges.
    Lost,
}

impl Default for PageRank {
    /// Twenty rounds, 85 hundredths, dangling ranks lost.
    fn default() -> Self {
        PageRank { rounds: 20, damping_percent: 85, dangling: Dangling::Lost }
    }
}

/// The rank that each node has on average, and starts with.
pub const RANK_UNITS: i64 = 1_000_000_000;

/// Each node that is an end of an edge, with its rank in units: the average is [`RANK_UNITS`] as long as none is lost.
/// A node whose rank is zero, which takes a damping of 100 hundredths, is not there.
///
/// Input: edges, each as often as it is there; counts are not negative.
///
/// Equation, where d is the damping and all divisions round down:
///
/// ```text
///   rank(0)(v) = RANK_UNITS
///   rank(n + 1)(v) = (1 - d) * RANK_UNITS + sum over edges (u, v) of d * rank(n)(u) / edges from u
///                                         + d * rank(n) of all dangling nodes / number of nodes       if spread
/// ```
///
/// Source: S. Brin, L. Page, The anatomy of a large-scale hypertextual web search engine, 1998.
///
/// Cost of a change: in proportion to the nodes whose rank changes by a unit or more in some round, and their edges:
/// soon most of a well connected graph. So few rounds are cheaper, and less exact.
///
/// # Errors
/// More than nine billion times the average rank in one place overflows, and stops the operator.
///
/// ```
/// use differential::algorithms::{PageRank, RANK_UNITS, pagerank};
/// use differential::{Config, run_alone};
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, ranks) = worker.dataflow(|scope| {
///         let (session, edges) = scope.input::<(u32, u32)>("edges");
///         (session, pagerank(&edges, PageRank::default()).output())
///     })?;
///     edges.insert((1, 2));
///     edges.insert((2, 1));
///     worker.commit(&mut edges)?;
///     Ok::<_, differential::Error>(ranks.rows()?)
/// });
/// assert_eq!(rows, Ok(vec![((1, RANK_UNITS), 1), ((2, RANK_UNITS), 1)]));
/// ```
pub fn pagerank<N: Data>(edges: &Collection<(N, N)>, options: PageRank) -> Collection<(N, i64)>
where
    ShapeOf<N>: Default,
{
    let owned = |node: Lent<'_, N>| N::Column::owned(node);
    let damping = i128::from(options.damping_percent.min(100));
    let damped = move |rank: i64, among: i64| (i128::from(rank) * damping / (100 * i128::from(among))) as i64;
    let by_source = edges.arrange_by_key("edges by source");
    let sources = edges.map(move |(source, _)| owned(source));
    let nodes = edges.flat_map(move |(source, target)| [owned(source), owned(target)]).distinct();
    let edges_from = sources.count().arrange_by_key("edges from each node");
    let base = RANK_UNITS - damped(RANK_UNITS, 1);
    let given = nodes.threshold(move |_| base);
    // Each node without edges from it, under the key of all, and all nodes under it; and how many there are.
    let dangling = nodes.map(move |node| (owned(node), ())).antijoin(&sources).arrange_by_key("dangling nodes");
    let everywhere = nodes.map(move |node| ((), owned(node))).arrange_by_key("all nodes");
    let many = nodes.map(|_| ()).count().arrange_by_key("number of nodes");

    let start = nodes.threshold(|_| RANK_UNITS);
    let ranks = start.iterate_for("pagerank", Rounds::Exactly(options.rounds), |ranks| {
        let ranks_by_node = ranks.arrange_by_self("ranks");
        // An edge gets as much as any other from its node.
        let among = ranks_by_node.join(&edges_from, move |node, (), edges| (owned(node), edges));
        let shares =
            among.arrange_by_key("ranks among edges").reduce("shares", move |_, ranks: &[(i64, i64)], made| {
                made.extend(
                    ranks.iter().map(|(edges, rank)| ((), damped(*rank, *edges))).filter(|(_, share)| *share != 0),
                );
            });
        let pushed = shares.join(&by_source, move |_, (), target| owned(target));
        if options.dangling == Dangling::Lost {
            return pushed.concat(&given);
        }
        let stranded = ranks_by_node.join(&dangling, |_, (), ()| ()).arrange_by_self("dangling rank");
        let among = stranded.join(&many, |(), (), nodes| ((), nodes));
        let spread = among.arrange_by_key("dangling rank among nodes").reduce(
            "spread",
            move |(), ranks: &[(i64, i64)], made| {
                made.extend(
                    ranks.iter().map(|(nodes, rank)| ((), damped(*rank, *nodes))).filter(|(_, share)| *share != 0),
                );
            },
        );
        pushed.concat(&given).concat(&spread.join(&everywhere, move |(), (), node| owned(node)))
    });
    ranks.count()
}
