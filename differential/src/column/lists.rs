//! The column of `Vec<D>`: all items in one column, and a list of where each row's end.
//!
//! ```text
//!   bounds   2     2     5
//!   items    7 9 │     │ 1 1 4        row 0 is [7, 9], row 1 is empty, row 2 is [1, 1, 4]
//! ```
//!
//! Invariant: bounds never decrease, the last is the number of items. Lists are ordered item by item, a beginning
//! before what it begins; so the prefix of a list is that of its first item, and says nothing of an empty one. A list
//! is lent as a [`List`], whose items are lent one at a time: a range of the items' column, or a borrowed `Vec`.
//!
//! Why not `columnar`'s container of lists: the same two fields, without bulk work on the items. Tested in
//! `column_laws.rs`.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use super::hash::absorb;
use super::{Column, Data};
use crate::bytes::{Flaw, Malformed, Portable, Reader};

impl<D: Data> Data for Vec<D> {
    type Column = Lists<D::Column>;
}

/// A column of lists.
#[derive(Clone, Debug)]
pub struct Lists<C> {
    bounds: Vec<u64>,
    items: C,
}

/// A list, as its column lends it.
pub struct List<'a, C: Column>(Lender<'a, C>);

/// Where the items of a lent list are.
enum Lender<'a, C: Column> {
    Column(&'a C, usize, usize),
    Owned(&'a [C::Owned]),
}

impl<'a, C: Column> List<'a, C> {
    /// How many items it has.
    pub fn len(self) -> usize {
        match self.0 {
            Lender::Column(_, start, end) => end - start,
            Lender::Owned(items) => items.len(),
        }
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Lends an item. Panics if there are not so many.
    pub fn get(self, at: usize) -> C::Ref<'a> {
        match self.0 {
            Lender::Column(items, start, end) => {
                assert!(at < end - start, "item {at} of {}", end - start);
                items.get(start + at)
            }
            Lender::Owned(items) => C::lend(&items[at]),
        }
    }

    /// Lends its items, in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = C::Ref<'a>> {
        (0..self.len()).map(move |at| self.get(at))
    }
}

impl<C: Column> Clone for List<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Column> Copy for List<'_, C> {}

impl<C: Column> Clone for Lender<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Column> Copy for Lender<'_, C> {}

impl<C: Column> PartialEq for List<'_, C> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<C: Column> Eq for List<'_, C> {}

impl<C: Column> PartialOrd for List<'_, C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C: Column> Ord for List<'_, C> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl<C: Column> fmt::Debug for List<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<C> Lists<C> {
    /// Where the items of a range of rows are.
    #[inline]
    fn items_of(&self, rows: Range<usize>) -> Range<usize> {
        let start = |row: usize| row.checked_sub(1).map_or(0, |before| self.bounds[before] as usize);
        start(rows.start)..start(rows.end)
    }
}

impl<C: Column> Lists<C> {
    /// Ends a row with the items that were appended.
    #[inline]
    fn end_row(&mut self) {
        self.bounds.push(self.items.len() as u64);
    }
}

impl<C: Column> Column for Lists<C> {
    type Owned = Vec<C::Owned>;
    type Ref<'a> = List<'a, C>;
    type Shape = C::Shape;

    const EXACT_PREFIX: bool = false;
    const PREFIX_BITS: u32 = C::PREFIX_BITS;

    fn empty(shape: &C::Shape) -> Self {
        Lists { bounds: Vec::new(), items: C::empty(shape) }
    }
    fn shape(&self) -> C::Shape {
        self.items.shape()
    }
    #[inline]
    fn len(&self) -> usize {
        self.bounds.len()
    }
    fn clear(&mut self) {
        self.bounds.clear();
        self.items.clear();
    }
    /// Makes room for bounds: how long the lists will be is not known.
    fn reserve(&mut self, additional: usize) {
        self.bounds.reserve(additional);
    }
    fn fit(&mut self) {
        self.bounds.shrink_to_fit();
        self.items.fit();
    }

    #[inline]
    fn get(&self, row: usize) -> List<'_, C> {
        let items = self.items_of(row..row + 1);
        List(Lender::Column(&self.items, items.start, items.end))
    }
    fn owned(item: List<'_, C>) -> Vec<C::Owned> {
        item.iter().map(C::owned).collect()
    }
    #[inline]
    fn lend(item: &Vec<C::Owned>) -> List<'_, C> {
        List(Lender::Owned(item))
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: List<'a, C>) -> List<'b, C> {
        item
    }

    fn push(&mut self, item: List<'_, C>) {
        match item.0 {
            Lender::Column(items, start, end) => self.items.extend_range(items, start..end),
            Lender::Owned(items) => items.iter().for_each(|item| self.items.push(C::lend(item))),
        }
        self.end_row();
    }
    fn push_owned(&mut self, item: Vec<C::Owned>) {
        self.items.extend_owned(item.into_iter());
        self.end_row();
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        let (items, end) = (other.items_of(rows.clone()), self.items.len() as u64);
        let start = items.start as u64;
        self.items.extend_range(&other.items, items);
        self.bounds.extend(other.bounds[rows].iter().map(|bound| bound - start + end));
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.bounds.reserve(rows.len());
        rows.iter().for_each(|&row| self.push(other.get(row as usize)));
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.bounds.reserve(count);
        (0..count).for_each(|_| self.push(other.get(row)));
    }

    /// That of the first item; an empty list, which comes before all others, has the least there is.
    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        let items = self.items_of(row..row + 1);
        if items.is_empty() { 0 } else { self.items.prefix(items.start) }
    }

    fn absorb(&self, row: usize, state: u64) -> u64 {
        let items = self.items_of(row..row + 1);
        let state = absorb(state, items.len() as u64);
        items.fold(state, |state, item| self.items.absorb(item, state))
    }

    fn bytes_len(&self) -> usize {
        u64::values_len(self.bounds.iter()) + self.items.bytes_len()
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        u64::write_values(&self.bounds, into);
        self.items.write_bytes(into);
    }
    fn read_bytes(shape: &C::Shape, rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let at = from.at();
        let bounds = u64::read_values(rows, from)?;
        if let Some(before) = bounds.windows(2).position(|pair| pair[0] > pair[1]) {
            let row = before + 1;
            return Err(Malformed { at: at + row * size_of::<u64>(), flaw: Flaw::Bound { row } });
        }
        let count = bounds.last().copied().unwrap_or(0);
        let count = usize::try_from(count).map_err(|_| Malformed { at, flaw: Flaw::TooMany(count) })?;
        Ok(Lists { items: C::read_bytes(shape, count, from)?, bounds })
    }

    fn heap_bytes(&self) -> usize {
        self.bounds.capacity() * size_of::<u64>() + self.items.heap_bytes()
    }
}
