//! Which sets are kept as an arrangement of them, and which loops are turned for that.
//!
//! ```text
//!   var path = distinct(edge + path joined with edge)
//!
//!   as written    candidates ── by row ── distinct ── path ── variable ── by end ── join ──┐      three indexes
//!   turned        candidates ── variable ── by end, distinct by row ── join ──┐                   two
//! ```
//!
//! A join asks for a set by some of its columns. `Arranged::distinct` looks at rows and arranges what comes out by a key, so
//! the set is there once, as the join wants it. In a loop what is joined is mostly the variable, and the set is its
//! definition; there the loop is turned: what goes round is what the set is made of, and the set is made of what
//! came round. It is empty in the first round, as the variable was, and the same in every other.
//!
//! Not where the key is the whole row: then the arrangement saved is small beside the candidates, which are sorted a round
//! late if they travel (a sixth more for `reach`). Not outside of loops, where counts are kept without a history. Not where a
//! loop is given up after some rounds that its author chose: one round more of candidates would be told of. And not where
//! somebody reads the definition in the loop itself, one round ahead of the variable.

use crate::plan::Plan;
use crate::plan::tree::{NodeId, Operator};
use std::collections::BTreeMap;

/// Sets that are kept as an arrangement of them.
#[derive(Default)]
pub(super) struct Turned {
    /// The arrangement that a set is kept as: of a `distinct`, or of a variable that is one.
    pub(super) kept_as: BTreeMap<NodeId, NodeId>,
    /// The variable in whose place a `distinct` is made.
    pub(super) variables: BTreeMap<NodeId, NodeId>,
}

impl Turned {
    /// Of the sets of a plan, those for which it pays.
    pub(super) fn of(plan: &Plan) -> Turned {
        let mut turned = Turned::default();
        for (at, node) in plan.nodes.iter().enumerate() {
            let Operator::Arrange { input, key, value } = &node.operator else { continue };
            let mut columns: Vec<usize> = key.iter().chain(value).copied().collect();
            columns.sort_unstable();
            let whole = columns.iter().copied().eq(0..plan.node(*input).columns.len());
            if !whole || value.is_empty() || turned.kept_as.contains_key(input) {
                continue;
            }
            match &plan.node(*input).operator {
                Operator::Threshold { .. } if is_set(plan, *input) => {}
                Operator::Variable { definition } if is_set(plan, *definition) && turns(plan, *input, *definition) => {
                    turned.variables.insert(*definition, *input);
                }
                _ => continue,
            }
            turned.kept_as.insert(*input, NodeId(at));
        }
        turned
    }
}

/// Whether an operator makes a set, in a loop.
fn is_set(plan: &Plan, id: NodeId) -> bool {
    let node = plan.node(id);
    matches!(node.operator, Operator::Threshold { least: 1, .. }) && plan.scopes[node.scope.0].parent.is_some()
}

/// Whether nobody sees that a variable's definition is made in its place.
fn turns(plan: &Plan, variable: NodeId, definition: NodeId) -> bool {
    let scope = plan.node(variable).scope;
    let reads = |(at, _): &(usize, &crate::plan::tree::Node)| {
        NodeId(*at) != variable && plan.nodes[*at].operator.named().contains(&definition)
    };
    let mut readers = plan.nodes.iter().enumerate().filter(reads);
    plan.node(definition).scope == scope
        && plan.scopes[scope.0].limit.is_none()
        && readers.all(|(_, node)| matches!(node.operator, Operator::Leave { .. }))
}
