//! The column of `()`: a count. It is what a set's values are stored as, and costs a set nothing.
//!
//! All items are equal, so a range is sorted whatever it is, and the prefix has no bits. It absorbs no word into a
//! hash, so a key with a `()` beside it hashes as the key alone.

use std::cmp::Ordering;
use std::ops::Range;

use columnar::primitive::Empties;

use super::{Column, Data};
use crate::bytes::{Malformed, Reader};
use crate::time::Pick;

impl Data for () {
    type Column = Empties;
}

/// Adds rows to a count, after checking that those rows are there.
fn grow(units: &mut Empties, other: &Empties, end: usize, count: usize) {
    assert!(end <= Column::len(other), "rows up to {end} of {}", Column::len(other));
    units.count += count as u64;
}

impl Column for Empties {
    type Owned = ();
    type Ref<'a> = ();
    type Shape = ();

    const EXACT_PREFIX: bool = true;
    const PREFIX_BITS: u32 = 0;

    fn empty((): &()) -> Self {
        Empties::default()
    }
    fn shape(&self) {}
    #[inline]
    fn len(&self) -> usize {
        self.count as usize
    }
    fn clear(&mut self) {
        self.count = 0;
    }
    fn reserve(&mut self, _additional: usize) {}
    fn fit(&mut self) {}

    #[inline]
    fn get(&self, row: usize) {
        debug_assert!((row as u64) < self.count, "row {row} of {}", self.count);
    }
    #[inline]
    fn owned((): ()) {}
    #[inline]
    fn lend((): &()) {}
    #[inline]
    fn reborrow<'b, 'a: 'b>((): ()) {}

    #[inline]
    fn push(&mut self, (): ()) {
        self.count += 1;
    }
    #[inline]
    fn extend_owned(&mut self, items: impl Iterator<Item = ()>) {
        self.count += items.count() as u64;
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        grow(self, other, rows.end, rows.len());
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        debug_assert!(rows.iter().all(|&row| u64::from(row) < other.count), "rows of {}", other.count);
        self.count += rows.len() as u64;
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        grow(self, other, row + 1, count);
    }
    fn insert_rows(&mut self, _other: &Self, places: &[(u32, u32)]) {
        self.count += places.len() as u64;
    }
    fn remove_rows(&mut self, rows: &[u32]) {
        self.count -= rows.len() as u64;
    }
    fn extend_picked(&mut self, _left: &Self, _left_row: usize, _right: &Self, _right_row: usize, picks: &[Pick]) {
        self.count += picks.len() as u64;
    }

    #[inline]
    fn compare(&self, _row: usize, _other: &Self, _other_row: usize) -> Ordering {
        Ordering::Equal
    }
    fn lower_bound(&self, rows: Range<usize>, (): ()) -> usize {
        rows.start
    }

    #[inline]
    fn prefix(&self, _row: usize) -> u64 {
        0
    }

    fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        self.count += prefixes.len() as u64;
    }

    #[inline]
    fn absorb(&self, _row: usize, state: u64) -> u64 {
        state
    }
    fn absorb_rows(&self, _rows: Range<usize>, _states: &mut [u64]) {}

    fn bytes_len(&self) -> usize {
        0
    }
    fn write_bytes(&self, _into: &mut Vec<u8>) {}
    fn read_bytes((): &(), rows: usize, _from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Empties { count: rows as u64, ..Empties::default() })
    }

    fn heap_bytes(&self) -> usize {
        0
    }
}
