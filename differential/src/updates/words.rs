//! Updates as rows of a few words that sort as the updates do.
//!
//! ```text
//!   (key, value) both narrow      [ key bits | value bits ]                      packed: one word
//!   both wide                     [ key ] [ value ]                              two words
//!   times or diffs that vary,     [ key bits | value bits ] [ row ]              and a tag: the row it came from
//!   or a prefix that is inexact   [ key ] [ value ] [ row ]
//! ```
//!
//! A field keeps only the bits in which its column's prefixes differ: 10 million dense node numbers are 24 bits, so an
//! edge is 48 and half of what moves through a sort. Where the key's prefix is inexact, the value must not take part
//! before the keys have been compared in full: its field then has no bits.
//!
//! Invariant: packing keeps the order of (key prefix, value prefix), and `unpack` undoes `pack`.

use std::ops::Range;

use super::Keyed;
use crate::column::Column;
use crate::layout::{Keys, Layout, Vals};

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
    fn pack(self, prefix: u64) -> u64 {
        (prefix - self.low) >> self.shift
    }

    fn unpack(self, word: u64) -> u64 {
        (word << self.shift) + self.low
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
}

impl Packing {
    /// The packing of these updates.
    pub(super) fn of<L: Layout>(chunks: &[Keyed<L>]) -> Self {
        let (mut keys, mut vals) = (Seen::NOTHING, Seen::NOTHING);
        for_each_block(chunks, |_, key_prefixes, val_prefixes| {
            keys.add(key_prefixes);
            vals.add(val_prefixes);
        });
        Packing { key: keys.field(), val: vals.field() }
    }

    /// Whether key and value fit one word.
    pub(super) fn fits(&self) -> bool {
        self.key.bits + self.val.bits <= u64::BITS
    }

    /// The least key prefix: the first word of two is never below it.
    pub(super) fn low(&self) -> u64 {
        self.key.low
    }

    /// Both prefixes in one word, which they fit.
    #[inline]
    pub(super) fn pack(&self, key: u64, val: u64) -> u64 {
        // A value of all 64 bits leaves no bits to the key, and shifts by 64 are not shifts.
        self.key.pack(key).checked_shl(self.val.bits).unwrap_or(0) | self.val.pack(val)
    }

    /// The prefixes that [`Packing::pack`] put in one word.
    #[inline]
    pub(super) fn unpack(&self, word: u64) -> (u64, u64) {
        let key = word.checked_shr(self.val.bits).unwrap_or(0);
        let val = word ^ key.checked_shl(self.val.bits).unwrap_or(0);
        (self.key.unpack(key), self.val.unpack(val))
    }
}

/// Shows the prefixes of keys and values a block at a time, each with the number of its first row.
///
/// Values are shown as zeros where the key's prefix is inexact.
pub(super) fn for_each_block<L: Layout>(chunks: &[Keyed<L>], mut show: impl FnMut(usize, &[u64], &[u64])) {
    let (mut key_buffer, mut val_buffer) = (Vec::new(), Vec::new());
    let mut before = 0;
    for chunk in chunks {
        for start in (0..chunk.len()).step_by(BLOCK) {
            let rows = start..chunk.len().min(start + BLOCK);
            let keys = prefixes(&chunk.keys, rows.clone(), &mut key_buffer);
            let vals = if Keys::<L>::EXACT_PREFIX {
                prefixes::<Vals<L>>(&chunk.vals, rows, &mut val_buffer)
            } else {
                val_buffer.resize(rows.len(), 0);
                &val_buffer[..]
            };
            show(before + start, keys, vals);
        }
        before += chunk.len();
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
