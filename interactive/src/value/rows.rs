//! The column of rows: a column a field, side by side.
//!
//! ```text
//!   [Int, Text]     fields   Lane 7 7 9 │ Texts "a" "b" "c"       len 3
//!
//!   prefix   the first field's; behind it the next one's, while the ones before are exact and there is room
//!   exact    if all of them have room: a row of one number, or of a few small things
//!   deeper   a word of the first field that the prefix does not say all of, then of the next, ...
//! ```
//!
//! Each bulk operation is one loop a field. Rows lend themselves as a column and a number, so comparing two is comparing
//! them where they are. A tuple is a row within a row: its column is this one.
//!
//! Invariant: all fields have `len` rows, and are of the schema's kinds. The number is kept apart, for rows without a
//! field.

use super::values::Prefix;
use super::{Row, Schema, Value, ValueRef, Values, lane};
use differential::bytes::{Malformed, Reader};
use differential::column::{Column, Data};
use differential::time::Pick;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

/// A list of rows of one schema.
#[derive(Clone, Debug)]
pub struct Rows {
    schema: Schema,
    len: usize,
    fields: Vec<Values>,
}

impl Rows {
    /// Rows of these fields, which must all have `len` rows.
    ///
    /// # Panics
    /// If one has not, or is not of its kind.
    pub fn of_fields(schema: Schema, len: usize, fields: Vec<Values>) -> Rows {
        assert_eq!(schema.len(), fields.len(), "a column for each field");
        assert!(fields.iter().all(|field| field.len() == len), "{len} rows in each column");
        debug_assert!(fields.iter().zip(&*schema).all(|(field, kind)| field.kind() == *kind), "columns of {schema:?}");
        Rows { schema, len, fields }
    }

    /// The columns of the fields.
    pub fn fields(&self) -> &[Values] {
        &self.fields
    }

    /// The kinds of the fields.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What the fields were made of: the schema, the number of rows, the columns.
    pub fn into_fields(self) -> (Schema, usize, Vec<Values>) {
        (self.schema, self.len, self.fields)
    }

    /// The columns, to append to: each by the same number of rows, which `append` says.
    ///
    /// # Panics
    /// If one has another number of rows then.
    pub fn append_with(&mut self, append: impl FnOnce(&mut [Values]) -> usize) {
        self.len += append(&mut self.fields);
        assert!(self.fields.iter().all(|field| field.len() == self.len), "{} rows in each column", self.len);
    }

    /// Appends a row whose fields `push` appends, one to each column. If that fails nothing is appended, whatever it has
    /// pushed by then.
    ///
    /// # Errors
    /// Those of `push`.
    ///
    /// # Panics
    /// If it did not fail, and a column has not one value more.
    pub fn try_push_with<E>(&mut self, push: impl FnOnce(&mut [Values]) -> Result<(), E>) -> Result<(), E> {
        let pushed = push(&mut self.fields);
        if pushed.is_err() {
            let longer = self.fields.iter_mut().filter(|field| field.len() > self.len);
            longer.for_each(|field| field.remove_rows(&[self.len as u32]));
            return pushed;
        }
        self.len += 1;
        assert!(self.fields.iter().all(|field| field.len() == self.len), "{} rows in each column", self.len);
        pushed
    }

    /// An owned copy of a row.
    pub fn row(&self, row: usize) -> Row {
        assert!(row < self.len, "row {row} of {}", self.len);
        self.fields.iter().map(|field| field.value(row)).collect()
    }

    /// Appends a row of these values.
    ///
    /// # Panics
    /// If they are not of the schema.
    pub fn push_values(&mut self, values: &[Value]) {
        assert_eq!(values.len(), self.fields.len(), "a value for each field");
        self.len += 1;
        self.fields.iter_mut().zip(values).for_each(|(field, value)| field.push_value(value));
    }

