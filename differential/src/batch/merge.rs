//! Merges two neighbouring batches a little at a time.
//!
//! ```text
//!   older   a  c  d  e  h                  older   a  c  d  e ,
//!   newer   f  g                newer keys run out, or one key is on both sides: its values are merged alike
//!                               a | c d e | f g | h     whole runs of keys are copied, layer by layer
//! ```
//!
//! A run is found by galloping and copied as a range, so a small batch merged into a large one costs little more than
//! the copy. A pair on both sides has its updates added up, at times advanced by `since`. Where neither side is much
//! larger, runs are a key or two long and guessing their ends costs more than copying them: so a block of keys is
//! compared first, without a branch on the outcome, and then each column is picked from both sides in one loop.
//!
//! Invariant: everything before the two places in the inputs is in the sink: sorted and consolidated, with times
//! advanced to `since`. Cost: each update of the inputs is charged once. A call spends its effort, and at most what one
//! pair's updates cost beyond it: a pair is never split.
//! Why not all at once: a merge of 10^8 updates would stop the worker for seconds.
//! Tested in `merge_laws.rs`: any split of the effort gives the batch that one sort would.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::gallop::gallop;
use super::sink::{Sink, Source};
use super::{Batch, small};
use crate::column::Column;
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::Frontier;

/// Keys are picked, not copied as runs, while neither side has this many times as many as the other.
const ALIKE: usize = 8;
/// Keys compared before they are picked, and fewer than this many in a row are not worth it.
const BLOCK: usize = 1024;
const BLOCK_AT_LEAST: usize = 16;

/// Two batches on their way to be one.
pub struct Merge<L: Layout> {
    /// What times are advanced to: the meet of `since`, as advancing by a frontier is joining with its meet. None if nobody
    /// can read any more.
    floor: Option<L::Time>,
    older: Arc<Batch<L>>,
    newer: Option<Arc<Batch<L>>>,
    /// How far that has come; nothing of it before the first step, and never for two flat batches.
    layers: Option<Box<Layers<L>>>,
}

/// What a merge is after some work: finished, or itself again.
pub enum Progress<L: Layout> {
    /// The merged batch; none if everything cancelled.
    Done(Option<Batch<L>>),
    /// There is more to do.
    More(Merge<L>),
}

/// A merge of batches with layers.
struct Layers<L: Layout> {
    older: Source<L>,
    newer: Source<L>,
    sink: Sink<L>,
    /// The key whose values are being merged; none between keys.
    open: Option<OpenKey>,
    /// Room for which side each next key is on, if keys may be picked.
    picks: Option<Vec<bool>>,
}

/// A key some of whose values were merged: where its values end on each side, if that side has it.
#[derive(Clone, Copy)]
struct OpenKey {
    older_end: Option<usize>,
    newer_end: Option<usize>,
}

impl<L: Layout> Merge<L> {
    /// Begins to merge two batches, the older one's updates before the newer one's, with times advanced by `since`.
    pub fn new(older: Arc<Batch<L>>, newer: Arc<Batch<L>>, since: Frontier<L::Time>) -> Self {
        Merge { floor: since.meet(), older, newer: Some(newer), layers: None }
    }

    /// Begins to rewrite one batch with times advanced by `since`.
    pub fn rewrite(batch: Arc<Batch<L>>, since: Frontier<L::Time>) -> Self {
        Merge { floor: since.meet(), older: batch, newer: None, layers: None }
    }

    /// The updates that go in: what the whole merge costs.
    pub fn cost(&self) -> usize {
        self.older.len() + self.newer.as_ref().map_or(0, |newer| newer.len())
    }

