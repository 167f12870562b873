//! A unit of the join's work: a fresh batch of one input against the accepted batches of the other.
//!
//! ```text
//!   fresh batch        .-> left bridge  -.
//!                walk -|                 |- match -> blocks -> cross -> container, container, ...
//!   accepted batches   '-> right bridge -'
//!        a block of keys at a time            rows that a replay wrote are cut off, and it goes on
//! ```
//!
//! [`JoinWork`] is resumable: it stops where a container is full or its fuel is spent, in the middle of a key if need
//! be, and goes on from there. Which side is fresh makes no difference to what comes out but its order: the left value
//! is always that of the first layout.
//!
//! Invariant: over all steps, the output is the sum over all pairs of updates of one key of the function of their
//! values, at the join of their times (each advanced by its side's view) and `lower`, by the product of their diffs.
//! Cost: fuel is counted in rows: a key looked at, a row staged, a pair met or a record made is one; a step exceeds it
//! by at most one block. A unit of one fresh row allocates nothing, as it borrows its buffers from [`JoinBuffers`].
//! Why not one call for a whole batch: two batches of a thousand rows of one key make a million.
//! Tested in `join_laws.rs`, against the direct product.

use std::sync::Arc;

use super::blocks::JoinBlocks;
use super::bridge::Sorter;
use super::cross::Crossing;
use super::logic::JoinLogic;
use super::matching::Matching;
use super::rungs::{Joined, Sources};
use super::side::Side;
use super::walk::Walk;
use crate::batch::Batch;
use crate::diff::{Multiply, OverflowAt};
use crate::layout::{Keys, Layout};
use crate::time::Frontier;

/// A fresh batch of one input, and the accepted batches of the other, oldest first.
pub enum Fresh<A: Layout, B: Layout> {
    /// The first input's batch is fresh.
    Left(Arc<Batch<A>>, Vec<Arc<Batch<B>>>),
    /// The second input's batch is fresh.
    Right(Arc<Batch<B>>, Vec<Arc<Batch<A>>>),
}

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
struct Desk<A: Layout, B: Layout> {
    walk: Walk,
    /// For each key of the block, its key row in the fresh batch.
    keys: Vec<u32>,
    left: Side<A>,
    right: Side<B>,
    matching: Matching<A::Time, A::Diff, B::Diff>,
    blocks: JoinBlocks,
    crossing: Crossing<A::Time, A::Diff, B::Diff>,
    sorter: Sorter,
}

/// Buffers that the works of one join hand on to each other.
pub struct JoinBuffers<A: Layout, B: Layout> {
    desks: Vec<Box<Desk<A, B>>>,
}

impl<A: Layout, B: Layout> Default for JoinBuffers<A, B> {
    fn default() -> Self {
        JoinBuffers { desks: Vec::new() }
    }
}

/// Buffers with room for more rows on a side than this are given back: what a long history needed once is not held on to.
const KEPT_ROWS: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };

