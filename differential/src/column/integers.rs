//! Columns of integers: a `Vec` of them, whose every bulk operation is a loop over a slice.
//!
//! ```text
//!   i8 item   -128 ...  -1    0 ... 127
//!   prefix       0 ... 127  128 ... 255      the sign bit flipped: the items' order, unsigned
//! ```
//!
//! Prefixes are exact up to 64 bits: the prefix says the whole item. A 128-bit integer's is its high half. A `u64`
//! column is its own prefixes ([`Column::lane`]).
//!
//! Why a narrow prefix is not moved to the top of its 64 bits: a tuple packs two narrow ones into one word.

use std::any::Any;
use std::cmp::Ordering;
use std::ops::Range;

use super::hash::absorb;
use super::{Column, Data};
use crate::bytes::{Malformed, Portable, Reader};
use crate::time::Pick;

/// An integer whose column is a `Vec`.
pub(crate) trait Integer: Data<Column = Vec<Self>> + Portable + Copy {
    /// The bits that its prefix uses.
    const PREFIX_BITS: u32;
    /// Whether its prefix says all of it.
    const EXACT_PREFIX: bool;
    /// Its order-preserving prefix.
    fn prefix(self) -> u64;
    /// The least integer that has this prefix.
    fn of_prefix(prefix: u64) -> Self;
    /// Mixes it into a hash.
    fn absorb_into(self, state: u64) -> u64;
}

impl<I: Integer> Column for Vec<I> {
    type Owned = I;
    type Ref<'a> = I;
    type Shape = ();

    const EXACT_PREFIX: bool = I::EXACT_PREFIX;
    const PREFIX_BITS: u32 = I::PREFIX_BITS;

    fn empty((): &()) -> Self {
        Vec::new()
    }
    fn shape(&self) {}
    #[inline]
    fn len(&self) -> usize {
        self.as_slice().len()
    }
    fn clear(&mut self) {
        self.truncate(0);
    }
    fn reserve(&mut self, additional: usize) {
        Vec::reserve(self, additional);
    }
    fn fit(&mut self) {
        self.shrink_to_fit();
    }

    #[inline]
    fn get(&self, row: usize) -> I {
        self[row]
    }
    #[inline]
    fn iter_range(&self, rows: Range<usize>) -> impl Iterator<Item = I> {
        self[rows].iter().copied()
    }
    #[inline]
    fn owned(item: I) -> I {
        item
    }
    #[inline]
    fn lend(item: &I) -> I {
        *item
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: I) -> I {
        item
    }

    #[inline]
    fn push(&mut self, item: I) {
        Vec::push(self, item);
    }
    #[inline]
    fn extend_owned(&mut self, items: impl Iterator<Item = I>) {
        self.extend(items);
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.extend_from_slice(&other[rows]);
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.extend(rows.iter().map(|&row| other[row as usize]));
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.resize(self.as_slice().len() + count, other[row]);
    }
    fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
        places.iter().rev().for_each(|&(at, row)| self.insert(at as usize, other[row as usize]));
    }
    fn remove_rows(&mut self, rows: &[u32]) {
        rows.iter().rev().for_each(|&row| {
            self.remove(row as usize);
        });
    }
    fn extend_picked(&mut self, left: &Self, mut left_row: usize, right: &Self, mut right_row: usize, picks: &[Pick]) {
        // Which side and row is arithmetic: nothing to predict.
        let (left, right) = (left.as_slice(), right.as_slice());
        self.extend(picks.iter().map(|&pick| {
            let (side, row) = if pick == Pick::Right { (right, right_row) } else { (left, left_row) };
            pick.pass(&mut left_row, &mut right_row);
            side[row]
        }));
    }

    #[inline]
    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        self[row].cmp(&other[other_row])
    }
    fn lower_bound(&self, rows: Range<usize>, item: I) -> usize {
        rows.start + self[rows].partition_point(|stored| *stored < item)
    }

    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        self[row].prefix()
    }
    fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        into.extend(self[rows].iter().map(|item| item.prefix()));
    }
    fn lane(&self) -> Option<&[u64]> {
        (self as &dyn Any).downcast_ref::<Vec<u64>>().map(Vec::as_slice)
    }
    fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        assert!(I::EXACT_PREFIX, "the high half of a wide integer does not say all of it");
        self.extend(prefixes.iter().map(|&prefix| I::of_prefix(prefix)));
    }

    #[inline]
    fn absorb(&self, row: usize, state: u64) -> u64 {
        self[row].absorb_into(state)
    }
    fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        let items = &self[rows];
        assert_eq!(items.len(), states.len(), "a state for each row");
        for (state, item) in states.iter_mut().zip(items) {
            *state = item.absorb_into(*state);
        }
    }

    fn bytes_len(&self) -> usize {
        I::values_len(self.iter())
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        I::write_values(self, into);
    }
    fn read_bytes((): &(), rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        I::read_values(rows, from)
    }

    fn heap_bytes(&self) -> usize {
        self.capacity() * size_of::<I>()
    }
}

macro_rules! narrow {
    ($($int:ident as $unsigned:ident),*) => { $(
        impl Data for $int {
            type Column = Vec<$int>;
        }
        impl Integer for $int {
            const PREFIX_BITS: u32 = <$int>::BITS;
            const EXACT_PREFIX: bool = true;
            #[inline]
            fn prefix(self) -> u64 {
                // The least integer becomes zero: a signed one's sign bit is flipped.
                (self ^ <$int>::MIN) as $unsigned as u64
            }
            #[inline]
            fn of_prefix(prefix: u64) -> Self {
                prefix as $int ^ <$int>::MIN
            }
            #[inline]
            fn absorb_into(self, state: u64) -> u64 {
                // Extends the sign: an integer hashes alike in all widths that hold it.
                absorb(state, self as u64)
            }
        }
    )* };
}

macro_rules! wide {
    ($($int:ident),*) => { $(
        impl Data for $int {
            type Column = Vec<$int>;
        }
        impl Integer for $int {
            const PREFIX_BITS: u32 = u64::BITS;
            const EXACT_PREFIX: bool = false;
            #[inline]
            fn prefix(self) -> u64 {
                ((self ^ <$int>::MIN) >> 64) as u64
            }
            #[inline]
            fn of_prefix(prefix: u64) -> Self {
                ($int::from(prefix) << 64) ^ <$int>::MIN
            }
            #[inline]
            fn absorb_into(self, state: u64) -> u64 {
                absorb(absorb(state, self as u64), (self >> 64) as u64)
            }
        }
    )* };
}

narrow!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, usize as usize);
narrow!(i8 as u8, i16 as u16, i32 as u32, i64 as u64, isize as usize);
wide!(u128, i128);
