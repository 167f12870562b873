//! A unit of the join's work: all that two inputs have to say to each other.
//!
//! ```text
//!            .-> left bridge  -.
//!   backend -|                 |- match -> blocks -> cross -> container, container, ...
//!            '-> right bridge -'
//!     a block of keys at a time         rows that a replay wrote are cut off, and it goes on
//! ```
//!
//! [`JoinWork`] is resumable: it stops where a container is full or its fuel is spent, in the middle of a key if need
//! be, and goes on from there. Where keys and values come from is the backend's ([`JoinBackend`]).
//!
//! Invariant: over all steps, the output is the sum over all pairs of updates of one key of the function of their
//! values, at the join of their times (each advanced by its side's view) and `lower`, by the product of their diffs.
//! Cost: fuel is counted in rows: a key looked at, a row staged, a pair met or a record made is one; a step exceeds it
//! by at most one block. A unit of one fresh row allocates nothing, as it borrows its buffers from [`JoinBuffers`].
//! Why not one call for a whole batch: two batches of a thousand rows of one key make a million.
//! Tested in `join_laws.rs`, against the direct product.

use super::backend::JoinBackend;
use super::blocks::JoinBlocks;
use super::bridge::{JoinBridge, Sorter};
use super::cross::Crossing;
use super::logic::JoinLogic;
use super::matching::Matching;
use super::rungs::{Joined, Sources};
use crate::diff::OverflowAt;
use crate::time::Frontier;

/// From where each input is read: its times are advanced to the frontier, as if all before it had happened there.
#[derive(Clone, Debug)]
pub struct JoinView<T> {
    /// The first input's; `None` where its times are taken as they are.
    pub left: Option<Frontier<T>>,
    /// The second input's.
    pub right: Option<Frontier<T>>,
}

impl<T> Default for JoinView<T> {
    fn default() -> Self {
        JoinView { left: None, right: None }
    }
}

/// Whether a step was the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All output has been made.
    Done,
    /// The container is full, or the fuel is spent.
    More,
}

/// What a work item needs while it is under way: bridges, blocks, positions.
struct Desk<K: JoinBackend> {
    staging: K::Staging,
    left: JoinBridge<K::Time, K::LeftDiff>,
    right: JoinBridge<K::Time, K::RightDiff>,
    matching: Matching<K::Time, K::LeftDiff, K::RightDiff>,
    blocks: JoinBlocks,
    crossing: Crossing<K>,
    sorter: Sorter,
}

/// Buffers that the works of one join hand on to each other.
pub struct JoinBuffers<K: JoinBackend> {
    desks: Vec<Box<Desk<K>>>,
}

impl<K: JoinBackend> Default for JoinBuffers<K> {
    fn default() -> Self {
        JoinBuffers { desks: Vec::new() }
    }
}

/// Buffers with room for more rows on a side than this are given back: what a long history needed once is not held on to.
const KEPT_ROWS: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };

impl<K: JoinBackend> JoinBuffers<K> {
    /// A desk for a work; `None` where there is nothing to join.
    fn desk(&mut self, backend: &K) -> Option<Box<Desk<K>>> {
        match self.desks.pop() {
            Some(mut desk) => {
                backend.restart(&mut desk.staging);
                desk.clear();
                Some(desk)
            }
            None => backend.staging().map(|staging| Box::new(Desk::new(staging))),
        }
    }

    fn keep(&mut self, desk: Box<Desk<K>>) {
        if desk.left.rows_capacity().max(desk.right.rows_capacity()) <= KEPT_ROWS {
            self.desks.push(desk);
        }
    }

    /// Whether buffers wait for the next work.
    #[cfg(test)]
    pub(super) fn are_kept(&self) -> bool {
        !self.desks.is_empty()
    }
}

/// Two inputs being joined.
pub struct JoinWork<K: JoinBackend> {
    backend: K,
    lower: K::Time,
    view: JoinView<K::Time>,
    /// Present between the first step and the last.
    desk: Option<Box<Desk<K>>>,
}

impl<K: JoinBackend> JoinWork<K> {
    /// The work of joining these inputs, where no output can be earlier than `lower`.
    ///
    /// All times are joined with `lower`, so that the history that nobody can tell apart any more collapses.
    pub fn new(backend: K, lower: K::Time, view: JoinView<K::Time>) -> Self {
        JoinWork { backend, lower, view, desk: None }
    }

    /// Appends output to `out` until it holds `target` rows or more, the fuel is spent, or all is done.
    ///
    /// Takes what it did from `fuel`, in rows, and makes progress whatever the fuel. `target` is exceeded by what one
    /// pair of values makes.
    ///
    /// # Errors
    /// A product or a sum of diffs overflows; the work can't be gone on with.
    pub fn step<J: JoinLogic<K>>(
        &mut self,
        fuel: &mut usize,
        target: usize,
        logic: &mut J,
        buffers: &mut JoinBuffers<K>,
        out: &mut Joined<K, J>,
    ) -> Result<Progress, OverflowAt<K::Time>> {
        let Some(mut desk) = self.desk.take().or_else(|| buffers.desk(&self.backend)) else {
            return Ok(Progress::Done);
        };
        loop {
            let crossed = desk.crossing.is_done(&desk.blocks);
            let matched = desk.matching.is_done(&desk.left);
            if crossed && matched && self.backend.is_done(&desk.staging) {
                buffers.keep(desk);
                return Ok(Progress::Done);
            }
            if !crossed {
                let Desk { staging, left, right, blocks, crossing, .. } = &mut *desk;
                let sources = Sources { backend: &self.backend, staging, left, right };
                crossing.advance(blocks, &sources, (target, fuel), logic, out)?;
            } else if !matched {
                desk.advance_matching()?;
            } else {
                let looked = desk.stage(&self.backend, &self.lower, &self.view)?;
                *fuel = fuel.saturating_sub(looked + desk.left.len() + desk.right.len());
            }
            if *fuel == 0 || out.len() >= target {
                self.desk = Some(desk);
                return Ok(Progress::More);
            }
        }
    }
}

impl<K: JoinBackend> Desk<K> {
    fn new(staging: K::Staging) -> Self {
        Desk {
            staging,
            left: JoinBridge::default(),
            right: JoinBridge::default(),
            matching: Matching::default(),
            blocks: JoinBlocks::default(),
            crossing: Crossing::default(),
            sorter: Sorter::default(),
        }
    }

    /// Clears away a block.
    fn clear(&mut self) {
        self.left.clear();
        self.right.clear();
        self.matching.restart();
        self.blocks.clear();
        self.crossing.restart();
    }

    /// Stages the next block; the number of keys that were looked at.
    fn stage(&mut self, backend: &K, lower: &K::Time, view: &JoinView<K::Time>) -> Result<usize, OverflowAt<K::Time>> {
        self.clear();
        let looked = backend.stage(&mut self.staging, &mut self.left, &mut self.right);
        self.left.finish(view.left.as_ref(), lower, &mut self.sorter)?;
        self.right.finish(view.right.as_ref(), lower, &mut self.sorter)?;
        Ok(looked)
    }

    /// Replaces the blocks that are multiplied out by the next ones.
    fn advance_matching(&mut self) -> Result<(), OverflowAt<K::Time>> {
        self.matching.advance(&mut self.left, &mut self.right, &mut self.blocks, &mut self.sorter)?;
        self.crossing.restart();
        Ok(())
    }
}
