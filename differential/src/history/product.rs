//! Every edit of one history with every edit of another, at the join of their times.
//!
//! ```text
//!   left     e1 ----- e2 --------- e3            each step takes the edits of one time of one side and meets them
//!   right        f1 ------- f2                   with the other side's buffer: f1 with e1, e2 with f1, f2 with e1 e2, ...
//! ```
//!
//! The direct product of two histories of ten thousand edits each has a hundred million rows, nearly all of which
//! cancel. By replay each side's buffer is netted before it is met, so rows follow the net sizes.
//!
//! Invariant: each pair of edits meets once, when the later of the two is played. A buffer may be advanced by the
//! meet of the *other* side's edits from the one at hand on: only they will meet it, and a join with a time at or past
//! the meet is the same before and after. Cost: the histories' sorting, and what is emitted.
//! Tested in `product_laws.rs`, against the direct product.

use super::{Edit, Edits, Replay};
use crate::diff::{Diff, Multiply, Overflow};
use crate::time::Time;

/// The product of two histories of one key; kept for its buffers.
///
/// ```
/// use differential::{diff::Overflow, history::{Edits, Product}};
/// let mut left = Edits::from_iter([(0, 1u64, 1), (0, 3, -1)]);
/// let mut right = Edits::from_iter([(4, 2u64, 10)]);
/// let mut rows = Vec::new();
/// Product::default().multiply(&mut left, &mut right, |a, b, time, diff| rows.push((a, b, time, diff)))?;
/// assert_eq!(rows, [(0, 4, 2, 10), (0, 4, 3, -10)]);
/// # Ok::<(), Overflow>(())
/// ```
#[derive(Debug)]
pub struct Product<T, A, B> {
    left: Replay<T, A>,
    right: Replay<T, B>,
}

impl<T, A, B> Default for Product<T, A, B> {
    fn default() -> Self {
        Product { left: Replay::default(), right: Replay::default() }
    }
}

impl<T: Time, A: Multiply<B>, B: Diff> Product<T, A, B> {
    /// Emits the product as (left rank, right rank, time, diff), in no particular order and not consolidated. Takes
    /// the edits out of both histories.
    ///
    /// # Errors
    /// A product or a sum of diffs overflows; what was emitted before is of no use then.
    pub fn multiply(
        &mut self,
        left: &mut Edits<T, A>,
        right: &mut Edits<T, B>,
        mut emit: impl FnMut(u32, u32, T, A::Output),
    ) -> Result<(), Overflow> {
        let Product { left: lefts, right: rights } = self;
        lefts.load(left);
        rights.load(right);
        while let Some(time) = lefts.next_time().into_iter().chain(rights.next_time()).min().cloned() {
            if lefts.next_time() == Some(&time) {
                step(lefts, rights, &time, |a, b| {
                    emit(a.rank, b.rank, a.time.join(&b.time), a.diff.times(&b.diff)?);
                    Ok(())
                })?;
            } else {
                step(rights, lefts, &time, |b, a| {
                    emit(a.rank, b.rank, a.time.join(&b.time), a.diff.times(&b.diff)?);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

/// Plays one side's edits at its next time, each of which meets the other side's buffer.
fn step<T: Time, A: Diff, B: Diff>(
    side: &mut Replay<T, A>,
    other: &mut Replay<T, B>,
    time: &T,
    mut meet: impl FnMut(&Edit<T, A>, &Edit<T, B>) -> Result<(), Overflow>,
) -> Result<(), Overflow> {
    if let Some(floor) = side.meet_ahead()
        && other.is_grown()
    {
        other.raise_floor(floor)?;
    }
    let count = side.play_until(time);
    let played = side.buffer().len() - count;
    for edit in &side.buffer()[played..] {
        other.buffer().iter().try_for_each(|met| meet(edit, met))?;
    }
    Ok(())
}
