//! Columns of the rows that are evaluated together.
//!
//! ```text
//!   frame of 3 rows     Lent   . . a b c .     from a row of a column on: nothing is copied
//!                       One    x               a constant
//!                       Made   p q r           computed for the frame, shared by those who use it
//! ```
//!
//! Every column of a frame has a value in all its rows. A row that has failed has one too, of no meaning, and fails once:
//! the first failure in the order of evaluation is the row's. So no column is cut shorter because a row failed beside it,
//! which is what mostly does not happen.

use super::expression::Uses;
use super::failure::Failure;
use super::lanes::Words;
use crate::value::{Kind, Value, Values};
use columnar::primitive::Bools;
use differential::column::Column;
use std::rc::Rc;

/// A column of a frame.
#[derive(Clone)]
pub(super) enum Col<'a> {
    /// From this row of a column on.
    Lent(&'a Values, usize),
    /// The only row of a column, in all rows.
    One(&'a Values),
    /// Made for the frame.
    Made(Rc<Values>),
}

/// Where a frame's rows lie in a column: row `i` at `start + i * step`.
#[derive(Clone, Copy)]
pub(super) struct View<'v> {
    pub(super) values: &'v Values,
    pub(super) start: usize,
    pub(super) step: usize,
}

impl View<'_> {
    #[inline]
    pub(super) fn row(&self, row: usize) -> usize {
        self.start + row * self.step
    }
}

impl Col<'_> {
    pub(super) fn view(&self) -> View<'_> {
        match self {
            Col::Lent(values, start) => View { values, start: *start, step: 1 },
            Col::One(values) => View { values, start: 0, step: 0 },
            Col::Made(values) => View { values, start: 0, step: 1 },
        }
    }

    /// Appends its rows to a column.
    pub(super) fn append_to(self, rows: usize, column: &mut Values) {
        match self {
            Col::Lent(values, start) => column.extend_range(values, start..start + rows),
            Col::One(values) => column.extend_repeat(values, 0, rows),
            Col::Made(values) => match Rc::try_unwrap(values) {
                Ok(values) if column.is_empty() => *column = values,
                Ok(values) => column.extend_range(&values, 0..rows),
                Err(values) => column.extend_range(&values, 0..rows),
            },
        }
    }

    /// Appends some of its rows to a column.
    pub(super) fn gather_to(&self, rows: &[u32], column: &mut Values) {
        match self {
            Col::Lent(values, 0) => column.extend_gather(values, rows),
            Col::Lent(values, start) => {
                let rows: Vec<u32> = rows.iter().map(|row| row + *start as u32).collect();
                column.extend_gather(values, &rows);
            }
            Col::One(values) => column.extend_repeat(values, 0, rows.len()),
            Col::Made(values) => column.extend_gather(values, rows),
        }
    }

    /// As a column of its own.
    pub(super) fn into_values(self, rows: usize, kind: &Kind) -> Values {
        let mut column = Values::empty(kind);
        self.append_to(rows, &mut column);
        column
    }
}

/// Rows that an expression is evaluated in.
pub(super) struct Frame<'a> {
    pub(super) rows: usize,
    pub(super) fields: Fields<'a>,
    pub(super) locals: Vec<Option<Col<'a>>>,
}

/// The fields of a frame's rows.
pub(super) enum Fields<'a> {
    /// From a row on.
    Given(&'a [Values], usize),
    /// Gathered, those that are used.
    Part(Vec<Option<Rc<Values>>>),
}

