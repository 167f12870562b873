//! What is true of every batch.
//!
//! Debug builds check each batch that is built or merged; tests check all they make. A batch that fails is our own
//! mistake, so it is an assertion that prints what it found, never an error.

use std::cmp::Ordering;

use super::{Batch, Offsets};
use crate::column::Column;
use crate::diff::Diff;
use crate::layout::Layout;
use crate::time::TimeColumn;

impl<L: Layout> Batch<L> {
    /// Asserts what is true of every batch:
    ///
    /// 1. There is at least one update, and no diff is zero.
    /// 2. The batch is flat exactly if it has fewer than [`FLAT_UPDATES`](Batch::FLAT_UPDATES) updates; a flat one
    ///    stores no offsets.
    /// 3. Every key has a value and every value an update; the layers have as many rows as the offsets say.
    /// 4. Offsets that say "one each" are not stored.
    /// 5. Keys ascend, values ascend within their key, times (in the total order) within their value. In a flat batch
    ///    that is the order of rows by (key, value, time); else keys are distinct, and values within their key. No two
    ///    updates agree in all three.
    /// 6. The batch says that it is net exactly if every pair of key and value has one update.
    /// 7. If it was asked whether every diff is positive, it knows that rightly.
    ///
    /// Panics with what it found. Cost: linear, with a comparison for each row of each layer.
    pub fn check(&self) {
        let len = self.diffs.len();
        assert!(len > 0, "1: a batch without updates");
        assert!(self.diffs.iter().all(|diff| !diff.is_zero()), "1: a diff of zero in {self:?}");
        if let Some(known) = self.inserts_only.get() {
            assert_eq!(*known, self.diffs.iter().all(|diff| diff > L::Diff::zero()), "7: diffs of {self:?}");
        }

        assert_eq!(self.flat, len < Self::FLAT_UPDATES, "2: the form of a batch of {len} updates");
        let stored = [&self.values, &self.updates].map(|offsets| matches!(offsets, Offsets::Wide(_)));
        assert!(!self.flat || stored == [false, false], "2: offsets in a flat batch");

        let rows = [self.keys.len(), self.vals.len(), self.times.len()];
        assert_eq!(rows, [self.values.len(), self.updates.len(), len], "3: rows of keys, values, times");
        assert_eq!([self.values.total(), self.updates.total()], [rows[1], len], "3: what the offsets cover");
        for offsets in [&self.values, &self.updates] {
            if let Offsets::Wide(starts) = offsets {
                assert_eq!(starts[0], 0, "3: offsets begin with zero");
                assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "3: a row that owns nothing in {offsets:?}");
                assert!(offsets.total() > offsets.len(), "4: offsets stored for one row each");
            }
        }

        if self.flat {
            (1..len).for_each(|row| {
                let order = (self.key_order(row)).then_with(|| self.val_order(row)).then_with(|| self.time_order(row));
                assert!(order.is_lt(), "5: rows {} and {row} of {self:?}", row - 1);
            });
            let distinct = (1..len).all(|row| !self.same_pair(row - 1, row));
            assert_eq!(self.net, distinct, "6: a pair has one update in {self:?}");
        } else {
            assert_eq!(self.net, rows[1] == len, "6: {} values have {len} updates", rows[1]);
            (1..rows[0]).for_each(|row| assert!(self.key_order(row).is_lt(), "5: keys {} and {row}", row - 1));
            for key in 0..rows[0] {
                let vals = self.vals_of(key..key + 1);
                vals.skip(1).for_each(|row| {
                    assert!(self.val_order(row).is_lt(), "5: values {} and {row} of key row {key}", row - 1);
                });
            }
            for val in 0..rows[1] {
                let updates = self.updates_of(val..val + 1);
                updates.skip(1).for_each(|row| {
                    assert!(self.time_order(row).is_lt(), "5: updates {} and {row} of value row {val}", row - 1);
                });
            }
        }
    }

    fn key_order(&self, row: usize) -> Ordering {
        self.keys.compare(row - 1, &self.keys, row)
    }

    fn val_order(&self, row: usize) -> Ordering {
        self.vals.compare(row - 1, &self.vals, row)
    }

    fn time_order(&self, row: usize) -> Ordering {
        self.times.compare(row - 1, &self.times, row)
    }
}
