//! The least label that reaches each node, with low labels first.
//!
//! Labels that enter late must find the graph labelled already, so that few of them travel far: a label enters the loop
//! at a round that grows with its magnitude. What the result is does not depend on that, only how many updates it takes.

use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::layout::Rows;
use crate::operators::{Arranged, Variable};
use crate::time::Point;

/// Rounds between the entries of labels of successive magnitudes: longer than labels travel. Rounds in which nothing
/// happens cost nothing. With too few, what the first labels have not reached yet is labelled by all the others at once: on
/// a long path, work in proportion to the square of its length.
const ROUNDS_APART: u64 = 1 << 16;

/// Each node that a label reaches along `edges`, with the least such label. A label reaches the node it is given to.
///
/// Equation: `result = min(labels + (target, label) for each edge and each label of its source)`, least solution.
///
/// `magnitude` gives a label's priority: labels of a lower one enter the loop sooner. It must not decrease with the
/// label; `|_| 0` lets all enter at once.
pub fn propagate<N: Data, L: Data>(
    labels: &Collection<(N, L)>,
    edges: &Arranged<Rows<N, N, Point, i64>>,
    mut magnitude: impl FnMut(Lent<'_, L>) -> u32 + 'static,
) -> Collection<(N, L)>
where
    ShapeOf<(N, L)>: Default,
{
    let scope = labels.scope().inner("labels");
    let start = labels.enter_at(&scope, move |(_, label)| ROUNDS_APART * u64::from(magnitude(label)));
    let travelled = Variable::new(&scope);
    let least = travelled.current().concat(&start).arrange_by_key("labels that arrive").min("least labels");
    travelled.set(&least.join(edges, |_, label, target| (N::Column::owned(target), L::Column::owned(label))));
    least.pairs().leave()
}

/// The number of bits of a node's number: how late its label enters.
pub(super) fn bits(node: u64) -> u32 {
    u64::BITS - node.leading_zeros()
}
