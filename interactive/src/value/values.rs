//! The column of values of one kind.
//!
//! ```text
//!   Int, Float   Lane      a word a row, in the order of the numbers
//!   Bool         Bools     64 rows a word
//!   Text         Texts     bounds and bytes
//!   Tuple        Tuple     a column a field
//!   List         Lists     bounds, and the column of all items
//!   Sum          Sums      a tag a row, and a column for each variant that holds something
//! ```
//!
//! What a column is at run time is told once for each bulk operation, not once a row: each is a `match`, and then the
//! loop of that kind. Columns of two kinds do not mix; that is a mistake of the caller and panics.
//!
//! What is lent is a column and a row, or an owned value: so that comparing two rows compares them where they are
//! stored, and pushing one copies it from there, with no value made on the way.

use super::lists::Lists;
use super::rows::Rows;
use super::sums::Sums;
use super::{Float, Kind, Value, lane};
use columnar::Strings;
use columnar::primitive::Bools;
use differential::bytes::{Flaw, Malformed, Reader};
use differential::column::{Column, Data, hash};
use differential::time::Pick;
use std::cmp::Ordering;
use std::ops::Range;

/// A list of values of one kind.
#[derive(Clone, Debug)]
pub enum Values {
    /// Whole numbers, as [`lane`] has them.
    Ints(Vec<u64>),
    /// Numbers with a point, as [`lane`] has them.
    Floats(Vec<u64>),
    /// True and false.
    Bools(Bools),
    /// Texts.
    Texts(Strings),
    /// Tuples, which are rows.
    Tuple(Rows),
    /// Lists.
    Lists(Lists),
    /// Options and values of declared types.
    Sums(Sums),
}

/// How many bits of a prefix a column uses, and whether it then says all of the value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix {
    pub(super) bits: u32,
    pub(super) exact: bool,
}

impl Prefix {
    /// Of nothing, of which it says all.
    pub(super) const NOTHING: Prefix = Prefix { bits: 0, exact: true };

    /// Whether another may follow it in the same word.
    pub(super) fn open(self) -> bool {
        self.exact && self.bits < u64::BITS
    }

    /// A prefix of so many bits, with `behind` more bits after it in its word.
    pub(super) fn unpack(word: u64, behind: u32, bits: u32) -> u64 {
        // A shift by all 64 bits is the one that a word does not do: it is here only where there are no bits.
        if bits == 0 { 0 } else { (word >> behind) & (u64::MAX >> (u64::BITS - bits)) }
    }

    /// Both in one word: of the second, as many bits as there is room for, and none behind one that is not exact.
    pub(super) fn then(self, next: Prefix) -> Prefix {
        let room = if self.exact { next.bits.min(u64::BITS - self.bits) } else { 0 };
        Prefix { bits: self.bits + room, exact: self.exact && next.exact && room == next.bits }
    }
}

/// Does one thing to a column, whichever it is; with a second one of the same kind.
macro_rules! each {
    ($values:expr, $column:ident => $body:expr) => {
        match $values {
            Values::Ints($column) | Values::Floats($column) => $body,
            Values::Bools($column) => $body,
            Values::Texts($column) => $body,
            Values::Tuple($column) => $body,
            Values::Lists($column) => $body,
            Values::Sums($column) => $body,
        }
    };
    ($values:expr, $other:expr, $column:ident, $second:ident => $body:expr) => {
        match ($values, $other) {
            (Values::Ints($column), Values::Ints($second)) => $body,
            (Values::Floats($column), Values::Floats($second)) => $body,
            (Values::Bools($column), Values::Bools($second)) => $body,
            (Values::Texts($column), Values::Texts($second)) => $body,
            (Values::Tuple($column), Values::Tuple($second)) => $body,
            (Values::Lists($column), Values::Lists($second)) => $body,
            (Values::Sums($column), Values::Sums($second)) => $body,
            (one, two) => panic!("columns of two kinds: {:?} and {:?}", one.kind(), two.kind()),
        }
    };
}

impl Values {
    /// The kind of its values.
    pub fn kind(&self) -> Kind {
        match self {
            Values::Ints(_) => Kind::Int,
            Values::Floats(_) => Kind::Float,
            Values::Bools(_) => Kind::Bool,
            Values::Texts(_) => Kind::Text,
            Values::Tuple(rows) => Kind::Tuple(rows.shape()),
            Values::Lists(lists) => Kind::list(lists.items().kind()),
            Values::Sums(sums) => Kind::Sum(sums.kinds()),
        }
    }

