//! One key's history out of all batches, with ranks in place of values.
//!
//! ```text
//!   batch 0   key: a@1 +1, c@1 +1        values  a b c        edits  (0, 1, +1) (2, 1, +1)
//!   batch 1   key: b@2 +1, c@3 -1                                    (1, 2, +1) (2, 3, -1)
//! ```
//!
//! A *rank* is a value's place among the key's values in ascending order: the mathematics compares ranks, and only the
//! user's logic sees values. Times are advanced by the interval's lower as they are read. Cursors only move forward, as
//! keys are asked for in ascending order.

use std::sync::Arc;

use crate::batch::Batch;
use crate::column::Column;
use crate::history::Edits;
use crate::layout::{Key, Keys, Layout, Val};
use crate::time::{Frontier, Point, TimeColumn};

/// The batches of a trace, and how far each has been read.
pub(super) struct History<L: Layout> {
    pub(super) batches: Vec<Arc<Batch<L>>>,
    pub(super) at: Vec<usize>,
}

impl<L: Layout> History<L> {
    pub(super) fn new(batches: Vec<Arc<Batch<L>>>) -> Self {
        History { at: vec![0; batches.len()], batches }
    }
}

/// Reads the history of `key` out of `batches`: its values in order, and its edits by rank.
pub(super) fn gather<'a, L: Layout<Time = Point>>(
    batches: &'a [Arc<Batch<L>>],
    at: &mut [usize],
    key: Key<'_, L>,
    lower: &Frontier<Point>,
    values: &mut Vec<Val<'a, L>>,
    edits: &mut Edits<Point, L::Diff>,
) {
    values.clear();
    edits.clear();
    let mut sources = 0;
    for (batch, at) in batches.iter().zip(at) {
        *at = batch.seek(*at, key);
        if *at == batch.keys().len() || Keys::<L>::reborrow(batch.keys().get(*at)) != Keys::<L>::reborrow(key) {
            continue;
        }
        sources += 1;
        let mut last = None;
        for val in batch.vals_of(batch.run(*at)) {
            let value = batch.vals().get(val);
            // Within a batch values ascend, and repeat where it is flat.
            if last != Some(value) {
                values.push(value);
                last = Some(value);
            }
            for update in batch.updates_of(val..val + 1) {
                let mut time = batch.times().get(update);
                lower.advance(&mut time);
                edits.push(values.len() as u32 - 1, time, batch.diffs().get(update).clone());
            }
        }
    }
    if sources > 1 {
        rank(values, edits);
    }
}

/// Puts values of several batches in order, each once, and renames the ranks in `edits`.
fn rank<V: Ord + Copy, R: crate::diff::Diff>(values: &mut Vec<V>, edits: &mut Edits<Point, R>) {
    if values.is_sorted_by(|a, b| a < b) {
        return;
    }
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by_key(|&at| values[at as usize]);
    let mut renamed = vec![0; values.len()];
    let mut distinct: Vec<V> = Vec::with_capacity(values.len());
    for at in order {
        let value = values[at as usize];
        if distinct.last() != Some(&value) {
            distinct.push(value);
        }
        renamed[at as usize] = distinct.len() as u32 - 1;
    }
    *values = distinct;
    edits.rename(|rank| renamed[rank as usize]);
}
