//! Steps done to rows one by one, a container at a time.
//!
//! ```text
//!   rows   0 1 2 3      where       0 2 3      select      0 3 (2 failed)
//!   from   each         ------>     0 2 3      ------>     0 3             times and diffs are those of these rows
//! ```
//!
//! Each step is a loop a column. All steps of an operator are done to a container before the next, and between them
//! nothing is stored but the columns, and of which row that came in each is made.

use super::failures::{Shared, Teller, error_schema};
use super::picked::Parts;
use crate::kernel::{Applied, Kernel};
use crate::language::files::Span;
use crate::language::program::{Scalar, ScalarKind};
use crate::language::types::Column as Named;
use crate::plan::tree::{RowStep, RowStepKind};
use crate::value::{Kinds, Row, Rows, Schema, Values, lane};
use differential::Collection;
use differential::collection::Made;
use differential::column::Column;
use std::rc::Rc;
use std::sync::Arc;

/// A step, ready to be done.
struct Ready {
    work: Work,
    /// For rows that fail.
    teller: Teller,
}

enum Work {
    /// Some of the columns.
    Pick(Vec<usize>, Schema),
    Select(Kernel),
    Where(Kernel),
    Require(Kernel, Span, &'static str),
    Unnest {
        list: Kernel,
        position: bool,
        schema: Schema,
    },
}

/// Rows under way.
struct Under {
    rows: Rows,
    /// The row that each is made of, unless it is the one of its number.
    origins: Option<Vec<u32>>,
}

impl Under {
    fn origin(&self, row: u32) -> u32 {
        self.origins.as_ref().map_or(row, |origins| origins[row as usize])
    }

    /// The rows that these are made of.
    fn of(&self, kept: &[u32]) -> Vec<u32> {
        kept.iter().map(|row| self.origin(*row)).collect()
    }
}

/// Rows after some steps, and rows of errors if there may be any.
pub(super) fn rowwise(
    input: &Collection<Row>,
    (columns, steps): (&Arc<[Named]>, &[Arc<RowStep>]),
    (kinds, shared): (&Kinds, &Rc<Shared>),
) -> (Collection<Row>, Option<Collection<Row>>) {
    let mut before = columns;
    let mut fails = false;
    let mut ready = Vec::new();
    for step in steps {
        let compile = |scalars: &[Scalar]| Kernel::compile(scalars, kinds);
        let work = match &step.kind {
            RowStepKind::Select(values) => match picks(values) {
                Some(places) => Work::Pick(places, kinds.schema(&step.columns)),
                None => Work::Select(compile(values)),
            },
            RowStepKind::Where(condition) => Work::Where(compile(std::slice::from_ref(condition))),
            RowStepKind::Require { condition, otherwise } => {
                Work::Require(compile(std::slice::from_ref(condition)), condition.span, otherwise)
            }
            RowStepKind::Unnest { list, position } => {
                let schema = kinds.schema(&step.columns);
                Work::Unnest { list: compile(std::slice::from_ref(list)), position: *position, schema }
            }
        };
        fails |= match &work {
            Work::Pick(..) => false,
            Work::Select(kernel) | Work::Where(kernel) | Work::Unnest { list: kernel, .. } => kernel.fails(),
            Work::Require(..) => true,
        };
        ready.push(Ready { work, teller: shared.teller(before, &step.statement) });
        before = &step.columns;
    }
    let schema = kinds.schema(before);
    let name = "rows";
    if !fails {
        let logic =
            move |rows: &mut Rows, made: &mut Made<Row>| run(&ready, rows, made, &mut Made::empty(&error_schema()));
        return (input.map_columns(name, schema, logic), None);
    }
    let logic = move |rows: &mut Rows, made: &mut Made<Row>, failed: &mut Made<Row>| run(&ready, rows, made, failed);
    let (made, failed) = input.try_map_columns(name, schema, error_schema(), logic);
    (made, Some(failed))
}

/// The places of columns, if all values are columns as they are.
fn picks(values: &[Scalar]) -> Option<Vec<usize>> {
    let place = |value: &Scalar| match value.kind {
        ScalarKind::Column(at) => Some(at),
        _ => None,
    };
    values.iter().map(place).collect()
}

fn run(steps: &[Ready], rows: &mut Rows, made: &mut Made<Row>, failed: &mut Made<Row>) {
    let empty = Rows::empty(rows.schema());
    let mut under = Under { rows: std::mem::replace(rows, empty), origins: None };
    for step in steps {
        if under.rows.is_empty() {
            return;
        }
        under = step.work(under, failed);
    }
    match under.origins {
        Some(origins) => made.rows = origins,
        None => made.each = true,
    }
    made.data = under.rows;
}

impl Ready {
    fn work(&self, mut under: Under, failed: &mut Made<Row>) -> Under {
        let count = under.rows.len();
        match &self.work {
            Work::Pick(places, schema) => {
                let rows = Parts::of(&mut under.rows, places).take(schema, places);
                Under { rows, ..under }
            }
            Work::Select(kernel) => {
                let mut rows = Rows::empty(kernel.schema());
                let applied = kernel.apply(&under.rows, 0..count, &mut rows);
                let kept = self.kept(&under, applied, failed);
                let origins = match kept {
                    Some(kept) => Some(under.of(&kept)),
                    None => under.origins,
                };
                Under { rows, origins }
            }
            Work::Where(kernel) => {
                let mut kept = Vec::new();
                for (row, failure) in kernel.select(&under.rows, 0..count, &mut kept) {
                    failed.data.push_owned(self.teller.failed(under.rows.get(row as usize), &failure));
                    failed.rows.push(under.origin(row));
                }
                gathered(under, &kept)
            }
            Work::Require(kernel, span, otherwise) => {
                let mut kept = Vec::new();
                let failures = kernel.select(&under.rows, 0..count, &mut kept);
                let mut failures = failures.into_iter().peekable();
                let mut holds = kept.iter().peekable();
                for row in 0..count as u32 {
                    if holds.next_if(|kept| **kept == row).is_some() {
                        continue;
                    }
                    let of = under.rows.get(row as usize);
                    failed.data.push_owned(match failures.next_if(|(other, _)| *other == row) {
                        Some((_, failure)) => self.teller.failed(of, &failure),
                        None => self.teller.tell(of, *span, otherwise),
                    });
                    failed.rows.push(under.origin(row));
                }
                gathered(under, &kept)
            }
            Work::Unnest { list, position, schema } => {
                let mut lists = Rows::empty(list.schema());
                let applied = list.apply(&under.rows, 0..count, &mut lists);
                let kept = self.kept(&under, applied, failed).unwrap_or_else(|| (0..count as u32).collect());
                unnested(under, &kept, lists, *position, schema)
            }
        }
    }

