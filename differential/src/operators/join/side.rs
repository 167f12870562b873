//! One side of a block while it is staged: values numbered as they are copied out of batches.
//!
//! ```text
//!   batch   key 7:  values p q, p with two updates          column of values    p   q
//!                                                           bridge's rows       0 0 1
//! ```
//!
//! A key comes from one batch, or from several: then its values are merged, so that equal ones get one number. Keys
//! that follow one another in their batch are copied together, a range a column; others are gathered, a column at a time.
//! Invariant: the values of a key are distinct, ascend, and are numbered by their rows in the column of values.
//! Cost: a copy a row. With several batches, a merge of the key's values by their prefixes; runs of values that one
//! batch holds alone are still copied together, so that a large batch under a few small ones stays a copy.
//! Tested in `join_laws.rs`.

use std::ops::Range;

use smallvec::SmallVec;

use super::bridge::JoinBridge;
use crate::batch::Batch;
use crate::column::Column;
use crate::diff::Diff;
use crate::layout::{Layout, Vals};
use crate::time::{Time, TimeColumn};

/// Keys with more updates than this are copied one by one, a range a column.
const LONG_KEY: usize = 64;

/// The values that one side's bridge numbers, and buffers.
pub(super) struct Values<L: Layout> {
    pub(super) column: Vals<L>,
    parts: Vec<Part>,
    val_rows: Vec<u32>,
    update_rows: Vec<u32>,
}

/// One side of a block while it is staged.
pub(super) struct Side<'a, L: Layout> {
    pub(super) values: &'a mut Values<L>,
    pub(super) bridge: &'a mut JoinBridge<L::Time, L::Diff>,
}

/// A value of a key in one of several batches.
struct Part {
    prefix: u64,
    batch: u32,
    /// The value's rows in the batch: one, or several in a flat batch.
    start: u32,
    end: u32,
}

impl<T: Time, R: Diff> JoinBridge<T, R> {
    /// Numbers the updates of rows of distinct values, `updates` in all, from `first` on.
    fn number_values<L: Layout>(&mut self, batch: &Batch<L>, vals: Range<usize>, updates: usize, first: u32) {
        let numbers = &mut self.edits.values;
        if updates == vals.len() {
            numbers.extend((first..).take(updates));
        } else {
            for (val, number) in vals.zip(first..) {
                numbers.extend(std::iter::repeat_n(number, batch.updates_of(val..val + 1).len()));
            }
        }
    }
}

impl<L: Layout> Values<L> {
    /// No rows, for values like those of `batch`.
    pub(super) fn like(batch: &Batch<L>) -> Self {
        let column = Vals::<L>::empty(&batch.vals().shape());
        Values { column, parts: Vec::new(), val_rows: Vec::new(), update_rows: Vec::new() }
    }
}

