//! Answers as a person sees them, in a table, or as a program reads them, in JSON lines.
//!
//! ```text
//! reached: 1,234 rows
//! | node | hops |
//! |-----:|-----:|
//! |    1 |    0 |
//! (the first of them; --rows 1234 shows all, --export reached=FILE writes them)
//! ```
//!
//! ```text
//! {"row":{"of":"reached","values":{"node":1,"hops":0},"count":1}}
//! ```
//!
//! Numbers stand at the right. A row that is there several times has a count; where all shown are there once, there is no
//! such column. What could move a terminal's cursor is shown by something harmless, and what is long is cut in tables.

use super::inputs::Skipped;
use crate::language::report::tame;
use crate::language::types::{Column, Sum, Type};
use crate::sources::{json, written};
use crate::stream::console::Screen;
use crate::stream::form::{Form, grouped, grouped_signed};
use crate::value::{Row, RowRef, Value};
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use serde_json::{Map, Value as Json, json};

/// How many letters of a value a table has room for.
const LETTERS: usize = 60;

/// A collection whose rows are shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its columns.
    pub columns: &'a [Column],
    /// The declared types of its program.
    pub sums: &'a [Sum],
}

/// The first rows of a collection, and how many there are.
#[derive(Clone, Debug, Default)]
pub struct FirstRows {
    /// Those that are shown, and how often each is there.
    pub first: Vec<(Row, i64)>,
    /// How many different ones there are.
    pub different: usize,
    /// How many there are.
    pub total: i128,
}

impl FirstRows {
    /// Takes the next row: to be shown if it is one of the first `most`, or if nothing is said.
    pub fn add(&mut self, row: RowRef<'_>, count: i64, most: Option<usize>) {
        if most.is_none_or(|most| self.different < most) {
            self.first.push((row.row(), count));
        }
        self.different += 1;
        self.total += i128::from(count);
    }
}

impl Shown<'_> {
    /// Rows and how often each is there.
    pub fn rows(&self, rows: &FirstRows, form: Form) -> String {
        let FirstRows { first, different, total } = rows;
        match form {
            Form::Json => first.iter().map(|(row, count)| self.json(row, *count)).collect(),
            Form::Table => {
                let mut text = format!("{}: {}\n", self.name, counted(*total, "row"));
                if !first.is_empty() {
                    text.push_str(&self.table(first));
                }
                if first.len() < *different {
                    let (name, all) = (self.name, *different);
                    let hint = format!("--rows {all} shows all, --export {name}=FILE writes them");
                    text.push_str(&format!(
                        "({} of {} different rows; {hint})\n",
                        grouped(first.len() as u64),
                        grouped(all as u64)
                    ));
                }
                text.push('\n');
                text
            }
        }
    }

    fn json(&self, row: &Row, count: i64) -> String {
        json!({ "row": { "of": self.name, "values": self.values(row), "count": count } }).to_string() + "\n"
    }

    /// A row's values by column, for a machine.
    pub fn values(&self, row: &Row) -> Map<String, Json> {
        let values = self.columns.iter().zip(&row.0);
        values.map(|(column, value)| (column.name.clone(), json::written(value, &column.of, self.sums))).collect()
    }

    /// A row's values, for a line of a report: whole numbers as counts are written.
    pub fn figures(&self, row: &Row) -> impl Iterator<Item = String> {
        self.columns.iter().zip(&row.0).map(|(column, value)| match value {
            Value::Int(number) => grouped_signed((*number).into()),
            value => self.cell(value, &column.of),
        })
    }

    fn table(&self, rows: &[(Row, i64)]) -> String {
        let any_count = rows.iter().any(|(_, count)| *count != 1);
        let names = self.columns.iter().map(|column| column.name.as_str());
        let right = self.columns.iter().map(|column| matches!(column.of, Type::Int | Type::Float));
        let cells = |(row, count): &(Row, i64)| {
            let values = self.columns.iter().zip(&row.0).map(|(column, value)| self.cell(value, &column.of));
            values.chain(any_count.then(|| grouped_signed((*count).into()))).collect::<Vec<_>>()
        };
        table(
            names.chain(any_count.then_some("(count)")),
            right.chain(any_count.then_some(true)),
            rows.iter().map(cells),
        )
    }

    fn cell(&self, value: &Value, of: &Type) -> String {
        cell(&written::field(value, of, self.sums))
    }
}

/// A text in a table: on one line, without what could move a cursor, cut where it is long.
pub fn cell(text: &str) -> String {
    let line: String =
        tame(text).chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(LETTERS + 1).collect();
    match line.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A table with a line for each row; columns of which it is said stand at the right.
pub fn table<'a>(
    names: impl Iterator<Item = &'a str>,
    right: impl Iterator<Item = bool>,
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(names.map(cell));
    rows.for_each(|row| {
        table.add_row(row);
    });
    for (at, right) in right.enumerate() {
        if let (true, Some(column)) = (right, table.column_mut(at)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}

/// A number of things.
pub fn counted(count: i128, what: &str) -> String {
    let number = grouped_signed(count);
    if count == 1 { format!("{number} {what}") } else { format!("{number} {what}s") }
}

/// Warns of lines that were no rows: the first of them, and how many.
pub fn warn_of_skipped(skipped: &Skipped, screen: &mut Screen<'_, '_>) {
    for bad in &skipped.first {
        screen.warn(&format!("left out: {bad}"));
    }
    if skipped.count > 0 {
        screen.warn(&format!("{} left out", counted(skipped.count.into(), "bad line")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let column = |name: &str, of| Column { name: name.to_string(), of };
        vec![column("n", Type::Int), column("text", Type::Text)]
    }

    fn row(number: i64, text: &str) -> Row {
        Row::from_iter([Value::Int(number), Value::text(text)])
    }

    fn firsts(rows: &[(Row, i64)], most: Option<usize>) -> FirstRows {
        let mut firsts = FirstRows::default();
        rows.iter().for_each(|(row, count)| firsts.add(RowRef::Owned(&row.0), *count, most));
        firsts
    }

    #[test]
    fn a_table_has_a_heading_and_the_first_rows() {
        let columns = columns();
        let shown = Shown { name: "words", columns: &columns, sums: &[] };
        let rows = [(row(1, "a"), 1), (row(-20, "b\x1b[31m\nc"), 1), (row(3, "d"), 1)];
        let wanted = "\
words: 3 rows
|   n | text     |
|-----|----------|
|   1 | a        |
| -20 | b?[31m c |
(2 of 3 different rows; --rows 3 shows all, --export words=FILE writes them)

";
        assert_eq!(shown.rows(&firsts(&rows, Some(2)), Form::Table), wanted);
        assert_eq!(shown.rows(&firsts(&[], Some(2)), Form::Table), "words: 0 rows\n\n");
    }

    #[test]
    fn counts_are_shown_where_there_are_some() {
        let columns = columns();
        let shown = Shown { name: "words", columns: &columns, sums: &[] };
        let rows = [(row(1, "a"), 2_000), (row(2, &"b".repeat(100)), -1)];
        let text = shown.rows(&firsts(&rows, None), Form::Table);
        assert!(
            text.starts_with("words: 1,999 rows\n") && text.contains("(count)") && text.contains(" 2,000 |"),
            "{text}"
        );
        assert!(text.contains(&format!("{}…", "b".repeat(60))), "{text}");
        let wanted = r#"{"row":{"of":"words","values":{"n":1,"text":"a"},"count":2000}}"#;
        assert_eq!(shown.rows(&firsts(&rows, None), Form::Json).lines().next(), Some(wanted));
    }
}
