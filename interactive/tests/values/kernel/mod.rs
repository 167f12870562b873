//! Kernels say what the language says, row by row.
//!
//! | file | holds |
//! |---|---|
//! | `oracle` | a scalar's value in one row, as the manual has it |
//! | `scalars` | scalars and rows at random |

mod oracle;
mod scalars;

use crate::column::Column as _;
use crate::column::column_laws::Random;
use interactive::kernel::{Kernel, Reason};
use interactive::language::files::Span;
use interactive::language::program::{DefinitionKind, Program, Scalar, StepKind};
use interactive::language::types::Type;
use interactive::value::{Kinds, Row, Rows, Value};
use oracle::Names;
use std::collections::BTreeSet;
use std::ops::Range;

type Failed = (u32, Span, Reason);

/// What the oracle says of some rows: the rows made, of which row each is, and those that failed.
fn expected(
    scalars: &[Scalar],
    input: &[Row],
    rows: Range<usize>,
    names: &mut Names,
) -> (Vec<Row>, Vec<u32>, Vec<Failed>) {
    let (mut made, mut from, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let values: Result<Row, _> = scalars.iter().map(|scalar| oracle::eval(scalar, &input[row].0, names)).collect();
        match values {
            Ok(values) => (made.push(values), from.push(row as u32)),
            Err((span, reason)) => (failed.push((row as u32, span, reason)), ()),
        };
    }
    (made, from, failed)
}

#[track_caller]
fn agrees(
    scalars: &[Scalar],
    kinds: &Kinds,
    columns: &Rows,
    input: &[Row],
    rows: Range<usize>,
    names: &mut Names,
) -> Vec<Failed> {
    let kernel = Kernel::compile(scalars, kinds);
    let mut made = Rows::empty(kernel.schema());
    let applied = kernel.apply(columns, rows.clone(), &mut made);
    let (values, from, failed) = expected(scalars, input, rows.clone(), names);
    let found: Vec<Row> = (0..made.len()).map(|row| made.row(row)).collect();
    let found_failed: Vec<Failed> = applied.failed.iter().map(|(row, at)| (*row, at.span, at.reason)).collect();
    assert_eq!(found_failed, failed, "what fails of {rows:?} of {input:?} under {scalars:#?}");
    assert_eq!(found, values, "of {rows:?} of {input:?} under {scalars:#?}");
    assert_eq!(applied.rows.unwrap_or(rows.map(|row| row as u32).collect()), from);
    assert!(failed.is_empty() || kernel.fails(), "{scalars:#?} was said not to fail");
    failed
}

#[test]
fn random_scalars_say_what_the_language_says() {
    let kinds = Kinds::of(&scalars::sums());
    let (mut names, mut reasons) = (Names::default(), BTreeSet::new());
    for seed in 0..4_000 {
        let mut random = Random::seeded(seed);
        let types: Vec<Type> = (0..1 + random.below(5)).map(|_| scalars::type_of(&mut random, 2)).collect();
        let wanted: Vec<Type> = (0..1 + random.below(2)).map(|_| scalars::type_of(&mut random, 2)).collect();
        let mut maker = scalars::Maker::new(&mut random, types.clone());
        let scalars: Vec<Scalar> = wanted.iter().map(|of| maker.scalar(of, 4)).collect();

        let count = [0, 1, 2, 10, 70][random.below(5)];
        let row = |_| types.iter().map(|of| scalars::value_of(&mut random, of)).collect();
        let input: Vec<Row> = (0..count).map(row).collect();
        let mut columns = Rows::empty(&types.iter().map(|of| kinds.kind(of)).collect());
        input.iter().for_each(|row| columns.push_owned(row.clone()));

        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let failed = agrees(&scalars, &kinds, &columns, &input, 0..count, &mut names);
            agrees(&scalars, &kinds, &columns, &input, count / 3..count - count / 4, &mut names);
            failed
        }));
        let failed = outcome.unwrap_or_else(|_| panic!("seed {seed}, as said above"));
        reasons.extend(failed.into_iter().map(|(.., reason)| reason));
    }
    assert_eq!(names.called.len(), 40, "every function was called: {:?}", names.called);
    // All but `TooLarge`, which has tests of its own.
    assert_eq!(reasons.len(), 8, "{reasons:?}");
}

fn program(text: &str) -> Program {
    let checked = interactive::language::check("it.ddir".as_ref(), text.into(), &|path| std::fs::read_to_string(path));
    checked.program.unwrap_or_else(|| panic!("{text}: {:?}", checked.mistakes))
}

/// The scalars of the `select` that follows a source of ints `a` and `b` and texts `s` and `t`.
fn selected(items: &str) -> (Vec<Scalar>, Kinds) {
    let program =
        program(&format!("source row(a: int, b: int, s: string, t: string); export it = row | select {items};"));
    let DefinitionKind::Export(bag) = &program.definitions[1].kind else { panic!("an export") };
    let StepKind::Select(scalars) = &bag.steps[0].kind else { panic!("a select") };
    (scalars.clone(), Kinds::of(&program.sums))
}

/// What one row comes to, or why it fails.
fn one(item: &str, (a, b): (i64, i64)) -> Result<Value, Reason> {
    let (scalars, kinds) = selected(&format!("{item} as it"));
    let row: Row = [Value::Int(a), Value::Int(b), Value::text("s"), Value::text("12")].into_iter().collect();
    let mut input = Rows::empty(
        &[&row.0[0], &row.0[1], &row.0[2], &row.0[3]]
            .map(|value| match value {
                Value::Int(_) => interactive::value::Kind::Int,
                _ => interactive::value::Kind::Text,
            })
            .into(),
    );
    input.push_owned(row);
    let kernel = Kernel::compile(&scalars, &kinds);
    let mut made = Rows::empty(kernel.schema());
    let applied = kernel.apply(&input, 0..1, &mut made);
    match applied.failed.first() {
        Some((_, failure)) => Err(failure.reason),
        None => Ok(made.row(0).0[0].clone()),
    }
}

