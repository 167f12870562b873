//! A replay of times of which some are not comparable: what a side did before keeps its times, as far as they matter.
//!
//! ```text
//!   left's buffer   a+1@(0,0)  a-1@(0,2)  b+1@(0,2)      met by right's edits at (1,0) and later, of which (1,0) is
//!   advanced        a+1@(1,0)  a-1@(1,2)  b+1@(1,2)      the meet: no later edit can tell the two rows apart
//!   added up        what agrees in value and time
//! ```
//!
//! A side's *buffer* stands for all that it did before. Before it is met, one that has grown is advanced to the meet `m`
//! of all times that may still meet it, and consolidated: right, since `m` is at or before each of those, so that its
//! join with them is what it was.
//!
//! A side's buffer is the growing tail of its own bridge. Invariant: `buffer` ends where the bridge ends.
//! Cost: a sort by time, then a buffer is rewritten once it is more than twice as long as after the last time. Why not
//! less often: a row that was not consolidated away is paid for in every output it meets.
//! Tested in `join_laws.rs`.

use std::ops::Range;

use super::blocks::JoinBlocks;
use super::bridge::{Edits, GROWTH_ROWS, JoinBridge, Sorter};
use crate::diff::{Diff, OverflowAt};
use crate::time::{Time, TimeColumn};

/// One side of a replay.
struct Track<T: Time, R: Diff> {
    /// The key's rows in order of (time, value).
    sorted: Edits<T, R>,
    /// Where each distinct time begins in `sorted`, and the end.
    steps: Vec<u32>,
    /// For each step, the meet of its time and all later ones.
    meets: Vec<T>,
    /// The next step.
    next: usize,
    /// Where in the bridge the sorted rows begin.
    base: u32,
    /// What this side did before the next step, in rows of the bridge.
    buffer: Range<u32>,
    /// The buffer's length when it was last consolidated.
    compacted: u32,
    /// A copy of the buffer, to read while the bridge is written.
    copy: Edits<T, R>,
    order: Vec<u32>,
}

impl<T: Time, R: Diff> Default for Track<T, R> {
    fn default() -> Self {
        Track {
            sorted: Edits::default(),
            steps: Vec::new(),
            meets: Vec::new(),
            next: 0,
            base: 0,
            buffer: 0..0,
            compacted: 0,
            copy: Edits::default(),
            order: Vec::new(),
        }
    }
}

impl<T: Time, R: Diff> Track<T, R> {
    /// Begins with a key's rows, which are appended to the bridge again in order of time.
    fn load(&mut self, bridge: &mut JoinBridge<T, R>, rows: Range<u32>) {
        let times = &bridge.edits.times;
        self.order.clear();
        self.order.extend(rows);
        // A stable sort: rows of one time stay in order of their values.
        self.order.sort_by(|&a, &b| times.compare(a as usize, times, b as usize));
        self.sorted.clear();
        self.sorted.extend_gather(&bridge.edits, &self.order);
        self.base = bridge.edits.len() as u32;
        bridge.edits.extend_range(&self.sorted, 0..self.sorted.len());

        let times = &self.sorted.times;
        let count = self.sorted.len() as u32;
        self.steps.clear();
        self.steps.push(0);
        self.steps.extend((1..count).filter(|&row| times.compare(row as usize - 1, times, row as usize).is_ne()));
        self.meets.clear();
        for &row in self.steps.iter().rev() {
            let mut meet = times.get(row as usize);
            if let Some(later) = self.meets.last() {
                meet.meet_assign(later);
            }
            self.meets.push(meet);
        }
        self.meets.reverse();
        self.steps.push(count);

        self.next = 0;
        self.buffer = self.base + count..self.base + count;
        self.compacted = 0;
    }

    /// The row of `sorted` at which the next step begins, if there is one.
    fn peek(&self) -> Option<usize> {
        (self.next < self.meets.len()).then(|| self.steps[self.next] as usize)
    }

    /// The rows of `sorted` that the next step takes.
    fn step(&self) -> Range<u32> {
        self.steps[self.next]..self.steps[self.next + 1]
    }

    /// Consolidates a buffer that has grown, its times advanced to `meet`.
    fn compact(&mut self, bridge: &mut JoinBridge<T, R>, meet: &T, sorter: &mut Sorter) -> Result<(), OverflowAt<T>> {
        if self.buffer.len() > 2 * self.compacted as usize {
            self.copy_buffer(bridge);
            self.copy.times.join_rows(0..self.copy.len(), meet);
            let start = bridge.edits.len() as u32;
            bridge.edits.extend_consolidated(&self.copy, 0..self.copy.len(), sorter)?;
            self.buffer = start..bridge.edits.len() as u32;
            self.compacted = self.buffer.len() as u32;
        }
        Ok(())
    }