    /// The whole number of a row.
    ///
    /// # Panics
    /// If this is no column of them. So do the next four.
    #[inline]
    pub fn int(&self, row: usize) -> i64 {
        match self {
            Values::Ints(lane) => lane::int(lane[row]),
            other => panic!("no ints: {:?}", other.kind()),
        }
    }

    /// The number with a point of a row.
    #[inline]
    pub fn float(&self, row: usize) -> f64 {
        match self {
            Values::Floats(lane) => lane::float(lane[row]),
            other => panic!("no floats: {:?}", other.kind()),
        }
    }

    /// Whether a row is true.
    #[inline]
    pub fn bool(&self, row: usize) -> bool {
        match self {
            Values::Bools(bools) => Column::get(bools, row),
            other => panic!("no bools: {:?}", other.kind()),
        }
    }

    /// The text of a row.
    #[inline]
    pub fn text(&self, row: usize) -> &str {
        match self {
            Values::Texts(texts) => Column::get(texts, row),
            other => panic!("no texts: {:?}", other.kind()),
        }
    }

    /// An owned copy of a row's value.
    pub fn value(&self, row: usize) -> Value {
        match self {
            Values::Ints(lane) => Value::Int(lane::int(lane[row])),
            Values::Floats(lane) => Value::Float(Float::from(lane::float(lane[row]))),
            Values::Bools(bools) => Value::Bool(Column::get(bools, row)),
            Values::Texts(texts) => Value::text(Column::get(texts, row)),
            Values::Tuple(rows) => Value::Tuple(rows.row(row).0.into_boxed_slice()),
            Values::Lists(lists) => Value::List(lists.span(row).map(|at| lists.items().value(at)).collect()),
            Values::Sums(sums) => {
                let held = sums.held(row).map(|(held, at)| Box::new(held.value(at)));
                Value::Sum(sums.tag(row), held)
            }
        }
    }

    /// Appends a value of this kind.
    pub fn push_value(&mut self, value: &Value) {
        match (self, value) {
            (Values::Ints(lane), Value::Int(number)) => lane.push(lane::of_int(*number)),
            (Values::Floats(lane), Value::Float(number)) => lane.push(number.lane()),
            (Values::Bools(bools), Value::Bool(holds)) => Column::push(bools, *holds),
            (Values::Texts(texts), Value::Text(text)) => Column::push(texts, text),
            (Values::Tuple(rows), Value::Tuple(values)) => rows.push_values(values),
            (Values::Lists(lists), Value::List(items)) => {
                lists.push_with(|column| items.iter().for_each(|item| column.push_value(item)));
            }
            (Values::Sums(sums), Value::Sum(tag, held)) => sums.push_value(*tag, held.as_deref()),
            (values, value) => panic!("{value:?} in a column of kind {:?}", values.kind()),
        }
    }

    /// Appends a row of another column of this kind.
    #[inline]
    pub(super) fn push_row(&mut self, other: &Values, row: usize) {
        match (self, other) {
            (Values::Ints(lane), Values::Ints(other)) | (Values::Floats(lane), Values::Floats(other)) => {
                lane.push(other[row]);
            }
            (values, other) => values.extend_range(other, row..row + 1),
        }
    }

    /// Compares a row with a value of this kind.
    pub fn compare_value(&self, row: usize, value: &Value) -> Ordering {
        match (self, value) {
            (Values::Ints(lane), Value::Int(number)) => lane[row].cmp(&lane::of_int(*number)),
            (Values::Floats(lane), Value::Float(number)) => lane[row].cmp(&number.lane()),
            (Values::Bools(bools), Value::Bool(holds)) => Column::get(bools, row).cmp(holds),
            (Values::Texts(texts), Value::Text(text)) => texts.compare_item(row, text),
            (Values::Tuple(rows), Value::Tuple(values)) => rows.compare_values(row, values),
            (Values::Lists(lists), Value::List(items)) => {
                let (span, column) = (lists.span(row), lists.items());
                let both = span.clone().zip(items).map(|(at, item)| column.compare_value(at, item));
                both.fold(Ordering::Equal, Ordering::then).then(span.len().cmp(&items.len()))
            }
            (Values::Sums(sums), Value::Sum(tag, held)) => {
                sums.tag(row).cmp(tag).then_with(|| match (sums.held(row), held) {
                    (Some((column, at)), Some(held)) => column.compare_value(at, held),
                    _ => Ordering::Equal,
                })
            }
            (values, value) => panic!("{value:?} beside a column of kind {:?}", values.kind()),
        }
    }

