//! A trace's batches, oldest first, and the merges between neighbours.
//!
//! ```text
//!   slots    [1..40]        [41..63 + 64..70 merging]     [71]      numbers of the spans whose updates they hold
//!   ladder   40,000          2,000                         3        the same list, in numbers of updates
//! ```
//!
//! The spine does as `pacing` says and knows no policy; `pacing` knows no batches. Readers see the inputs of a merge
//! until it is done. One thing the spine does by itself, before it asks: a few new rows are taken into a small batch that
//! no reader has at the time, in place.
//!
//! Invariant: slots and rungs are the same list. A slot covers the spans from its first to its last that had a batch;
//! spans without one are nowhere. Times in a batch are as they came, or advanced by a frontier at or before `since`.
//! Cost: an append pays a bounded amount of merging for each of its updates; an append without a batch is O(1).
//! Tested in `trace_laws.rs`.

use std::rc::Rc;
use std::sync::Arc;

use super::holds::Holds;
use super::{Observer, Position, ReadError};
use crate::batch::{Batch, Merge, Progress, Span};
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::pacing::{Ladder, Step};
use crate::time::Frontier;

/// A batch, and how far it is compacted.
struct Run<L: Layout> {
    batch: Arc<Batch<L>>,
    /// The change of `since` up to which its times are advanced; 0 if they are as they came.
    compacted: u64,
    /// How many changes of `since` to wait before rewriting it alone: more each time that this made it no smaller.
    patience: u64,
}

/// A batch, or what is becoming one.
enum State<L: Layout> {
    Whole(Run<L>),
    Merging(Box<Merging<L>>),
}

struct Merging<L: Layout> {
    older: Run<L>,
    /// The other batch and its first span; none if the one is rewritten alone.
    newer: Option<(Position, Run<L>)>,
    /// Missing only while it works.
    merge: Option<Merge<L>>,
    /// The change of `since` by whose frontier times are advanced.
    compacted: u64,
}

/// Where in the past, and what.
struct Slot<L: Layout> {
    /// The first span of these.
    first: Position,
    /// The last one.
    last: Position,
    state: State<L>,
}

/// All of a trace.
pub(super) struct Spine<L: Layout> {
    pub(super) holds: Holds<L::Time>,
    slots: Vec<Slot<L>>,
    ladder: Ladder,
    newest: Position,
    upper: Frontier<L::Time>,
    /// What times are advanced by: the meet of the holds when that was last worked out.
    since: Frontier<L::Time>,
    /// How often `since` has changed, counted from 1.
    since_changes: u64,
    observer: Option<Rc<dyn Observer>>,
}

impl<L: Layout> Spine<L> {
    pub(super) fn new(observer: Option<Rc<dyn Observer>>) -> Self {
        Spine {
            holds: Holds::new(),
            slots: Vec::new(),
            ladder: Ladder::default(),
            newest: 0,
            upper: Frontier::minimum(),
            since: Frontier::minimum(),
            since_changes: 1,
            observer,
        }
    }

    pub(super) fn newest(&self) -> Position {
        self.newest
    }

    pub(super) fn upper(&self) -> &Frontier<L::Time> {
        &self.upper
    }

    /// What contents are advanced by so far: what a new reader may hold.
    pub(super) fn compacted_since(&self) -> &Frontier<L::Time> {
        &self.since
    }

    /// The meet of all times held. It stays what it was if that is empty; empty once nobody held any.
    pub(super) fn since(&mut self) -> &Frontier<L::Time> {
        if !self.holds.take_news() {
            return &self.since;
        }
        let since = match self.holds.since() {
            Some(since) if since.is_empty() || self.since.is_empty() => return &self.since,
            Some(since) => since,
            None => Frontier::empty(),
        };
        if since != self.since {
            debug_assert!(self.since.precedes(&since), "since goes back from {:?} to {since:?}", self.since);
            self.since = since;
            self.since_changes += 1;
        }
        &self.since
    }

    /// Lets everything go if nobody holds any times; whether that is so. It is for good.
    pub(super) fn released_times(&mut self) -> bool {
        let released = self.since().is_empty();
        if released {
            if let Some(observer) = &self.observer {
                self.batches().for_each(|batch| observer.dropped(batch.len()));
            }
            self.slots.clear();
            self.ladder.clear();
        }
        released
    }

    /// Ends a span in which nothing happened.
    pub(super) fn pass(&mut self, upper: &Frontier<L::Time>) -> Position {
        debug_assert!(self.upper.precedes(upper), "a span from {:?} to {upper:?}", self.upper);
        self.newest += 1;
        self.upper.clone_from(upper);
        self.newest
    }

