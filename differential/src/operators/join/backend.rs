//! What varies between joins: where keys and values come from. [`JoinBackend`] is the seam.
//!
//! ```text
//!               stages numbers, times, diffs              lends by number
//!   backend  ------------------------------->  tactic  <-------------------  backend
//!            keys in one order on both sides     |       key 3, left 7, right 9
//!                                                v
//!                                   matching, replay, cuts, products
//! ```
//!
//! The tactic multiplies histories, and knows times, diffs and small numbers. A backend knows the rest: which keys both
//! sides have, what rows these have, and what a number stands for. It copies a block of keys into two bridges and numbers
//! their values; when records are made of what met, it is asked for keys and values by number. It never learns about
//! blocks, replays, containers and fuel.
//!
//! Batches of an arrangement are the backend of every join of a region ([`Fresh`](super::Fresh)). Another one is worth its
//! lines where data lies elsewhere, or is no column.
//! Why are matches not turned into output by the backend as well: that is where a cut could repeat a row, and a time go to
//! the wrong record. Lending by number is all that differs.

use super::bridge::JoinBridge;
use crate::diff::{Diff, Multiply};
use crate::time::Time;

/// Two inputs of a join, each with keys, values, times and diffs.
///
/// 1. `stage` adds whole keys, each to both bridges at the same place, and no key in two blocks.
/// 2. The values of a key differ. Their numbers are those that the bridge gave them; keys are numbered from 0 in each block.
/// 3. What is lent by number stays the same until the next `stage`.
/// 4. `stage` is called again until `is_done`, and adds keys or comes nearer to that end each time.
///
/// A backend over sorted vectors, the whole of it:
///
/// ```
/// # mod sorted_vectors {
#[doc = include_str!("sorted_vectors.rs")]
/// # }
/// # use sorted_vectors::SortedVectors;
/// // The join of two small relations, at times of a plain number.
/// use differential::column::Column;
/// use differential::operators::join::{JoinBuffers, JoinView, JoinWork, MapPairs, Progress};
/// use differential::updates::Updates;
///
/// let left = vec![(1u64, "one", 0u64, 1i64), (2, "two", 0, 1), (2, "two", 5, -1)];
/// let right = vec![(2u64, 'b', 3u64, 1i64), (3, 'c', 3, 1)];
/// let mut work = JoinWork::new(SortedVectors::new(left, right), 0, JoinView::default());
/// type Inputs = SortedVectors<u64, &'static str, char, u64, i64>;
/// let mut logic = MapPairs::<Inputs, _, _>::new(|key: &u64, a: &&str, b: &char| (*key, format!("{a}{b}")));
/// let mut rows = Updates::empty(&Default::default());
/// let progress = work.step(&mut 1000, 1000, &mut logic, &mut JoinBuffers::default(), &mut rows)?;
/// assert_eq!(progress, Progress::Done);
/// rows.consolidate()?;
/// let changes: Vec<_> = (0..rows.len()).map(|row| (rows.times.get(row), rows.diffs.get(row))).collect();
/// assert_eq!(changes, [(3, 1), (5, -1)]);
/// assert_eq!(rows.data.get(0), (2, "twob"));
/// # Ok::<(), differential::diff::OverflowAt<u64>>(())
/// ```
pub trait JoinBackend: 'static {
    /// When updates happen.
    type Time: Time;
    /// By how much those of the first input do.
    type LeftDiff: Multiply<Self::RightDiff>;
    /// By how much those of the second input do.
    type RightDiff: Diff;
    /// What a key is lent as.
    type Key<'a>: Copy;
    /// What a value of the first input is lent as.
    type Left<'a>: Copy;
    /// What a value of the second input is lent as.
    type Right<'a>: Copy;
    /// How far the staging is, what the numbers of the present block stand for, and buffers.
    type Staging;

    /// The staging before the first block; `None` if there is nothing to join.
    fn staging(&self) -> Option<Self::Staging>;
    /// Makes the staging of inputs that were joined before this one's, and keeps buffers.
    ///
    /// It is called only if [`staging`](Self::staging) would answer with one.
    fn restart(&self, staging: &mut Self::Staging) {
        *staging = self.staging().expect("there is something to join");
    }
    /// Whether all keys that both inputs have were staged.
    fn is_done(&self, staging: &Self::Staging) -> bool;
    /// Stages the next block of such keys: a few thousand rows, or more where one key has more. How many keys were looked
    /// at, which is counted as work.
    fn stage(
        &self,
        staging: &mut Self::Staging,
        left: &mut JoinBridge<Self::Time, Self::LeftDiff>,
        right: &mut JoinBridge<Self::Time, Self::RightDiff>,
    ) -> usize;

    /// Lends a key of the block.
    fn key<'a>(&'a self, staging: &'a Self::Staging, number: u32) -> Self::Key<'a>;
    /// Lends a value of the first input.
    fn left<'a>(&'a self, staging: &'a Self::Staging, number: u32) -> Self::Left<'a>;
    /// Lends a value of the second input.
    fn right<'a>(&'a self, staging: &'a Self::Staging, number: u32) -> Self::Right<'a>;
    /// Lends some values of the second input, in order.
    fn rights<'a>(
        &'a self,
        staging: &'a Self::Staging,
        numbers: std::ops::Range<u32>,
    ) -> impl Iterator<Item = Self::Right<'a>> {
        numbers.map(|number| self.right(staging, number))
    }
}
