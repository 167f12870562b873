//! The column of `Vec<T>`: all items in one column of `T`, and a list of where each list ends.
//!
//! ```text
//!   bounds   2     2        5
//!   items    7 8   .   7 8 9        row 1 is empty, row 2 is items 2..5
//! ```
//!
//! A list is lent as a [`List`], which lends its items in turn. Copies of rows are copies of ranges of items, whatever
//! those are.
//!
//! Its order is read off a stream of bits: the items' prefixes, one behind the other, and zeros behind the last.
//!
//! ```text
//!   [7u8, 8]   00000111   00001000   0 ...      as for strings: [7] and [7, 0] share one, so it is not exact
//! ```
//!
//! The first word of the stream is the prefix, the following ones order what agrees in it ([`Column::deeper`]). Behind an
//! item whose prefix is inexact there is what else that item says and no other: what follows must not decide before it.
//!
//! Invariant: bounds never decrease, and the last is the number of items.
//! Cost: eight bytes a list beside its items. Why not `columnar`'s container of lists: it would ask for one of `columnar`
//! inside, and columns of tuples, of structs and of types known at run time are none.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use super::byte_strings::{read_bounds, total};
use super::hash::absorb;
use super::{Column, Data};
use crate::bytes::{Malformed, Portable, Reader};

impl<D: Data> Data for Vec<D> {
    type Column = Lists<D::Column>;
}

/// Lists of items that are stored in a column.
#[derive(Clone, Debug)]
pub struct Lists<C> {
    bounds: Vec<u64>,
    items: C,
}

/// A list as it is lent: some rows of a column of items, or a `Vec` of its owner.
///
/// ```
/// use differential::column::{Column, Data};
///
/// let mut paths = <Vec<String> as Data>::Column::empty(&());
/// paths.push_owned(vec!["usr".to_string(), "lib".to_string()]);
/// let path = paths.get(0);
/// assert_eq!((path.len(), path.get(1)), (2, "lib"));
/// assert_eq!(path.iter().map(str::len).sum::<usize>(), 6);
/// ```
pub struct List<'a, C: Column>(Items<'a, C>);

enum Items<'a, C: Column> {
    Stored(&'a C, usize, usize),
    Owned(&'a [C::Owned]),
}

impl<'a, C: Column> List<'a, C> {
    /// The number of items.
    #[inline]
    pub fn len(self) -> usize {
        match self.0 {
            Items::Stored(_, start, end) => end - start,
            Items::Owned(items) => items.len(),
        }
    }

    /// Whether there are no items.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Lends an item. Panics past the last.
    #[inline]
    pub fn get(self, place: usize) -> C::Ref<'a> {
        assert!(place < self.len(), "item {place} of {}", self.len());
        match self.0 {
            Items::Stored(items, start, _) => items.get(start + place),
            Items::Owned(items) => C::lend(&items[place]),
        }
    }

    /// Lends the items in order.
    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = C::Ref<'a>> {
        (0..self.len()).map(move |place| self.get(place))
    }

    /// An owned copy.
    pub fn to_vec(self) -> Vec<C::Owned> {
        self.iter().map(C::owned).collect()
    }
}

impl<C: Column> Clone for List<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C: Column> Copy for List<'_, C> {}
impl<C: Column> Clone for Items<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C: Column> Copy for Items<'_, C> {}

impl<C: Column> fmt::Debug for List<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<C: Column> PartialEq for List<'_, C> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.cmp(other).is_eq()
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
        self.iter().map(C::reborrow).cmp(other.iter().map(C::reborrow))
    }
}

impl<C: Column> Lists<C> {
    /// Where the items of a list are.
    #[inline]
    fn items_of(&self, row: usize) -> Range<usize> {
        let start = if row == 0 { 0 } else { self.bounds[row - 1] };
        start as usize..self.bounds[row] as usize
    }

    /// Ends a list whose items were added.
    #[inline]
    fn end(&mut self) {
        self.bounds.push(self.items.len() as u64);
    }
}

