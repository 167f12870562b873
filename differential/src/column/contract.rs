//! What a column is: the two traits that every kind of column implements.
//!
//! [`Data`] is a type of records and names its column; [`Column`] is a list of them. The two name each other, so either
//! one is enough as a type parameter.
//!
//! The order of items is asked for in three ways, from cheap to exact: by 64-bit prefix (a sort's first pass, a search
//! tree's keys), by comparing rows where they are stored, and by `Ord` on what is lent. Only strings and wide items
//! ever need the second: where prefixes are exact, they are the items.
//!
//! Why not the traits of `columnar` alone: those push and get row by row. A gather through tuples row by row costs
//! twice what one loop a column does, and nothing there sorts, searches or hashes.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Range;

use super::hash;
use crate::bytes::{Malformed, Reader};
use crate::time::Pick;

/// A type of records, keys or values: it names its column.
pub trait Data: Clone + Ord + Debug + Send + Sync + 'static {
    /// How lists of this type are stored.
    type Column: Column<Owned = Self>;
}

/// What a column of `D` lends.
pub type Lent<'a, D> = <<D as Data>::Column as Column>::Ref<'a>;

/// The shape of a column of `D`.
pub type ShapeOf<D> = <<D as Data>::Column as Column>::Shape;

/// Lends an owned item.
pub fn lend<D: Data>(item: &D) -> Lent<'_, D> {
    D::Column::lend(item)
}

/// An owned copy of what was lent.
pub fn owned<D: Data>(item: Lent<'_, D>) -> D {
    D::Column::owned(item)
}