    /// Works until `effort`, counted in updates of the inputs, is spent, or until done.
    ///
    /// With the empty frontier as `since` nobody can read any more: nothing is left, at no cost. A merge that fails is
    /// lost; its inputs are as they were.
    pub fn advance(mut self, effort: &mut usize) -> Result<Progress<L>, OverflowAt<L::Time>> {
        let Some(floor) = &self.floor else { return Ok(Progress::Done(None)) };
        if *effort == 0 {
            return Ok(Progress::More(self));
        }
        if self.older.flat && self.newer.as_ref().is_none_or(|newer| newer.flat) {
            *effort = effort.saturating_sub(self.cost());
            return Ok(Progress::Done(small::merge(&self.older, self.newer.as_deref(), floor)?));
        }
        let mut layers = self.layers.take().unwrap_or_else(|| Box::new(Layers::new(&self, floor)));
        while *effort > 0 && !layers.is_done() {
            match layers.open {
                None => layers.step_keys(effort)?,
                Some(open) => layers.step_vals(open, effort)?,
            }
        }
        if layers.is_done() {
            return Ok(Progress::Done(layers.sink.finish()));
        }
        self.layers = Some(layers);
        Ok(Progress::More(self))
    }
}

impl<L: Layout> Layers<L> {
    fn new(merge: &Merge<L>, floor: &L::Time) -> Self {
        let older = Source::new(Arc::clone(&merge.older), floor);
        let newer = match &merge.newer {
            Some(newer) => Source::new(Arc::clone(newer), floor),
            None => older.at_end(),
        };
        let sink = Sink::new(&older, &newer, floor.clone());
        let keys = [older.batch.keys.len(), newer.batch.keys.len()];
        let alike = keys[0].max(keys[1]) < ALIKE * keys[0].min(keys[1]);
        let picks = (alike && Sink::picks(&older, &newer)).then(|| Vec::with_capacity(BLOCK));
        Layers { older, newer, sink, open: None, picks }
    }

    fn is_done(&self) -> bool {
        self.older.is_done() && self.newer.is_done()
    }

    /// Copies runs of keys until the effort is spent or a key opens.
    fn step_keys(&mut self, effort: &mut usize) -> Result<(), OverflowAt<L::Time>> {
        let Layers { older, newer, sink, open, picks } = self;
        while *effort > 0 && open.is_none() {
            if let Some(picks) = picks
                && pick(older, newer, *effort, picks)
            {
                *effort -= picks.len();
                sink.extend_picked(older, newer, picks);
                continue;
            }
            let (older_keys, newer_keys) = (&older.batch.keys, &newer.batch.keys);
            let order = match (older.is_done(), newer.is_done()) {
                (true, true) => break,
                (false, true) => Ordering::Less,
                (true, false) => Ordering::Greater,
                (false, false) => older_keys.compare(older.key, newer_keys, newer.key),
            };
            match order {
                Ordering::Less => {
                    let end = run_end(older_keys, older.key..older_keys.len(), newer_keys, newer.key);
                    let older_end = copy_keys(sink, older, end, effort)?;
                    *open = older_end.map(|_| OpenKey { older_end, newer_end: None });
                }
                Ordering::Greater => {
                    let end = run_end(newer_keys, newer.key..newer_keys.len(), older_keys, older.key);
                    let newer_end = copy_keys(sink, newer, end, effort)?;
                    *open = newer_end.map(|_| OpenKey { older_end: None, newer_end });
                }
                Ordering::Equal => {
                    *open = Some(OpenKey { older_end: Some(older.key_end()), newer_end: Some(newer.key_end()) });
                }
            }
        }
        Ok(())
    }

