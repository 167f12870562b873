//! Merges two neighbouring batches a little at a time.
//!
//! ```text
//!   older   a  c  d  e  h                  older   a  c  d  e ,
//!   newer   f  g                newer keys run out, or one key is on both sides: its values are merged alike
//!                               a | c d e | f g | h     whole runs of keys are copied, layer by layer
//! ```
//!
//! A run is found by galloping and copied as a range, so a small batch merged into a large one costs little more than
//! the copy. A pair on both sides has its updates added up, at times advanced by `since`. Times are advanced in
//! excerpts of some hundred updates a side; a run ends before a value whose updates that left out of order, and before the
//! end of the excerpt. Where neither side is much larger, runs are a key or two long and guessing their ends costs more
//! than copying them: there keys go by blocks (`block.rs`), as long as both sides have some of few updates.
//!
//! Invariant: everything before the two places in the inputs is in the sink: sorted and consolidated, with times
//! advanced to `since`. Cost: each update of the inputs is charged once. A call spends its effort, and at most what one
//! pair's updates cost beyond it: a pair is never split.
//! Why not all at once: a merge of 10^8 updates would stop the worker for seconds.
//! Tested in `merge_laws.rs`: any split of the effort gives the batch that one sort would.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::block::Block;
use super::gallop::{gallop, partition};
use super::sink::{EXCERPT, Sink, Source};
use super::{Batch, small};
use crate::column::Column;
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::Frontier;

/// Keys go by blocks, and not by runs, while neither side has this many times as many as the other.
const ALIKE: usize = 8;

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
    /// The older batch and the newer one.
    sides: [Source<L>; 2],
    sink: Sink<L>,
    /// The key whose values are being merged; none between keys.
    open: Option<OpenKey>,
    /// Room for which side each next row is on, if neither side is much larger.
    block: Option<Block>,
}

/// A key some of whose values were merged: where its values end on each side, if that side has it.
type OpenKey = [Option<usize>; 2];

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
            let Layers { sides, sink, .. } = *layers;
            return Ok(Progress::Done(sink.finish(&sides)));
        }
        self.layers = Some(layers);
        Ok(Progress::More(self))
    }
}

impl<L: Layout> Layers<L> {
    fn new(merge: &Merge<L>, floor: &L::Time) -> Self {
        let older = Source::new(Arc::clone(&merge.older));
        let newer = match &merge.newer {
            Some(newer) => Source::new(Arc::clone(newer)),
            None => older.at_end(),
        };
        let keys = [older.batch.keys.len(), newer.batch.keys.len()];
        let alike = keys[0].max(keys[1]) < ALIKE * keys[0].min(keys[1]);
        let sides = [older, newer];
        let sink = Sink::new(&sides, floor.clone());
        Layers { sides, sink, open: None, block: alike.then(Block::default) }
    }

    fn is_done(&self) -> bool {
        self.sides.iter().all(Source::is_done)
    }

    /// Copies blocks and runs of keys until the effort is spent or a key opens.
    fn step_keys(&mut self, effort: &mut usize) -> Result<(), OverflowAt<L::Time>> {
        while *effort > 0 && self.open.is_none() {
            if let Some(block) = &mut self.block {
                let spent = block.merge(&mut self.sides, &mut self.sink, *effort)?;
                if spent > 0 {
                    *effort -= spent;
                    continue;
                }
            }
            let [older, newer] = &self.sides;
            let order = match (older.is_done(), newer.is_done()) {
                (true, true) => break,
                (false, true) => Ordering::Less,
                (true, false) => Ordering::Greater,
                (false, false) => older.batch.keys.compare(older.key, &newer.batch.keys, newer.key),
            };
            if order.is_eq() {
                self.open = Some([older, newer].map(|source| Some(source.vals(source.key..source.key + 1).end)));
            } else {
                let side = usize::from(order.is_gt());
                let (source, other) = (&self.sides[side], &self.sides[1 - side]);
                let keys = &source.batch.keys;
                let end = run_end(keys, source.key..keys.len(), &other.batch.keys, other.key);
                self.copy_keys(side, end, effort);
            }
        }
        Ok(())
    }

