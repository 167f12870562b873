//! Scalars with the values of parameters put in, and scalars that are constant.
//!
//! What is constant is computed here and stands in the plan as a literal: so parameters that are used twice, in calls of
//! calls, don't grow what they are put into.

use super::{Builder, FrameId};
use crate::kernel::{Failure, Kernel};
use crate::language::files::Span;
use crate::language::mistake::{Mistake, Problem};
use crate::language::program::{Scalar, ScalarKind};
use crate::language::types::{Sum, Type};
use crate::value::{Kinds, Rows, Value};
use differential::column::Column;

impl Builder<'_> {
    /// A scalar as it is in a frame: the values of parameters in their place.
    pub(super) fn given(&self, frame: FrameId, scalar: &Scalar) -> Scalar {
        let mut given = scalar.clone();
        let values = &self.frames[frame.0].values;
        if !values.is_empty() {
            put_in(&mut given, values);
        }
        given
    }

    /// The value of a scalar that needs no row, as a literal.
    pub(super) fn constant(&self, frame: FrameId, scalar: &Scalar) -> Result<Scalar, Mistake> {
        let given = self.given(frame, scalar);
        let fails = |failure: Failure| {
            Mistake::new(failure.span, Problem::ConstantFails { reason: failure.reason.to_string() })
        };
        let value = constant(&given, &self.kinds).map_err(fails)?;
        Ok(literal(&value, &given.of, given.span, &self.plan.sums))
    }

    /// The value of a number that needs no row, which must be one at least.
    pub(super) fn positive(&self, frame: FrameId, scalar: &Scalar) -> Result<i64, Mistake> {
        match self.constant(frame, scalar)?.kind {
            ScalarKind::Int(number) if number >= 1 => Ok(number),
            ScalarKind::Int(number) => Err(Mistake::new(scalar.span, Problem::TooSmall { number, least: 1 })),
            other => unreachable!("a constant int is {other:?}"),
        }
    }
}

/// The value of a scalar that needs no row.
pub(crate) fn constant(scalar: &Scalar, kinds: &Kinds) -> Result<Value, Failure> {
    let kernel = Kernel::compile(std::slice::from_ref(scalar), kinds);
    let (mut nothing, mut made) = (Rows::empty(&[].into()), Rows::empty(kernel.schema()));
    nothing.push_values(&[]);
    match kernel.apply(&nothing, 0..1, &mut made).failed.first() {
        Some((_, failure)) => Err(*failure),
        None => Ok(made.fields()[0].value(0)),
    }
}

/// A scalar that is this value.
pub(crate) fn literal(value: &Value, of: &Type, span: Span, sums: &[Sum]) -> Scalar {
    let part = |value: &Value, of: &Type| literal(value, of, span, sums);
    let kind = match (value, of) {
        (Value::Int(number), _) => ScalarKind::Int(*number),
        (Value::Float(number), _) => ScalarKind::Float(number.get()),
        (Value::Bool(holds), _) => ScalarKind::Bool(*holds),
        (Value::Text(text), _) => ScalarKind::Text(text.to_string()),
        (Value::Tuple(fields), Type::Tuple(types)) => {
            ScalarKind::Tuple(fields.iter().zip(types).map(|(field, of)| part(field, of)).collect())
        }
        (Value::List(items), Type::List(of)) => ScalarKind::List(items.iter().map(|item| part(item, of)).collect()),
        (Value::Sum(at, held), of) => {
            let held_type = match of {
                Type::Option(of) => Some(of.as_ref()),
                Type::Sum(id, _) => sums[id.0].constructors[*at as usize].payload.as_ref(),
                of => unreachable!("{of} has no constructors"),
            };
            let payload = held.as_deref().zip(held_type).map(|(held, of)| Box::new(part(held, of)));
            ScalarKind::Construct { constructor: *at as usize, payload }
        }
        (value, of) => unreachable!("{value:?} is no {of}"),
    };
    Scalar { kind, of: of.clone(), span }
}

/// Puts values in the place of parameters.
fn put_in(scalar: &mut Scalar, values: &[Option<Scalar>]) {
    match scalar.kind {
        ScalarKind::Parameter(at) => {
            let given = values[at].as_ref().expect("a parameter that is a value has one");
            *scalar = Scalar { span: scalar.span, ..given.clone() };
        }
        _ => scalar.parts_mut().into_iter().for_each(|part| put_in(part, values)),
    }
}
