//! A batch's columns, and what readers ask of them.
//!
//! ```text
//!   trie   keys a c     vals x y x     times 1 1 4 2       run(0) = 0..1   vals_of(0..1) = 0..2   updates_of(1..2) = 1..3
//!   flat   keys a a a c vals x y y x   times 1 1 4 2       run(0) = 0..3   vals_of(0..3) = 0..3   updates_of(1..2) = 1..2
//! ```
//!
//! A batch of fewer than [`Batch::FLAT_UPDATES`] updates is *flat*: every layer has one row for each update, keys and
//! values repeat, and there are no offsets. Most batches of a commit are like that, and forming layers would cost them
//! more than it saves. The form follows from the number of updates alone, so equal contents have equal columns.
//!
//! Invariant: `check.rs` states it. Cost: every method here is O(1), except `run` of a flat batch (the length of the
//! run), `seek` (logarithmic in the distance) and `seek_all`. Above the keys of a long batch stands a search tree, built with
//! it.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use super::Offsets;
use super::gallop::gallop;
use crate::column::{Column, KeyIndex, find_all};
use crate::diff::{Diff, Diffs};
use crate::layout::{Key, KeyShape, Keys, Layout, Times, Val, ValShape, Vals};
use crate::time::TimeColumn;

/// Sorted, consolidated updates that never change again. Shared by `Arc`, between threads too.
///
/// ```
/// use differential::{batch::Batch, layout::Rows, updates::Keyed};
/// let mut rows = Keyed::<Rows<u64, u64, u64, i64>>::empty(&(), &());
/// for (key, val) in [(3, 7), (1, 5), (3, 6)] {
///     rows.push(key, val, &0, 1);
/// }
/// rows.consolidate()?;
/// let batch = Batch::new(rows).expect("three updates");
/// let key = batch.seek(0, 2);
/// let vals = batch.vals_of(batch.run(key));
/// assert_eq!(vals.map(|val| batch.vals()[val]).collect::<Vec<_>>(), [6, 7]);
/// # Ok::<(), differential::diff::Overflow>(())
/// ```
pub struct Batch<L: Layout> {
    pub(super) keys: Keys<L>,
    /// Which rows of `vals` are each key's.
    pub(super) values: Offsets,
    pub(super) vals: Vals<L>,
    /// Which rows of `times` and `diffs` are each value's.
    pub(super) updates: Offsets,
    pub(super) times: Times<L>,
    pub(super) diffs: Diffs<L::Diff>,
    /// Whether keys and values repeat, once for each update.
    pub(super) flat: bool,
    /// Above the keys, where there are many.
    pub(super) index: Option<KeyIndex>,
    /// Whether every pair of key and value has one update.
    pub(super) net: bool,
    /// Whether every diff is positive, once somebody has asked.
    pub(super) inserts_only: OnceLock<bool>,
}

impl<L: Layout> Batch<L> {
    /// The number of updates from which on a batch has layers. (Fewer in tests: small worlds then see both forms.)
    pub const FLAT_UPDATES: usize = if cfg!(test) { 64 } else { 256 };
    /// Fewer keys than this are looked for one after the other, where there is no index.
    const GALLOP_KEYS: usize = 8;
    /// A key column may be walked beside another if it is no longer than this many times the other.
    const WALK_RATIO: usize = 128;

    /// The number of updates, which is not zero.
    #[expect(clippy::len_without_is_empty, reason = "a batch is never empty")]
    #[inline]
    pub fn len(&self) -> usize {
        self.diffs.len()
    }

    /// The key column: distinct keys, or in a flat batch a key for each update.
    #[inline]
    pub fn keys(&self) -> &Keys<L> {
        &self.keys
    }

    /// The value column, key after key.
    #[inline]
    pub fn vals(&self) -> &Vals<L> {
        &self.vals
    }

    /// The times of the updates, value after value.
    #[inline]
    pub fn times(&self) -> &Times<L> {
        &self.times
    }

    /// The diffs of the updates, value after value.
    #[inline]
    pub fn diffs(&self) -> &Diffs<L::Diff> {
        &self.diffs
    }

    /// Whether every diff is positive: what such batches add up to only grows. Looked up once a batch.
    pub fn inserts_only(&self) -> bool {
        *self.inserts_only.get_or_init(|| self.diffs.side().all(0..self.len(), |diff| *diff > L::Diff::zero()))
    }