#[test]
fn each_thing_that_fails_fails_for_its_reason() {
    let least = i64::MIN;
    assert_eq!(one("a + b", (i64::MAX, 1)), Err(Reason::Overflow));
    assert_eq!(one("-a", (least, 1)), Err(Reason::Overflow));
    assert_eq!(one("abs(a)", (least, 1)), Err(Reason::Overflow));
    assert_eq!(one("a / b", (least, -1)), Err(Reason::Overflow));
    assert_eq!(one("a % b", (least, -1)), Ok(Value::Int(0)));
    assert_eq!(one("a / b", (1, 0)), Err(Reason::DivisionByZero));
    assert_eq!(one("a % b", (1, 0)), Err(Reason::DivisionByZero));
    assert_eq!(one("to_float(a) / to_float(b)", (1, 0)), Ok(Value::float(f64::INFINITY)));
    assert_eq!(one("index([a], b)", (1, 1)), Err(Reason::NoItem));
    assert_eq!(one("index([a], b)", (1, -1)), Err(Reason::NoItem));
    assert_eq!(one("parse_int(s)", (0, 0)), Err(Reason::NotAnInt));
    assert_eq!(one("parse_float(s)", (0, 0)), Err(Reason::NotAFloat));
    assert_eq!(one("to_int(to_float(a) * 1e30)", (7, 0)), Err(Reason::NoInt));
    assert_eq!(one("unwrap(try_int(s))", (0, 0)), Err(Reason::Nothing));
    assert_eq!(one("hash(a, s)", (0, 0)), Err(Reason::NoBound));
    assert_eq!(one("parse_int(t)", (0, 0)), Ok(Value::Int(12)));
}

/// What isn't asked for doesn't fail.
#[test]
fn only_what_is_asked_for_fails() {
    assert_eq!(one("b == 0 or a / b > 1", (1, 0)), Ok(Value::Bool(true)));
    assert_eq!(one("b != 0 and a / b > 1", (1, 0)), Ok(Value::Bool(false)));
    assert_eq!(one("if b == 0 then 0 else a / b", (1, 0)), Ok(Value::Int(0)));
    assert_eq!(one("case b { 0 => 7, n => a / n }", (1, 0)), Ok(Value::Int(7)));
    assert_eq!(one("let q = a / b in 7", (1, 0)), Err(Reason::DivisionByZero));
}

/// A row that would fill all memory fails.
#[test]
fn a_row_that_is_too_large_fails() {
    assert_eq!(one("length(range(a, b))", (0, 1 << 40)), Err(Reason::TooLarge));
    assert_eq!(one("length(range(a, b))", (i64::MIN, i64::MAX)), Err(Reason::TooLarge));
    assert_eq!(one("length(range(a, b))", (i64::MAX, i64::MIN)), Ok(Value::Int(0)));
    let doubled = "length(fold(range(0, 60), \"ab\", (so_far, n) => concat(so_far, so_far)))";
    assert_eq!(one(doubled, (0, 0)), Err(Reason::TooLarge));
    let nested = "length(map(range(0, 100000), n => range(0, 100000)))";
    assert_eq!(one(nested, (0, 0)), Err(Reason::TooLarge));
}

/// What is nested as deep as a program may be is evaluated, both by columns and row by row.
#[test]
fn deep_scalars_are_evaluated() {
    let deep = |open: &str, inner: &str, close: &str| [&open.repeat(45), inner, &close.repeat(45)].concat();
    assert_eq!(one(&deep("abs(1 + ", "a", ")"), (5, 0)), Ok(Value::Int(50)));
    assert_eq!(one(&deep("if b == 0 then 1 + ", "(a / b)", " else 0"), (5, 0)), Err(Reason::DivisionByZero));
    assert_eq!(one(&deep("index([", "a / b", "], 0)"), (5, 0)), Err(Reason::DivisionByZero));
    assert_eq!(one(&deep("index(map([0], n => n + ", "a", "), 0)"), (5, 0)), Ok(Value::Int(5)));
}

#[test]
fn a_condition_selects_rows() {
    let (scalars, kinds) = selected("a / b > 1 as it");
    let schema = [interactive::value::Kind::Int, interactive::value::Kind::Int].into();
    let mut input = Rows::empty(&schema);
    let pairs: Vec<(i64, i64)> = (0..200).map(|row| (row % 7, row % 3)).collect();
    pairs.iter().for_each(|(a, b)| input.push_values(&[Value::Int(*a), Value::Int(*b)]));
    for rows in [0..200, 30..130, 64..128, 5..5] {
        let mut kept = vec![9];
        let failed = Kernel::compile(&scalars, &kinds).select(&input, rows.clone(), &mut kept);
        let holds = |row: &usize| pairs[*row].1 != 0 && pairs[*row].0 / pairs[*row].1 > 1;
        let wanted: Vec<u32> = rows.clone().filter(holds).map(|row| row as u32).collect();
        assert_eq!(kept[1..], wanted);
        let fails = rows.filter(|row| pairs[*row].1 == 0).map(|row| row as u32);
        assert_eq!(failed.iter().map(|(row, _)| *row).collect::<Vec<_>>(), fails.collect::<Vec<_>>());
    }
}
