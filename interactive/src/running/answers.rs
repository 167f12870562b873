//! What a run asks of whoever answers, and what the program exports.
//!
//! The front feeds rows and closes commits; it does not know how answers come about. In the program the engine answers
//! (`engine.rs`).

use crate::language::types::{Column, Sum};
use crate::plan::Plan;
use crate::value::{Row, RowRef, Rows};
use differential::Error;
use differential::diff::Diffs;

/// A collection that is seen from outside.
#[derive(Clone, Copy, Debug)]
pub struct Export<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its columns.
    pub columns: &'p [Column],
    /// Whether it never has more than one row.
    pub single: bool,
}

/// What a program exports, in the order of its text.
#[derive(Clone, Debug)]
pub struct Exports<'p> {
    /// The collections.
    pub all: Vec<Export<'p>>,
    /// The program's declared types.
    pub sums: &'p [Sum],
}

impl<'p> Exports<'p> {
    /// Those of this plan.
    pub fn of(plan: &'p Plan) -> Exports<'p> {
        let singles = plan.singles();
        let export = |export: &'p crate::plan::tree::Export| Export {
            name: &export.name,
            columns: &export.columns,
            single: singles[export.node.0],
        };
        Exports { all: plan.exports.iter().map(export).collect(), sums: &plan.sums }
    }
}

/// A row that failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// In which definition.
    pub statement: String,
    /// Where in the program, as `file:line:column`.
    pub place: String,
    /// Why.
    pub reason: String,
    /// The row, as the language writes it.
    pub row: String,
}

/// Keeps what a program exports current.
///
/// 1. After `commit` returns without error, `rows` and `failures` are those of everything fed before it, and nothing
///    else; `changes` are those of that commit, once.
/// 2. After an error, what was complete before can still be read; nothing more is fed.
pub trait Answers {
    /// Changes the counts of rows of a source, by its number, each by the diff beside it, in the commit that is open.
    fn feed(&mut self, source: usize, rows: &Rows, diffs: &Diffs<i64>);

    /// Does a while of work beside feeding.
    ///
    /// # Errors
    /// What went wrong.
    fn work(&mut self) -> Result<(), Error>;

    /// Closes the commit and works until everything is current.
    ///
    /// # Errors
    /// What went wrong.
    fn commit(&mut self) -> Result<(), Error>;

    /// What the last commit changed of an export, by its number.
    fn changes(&mut self, export: usize) -> Vec<(Row, i64)>;

    /// Shows `each` the rows of an export in order, and how often each is there.
    ///
    /// # Errors
    /// If a count left its range.
    fn rows(&mut self, export: usize, each: &mut dyn FnMut(RowRef<'_>, i64)) -> Result<(), Error>;

    /// The rows that failed, and how often each did.
    ///
    /// # Errors
    /// If a count left its range.
    fn failures(&mut self) -> Result<Vec<(Failure, i64)>, Error>;

    /// How many rows fail now.
    fn failures_count(&mut self) -> i128;

    /// What every `inspect` of the program has seen since this was last asked, a line each, as the workers of this process
    /// saw it.
    fn inspected(&mut self) -> String;
}
