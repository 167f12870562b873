//! A batch from sorted rows, and from one form to the other.
//!
//! Tested in `batch_laws.rs`.

use std::sync::OnceLock;

use super::layers::Layers;
use super::{Batch, Offsets};
use crate::column::Column;
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
        let mut batch = Batch {
            keys,
            values,
            vals,
            updates,
            times,
            diffs,
            flat: true,
            net,
            index: None,
            inserts_only: OnceLock::new(),
        };
        // At one time, consolidated rows are distinct pairs.
        batch.net = net || (1..batch.len()).all(|row| !batch.same_pair(row - 1, row));
        batch
    }

    /// The rows with their layers formed, whatever their number.
    pub(super) fn layered(mut rows: Keyed<L>) -> Self {
        let (keys, vals) = rows.shapes();
        let mut layers = Layers::empty(&keys, &vals, rows.len());
        layers.push(&mut rows);
        layers.layered()
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