    /// Appends a span and pays for merges.
    pub(super) fn append(&mut self, span: Span<L>) -> Result<Position, OverflowAt<L::Time>> {
        assert_eq!(span.lower, self.upper, "spans must abut");
        self.pass(&span.upper);
        let Some(batch) = span.batch else { return Ok(self.newest) };
        if self.released_times() {
            return Ok(self.newest);
        }
        self.ladder.insert(batch.len());
        if let Some(observer) = &self.observer {
            observer.added(batch.len());
        }
        // Times in advance of `since` are left alone by it.
        let compacted = if self.since.precedes(&span.lower) { self.since_changes } else { 0 };
        let state = State::Whole(Run { batch, compacted, patience: 1 });
        self.slots.push(Slot { first: self.newest, last: self.newest, state });
        self.absorb_newest();
        while let Some(step) = self.ladder.due(|older| cut(&self.slots, &self.holds, older)) {
            self.follow(step)?;
        }
        Ok(self.newest)
    }

    /// Spends idle effort on merges, then on rewriting batches that may become smaller; whether there is more to do.
    pub(super) fn maintain(&mut self, mut effort: usize) -> Result<bool, OverflowAt<L::Time>> {
        // What is net can't become smaller, however far `since` has come.
        if self.is_settled() && self.batches().all(|batch| batch.is_net()) || self.released_times() {
            return Ok(false);
        }
        self.ladder.offer(effort);
        loop {
            let step = self.ladder.idle(effort, |older| cut(&self.slots, &self.holds, older));
            if let Some(step) = step {
                effort -= self.follow(step)?;
            } else if effort == 0 || !self.begin_rewrite() {
                break;
            }
        }
        Ok(!self.is_settled() || self.rewritable().is_some())
    }

    /// Whether no two neighbours merge or could.
    fn is_settled(&self) -> bool {
        self.ladder.is_settled(|older| cut(&self.slots, &self.holds, older))
    }

    /// The batches of spans up to position `through`, oldest first.
    pub(super) fn read(&mut self, through: Position) -> Result<Vec<Arc<Batch<L>>>, ReadError<L::Time>> {
        if through > self.newest {
            return Err(ReadError::NotAppended { asked: through, newest: self.newest });
        }
        if self.since().is_empty() {
            return Err(ReadError::Released);
        }
        let count = self.slots.partition_point(|slot| slot.first <= through);
        if let Some(&Slot { first, last, .. }) = self.slots[..count].last()
            && last > through
        {
            return Err(ReadError::Merged { asked: through, first, last });
        }
        Ok(self.slots[..count].iter().flat_map(Slot::batches).cloned().collect())
    }

    /// Whether the collection at `time` is complete and can be told from others.
    pub(super) fn check(&mut self, time: &L::Time) -> Result<(), ReadError<L::Time>> {
        if self.upper.admits(time) {
            return Err(ReadError::NotYet { asked: time.clone(), upper: self.upper.clone() });
        }
        if self.since().is_empty() {
            return Err(ReadError::Released);
        }
        if !self.since.admits(time) {
            return Err(ReadError::Compacted { asked: time.clone(), since: self.since.clone() });
        }
        Ok(())
    }

