//! Rows on their way from files to the engine: columns for each source, and by how much each row's count changes.
//!
//! ```text
//!   edge   rows  src 1 1 2 │ dst 2 3 3      diffs  +1 (all of them)
//!   root   rows  node 1                     diffs  +1
//! ```
//!
//! Who reads a file puts each field at the end of its column, and who feeds the engine hands columns on: a row is never
//! a value of its own. Invariant: each source has as many diffs as rows.

use super::answers::Answers;
use crate::value::{RowRef, Rows, Schema};
use differential::column::Column;
use differential::diff::Diffs;

/// Rows of some sources, by number.
#[derive(Debug)]
pub struct Gathered {
    /// The rows of each.
    pub rows: Vec<Rows>,
    /// By how much their counts change.
    pub diffs: Vec<Diffs<i64>>,
}

impl Gathered {
    /// No rows, of sources with these schemas.
    pub fn empty(schemas: impl IntoIterator<Item = Schema>) -> Gathered {
        let rows: Vec<Rows> = schemas.into_iter().map(|schema| Rows::empty(&schema)).collect();
        let diffs = rows.iter().map(|_| Diffs::default()).collect();
        Gathered { rows, diffs }
    }

    /// Appends a row of a source.
    pub fn push(&mut self, source: usize, row: RowRef<'_>, diff: i64) {
        self.rows[source].push(row);
        self.diffs[source].push(diff);
    }

    /// Removes all rows, and keeps buffers.
    pub fn clear(&mut self) {
        self.rows.iter_mut().for_each(Rows::clear);
        self.diffs.iter_mut().for_each(Diffs::clear);
    }

    /// Feeds all rows, and keeps none.
    pub fn feed(&mut self, answers: &mut dyn Answers) {
        for (source, (rows, diffs)) in self.rows.iter().zip(&self.diffs).enumerate() {
            if !diffs.is_empty() {
                answers.feed(source, rows, diffs);
            }
        }
        self.clear();
    }
}
