//! Scalars over columns: compiled once, evaluated for many rows at a time.
//!
//! ```text
//!   select weight * 2 as twice, concat(name, "!") as loud where ..
//!
//!   input    weight  7 4 9       name "a" "bc" ""
//!   Kernel   twice  14 8 18      loud "a!" "bc!" "!"        rows: all of them
//!            and for a row that overflows: its number, where in the program, and why
//! ```
//!
//! Two calls are all that a plan needs: [`Kernel::apply`] computes columns, [`Kernel::select`] says which rows a condition
//! holds for. A row that fails is in no column: it is told of, with a [`Failure`]. What a row comes to, and what it fails
//! with, depends on the row alone, never on the rows beside it; so what an insertion made, a removal takes away.
//!
//! | file | one sentence |
//! |---|---|
//! | [`failure`] | Why a row fails. |
//! | `functions` | What the functions mean. |
//! | `expression` | Scalars as they are evaluated. |
//! | `single` | One row at a time: lists, and functions that are arguments. |
//! | `lanes` | Loops over numbers. |
//! | `frame` | Columns of the rows that are evaluated together. |
//! | `operators` | Operators on whole columns. |
//! | `calls` | Functions of whole columns. |
//! | `patterns` | Patterns over columns. |
//! | `whole` | Many rows at once. |
//!
//! Cost: a copy of a column that is selected as it is; a loop a column for operators; for what is evaluated row by row,
//! a value of its own for every field that it uses.
//!
//! Tested in `interactive/tests/values/kernel/`, against an evaluator of one row that shares nothing with this one.

pub mod failure;
mod functions;
mod expression;
mod single;
mod lanes;
mod frame;
mod operators;
mod calls;
mod patterns;
mod whole;

pub(crate) use expression::fails;
pub use failure::{Failure, LIMIT, Reason};

use crate::language::program::Scalar;
use crate::value::{Kinds, Rows, Schema, Values};
use expression::{Compiler, Expr};
use frame::{Col, Failures, Fields, Frame};
use std::ops::Range;

/// Scalars over the rows of one schema.
///
/// ```
/// use differential::column::Column;
/// use interactive::kernel::{Kernel, Reason};
/// use interactive::language::program::{DefinitionKind, StepKind};
/// use interactive::value::{Kinds, Row, Rows, Value};
///
/// let text = "source point(x: int, y: int); export ratio = point | select x, x / y as ratio;";
/// let program = interactive::language::check("ratio.ddir".as_ref(), text.into(), &|path| std::fs::read_to_string(path));
/// let program = program.program.unwrap();
/// let kinds = Kinds::of(&program.sums);
/// let DefinitionKind::Export(bag) = &program.definitions[1].kind else { panic!() };
/// let StepKind::Select(scalars) = &bag.steps[0].kind else { panic!() };
/// let kernel = Kernel::compile(scalars, &kinds);
///
/// let mut points = Rows::empty(&kinds.schema(&program.definitions[0].columns));
/// let row = |x, y| [x, y].map(Value::Int).into_iter().collect::<Row>();
/// [row(7, 2), row(7, 0), row(9, 3)].map(|point| points.push_owned(point));
/// let mut made = Rows::empty(kernel.schema());
/// let applied = kernel.apply(&points, 0..3, &mut made);
/// assert_eq!((made.row(0), made.row(1)), (row(7, 3), row(9, 3)));
/// assert_eq!(applied.rows, Some(vec![0, 2]));
/// assert_eq!((applied.failed[0].0, applied.failed[0].1.reason), (1, Reason::DivisionByZero));
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    expressions: Vec<Expr>,
    schema: Schema,
    names: usize,
}

/// What became of some rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The rows that there are values of, in ascending order, if it is not all of them.
    pub rows: Option<Vec<u32>>,
    /// The rows that failed, in ascending order, each with the first failure in the order of evaluation.
    pub failed: Vec<(u32, Failure)>,
}

impl Kernel {
    /// Compiles scalars of a checked program whose types have these kinds.
    ///
    /// # Panics
    /// With a parameter of a subprogram among them: a call is unfolded before.
    pub fn compile(scalars: &[Scalar], kinds: &Kinds) -> Kernel {
        let mut compiler = Compiler::new(kinds);
        let expressions: Vec<Expr> = scalars.iter().map(|scalar| compiler.expr(scalar)).collect();
        let schema = expressions.iter().map(|expr| expr.kind.clone()).collect();
        Kernel { expressions, schema, names: compiler.slots() }
    }

    /// The kinds of the scalars.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Whether a row may fail.
    pub fn fails(&self) -> bool {
        self.expressions.iter().any(|expr| expr.fails)
    }

    /// Appends, for each of these rows of `input` that does not fail, a row of the scalars' values.
    ///
    /// # Panics
    /// If `made` is not of this kernel's schema, or `input` not of that which the scalars were checked for.
    pub fn apply(&self, input: &Rows, rows: Range<usize>, made: &mut Rows) -> Applied {
        let mut failures = Failures::default();
        let columns = self.eval(input, rows.clone(), &mut failures);
        let (count, start) = (rows.len(), rows.start as u32);
        if failures.is_empty() {
            made.append_with(|fields| {
                fields.iter_mut().zip(columns).for_each(|(field, column)| column.append_to(count, field));
                count
            });
            return Applied::default();
        }
        let kept: Vec<u32> = failures.others().collect();
        made.append_with(|fields| {
            fields.iter_mut().zip(&columns).for_each(|(field, column)| column.gather_to(&kept, field));
            kept.len()
        });
        let failed = failures.iter().map(|(row, failure)| (start + row as u32, failure)).collect();
        Applied { rows: Some(kept.into_iter().map(|row| start + row).collect()), failed }
    }

    /// Appends to `kept` those of these rows of `input` for which the only scalar, a condition, holds; answers with those
    /// that failed.
    ///
    /// # Panics
    /// If there is not one scalar, of bools; and as [`Kernel::apply`] does.
    pub fn select(&self, input: &Rows, rows: Range<usize>, kept: &mut Vec<u32>) -> Vec<(u32, Failure)> {
        let mut failures = Failures::default();
        let start = rows.start as u32;
        let mut columns = self.eval(input, rows.clone(), &mut failures);
        assert_eq!(columns.len(), 1, "one condition");
        let condition = columns.remove(0).into_values(rows.len(), &self.schema[0]);
        let Values::Bools(condition) = &condition else { panic!("a condition is a bool: {:?}", self.schema) };
        if failures.is_empty() {
            kept.extend(frame::true_rows(condition).map(|row| start + row));
            return Vec::new();
        }
        let holds = |row: &u32| differential::column::Column::get(condition, *row as usize);
        kept.extend(failures.others().filter(holds).map(|row| start + row));
        failures.iter().map(|(row, failure)| (start + row as u32, failure)).collect()
    }

    /// The scalars' columns, one after the other.
    fn eval<'a>(&'a self, input: &'a Rows, rows: Range<usize>, failures: &mut Failures) -> Vec<Col<'a>> {
        let fields = Fields::Given(input.fields(), rows.start);
        let mut frame = Frame { rows: rows.len(), fields, locals: vec![None; self.names] };
        self.expressions.iter().map(|expr| whole::eval(expr, &mut frame, failures)).collect()
    }
}