    /// Which shapes the columns have.
    pub fn shapes(&self) -> (KeyShape<L>, ValShape<L>) {
        (self.keys.shape(), self.vals.shape())
    }

    /// Whether keys and values repeat, once for each update.
    pub fn is_flat(&self) -> bool {
        self.flat
    }

    /// The rows of the key column that hold this row's key: one row, except in a flat batch.
    #[inline]
    pub fn run(&self, key_row: usize) -> Range<usize> {
        if self.flat { self.flat_run(key_row) } else { key_row..key_row + 1 }
    }

    /// The neighbours of a row that hold its key.
    fn flat_run(&self, key_row: usize) -> Range<usize> {
        let same = |row: usize| self.keys.compare(row, &self.keys, key_row).is_eq();
        let start = (0..key_row).rev().take_while(|&row| same(row)).last().unwrap_or(key_row);
        let end = (key_row + 1..self.keys.len()).find(|&row| !same(row)).unwrap_or(self.keys.len());
        start..end
    }

    /// The rows of the value column under a range of key rows.
    #[inline]
    pub fn vals_of(&self, keys: Range<usize>) -> Range<usize> {
        self.values.below(keys)
    }

    /// The updates (rows of times and diffs) under a range of value rows.
    #[inline]
    pub fn updates_of(&self, vals: Range<usize>) -> Range<usize> {
        self.updates.below(vals)
    }

    /// The least key row at or after `from` whose key is at or past `key`; the number of key rows if there is none.
    #[inline]
    pub fn seek(&self, from: usize, key: Key<'_, L>) -> usize {
        gallop(&self.keys, from..self.keys.len(), key)
    }

    /// The least of some rows of one key's values that is at or past `val`; their end if there is none.
    #[inline]
    pub fn seek_val(&self, vals: Range<usize>, val: Val<'_, L>) -> usize {
        gallop(&self.vals, vals, val)
    }

    /// Appends, for each of `rows` of a sorted key column, the least key row here that is at or past its key.
    ///
    /// `from` is a key row with none of those before it. The columns' lengths choose the way: where this one is at most
    /// 128 times as long as the other they are walked side by side, else keys are searched for, many in lockstep
    /// through the index, or a few by galloping where there is none.
    pub fn seek_all(&self, from: usize, wanted: &Keys<L>, rows: Range<usize>, into: &mut Vec<u32>) {
        let Some(last) = rows.clone().next_back() else { return };
        if self.index.is_none() && rows.len() < Self::GALLOP_KEYS {
            let mut at = from;
            into.extend(rows.map(|row| {
                at = self.seek(at, wanted.get(row));
                at as u32
            }));
            return;
        }
        let walkable = rows.len() >= Self::GALLOP_KEYS && self.keys.len() <= Self::WALK_RATIO * wanted.len();
        // Up to where the last of them is found: a chunk of the other column is to be held against a part of this one.
        let end = if walkable { self.keys.len().min(self.seek(from, wanted.get(last)) + 1) } else { self.keys.len() };
        find_all(&self.keys, from..end, self.index.as_ref(), wanted, rows, into);
    }

    /// Whether every pair of key and value has one update: compaction can then make nothing of it smaller.
    #[inline]
    pub fn is_net(&self) -> bool {
        self.net
    }

    /// Whether two rows of a flat batch hold the same key and value.
    pub(crate) fn same_pair(&self, a: usize, b: usize) -> bool {
        debug_assert!(self.flat, "rows {a} and {b} of a batch with layers");
        self.vals.compare(a, &self.vals, b).is_eq() && self.keys.compare(a, &self.keys, b).is_eq()
    }

    /// Bytes held, buffers included.
    pub fn heap_bytes(&self) -> usize {
        self.keys.heap_bytes()
            + self.values.heap_bytes()
            + self.vals.heap_bytes()
            + self.updates.heap_bytes()
            + self.times.heap_bytes()
            + self.diffs.heap_bytes()
            + self.index.as_ref().map_or(0, KeyIndex::heap_bytes)
    }
}

/// Prints the updates one by one, as `(key, value, time, diff)`.
impl<L: Layout> fmt::Debug for Batch<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for key in 0..self.keys.len() {
            for val in self.vals_of(key..key + 1) {
                for update in self.updates_of(val..val + 1) {
                    let (time, diff) = (self.times.get(update), self.diffs.get(update));
                    list.entry(&(self.keys.get(key), self.vals.get(val), time, diff));
                }
            }
        }
        list.finish()
    }
}
