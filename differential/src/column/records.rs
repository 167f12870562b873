//! Records whose fields are typed at run time: the guard of the rule that a column is made from a shape.
//!
//! ```text
//!   shape  [Int, Text]           Records { len 2, fields: [ Ints [7, 8], Texts ["a", "bc"] ] }
//! ```
//!
//! A language that is compiled to dataflows knows its types only when it runs. Its columns must go through batches,
//! traces and operators like any other, so tests run them there: those fail to compile, or to pass, as soon as anyone
//! makes an empty column out of nothing. It is in the tests only, and short rather than fast.
//!
//! Its laws are in `records_laws.rs`; `tests/typed_at_run_time.rs` includes this file, and sends records through a
//! dataflow with the public surface alone.

use std::cmp::Ordering;
use std::ops::Range;

use columnar::Strings;

use super::{Column, Data, Malformed, Reader};

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Text,
}

/// A field's value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    Int(i64),
    Text(String),
}

/// A record: its fields are of the kinds that its column's shape says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record(pub(crate) Vec<Cell>);

/// The column of records of one shape.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    len: usize,
    fields: Vec<Field>,
}

/// The column of one field.
#[derive(Clone, Debug)]
enum Field {
    Ints(Vec<i64>),
    Texts(Strings),
}

/// A record lent by a column or by its owner.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LentRecord<'a> {
    Stored(&'a Records, usize),
    Owned(&'a Record),
}

/// A field's value as it is lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LentCell<'a> {
    Int(i64),
    Text(&'a str),
}

impl<'a> LentRecord<'a> {
    fn width(self) -> usize {
        match self {
            LentRecord::Stored(records, _) => records.fields.len(),
            LentRecord::Owned(record) => record.0.len(),
        }
    }

    fn cell(self, place: usize) -> LentCell<'a> {
        match self {
            LentRecord::Stored(records, row) => match &records.fields[place] {
                Field::Ints(ints) => LentCell::Int(ints[row]),
                Field::Texts(texts) => LentCell::Text(texts.get(row)),
            },
            LentRecord::Owned(record) => match &record.0[place] {
                Cell::Int(int) => LentCell::Int(*int),
                Cell::Text(text) => LentCell::Text(text),
            },
        }
    }

    fn cells(self) -> impl Iterator<Item = LentCell<'a>> {
        (0..self.width()).map(move |place| self.cell(place))
    }
}

impl PartialEq for LentRecord<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for LentRecord<'_> {}
impl PartialOrd for LentRecord<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for LentRecord<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cells().cmp(other.cells())
    }
}

impl Field {
    fn of(kind: Kind) -> Field {
        match kind {
            Kind::Int => Field::Ints(Vec::new()),
            Kind::Text => Field::Texts(Strings::default()),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Field::Ints(_) => Kind::Int,
            Field::Texts(_) => Kind::Text,
        }
    }
}

/// Does one thing to a field's column, whichever it is; with a second field of the same kind.
macro_rules! on {
    ($field:expr, $column:ident => $body:expr) => {
        match $field {
            Field::Ints($column) => $body,
            Field::Texts($column) => $body,
        }
    };
    ($field:expr, $other:expr, $column:ident, $second:ident => $body:expr) => {
        match ($field, $other) {
            (Field::Ints($column), Field::Ints($second)) => $body,
            (Field::Texts($column), Field::Texts($second)) => $body,
            (field, other) => panic!("columns of two shapes: {:?} and {:?}", field.kind(), other.kind()),
        }
    };
}

impl Data for Record {
    type Column = Records;
}

impl Column for Records {
    type Owned = Record;
    type Ref<'a> = LentRecord<'a>;
    type Shape = Vec<Kind>;

    const EXACT_PREFIX: bool = false;

    fn empty(shape: &Vec<Kind>) -> Self {
        Records { len: 0, fields: shape.iter().map(|kind| Field::of(*kind)).collect() }
    }
    fn shape(&self) -> Vec<Kind> {
        self.fields.iter().map(Field::kind).collect()
    }
    fn len(&self) -> usize {
        self.len
    }
    fn clear(&mut self) {
        self.len = 0;
        self.fields.iter_mut().for_each(|field| on!(field, column => Column::clear(column)));
    }
    fn reserve(&mut self, additional: usize) {
        self.fields.iter_mut().for_each(|field| on!(field, column => Column::reserve(column, additional)));
    }
    fn fit(&mut self) {
        self.fields.iter_mut().for_each(|field| on!(field, column => Column::fit(column)));
    }

    fn get(&self, row: usize) -> LentRecord<'_> {
        LentRecord::Stored(self, row)
    }
    fn owned(item: LentRecord<'_>) -> Record {
        let owned = |cell| match cell {
            LentCell::Int(int) => Cell::Int(int),
            LentCell::Text(text) => Cell::Text(text.into()),
        };
        Record(item.cells().map(owned).collect())
    }
    fn lend(item: &Record) -> LentRecord<'_> {
        LentRecord::Owned(item)
    }
    fn reborrow<'b, 'a: 'b>(item: LentRecord<'a>) -> LentRecord<'b> {
        item
    }

    fn push(&mut self, item: LentRecord<'_>) {
        assert_eq!(item.width(), self.fields.len(), "a record has a cell a field");
        self.len += 1;
        for (field, cell) in self.fields.iter_mut().zip(item.cells()) {
            match (field, cell) {
                (Field::Ints(column), LentCell::Int(int)) => Column::push(column, int),
                (Field::Texts(column), LentCell::Text(text)) => Column::push(column, text),
                (field, cell) => panic!("{cell:?} in a field of kind {:?}", field.kind()),
            }
        }
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.len += rows.len();
        for (field, other) in self.fields.iter_mut().zip(&other.fields) {
            on!(field, other, column, second => column.extend_range(second, rows.clone()));
        }
    }
    fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
        self.len += places.len();
        for (field, other) in self.fields.iter_mut().zip(&other.fields) {
            on!(field, other, column, second => column.insert_rows(second, places));
        }
    }
    fn remove_rows(&mut self, rows: &[u32]) {
        self.len -= rows.len();
        self.fields.iter_mut().for_each(|field| on!(field, column => column.remove_rows(rows)));
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.len += rows.len();
        for (field, other) in self.fields.iter_mut().zip(&other.fields) {
            on!(field, other, column, second => column.extend_gather(second, rows));
        }
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.len += count;
        for (field, other) in self.fields.iter_mut().zip(&other.fields) {
            on!(field, other, column, second => column.extend_repeat(second, row, count));
        }
    }

    fn prefix(&self, row: usize) -> u64 {
        self.fields.first().map_or(0, |field| on!(field, column => column.prefix(row)))
    }
    fn absorb(&self, row: usize, state: u64) -> u64 {
        self.fields.iter().fold(state, |state, field| on!(field, column => column.absorb(row, state)))
    }

    fn bytes_len(&self) -> usize {
        self.fields.iter().map(|field| on!(field, column => column.bytes_len())).sum()
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        self.fields.iter().for_each(|field| on!(field, column => column.write_bytes(into)));
    }
    fn read_bytes(shape: &Vec<Kind>, rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let field = |kind: &Kind| match kind {
            Kind::Int => Column::read_bytes(&(), rows, from).map(Field::Ints),
            Kind::Text => Column::read_bytes(&(), rows, from).map(Field::Texts),
        };
        Ok(Records { len: rows, fields: shape.iter().map(field).collect::<Result<_, _>>()? })
    }

    fn heap_bytes(&self) -> usize {
        self.fields.iter().map(|field| on!(field, column => column.heap_bytes())).sum()
    }
}