    /// Appends a row, so many times, whose fields are these.
    ///
    /// # Panics
    /// If one is not of its field's kind.
    #[inline]
    pub fn push_fields<'a>(&mut self, fields: impl Iterator<Item = ValueRef<'a>>, copies: usize) {
        for (field, value) in self.fields.iter_mut().zip(fields) {
            match value {
                ValueRef::Stored(values, row) if copies == 1 => field.push_row(values, row),
                ValueRef::Stored(values, row) => field.extend_repeat(values, row, copies),
                ValueRef::Owned(value) => (0..copies).for_each(|_| field.push_value(value)),
            }
        }
        self.len += copies;
        debug_assert!(self.fields.iter().all(|field| field.len() == self.len), "{} rows in each column", self.len);
    }

    /// Compares a row with these values.
    #[inline(never)]
    pub fn compare_values(&self, row: usize, values: &[Value]) -> Ordering {
        if let (Some(Values::Ints(lane)), Some(Value::Int(number))) = (self.fields.first(), values.first()) {
            let order = lane[row].cmp(&lane::of_int(*number));
            if order.is_ne() || values.len() == 1 {
                return order;
            }
        }
        let mut fields = self.fields.iter().zip(values).map(|(field, value)| field.compare_value(row, value));
        fields.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// What its prefixes are worth.
    pub(super) fn prefix_of(&self) -> Prefix {
        self.fields.iter().fold(Prefix::NOTHING, |packed, field| packed.then(field.prefix_of()))
    }
}

impl Data for Row {
    type Column = Rows;
}

impl Column for Rows {
    type Owned = Row;
    type Ref<'a> = RowRef<'a>;
    type Shape = Schema;

    const EXACT_PREFIX: bool = false;

    fn empty(schema: &Schema) -> Rows {
        Rows { schema: schema.clone(), len: 0, fields: schema.iter().map(Values::empty).collect() }
    }
    fn shape(&self) -> Schema {
        self.schema.clone()
    }
    #[inline]
    fn len(&self) -> usize {
        self.len
    }
    fn clear(&mut self) {
        self.len = 0;
        self.fields.iter_mut().for_each(Column::clear);
    }
    fn reserve(&mut self, additional: usize) {
        self.fields.iter_mut().for_each(|field| field.reserve(additional));
    }
    fn fit(&mut self) {
        self.fields.iter_mut().for_each(Column::fit);
    }

