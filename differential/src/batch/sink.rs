//! The columns that a merge fills, and the ones it reads.
//!
//! Keys and values are appended as they are found, run by run. Times and diffs are noted as copies to make, by rows of each side's
//! excerpt, and copied when an excerpt moves on, a column at a time. Keys that alternate come as a block, whose keys and
//! values are picked from both sides at once.
//!
//! Invariant: what is in the sink and noted as copies is a batch with layers, up to the values of a key that is still open.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::copies::{Copies, View};
use super::excerpt::Excerpt;
use super::gallop::partition;
use super::{Batch, Offsets};
use crate::column::{Column, KeyIndex};
use crate::diff::{Diffs, OverflowAt};
use crate::layout::{Keys, Layout, Times, Vals};
use crate::time::{Pick, TimeColumn};

/// As many updates are shown by an excerpt, if no pair has more.
pub(super) const EXCERPT: usize = 256;
/// So many updates in a row are copied at once, column by column; fewer wait until there are more.
const LONG: usize = 32;

/// A batch with layers that is being read: everything before `key` and `val` was.
pub(super) struct Source<L: Layout> {
    pub(super) batch: Arc<Batch<L>>,
    pub(super) key: usize,
    pub(super) val: usize,
    excerpt: Excerpt<L>,
}

impl<L: Layout> Source<L> {
    pub(super) fn new(batch: Arc<Batch<L>>) -> Self {
        let batch = if batch.flat { Arc::new(batch.to_layered()) } else { batch };
        Source { batch, key: 0, val: 0, excerpt: Excerpt::empty() }
    }

    /// A source of the same batch that has nothing left.
    pub(super) fn at_end(&self) -> Self {
        let Batch { keys, vals, .. } = &*self.batch;
        Source { batch: Arc::clone(&self.batch), key: keys.len(), val: vals.len(), excerpt: Excerpt::empty() }
    }

    /// Whether nothing is left.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.key == self.batch.keys.len()
    }

    /// The values of a range of keys.
    #[inline]
    pub(super) fn vals(&self, keys: Range<usize>) -> Range<usize> {
        self.batch.values.below(keys)
    }

    /// The updates of a range of values.
    #[inline]
    pub(super) fn updates(&self, vals: Range<usize>) -> Range<usize> {
        self.batch.updates.below(vals)
    }

    /// The updates of the next value.
    #[inline]
    pub(super) fn next_updates(&self) -> Range<usize> {
        self.updates(self.val..self.val + 1)
    }

    /// The end of the next keys that have at most so many updates together.
    pub(super) fn keys_within(&self, most: usize) -> usize {
        let keys = self.key..self.batch.keys.len().min(self.key + most);
        let limit = self.updates(self.vals(self.key..self.key)).start + most;
        let within = |keys: Range<usize>| self.updates(self.vals(keys)).end <= limit;
        if within(keys.clone()) { keys.end } else { partition(keys, |key| within(key..key + 1)) }
    }

    /// The end of the values whose updates all come before `limit` and are in the excerpt in order.
    #[inline]
    pub(super) fn ready(&self, vals: Range<usize>, limit: usize) -> usize {
        let limit = limit.min(self.excerpt.end());
        let end = match self.updates(vals.clone()).end <= limit {
            true => vals.end,
            false => partition(vals.clone(), |val| self.updates(val..val + 1).end <= limit),
        };
        if self.all_ordered() {
            return end;
        }
        let ordered = |val| self.excerpt.is_ordered(self.excerpt.place(self.updates(val..val + 1)));
        (vals.start..end).find(|&val| !ordered(val)).unwrap_or(end)
    }

    /// Whether each value's updates in the excerpt are in order.
    #[inline]
    pub(super) fn all_ordered(&self) -> bool {
        self.excerpt.all_ordered()
    }

    fn view(&self) -> View<'_, L> {
        (&self.excerpt, &self.batch)
    }

    /// Goes past keys that have one value and one update each.
    fn skip_single(&mut self, keys: usize) {
        self.key += keys;
        self.val += keys;
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
    /// Updates that are still to be copied.
    copies: Copies<L>,
    floor: L::Time,
    /// How many values belong to keys that are closed.
    closed_vals: usize,
}