    /// Copies a side's keys up to `end` as far as the effort and the excerpt go and times stay in order. If that is not as
    /// far as the end of the first key, nothing is copied: it opens, to be copied value by value.
    fn copy_keys(&mut self, side: usize, end: usize, effort: &mut usize) {
        let source = &self.sides[side];
        let (key, vals) = (source.key, source.vals(source.key..end));
        let first = source.updates(source.vals(key..key + 1));
        let limit = first.start.saturating_add(*effort);
        if first.end <= limit && first.len() <= EXCERPT {
            self.sink.show(&mut self.sides, side, first, *effort);
        }
        let source = &self.sides[side];
        let ready = source.ready(vals.clone(), limit);
        let end = match ready == vals.end {
            true => end,
            false => partition(key..end, |key| source.vals(key..key + 1).end <= ready),
        };
        if end == key {
            let vals_end = source.vals(key..key + 1).end;
            self.open = Some([(side == 0).then_some(vals_end), (side == 1).then_some(vals_end)]);
            return;
        }
        let vals = source.vals(key..end);
        *effort -= source.updates(vals.clone()).len();
        self.sink.extend_keys(&self.sides, side, key..end);
        let source = &mut self.sides[side];
        (source.key, source.val) = (end, vals.end);
    }

    /// Merges the values of the open key until the effort is spent or the key is closed.
    fn step_vals(&mut self, key: OpenKey, effort: &mut usize) -> Result<(), OverflowAt<L::Time>> {
        while *effort > 0 {
            let [older, newer] = &self.sides;
            let ends = [key[0].unwrap_or(older.val), key[1].unwrap_or(newer.val)];
            let order = match (older.val == ends[0], newer.val == ends[1]) {
                (true, true) => {
                    self.sink.close_key(&self.sides[usize::from(key[0].is_none())]);
                    for (source, end) in self.sides.iter_mut().zip(key) {
                        source.key += usize::from(end.is_some());
                    }
                    self.open = None;
                    break;
                }
                (false, true) => Ordering::Less,
                (true, false) => Ordering::Greater,
                (false, false) => older.batch.vals.compare(older.val, &newer.batch.vals, newer.val),
            };
            if order.is_eq() {
                let updates = [older, newer].map(|source| source.next_updates());
                for (side, updates) in updates.iter().enumerate() {
                    self.sink.show(&mut self.sides, side, updates.clone(), *effort);
                }
                *effort = effort.saturating_sub(updates[0].len() + updates[1].len());
                self.sink.add_val(&self.sides, [true, true])?;
                self.sides.iter_mut().for_each(|source| source.val += 1);
            } else {
                let side = usize::from(order.is_gt());
                let (source, other) = (&self.sides[side], &self.sides[1 - side]);
                let end = match other.val == ends[1 - side] {
                    true => ends[side],
                    false => run_end(&source.batch.vals, source.val..ends[side], &other.batch.vals, other.val),
                };
                self.copy_vals(side, end, effort)?;
            }
        }
        Ok(())
    }

    /// Copies a side's values up to `end` as far as the effort and the excerpt go, and at least one.
    fn copy_vals(&mut self, side: usize, end: usize, effort: &mut usize) -> Result<(), OverflowAt<L::Time>> {
        let source = &self.sides[side];
        let (val, first) = (source.val, source.next_updates());
        self.sink.show(&mut self.sides, side, first.clone(), *effort);
        let source = &self.sides[side];
        let ready = source.ready(val..end, first.start.saturating_add(*effort));
        if ready > val {
            *effort -= source.updates(val..ready).len();
            self.sink.extend_vals(&self.sides, side, val..ready);
            self.sides[side].val = ready;
        } else {
            // One value, however little effort is left, or one that is out of order.
            *effort = effort.saturating_sub(first.len());
            self.sink.add_val(&self.sides, [side == 0, side == 1])?;
            self.sides[side].val += 1;
        }
        Ok(())
    }
}

/// The end of the run of rows before an item of the other column; all the rows if the other column has ended.
///
/// The first row is known to be before the item.
#[inline]
fn run_end<C: Column>(column: &C, rows: Range<usize>, other: &C, row: usize) -> usize {
    if row == other.len() { rows.end } else { gallop(column, rows.start + 1..rows.end, other.get(row)) }
}