impl<'a> Frame<'a> {
    pub(super) fn column(&self, at: usize) -> Col<'a> {
        match &self.fields {
            Fields::Given(fields, start) => Col::Lent(&fields[at], *start),
            Fields::Part(columns) => Col::Made(columns[at].clone().expect("a column that it uses")),
        }
    }

    pub(super) fn local(&self, slot: usize) -> Col<'a> {
        self.locals[slot].clone().expect("a name is bound before it is used")
    }

    /// Some of its rows, with what is used in them.
    pub(super) fn part(&self, rows: &[u32], uses: &Uses) -> Frame<'a> {
        let gathered = |column: Col<'a>| {
            let mut part = Values::empty(&column.view().values.kind());
            column.gather_to(rows, &mut part);
            Rc::new(part)
        };
        let mut columns = vec![None; uses.columns.last().map_or(0, |last| last + 1)];
        uses.columns.iter().for_each(|at| columns[*at] = Some(gathered(self.column(*at))));
        let mut locals = vec![None; self.locals.len()];
        for slot in uses.locals.iter().filter(|slot| self.locals[**slot].is_some()) {
            locals[*slot] = Some(match self.local(*slot) {
                Col::One(values) => Col::One(values),
                column => Col::Made(gathered(column)),
            });
        }
        Frame { rows: rows.len(), fields: Fields::Part(columns), locals }
    }
}

/// Which rows of a frame have failed, and how.
#[derive(Default)]
pub(super) struct Failures {
    /// Empty as long as there are none.
    by_row: Vec<Option<Failure>>,
}

impl Failures {
    /// Notes that a row failed, unless it has failed before.
    pub(super) fn fail(&mut self, row: usize, rows: usize, failure: Failure) {
        self.by_row.resize(rows, None);
        self.by_row[row].get_or_insert(failure);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_row.is_empty()
    }

    /// The rows that have failed, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Failure)> {
        self.by_row.iter().enumerate().filter_map(|(row, failure)| Some((row, (*failure)?)))
    }

    /// The rows that have not, in order.
    pub(super) fn others(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.by_row).filter(|(_, failure)| failure.is_none()).map(|(row, _)| row)
    }
}

pub(super) fn made<'a>(values: Values) -> Col<'a> {
    Col::Made(Rc::new(values))
}

pub(super) fn bools(values: &Values) -> &Bools {
    if let Values::Bools(bools) = values { bools } else { unreachable!("bools, not {:?}", values.kind()) }
}

/// The words of a column of numbers.
pub(super) fn words<'v>(of: View<'v>, rows: usize) -> Words<'v> {
    match of.values {
        Values::Ints(lane) | Values::Floats(lane) if of.step == 0 => Words::One(lane[of.start]),
        Values::Ints(lane) | Values::Floats(lane) => Words::Many(&lane[of.start..of.start + rows]),
        other => unreachable!("numbers, not {:?}", other.kind()),
    }
}

/// Columns of some rows each, put together in the order of the rows.
pub(super) fn merge(columns: Vec<(Vec<u32>, Col<'_>)>, rows: usize, kind: &Kind) -> Values {
    let (mut all, mut order) = (Values::empty(kind), vec![0; rows]);
    let mut next = 0;
    for (of, column) in columns {
        column.append_to(of.len(), &mut all);
        for row in of {
            order[row as usize] = next;
            next += 1;
        }
    }
    let mut merged = Values::empty(kind);
    merged.extend_gather(&all, &order);
    merged
}

/// Some value of a kind: what stands in a row that has failed.
pub(super) fn nothing(kind: &Kind) -> Value {
    match kind {
        Kind::Int => Value::Int(0),
        Kind::Float => Value::float(0.0),
        Kind::Bool => Value::Bool(false),
        Kind::Text => Value::text(""),
        Kind::Tuple(kinds) => Value::tuple(kinds.iter().map(nothing)),
        Kind::List(_) => Value::list([]),
        Kind::Sum(variants) => Value::Sum(0, variants[0].as_ref().map(|kind| Box::new(nothing(kind)))),
    }
}

/// The rows that are true, in order.
pub(super) fn true_rows(bools: &Bools) -> impl Iterator<Item = u32> {
    let words = bools.values.iter().copied().chain([bools.tail[0]]);
    words.zip((0..).step_by(64)).flat_map(|(word, first)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            // All bits are looked at in order, the lowest first, which then goes.
            (left != 0).then(|| {
                left &= left - 1;
                first + bit
            })
        })
    })
}