impl<L: Layout> Side<'_, L> {
    /// The number of updates staged.
    pub(super) fn len(&self) -> usize {
        self.bridge.len()
    }

    /// Ends a block: its values were numbered by their rows.
    pub(super) fn number(&mut self) {
        self.bridge.values = self.values.column.len() as u32;
    }

    /// Adds keys of `batch`, given their first rows of its key column, in order.
    pub(super) fn extend_keys(&mut self, batch: &Batch<L>, keys: &[u32]) {
        let (first, last) = (keys[0] as usize, keys[keys.len() - 1] as usize);
        if batch.is_flat() && batch.is_net() {
            self.extend_net(batch, keys);
        } else if batch.is_flat() {
            keys.iter().for_each(|&key| self.extend_flat(batch, batch.run(key as usize)));
        } else if last - first + 1 == keys.len() {
            self.extend_run(batch, first..last + 1);
        } else {
            self.extend_scattered(batch, keys);
        }
    }

    /// Adds keys of a flat batch in which no value of a key repeats. Those that follow one another are copied together.
    fn extend_net(&mut self, batch: &Batch<L>, keys: &[u32]) {
        let (mut end, first) = (self.len(), keys[0] as usize);
        let mut rows = first..first;
        for &key in keys {
            let run = batch.run(key as usize);
            end += run.len();
            self.bridge.ends.push(end as u32);
            if rows.end == run.start {
                rows.end = run.end;
            } else {
                self.extend_values(batch, rows);
                rows = run;
            }
        }
        self.extend_values(batch, rows);
    }

    /// Adds a key of a flat batch, in which values may repeat.
    fn extend_flat(&mut self, batch: &Batch<L>, keys: Range<usize>) {
        let vals = batch.vals_of(keys);
        for val in vals.clone() {
            if val > vals.start && batch.vals().compare(val - 1, batch.vals(), val).is_eq() {
                self.extend_same_value(batch, val..val + 1);
            } else {
                self.extend_values(batch, val..val + 1);
            }
        }
        self.bridge.ends.push(self.len() as u32);
    }

    /// Adds keys that follow one another in a batch with layers.
    fn extend_run(&mut self, batch: &Batch<L>, keys: Range<usize>) {
        let first = self.len();
        let vals = batch.vals_of(keys.clone());
        let updates = self.extend_values(batch, vals.clone());
        let row_of = |update: usize| (first + update - updates.start) as u32;
        let ends = &mut self.bridge.ends;
        if vals.len() == keys.len() && updates.len() == keys.len() {
            ends.extend(first as u32 + 1..=row_of(updates.end));
        } else {
            ends.extend(keys.map(|key| row_of(batch.updates_of(batch.vals_of(key..key + 1)).end)));
        }
    }

    /// Adds keys from here and there in a batch with layers: their rows are noted, then gathered a column at a time.
    fn extend_scattered(&mut self, batch: &Batch<L>, keys: &[u32]) {
        if batch.keys().len() == batch.len() {
            // One value a key and one update a value: rows have one number in all columns.
            let (first, value) = (self.len() as u32, self.values.column.len() as u32);
            self.bridge.ends.extend((first + 1..).take(keys.len()));
            self.bridge.edits.values.extend((value..).take(keys.len()));
            return self.gather(batch, keys, keys);
        }
        let (mut val_rows, mut update_rows) =
            (std::mem::take(&mut self.values.val_rows), std::mem::take(&mut self.values.update_rows));
        for &key in keys {
            let vals = batch.vals_of(key as usize..key as usize + 1);
            let updates = batch.updates_of(vals.clone());
            if updates.len() > LONG_KEY {
                self.gather(batch, &val_rows, &update_rows);
                val_rows.clear();
                update_rows.clear();
                self.extend_run(batch, key as usize..key as usize + 1);
            } else {
                let first = (self.values.column.len() + val_rows.len()) as u32;
                self.bridge.number_values(batch, vals.clone(), updates.len(), first);
                self.bridge.ends.push(self.bridge.edits.values.len() as u32);
                val_rows.extend(vals.start as u32..vals.end as u32);
                update_rows.extend(updates.start as u32..updates.end as u32);
            }
        }
        self.gather(batch, &val_rows, &update_rows);
        val_rows.clear();
        update_rows.clear();
        (self.values.val_rows, self.values.update_rows) = (val_rows, update_rows);
    }

    /// Adds rows of values and of updates that are numbered already.
    fn gather(&mut self, batch: &Batch<L>, val_rows: &[u32], update_rows: &[u32]) {
        self.values.column.extend_gather(batch.vals(), val_rows);
        self.bridge.edits.times.extend_gather(batch.times(), update_rows);
        self.bridge.edits.diffs.extend_gather(batch.diffs(), update_rows);
    }

    /// Adds one key that several batches hold: each with its rows of the key column there.
    pub(super) fn extend_merged<'a>(&mut self, holders: impl Iterator<Item = (&'a Batch<L>, Range<usize>)> + Clone) {
        let mut parts = std::mem::take(&mut self.values.parts);
        let batches: SmallVec<[&Batch<L>; 8]> = holders.clone().map(|(batch, _)| batch).collect();
        for (index, (batch, keys)) in holders.enumerate() {
            let flat = keys.len() > 1;
            let vals = batch.vals_of(keys);
            let first = parts.len();
            for val in vals {
                if flat && parts.len() > first && batch.vals().compare(val - 1, batch.vals(), val).is_eq() {
                    parts[first..].last_mut().expect("more parts than before this batch").end += 1;
                } else {
                    let prefix = batch.vals().prefix(val);
                    parts.push(Part { prefix, batch: index as u32, start: val as u32, end: val as u32 + 1 });
                }
            }
        }
        let compare = |a: &Part, b: &Part| {
            let (left, right) = (batches[a.batch as usize].vals(), batches[b.batch as usize].vals());
            a.prefix.cmp(&b.prefix).then_with(|| match left.exact_prefix() {
                true => std::cmp::Ordering::Equal,
                false => left.compare(a.start as usize, right, b.start as usize),
            })
        };
        // A stable sort finds the batches' runs and merges them.
        parts.sort_by(compare);
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            let batch = batches[part.batch as usize];
            if at > 0 && compare(&parts[at - 1], part).is_eq() {
                self.extend_same_value(batch, part.start as usize..part.end as usize);
                at += 1;
                continue;
            }
            // All values up to the next one from another batch; of a flat batch, only those with one update.
            let follows = |pair: &[Part]| {
                pair[1].batch == pair[0].batch && pair[0].end == pair[0].start + 1 && pair[1].end == pair[1].start + 1
            };
            let run = 1 + parts[at..].windows(2).take_while(|pair| follows(pair)).count();
            let start = part.start as usize;
            self.extend_values(batch, start..start + run);
            if run == 1 {
                self.extend_same_value(batch, start + 1..part.end as usize);
            }
            at += run;
        }
        self.bridge.ends.push(self.len() as u32);
        parts.clear();
        self.values.parts = parts;
    }

    /// Adds rows of distinct values with their updates; the rows of updates that those were.
    fn extend_values(&mut self, batch: &Batch<L>, vals: Range<usize>) -> Range<usize> {
        let first = self.values.column.len() as u32;
        self.values.column.extend_range(batch.vals(), vals.clone());
        let updates = self.extend_updates(batch, vals.clone());
        self.bridge.number_values(batch, vals, updates.len(), first);
        updates
    }

    /// Adds the updates of rows that hold the value added last.
    fn extend_same_value(&mut self, batch: &Batch<L>, vals: Range<usize>) {
        let number = self.values.column.len() as u32 - 1;
        let updates = self.extend_updates(batch, vals);
        self.bridge.edits.values.extend(std::iter::repeat_n(number, updates.len()));
    }

    fn extend_updates(&mut self, batch: &Batch<L>, vals: Range<usize>) -> Range<usize> {
        let updates = batch.updates_of(vals);
        self.bridge.edits.times.extend_range(batch.times(), updates.clone());
        self.bridge.edits.diffs.extend_range(batch.diffs(), updates.clone());
        updates
    }
}
