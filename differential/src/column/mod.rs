//! Lists that lend their items: keys and values as columns.
//!
//! Operators say *which* rows; a column does the bulk work on them (copy a range, gather, compare, sort by prefix,
//! hash), since it alone knows how its items are stored.
//!
//! ```text
//!   (u64, String) column  =  ( u64 column , string column )     a tuple's column is the tuple of its parts' columns
//!                              7            bounds 3 5 9
//!                              7            bytes  "abcdefghi"
//! ```
//!
//! Storage is a container of the `columnar` crate where it has one; [`Column`] adds the bulk operations, written once
//! for each kind of container. An empty column is made from a *shape*: nothing at all for types that the compiler
//! knows, a schema for columns typed at run time. So there is no `Default` bound anywhere.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Range;

/// A type of records, keys or values: it names its column.
pub trait Data: Clone + Ord + Debug + Send + Sync + 'static {
    /// How lists of this type are stored.
    type Column: Column<Owned = Self>;
}

/// What a column of `D` lends.
pub type Lent<'a, D> = <<D as Data>::Column as Column>::Ref<'a>;

/// The shape of a column of `D`.
pub type ShapeOf<D> = <<D as Data>::Column as Column>::Shape;

/// A list of items that lends them.
///
/// 1. Rows keep their order; `get(row)` lends what was pushed.
/// 2. `compare`, `Ord` on what is lent and `Ord` on owned items are one order.
/// 3. `prefix` preserves the order: a smaller prefix means a smaller item. Where `EXACT_PREFIX`, equal prefixes mean
///    equal items.
/// 4. `hash` depends on the item only, never on the column it is in; it is equal on every process and release.
pub trait Column: Clone + Debug + Send + Sync + 'static {
    /// What is stored.
    type Owned: Data<Column = Self>;
    /// What is lent: integers by value, `&str` for a `String`, a tuple of what its parts lend.
    type Ref<'a>: Copy + Ord + Debug;
    /// What an empty column is made from.
    type Shape: Clone + Debug + Send + Sync + 'static;

    /// Whether equal prefixes mean equal items.
    const EXACT_PREFIX: bool;

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
    /// Lends the item of `row`.
    fn get(&self, row: usize) -> Self::Ref<'_>;
    /// An owned copy of what was lent.
    fn to_owned(item: Self::Ref<'_>) -> Self::Owned;
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
    /// Appends a range of another column's rows.
    fn extend_range(&mut self, other: &Self, rows: Range<usize>);
    /// Appends the named rows of another column, in the order given.
    fn extend_gather(&mut self, other: &Self, rows: &[u32]);
    /// Appends one row of another column `count` times.
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize);
    /// Compares a row with a row of another column.
    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        Self::reborrow(self.get(row)).cmp(&Self::reborrow(other.get(other_row)))
    }
    /// An order-preserving prefix of a row's item.
    fn prefix(&self, row: usize) -> u64;
    /// Appends the prefixes of a range of rows.
    fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        into.extend(rows.map(|row| self.prefix(row)));
    }
    /// A hash of a row's item, good in all its bits.
    fn hash(&self, row: usize) -> u64;
    /// Appends the hashes of a range of rows.
    fn hashes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        into.extend(rows.map(|row| self.hash(row)));
    }
    /// The least row in `rows` whose item is at or past `item`, in a range sorted in ascending order; its end if none.
    fn lower_bound(&self, rows: Range<usize>, item: Self::Ref<'_>) -> usize {
        let (mut low, mut high) = (rows.start, rows.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if Self::reborrow(self.get(middle)) < Self::reborrow(item) { low = middle + 1 } else { high = middle }
        }
        low
    }
    /// Bytes held, buffers included.
    fn heap_bytes(&self) -> usize;
}
