//! The layers of a batch, formed from sorted rows a block at a time.
//!
//! ```text
//!   rows so far   a x 1 | a x 2 | a y 1        next block   a z 1 | c x 1 | c x 2
//!
//!   keys     a                                 keys     a c                        row 0 goes on with the key a
//!   values   0                                 values   0 3
//!   vals     x y                               vals     x y z x
//!   updates  0 2                               updates  0 2 3 4
//! ```
//!
//! Where each key and each pair begins is found in one pass; a layer in which everything is distinct takes its column
//! as it comes, and only one that repeats is gathered.
//!
//! Invariant: what was pushed ascends, so only a block's first row can belong to the last key or pair. Cost: two
//! comparisons a row, less where times are uniform: consolidated rows of one time are distinct pairs.
//! Tested in `batch_laws.rs`: any cuts into blocks make the batch that one block would.

use std::sync::OnceLock;

use super::{Batch, Offsets};
use crate::column::{Column, KeyIndex};
use crate::diff::Diffs;
use crate::layout::{KeyShape, Keys, Layout, Times, ValShape, Vals};
use crate::time::TimeColumn;
use crate::updates::Keyed;

/// A batch in the making. Sorted and consolidated rows go in, block by block, each after all before it.
pub struct Layers<L: Layout> {
    keys: Keys<L>,
    values: Starts,
    vals: Vals<L>,
    updates: Starts,
    times: Times<L>,
    diffs: Diffs<L::Diff>,
    /// About how many rows come in all, until room was made for them.
    expected: usize,
}

impl<L: Layout> Layers<L> {
    /// No rows, of these shapes; about so many are to come, perhaps fewer.
    pub fn empty(keys: &KeyShape<L>, vals: &ValShape<L>, expected: usize) -> Self {
        Layers {
            keys: Keys::<L>::empty(keys),
            values: Starts::default(),
            vals: Vals::<L>::empty(vals),
            updates: Starts::default(),
            times: Default::default(),
            diffs: Default::default(),
            expected,
        }
    }

    /// Whether there are no rows yet.
    pub fn is_empty(&self) -> bool {
        self.diffs.is_empty()
    }

    /// Appends the rows of a block, which is left empty: the first one's buffers are kept, others' come back.
    ///
    /// Panics past 2^32 - 1 rows in all.
    pub fn push(&mut self, block: &mut Keyed<L>) {
        if block.is_empty() {
            return;
        }
        let (first, len) = (self.diffs.len(), block.len());
        assert!(u32::try_from(first + len).is_ok(), "a batch of {} updates", first + len);
        let Keyed { keys, vals, times, diffs } = block;
        let new_key = |row: usize| match row {
            0 => self.keys.is_empty() || self.keys.compare(self.keys.len() - 1, keys, 0).is_ne(),
            _ => keys.compare(row - 1, keys, row).is_ne(),
        };
        let new_pair = |row: usize| match row {
            0 => new_key(0) || self.vals.compare(self.vals.len() - 1, vals, 0).is_ne(),
            _ => vals.compare(row - 1, vals, row).is_ne() || new_key(row),
        };
        let key_starts = starts(len, new_key);
        let pair_starts = (times.uniform().is_none() || !new_pair(0)).then(|| starts(len, new_pair));
        let pair_starts = pair_starts.filter(|starts| starts.len() < len);

        match &pair_starts {
            None => {
                self.values.extend(self.vals.len(), &key_starts);
                self.updates.extend_each(first, len);
            }
            Some(pair_starts) => {
                // The number of pairs before each key: both lists ascend. A block's first pair may go on with the last
                // one of the block before, and its first key too; every other key begins a pair.
                let mut pairs = (0u32..).zip(pair_starts);
                let rank = |start: &u32| pairs.find_map(|(rank, row)| (row == start).then_some(rank));
                let ranks = key_starts.iter().map(rank).collect::<Option<Vec<u32>>>().expect("a key begins a pair");
                self.values.extend(self.vals.len(), &ranks);
                self.updates.extend(first, pair_starts);
            }
        }
        self.make_room();
        take(&mut self.keys, keys, (key_starts.len() < len).then_some(&key_starts));
        take(&mut self.vals, vals, pair_starts.as_ref());
        if first == 0 {
            std::mem::swap(&mut self.times, times);
            std::mem::swap(&mut self.diffs, diffs);
        } else {
            self.times.extend_range(times, 0..len);
            self.diffs.extend_range(diffs, 0..len);
        }
        block.clear();
    }

