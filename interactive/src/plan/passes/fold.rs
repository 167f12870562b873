//! What is constant is computed once, and filters that always hold go.
//!
//! A scalar without columns and names has one value: it becomes a literal, unless it fails, which it may do once for each
//! row. Of `and`, `or` and `if` with a literal on their left, only what matters is left.

use super::used::rebuilt;
use crate::language::operators::Binary;
use crate::language::program::{Scalar, ScalarKind};
use crate::language::types::Sum;
use crate::plan::tree::{Operator, Plan, RowStepKind};
use crate::plan::{constant, literal};
use crate::value::{Kinds, Value};
use std::sync::Arc;

/// A list of more items is made anew where it is used.
const ITEMS_MAX: usize = 64;

/// The plan with constants as literals.
pub(super) fn fold(plan: &Plan) -> Plan {
    let kinds = Kinds::of(&plan.sums);
    rebuilt(plan, |made, _, mut node| {
        if let Operator::Rowwise { input, steps } = &mut node.operator {
            for step in steps.iter_mut().filter(|step| step.kind.scalars().iter().any(can_fold)) {
                let scalars = Arc::make_mut(step).kind.scalars_mut().iter_mut();
                scalars.for_each(|scalar| _ = fold_scalar(scalar, &kinds, &plan.sums));
            }
            steps.retain(|step| {
                let (RowStepKind::Where(value) | RowStepKind::Require { condition: value, .. }) = &step.kind else {
                    return true;
                };
                !matches!(value.kind, ScalarKind::Bool(true))
            });
            if steps.is_empty() {
                return Some(*input);
            }
        }
        Some(made.push(node))
    })
}

/// Whether folding may change something: most scalars stay as they are, and are then not copied.
fn can_fold(scalar: &Scalar) -> bool {
    /// Whether it is the same for all rows.
    fn walk(scalar: &Scalar, changes: &mut bool) -> bool {
        let mut is_constant = depends_on_parts_alone(scalar);
        scalar.for_each_part(|part| is_constant &= walk(part, changes));
        let decided = match &scalar.kind {
            ScalarKind::Binary(Binary::And | Binary::Or, left, _) | ScalarKind::If(left, ..) => decided(left).is_some(),
            _ => false,
        };
        *changes |= decided || is_constant && !is_literal(scalar);
        is_constant
    }
    let mut changes = false;
    walk(scalar, &mut changes);
    changes
}

/// Folds a scalar; whether it is the same for all rows, and where it stands.
fn fold_scalar(scalar: &mut Scalar, kinds: &Kinds, sums: &[Sum]) -> bool {
    let mut is_constant = depends_on_parts_alone(scalar);
    for part in scalar.parts_mut() {
        is_constant &= fold_scalar(part, kinds, sums);
    }
    if is_constant {
        if !is_literal(scalar)
            && let Ok(value) = constant(scalar, kinds)
            && is_short(&value)
        {
            *scalar = literal(&value, &scalar.of, scalar.span, sums);
        }
        return true;
    }
    let taken = match &mut scalar.kind {
        ScalarKind::Binary(operator @ (Binary::And | Binary::Or), left, right) => match decided(left) {
            Some(holds) if holds == (*operator == Binary::And) => Some(right),
            Some(_) => Some(left),
            None => None,
        },
        ScalarKind::If(condition, then, other) => match decided(condition) {
            Some(true) => Some(then),
            Some(false) => Some(other),
            None => None,
        },
        _ => None,
    };
    if let Some(taken) = taken {
        let nothing = Scalar { kind: ScalarKind::Broken, of: taken.of.clone(), span: taken.span };
        *scalar = std::mem::replace(taken, nothing);
    }
    false
}

/// Whether it is worth writing out: of a list, an expression an item is kept.
fn is_short(value: &Value) -> bool {
    match value {
        Value::List(items) => items.len() <= ITEMS_MAX && items.iter().all(is_short),
        Value::Tuple(fields) => fields.iter().all(is_short),
        _ => true,
    }
}

/// Whether it is constant if its parts are. (A `let` or a `case` is not, since its names are no constants.)
fn depends_on_parts_alone(scalar: &Scalar) -> bool {
    !matches!(
        scalar.kind,
        ScalarKind::Column(_)
            | ScalarKind::Local(_)
            | ScalarKind::Parameter(_)
            | ScalarKind::Lambda(..)
            | ScalarKind::Let(..)
            | ScalarKind::Case(..)
    )
}

fn is_literal(scalar: &Scalar) -> bool {
    matches!(scalar.kind, ScalarKind::Int(_) | ScalarKind::Float(_) | ScalarKind::Bool(_) | ScalarKind::Text(_))
}

/// The value of a condition that is a literal.
fn decided(scalar: &Scalar) -> Option<bool> {
    match scalar.kind {
        ScalarKind::Bool(holds) => Some(holds),
        _ => None,
    }
}
