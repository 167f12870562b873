//! The column of `Option<T>`: a bit a row, and a column of `T` with a row for each `Some`.
//!
//! ```text
//!   bits    1  0  1  1          counts of ones before every 1,024th bit
//!   somes   a     b  c          row 3 is the item after the two that the bits before it count
//! ```
//!
//! `None` takes a bit and no row of `T`, so there is no item to make up for it. Where a row's item is, the bits say:
//! stored counts and those in at most 16 words (`columnar`'s [`RankSelect`]). Bulk work counts once for its first row and
//! then steps.
//!
//! The prefix is a bit and then the item's, `None` below all; an item's that takes the whole word loses its last bit, and
//! comes whole as the first of the deeper ones.
//! Tested in `column_laws.rs`.

use std::cmp::Ordering;
use std::ops::Range;

use columnar::primitive::Bools;
use columnar::{Options, RankSelect};

use super::hash::absorb;
use super::{Column, Data};
use crate::bytes::{Malformed, Reader};

impl<D: Data> Data for Option<D> {
    type Column = Options<D::Column>;
}

/// The bits of an item's prefix that do not fit behind the bit.
const fn cut<C: Column>() -> u32 {
    if C::PREFIX_BITS == u64::BITS { 1 } else { 0 }
}

/// An item's prefix behind the bit.
#[inline]
const fn some_prefix<C: Column>(prefix: u64) -> u64 {
    (1 << (Options::<C>::PREFIX_BITS - 1)) | (prefix >> cut::<C>())
}

/// Whether a row holds an item; panics past the last row.
#[inline]
fn is_some<C>(column: &Options<C>, row: usize) -> bool {
    Column::get(&column.indexes.values, row)
}

/// The row of the first item at or behind this one.
#[inline]
fn some_row<C>(column: &Options<C>, row: usize) -> usize {
    column.indexes.rank(row)
}

/// Whether each of a range of rows holds an item, and the row of that or of the next.
fn walk<C>(column: &Options<C>, rows: Range<usize>) -> impl Iterator<Item = (bool, usize)> {
    let mut next = if rows.is_empty() { 0 } else { some_row(column, rows.start) };
    rows.map(move |row| {
        let (some, item) = (is_some(column, row), next);
        next += usize::from(some);
        (some, item)
    })
}

impl<C: Column> Column for Options<C> {
    type Owned = Option<C::Owned>;
    type Ref<'a> = Option<C::Ref<'a>>;
    type Shape = C::Shape;

    const EXACT_PREFIX: bool = C::EXACT_PREFIX && C::PREFIX_BITS < u64::BITS;
    const PREFIX_BITS: u32 = C::PREFIX_BITS + 1 - cut::<C>();

    fn empty(shape: &C::Shape) -> Self {
        Options { indexes: RankSelect::default(), somes: C::empty(shape) }
    }
    fn shape(&self) -> C::Shape {
        self.somes.shape()
    }
    #[inline]
    fn len(&self) -> usize {
        self.indexes.len()
    }
    fn clear(&mut self) {
        self.indexes.counts.clear();
        Column::clear(&mut self.indexes.values);
        self.somes.clear();
    }
    /// Makes room for bits: how many items there will be is not known.
    fn reserve(&mut self, additional: usize) {
        Column::reserve(&mut self.indexes.values, additional);
    }
    fn fit(&mut self) {
        self.indexes.counts.shrink_to_fit();
        Column::fit(&mut self.indexes.values);
        self.somes.fit();
    }

