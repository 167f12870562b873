//! Many rows at once: an expression becomes a column, its parts before it.
//!
//! ```text
//!   if size > 9 then size / parts else 0
//!
//!   rows    0  1  2  3
//!   size    4 12 20  7      a column, lent
//!   > 9     -  x  x  -
//!   part    rows 1 2 of size and parts, divided; whatever fails there fails in row 1 or 2
//!   merged  0  6  5  0
//! ```
//!
//! What only some rows ask for (`if`, `case`, the right side of `and` and `or`) is evaluated in a frame of those rows, if
//! it can fail; what they use is gathered for it. What can't fail on the right of `and` and `or` is evaluated for all.

use super::calls::call;
use super::expression::{Expr, Op, Pattern, Uses};
use super::frame::{Col, Failures, Frame, bools, made, merge, nothing, words};
use super::lanes;
use super::operators::{arithmetic, comparison, negative};
use super::patterns::{bind, matches};
use super::single::Single;
use crate::language::operators::Binary;
use crate::value::{Kind, Rows, Value, Values, sums::Sums};
use differential::column::Column;
use std::rc::Rc;

/// Evaluates an expression in all rows of a frame.
pub(super) fn eval<'a>(expr: &'a Expr, frame: &mut Frame<'a>, failures: &mut Failures) -> Col<'a> {
    if expr.alone {
        return alone(expr, frame, failures);
    }
    let rows = frame.rows;
    match &expr.op {
        Op::Constant(_, column) => Col::One(column),
        Op::Column(at) => frame.column(*at),
        Op::Local(slot) => frame.local(*slot),
        Op::Tuple(fields) => {
            let Kind::Tuple(kinds) = &expr.kind else { unreachable!("a tuple has a tuple's kind") };
            let columns = fields.iter().zip(&**kinds);
            let columns = columns.map(|(field, kind)| eval(field, frame, failures).into_values(rows, kind)).collect();
            made(Values::Tuple(Rows::of_fields(kinds.clone(), rows, columns)))
        }
        Op::Construct(tag, payload) => {
            let Kind::Sum(variants) = &expr.kind else { unreachable!("a constructor makes a sum") };
            let mut held: Vec<Option<Values>> = variants.iter().map(|kind| kind.as_ref().map(Values::empty)).collect();
            if let (Some(payload), Some(column)) = (payload, &mut held[*tag as usize]) {
                eval(payload, frame, failures).append_to(rows, column);
            }
            made(Values::Sums(Sums::of_parts(vec![*tag; rows], held)))
        }
        Op::Field(of, at) => field(eval(of, frame, failures), *at),
        Op::Negative(of) => {
            let of = eval(of, frame, failures);
            negative(words(of.view(), rows), expr, rows, failures)
        }
        Op::Not(of) => {
            let of = eval(of, frame, failures).into_values(rows, &Kind::Bool);
            let of = bools(&of);
            made(Values::Bools(lanes::zip_bools(of, of, |word, _| !word)))
        }
        Op::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
            let left = eval(left, frame, failures);
            junction(*operator == Binary::And, left, right, frame, failures)
        }
        Op::Binary(operator, left, right) => {
            let operand = &left.kind;
            let (left, right) = (eval(left, frame, failures), eval(right, frame, failures));
            match operator {
                Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder => {
                    arithmetic(*operator, (&left, &right), expr, rows, failures)
                }
                _ => made(Values::Bools(comparison(*operator, operand, left.view(), right.view(), rows))),
            }
        }
        Op::If(condition, yes, no) => {
            let condition = eval(condition, frame, failures);
            let view = condition.view();
            let (yes_rows, no_rows) = (0..rows as u32).partition(|row| view.values.bool(view.row(*row as usize)));
            parts(vec![(yes_rows, yes, Vec::new()), (no_rows, no, Vec::new())], &expr.kind, frame, failures)
        }
        Op::Let(slot, value, body) => {
            let value = eval(value, frame, failures);
            let before = frame.locals[*slot].replace(value);
            let body = eval(body, frame, failures);
            frame.locals[*slot] = before;
            body
        }
        Op::Case(value, arms) => {
            let value = eval(value, frame, failures);
            case(&value, arms, &expr.kind, frame, failures)
        }
        Op::Call(function, arguments) => {
            let arguments: Vec<Col<'a>> = arguments.iter().map(|argument| eval(argument, frame, failures)).collect();
            call(*function, arguments, expr, rows, failures)
        }
        Op::List(_) | Op::Lambda(..) => unreachable!("evaluated row by row"),
    }
}

