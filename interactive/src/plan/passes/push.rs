//! Filters go below joins, and an equality after a cross join becomes its key.
//!
//! ```text
//!   cross join | where left.a == right.b and left.c > 1 and left.d < right.e
//!              =>  join on a == b, of left rows with c > 1    | where left.d < right.e
//! ```
//!
//! Only what cannot fail moves, since it is then asked of more rows than before, or of others. A side that others read
//! too stays as it is, and so does a filter that would be an operator more than it saves.

use super::reads;
use super::used::{readers, rebuilt, used};
use crate::kernel::fails;
use crate::language::operators::Binary;
use crate::language::program::{Scalar, ScalarKind};
use crate::language::types::Type;
use crate::plan::tree::{Node, NodeId, Operator, Picked, Plan, RowStep, RowStepKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is done to an arrangement below a join.
#[derive(Default)]
struct Below {
    /// What must hold of the rows that are arranged.
    filters: Vec<Scalar>,
    /// Columns that become the key.
    key: Option<Vec<usize>>,
}

/// The plan with filters where rows are fewest.
pub(super) fn push(plan: &Plan) -> Plan {
    let readers = readers(plan);
    let mut below: BTreeMap<NodeId, Below> = BTreeMap::new();
    // What is left of the first step of operators that follow joins.
    let mut left: BTreeMap<NodeId, Option<Scalar>> = BTreeMap::new();
    for (at, node) in plan.nodes.iter().enumerate() {
        let Operator::Rowwise { input, steps } = &node.operator else { continue };
        let Operator::Join { left: on_left, right: on_right, output } = &plan.node(*input).operator else { continue };
        let RowStepKind::Where(condition) = &steps[0].kind else { continue };
        let alone = [*input, *on_left, *on_right].iter().all(|id| readers[id.0] == 1) && on_left != on_right;
        if alone && !fails(condition) {
            let sides = [*on_left, *on_right];
            let budget = usize::from(steps.len() == 1);
            let rest = pushed(plan, &readers, sides, output, condition, budget, &mut below);
            left.insert(NodeId(at), rest);
        }
    }
    let pushed = rebuilt(plan, |made, old, mut node| {
        match (&mut node.operator, &plan.node(old).operator) {
            (Operator::Arrange { input, key, value }, _) => {
                if let Some(Below { filters, key: new_key }) = below.get(&old) {
                    for filter in filters {
                        let rows = made.node(*input).clone();
                        let step = Arc::new(RowStep {
                            kind: RowStepKind::Where(filter.clone()),
                            columns: rows.columns.clone(),
                            statement: node.place.statement.clone(),
                        });
                        if let (Operator::Rowwise { steps, .. }, true) =
                            (&mut made.nodes[input.0].operator, is_chain(plan, &readers, old))
                        {
                            steps.push(step);
                            continue;
                        }
                        let operator = Operator::Rowwise { input: *input, steps: vec![step] };
                        *input = made.push(Node { operator, place: node.place.clone(), ..rows });
                    }
                    if let Some(new_key) = new_key {
                        value.retain(|at| !new_key.contains(at));
                        key.clone_from(new_key);
                    }
                    let columns = &made.node(*input).columns;
                    node.columns = key.iter().chain(value.iter()).map(|at| columns[*at].clone()).collect();
                }
            }
            (Operator::Join { output, .. }, Operator::Join { left, right, .. }) => {
                for picked in output {
                    *picked = match *picked {
                        Picked::Left(at) => moved(plan, &below, *left, at, Picked::Left),
                        Picked::Right(at) => moved(plan, &below, *right, at, Picked::Right),
                        key => key,
                    };
                }
            }
            (Operator::Rowwise { input, steps }, _) => {
                match left.get(&old) {
                    Some(Some(rest)) => Arc::make_mut(&mut steps[0]).kind = RowStepKind::Where(rest.clone()),
                    Some(None) => drop(steps.remove(0)),
                    None => {}
                }
                if steps.is_empty() {
                    return Some(*input);
                }
            }
            _ => {}
        }
        Some(made.push(node))
    });
    used(pushed)
}

/// Whether what an arrangement reads is a chain of steps that nobody else reads.
fn is_chain(plan: &Plan, readers: &[usize], arranged: NodeId) -> bool {
    let Operator::Arrange { input, .. } = &plan.node(arranged).operator else { return false };
    readers[input.0] == 1 && matches!(plan.node(*input).operator, Operator::Rowwise { .. })
}

/// Where a column of a side's value is, once its key is another.
fn moved(plan: &Plan, below: &BTreeMap<NodeId, Below>, side: NodeId, at: usize, of: fn(usize) -> Picked) -> Picked {
    let Operator::Arrange { value, .. } = &plan.node(side).operator else { unreachable!("a join reads arrangements") };
    let Some(Below { key: Some(key), .. }) = below.get(&side) else { return of(at) };
    let column = value[at];
    match key.iter().position(|other| *other == column) {
        Some(at) => Picked::Key(at),
        None => of(value[..at].iter().filter(|other| !key.contains(other)).count()),
    }
}

/// Moves what can be moved of a condition on what a join makes, and answers with what is left of it.
fn pushed(
    plan: &Plan,
    readers: &[usize],
    sides: [NodeId; 2],
    output: &[Picked],
    condition: &Scalar,
    mut budget: usize,
    below: &mut BTreeMap<NodeId, Below>,
) -> Option<Scalar> {
    let mut conjuncts = Vec::new();
    split(condition, &mut conjuncts);
    let is_cross = plan.key_width(sides[0]) == 0;
    // The column of the rows of a side that an output is, if it is one of that side.
    let of_side = |side: usize, at: usize| {
        let Operator::Arrange { key, value, .. } = &plan.node(sides[side]).operator else { return None };
        match (output[at], side) {
            (Picked::Key(at), _) => Some(key[at]),
            (Picked::Left(at), 0) | (Picked::Right(at), 1) => Some(value[at]),
            _ => None,
        }
    };
    let mut rest = Vec::new();
    let mut filters: [Vec<Scalar>; 2] = Default::default();
    for conjunct in conjuncts {
        if let (true, Some((left, right))) = (is_cross, equality(&conjunct, &of_side)) {
            for (side, column) in sides.into_iter().zip([left, right]) {
                below.entry(side).or_default().key.get_or_insert_default().push(column);
            }
            continue;
        }
        let columns = reads(&conjunct);
        let home = (0..2).find(|side| columns.iter().all(|at| of_side(*side, *at).is_some()));
        match home.filter(|_| !columns.is_empty()) {
            Some(side) => {
                let mut moved = conjunct;
                moved.move_columns(&|at| of_side(side, at).expect("a column of this side"));
                filters[side].push(moved);
            }
            None => rest.push(conjunct),
        }
    }
    // A filter costs nothing where it joins a chain of steps, and nothing more where it was one of its own.
    if !rest.is_empty() {
        budget = 0;
    }
    for (side, filters) in filters.into_iter().enumerate() {
        let Some(filter) = all(filters) else { continue };
        let joins_chain = is_chain(plan, readers, sides[side]);
        if joins_chain || budget > 0 {
            budget -= usize::from(!joins_chain);
            below.entry(sides[side]).or_default().filters.push(filter);
        } else {
            // Back where it was.
            let mut back = filter;
            let place = |column: usize| {
                (0..output.len()).find(|at| of_side(side, *at) == Some(column)).expect("it was made of an output")
            };
            back.move_columns(&place);
            rest.push(back);
        }
    }
    all(rest)
}

/// The columns of an equality of a left and a right column.
fn equality(scalar: &Scalar, of_side: &impl Fn(usize, usize) -> Option<usize>) -> Option<(usize, usize)> {
    let ScalarKind::Binary(Binary::Equal, one, other) = &scalar.kind else { return None };
    let (ScalarKind::Column(one), ScalarKind::Column(other)) = (&one.kind, &other.kind) else { return None };
    let straight = of_side(0, *one).zip(of_side(1, *other));
    straight.or_else(|| of_side(0, *other).zip(of_side(1, *one)))
}

/// What must hold all together.
fn split(condition: &Scalar, into: &mut Vec<Scalar>) {
    match &condition.kind {
        ScalarKind::Binary(Binary::And, left, right) => {
            split(left, into);
            split(right, into);
        }
        _ => into.push(condition.clone()),
    }
}

/// All of these together.
fn all(conditions: Vec<Scalar>) -> Option<Scalar> {
    conditions.into_iter().reduce(|left, right| {
        let span = left.span;
        Scalar { kind: ScalarKind::Binary(Binary::And, Box::new(left), Box::new(right)), of: Type::Bool, span }
    })
}