    #[inline]
    fn get(&self, row: usize) -> RowRef<'_> {
        assert!(row < self.len, "row {row} of {}", self.len);
        RowRef::Stored(self, row)
    }
    fn owned(item: RowRef<'_>) -> Row {
        item.row()
    }
    #[inline]
    fn lend(item: &Row) -> RowRef<'_> {
        RowRef::Owned(&item.0)
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: RowRef<'a>) -> RowRef<'b> {
        item
    }

    fn push(&mut self, item: RowRef<'_>) {
        match item {
            RowRef::Stored(rows, row) => {
                self.len += 1;
                self.with(rows, |field, other| field.push_row(other, row));
            }
            RowRef::Owned(values) => self.push_values(values),
        }
    }
    fn extend_range(&mut self, other: &Rows, rows: Range<usize>) {
        self.len += rows.len();
        match rows.len() {
            1 => self.with(other, |field, other| field.push_row(other, rows.start)),
            _ => self.with(other, |field, other| field.extend_range(other, rows.clone())),
        }
    }
    fn extend_gather(&mut self, other: &Rows, rows: &[u32]) {
        self.len += rows.len();
        self.with(other, |field, other| field.extend_gather(other, rows));
    }
    fn extend_repeat(&mut self, other: &Rows, row: usize, count: usize) {
        self.len += count;
        self.with(other, |field, other| field.extend_repeat(other, row, count));
    }
    fn extend_picked(&mut self, left: &Rows, left_row: usize, right: &Rows, right_row: usize, picks: &[Pick]) {
        self.len += picks.len();
        for (field, (left, right)) in self.fields.iter_mut().zip(left.fields.iter().zip(&right.fields)) {
            field.extend_picked(left, left_row, right, right_row, picks);
        }
    }
    fn insert_rows(&mut self, other: &Rows, places: &[(u32, u32)]) {
        self.len += places.len();
        self.with(other, |field, other| field.insert_rows(other, places));
    }
    fn remove_rows(&mut self, rows: &[u32]) {
        self.len -= rows.len();
        self.fields.iter_mut().for_each(|field| field.remove_rows(rows));
    }

    #[inline]
    fn compare(&self, row: usize, other: &Rows, other_row: usize) -> Ordering {
        // Rows of one number or of two are most of what is compared: that is done where the caller stands.
        match (&self.fields[..], &other.fields[..]) {
            ([Values::Ints(lane)], [Values::Ints(other)]) => lane[row].cmp(&other[other_row]),
            ([Values::Ints(first), Values::Ints(second)], [Values::Ints(other_first), Values::Ints(other_second)]) => {
                first[row].cmp(&other_first[other_row]).then(second[row].cmp(&other_second[other_row]))
            }
            (fields, others) => compare_fields(fields, row, others, other_row),
        }
    }
    #[inline]
    fn compare_item(&self, row: usize, item: RowRef<'_>) -> Ordering {
        match item {
            RowRef::Stored(rows, other_row) => self.compare(row, rows, other_row),
            RowRef::Owned(values) => self.compare_values(row, values),
        }
    }

    fn exact_prefix(&self) -> bool {
        self.prefix_of().exact
    }
    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        if let Some(Values::Ints(lane) | Values::Floats(lane)) = self.fields.first() {
            return lane[row];
        }
        let mut packed = Packed::NOTHING;
        for field in &self.fields {
            if !packed.of.open() {
                break;
            }
            packed.append(field.prefix_of(), field.prefix(row));
        }
        packed.prefix
    }
    fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        match self.fields.first() {
            Some(field) if !field.prefix_of().open() => field.prefixes(rows, into),
            _ => into.extend(rows.map(|row| self.prefix(row))),
        }
    }
    fn lane(&self) -> Option<&[u64]> {
        self.fields.first()?.lane()
    }
    fn second_lane(&self) -> Option<&[u64]> {
        // A number is all of the prefix, so that what comes second is the next field's.
        match &self.fields[..] {
            [Values::Ints(_) | Values::Floats(_), second, ..] => second.lane(),
            _ => None,
        }
    }
    /// Behind the prefix: word by word what it does not say, up to the first text or other field without an end.
    fn deeper(&self, row: usize, depth: u32) -> u64 {
        let (mut packed, mut depth) = (Prefix::NOTHING, depth - 1);
        for field in &self.fields {
            let of = field.prefix_of();
            let before = packed;
            packed = packed.then(of);
            if packed.exact {
                continue; // The prefix says all of this field.
            }
            // All of the field's own prefix may have been in the rows' prefix; else that is what comes first.
            let first = u32::from(before.open() && before.bits + of.bits <= u64::BITS);
            if !of.exact {
                return match depth + first {
                    0 => field.prefix(row),
                    depth => field.deeper(row, depth),
                };
            }
            if depth == 0 {
                return field.prefix(row);
            }
            depth -= 1;
        }
        0
    }

    fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        let Prefix { bits, exact } = self.prefix_of();
        assert!(exact, "a row's prefix that has no room for all fields does not say which it is");
        self.len += prefixes.len();
        let mut left = bits;
        for field in &mut self.fields {
            let own = field.prefix_of().bits;
            left -= own;
            if own == bits {
                field.extend_from_prefixes(prefixes);
            } else {
                let part = prefixes.iter().map(|prefix| Prefix::unpack(*prefix, left, own));
                field.extend_from_prefixes(&part.collect::<Vec<u64>>());
            }
        }
    }

    fn absorb(&self, row: usize, state: u64) -> u64 {
        self.fields.iter().fold(state, |state, field| field.absorb(row, state))
    }
    fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        self.fields.iter().for_each(|field| field.absorb_rows(rows.clone(), states));
    }

    fn bytes_len(&self) -> usize {
        self.fields.iter().map(Column::bytes_len).sum()
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        self.fields.iter().for_each(|field| field.write_bytes(into));
    }
    fn read_bytes(schema: &Schema, rows: usize, from: &mut Reader<'_>) -> Result<Rows, Malformed> {
        let fields = schema.iter().map(|kind| Values::read_bytes(kind, rows, from));
        Ok(Rows { schema: schema.clone(), len: rows, fields: fields.collect::<Result<_, _>>()? })
    }

    fn heap_bytes(&self) -> usize {
        self.fields.iter().map(Column::heap_bytes).sum::<usize>() + self.fields.capacity() * size_of::<Values>()
    }
}

