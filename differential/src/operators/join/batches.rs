//! The backend of joins in a region: a fresh batch of one input, and the accepted batches of the other.
//!
//! ```text
//!   fresh batch        .-> left bridge , left values          keys: rows of the fresh batch's column
//!                walk -|
//!   accepted batches   '-> right bridge, right values         a block of keys at a time
//! ```
//!
//! Keys are not copied: the fresh batch has them all. Values are, a column at a time, and their numbers are their rows.
//! Invariant: which side is fresh makes no difference to what is staged but the order of keys.
//! Cost: that of the walk, and a copy a row.

use std::ops::Range;
use std::sync::Arc;

use super::backend::JoinBackend;
use super::bridge::JoinBridge;
use super::side::{Side, Values};
use super::walk::Walk;
use crate::batch::Batch;
use crate::column::Column;
use crate::diff::Multiply;
use crate::layout::{Key, Layout, Val};

/// A fresh batch of one input, and the accepted batches of the other, oldest first.
pub enum Fresh<A: Layout, B: Layout> {
    /// The first input's batch is fresh.
    Left(Arc<Batch<A>>, Vec<Arc<Batch<B>>>),
    /// The second input's batch is fresh.
    Right(Arc<Batch<B>>, Vec<Arc<Batch<A>>>),
}

/// How far a walk is, and what its present block's numbers stand for.
pub struct Staged<A: Layout, B: Layout> {
    walk: Walk,
    /// For each key of the block, its key row in the fresh batch.
    keys: Vec<u32>,
    left: Values<A>,
    right: Values<B>,
}

impl<A, B> JoinBackend for Fresh<A, B>
where
    A: Layout,
    B: Layout<Key = A::Key, Time = A::Time>,
    A::Diff: Multiply<B::Diff>,
{
    type Time = A::Time;
    type LeftDiff = A::Diff;
    type RightDiff = B::Diff;
    type Key<'a> = Key<'a, A>;
    type Left<'a> = Val<'a, A>;
    type Right<'a> = Val<'a, B>;
    type Staging = Staged<A, B>;

    fn staging(&self) -> Option<Staged<A, B>> {
        let (left, right) = match self {
            Fresh::Left(fresh, accepted) => (&**fresh, &**accepted.first()?),
            Fresh::Right(fresh, accepted) => (&**accepted.first()?, &**fresh),
        };
        let (left, right) = (Values::like(left), Values::like(right));
        let mut staged = Staged { walk: Walk::default(), keys: Vec::new(), left, right };
        self.restart(&mut staged);
        Some(staged)
    }

    fn restart(&self, staged: &mut Staged<A, B>) {
        staged.walk.restart(match self {
            Fresh::Left(_, accepted) => accepted.len(),
            Fresh::Right(_, accepted) => accepted.len(),
        });
    }

    fn is_done(&self, staged: &Staged<A, B>) -> bool {
        match self {
            Fresh::Left(fresh, accepted) => staged.walk.is_done(fresh, accepted),
            Fresh::Right(fresh, accepted) => staged.walk.is_done(fresh, accepted),
        }
    }

    fn stage(
        &self,
        staged: &mut Staged<A, B>,
        left: &mut JoinBridge<A::Time, A::Diff>,
        right: &mut JoinBridge<A::Time, B::Diff>,
    ) -> usize {
        staged.keys.clear();
        staged.left.column.clear();
        staged.right.column.clear();
        let mut left = Side { values: &mut staged.left, bridge: left };
        let mut right = Side { values: &mut staged.right, bridge: right };
        let looked = match self {
            Fresh::Left(fresh, accepted) => {
                staged.walk.fill((fresh, &mut left), (accepted, &mut right), &mut staged.keys)
            }
            Fresh::Right(fresh, accepted) => {
                staged.walk.fill((fresh, &mut right), (accepted, &mut left), &mut staged.keys)
            }
        };
        left.number();
        right.number();
        looked
    }

    #[inline]
    fn key<'a>(&'a self, staged: &'a Staged<A, B>, number: u32) -> Key<'a, A> {
        let keys = match self {
            Fresh::Left(fresh, _) => fresh.keys(),
            Fresh::Right(fresh, _) => fresh.keys(),
        };
        keys.get(staged.keys[number as usize] as usize)
    }
    #[inline]
    fn left<'a>(&'a self, staged: &'a Staged<A, B>, number: u32) -> Val<'a, A> {
        staged.left.column.get(number as usize)
    }
    #[inline]
    fn right<'a>(&'a self, staged: &'a Staged<A, B>, number: u32) -> Val<'a, B> {
        staged.right.column.get(number as usize)
    }
    #[inline]
    fn rights<'a>(&'a self, staged: &'a Staged<A, B>, numbers: Range<u32>) -> impl Iterator<Item = Val<'a, B>> {
        staged.right.column.iter_range(numbers.start as usize..numbers.end as usize)
    }
}