impl<C: Column> Column for Lists<C> {
    type Owned = Vec<C::Owned>;
    type Ref<'a> = List<'a, C>;
    type Shape = C::Shape;

    const EXACT_PREFIX: bool = false;

    fn empty(shape: &C::Shape) -> Self {
        Lists { bounds: Vec::new(), items: C::empty(shape) }
    }
    fn shape(&self) -> C::Shape {
        self.items.shape()
    }
    #[inline]
    fn len(&self) -> usize {
        Column::len(&self.bounds)
    }
    fn clear(&mut self) {
        Column::clear(&mut self.bounds);
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
        let items = self.items_of(row);
        List(Items::Stored(&self.items, items.start, items.end))
    }
    fn owned(item: List<'_, C>) -> Vec<C::Owned> {
        item.to_vec()
    }
    #[inline]
    fn lend(item: &Vec<C::Owned>) -> List<'_, C> {
        List(Items::Owned(item))
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: List<'a, C>) -> List<'b, C> {
        item
    }

    fn push(&mut self, item: List<'_, C>) {
        match item.0 {
            Items::Stored(items, start, end) => self.items.extend_range(items, start..end),
            Items::Owned(items) => items.iter().for_each(|item| self.items.push(C::lend(item))),
        }
        self.end();
    }
    fn push_owned(&mut self, item: Vec<C::Owned>) {
        self.items.extend_owned(item.into_iter());
        self.end();
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        if rows.is_empty() {
            return;
        }
        let items = other.items_of(rows.start).start..other.items_of(rows.end - 1).end;
        let (from, to) = (items.start as u64, self.items.len() as u64);
        self.bounds.extend(other.bounds[rows].iter().map(|bound| bound - from + to));
        self.items.extend_range(&other.items, items);
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.bounds.reserve(rows.len());
        for &row in rows {
            self.items.extend_range(&other.items, other.items_of(row as usize));
            self.end();
        }
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        let items = other.items_of(row);
        self.bounds.reserve(count);
        self.items.reserve(count * items.len());
        for _ in 0..count {
            self.items.extend_range(&other.items, items.clone());
            self.end();
        }
    }

    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        let (left, right) = (self.items_of(row), other.items_of(other_row));
        let lengths = left.len().cmp(&right.len());
        let mut items = left.zip(right).map(|(item, other_item)| self.items.compare(item, &other.items, other_item));
        items.find(|order| order.is_ne()).unwrap_or(lengths)
    }

    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        self.deeper(row, 0)
    }
    /// A word of the stream of bits.
    fn deeper(&self, row: usize, depth: u32) -> u64 {
        let (items, bits) = (self.items_of(row), C::PREFIX_BITS as usize);
        if bits == 0 || items.is_empty() {
            return 0;
        }
        if !C::EXACT_PREFIX && depth > 0 {
            return self.items.deeper(items.start, depth);
        }
        let last = if C::EXACT_PREFIX { items.len() } else { 1 };
        let (start, end) = (64 * depth as usize, 64 * (depth as usize + 1));
        let mut word = 0;
        for place in start / bits..last.min(end.div_ceil(bits)) {
            // The prefix at the top of twice a word, then moved to where it is in the stream.
            let item = u128::from(self.items.prefix(items.start + place)) << (u128::BITS as usize - bits);
            let at = place * bits;
            let item = if at < start { item << (start - at) } else { item >> (at - start) };
            word |= (item >> 64) as u64;
        }
        word
    }

    fn absorb(&self, row: usize, state: u64) -> u64 {
        let items = self.items_of(row);
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
        let bounds = read_bounds(rows, from)?;
        let items = C::read_bytes(shape, total(&bounds), from)?;
        Ok(Lists { bounds, items })
    }

    fn heap_bytes(&self) -> usize {
        self.bounds.capacity() * size_of::<u64>() + self.items.heap_bytes()
    }
}
