//! A batch from sorted rows.
//!
//! One pass finds where each key begins and one where each pair does; then a layer in which everything is distinct
//! takes its column as it came, and only one that repeats is gathered.
//!
//! Cost: two comparisons a row, less where times are uniform: consolidated rows of one time are all distinct pairs.
//! Tested in `batch_laws.rs`.

use super::{Batch, Offsets};
use crate::column::{Column, KeyIndex};
use crate::layout::{Keys, Layout, Vals};
use crate::time::TimeColumn;
use crate::updates::Keyed;

impl<L: Layout> Batch<L> {
    /// The batch of these rows, which are sorted and consolidated (checked in debug builds); `None` if there are none.
    ///
    /// Panics past 2^32 - 1 rows.
    pub fn new(rows: Keyed<L>) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let batch = if rows.len() < Self::FLAT_UPDATES { Self::flat(rows) } else { Self::layered(rows) };
        if cfg!(debug_assertions) {
            batch.check();
        }
        Some(batch)
    }

    /// The rows as they are, whatever their number.
    fn flat(rows: Keyed<L>) -> Self {
        let (values, updates) = (Offsets::Identity(rows.len()), Offsets::Identity(rows.len()));
        let net = rows.times.uniform().is_some();
        let Keyed { keys, vals, times, diffs } = rows;
        let mut batch = Batch { keys, values, vals, updates, times, diffs, flat: true, net, index: None };
        // At one time, consolidated rows are distinct pairs.
        batch.net = net || (1..batch.len()).all(|row| !batch.same_pair(row - 1, row));
        batch
    }

    /// The rows with their layers formed, whatever their number.
    pub(super) fn layered(rows: Keyed<L>) -> Self {
        let (len, Keyed { mut keys, mut vals, times, diffs }) = (rows.len(), rows);
        assert!(u32::try_from(len).is_ok(), "a batch of {len} updates");
        let new_key = |row: usize| keys.compare(row - 1, &keys, row).is_ne();
        let key_starts = starts(len, new_key);
        let pair_starts = (times.uniform().is_none())
            .then(|| starts(len, |row| vals.compare(row - 1, &vals, row).is_ne() || new_key(row)))
            .filter(|starts| starts.len() < len);

        if key_starts.len() < len {
            let mut distinct = Keys::<L>::empty(&keys.shape());
            distinct.extend_gather(&keys, &key_starts);
            keys = distinct;
        }
        let (values, updates) = match pair_starts {
            None => (offsets(key_starts, len), Offsets::Identity(len)),
            Some(pair_starts) => {
                let mut distinct = Vals::<L>::empty(&vals.shape());
                distinct.extend_gather(&vals, &pair_starts);
                vals = distinct;
                // The number of pairs before each key: both lists ascend, and every key begins a pair.
                let mut pairs = (0u32..).zip(&pair_starts);
                let ranks = key_starts.iter().map(|start| {
                    pairs.find_map(|(rank, row)| (row == start).then_some(rank)).expect("a key begins a pair")
                });
                (offsets(ranks.collect(), pair_starts.len()), offsets(pair_starts, len))
            }
        };
        let index = KeyIndex::build(&keys);
        let net = matches!(updates, Offsets::Identity(_));
        Batch { keys, values, vals, updates, times, diffs, flat: false, net, index }
    }

    /// A flat batch's updates with their layers formed.
    pub(super) fn to_layered(&self) -> Self {
        debug_assert!(self.flat, "a batch that has its layers already");
        let (keys, vals, times, diffs) = (&self.keys, &self.vals, &self.times, &self.diffs);
        Self::layered(Keyed { keys: keys.clone(), vals: vals.clone(), times: times.clone(), diffs: diffs.clone() })
    }

    /// The updates of a batch with layers, without them.
    pub(super) fn into_flat(self) -> Self {
        debug_assert!(!self.flat, "a batch that is flat already");
        let rows = match (&self.values, &self.updates) {
            (Offsets::Identity(_), Offsets::Identity(_)) => (self.keys, self.vals),
            (values, updates) => {
                let (mut keys, mut vals) = (Keys::<L>::empty(&self.keys.shape()), Vals::<L>::empty(&self.vals.shape()));
                for key in 0..values.len() {
                    let below = values.below(key..key + 1);
                    keys.extend_repeat(&self.keys, key, updates.below(below.clone()).len());
                    for val in below {
                        vals.extend_repeat(&self.vals, val, updates.below(val..val + 1).len());
                    }
                }
                (keys, vals)
            }
        };
        Self::flat(Keyed { keys: rows.0, vals: rows.1, times: self.times, diffs: self.diffs })
    }
}

/// The rows that begin something new; the first does.
fn starts(len: usize, new: impl Fn(usize) -> bool) -> Vec<u32> {
    // Written whether new or not, and kept only if so: as fast for rows of any kind, since nothing is predicted.
    let mut starts = vec![0u32; len];
    let mut count = 1;
    for row in 1..len {
        starts[count] = row as u32;
        count += usize::from(new(row));
    }
    starts.truncate(count);
    starts
}

/// Offsets that begin at `starts`, over `total` rows below.
fn offsets(mut starts: Vec<u32>, total: usize) -> Offsets {
    starts.push(total as u32);
    Offsets::Wide(starts).settled()
}
