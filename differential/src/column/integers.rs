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

use std::cmp::Ordering;
use std::ops::Range;

use super::hash::absorb;
use super::{Column, Data};

/// An integer whose column is a `Vec`.
pub(crate) trait Integer: Data<Column = Vec<Self>> + Copy {
    /// The bits that its prefix uses.
    const PREFIX_BITS: u32;
    /// Whether its prefix says all of it.
    const EXACT_PREFIX: bool;
    /// Its order-preserving prefix.
    fn prefix(self) -> u64;
    /// The integer that has this prefix, if prefixes are exact.
    fn of_prefix(prefix: u64) -> Self;
    /// The integers themselves, if they are their prefixes.
    fn lane(integers: &[Self]) -> Option<&[u64]>;
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

    #[inline]
    fn get(&self, row: usize) -> I {
        self[row]
    }
    #[inline]
    fn to_owned(item: I) -> I {
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
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.extend_from_slice(&other[rows]);
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.extend(rows.iter().map(|&row| other[row as usize]));
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.resize(self.as_slice().len() + count, other[row]);
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
        I::lane(self)
    }
    fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        self.extend(prefixes.iter().map(|&prefix| I::of_prefix(prefix)));
    }

    #[inline]
    fn absorb(item: I, state: u64) -> u64 {
        item.absorb_into(state)
    }
    fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        let items = &self[rows];
        assert_eq!(items.len(), states.len(), "a state for each row");
        for (state, item) in states.iter_mut().zip(items) {
            *state = item.absorb_into(*state);
        }
    }

    fn heap_bytes(&self) -> usize {
        self.capacity() * size_of::<I>()
    }
}

/// Where `EXACT_PREFIX` is false.
fn inexact<I>(prefix: u64) -> I {
    unreachable!("{prefix:#x} is the prefix of many integers")
}

macro_rules! integers {
    ($(
        $int:ty, $bits:expr, $exact:expr, |$item:ident| $prefix:expr, |$back:ident| $origin:expr,
        |$lane:pat_param| $itself:expr, [$($word:expr),+];
    )+) => { $(
        impl Data for $int {
            type Column = Vec<$int>;
        }
        impl Integer for $int {
            const PREFIX_BITS: u32 = $bits;
            const EXACT_PREFIX: bool = $exact;
            #[inline]
            fn prefix(self) -> u64 {
                let $item = self;
                $prefix
            }
            #[inline]
            fn of_prefix($back: u64) -> Self {
                $origin
            }
            #[inline]
            fn lane($lane: &[Self]) -> Option<&[u64]> {
                $itself
            }
            #[inline]
            fn absorb_into(self, state: u64) -> u64 {
                let $item = self;
                $(let state = absorb(state, $word);)+
                state
            }
        }
    )+ };
}

// The type, its prefix's bits and exactness, the prefix and back, the lane, the words that its hash absorbs.
integers! {
    u8,    8,  true,  |item| u64::from(item),                     |prefix| prefix as u8,
           |_| None,              [u64::from(item)];
    u16,   16, true,  |item| u64::from(item),                     |prefix| prefix as u16,
           |_| None,              [u64::from(item)];
    u32,   32, true,  |item| u64::from(item),                     |prefix| prefix as u32,
           |_| None,              [u64::from(item)];
    u64,   64, true,  |item| item,                                |prefix| prefix,
           |items| Some(items),   [item];
    usize, 64, true,  |item| item as u64,                         |prefix| prefix as usize,
           |_| None,              [item as u64];
    u128,  64, false, |item| (item >> 64) as u64,                 |prefix| inexact(prefix),
           |_| None,              [item as u64, (item >> 64) as u64];
    i8,    8,  true,  |item| (item ^ i8::MIN) as u8 as u64,       |prefix| prefix as i8 ^ i8::MIN,
           |_| None,              [i64::from(item) as u64];
    i16,   16, true,  |item| (item ^ i16::MIN) as u16 as u64,     |prefix| prefix as i16 ^ i16::MIN,
           |_| None,              [i64::from(item) as u64];
    i32,   32, true,  |item| (item ^ i32::MIN) as u32 as u64,     |prefix| prefix as i32 ^ i32::MIN,
           |_| None,              [i64::from(item) as u64];
    i64,   64, true,  |item| (item ^ i64::MIN) as u64,            |prefix| prefix as i64 ^ i64::MIN,
           |_| None,              [item as u64];
    isize, 64, true,  |item| (item as i64 ^ i64::MIN) as u64,     |prefix| prefix as isize ^ isize::MIN,
           |_| None,              [item as i64 as u64];
    i128,  64, false, |item| ((item ^ i128::MIN) >> 64) as u64,   |prefix| inexact(prefix),
           |_| None,              [item as u64, (item >> 64) as u64];
}
