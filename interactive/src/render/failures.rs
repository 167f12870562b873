//! Rows of errors: what a failed row is told with.
//!
//! ```text
//!   statement     file      line  column  reason             row
//!   "reach.far"   "a.ddir"     7      45  "an int overflows" "(node: 7, hops: 9223372036854775807)"
//! ```
//!
//! Rows of all types are told of in one collection, so a row is a text here. It is made when a row fails and not before.

use crate::kernel::Failure;
use crate::language::files::{Files, Span};
use crate::language::types::{Column, Sum, Type};
use crate::value::{Kind, Row, RowRef, Schema, Shown, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

/// The columns of errors, which are ints where they are called `line` and `column`, and strings otherwise.
pub const ERROR_COLUMNS: [&str; 6] = ["statement", "file", "line", "column", "reason", "row"];

/// The columns of errors with their types.
pub fn error_columns() -> Arc<[Column]> {
    let of = |name: &str| if matches!(name, "line" | "column") { Type::Int } else { Type::Text };
    ERROR_COLUMNS.iter().map(|name| Column { name: name.to_string(), of: of(name) }).collect()
}

/// How errors are stored.
pub(super) fn error_schema() -> Schema {
    [Kind::Text, Kind::Text, Kind::Int, Kind::Int, Kind::Text, Kind::Text].into()
}

/// Tells of failed rows of one collection.
#[derive(Clone)]
pub(super) struct Teller {
    shared: Rc<Shared>,
    columns: Arc<[Column]>,
    statement: Arc<str>,
}

/// What all of a program's tellers share.
pub(super) struct Shared {
    pub(super) files: Files,
    pub(super) sums: Vec<Sum>,
    places: RefCell<HashMap<Span, (usize, usize)>>,
}

impl Shared {
    pub(super) fn new(files: &Files, sums: &[Sum]) -> Rc<Shared> {
        Rc::new(Shared { files: files.clone(), sums: sums.to_vec(), places: RefCell::default() })
    }

    /// Tells of rows of these columns, which come from this statement.
    pub(super) fn teller(self: &Rc<Shared>, columns: &Arc<[Column]>, statement: &Arc<str>) -> Teller {
        Teller { shared: self.clone(), columns: columns.clone(), statement: statement.clone() }
    }

    /// Line and column of a span's start, counted from 1. A text is gone through once for each span that fails.
    fn place(&self, span: Span) -> (usize, usize) {
        *self.places.borrow_mut().entry(span).or_insert_with(|| self.files.line_and_column(span))
    }
}

impl Teller {
    /// A row as the language writes it, with the names of its columns; without those that were computed beside them.
    pub(super) fn text(&self, row: RowRef<'_>) -> String {
        let mut text = "(".to_string();
        for (at, column) in self.columns.iter().enumerate().filter(|(_, column)| !column.name.starts_with('$')) {
            let value = row.field(at).value();
            let shown = Shown { value: &value, of: &column.of, sums: &self.shared.sums };
            let _ = write!(text, "{}{}: {shown}", if at == 0 { "" } else { ", " }, column.name);
        }
        text.push(')');
        text
    }

    /// The error of a row, for a failure of a scalar.
    pub(super) fn failed(&self, row: RowRef<'_>, failure: &Failure) -> Row {
        self.tell(row, failure.span, &failure.reason.to_string())
    }

    /// The error of a row.
    pub(super) fn tell(&self, row: RowRef<'_>, span: Span, reason: &str) -> Row {
        let (line, column) = self.shared.place(span);
        let file = self.shared.files.get(span.file).name.display().to_string();
        let number = |number: usize| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let text = Value::text;
        let values =
            [text(&self.statement), text(&file), number(line), number(column), text(reason), text(&self.text(row))];
        values.into_iter().collect()
    }
}