impl<A: Layout, B: Layout> JoinBuffers<A, B> {
    fn keep(&mut self, desk: Box<Desk<A, B>>) {
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

/// A fresh batch being joined with the accepted batches of the other input.
pub struct JoinWork<A: Layout, B: Layout> {
    inputs: Fresh<A, B>,
    lower: A::Time,
    view: JoinView<A::Time>,
    /// Present between the first step and the last.
    desk: Option<Box<Desk<A, B>>>,
}

impl<A, B> JoinWork<A, B>
where
    A: Layout,
    B: Layout<Key = A::Key, Time = A::Time>,
    A::Diff: Multiply<B::Diff>,
{
    /// The work of joining these inputs, where no output can be earlier than `lower`.
    ///
    /// All times are joined with `lower`, so that the history that nobody can tell apart any more collapses.
    pub fn new(inputs: Fresh<A, B>, lower: A::Time, view: JoinView<A::Time>) -> Self {
        JoinWork { inputs, lower, view, desk: None }
    }

    /// Appends output to `out` until it holds `target` rows or more, the fuel is spent, or all is done.
    ///
    /// Takes what it did from `fuel`, in rows, and makes progress whatever the fuel. `target` is exceeded by what one
    /// pair of values makes.
    ///
    /// # Errors
    /// A product or a sum of diffs overflows; the work can't be gone on with.
    pub fn step<J: JoinLogic<A, B>>(
        &mut self,
        fuel: &mut usize,
        target: usize,
        logic: &mut J,
        buffers: &mut JoinBuffers<A, B>,
        out: &mut Joined<A, B, J>,
    ) -> Result<Progress, OverflowAt<A::Time>> {
        let mut desk = match self.desk.take() {
            Some(desk) => desk,
            None => match self.inputs.open(buffers) {
                Some(desk) => desk,
                None => return Ok(Progress::Done),
            },
        };
        loop {
            let crossed = desk.crossing.is_done(&desk.blocks);
            let matched = desk.matching.is_done(&desk.left.bridge);
            if crossed && matched && self.inputs.is_walked(&desk.walk) {
                buffers.keep(desk);
                return Ok(Progress::Done);
            }
            if !crossed {
                desk.cross(self.inputs.keys(), target, fuel, logic, out)?;
            } else if !matched {
                desk.matching.advance(
                    &mut desk.left.bridge,
                    &mut desk.right.bridge,
                    &mut desk.blocks,
                    &mut desk.sorter,
                )?;
                desk.crossing.restart();
            } else {
                let looked = self.inputs.stage(&mut desk, &self.lower, &self.view)?;
                *fuel = fuel.saturating_sub(looked + desk.left.len() + desk.right.len());
            }
            if *fuel == 0 || out.len() >= target {
                self.desk = Some(desk);
                return Ok(Progress::More);
            }
        }
    }
}

impl<A, B> Fresh<A, B>
where
    A: Layout,
    B: Layout<Key = A::Key, Time = A::Time>,
{
    /// A desk for this work; `None` where there is nothing to join with.
    fn open(&self, buffers: &mut JoinBuffers<A, B>) -> Option<Box<Desk<A, B>>> {
        let (left, right, accepted) = match self {
            Fresh::Left(fresh, accepted) => (&**fresh, &**accepted.first()?, accepted.len()),
            Fresh::Right(fresh, accepted) => (&**accepted.first()?, &**fresh, accepted.len()),
        };
        let mut desk = buffers.desks.pop().unwrap_or_else(|| Box::new(Desk::like(left, right)));
        desk.walk.restart(accepted);
        desk.clear();
        Some(desk)
    }

    /// The column of keys that a block's key rows are rows of.
    fn keys(&self) -> &Keys<A> {
        match self {
            Fresh::Left(fresh, _) => fresh.keys(),
            Fresh::Right(fresh, _) => fresh.keys(),
        }
    }

    fn is_walked(&self, walk: &Walk) -> bool {
        match self {
            Fresh::Left(fresh, accepted) => walk.is_done(fresh, accepted),
            Fresh::Right(fresh, accepted) => walk.is_done(fresh, accepted),
        }
    }

    /// Stages the next block; the number of keys that were looked at.
    fn stage(
        &self,
        desk: &mut Desk<A, B>,
        lower: &A::Time,
        view: &JoinView<A::Time>,
    ) -> Result<usize, OverflowAt<A::Time>> {
        desk.clear();
        let (left, right) = (&mut desk.left, &mut desk.right);
        let looked = match self {
            Fresh::Left(fresh, accepted) => desk.walk.fill((fresh, left), (accepted, right), &mut desk.keys),
            Fresh::Right(fresh, accepted) => desk.walk.fill((fresh, right), (accepted, left), &mut desk.keys),
        };
        desk.left.finish(view.left.as_ref(), lower, &mut desk.sorter)?;
        desk.right.finish(view.right.as_ref(), lower, &mut desk.sorter)?;
        Ok(looked)
    }
}

impl<A, B> Desk<A, B>
where
    A: Layout,
    B: Layout<Key = A::Key, Time = A::Time>,
{
    /// An empty desk, for values like those of these batches.
    fn like(left: &Batch<A>, right: &Batch<B>) -> Self {
        Desk {
            walk: Walk::default(),
            keys: Vec::new(),
            left: Side::like(left),
            right: Side::like(right),
            matching: Matching::default(),
            blocks: JoinBlocks::default(),
            crossing: Crossing::default(),
            sorter: Sorter::default(),
        }
    }

    /// Clears away a block.
    fn clear(&mut self) {
        self.keys.clear();
        self.left.clear();
        self.right.clear();
        self.matching.restart();
        self.blocks.clear();
        self.crossing.restart();
    }

    /// Multiplies blocks out.
    fn cross<J>(
        &mut self,
        keys: &Keys<A>,
        target: usize,
        fuel: &mut usize,
        logic: &mut J,
        out: &mut Joined<A, B, J>,
    ) -> Result<(), OverflowAt<A::Time>>
    where
        A::Diff: Multiply<B::Diff>,
        J: JoinLogic<A, B>,
    {
        let sources = Sources { keys: (keys, &self.keys), left: &self.left, right: &self.right };
        self.crossing.advance(&self.blocks, &sources, (target, fuel), logic, out)
    }
}