/// A list of items that lends them.
///
/// 1. Rows keep their order; `get(row)` lends what was pushed.
/// 2. `compare`, `Ord` on what is lent and `Ord` on owned items are one order.
/// 3. `prefix` preserves the order: a smaller prefix means a smaller item. It is below 2 to the `PREFIX_BITS`. Where
///    `exact_prefix`, equal prefixes mean equal items.
/// 4. `hash` depends on the item only, never on the column it is in; it is equal on every process and release.
/// 5. The bulk operations equal what row-by-row `get` and `push` would do.
/// 6. What is written reads back, from as many bytes as `bytes_len` says. A column without rows is no bytes.
///
/// Rows past the end and columns of another shape are mistakes of the caller: they panic.
pub trait Column: Clone + Debug + Send + Sync + 'static {
    /// What is stored.
    type Owned: Data<Column = Self>;
    /// What is lent: integers by value, `&str` for a `String`, a tuple of what its parts lend.
    type Ref<'a>: Copy + Ord + Debug;
    /// What an empty column is made from.
    type Shape: Clone + Debug + Send + Sync + 'static;

    /// Whether equal prefixes mean equal items, whatever the shape.
    const EXACT_PREFIX: bool;
    /// The bits that prefixes use: a tuple packs its parts' prefixes into one while they fit.
    const PREFIX_BITS: u32 = u64::BITS;

    /// The empty column of a shape.
    fn empty(shape: &Self::Shape) -> Self;
    /// The column's shape.
    fn shape(&self) -> Self::Shape;
    /// The number of rows.
    fn len(&self) -> usize;
    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Removes all rows and keeps buffers.
    fn clear(&mut self);
    /// Makes room for `additional` rows where the column can tell how.
    fn reserve(&mut self, additional: usize);
    /// Gives back room that no row is in.
    fn fit(&mut self);

    /// Lends the item of `row`.
    fn get(&self, row: usize) -> Self::Ref<'_>;
    /// Lends the items of a range of rows, in order.
    #[inline]
    fn iter_range(&self, rows: Range<usize>) -> impl Iterator<Item = Self::Ref<'_>> {
        rows.map(|row| self.get(row))
    }
    /// An owned copy of what was lent.
    fn owned(item: Self::Ref<'_>) -> Self::Owned;
    /// Lends an owned item.
    fn lend(item: &Self::Owned) -> Self::Ref<'_>;
    /// Shortens a loan.
    fn reborrow<'b, 'a: 'b>(item: Self::Ref<'a>) -> Self::Ref<'b>;

    /// Appends a lent item.
    fn push(&mut self, item: Self::Ref<'_>);
    /// Appends an owned item.
    fn push_owned(&mut self, item: Self::Owned) {
        self.push(Self::lend(&item));
    }
    /// Appends owned items.
    #[inline]
    fn extend_owned(&mut self, items: impl Iterator<Item = Self::Owned>) {
        items.for_each(|item| self.push_owned(item));
    }
    /// Appends a range of another column's rows.
    fn extend_range(&mut self, other: &Self, rows: Range<usize>);
    /// Appends the named rows of another column, in the order given.
    fn extend_gather(&mut self, other: &Self, rows: &[u32]);
    /// Appends one row of another column `count` times.
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize);
    /// Appends a row for each pick, the next one of that side, from `left_row` or `right_row` on. Where both have it, it
    /// is appended once, and both are passed.
    fn extend_picked(&mut self, left: &Self, mut left_row: usize, right: &Self, mut right_row: usize, picks: &[Pick]) {
        for run in picks.chunk_by(|a, b| a == b) {
            let (side, row) = if run[0] == Pick::Right { (right, right_row) } else { (left, left_row) };
            self.extend_range(side, row..row + run.len());
            run.iter().for_each(|pick| pick.pass(&mut left_row, &mut right_row));
        }
    }

    /// Inserts a few rows of another column: for each `(at, row)`, by ascending `at`, that row before what is row `at` so
    /// far, behind those inserted there already.
    fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
        let mut whole = Self::empty(&self.shape());
        whole.reserve(self.len() + places.len());
        let mut next = 0;
        for &(at, row) in places {
            whole.extend_range(self, next..at as usize);
            whole.extend_range(other, row as usize..row as usize + 1);
            next = at as usize;
        }
        whole.extend_range(self, next..self.len());
        *self = whole;
    }
    /// Removes a few rows, which ascend.
    fn remove_rows(&mut self, rows: &[u32]) {
        let mut whole = Self::empty(&self.shape());
        whole.reserve(self.len() - rows.len());
        let mut next = 0;
        for &row in rows {
            whole.extend_range(self, next..row as usize);
            next = row as usize + 1;
        }
        whole.extend_range(self, next..self.len());
        *self = whole;
    }

    /// Compares a row with a row of another column.
    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        Self::reborrow(self.get(row)).cmp(&Self::reborrow(other.get(other_row)))
    }
    /// Compares a row with a lent item.
    fn compare_item(&self, row: usize, item: Self::Ref<'_>) -> Ordering {
        Self::reborrow(self.get(row)).cmp(&Self::reborrow(item))
    }
    /// The least row in `rows` whose item is at or past `item`, in a range sorted in ascending order; its end if none.
    /// Costs a comparison for each halving of the range.
    fn lower_bound(&self, rows: Range<usize>, item: Self::Ref<'_>) -> usize {
        let (mut low, mut high) = (rows.start, rows.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.compare_item(middle, item).is_lt() { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Whether equal prefixes mean equal items: always, or because of the column's shape.
    #[inline]
    fn exact_prefix(&self) -> bool {
        Self::EXACT_PREFIX
    }
    /// An order-preserving prefix of a row's item.
    fn prefix(&self, row: usize) -> u64;
    /// Appends the prefixes of a range of rows.
    fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        into.extend(rows.map(|row| self.prefix(row)));
    }
    /// The prefixes of all rows, where they are stored just so: kernels then read them without a copy.
    fn lane(&self) -> Option<&[u64]> {
        None
    }
    /// What orders items whose prefixes agree: among those that also agree in this at all lesser depths from 1 on, a
    /// smaller number means a smaller item. Zero for all of them says nothing; so does zero always, where prefixes are
    /// exact or a comparison is as cheap.
    fn deeper(&self, _row: usize, _depth: u32) -> u64 {
        0
    }
    /// The numbers of depth 1 of all rows, where they are stored just so: sorts then read them beside the prefixes, and
    /// compare fewer items.
    fn second_lane(&self) -> Option<&[u64]> {
        None
    }
    /// Appends the items that have these prefixes: so a sort of exact prefixes is a sort of the items, and nothing is
    /// gathered. Panics unless `exact_prefix`; each prefix must be one of an item.
    fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        panic!("{} prefixes do not say what their items are", prefixes.len());
    }

    /// Mixes a row's item into a hash that is under way.
    fn absorb(&self, row: usize, state: u64) -> u64;
    /// Mixes each of a range of rows into the state at its place; there are as many states as rows.
    fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        debug_assert_eq!(rows.len(), states.len(), "a state for each row");
        for (state, row) in states.iter_mut().zip(rows) {
            *state = self.absorb(row, *state);
        }
    }
    /// A hash of a row's item, good in all its bits.
    fn hash(&self, row: usize) -> u64 {
        self.absorb(row, hash::SEED)
    }
    /// Appends the hashes of a range of rows.
    fn hashes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        let start = into.len();
        into.resize(start + rows.len(), hash::SEED);
        self.absorb_rows(rows, &mut into[start..]);
    }

    /// How many bytes the column is written as, exactly.
    fn bytes_len(&self) -> usize;
    /// Appends the column's bytes: neither its shape nor the number of rows is among them.
    fn write_bytes(&self, into: &mut Vec<u8>);
    /// Reads a column of a shape and of `rows` rows.
    ///
    /// # Errors
    /// The bytes are not those of such a column. Never panics, and makes room only for what is there.
    fn read_bytes(shape: &Self::Shape, rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed>;

    /// Bytes held, buffers included.
    fn heap_bytes(&self) -> usize;
}