/// Evaluates an expression row by row.
fn alone<'a>(expr: &'a Expr, frame: &Frame<'a>, failures: &mut Failures) -> Col<'a> {
    let Uses { columns, locals } = &expr.uses;
    let fields: Vec<(usize, Col<'a>)> = columns.iter().map(|at| (*at, frame.column(*at))).collect();
    let names: Vec<(usize, Col<'a>)> = locals.iter().map(|slot| (*slot, frame.local(*slot))).collect();
    let mut field_values: Vec<Option<Value>> = vec![None; columns.last().map_or(0, |last| last + 1)];
    let mut name_values: Vec<Option<Value>> = vec![None; frame.locals.len()];
    let mut column = Values::empty(&expr.kind);
    for row in 0..frame.rows {
        let value = |of: &Col<'a>| Some(of.view().values.value(of.view().row(row)));
        fields.iter().for_each(|(at, of)| field_values[*at] = value(of));
        names.iter().for_each(|(slot, of)| name_values[*slot] = value(of));
        match Single::new(&field_values, &name_values).value(expr) {
            Ok(value) => column.push_value(&value),
            Err(failure) => {
                failures.fail(row, frame.rows, failure);
                column.push_value(&nothing(&expr.kind));
            }
        }
    }
    made(column)
}

/// A field of tuples, moved out of them if they are nobody else's.
fn field(of: Col<'_>, at: usize) -> Col<'_> {
    fn lent(values: &Values, at: usize) -> &Values {
        if let Values::Tuple(rows) = values { &rows.fields()[at] } else { unreachable!("no {:?}", values.kind()) }
    }
    match of {
        Col::Lent(values, start) => Col::Lent(lent(values, at), start),
        Col::One(values) => Col::One(lent(values, at)),
        Col::Made(values) => made(match Rc::try_unwrap(values) {
            Ok(Values::Tuple(rows)) => rows.into_fields().2.swap_remove(at),
            Ok(other) => unreachable!("tuples, not {:?}", other.kind()),
            Err(values) => lent(&values, at).clone(),
        }),
    }
}

/// Rows, in ascending order, the expression they ask for, and what its pattern has bound in them.
type Part<'a> = (Vec<u32>, &'a Expr, Vec<(usize, Values)>);

/// Evaluates an expression in some rows of a frame.
fn part<'a>((rows, expr, bound): Part<'a>, frame: &mut Frame<'a>, failures: &mut Failures) -> Col<'a> {
    if rows.len() == frame.rows {
        let before: Vec<_> = bound
            .into_iter()
            .map(|(slot, values)| (slot, frame.locals[slot].replace(Col::Made(Rc::new(values)))))
            .collect();
        let column = eval(expr, frame, failures);
        before.into_iter().rev().for_each(|(slot, before)| frame.locals[slot] = before);
        return column;
    }
    let mut own = frame.part(&rows, &expr.uses);
    bound.into_iter().for_each(|(slot, values)| own.locals[slot] = Some(Col::Made(Rc::new(values))));
    let mut failed = Failures::default();
    let column = eval(expr, &mut own, &mut failed);
    failed.iter().for_each(|(row, failure)| failures.fail(rows[row] as usize, frame.rows, failure));
    column
}

/// Each part evaluated, and all of them in the order of the rows. Each row is in one part.
fn parts<'a>(parts: Vec<Part<'a>>, kind: &Kind, frame: &mut Frame<'a>, failures: &mut Failures) -> Col<'a> {
    let mut parts: Vec<Part<'a>> = parts.into_iter().filter(|(rows, ..)| !rows.is_empty()).collect();
    if parts.len() == 1 {
        return part(parts.remove(0), frame, failures);
    }
    let columns = parts.into_iter().map(|of| {
        let rows = of.0.clone();
        let column = part(of, frame, failures);
        (rows, column)
    });
    let columns = columns.collect();
    made(merge(columns, frame.rows, kind))
}

/// `and` or `or`: the right side is asked for where the left one is true, or where it is false.
fn junction<'a>(and: bool, left: Col<'a>, right: &'a Expr, frame: &mut Frame<'a>, failures: &mut Failures) -> Col<'a> {
    let rows = frame.rows;
    let left = left.into_values(rows, &Kind::Bool);
    let left = bools(&left);
    if !right.fails {
        let right = eval(right, frame, failures).into_values(rows, &Kind::Bool);
        let both: fn(u64, u64) -> u64 = if and { |left, right| left & right } else { |left, right| left | right };
        return made(Values::Bools(lanes::zip_bools(left, bools(&right), both)));
    }
    let mut holds: Vec<bool> = left.iter_range(0..rows).collect();
    let asked: Vec<u32> = (0..rows as u32).filter(|row| holds[*row as usize] == and).collect();
    if !asked.is_empty() {
        let right = part((asked.clone(), right, Vec::new()), frame, failures);
        let right = right.into_values(asked.len(), &Kind::Bool);
        asked.iter().enumerate().for_each(|(at, row)| holds[*row as usize] = right.bool(at));
    }
    made(Values::Bools(lanes::bits(rows, |row| holds[row])))
}

/// Each row's value of the first arm whose pattern matches.
fn case<'a>(
    value: &Col<'a>,
    arms: &'a [(Pattern, Expr)],
    kind: &Kind,
    frame: &mut Frame<'a>,
    failures: &mut Failures,
) -> Col<'a> {
    let view = value.view();
    let (mut left, mut taken): (Vec<u32>, Vec<Part<'a>>) = ((0..frame.rows as u32).collect(), Vec::new());
    for (pattern, arm) in arms {
        let at: Vec<u32> = left.iter().map(|row| view.row(*row as usize) as u32).collect();
        let mut alive = vec![true; left.len()];
        matches(pattern, view.values, &at, &mut alive);
        let choose = |of: &[u32], wanted| {
            let both = of.iter().zip(&alive).filter(|(_, alive)| **alive == wanted);
            both.map(|(row, _)| *row).collect::<Vec<u32>>()
        };
        let mut bound = Vec::new();
        bind(pattern, view.values, &choose(&at, true), &mut bound);
        taken.push((choose(&left, true), arm, bound));
        left = choose(&left, false);
    }
    debug_assert!(left.is_empty(), "an arm for each value");
    parts(taken, kind, frame, failures)
}
