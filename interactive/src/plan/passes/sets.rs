//! `distinct` of what is distinct already goes.
//!
//! ```text
//!   var seen = .. | distinct;     let new = edge | except seen;      `except` asks for the distinct rows of `seen`,
//!                                                                    which is a set in every round
//! ```
//!
//! A collection is a *set* if a row is there once or not at all, in every round. What is distinct or a group is one; what
//! keeps or leaves out rows of a set is one; and a join of two sets is, if it keeps all of their columns. A variable is what
//! its definition is: it is empty at first, which is a set, and each round follows from the one before. So all are taken for
//! sets until one is found not to be, which is asked of those again that asked it; what is left are sets.
//!
//! In a loop a `distinct` costs an arrangement and a reduction, so this is worth more than an operator.

use super::used::{rebuilt, used};
use crate::language::program::Generator;
use crate::plan::tree::{NodeId, Operator, Picked, Plan, RowStepKind};

/// The plan without operators that make sets of sets.
pub(super) fn sets(plan: &Plan) -> Plan {
    let mut is_set = vec![true; plan.nodes.len()];
    let mut askers: Vec<Vec<usize>> = vec![Vec::new(); plan.nodes.len()];
    for (at, node) in plan.nodes.iter().enumerate() {
        asks(plan, &node.operator).into_iter().for_each(|of| askers[of.0].push(at));
    }
    let mut waiting: Vec<usize> = (0..plan.nodes.len()).rev().collect();
    while let Some(at) = waiting.pop() {
        if is_set[at] && !follows(plan, NodeId(at), &is_set) {
            is_set[at] = false;
            waiting.extend(&askers[at]);
        }
    }
    used(rebuilt(plan, |made, at, node| {
        let old = &plan.node(at).operator;
        if let (Operator::Threshold { input, least: 1 }, Operator::Threshold { input: old, .. }) = (&node.operator, old)
            && is_set[old.0]
        {
            return Some(*input);
        }
        Some(made.push(node))
    }))
}

/// Whose being sets [`follows`] asks for.
fn asks(plan: &Plan, operator: &Operator) -> Vec<NodeId> {
    let mut asked = operator.named();
    if let Operator::Concat { parts } = operator {
        asked.extend(parts.iter().flat_map(|(part, _)| plan.node(*part).operator.inputs()));
    }
    asked
}

/// Whether an operator makes a set, if these are sets.
fn follows(plan: &Plan, id: NodeId, is_set: &[bool]) -> bool {
    let set = |id: &NodeId| is_set[id.0];
    match &plan.node(id).operator {
        Operator::Threshold { .. } | Operator::Group { .. } => true,
        Operator::Generated(generator) => !matches!(generator, Generator::RandomGraph { .. }),
        Operator::Source { .. } | Operator::Import { .. } | Operator::Rows(_) => false,
        Operator::Rowwise { input, steps } => {
            let keeps = |kind: &RowStepKind| matches!(kind, RowStepKind::Where(_) | RowStepKind::Require { .. });
            set(input) && steps.iter().all(|step| keeps(&step.kind))
        }
        Operator::Inspect { input, .. }
        | Operator::EnterAt { input, .. }
        | Operator::Leave { input }
        | Operator::Variable { definition: input } => set(input),
        // Rows of a set that differ still do, if none of their columns is left out.
        Operator::Arrange { input, key, value } => {
            set(input) && (0..plan.node(*input).columns.len()).all(|at| key.contains(&at) || value.contains(&at))
        }
        Operator::Join { left, right, output } => {
            let values = |side: &NodeId| plan.node(*side).columns.len() - plan.key_width(*side);
            let all = (0..plan.key_width(*left)).map(Picked::Key).chain((0..values(left)).map(Picked::Left));
            set(left) && set(right) && all.chain((0..values(right)).map(Picked::Right)).all(|of| output.contains(&of))
        }
        Operator::Top { input, output, .. } => {
            let values = plan.node(*input).columns.len() - plan.key_width(*input);
            let all = (0..plan.key_width(*input)).map(Picked::Key).chain((0..values).map(Picked::Left));
            set(input) && all.into_iter().all(|of| output.contains(&of))
        }
        Operator::Concat { parts } => match parts[..] {
            [(only, false)] => set(&only),
            [(all, false), (some, true)] => set(&all) && is_part(plan, all, some, is_set),
            _ => false,
        },
    }
}

/// Whether `some` are rows of `all`, as they are: those with a match among the keys of a set.
fn is_part(plan: &Plan, all: NodeId, some: NodeId, is_set: &[bool]) -> bool {
    let Operator::Join { left, right, output } = &plan.node(some).operator else { return false };
    let (Operator::Arrange { input, key, value }, Operator::Arrange { value: none, .. }) =
        (&plan.node(*left).operator, &plan.node(*right).operator)
    else {
        return false;
    };
    let column = |picked: &Picked| match *picked {
        Picked::Key(at) => Some(key[at]),
        Picked::Left(at) => Some(value[at]),
        Picked::Right(_) => None,
    };
    let as_they_are = output.iter().map(column).eq((0..plan.node(all).columns.len()).map(Some));
    *input == all && none.is_empty() && is_set[right.0] && as_they_are
}