    /// Cuts off all that was written before, but the sorted rows and the buffer.
    fn settle(&mut self, bridge: &mut JoinBridge<T, R>) {
        self.copy_buffer(bridge);
        bridge.edits.truncate(self.base as usize + self.sorted.len());
        let start = bridge.edits.len() as u32;
        bridge.edits.extend_range(&self.copy, 0..self.copy.len());
        self.buffer = start..bridge.edits.len() as u32;
    }

    fn copy_buffer(&mut self, bridge: &JoinBridge<T, R>) {
        self.copy.clear();
        self.copy.extend_range(&bridge.edits, self.buffer.start as usize..self.buffer.end as usize);
    }

    /// Whether the bridge has grown so far that its rows should go out before more are written.
    fn is_overgrown(&self, bridge: &JoinBridge<T, R>) -> bool {
        let grown = bridge.edits.len() - self.base as usize - self.sorted.len();
        // In proportion to the buffer, which `settle` copies.
        grown > GROWTH_ROWS.max(2 * self.buffer.len())
    }
}

/// The next step of `mover`: its rows and the rows of `other` that they meet.
fn meet_buffer<T: Time, R: Diff, S: Diff>(
    (mover, mover_bridge): (&mut Track<T, R>, &mut JoinBridge<T, R>),
    (other, other_bridge): (&mut Track<T, S>, &mut JoinBridge<T, S>),
    sorter: &mut Sorter,
) -> Result<(Range<u32>, Range<u32>), OverflowAt<T>> {
    // Only the mover's edits from here on will meet that buffer.
    other.compact(other_bridge, &mover.meets[mover.next], sorter)?;
    let step = mover.step();
    if other.peek().is_some() {
        mover_bridge.edits.extend_range(&mover.sorted, step.start as usize..step.end as usize);
        mover.buffer.end += step.len() as u32;
    }
    mover.next += 1;
    Ok((mover.base + step.start..mover.base + step.end, other.buffer.clone()))
}

/// The replay of one key whose times are in a plane.
pub(super) struct Plane<T: Time, RA: Diff, RB: Diff> {
    left: Track<T, RA>,
    right: Track<T, RB>,
}

impl<T: Time, RA: Diff, RB: Diff> Default for Plane<T, RA, RB> {
    fn default() -> Self {
        Plane { left: Track::default(), right: Track::default() }
    }
}

impl<T: Time, RA: Diff, RB: Diff> Plane<T, RA, RB> {
    /// Begins with a key's rows on both sides, none of them empty.
    pub(super) fn load(
        &mut self,
        (left, left_rows): (&mut JoinBridge<T, RA>, Range<u32>),
        (right, right_rows): (&mut JoinBridge<T, RB>, Range<u32>),
    ) {
        self.left.load(left, left_rows);
        self.right.load(right, right_rows);
    }

    /// Goes on after all blocks made so far went out: the rows that only they used are cut off.
    pub(super) fn settle(&mut self, left: &mut JoinBridge<T, RA>, right: &mut JoinBridge<T, RB>) {
        self.left.settle(left);
        self.right.settle(right);
    }

    /// Makes blocks of the steps to come; whether all are made. If not, a bridge has grown enough.
    pub(super) fn advance(
        &mut self,
        key: u32,
        left: &mut JoinBridge<T, RA>,
        right: &mut JoinBridge<T, RB>,
        blocks: &mut JoinBlocks,
        sorter: &mut Sorter,
    ) -> Result<bool, OverflowAt<T>> {
        while !self.left.is_overgrown(left) && !self.right.is_overgrown(right) {
            let left_first = match (self.left.peek(), self.right.peek()) {
                (None, None) => return Ok(true),
                (Some(a), Some(b)) => self.left.sorted.times.compare(a, &self.right.sorted.times, b).is_le(),
                (next, _) => next.is_some(),
            };
            if left_first {
                let (rows, met) = meet_buffer((&mut self.left, left), (&mut self.right, right), sorter)?;
                blocks.push_cross(key, rows, met);
            } else {
                let (rows, met) = meet_buffer((&mut self.right, right), (&mut self.left, left), sorter)?;
                blocks.push_cross(key, met, rows);
            }
        }
        Ok(false)
    }
}
