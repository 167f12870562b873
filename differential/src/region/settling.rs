//! What happens when a loop is quiet: its frontiers become what its equations say, and the other workers hear of it.
//!
//! ```text
//!   quiet and stale:  tell what changed here --> solve over all workers --> solve here --> wake who watches what moved
//!                     (only with an exchange in the loop: `counts`)         (`slots`)
//! ```
//!
//! A loop is *stale* when something that its slots depend on has changed since it last settled: a time held inside, or a
//! slot outside that it reads. Loops around are then stale too. When other workers have told something of it, it has
//! *heard*, and settles as well; if they allow no more than before, its slots are left as they are. A loop that is
//! neither need not settle, so most visits in a nest cost one loop's slots and not the nest's.
//!
//! Tested in `slots_laws.rs` and, with several workers, in `simulation_laws.rs`.

use std::ops::Range;

use smallvec::SmallVec;

use super::NodeId;
use super::message::{Changes, Item};
use super::schedule::{Loop, Schedule, TOP};
use crate::time::Frontier;

impl Schedule {
    /// Settles the frontiers of a quiet loop and wakes who watches them; whether one moved.
    pub(super) fn settle(&mut self, index: usize) -> bool {
        // What others tell often allows no more than was allowed already.
        let stale = self.settle_with_others(index) || self.loops[index].stale;
        let settlings = self.loops[index].settlings + 1;
        let end = self.loops[index].range.end;
        for inside in self.loops[index..].iter_mut().take_while(|inside| inside.range.end <= end) {
            (inside.stale, inside.heard) = (false, false);
            inside.settlings = 0;
        }
        self.loops[index].settlings = settlings;
        if !stale {
            return false;
        }
        let mut moved = std::mem::take(&mut self.moved);
        self.slots.evaluate(index, &mut moved);
        for &slot in &moved {
            self.announce(slot);
        }
        let any = !moved.is_empty();
        if any && self.loops[index].counts.is_some() {
            // By what others told, and not by anything that made the loop around stale.
            self.make_stale(self.loops[index].parent);
        }
        moved.clear();
        self.moved = moved;
        any
    }

    /// Tells the other workers what changed here in a loop that is counted, and takes from the counts what may still
    /// come out of its exchanges; whether that has changed.
    fn settle_with_others(&mut self, index: usize) -> bool {
        if self.post.is_none() {
            return false;
        }
        let end = self.loops[index].range.end;
        // A loop inside that left its settling to this one has not told what changed there.
        let inside = (index + 1..self.loops.len()).take_while(|&inner| self.loops[inner].range.end <= end);
        let has_news = |inner: &usize| self.loops[*inner].stale || self.loops[*inner].heard;
        let untold: SmallVec<[usize; 4]> = inside.filter(has_news).chain([index]).collect();
        // Each of them, and not up to the first.
        untold.into_iter().filter(|&untold| self.tell_and_solve(untold)).count() > 0
    }

    fn tell_and_solve(&mut self, index: usize) -> bool {
        let range = self.slots.range_of(index);
        let Loop { level, depth, .. } = self.loops[index];
        let (Some(post), Some(counts)) = (&self.post, &mut self.loops[index].counts) else { return false };
        if let Some(changes) = counts.batch(&self.slots, &range, depth, |node| post.take_counts(node, level)) {
            post.say_to_all(&Item::Counts { first: counts.first(), changes });
        }
        let mut exchanges = SmallVec::new();
        counts.solve(&mut exchanges);
        let mut changed = false;
        for exchange in exchanges {
            let step = &self.steps[self.wakes.position(exchange).expect("a loop has its exchanges")];
            let mut allowed: Option<Frontier<_>> = None;
            let mut around = step.inner;
            while around != TOP {
                let outer = &self.loops[around as usize];
                let counts = outer.counts.as_ref().expect("a loop around a counted one is counted");
                let value = counts.value(exchange);
                allowed = Some(allowed.map_or_else(|| value.clone(), |allowed| allowed.join(value)));
                around = outer.parent;
            }
            let mut allowed = allowed.expect("it is in a loop");
            changed |= self.slots.set_holds(step.slot, &mut allowed);
        }
        changed
    }

    /// Computations of slots' values over what all workers contribute.
    pub(super) fn counted_evaluations(&self) -> u64 {
        self.loops.iter().filter_map(|inside| inside.counts.as_ref()).map(|counts| counts.evaluations()).sum()
    }

    /// Applies what another worker tells of a loop; false if that is not one of ours, or of another shape.
    pub(super) fn take_counts(&mut self, from: usize, first: NodeId, changes: Changes) -> bool {
        let counted = |inside: &Loop| inside.counts.as_ref().is_some_and(|counts| counts.first() == first);
        let Some(index) = self.loops.iter().position(counted) else { return false };
        let mut around = index as u32;
        while around != TOP {
            let outer = &mut self.loops[around as usize];
            outer.heard = true;
            around = outer.parent;
        }
        let counts = self.loops[index].counts.as_mut().expect("it was found by its counts");
        // Something must lead the scan there.
        self.wakes.mark(counts.some_exchange());
        counts.apply(from, changes)
    }

    /// Tells of a slot that moved: who watches it is woken, and loops that it enters must settle again.
    pub(super) fn announce(&mut self, slot: u32) {
        self.wakes.mark_all(&self.watchers[slot as usize]);
        for &index in &self.enters[slot as usize] {
            self.loops[index as usize].stale = true;
        }
    }

    /// Notes that a loop, and those around it, must settle again.
    pub(super) fn make_stale(&mut self, mut around: u32) {
        while around != TOP {
            let outer = &mut self.loops[around as usize];
            outer.stale = true;
            around = outer.parent;
        }
    }

    /// Whether work goes on in a loop inside, on whichever worker, for which this one need not settle yet.
    pub(super) fn waits_for_inner(&self, range: &Range<usize>, index: usize) -> bool {
        let mut inside = self.loops[index + 1..].iter().take_while(|inner| inner.range.end <= range.end);
        inside
            .any(|inner| inner.settlings < self.rounds && inner.counts.as_ref().is_some_and(|counts| counts.is_busy()))
    }
}