    /// The batches that readers see, oldest first.
    pub(super) fn batches(&self) -> impl Iterator<Item = &Arc<Batch<L>>> + '_ {
        self.slots.iter().flat_map(Slot::batches)
    }

    /// Does as the ladder says; how much effort that took.
    fn follow(&mut self, step: Step) -> Result<usize, OverflowAt<L::Time>> {
        match step {
            Step::Start { older } => {
                let newer = self.slots.remove(older + 1);
                let State::Whole(newer_run) = newer.state else { unreachable!("a rung that merges is not merged") };
                self.begin(older, |run, since| Merge::new(Arc::clone(&run.batch), Arc::clone(&newer_run.batch), since));
                let slot = &mut self.slots[older];
                slot.last = newer.last;
                if let State::Merging(merging) = &mut slot.state {
                    merging.newer = Some((newer.first, newer_run));
                }
                Ok(0)
            }
            Step::Work { rung, effort } => {
                let State::Merging(merging) = &mut self.slots[rung].state else {
                    unreachable!("rungs and slots are the same list")
                };
                let mut left = effort;
                match merging.merge.take().expect("a merge that is not working").advance(&mut left) {
                    Ok(Progress::More(more)) => merging.merge = Some(more),
                    Ok(Progress::Done(batch)) => self.finish(rung, batch),
                    Err(overflow) => {
                        self.undo(rung);
                        return Err(overflow);
                    }
                }
                Ok(effort - left)
            }
        }
    }

    /// Turns a whole slot into a merging one.
    fn begin(&mut self, slot: usize, merge: impl FnOnce(&Run<L>, Frontier<L::Time>) -> Merge<L>) {
        let State::Whole(Run { batch, compacted, patience }) = &self.slots[slot].state else {
            unreachable!("a rung that merges is not merged")
        };
        let older = Run { batch: Arc::clone(batch), compacted: *compacted, patience: *patience };
        let merge = Some(merge(&older, self.since.clone()));
        let merging = Merging { older, newer: None, merge, compacted: self.since_changes };
        self.slots[slot].state = State::Merging(Box::new(merging));
    }

    /// Takes the newest batch that no cut keeps apart into the one before it, where that is a matter of a few rows in
    /// their places: the batches of small commits are no merges then.
    fn absorb_newest(&mut self) {
        // The newest of all is mostly behind a cut: its readers have not seen it yet.
        let pairs = (1..self.slots.len()).rev().map(|newer| newer - 1).take(2);
        let Some(at) = pairs.into_iter().find(|&older| !cut(&self.slots, &self.holds, older)) else { return };
        let [older, newer] = &mut self.slots[at..at + 2] else { unreachable!("there are two") };
        let (State::Whole(run), State::Whole(newer_run)) = (&mut older.state, &newer.state) else { return };
        let before = run.batch.len();
        // Nobody else may see it change. A sum that overflows is left to a merge, which tells of it.
        let Some(batch) = Arc::get_mut(&mut run.batch) else { return };
        if batch.absorb(&newer_run.batch, &self.since) != Ok(true) {
            return;
        }
        let made = batch.len();
        // What is absorbed is net, so how far it is compacted will not be asked.
        older.last = newer.last;
        if let Some(observer) = &self.observer {
            observer.merged(before, Some(newer_run.batch.len()), made);
        }
        self.ladder.absorbed(at, made);
        self.slots.drain(if made == 0 { at..at + 2 } else { at + 1..at + 2 });
    }

    /// Replaces a merge that has ended by its result.
    fn finish(&mut self, rung: usize, batch: Option<Batch<L>>) {
        let made = batch.as_ref().map_or(0, Batch::len);
        self.ladder.finished(rung, made);
        if let Some(observer) = &self.observer {
            let mut merged = self.slots[rung].batches().map(|batch| batch.len());
            let older = merged.next().expect("a merge has a batch");
            observer.merged(older, merged.next(), made);
        }
        let Some(batch) = batch else {
            self.slots.remove(rung);
            return;
        };
        let State::Merging(merging) = &self.slots[rung].state else {
            unreachable!("rungs and slots are the same list")
        };
        let in_vain = merging.newer.is_none() && batch.len() == merging.older.batch.len();
        let patience = if in_vain { 2 * merging.older.patience } else { 1 };
        let run = Run { batch: Arc::new(batch), compacted: merging.compacted, patience };
        self.slots[rung].state = State::Whole(run);
    }

    /// Takes a merge that failed apart again.
    fn undo(&mut self, rung: usize) {
        let Slot { first, last, state } = self.slots.remove(rung);
        let State::Merging(merging) = state else { unreachable!("rungs and slots are the same list") };
        let Merging { older, newer, .. } = *merging;
        self.ladder.failed(
            rung,
            [Some(&older), newer.as_ref().map(|(_, run)| run)].into_iter().flatten().map(|run| run.batch.len()),
        );
        let older_last = newer.as_ref().map_or(last, |(newer_first, _)| newer_first - 1);
        if let Some((first, run)) = newer {
            self.slots.insert(rung, Slot { first, last, state: State::Whole(run) });
        }
        self.slots.insert(rung, Slot { first, last: older_last, state: State::Whole(older) });
    }

    /// A batch that might become smaller by advancing its times alone.
    fn rewritable(&self) -> Option<usize> {
        self.slots.iter().position(|slot| match &slot.state {
            State::Whole(run) => self.since_changes >= run.compacted + run.patience && !run.batch.is_net(),
            State::Merging(_) => false,
        })
    }

    /// Begins to rewrite such a batch, when no merge will do it and it is worth it; whether it did.
    fn begin_rewrite(&mut self) -> bool {
        if !self.is_settled() {
            return false;
        }
        let Some(slot) = self.rewritable() else { return false };
        let begins = self.ladder.rewrite(slot);
        if begins {
            self.begin(slot, |run, since| Merge::rewrite(Arc::clone(&run.batch), since));
        }
        begins
    }
}

impl<L: Layout> Slot<L> {
    /// The batches that readers see, oldest first.
    fn batches(&self) -> impl Iterator<Item = &Arc<Batch<L>>> + '_ {
        let (older, newer) = match &self.state {
            State::Whole(run) => (run, None),
            State::Merging(merging) => (&merging.older, merging.newer.as_ref().map(|(_, run)| run)),
        };
        std::iter::once(older).chain(newer).map(|run| &run.batch)
    }

    fn updates(&self) -> usize {
        self.batches().map(|batch| batch.len()).sum()
    }
}

/// Whether a slot and the next newer one must stay apart: a reader holds the boundary, or rows of a batch of both could
/// not be numbered.
fn cut<L: Layout>(slots: &[Slot<L>], holds: &Holds<L::Time>, older: usize) -> bool {
    let (older, newer) = (&slots[older], &slots[older + 1]);
    holds.cut(older.last, newer.first) || u32::try_from(older.updates() + newer.updates()).is_err()
}