    /// Merges the values of the open key until the effort is spent or the key is closed.
    fn step_vals(&mut self, key: OpenKey, effort: &mut usize) -> Result<(), OverflowAt<L::Time>> {
        let Layers { older, newer, sink, open, .. } = self;
        let older_end = key.older_end.unwrap_or(older.val);
        let newer_end = key.newer_end.unwrap_or(newer.val);
        while *effort > 0 {
            let (older_vals, newer_vals) = (&older.batch.vals, &newer.batch.vals);
            let order = match (older.val == older_end, newer.val == newer_end) {
                (true, true) => {
                    let source = if key.older_end.is_some() { &older } else { &newer };
                    sink.close_key(source, source.key);
                    older.key += usize::from(key.older_end.is_some());
                    newer.key += usize::from(key.newer_end.is_some());
                    *open = None;
                    break;
                }
                (false, true) => Ordering::Less,
                (true, false) => Ordering::Greater,
                (false, false) => older_vals.compare(older.val, newer_vals, newer.val),
            };
            match order {
                Ordering::Less => {
                    let end = match newer.val == newer_end {
                        true => older_end,
                        false => run_end(older_vals, older.val..older_end, newer_vals, newer.val),
                    };
                    copy_vals(sink, older, end, effort)?;
                }
                Ordering::Greater => {
                    let end = match older.val == older_end {
                        true => newer_end,
                        false => run_end(newer_vals, newer.val..newer_end, older_vals, older.val),
                    };
                    copy_vals(sink, newer, end, effort)?;
                }
                Ordering::Equal => {
                    let older_rows = older.updates(older.val..older.val + 1);
                    let newer_rows = newer.updates(newer.val..newer.val + 1);
                    *effort = effort.saturating_sub(older_rows.len() + newer_rows.len());
                    sink.add_val([(older, older.val, older_rows), (newer, newer.val, newer_rows)])?;
                    older.val += 1;
                    newer.val += 1;
                }
            }
        }
        Ok(())
    }
}

/// Notes on which side each of the next keys is, up to one that is on both; whether there are enough to be worth it.
fn pick<L: Layout>(older: &Source<L>, newer: &Source<L>, most: usize, picks: &mut Vec<bool>) -> bool {
    let (older_keys, newer_keys) = (&older.batch.keys, &newer.batch.keys);
    let (mut a, mut b) = (older.key, newer.key);
    picks.clear();
    // Within the block neither side can end.
    let most = most.min(BLOCK).min(older_keys.len() - a).min(newer_keys.len() - b);
    while picks.len() < most {
        let order = older_keys.compare(a, newer_keys, b);
        if order.is_eq() {
            break;
        }
        picks.push(order.is_gt());
        a += usize::from(order.is_lt());
        b += usize::from(order.is_gt());
    }
    picks.len() >= BLOCK_AT_LEAST
}

/// The end of the run of rows before an item of the other column; all the rows if the other column has ended.
///
/// The first row is known to be before the item.
#[inline]
fn run_end<C: Column>(column: &C, rows: Range<usize>, other: &C, row: usize) -> usize {
    if row == other.len() { rows.end } else { gallop(column, rows.start + 1..rows.end, other.get(row)) }
}

/// Copies a source's keys up to `end` as far as the effort goes. If it does not go as far as the end of the first key,
/// nothing is copied and the answer is where that key's values end: it is to be copied value by value.
#[inline]
fn copy_keys<L: Layout>(
    sink: &mut Sink<L>,
    source: &mut Source<L>,
    mut end: usize,
    effort: &mut usize,
) -> Result<Option<usize>, OverflowAt<L::Time>> {
    let values = &source.batch.values;
    let mut vals = values.below(source.key..end);
    let updates = source.updates(vals.clone());
    if updates.len() > *effort {
        let limit = updates.start + *effort;
        end = partition(source.key..end, |key| source.updates(values.below(key..key + 1)).end <= limit);
        if end == source.key {
            return Ok(Some(source.key_end()));
        }
        vals = values.below(source.key..end);
    }
    *effort -= source.updates(vals.clone()).len();
    sink.extend_keys(source, source.key..end)?;
    (source.key, source.val) = (end, vals.end);
    Ok(None)
}

/// Copies a source's values up to `end` as far as the effort goes, and at least one.
fn copy_vals<L: Layout>(
    sink: &mut Sink<L>,
    source: &mut Source<L>,
    mut end: usize,
    effort: &mut usize,
) -> Result<(), OverflowAt<L::Time>> {
    let updates = source.updates(source.val..end);
    if updates.len() > *effort {
        let limit = updates.start + *effort;
        end = partition(source.val + 1..end, |val| source.updates(val..val + 1).end <= limit);
    }
    *effort = effort.saturating_sub(source.updates(source.val..end).len());
    sink.extend_vals(source, source.val..end)?;
    source.val = end;
    Ok(())
}

/// The first row of a range for which `before` no longer holds.
fn partition(rows: Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (rows.start, rows.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