    /// Tells of rows that failed, and answers which have not, if some have.
    fn kept(&self, under: &Under, applied: Applied, failed: &mut Made<Row>) -> Option<Vec<u32>> {
        for (row, failure) in &applied.failed {
            failed.data.push_owned(self.teller.failed(under.rows.get(*row as usize), failure));
            failed.rows.push(under.origin(*row));
        }
        applied.rows
    }
}

/// Some of the rows.
fn gathered(under: Under, kept: &[u32]) -> Under {
    if kept.len() == under.rows.len() {
        return under;
    }
    let mut rows = Rows::empty(under.rows.schema());
    rows.extend_gather(&under.rows, kept);
    Under { rows, origins: Some(under.of(kept)) }
}

/// A row for each item of the lists of some rows.
fn unnested(under: Under, kept: &[u32], lists: Rows, position: bool, schema: &Schema) -> Under {
    let Values::Lists(lists) = &lists.fields()[0] else { unreachable!("the checker wants a list") };
    let mut of: Vec<u32> = Vec::new();
    let mut items = Values::empty(&schema[under.rows.schema().len()]);
    let mut positions = Vec::new();
    for (at, row) in kept.iter().enumerate() {
        let span = lists.span(at);
        of.extend(std::iter::repeat_n(*row, span.len()));
        positions.extend((0..span.len()).map(|at| lane::of_int(at as i64)));
        items.extend_range(lists.items(), span);
    }
    let mut fields = Vec::new();
    for field in under.rows.fields() {
        let mut column = Values::empty(&field.kind());
        column.extend_gather(field, &of);
        fields.push(column);
    }
    fields.push(items);
    if position {
        fields.push(Values::Ints(positions));
    }
    Under { rows: Rows::of_fields(schema.clone(), of.len(), fields), origins: Some(under.of(&of)) }
}
