//! Equal operators, and above all equal arrangements, are there once.
//!
//! ```text
//!   arrange #3 by (src) with (dst)     read by a join of one statement
//!   arrange #3 by (src) with (weight)  and by one of another            =>  arrange #3 by (src) with (dst, weight)
//! ```
//!
//! Operators are equal if they do the same to equal operators; variables are all different, and so is what shows changes.
//! Two that may fail are equal only if they stand at the same place, since each has errors of its own.
//!
//! Arrangements that only joins read may have more values than one of them asks for. So those of the same rows by the same
//! key become one with all of the values: a copy of the key and of the counts is saved, and the upkeep.

use super::identity::identity;
use super::used::{readers, rebuilt, used};
use crate::plan::tree::{NodeId, Operator, Picked, Plan};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::{Discriminant, discriminant};

/// The plan with every operator once.
pub(super) fn share(plan: &Plan) -> Plan {
    let mut known: HashMap<(Discriminant<Operator>, Vec<NodeId>), Alike> = HashMap::new();
    let shared = rebuilt(plan, |made, _, node| {
        if matches!(node.operator, Operator::Variable { .. } | Operator::Inspect { .. }) {
            return Some(made.push(node));
        }
        let mut reads = node.operator.inputs();
        reads.sort_unstable();
        let alike = match known.entry((discriminant(&node.operator), reads)) {
            Entry::Vacant(entry) => {
                let new = made.push(node);
                entry.insert(Alike::One(new));
                return Some(new);
            }
            Entry::Occupied(entry) => entry.into_mut(),
        };
        if let Alike::One(first) = *alike {
            *alike = Alike::Many(HashMap::from([(identity(made.node(first)), first)]));
        }
        let Alike::Many(alike) = alike else { unreachable!("there is one more now") };
        Some(*alike.entry(identity(&node)).or_insert_with(|| made.push(node)))
    });
    used(one_index_a_key(&shared))
}

/// Operators of one sort that read the same. What they do is looked at only if there are several: it takes a while.
enum Alike {
    One(NodeId),
    /// By identity.
    Many(HashMap<Vec<u8>, NodeId>),
}

/// Arrangements of the same rows by the same key, that joins alone read, as one.
fn one_index_a_key(plan: &Plan) -> Plan {
    let readers = readers(plan);
    let mut joins = vec![0; plan.nodes.len()];
    for node in &plan.nodes {
        if let Operator::Join { left, right, .. } = &node.operator {
            joins[left.0] += 1;
            joins[right.0] += 1;
        }
    }
    // By rows and key, the values that are asked for.
    let mut values: BTreeMap<(NodeId, Vec<usize>), BTreeSet<usize>> = BTreeMap::new();
    for (at, node) in plan.nodes.iter().enumerate().filter(|(at, _)| joins[*at] == readers[*at]) {
        if let Operator::Arrange { input, key, value } = &node.operator {
            values.entry((*input, key.clone())).or_default().extend(value);
            debug_assert!(readers[at] > 0, "an operator that nobody reads");
        }
    }
    let wide = |id: NodeId| match &plan.node(id).operator {
        Operator::Arrange { input, key, .. } if joins[id.0] == readers[id.0] => values.get(&(*input, key.clone())),
        _ => None,
    };
    let mut known: BTreeMap<(NodeId, Vec<usize>), NodeId> = BTreeMap::new();
    rebuilt(plan, |made, at, mut node| {
        match (&mut node.operator, &plan.node(at).operator) {
            (Operator::Arrange { value, .. }, Operator::Arrange { input, key, .. }) => {
                if let Some(all) = wide(at) {
                    let name = (*input, key.clone());
                    if let Some(same) = known.get(&name) {
                        return Some(*same);
                    }
                    *value = all.iter().copied().collect();
                    let columns = &plan.node(*input).columns;
                    node.columns = key.iter().chain(value.iter()).map(|at| columns[*at].clone()).collect();
                    known.insert(name, NodeId(made.nodes.len()));
                }
            }
            (Operator::Join { output, .. }, Operator::Join { left, right, .. }) => {
                let moved = |side: NodeId, at: usize| {
                    let Operator::Arrange { value, .. } = &plan.node(side).operator else { return at };
                    wide(side).map_or(at, |all| {
                        all.iter().position(|column| *column == value[at]).expect("all have its values")
                    })
                };
                for picked in output {
                    *picked = match *picked {
                        Picked::Key(at) => Picked::Key(at),
                        Picked::Left(at) => Picked::Left(moved(*left, at)),
                        Picked::Right(at) => Picked::Right(moved(*right, at)),
                    };
                }
            }
            _ => {}
        }
        Some(made.push(node))
    })
}
