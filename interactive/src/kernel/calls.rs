//! Functions of whole columns.

use super::expression::Expr;
use super::failure::{Failure, Reason};
use super::frame::{Col, Failures, View, made, merge, nothing, words};
use super::functions;
use super::lanes;
use super::operators::{floats, ints, texts, whole};
use crate::language::functions::Function;
use crate::value::{Kind, Values, lane, sums::Sums};
use differential::column::{Column, hash};
use std::cmp::Ordering;
use std::fmt::Write;

/// The column that a function makes of its arguments' columns.
pub(super) fn call<'a>(
    function: Function,
    given: Vec<Col<'a>>,
    expr: &Expr,
    rows: usize,
    failures: &mut Failures,
) -> Col<'a> {
    let view = |at: usize| given[at].view();
    let text = |at: usize| {
        let view = view(at);
        move |row: usize| view.values.text(view.row(row))
    };
    let int = |at: usize| {
        let words = words(view(at), rows);
        move |row: usize| lane::int(words.get(row))
    };
    let float = |at: usize| {
        let words = words(view(at), rows);
        move |row: usize| lane::float(words.get(row))
    };
    let map = |each: fn(f64) -> f64| {
        made(Values::Floats(lanes::map(words(view(0), rows), rows, |word| lane::of_float(each(lane::float(word))))))
    };
    let bits = |holds: &dyn Fn(usize) -> bool| made(Values::Bools(lanes::bits(rows, holds)));
    match function {
        Function::Absolute if expr.kind == Kind::Float => map(f64::abs),
        Function::Absolute => {
            let number = words(view(0), rows);
            whole(number, lanes::Words::One(0), expr, rows, failures, |number, _| {
                let (negative, over) = number.overflowing_neg();
                if number < 0 { (negative, over) } else { (number, false) }
            })
        }
        Function::Bits => {
            let each = |word| lane::of_int(functions::bits(lane::int(word)));
            made(Values::Ints(lanes::map(words(view(0), rows), rows, each)))
        }
        Function::Ceiling => map(f64::ceil),
        Function::Floor => map(f64::floor),
        Function::Round => map(f64::round),
        Function::SquareRoot => map(f64::sqrt),
        Function::ToFloat => {
            let each = |word| lane::of_float(lane::int(word) as f64);
            made(Values::Floats(lanes::map(words(view(0), rows), rows, each)))
        }
        Function::ToInt => {
            let number = float(0);
            ints(rows, expr, failures, |row| functions::to_int(number(row)))
        }
        Function::ToText => to_text(view(0), expr, rows, failures),
        Function::ParseInt => {
            let text = text(0);
            ints(rows, expr, failures, |row| functions::parse_int(text(row)))
        }
        Function::ParseFloat => {
            let text = text(0);
            floats(rows, expr, failures, |row| functions::parse_float(text(row)))
        }
        Function::TryInt => {
            let text = text(0);
            options((0..rows).map(|row| functions::parse_int(text(row)).ok().map(lane::of_int)), Values::Ints)
        }
        Function::TryFloat => {
            let text = text(0);
            options((0..rows).map(|row| functions::parse_float(text(row)).ok().map(lane::of_float)), Values::Floats)
        }
        Function::Length => {
            let text = text(0);
            ints(rows, expr, failures, |row| Ok(functions::length(text(row))))
        }
        Function::Lower | Function::Upper => {
            let text = text(0);
            texts(rows, expr, failures, |row, into| {
                let text = text(row);
                *into = if function == Function::Lower { text.to_lowercase() } else { text.to_uppercase() };
                functions::limited(into.len())
            })
        }
        Function::Trim => {
            let text = text(0);
            texts(rows, expr, failures, |row, into| {
                into.push_str(text(row).trim());
                Ok(())
            })
        }
        Function::Substring => {
            let (text, start, count) = (text(0), int(1), int(2));
            texts(rows, expr, failures, |row, into| {
                into.push_str(functions::substring(text(row), start(row), count(row)));
                Ok(())
            })
        }
        Function::Concat => {
            let parts: Vec<_> = (0..given.len()).map(text).collect();
            texts(rows, expr, failures, |row, into| {
                functions::limited(parts.iter().map(|part| part(row).len()).sum())?;
                parts.iter().for_each(|part| into.push_str(part(row)));
                Ok(())
            })
        }
        Function::Contains => {
            let (text, part) = (text(0), text(1));
            bits(&|row| text(row).contains(part(row)))
        }
        Function::StartsWith => {
            let (text, part) = (text(0), text(1));
            bits(&|row| text(row).starts_with(part(row)))
        }
        Function::EndsWith => {
            let (text, part) = (text(0), text(1));
            bits(&|row| text(row).ends_with(part(row)))
        }
        Function::IsSome | Function::IsNone => {
            let (view, wanted) = (view(0), u32::from(function == Function::IsSome));
            let sums = sums(view.values);
            bits(&|row| sums.tag(view.row(row)) == wanted)
        }
        Function::Hash => {
            let mut states = vec![hash::SEED; rows];
            for at in 1..given.len() {
                let view = view(at);
                if view.step == 1 {
                    view.values.absorb_rows(view.start..view.start + rows, &mut states);
                } else {
                    states.iter_mut().for_each(|state| *state = view.values.absorb(view.start, *state));
                }
            }
            let bound = int(0);
            ints(rows, expr, failures, |row| functions::bounded(states[row], bound(row)))
        }
        Function::LengthOfList => {
            let view = view(0);
            let Values::Lists(lists) = view.values else { unreachable!("lists, not {:?}", view.values.kind()) };
            ints(rows, expr, failures, |row| Ok(lists.span(view.row(row)).len() as i64))
        }
        Function::Index => {
            let (view, number) = (view(0), int(1));
            let Values::Lists(lists) = view.values else { unreachable!("lists, not {:?}", view.values.kind()) };
            pick(lists.items(), expr, rows, failures, |row| functions::index(lists.span(view.row(row)), number(row)))
        }
        Function::Unwrap => {
            let view = view(0);
            let sums = sums(view.values);
            let some = sums.variant(1).expect("an option holds something");
            pick(some, expr, rows, failures, |row| sums.held(view.row(row)).map(|(_, at)| at).ok_or(Reason::Nothing))
        }
        Function::OrElse => {
            let view = view(0);
            let sums = sums(view.values);
            let is_some = |row: &u32| sums.tag(view.row(*row as usize)) == 1;
            let (some, none): (Vec<u32>, Vec<u32>) = (0..rows as u32).partition(is_some);
            let (mut held, mut others) = (Values::empty(&expr.kind), Values::empty(&expr.kind));
            let at: Vec<u32> = some.iter().map(|row| sums.at()[view.row(*row as usize)]).collect();
            held.extend_gather(sums.variant(1).expect("an option holds something"), &at);
            given[1].gather_to(&none, &mut others);
            made(merge(vec![(some, made(held)), (none, made(others))], rows, &expr.kind))
        }
        Function::Least => choose(&given, Ordering::Less, rows, &expr.kind),
        Function::Greatest => choose(&given, Ordering::Greater, rows, &expr.kind),
        other => unreachable!("{other:?} is evaluated row by row"),
    }
}

