//! The columns that a merge fills, and the ones it reads.
//!
//! Ranges are copied layer by layer, as whole ranges, wherever advancing their times can't make any of them vanish:
//! where each value has one update, or where `floor` changes no time. Elsewhere value by value. Where each *key* has one
//! update, keys that alternate are picked from both sides at once, column by column.
//!
//! Invariant: what is in the sink is a batch with layers, up to the values of a key that is still open.

use std::ops::Range;
use std::sync::Arc;

use super::settle::{self, Settle};
use super::{Batch, Offsets};
use crate::column::{Column, KeyIndex};
use crate::diff::{Diff, Diffs, OverflowAt};
use crate::layout::{Keys, Layout, Times, Vals};
use crate::time::TimeColumn;

/// A batch with layers that is being read: everything before `key` and `val` was.
pub(super) struct Source<L: Layout> {
    pub(super) batch: Arc<Batch<L>>,
    pub(super) key: usize,
    pub(super) val: usize,
    /// The one time of all its updates, advanced, in a row; no row if they differ.
    time: Times<L>,
}

impl<L: Layout> Source<L> {
    pub(super) fn new(batch: Arc<Batch<L>>, floor: &L::Time) -> Self {
        let batch = if batch.flat { Arc::new(batch.to_layered()) } else { batch };
        let mut time = Times::<L>::default();
        if batch.times.uniform().is_some() {
            time.extend_range(&batch.times, 0..1);
            time.join_rows(0..1, floor);
        }
        Source { batch, key: 0, val: 0, time }
    }

    /// A source of the same batch that has nothing left.
    pub(super) fn at_end(&self) -> Self {
        let Batch { keys, vals, .. } = &*self.batch;
        Source { batch: Arc::clone(&self.batch), key: keys.len(), val: vals.len(), time: self.time.clone() }
    }

    /// Whether nothing is left.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.key == self.batch.keys.len()
    }

    /// The one time of all updates, advanced, if they agree.
    pub(super) fn time(&self) -> Option<L::Time> {
        self.time.uniform()
    }

    /// The end of the values of the next key.
    pub(super) fn key_end(&self) -> usize {
        self.batch.values.below(self.key..self.key + 1).end
    }

    /// Goes past keys that have one value and one update each.
    fn skip_single(&mut self, keys: usize) {
        self.key += keys;
        self.val += keys;
    }

    /// The updates of a range of values.
    pub(super) fn updates(&self, vals: Range<usize>) -> Range<usize> {
        self.batch.updates.below(vals)
    }
}

/// The columns that a merge fills.
pub(super) struct Sink<L: Layout> {
    keys: Keys<L>,
    values: Offsets,
    vals: Vals<L>,
    updates: Offsets,
    times: Times<L>,
    diffs: Diffs<L::Diff>,
    /// The time of all updates, if it is known before: then `times` stays empty until the end.
    same_time: Option<L::Time>,
    floor: L::Time,
    /// How many values belong to keys that are closed.
    closed_vals: usize,
    /// How many values there was made room for.
    reserved_vals: usize,
    settle: Settle<L>,
}

impl<L: Layout> Sink<L> {
    pub(super) fn new(older: &Source<L>, newer: &Source<L>, floor: L::Time) -> Self {
        let (key_shape, val_shape) = older.batch.shapes();
        let room = |source: &Source<L>| (source.batch.keys.len() - source.key, source.batch.vals.len() - source.val);
        let ((older_keys, older_vals), (newer_keys, newer_vals)) = (room(older), room(newer));
        let (keys, vals) = (older_keys + newer_keys, older_vals + newer_vals);
        let offsets = |older: &Offsets, newer: &Offsets, rows: usize| match (older, newer) {
            (Offsets::Identity(_), Offsets::Identity(_)) => Offsets::default(),
            _ => Offsets::with_room(rows),
        };
        let mut sink: Self = Sink {
            keys: Keys::<L>::empty(&key_shape),
            values: offsets(&older.batch.values, &newer.batch.values, keys),
            vals: Vals::<L>::empty(&val_shape),
            updates: offsets(&older.batch.updates, &newer.batch.updates, vals),
            times: Times::<L>::default(),
            diffs: Diffs::default(),
            same_time: older.time().filter(|time| newer.time().as_ref() == Some(time)),
            floor,
            closed_vals: 0,
            reserved_vals: vals,
            settle: Settle::new(),
        };
        sink.keys.reserve(keys);
        sink.vals.reserve(vals);
        sink
    }

    /// Appends a range of a source's keys with all they have.
    #[inline]
    pub(super) fn extend_keys(&mut self, source: &Source<L>, keys: Range<usize>) -> Result<(), OverflowAt<L::Time>> {
        let batch = &source.batch;
        let vals = batch.values.below(keys.clone());
        if self.copies(source, vals.clone()) {
            self.keys.extend_range(&batch.keys, keys.clone());
            self.values.extend_range(&batch.values, keys);
            self.copy_vals(source, vals);
            self.closed_vals = self.vals.len();
            return Ok(());
        }
        for key in keys {
            self.extend_vals(source, batch.values.below(key..key + 1))?;
            self.close_key(source, key);
        }
        Ok(())
    }

    /// Whether keys can be merged by picking rows: each has one value and one update.
    pub(super) fn picks(older: &Source<L>, newer: &Source<L>) -> bool {
        let single = |source: &Source<L>| {
            let Batch { values, updates, .. } = &*source.batch;
            matches!((values, updates), (Offsets::Identity(_), Offsets::Identity(_)))
        };
        single(older) && single(newer)
    }