    /// Once some rows are there, makes room for as many keys and values a row of those still to come: to grow by doubling
    /// would have twice the columns in memory before the last of them fits.
    fn make_room(&mut self) {
        let rows = self.diffs.len();
        if rows == 0 {
            return;
        }
        let left = std::mem::take(&mut self.expected).saturating_sub(rows);
        // A little more, as the first rows need not be like the others.
        let room = |have: usize| (have as f64 / rows as f64 * left as f64 * 1.02) as usize;
        self.keys.reserve(room(self.keys.len()));
        self.vals.reserve(room(self.vals.len()));
    }

    /// The batch of all rows; `None` if there are none.
    pub fn finish(self) -> Option<Batch<L>> {
        if self.is_empty() {
            return None;
        }
        let batch = self.layered();
        Some(if batch.len() < Batch::<L>::FLAT_UPDATES { batch.into_flat() } else { batch })
    }

    /// The batch of all rows, with layers however few they are.
    pub(super) fn layered(mut self) -> Batch<L> {
        self.keys.fit();
        self.vals.fit();
        self.times.fit();
        self.diffs.fit();
        let Layers { keys, values, vals, updates, times, diffs, .. } = self;
        let (values, updates) = (values.offsets(vals.len()), updates.offsets(diffs.len()));
        let index = KeyIndex::build(&keys);
        let net = matches!(updates, Offsets::Identity(_));
        Batch { keys, values, vals, updates, times, diffs, flat: false, net, index, inserts_only: OnceLock::new() }
    }
}

/// Appends the named rows, or all: then the column itself is taken if it is the first.
fn take<C: Column>(into: &mut C, from: &mut C, rows: Option<&Vec<u32>>) {
    match rows {
        Some(rows) => into.extend_gather(from, rows),
        None if into.is_empty() => std::mem::swap(into, from),
        None => into.extend_range(from, 0..from.len()),
    }
}

/// The rows that begin something new.
fn starts(len: usize, new: impl Fn(usize) -> bool) -> Vec<u32> {
    // Written whether new or not, and kept only if so: as fast for rows of any kind, since nothing is predicted.
    let mut starts = vec![0u32; len + 1];
    let mut count = 0;
    for row in 0..len {
        starts[count] = row as u32;
        count += usize::from(new(row));
    }
    starts.truncate(count);
    starts
}

/// Where each row's part of the layer below begins; not stored while row `i` begins at `i`.
#[derive(Default)]
struct Starts {
    count: usize,
    stored: Option<Vec<u32>>,
}

impl Starts {
    /// Appends `count` rows, each with one row below, from the row `first` below on.
    fn extend_each(&mut self, first: usize, count: usize) {
        match &mut self.stored {
            None if self.count == first => self.count += count,
            _ => self.stored().extend(first as u32..(first + count) as u32),
        }
    }

    /// Appends rows that begin at the row `first` below and so many further.
    fn extend(&mut self, first: usize, starts: &[u32]) {
        let identity = |(at, start): (usize, &u32)| first + *start as usize == self.count + at;
        if self.stored.is_none() && starts.iter().enumerate().all(identity) {
            self.count += starts.len();
        } else {
            self.stored().extend(starts.iter().map(|start| first as u32 + start));
        }
    }

    /// Where rows begin, stored.
    fn stored(&mut self) -> &mut Vec<u32> {
        self.stored.get_or_insert_with(|| (0..self.count as u32).collect())
    }

    /// The offsets of these rows, the last of which ends at `total`.
    fn offsets(mut self, total: usize) -> Offsets {
        if self.stored.is_none() && self.count == total {
            return Offsets::Identity(total);
        }
        let mut starts = std::mem::take(self.stored());
        starts.push(total as u32);
        Offsets::Wide(starts).settled()
    }
}