fn sums(values: &Values) -> &Sums {
    if let Values::Sums(sums) = values { sums } else { unreachable!("options, not {:?}", values.kind()) }
}

fn to_text<'a>(of: View<'_>, expr: &Expr, rows: usize, failures: &mut Failures) -> Col<'a> {
    texts(rows, expr, failures, |row, into| {
        let row = of.row(row);
        let written = match of.values {
            Values::Ints(_) => write!(into, "{}", of.values.int(row)),
            Values::Floats(_) => write!(into, "{:?}", of.values.float(row)),
            Values::Bools(_) => write!(into, "{}", of.values.bool(row)),
            other => into.write_str(other.text(row)),
        };
        written.expect("a string takes all that is written");
        Ok(())
    })
}

/// Options of numbers, given as words.
fn options<'a>(words: impl Iterator<Item = Option<u64>>, column: fn(Vec<u64>) -> Values) -> Col<'a> {
    let (mut tags, mut held) = (Vec::new(), Vec::new());
    for word in words {
        tags.push(u32::from(word.is_some()));
        held.extend(word);
    }
    made(Values::Sums(Sums::of_parts(tags, vec![None, Some(column(held))])))
}

/// A row of a column for each row, or why there is none.
fn pick<'a>(
    from: &Values,
    expr: &Expr,
    rows: usize,
    failures: &mut Failures,
    each: impl Fn(usize) -> Result<usize, Reason>,
) -> Col<'a> {
    let (mut picked, mut at) = (Values::empty(&expr.kind), Vec::with_capacity(rows));
    for row in 0..rows {
        match each(row) {
            Ok(place) => at.push(place as u32),
            Err(reason) => {
                failures.fail(row, rows, Failure { span: expr.span, reason });
                picked.extend_gather(from, &at);
                at.clear();
                picked.push_value(&nothing(&expr.kind));
            }
        }
    }
    picked.extend_gather(from, &at);
    made(picked)
}

/// In each row the least or the greatest of some columns, the first of those that are equal.
fn choose<'a>(given: &[Col<'a>], better: Ordering, rows: usize, kind: &Kind) -> Col<'a> {
    let mut best = vec![Vec::new(); given.len()];
    for row in 0..rows {
        let mut chosen = 0;
        for at in 1..given.len() {
            let (one, two) = (given[at].view(), given[chosen].view());
            if one.values.compare(one.row(row), two.values, two.row(row)) == better {
                chosen = at;
            }
        }
        best[chosen].push(row as u32);
    }
    let columns = best.into_iter().zip(given).map(|(rows, column)| {
        let mut part = Values::empty(kind);
        column.gather_to(&rows, &mut part);
        (rows, made(part))
    });
    made(merge(columns.collect(), rows, kind))
}
