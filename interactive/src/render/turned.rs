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
        let readers = readers(plan);
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
                Operator::Variable { definition }
                    if is_set(plan, *definition) && turns(plan, &readers, *input, *definition) =>
                {
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

/// How many operators of its own loop read each operator; the variable that it defines is one of them.
fn readers(plan: &Plan) -> Vec<usize> {
    let mut readers = vec![0; plan.nodes.len()];
    for node in plan.nodes.iter().filter(|node| !matches!(node.operator, Operator::Leave { .. })) {
        node.operator.named().into_iter().for_each(|named| readers[named.0] += 1);
    }
    readers
}

/// Whether nobody sees that a variable's definition is made in its place.
fn turns(plan: &Plan, readers: &[usize], variable: NodeId, definition: NodeId) -> bool {
    let scope = plan.node(variable).scope;
    // Of mutually recursive variables some are read only behind their definitions.
    variable < definition
        && plan.node(definition).scope == scope
        && plan.scopes[scope.0].limit.is_none()
        && readers[definition.0] == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Of a program's sets, how many are kept as an arrangement, and how many loops are turned for that.
    fn turned(text: &str) -> (usize, usize) {
        let no_files = |_: &std::path::Path| Err(io::Error::from(io::ErrorKind::NotFound));
        let checked = crate::language::check("turned.ddir".as_ref(), text.into(), &no_files);
        let plan = crate::plan::plan(&checked.program.expect("a program that checks")).expect("a plan");
        let turned = Turned::of(&plan);
        (turned.kept_as.len(), turned.variables.len())
    }

    fn closure(head: &str, set: &str) -> String {
        let step = "edge + (path | join edge as next on dst == next.src | select path.src as src, next.dst as dst)";
        format!(
            "source edge(src: int, dst: int);
             loop closure {head} {{ var path = {step} | {set}; }}
             loop twins {{ var path = {step} | distinct; var twin = {step} | distinct; }}
             export result = closure.path;"
        )
    }

    #[test]
    fn a_loop_is_turned_where_nobody_can_tell() {
        assert_eq!(turned(&closure("", "distinct")), (1, 1));
        assert_eq!(turned(&closure("", "threshold 2")), (0, 0), "no set");
        assert_eq!(turned(&closure("limit 9", "distinct")), (0, 0), "a round more would be told of");
        // The first is a variable before it is defined; the second is defined by the first, and a variable only then.
        let mutual = "source edge(src: int, dst: int);
             loop both {
                 var odd(src: int, dst: int) = edge + (even | join edge on dst == edge.src | select even.src as src, edge.dst as dst) | distinct;
                 var even = odd | join edge on dst == edge.src | select odd.src as src, edge.dst as dst | distinct;
             }
             export result = both.even;";
        assert_eq!(turned(mutual), (1, 1), "a definition that comes before its variable cannot be made there");
        let twins = closure("limit 9", "distinct") + "export again = twins.twin;";
        assert_eq!(turned(&twins), (0, 0), "who is the same definition is told of it a round ahead");
    }

    #[test]
    fn a_set_is_kept_as_it_is_joined_in_loops_only() {
        let reach = "source edge(src: int, dst: int);
             loop reach { var near = (edge | select src as node) + (near | join edge on node == src | select dst as node) | distinct; }
             export result = reach.near;";
        assert_eq!(turned(reach), (0, 0), "the key is the whole row");
        let outside = "source edge(src: int, dst: int);
             let once = edge | distinct;
             export result = once | join once as next on dst == next.src | select once.src as src, next.dst as dst;";
        assert_eq!(turned(outside), (0, 0));
    }
}
