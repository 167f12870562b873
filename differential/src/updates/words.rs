//! Updates as rows of a few words that sort as the updates do.
//!
//! ```text
//!   exact prefixes, few times and diffs     [ key bits | value bits | letter ]            one word if all fit
//!                                           [ key ] [ value bits | letter ]               or two
//!                                           [ key ] [ value ] [ letter ]                  or three
//!   an inexact prefix, or many times        [ key bits | value bits ] [ row ]             a tag: the row it came from
//!                                           [ key ] [ value ] [ row ]
//! ```
//!
//! A field keeps only the bits in which its column's prefixes differ: 10 million dense node numbers are 24 bits, so an
//! edge is 48 and half of what moves through a sort. Where the key's prefix is inexact, the value must not take part
//! before the keys have been compared in full: in its place stands what comes second in the key, where that is stored as
//! words, or else nothing.
//!
//! Invariant: packing keeps the order of (key prefix, value prefix), and `unpack` undoes `pack`.

use std::ops::Range;

use super::Keyed;
use crate::column::Column;
use crate::layout::Layout;

/// Columns are read this many rows at a time: prefixes that have to be computed stay in cache.
const BLOCK: usize = 1024;

/// Where a column's prefixes lie: `low` plus a number of `bits`, shifted by the trailing bits that all have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    low: u64,
    shift: u32,
    bits: u32,
}

impl Field {
    #[inline]
    fn pack(self, prefix: u64) -> u64 {
        debug_assert!(prefix >= self.low, "{prefix} below {self:?}");
        prefix.wrapping_sub(self.low).wrapping_shr(self.shift)
    }

    #[inline]
    fn unpack(self, word: u64) -> u64 {
        word.wrapping_shl(self.shift).wrapping_add(self.low)
    }
}

/// What is learned about a column's prefixes from reading them.
struct Seen {
    low: u64,
    high: u64,
    first: Option<u64>,
    differing: u64,
}

impl Seen {
    const NOTHING: Seen = Seen { low: u64::MAX, high: 0, first: None, differing: 0 };

    fn add(&mut self, prefixes: &[u64]) {
        let Some(&start) = prefixes.first() else { return };
        let first = *self.first.get_or_insert(start);
        for &prefix in prefixes {
            self.low = self.low.min(prefix);
            self.high = self.high.max(prefix);
            self.differing |= prefix ^ first;
        }
    }

    fn field(&self) -> Field {
        if self.differing == 0 {
            return Field { low: self.first.unwrap_or(0), shift: 0, bits: 0 };
        }
        let shift = self.differing.trailing_zeros();
        Field { low: self.low, shift, bits: u64::BITS - ((self.high - self.low) >> shift).leading_zeros() }
    }
}

/// How the keys and values of some updates are written as words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    key: Field,
    val: Field,
    letter_bits: u32,
}

/// What is learned about the prefixes of some updates, a range of rows at a time.
pub(super) struct SeenRows {
    keys: Seen,
    vals: Seen,
}

impl SeenRows {
    /// Nothing seen yet.
    pub(super) const NONE: SeenRows = SeenRows { keys: Seen::NOTHING, vals: Seen::NOTHING };

    /// Looks at some rows.
    pub(super) fn add<L: Layout>(&mut self, chunk: &Keyed<L>, rows: Range<usize>) {
        for_each_block(chunk, rows, |keys, vals| {
            self.keys.add(keys);
            self.vals.add(vals);
        });
    }

    /// How to write all these rows with letters of so many bits.
    pub(super) fn packing(&self, letter_bits: u32) -> Packing {
        Packing { key: self.keys.field(), val: self.vals.field(), letter_bits }
    }
}

impl Packing {
    /// How many words the key, the value and a letter take.
    pub(super) fn words(&self) -> usize {
        if self.key.bits + self.behind_key() <= u64::BITS {
            1
        } else if self.behind_key() <= u64::BITS {
            2
        } else {
            3
        }
    }

    /// The first word of an update, without a letter.
    #[inline]
    pub(super) fn first(&self, key: u64, val: u64) -> u64 {
        if self.words() == 1 { self.pack(key, val, 0) } else { key }
    }

    /// No first word is below this.
    pub(super) fn first_low(&self) -> u64 {
        if self.words() == 1 { 0 } else { self.key.low }
    }

    /// Key, value and letter in one word.
    #[inline]
    pub(super) fn pack(&self, key: u64, val: u64, letter: u64) -> u64 {
        self.key.pack(key).unbounded_shl(self.behind_key()) | self.pack_val(val, letter)
    }

    /// The key's prefix out of a word that it shares with value and letter.
    #[inline]
    pub(super) fn unpack_key(&self, word: u64) -> u64 {
        self.key.unpack(word.unbounded_shr(self.behind_key()))
    }

    /// How many bits the value and a letter take.
    #[inline]
    fn behind_key(&self) -> u32 {
        self.val.bits + self.letter_bits
    }

    /// Value and letter in one word.
    #[inline]
    pub(super) fn pack_val(&self, val: u64, letter: u64) -> u64 {
        // Letters have few bits, so this shift is one.
        self.val.pack(val).wrapping_shl(self.letter_bits) | letter
    }

    /// The value's prefix out of a word in which it is followed by a letter.
    #[inline]
    pub(super) fn unpack_val(&self, word: u64) -> u64 {
        let in_front = u64::BITS - self.behind_key();
        self.val.unpack(word.unbounded_shl(in_front).unbounded_shr(in_front).wrapping_shr(self.letter_bits))
    }

    /// The letter at the end of a word.
    #[inline]
    pub(super) fn letter(&self, word: u64) -> u64 {
        word & ((1 << self.letter_bits) - 1)
    }
}

/// Shows the prefixes of keys and values of some rows, in blocks that stay in cache.
///
/// Where the key's prefix is inexact, what is second in keys is shown in place of values, or zeros.
pub(super) fn for_each_block<L: Layout>(chunk: &Keyed<L>, rows: Range<usize>, mut show: impl FnMut(&[u64], &[u64])) {
    let (mut key_buffer, mut val_buffer) = (Vec::new(), Vec::new());
    for start in rows.clone().step_by(BLOCK) {
        let block = start..rows.end.min(start + BLOCK);
        let keys = prefixes(&chunk.keys, block.clone(), &mut key_buffer);
        let vals = if chunk.keys.exact_prefix() {
            prefixes(&chunk.vals, block, &mut val_buffer)
        } else if let Some(second) = chunk.keys.second_lane() {
            &second[block]
        } else {
            val_buffer.resize(block.len(), 0);
            &val_buffer[..]
        };
        show(keys, vals);
    }
}

/// The prefixes of some rows: where they are stored, or in the buffer.
fn prefixes<'a, C: Column>(column: &'a C, rows: Range<usize>, buffer: &'a mut Vec<u64>) -> &'a [u64] {
    match column.lane() {
        Some(lane) => &lane[rows],
        None => {
            buffer.clear();
            column.prefixes(rows, buffer);
            buffer
        }
    }
}