    /// Whether its values are no bytes, however many there are.
    pub(super) fn is_weightless(&self) -> bool {
        matches!(self, Values::Tuple(rows) if rows.fields().iter().all(Values::is_weightless))
    }

    /// What its prefixes are worth.
    pub(super) fn prefix_of(&self) -> Prefix {
        match self {
            Values::Ints(_) | Values::Floats(_) => Prefix { bits: u64::BITS, exact: true },
            Values::Bools(_) => Prefix { bits: 1, exact: true },
            Values::Texts(_) => Prefix { bits: u64::BITS, exact: false },
            Values::Tuple(rows) => rows.prefix_of(),
            Values::Lists(lists) => lists.prefix_of(),
            Values::Sums(sums) => sums.prefix_of(),
        }
    }
}

impl Data for Value {
    type Column = Values;
}

impl Column for Values {
    type Owned = Value;
    type Ref<'a> = ValueRef<'a>;
    type Shape = Kind;

    const EXACT_PREFIX: bool = false;

    fn empty(kind: &Kind) -> Values {
        match kind {
            Kind::Int => Values::Ints(Vec::new()),
            Kind::Float => Values::Floats(Vec::new()),
            Kind::Bool => Values::Bools(Bools::default()),
            Kind::Text => Values::Texts(Strings::default()),
            Kind::Tuple(kinds) => Values::Tuple(Rows::empty(kinds)),
            Kind::List(of) => Values::Lists(Lists::empty(of)),
            Kind::Sum(variants) => Values::Sums(Sums::empty(variants)),
        }
    }
    fn shape(&self) -> Kind {
        self.kind()
    }
    #[inline]
    fn len(&self) -> usize {
        each!(self, column => column.len())
    }
    fn clear(&mut self) {
        each!(self, column => column.clear())
    }
    fn reserve(&mut self, additional: usize) {
        each!(self, column => column.reserve(additional))
    }
    fn fit(&mut self) {
        each!(self, column => column.fit())
    }

