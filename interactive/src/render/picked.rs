//! Columns taken from rows, keys and values: what arrangements and joins are made of.
//!
//! Whole columns are moved where nobody else needs them, and copied by ranges otherwise; no row is looked at.

use crate::plan::tree::Picked;
use crate::value::{Row, RowRef, Rows, Schema, Values};
use differential::Point;
use differential::column::Column;
use differential::layout;
use differential::operators::join::{Fresh, JoinLogic};

/// Rows with a memory: by key, with values.
pub(super) type Layout = layout::Rows<Row, Row, Point, i64>;

/// Columns out of which rows are put together.
pub(super) struct Parts {
    columns: Vec<Option<Values>>,
    /// How often each will still be taken.
    wanted: Vec<usize>,
    len: usize,
}

impl Parts {
    /// The columns of some rows, of which these will be taken, each as often as it is there.
    pub(super) fn of<'w>(rows: &mut Rows, wanted: impl IntoIterator<Item = &'w usize>) -> Parts {
        let empty = Rows::empty(rows.schema());
        let (_, len, columns) = std::mem::replace(rows, empty).into_fields();
        let mut counts = vec![0; columns.len()];
        wanted.into_iter().for_each(|at| counts[*at] += 1);
        Parts { columns: columns.into_iter().map(Some).collect(), wanted: counts, len }
    }

    /// Takes some columns, as rows.
    pub(super) fn take(&mut self, schema: &Schema, places: &[usize]) -> Rows {
        let fields = places.iter().map(|at| {
            self.wanted[*at] -= 1;
            let column = &mut self.columns[*at];
            let taken = if self.wanted[*at] == 0 { column.take() } else { column.clone() };
            taken.expect("a column is there until it is taken for the last time")
        });
        Rows::of_fields(schema.clone(), self.len, fields.collect())
    }
}

/// What a join makes of a key and two values: some of their columns.
pub(super) struct PickPairs {
    pub(super) output: Vec<Picked>,
}

impl JoinLogic<Fresh<Layout, Layout>> for PickPairs {
    type Output = Row;
    const ONE: bool = true;

    #[inline]
    fn pair(&mut self, key: RowRef<'_>, left: RowRef<'_>, right: RowRef<'_>, copies: usize, into: &mut Rows) -> usize {
        let fields = self.output.iter().map(|picked| match picked {
            Picked::Key(at) => key.field(*at),
            Picked::Left(at) => left.field(*at),
            Picked::Right(at) => right.field(*at),
        });
        into.push_fields(fields, copies);
        1
    }

    fn row<'a>(
        &mut self,
        key: RowRef<'_>,
        left: RowRef<'_>,
        rights: impl Iterator<Item = RowRef<'a>>,
        into: &mut Rows,
    ) {
        let mut rights = rights.peekable();
        while let Some(first) = rights.next() {
            let RowRef::Stored(rows, start) = first else {
                self.pair(key, left, first, 1, into);
                continue;
            };
            // They mostly lie in a row, and then are copied together.
            let mut end = start + 1;
            let follows = |next: &RowRef<'a>, end: usize| matches!(next, RowRef::Stored(others, row) if std::ptr::eq(*others, rows) && *row == end);
            while rights.next_if(|next| follows(next, end)).is_some() {
                end += 1;
            }
            into.append_with(|fields| {
                for (field, picked) in fields.iter_mut().zip(&self.output) {
                    match picked {
                        Picked::Key(at) => append(field, key, *at, end - start),
                        Picked::Left(at) => append(field, left, *at, end - start),
                        Picked::Right(at) => field.extend_range(&rows.fields()[*at], start..end),
                    }
                }
                end - start
            });
        }
    }
}

/// Appends a field of a row, several times.
fn append(column: &mut Values, row: RowRef<'_>, at: usize, copies: usize) {
    match row {
        RowRef::Stored(rows, row) => column.extend_repeat(&rows.fields()[at], row, copies),
        RowRef::Owned(values) => (0..copies).for_each(|_| column.push_value(&values[at])),
    }
}
