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
use crate::value::Kinds;

/// The plan with constants as literals.
pub(super) fn fold(plan: &Plan) -> Plan {
    let kinds = Kinds::of(&plan.sums);
    let folded = |scalar: &mut Scalar| {
        fold_scalar(scalar, &kinds, &plan.sums);
    };
    rebuilt(plan, |made, _, mut node| {
        if let Operator::Rowwise { input, steps } = &mut node.operator {
            for step in steps.iter_mut() {
                match &mut step.kind {
                    RowStepKind::Select(values) => values.iter_mut().for_each(folded),
                    RowStepKind::Where(value)
                    | RowStepKind::Require { condition: value, .. }
                    | RowStepKind::Unnest { list: value, .. } => folded(value),
                }
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

/// Whether it is the same for all rows, and where it stands.
fn fold_scalar(scalar: &mut Scalar, kinds: &Kinds, sums: &[Sum]) -> bool {
    let mut parts_are_constant = true;
    for part in scalar.parts_mut() {
        parts_are_constant &= fold_scalar(part, kinds, sums);
    }
    let own = !matches!(
        scalar.kind,
        ScalarKind::Column(_)
            | ScalarKind::Local(_)
            | ScalarKind::Parameter(_)
            | ScalarKind::Lambda(..)
            | ScalarKind::Let(..)
            | ScalarKind::Case(..)
    );
    if own && parts_are_constant {
        let is_literal = matches!(
            scalar.kind,
            ScalarKind::Int(_) | ScalarKind::Float(_) | ScalarKind::Bool(_) | ScalarKind::Text(_)
        );
        if !is_literal && let Ok(value) = constant(scalar, kinds) {
            *scalar = literal(&value, &scalar.of, scalar.span, sums);
        }
        return true;
    }
    let decided = |scalar: &Scalar| match scalar.kind {
        ScalarKind::Bool(holds) => Some(holds),
        _ => None,
    };
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
