//! Operators on whole columns: numbers, comparisons, and what makes a number or a text for each row.

use super::expression::Expr;
use super::failure::{Failure, Reason};
use super::frame::{Col, Failures, View, made, words};
use super::functions;
use super::lanes::{self, Words};
use crate::language::operators::Binary;
use crate::value::{Kind, Values, lane};
use columnar::Strings;
use columnar::primitive::Bools;
use differential::column::Column;
use std::cmp::Ordering;

pub(super) fn negative<'a>(of: Words<'_>, expr: &Expr, rows: usize, failures: &mut Failures) -> Col<'a> {
    if expr.kind == Kind::Float {
        return made(Values::Floats(lanes::map(of, rows, |word| lane::of_float(-lane::float(word)))));
    }
    whole(Words::One(lane::of_int(0)), of, expr, rows, failures, |zero, of| zero.overflowing_sub(of))
}

/// Whole numbers of an operator that may overflow.
pub(super) fn whole<'a>(
    left: Words<'_>,
    right: Words<'_>,
    expr: &Expr,
    rows: usize,
    failures: &mut Failures,
    each: impl Fn(i64, i64) -> (i64, bool),
) -> Col<'a> {
    let (lane, overflowed) = lanes::zip_ints(left, right, rows, &each);
    if overflowed {
        for row in 0..rows {
            if each(lane::int(left.get(row)), lane::int(right.get(row))).1 {
                failures.fail(row, rows, Failure { span: expr.span, reason: Reason::Overflow });
            }
        }
    }
    made(Values::Ints(lane))
}

pub(super) fn arithmetic<'a>(
    operator: Binary,
    (left, right): (&Col<'a>, &Col<'a>),
    expr: &Expr,
    rows: usize,
    failures: &mut Failures,
) -> Col<'a> {
    let (left, right) = (words(left.view(), rows), words(right.view(), rows));
    if expr.kind == Kind::Float {
        let floats = |each: fn(f64, f64) -> f64| {
            lanes::zip(left, right, rows, |left, right| lane::of_float(each(lane::float(left), lane::float(right))))
        };
        return made(Values::Floats(match operator {
            Binary::Add => floats(|left, right| left + right),
            Binary::Subtract => floats(|left, right| left - right),
            Binary::Multiply => floats(|left, right| left * right),
            Binary::Divide => floats(|left, right| left / right),
            other => unreachable!("{other:?} of floats"),
        }));
    }
    match operator {
        Binary::Add => whole(left, right, expr, rows, failures, i64::overflowing_add),
        Binary::Subtract => whole(left, right, expr, rows, failures, i64::overflowing_sub),
        Binary::Multiply => whole(left, right, expr, rows, failures, i64::overflowing_mul),
        _ => {
            let each = if operator == Binary::Divide { functions::divide } else { functions::remainder };
            ints(rows, expr, failures, |row| each(lane::int(left.get(row)), lane::int(right.get(row))))
        }
    }
}

/// An int for each row, or why there is none.
pub(super) fn ints<'a>(
    rows: usize,
    expr: &Expr,
    failures: &mut Failures,
    each: impl Fn(usize) -> Result<i64, Reason>,
) -> Col<'a> {
    let number = |row| {
        let number = each(row).unwrap_or_else(|reason| {
            failures.fail(row, rows, Failure { span: expr.span, reason });
            0
        });
        lane::of_int(number)
    };
    made(Values::Ints((0..rows).map(number).collect()))
}

/// A float for each row, or why there is none.
pub(super) fn floats<'a>(
    rows: usize,
    expr: &Expr,
    failures: &mut Failures,
    each: impl Fn(usize) -> Result<f64, Reason>,
) -> Col<'a> {
    let number = |row| {
        let number = each(row).unwrap_or_else(|reason| {
            failures.fail(row, rows, Failure { span: expr.span, reason });
            0.0
        });
        lane::of_float(number)
    };
    made(Values::Floats((0..rows).map(number).collect()))
}

/// A text for each row, put into an empty one by `each`, or why there is none.
pub(super) fn texts<'a>(
    rows: usize,
    expr: &Expr,
    failures: &mut Failures,
    each: impl Fn(usize, &mut String) -> Result<(), Reason>,
) -> Col<'a> {
    let (mut column, mut text) = (Strings::default(), String::new());
    for row in 0..rows {
        text.clear();
        if let Err(reason) = each(row, &mut text) {
            failures.fail(row, rows, Failure { span: expr.span, reason });
            text.clear();
        }
        Column::push(&mut column, text.as_str());
    }
    made(Values::Texts(column))
}

pub(super) fn comparison(operator: Binary, of: &Kind, left: View<'_>, right: View<'_>, rows: usize) -> Bools {
    let holds: fn(Ordering) -> bool = match operator {
        Binary::Equal => Ordering::is_eq,
        Binary::Unequal => Ordering::is_ne,
        Binary::Less => Ordering::is_lt,
        Binary::LessEqual => Ordering::is_le,
        Binary::Greater => Ordering::is_gt,
        Binary::GreaterEqual => Ordering::is_ge,
        other => unreachable!("{other:?} compares nothing"),
    };
    if !matches!(of, Kind::Int | Kind::Float) {
        return lanes::bits(rows, |row| holds(left.values.compare(left.row(row), right.values, right.row(row))));
    }
    number_comparison(operator, words(left, rows), words(right, rows), rows)
}

fn number_comparison(operator: Binary, left: Words<'_>, right: Words<'_>, rows: usize) -> Bools {
    match operator {
        Binary::Equal => lanes::zip_bits(left, right, rows, |left, right| left == right),
        Binary::Unequal => lanes::zip_bits(left, right, rows, |left, right| left != right),
        Binary::Less => lanes::zip_bits(left, right, rows, |left, right| left < right),
        Binary::LessEqual => lanes::zip_bits(left, right, rows, |left, right| left <= right),
        Binary::Greater => lanes::zip_bits(left, right, rows, |left, right| left > right),
        _ => lanes::zip_bits(left, right, rows, |left, right| left >= right),
    }
}