    #[inline]
    fn get(&self, row: usize) -> ValueRef<'_> {
        debug_assert!(row < self.len(), "row {row} of {}", self.len());
        ValueRef::Stored(self, row)
    }
    fn owned(item: ValueRef<'_>) -> Value {
        item.value()
    }
    fn lend(item: &Value) -> ValueRef<'_> {
        ValueRef::Owned(item)
    }
    fn reborrow<'b, 'a: 'b>(item: ValueRef<'a>) -> ValueRef<'b> {
        item
    }

    fn push(&mut self, item: ValueRef<'_>) {
        match item {
            ValueRef::Stored(values, row) => self.push_row(values, row),
            ValueRef::Owned(value) => self.push_value(value),
        }
    }
    fn extend_range(&mut self, other: &Values, rows: Range<usize>) {
        each!(self, other, column, second => column.extend_range(second, rows))
    }
    fn extend_gather(&mut self, other: &Values, rows: &[u32]) {
        each!(self, other, column, second => column.extend_gather(second, rows))
    }
    fn extend_repeat(&mut self, other: &Values, row: usize, count: usize) {
        each!(self, other, column, second => column.extend_repeat(second, row, count))
    }
    fn extend_picked(&mut self, left: &Values, left_row: usize, right: &Values, right_row: usize, picks: &[Pick]) {
        match (self, left, right) {
            (Values::Ints(column), Values::Ints(left), Values::Ints(right))
            | (Values::Floats(column), Values::Floats(left), Values::Floats(right)) => {
                column.extend_picked(left, left_row, right, right_row, picks);
            }
            (Values::Tuple(column), Values::Tuple(left), Values::Tuple(right)) => {
                column.extend_picked(left, left_row, right, right_row, picks);
            }
            (column, left, right) => {
                let (mut left_row, mut right_row) = (left_row, right_row);
                for run in picks.chunk_by(|a, b| a == b) {
                    let (side, row) = if run[0] == Pick::Right { (right, right_row) } else { (left, left_row) };
                    column.extend_range(side, row..row + run.len());
                    run.iter().for_each(|pick| pick.pass(&mut left_row, &mut right_row));
                }
            }
        }
    }
    fn insert_rows(&mut self, other: &Values, places: &[(u32, u32)]) {
        each!(self, other, column, second => column.insert_rows(second, places))
    }
    fn remove_rows(&mut self, rows: &[u32]) {
        each!(self, column => column.remove_rows(rows))
    }

    #[inline]
    fn compare(&self, row: usize, other: &Values, other_row: usize) -> Ordering {
        each!(self, other, column, second => column.compare(row, second, other_row))
    }
    fn compare_item(&self, row: usize, item: ValueRef<'_>) -> Ordering {
        match item {
            ValueRef::Stored(values, other_row) => self.compare(row, values, other_row),
            ValueRef::Owned(value) => self.compare_value(row, value),
        }
    }

    fn exact_prefix(&self) -> bool {
        self.prefix_of().exact
    }
    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        each!(self, column => column.prefix(row))
    }
    fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        each!(self, column => column.prefixes(rows, into))
    }
    fn lane(&self) -> Option<&[u64]> {
        each!(self, column => column.lane())
    }
    fn deeper(&self, row: usize, depth: u32) -> u64 {
        each!(self, column => column.deeper(row, depth))
    }
    fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        each!(self, column => column.extend_from_prefixes(prefixes))
    }

    fn absorb(&self, row: usize, state: u64) -> u64 {
        match self {
            Values::Ints(lane) => hash::absorb(state, lane[row] ^ lane::SIGN),
            other => each!(other, column => column.absorb(row, state)),
        }
    }
    fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        match self {
            Values::Ints(lane) => {
                for (state, word) in states.iter_mut().zip(&lane[rows]) {
                    *state = hash::absorb(*state, word ^ lane::SIGN);
                }
            }
            other => each!(other, column => column.absorb_rows(rows, states)),
        }
    }

    fn bytes_len(&self) -> usize {
        each!(self, column => column.bytes_len())
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        each!(self, column => column.write_bytes(into))
    }
    fn read_bytes(kind: &Kind, rows: usize, from: &mut Reader<'_>) -> Result<Values, Malformed> {
        Ok(match kind {
            Kind::Int => Values::Ints(Column::read_bytes(&(), rows, from)?),
            Kind::Float => {
                let at = from.at();
                let lane: Vec<u64> = Column::read_bytes(&(), rows, from)?;
                if let Some(row) = lane.iter().position(|word| !lane::is_float(*word)) {
                    return Err(Malformed { at: at + row * size_of::<u64>(), flaw: Flaw::Value { row } });
                }
                Values::Floats(lane)
            }
            Kind::Bool => Values::Bools(Column::read_bytes(&(), rows, from)?),
            Kind::Text => Values::Texts(Column::read_bytes(&(), rows, from)?),
            Kind::Tuple(kinds) => Values::Tuple(Rows::read_bytes(kinds, rows, from)?),
            Kind::List(of) => Values::Lists(Lists::read(of, rows, from)?),
            Kind::Sum(variants) => Values::Sums(Sums::read(variants, rows, from)?),
        })
    }

    fn heap_bytes(&self) -> usize {
        each!(self, column => column.heap_bytes())
    }
}

/// A value lent by a column or by its owner.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    /// The value of a row.
    Stored(&'a Values, usize),
    /// A value of its own.
    Owned(&'a Value),
}

impl ValueRef<'_> {
    /// An owned copy.
    pub fn value(self) -> Value {
        match self {
            ValueRef::Stored(values, row) => values.value(row),
            ValueRef::Owned(value) => value.clone(),
        }
    }
}

impl PartialEq for ValueRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for ValueRef<'_> {}
impl PartialOrd for ValueRef<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for ValueRef<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (ValueRef::Stored(values, row), _) => values.compare_item(row, *other),
            (ValueRef::Owned(value), ValueRef::Stored(values, row)) => values.compare_value(row, value).reverse(),
            (ValueRef::Owned(value), ValueRef::Owned(other)) => value.cmp(other),
        }
    }
}
