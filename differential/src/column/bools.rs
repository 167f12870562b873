//! The column of `bool`: 64 to a word, so that bulk operations move words.
//!
//! Storage is `columnar`'s [`Bools`]: full words, and a tail of up to 63 bits with its length. Rows past the end of it
//! would read as `false`, so every way in checks them. It is written as its words, the tail as one more: rows past the
//! end are zeros there, and bytes that say otherwise are refused.

use std::ops::Range;

use columnar::primitive::Bools;
use columnar::{Index, Len, Push};

use super::hash::absorb;
use super::{Column, Data};
use crate::bytes::{Flaw, Malformed, Portable, Reader};

const WORD: usize = u64::BITS as usize;

impl Data for bool {
    type Column = Bools;
}

/// Appends a bit for each item, a word at a time.
fn extend_words<Item: Copy>(column: &mut Bools, items: &[Item], bit: impl Fn(Item) -> u64) {
    for items in items.chunks(WORD) {
        let word = items.iter().rev().fold(0, |word, item| (word << 1) | bit(*item));
        column.push_bits(word, items.len());
    }
}

impl Column for Bools {
    type Owned = bool;
    type Ref<'a> = bool;
    type Shape = ();

    const EXACT_PREFIX: bool = true;
    const PREFIX_BITS: u32 = 1;

    fn empty((): &()) -> Self {
        Bools::default()
    }
    fn shape(&self) {}
    #[inline]
    fn len(&self) -> usize {
        Len::len(self)
    }
    fn clear(&mut self) {
        self.values.clear();
        self.tail = [0, 0];
    }
    fn reserve(&mut self, additional: usize) {
        self.values.reserve(additional / WORD + 1);
    }
    fn fit(&mut self) {
        self.values.shrink_to_fit();
    }

    #[inline]
    fn get(&self, row: usize) -> bool {
        assert!(row < Len::len(self), "row {row} of {}", Len::len(self));
        Index::get(self, row)
    }
    #[inline]
    fn owned(item: bool) -> bool {
        item
    }
    #[inline]
    fn lend(item: &bool) -> bool {
        *item
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: bool) -> bool {
        item
    }

    #[inline]
    fn push(&mut self, item: bool) {
        Push::push(self, item);
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.extend_bits_from(other, rows);
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        extend_words(self, rows, |row| Column::prefix(other, row as usize));
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        let word = if Column::get(other, row) { u64::MAX } else { 0 };
        for _ in 0..count / WORD {
            self.push_bits(word, WORD);
        }
        let rest = count % WORD;
        self.push_bits(word & ((1 << rest) - 1), rest);
    }

    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        u64::from(Column::get(self, row))
    }
    fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        extend_words(self, prefixes, |prefix| prefix);
    }

    #[inline]
    fn absorb(&self, row: usize, state: u64) -> u64 {
        absorb(state, Column::prefix(self, row))
    }

    fn bytes_len(&self) -> usize {
        Len::len(self).div_ceil(WORD) * size_of::<u64>()
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        u64::write_values(&self.values, into);
        if self.tail[1] > 0 {
            u64::write_values(&self.tail[..1], into);
        }
    }
    fn read_bytes((): &(), rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut column = Bools { values: u64::read_values(rows / WORD, from)?, tail: [0, 0] };
        let rest = rows % WORD;
        if rest > 0 {
            let at = from.at();
            let tail = u64::from_le_bytes(from.take_chunks(1)?[0]);
            if tail >> rest != 0 {
                return Err(Malformed { at, flaw: Flaw::Bits });
            }
            column.tail = [tail, rest as u64];
        }
        Ok(column)
    }

    fn heap_bytes(&self) -> usize {
        self.values.capacity() * size_of::<u64>()
    }
}
