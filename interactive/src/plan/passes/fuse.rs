//! Chains of steps become one operator, and columns are picked where rows are made.
//!
//! ```text
//!   #4 join | select a, b, c     read by #5 alone
//!   #5 #4 | select c             read by #6 alone    =>   #4 join | select c
//!   #6 #5 | where c > 1                                   #6 #4 | where c > 1
//! ```
//!
//! An operator that others read too is left alone: its rows are made once. But an arrangement of picked columns may as
//! well pick them itself, from what the others read.

use super::used::{readers, rebuilt, used};
use crate::kernel::fails;
use crate::language::program::{Scalar, ScalarKind};
use crate::plan::tree::{NodeId, Operator, Plan, RowStep, RowStepKind};
use std::sync::Arc;

/// The plan with fewer operators for the same rows.
pub(super) fn fuse(plan: &Plan) -> Plan {
    let readers = readers(plan);
    // Of new operators, how many read those that they stand for.
    let mut reads: Vec<usize> = Vec::new();
    let fused = rebuilt(plan, |made, old, mut node| {
        let is_alone = |id: NodeId| reads[id.0] == 1;
        match &mut node.operator {
            Operator::Rowwise { input, steps } => {
                let last = steps.last().expect("a step at least").clone();
                let mut chain = Vec::new();
                if is_alone(*input) {
                    match &mut made.nodes[input.0].operator {
                        // Nobody else reads it: this operator takes its place.
                        Operator::Rowwise { input: before, steps: first } => {
                            chain = std::mem::take(first);
                            *input = *before;
                        }
                        Operator::Join { output, .. } => {
                            if let Some(places) = steps.first().and_then(|step| picks(step)) {
                                *output = places.into_iter().map(|at| output[at]).collect();
                                made.nodes[input.0].columns = steps.remove(0).columns.clone();
                            }
                        }
                        _ => {}
                    }
                }
                let width = made.node(*input).columns.len();
                steps.drain(..).for_each(|step| append(&mut chain, step, width));
                *steps = chain;
                if steps.is_empty() {
                    // What is left is as it was, but perhaps for names: those of a join may be changed.
                    let input = *input;
                    let is_join = matches!(made.node(input).operator, Operator::Join { .. }) && is_alone(input);
                    if is_join || made.node(input).columns == node.columns {
                        made.nodes[input.0].columns = node.columns.clone();
                        reads[input.0] += readers[old.0] - 1;
                        return Some(input);
                    }
                    steps.push(last);
                }
            }
            Operator::Arrange { input, key, value } => {
                if let Operator::Rowwise { input: before, steps } = &made.node(*input).operator
                    && let [step] = &steps[..]
                    && let Some(places) = picks(step)
                {
                    let before = *before;
                    key.iter_mut().chain(value.iter_mut()).for_each(|at| *at = places[*at]);
                    reads[input.0] -= 1;
                    reads[before.0] += 1;
                    *input = before;
                }
                let columns = &made.node(*input).columns;
                node.columns = key.iter().chain(value.iter()).map(|at| columns[*at].clone()).collect();
            }
            _ => {}
        }
        reads.push(readers[old.0]);
        Some(made.push(node))
    });
    used(fused)
}

/// The places of columns, if a step is a selection of columns as they are.
fn picks(step: &RowStep) -> Option<Vec<usize>> {
    let RowStepKind::Select(values) = &step.kind else { return None };
    let place = |value: &Scalar| match value.kind {
        ScalarKind::Column(at) => Some(at),
        _ => None,
    };
    values.iter().map(place).collect()
}

/// Appends a step to a chain on rows of so many columns: two selections become one where that costs nothing, and a step
/// that changes nothing is dropped.
fn append(chain: &mut Vec<Arc<RowStep>>, mut step: Arc<RowStep>, width: usize) {
    if let (Some(RowStepKind::Select(before)), RowStepKind::Select(values)) =
        (chain.last().map(|step| &step.kind), &step.kind)
        && let Some(composed) = composed(before, values)
    {
        let (columns, statement) = (step.columns.clone(), step.statement.clone());
        step = Arc::new(RowStep { kind: RowStepKind::Select(composed), columns, statement });
        chain.pop();
    }
    let before = chain.last().map_or(width, |step| step.columns.len());
    let is_same = picks(&step).is_some_and(|places| places.len() == before && places.iter().copied().eq(0..before));
    match chain.last_mut() {
        _ if !is_same => chain.push(step),
        Some(last) if last.columns != step.columns => Arc::make_mut(last).columns = step.columns.clone(),
        _ => {}
    }
}

/// A selection of what a selection makes, as one: if one of them only picks columns, and what moves cannot fail.
fn composed(before: &[Scalar], values: &[Scalar]) -> Option<Vec<Scalar>> {
    let place = |value: &Scalar| match value.kind {
        ScalarKind::Column(at) => Some(at),
        _ => None,
    };
    if let Some(places) = values.iter().map(place).collect::<Option<Vec<usize>>>() {
        let mut seen = vec![false; before.len()];
        // What is picked twice would be computed twice.
        let mut once = |at: usize| place(&before[at]).is_some() || !std::mem::replace(&mut seen[at], true);
        let moves = !before.iter().any(fails) && places.iter().all(|at| once(*at));
        return moves.then(|| places.iter().map(|at| before[*at].clone()).collect());
    }
    let places = before.iter().map(place).collect::<Option<Vec<usize>>>()?;
    if values.iter().any(fails) {
        return None;
    }
    let mut values = values.to_vec();
    values.iter_mut().for_each(|value| value.move_columns(&|at| places[at]));
    Some(values)
}
