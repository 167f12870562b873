//! Columns that nobody needs are left out.
//!
//! ```text
//!   arrange #1 by (a) with (b, c)   join | select a, b, c, d    | select a, d + 1 as e    =>   with (b, c) becomes with (c)
//!      needs  a, c                     needs  a, d = #1.c          needs  e
//! ```
//!
//! What is needed is found from the last operator to the first, and left out from the first to the last. Selections, joins
//! and arrangements leave columns out; the rest has the columns that it is given. A value that may fail is needed by its
//! errors. Bags are counted by whole rows where something is distinct, grouped or goes round: nothing is left out there.

use super::reads;
use super::used::rebuilt;
use crate::kernel::fails;
use crate::language::program::Scalar;
use crate::language::types::Column;
use crate::plan::tree::{NodeId, Operator, Picked, Plan, RowStep, RowStepKind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Columns, by number.
type Columns = BTreeSet<usize>;

/// Where each column is now, if it is there.
type Places = Vec<Option<usize>>;

/// The plan with fewer columns.
pub(super) fn prune(plan: &Plan) -> Plan {
    let needed = needed(plan);
    let mut places: Vec<Places> = Vec::new();
    rebuilt(plan, |made, at, mut node| {
        let needed = &needed[at.0];
        let mut now = whole(node.columns.len());
        let old = &plan.node(at).operator;
        let of = |input: &NodeId| &places[input.0];
        match (&mut node.operator, old) {
            (Operator::Rowwise { input: new, steps }, Operator::Rowwise { input, .. }) => {
                now = pruned_steps(steps, of(input), &made.node(*new).columns, needed);
                node.columns = steps.last().map_or(&made.node(*new).columns, |step| &step.columns).clone();
            }
            (Operator::Arrange { key, value, .. }, Operator::Arrange { input, .. }) => {
                let width = key.len();
                let kept = |at: &usize| needed.contains(&(width + at));
                let values: Vec<usize> = (0..value.len()).filter(kept).collect();
                now = spread(node.columns.len(), (0..width).chain(values.iter().map(|at| width + at)));
                node.columns = kept_columns(&node.columns, &now);
                let place = |at: usize| of(input)[at].expect("what an arrangement needs is there");
                key.iter_mut().for_each(|at| *at = place(*at));
                *value = values.into_iter().map(|at| place(value[at])).collect();
            }
            (Operator::Join { output, .. }, Operator::Join { left, right, .. }) => {
                now = spread(output.len(), needed.iter().copied());
                node.columns = kept_columns(&node.columns, &now);
                let place = |side: &NodeId, at: usize| {
                    let width = plan.key_width(*side);
                    of(side)[width + at].expect("what a join needs is there") - width
                };
                let moved = |at: &usize| match output[*at] {
                    Picked::Key(at) => Picked::Key(at),
                    Picked::Left(at) => Picked::Left(place(left, at)),
                    Picked::Right(at) => Picked::Right(place(right, at)),
                };
                *output = needed.iter().map(moved).collect();
            }
            (Operator::EnterAt { round, .. }, Operator::EnterAt { input, .. }) => {
                now = of(input).clone();
                node.columns = kept_columns(&node.columns, &now);
                *round = now[*round].expect("the round is needed");
            }
            (_, Operator::Leave { input }) => {
                now = of(input).clone();
                node.columns = kept_columns(&node.columns, &now);
            }
            _ => {}
        }
        places.push(now);
        Some(made.push(node))
    })
}

/// Where columns are when all are kept.
fn whole(width: usize) -> Places {
    (0..width).map(Some).collect()
}

/// Where columns are when these are kept.
fn spread(width: usize, kept: impl IntoIterator<Item = usize>) -> Places {
    let mut places = vec![None; width];
    kept.into_iter().enumerate().for_each(|(now, at)| places[at] = Some(now));
    places
}

/// The columns that are still there. (They keep their order.)
fn kept_columns(columns: &Arc<[Column]>, places: &Places) -> Arc<[Column]> {
    if places.iter().all(Option::is_some) {
        return columns.clone();
    }
    columns.iter().zip(places).filter(|(_, now)| now.is_some()).map(|(column, _)| column.clone()).collect()
}

/// Which columns of each operator are needed.
fn needed(plan: &Plan) -> Vec<Columns> {
    let all = |id: NodeId| 0..plan.node(id).columns.len();
    let mut needed: Vec<Columns> = vec![Columns::new(); plan.nodes.len()];
    for export in &plan.exports {
        needed[export.node.0].extend(all(export.node));
    }
    for node in &plan.nodes {
        if let Operator::Variable { definition } = node.operator {
            needed[definition.0].extend(all(definition));
        }
    }
    for (at, node) in plan.nodes.iter().enumerate().rev() {
        let own = needed[at].clone();
        match &node.operator {
            Operator::Rowwise { input, steps } => {
                let before = before_steps(steps, all(*input).len(), &own).remove(0);
                needed[input.0].extend(before);
            }
            Operator::Arrange { input, key, value } => {
                let values = own.iter().filter_map(|at| value.get(at.checked_sub(key.len())?));
                needed[input.0].extend(key.iter().chain(values));
            }
            Operator::Join { left, right, output } => {
                for side in [left, right] {
                    let width = plan.key_width(*side);
                    needed[side.0].extend(0..width);
                }
                for at in own {
                    match output[at] {
                        Picked::Key(_) => {}
                        Picked::Left(at) => drop(needed[left.0].insert(plan.key_width(*left) + at)),
                        Picked::Right(at) => drop(needed[right.0].insert(plan.key_width(*right) + at)),
                    }
                }
            }
            Operator::EnterAt { input, round } => needed[input.0].extend(own.into_iter().chain([*round])),
            Operator::Leave { input } => needed[input.0].extend(own),
            other => {
                for input in other.inputs() {
                    needed[input.0].extend(all(input));
                }
            }
        }
    }
    needed
}

/// What is needed before each step, and at the end.
fn before_steps(steps: &[Arc<RowStep>], width: usize, after: &Columns) -> Vec<Columns> {
    let mut needed = vec![after.clone()];
    for (at, step) in steps.iter().enumerate().rev() {
        let after = needed.last().expect("there is the end");
        let mut before = Columns::new();
        match &step.kind {
            RowStepKind::Select(values) => {
                let kept = values.iter().enumerate().filter(|(at, value)| after.contains(at) || fails(value));
                kept.for_each(|(_, value)| before.extend(reads(value)));
            }
            RowStepKind::Where(value) | RowStepKind::Require { condition: value, .. } => {
                before.extend(after);
                before.extend(reads(value));
            }
            RowStepKind::Unnest { list, .. } => {
                let had = at.checked_sub(1).map_or(width, |before| steps[before].columns.len());
                before.extend(after.iter().filter(|at| **at < had));
                before.extend(reads(list));
            }
        }
        needed.push(before);
    }
    needed.reverse();
    needed
}

/// Steps on rows whose columns are at these places, without what is not needed; and where columns are in the end.
fn pruned_steps(steps: &mut [Arc<RowStep>], input: &Places, columns: &Arc<[Column]>, after: &Columns) -> Places {
    let needed = before_steps(steps, input.len(), after);
    let (mut now, mut columns) = (input.clone(), columns.clone());
    for (at, step) in steps.iter_mut().enumerate() {
        let kept = |(place, value): &(usize, &Scalar)| needed[at + 1].contains(place) || fails(value);
        let keeps_all = match &step.kind {
            RowStepKind::Select(values) => values.iter().enumerate().all(|value| kept(&value)),
            _ => true,
        };
        if keeps_all && now.iter().copied().eq((0..now.len()).map(Some)) {
            now = whole(step.columns.len());
            columns = step.columns.clone();
            continue;
        }
        let step = Arc::make_mut(step);
        let place = |at: usize| now[at].expect("what a step needs is there");
        match &mut step.kind {
            RowStepKind::Select(values) => {
                let kept: Vec<usize> = values.iter().enumerate().filter(kept).map(|(at, _)| at).collect();
                let moved = |at: &usize| {
                    let mut value = values[*at].clone();
                    value.move_columns(&place);
                    value
                };
                let selected = kept.iter().map(moved).collect();
                now = spread(values.len(), kept);
                columns = kept_columns(&step.columns, &now);
                *values = selected;
            }
            RowStepKind::Where(value) | RowStepKind::Require { condition: value, .. } => value.move_columns(&place),
            RowStepKind::Unnest { list, position } => {
                list.move_columns(&place);
                let (had, new) = (now.len(), 1 + usize::from(*position));
                now.extend((columns.len()..columns.len() + new).map(Some));
                columns = columns.iter().chain(&step.columns[had..]).cloned().collect();
            }
        }
        step.columns = columns.clone();
    }
    now
}