    #[inline]
    fn get(&self, row: usize) -> Option<C::Ref<'_>> {
        is_some(self, row).then(|| self.somes.get(some_row(self, row)))
    }
    fn iter_range(&self, rows: Range<usize>) -> impl Iterator<Item = Self::Ref<'_>> {
        walk(self, rows).map(|(some, item)| some.then(|| self.somes.get(item)))
    }
    #[inline]
    fn owned(item: Option<C::Ref<'_>>) -> Option<C::Owned> {
        item.map(C::owned)
    }
    #[inline]
    fn lend(item: &Option<C::Owned>) -> Option<C::Ref<'_>> {
        item.as_ref().map(C::lend)
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: Option<C::Ref<'a>>) -> Option<C::Ref<'b>> {
        item.map(C::reborrow)
    }

    #[inline]
    fn push(&mut self, item: Option<C::Ref<'_>>) {
        self.indexes.push(item.is_some());
        item.into_iter().for_each(|item| self.somes.push(item));
    }
    fn push_owned(&mut self, item: Option<C::Owned>) {
        self.indexes.push(item.is_some());
        item.into_iter().for_each(|item| self.somes.push_owned(item));
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        if !rows.is_empty() {
            let items = some_row(other, rows.start)..some_row(other, rows.end);
            self.indexes.extend_from_self(&other.indexes, rows);
            self.somes.extend_range(&other.somes, items);
        }
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        let mut items = Vec::with_capacity(rows.len());
        for &row in rows {
            let some = is_some(other, row as usize);
            self.indexes.push(some);
            if some {
                items.push(some_row(other, row as usize) as u32);
            }
        }
        self.somes.extend_gather(&other.somes, &items);
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        let mut bits = Bools::default();
        bits.extend_repeat(&other.indexes.values, row, count);
        self.indexes.extend_from_self(&RankSelect { counts: Vec::<u64>::new(), values: bits }, 0..count);
        if is_some(other, row) {
            self.somes.extend_repeat(&other.somes, some_row(other, row), count);
        }
    }

    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        match (is_some(self, row), is_some(other, other_row)) {
            (true, true) => self.somes.compare(some_row(self, row), &other.somes, some_row(other, other_row)),
            (some, other_some) => some.cmp(&other_some),
        }
    }

    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        if is_some(self, row) { some_prefix::<C>(self.somes.prefix(some_row(self, row))) } else { 0 }
    }
    fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        into.extend(walk(self, rows).map(
            |(some, item)| {
                if some { some_prefix::<C>(self.somes.prefix(item)) } else { 0 }
            },
        ));
    }
    fn deeper(&self, row: usize, depth: u32) -> u64 {
        if !is_some(self, row) {
            return 0;
        }
        match (depth - cut::<C>(), C::EXACT_PREFIX) {
            (0, _) => self.somes.prefix(some_row(self, row)),
            (_, true) => 0,
            (depth, false) => self.somes.deeper(some_row(self, row), depth),
        }
    }
    fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        assert!(Self::EXACT_PREFIX, "a prefix that has no room for an item does not say which it is");
        let some = 1 << C::PREFIX_BITS;
        let items = prefixes.iter().filter(|&prefix| prefix & some != 0).map(|prefix| prefix ^ some);
        self.somes.extend_from_prefixes(&items.collect::<Vec<u64>>());
        prefixes.iter().for_each(|prefix| self.indexes.push(prefix & some != 0));
    }

    fn absorb(&self, row: usize, state: u64) -> u64 {
        let some = is_some(self, row);
        let state = absorb(state, u64::from(some));
        if some { self.somes.absorb(some_row(self, row), state) } else { state }
    }
    fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        debug_assert_eq!(rows.len(), states.len(), "a state for each row");
        for (state, (some, item)) in states.iter_mut().zip(walk(self, rows)) {
            *state = absorb(*state, u64::from(some));
            if some {
                *state = self.somes.absorb(item, *state);
            }
        }
    }

    fn bytes_len(&self) -> usize {
        self.indexes.values.bytes_len() + self.somes.bytes_len()
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        self.indexes.values.write_bytes(into);
        self.somes.write_bytes(into);
    }
    fn read_bytes(shape: &C::Shape, rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let bits: Bools = Column::read_bytes(&(), rows, from)?;
        let mut indexes = RankSelect::default();
        indexes.extend_from_self(&RankSelect { counts: Vec::<u64>::new(), values: bits }, 0..rows);
        let somes = C::read_bytes(shape, indexes.rank(rows), from)?;
        Ok(Options { indexes, somes })
    }

    fn heap_bytes(&self) -> usize {
        self.indexes.counts.capacity() * size_of::<u64>() + self.indexes.values.heap_bytes() + self.somes.heap_bytes()
    }
}