    /// Appends a key for each pick, the newer source's next one where it is true, and goes past it.
    pub(super) fn extend_picked(&mut self, older: &mut Source<L>, newer: &mut Source<L>, picks: &[bool]) {
        let (a, b) = (&older.batch, &newer.batch);
        self.keys.extend_picked(&a.keys, older.key, &b.keys, newer.key, picks);
        self.vals.extend_picked(&a.vals, older.val, &b.vals, newer.val, picks);
        self.values.extend_range(&a.values, 0..picks.len());
        self.updates.extend_range(&a.updates, 0..picks.len());
        self.closed_vals = self.vals.len();
        if self.same_time.is_none() {
            self.times.extend_picked((&a.times, older.val), (&b.times, newer.val), picks, &self.floor);
        }
        self.diffs.extend_picked((a.diffs.side(), older.val), (b.diffs.side(), newer.val), picks, Clone::clone);
        let newer_keys = picks.iter().filter(|&&pick| pick).count();
        newer.skip_single(newer_keys);
        older.skip_single(picks.len() - newer_keys);
    }

    /// Appends a range of a source's values, all of one key, which is still open.
    pub(super) fn extend_vals(&mut self, source: &Source<L>, vals: Range<usize>) -> Result<(), OverflowAt<L::Time>> {
        if self.copies(source, vals.clone()) {
            self.copy_vals(source, vals);
            return Ok(());
        }
        let mut val = vals.start;
        while val < vals.end {
            let single = |val: usize| source.updates(val..val + 1).len() == 1;
            let end = (val..vals.end).find(|&val| !single(val)).unwrap_or(vals.end);
            if end > val {
                self.copy_vals(source, val..end);
                val = end;
            } else {
                let none = source.updates(val..val).start;
                self.add_val([(source, val, source.updates(val..val + 1)), (source, val, none..none)])?;
                val += 1;
            }
        }
        Ok(())
    }

    /// Appends a value that both sources have, with the sum of its updates, unless nothing is left of them.
    #[inline]
    pub(super) fn add_val(&mut self, sides: [(&Source<L>, usize, Range<usize>); 2]) -> Result<(), OverflowAt<L::Time>> {
        let [(older, val, older_rows), (newer, _, newer_rows)] = sides;
        let count = if let Some(time) = &self.same_time {
            let sum = settle::sum([(&older.batch.diffs, older_rows), (&newer.batch.diffs, newer_rows)], time)?;
            let kept = !sum.is_zero();
            if kept {
                self.diffs.push(sum);
            }
            usize::from(kept)
        } else {
            let parts = [
                (&older.batch.times, &older.batch.diffs, older_rows),
                (&newer.batch.times, &newer.batch.diffs, newer_rows),
            ];
            self.settle.settle(&self.floor, parts, &mut self.times, &mut self.diffs)?
        };
        if count > 0 {
            self.vals.extend_range(&older.batch.vals, val..val + 1);
            self.updates.push(count);
        }
        Ok(())
    }

    /// Ends a key, whose values were appended; it is dropped if none of them was left.
    #[inline]
    pub(super) fn close_key(&mut self, source: &Source<L>, key: usize) {
        let count = self.vals.len() - self.closed_vals;
        if count > 0 {
            self.keys.extend_range(&source.batch.keys, key..key + 1);
            self.values.push(count);
            self.closed_vals = self.vals.len();
        }
    }

    /// Whether advancing leaves each of these values all its updates, in order.
    #[inline]
    fn copies(&self, source: &Source<L>, vals: Range<usize>) -> bool {
        let updates = source.updates(vals.clone());
        updates.len() == vals.len() || source.batch.times.are_past(updates, &self.floor)
    }

    /// Appends values with all their updates.
    #[inline]
    fn copy_vals(&mut self, source: &Source<L>, vals: Range<usize>) {
        let (batch, updates) = (&source.batch, source.updates(vals.clone()));
        self.vals.extend_range(&batch.vals, vals.clone());
        self.updates.extend_range(&batch.updates, vals);
        if self.same_time.is_none() {
            if source.time.is_empty() {
                self.times.extend_joined(&batch.times, updates.clone(), &self.floor);
            } else {
                self.times.extend_repeat(&source.time, 0, updates.len());
            }
        }
        self.diffs.extend_range(&batch.diffs, updates);
    }

    /// The batch of all that was appended; `None` if that is nothing.
    pub(super) fn finish(mut self) -> Option<Batch<L>> {
        if self.diffs.is_empty() {
            return None;
        }
        if let Some(time) = &self.same_time {
            self.times.push_repeat(time, self.diffs.len());
        }
        // Room was made for all that came in. If most of it cancelled, it is given back.
        if 2 * self.vals.len() < self.reserved_vals {
            let (key_shape, val_shape) = (self.keys.shape(), self.vals.shape());
            let (keys, vals) = (self.keys, self.vals);
            self.keys = Keys::<L>::empty(&key_shape);
            self.keys.extend_range(&keys, 0..keys.len());
            self.vals = Vals::<L>::empty(&val_shape);
            self.vals.extend_range(&vals, 0..vals.len());
        }
        let Sink { keys, values, vals, updates, times, diffs, .. } = self;
        let (values, updates) = (values.settled(), updates.settled());
        let index = KeyIndex::build(&keys);
        let net = matches!(updates, Offsets::Identity(_));
        let batch = Batch { keys, values, vals, updates, times, diffs, flat: false, net, index };
        let batch = if batch.len() < Batch::<L>::FLAT_UPDATES { batch.into_flat() } else { batch };
        if cfg!(debug_assertions) {
            batch.check();
        }
        Some(batch)
    }
}
