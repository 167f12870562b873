//! The column of lists: where each ends, and the column of all their items.
//!
//! ```text
//!   bounds   2     2   3            [7, 8]  []  [9]
//!   items    7 8       9
//!   prefix   1 bit: is there an item?   63 bits: the first one's prefix
//! ```
//!
//! Invariant: bounds never decrease, and the last is the number of items.
//!
//! Items that are no bytes, such as `()`, are a byte each here: else a number that was garbled would make room for as
//! many lists of them as it says.

use super::values::Prefix;
use super::{Kind, Values};
use differential::bytes::{Flaw, Malformed, Portable, Reader};
use differential::column::{Column, hash};
use std::cmp::Ordering;
use std::ops::Range;

/// A list of lists.
#[derive(Clone, Debug)]
pub struct Lists {
    bounds: Vec<u64>,
    items: Box<Values>,
}

impl Lists {
    /// No lists, of items of a kind.
    pub fn empty(of: &Kind) -> Lists {
        Lists { bounds: Vec::new(), items: Box::new(Values::empty(of)) }
    }

    /// The number of lists.
    #[inline]
    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// The items of all lists, in order.
    pub fn items(&self) -> &Values {
        &self.items
    }

    /// Which items are those of a row's list.
    #[inline]
    pub fn span(&self, row: usize) -> Range<usize> {
        let start = if row == 0 { 0 } else { self.bounds[row - 1] };
        start as usize..self.bounds[row] as usize
    }

    /// Appends a list of the items that `push` appends.
    pub fn push_with(&mut self, push: impl FnOnce(&mut Values)) {
        push(&mut self.items);
        self.bounds.push(self.items.len() as u64);
    }

    pub(super) fn clear(&mut self) {
        self.bounds.clear();
        self.items.clear();
    }
    pub(super) fn reserve(&mut self, additional: usize) {
        self.bounds.reserve(additional);
    }
    pub(super) fn fit(&mut self) {
        self.bounds.shrink_to_fit();
        self.items.fit();
    }

    pub(super) fn extend_range(&mut self, other: &Lists, rows: Range<usize>) {
        if rows.is_empty() {
            return;
        }
        let items = other.span(rows.start).start..other.span(rows.end - 1).end;
        let (from, to) = (items.start as u64, self.items.len() as u64);
        self.bounds.extend(other.bounds[rows].iter().map(|bound| bound - from + to));
        self.items.extend_range(&other.items, items);
    }
    pub(super) fn extend_gather(&mut self, other: &Lists, rows: &[u32]) {
        self.bounds.reserve(rows.len());
        for &row in rows {
            self.items.extend_range(&other.items, other.span(row as usize));
            self.bounds.push(self.items.len() as u64);
        }
    }
    pub(super) fn extend_repeat(&mut self, other: &Lists, row: usize, count: usize) {
        let span = other.span(row);
        self.bounds.reserve(count);
        for _ in 0..count {
            self.items.extend_range(&other.items, span.clone());
            self.bounds.push(self.items.len() as u64);
        }
    }
    pub(super) fn insert_rows(&mut self, other: &Lists, places: &[(u32, u32)]) {
        let mut whole = Lists::empty(&self.items.kind());
        let mut next = 0;
        for &(at, row) in places {
            whole.extend_range(self, next..at as usize);
            whole.extend_range(other, row as usize..row as usize + 1);
            next = at as usize;
        }
        whole.extend_range(self, next..self.len());
        *self = whole;
    }
    pub(super) fn remove_rows(&mut self, rows: &[u32]) {
        let mut whole = Lists::empty(&self.items.kind());
        let mut next = 0;
        for &row in rows {
            whole.extend_range(self, next..row as usize);
            next = row as usize + 1;
        }
        whole.extend_range(self, next..self.len());
        *self = whole;
    }

    pub(super) fn compare(&self, row: usize, other: &Lists, other_row: usize) -> Ordering {
        let (span, others) = (self.span(row), other.span(other_row));
        let (length, other_length) = (span.len(), others.len());
        let mut items = span.zip(others).map(|(at, other_at)| self.items.compare(at, &other.items, other_at));
        items.find(|order| order.is_ne()).unwrap_or(length.cmp(&other_length))
    }

    pub(super) fn prefix_of(&self) -> Prefix {
        Prefix { bits: u64::BITS.min(1 + self.items.prefix_of().bits), exact: false }
    }
    pub(super) fn prefix(&self, row: usize) -> u64 {
        let (span, of) = (self.span(row), self.items.prefix_of());
        let some = 1 << (self.prefix_of().bits - 1);
        match span.is_empty() {
            true => 0,
            false if of.bits == 0 => some,
            false => some | (self.items.prefix(span.start) >> u32::from(of.bits == u64::BITS)),
        }
    }
    pub(super) fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        into.extend(rows.map(|row| self.prefix(row)));
    }
    pub(super) fn lane(&self) -> Option<&[u64]> {
        None
    }
    pub(super) fn deeper(&self, _row: usize, _depth: u32) -> u64 {
        0
    }

    pub(super) fn extend_from_prefixes(&mut self, _prefixes: &[u64]) {
        panic!("a list's prefix does not say what its items are");
    }

    /// The length, and then the items.
    pub(super) fn absorb(&self, row: usize, state: u64) -> u64 {
        let span = self.span(row);
        let state = hash::absorb(state, span.len() as u64);
        span.fold(state, |state, at| self.items.absorb(at, state))
    }
    pub(super) fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        states.iter_mut().zip(rows).for_each(|(state, row)| *state = self.absorb(row, *state));
    }

    pub(super) fn bytes_len(&self) -> usize {
        u64::values_len(self.bounds.iter()) + self.items.bytes_len() + self.stand_ins()
    }
    pub(super) fn write_bytes(&self, into: &mut Vec<u8>) {
        u64::write_values(&self.bounds, into);
        self.items.write_bytes(into);
        into.resize(into.len() + self.stand_ins(), 0);
    }
    pub(super) fn read(of: &Kind, rows: usize, from: &mut Reader<'_>) -> Result<Lists, Malformed> {
        let at = from.at();
        let bounds = u64::read_values(rows, from)?;
        if let Some(row) = (1..rows).find(|&row| bounds[row] < bounds[row - 1]) {
            return Err(Malformed { at: at + row * size_of::<u64>(), flaw: Flaw::Bound { row } });
        }
        let items = bounds.last().copied().unwrap_or(0);
        let count = usize::try_from(items).map_err(|_| Malformed { at, flaw: Flaw::TooMany(items) })?;
        let lists = Lists { bounds, items: Box::new(Values::read_bytes(of, count, from)?) };
        let at = from.at();
        match from.take(lists.stand_ins())?.iter().position(|byte| *byte != 0) {
            Some(row) => Err(Malformed { at: at + row, flaw: Flaw::Value { row } }),
            None => Ok(lists),
        }
    }
    /// How many bytes stand for items that have none.
    fn stand_ins(&self) -> usize {
        if self.items.is_weightless() { self.items.len() } else { 0 }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.bounds.capacity() * size_of::<u64>() + size_of::<Values>() + self.items.heap_bytes()
    }
}