impl<L: Layout> Sink<L> {
    pub(super) fn new([older, newer]: &[Source<L>; 2], floor: L::Time) -> Self {
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
            copies: Copies::new(),
            floor,
            closed_vals: 0,
        };
        sink.keys.reserve(keys);
        sink.vals.reserve(vals);
        sink
    }

    /// Has a side's excerpt show these updates, and some more that come next.
    #[inline]
    pub(super) fn show(&mut self, sides: &mut [Source<L>; 2], side: usize, updates: Range<usize>, more: usize) {
        if sides[side].excerpt.holds(&updates) {
            return;
        }
        // What is noted is said by numbers of the excerpts.
        self.copy(sides);
        let Source { batch, excerpt, .. } = &mut sides[side];
        let end = batch.len().min(updates.start + more.min(EXCERPT)).max(updates.end);
        excerpt.open(batch, updates.start..end, &self.floor);
    }

    /// Appends a range of a side's keys with all they have, which its excerpt shows in order.
    #[inline]
    pub(super) fn extend_keys(&mut self, sides: &[Source<L>; 2], side: usize, keys: Range<usize>) {
        let source = &sides[side];
        self.keys.extend_range(&source.batch.keys, keys.clone());
        self.values.extend_range(&source.batch.values, keys.clone());
        self.extend_vals(sides, side, source.vals(keys));
        self.closed_vals = self.vals.len();
    }

    /// Appends a range of a side's values, all of one key, which is still open; its excerpt shows their updates in order.
    #[inline]
    pub(super) fn extend_vals(&mut self, sides: &[Source<L>; 2], side: usize, vals: Range<usize>) {
        let source = &sides[side];
        self.vals.extend_range(&source.batch.vals, vals.clone());
        self.updates.extend_range(&source.batch.updates, vals.clone());
        let updates = source.updates(vals);
        let place = source.excerpt.place(updates.clone());
        if updates.len() < LONG {
            self.copies.note(side, place);
        } else {
            self.copy(sides);
            self.times.extend_range(source.excerpt.times(), place);
            self.diffs.extend_range(&source.batch.diffs, updates);
        }
    }

    /// Appends the next value of the sides that `have` it, with the sum of its updates, unless nothing is left of them.
    #[inline]
    pub(super) fn add_val(&mut self, sides: &[Source<L>; 2], have: [bool; 2]) -> Result<(), OverflowAt<L::Time>> {
        let count = self.note_val(sides, have)?;
        if count > 0 {
            let Source { batch, val, .. } = &sides[usize::from(!have[0])];
            self.vals.extend_range(&batch.vals, *val..*val + 1);
            self.updates.push(count);
        }
        Ok(())
    }

    /// Notes the updates of a side's next value, which its excerpt shows in order; how many there are.
    #[inline]
    pub(super) fn note_ordered(&mut self, source: &Source<L>, side: usize) -> usize {
        let place = source.excerpt.place(source.next_updates());
        let count = place.len();
        self.copies.note(side, place);
        count
    }

    /// Notes the sum of the updates of the next value of the sides that `have` it; how many there are.
    #[inline]
    pub(super) fn note_val(&mut self, sides: &[Source<L>; 2], have: [bool; 2]) -> Result<usize, OverflowAt<L::Time>> {
        let [older, newer] = sides;
        let place =
            |source: &Source<L>, has: bool| if has { source.excerpt.place(source.next_updates()) } else { 0..0 };
        let places = [place(older, have[0]), place(newer, have[1])];
        self.copies.settle([older.view(), newer.view()], places)
    }

    /// Ends the next key of a side, whose values were appended; it is dropped if none of them was left.
    #[inline]
    pub(super) fn close_key(&mut self, source: &Source<L>) {
        let count = self.vals.len() - self.closed_vals;
        if count > 0 {
            self.keys.extend_range(&source.batch.keys, source.key..source.key + 1);
            self.values.push(count);
            self.closed_vals = self.vals.len();
        }
    }

    /// Copies what is noted.
    fn copy(&mut self, [older, newer]: &[Source<L>; 2]) {
        self.copies.copy([older.view(), newer.view()], &mut self.times, &mut self.diffs);
    }

    /// Whether each key has one value and one update.
    pub(super) fn is_single(sides: &[Source<L>; 2]) -> bool {
        sides.iter().all(|source| {
            let Batch { values, updates, .. } = &*source.batch;
            matches!((values, updates), (Offsets::Identity(_), Offsets::Identity(_)))
        })
    }

    /// Appends keys with one value and one update each, and goes past them. None is on both sides.
    pub(super) fn extend_single(&mut self, sides: &mut [Source<L>; 2], picks: &[Pick]) {
        self.copy(sides);
        let [older, newer] = sides;
        let (a, b) = (&older.batch, &newer.batch);
        self.keys.extend_picked(&a.keys, older.key, &b.keys, newer.key, picks);
        self.vals.extend_picked(&a.vals, older.val, &b.vals, newer.val, picks);
        self.values.extend_range(&a.values, 0..picks.len());
        self.updates.extend_range(&a.updates, 0..picks.len());
        self.closed_vals = self.vals.len();
        self.times.extend_picked((&a.times, older.val), (&b.times, newer.val), picks, &self.floor);
        self.diffs.extend_picked((a.diffs.side(), older.val), (b.diffs.side(), newer.val), picks);
        let newer_keys = picks.iter().filter(|pick| **pick == Pick::Right).count();
        newer.skip_single(newer_keys);
        older.skip_single(picks.len() - newer_keys);
    }

    /// Appends keys and values from these rows of each side on, but for what has nothing left: for each of them its side,
    /// and how many it has of what is below. Their updates were noted.
    pub(super) fn extend_block(
        &mut self,
        [older, newer]: &[Source<L>; 2],
        [(older_key, older_val), (newer_key, newer_val)]: [(usize, usize); 2],
        (keys, values): (&[Pick], &[u32]),
        (vals, updates): (&[Pick], &[u32]),
    ) {
        let (a, b) = (&older.batch, &newer.batch);
        for_left(keys, values, [older_key, newer_key], |[left, right], picks| {
            self.keys.extend_picked(&a.keys, left, &b.keys, right, picks);
        });
        for_left(vals, updates, [older_val, newer_val], |[left, right], picks| {
            self.vals.extend_picked(&a.vals, left, &b.vals, right, picks);
        });
        self.values.extend_counts(values);
        self.updates.extend_counts(updates);
        self.closed_vals = self.vals.len();
    }

    /// The batch of all that was appended; `None` if that is nothing.
    pub(super) fn finish(mut self, sides: &[Source<L>; 2]) -> Option<Batch<L>> {
        self.copy(sides);
        if self.diffs.is_empty() {
            return None;
        }
        // Room was made for all that came in; what cancelled leaves some, and so does growing by doubling.
        self.keys.fit();
        self.vals.fit();
        self.times.fit();
        self.diffs.fit();
        let Sink { keys, values, vals, updates, times, diffs, .. } = self;
        let (values, updates) = (values.settled(), updates.settled());
        let index = KeyIndex::build(&keys);
        let net = matches!(updates, Offsets::Identity(_));
        let batch =
            Batch { keys, values, vals, updates, times, diffs, flat: false, net, index, inserts_only: OnceLock::new() };
        let batch = if batch.len() < Batch::<L>::FLAT_UPDATES { batch.into_flat() } else { batch };
        if cfg!(debug_assertions) {
            batch.check();
        }
        Some(batch)
    }
}

/// Tells of the picks between those that have nothing below: where they begin on each side, and which they are.
fn for_left(mut picks: &[Pick], counts: &[u32], mut from: [usize; 2], mut each: impl FnMut([usize; 2], &[Pick])) {
    for run in counts.split_inclusive(|count| *count == 0) {
        let (here, rest) = picks.split_at(run.len());
        each(from, &here[..run.len() - usize::from(run.ends_with(&[0]))]);
        let [left, right] = &mut from;
        here.iter().for_each(|pick| pick.pass(left, right));
        picks = rest;
    }
}