impl Rows {
    /// Does one thing to each field, together with the same field of other rows.
    #[inline]
    fn with(&mut self, other: &Rows, each: impl Fn(&mut Values, &Values)) {
        assert_eq!(self.fields.len(), other.fields.len(), "rows of two schemas");
        self.fields.iter_mut().zip(&other.fields).for_each(|(field, other)| each(field, other));
    }
}

/// Compares two rows field by field. Not inlined, or `compare` would not be.
#[inline(never)]
fn compare_fields(fields: &[Values], row: usize, others: &[Values], other_row: usize) -> Ordering {
    for (field, other) in fields.iter().zip(others) {
        // Numbers are told here, as most fields are: what a column is costs more to ask than two words to compare.
        let order = match (field, other) {
            (Values::Ints(lane), Values::Ints(other)) => lane[row].cmp(&other[other_row]),
            (field, other) => field.compare(row, other, other_row),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// Prefixes packed one behind the other.
struct Packed {
    of: Prefix,
    prefix: u64,
}

impl Packed {
    const NOTHING: Packed = Packed { of: Prefix::NOTHING, prefix: 0 };

    /// Puts a field's prefix behind, as much of it as there is room for.
    fn append(&mut self, of: Prefix, prefix: u64) {
        let after = self.of.then(of);
        let room = after.bits - self.of.bits;
        // A shift by all 64 bits is the one that a word does not do: it is here only where nothing stands before.
        let before = if room == u64::BITS { 0 } else { self.prefix << room };
        self.prefix = if room == 0 { before } else { before | (prefix >> (of.bits - room)) };
        self.of = after;
    }
}

/// A row lent by a column or by its owner.
#[derive(Clone, Copy)]
pub enum RowRef<'a> {
    /// A row of a column.
    Stored(&'a Rows, usize),
    /// Values of their own.
    Owned(&'a [Value]),
}

impl<'a> RowRef<'a> {
    /// The number of fields.
    pub fn width(self) -> usize {
        match self {
            RowRef::Stored(rows, _) => rows.fields.len(),
            RowRef::Owned(values) => values.len(),
        }
    }

    /// A field's value.
    #[inline]
    pub fn field(self, at: usize) -> ValueRef<'a> {
        match self {
            RowRef::Stored(rows, row) => rows.fields[at].get(row),
            RowRef::Owned(values) => ValueRef::Owned(&values[at]),
        }
    }

    /// An owned copy.
    pub fn row(self) -> Row {
        match self {
            RowRef::Stored(rows, row) => rows.row(row),
            RowRef::Owned(values) => values.iter().cloned().collect(),
        }
    }
}

impl fmt::Debug for RowRef<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.row().fmt(out)
    }
}

impl PartialEq for RowRef<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for RowRef<'_> {}
impl PartialOrd for RowRef<'_> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for RowRef<'_> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (RowRef::Stored(rows, row), RowRef::Stored(others, other_row)) => rows.compare(row, others, other_row),
            (RowRef::Stored(rows, row), RowRef::Owned(values)) => rows.compare_values(row, values),
            (RowRef::Owned(values), RowRef::Stored(rows, row)) => rows.compare_values(row, values).reverse(),
            (RowRef::Owned(values), RowRef::Owned(other)) => values.cmp(other),
        }
    }
}
