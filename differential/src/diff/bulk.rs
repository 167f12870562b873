//! A column of diffs, and what is done with many at once.
//!
//! Diffs of a batch mostly agree (a load is all `+1`), so the column is a [`Lane`]: a product of two uniform columns is
//! one multiplication, whatever the number of rows. Where rows differ, the loop goes on past an overflow with a flag
//! up and is refused as a whole: no branch out of the loop, and nothing left half done.
//!
//! Tested in `laws.rs`, against the obvious loops.

use std::ops::Range;

use super::{Diff, Multiply, Overflow};
use crate::time::{Block, Lane, Side};

/// A column of diffs: one value and a length while all agree, as they do in most batches.
///
/// ```
/// use differential::diff::{Diffs, Overflow};
/// let mut products = Diffs::default();
/// products.extend_cross_product(&Diffs::repeat(2i64, 100), &Diffs::repeat(-3, 100), &[(0..100, 0..100)])?;
/// assert_eq!((products.len(), products.uniform()), (10_000, Some(&-6)));
/// # Ok::<(), Overflow>(())
/// ```
pub type Diffs<R> = Lane<R>;

impl<R: Diff> Diffs<R> {
    /// For each block, in order: for each row of its left range, its product with each row of the right range.
    ///
    /// # Errors
    /// A product overflows; no row is appended then.
    pub fn extend_cross_product<A: Multiply<B, Output = R>, B: Diff>(
        &mut self,
        left: &Diffs<A>,
        right: &Diffs<B>,
        blocks: &[Block],
    ) -> Result<(), Overflow> {
        self.all_or_nothing(|products, overflow| {
            products.extend_cross(left.side(), right.side(), blocks, |a, b| product(a, b, overflow));
        })
    }

    /// Row `i` of the left range times row `i` of the right range; both have one length.
    ///
    /// # Errors
    /// A product overflows; no row is appended then.
    pub fn extend_zip_product<A: Multiply<B, Output = R>, B: Diff>(
        &mut self,
        left: &Diffs<A>,
        left_rows: Range<usize>,
        right: &Diffs<B>,
        right_rows: Range<usize>,
    ) -> Result<(), Overflow> {
        self.all_or_nothing(|products, overflow| {
            let (left, right) = ((left.side(), left_rows), (right.side(), right_rows));
            products.extend_zip(left, right, |a, b| product(a, b, overflow));
        })
    }

    /// The sum of a range of rows; of a uniform column in time logarithmic in their number.
    ///
    /// # Errors
    /// The sum of the first rows overflows, for some number of them.
    pub fn sum(&self, rows: Range<usize>) -> Result<R, Overflow> {
        match self.side() {
            Side::Same(value) => multiple(value, rows.len()),
            side => rows.into_iter().try_fold(R::zero(), |sum, row| sum.plus(&side.get(row))),
        }
    }

    /// Negates every row.
    ///
    /// # Errors
    /// A diff has no negation in its type; that row is left as it was, the others are negated.
    pub fn negate(&mut self) -> Result<(), Overflow> {
        let mut overflow = false;
        self.update(|value| match value.negate() {
            Ok(negated) => *value = negated,
            Err(Overflow) => overflow = true,
        });
        if overflow { Err(Overflow) } else { Ok(()) }
    }

    /// Appends rows, or none if the flag came up on the way.
    fn all_or_nothing(&mut self, append: impl FnOnce(&mut Self, &mut bool)) -> Result<(), Overflow> {
        let (before, mut overflow) = (self.len(), false);
        append(self, &mut overflow);
        if overflow {
            self.truncate(before);
            return Err(Overflow);
        }
        Ok(())
    }
}

#[inline]
fn product<A: Multiply<B>, B>(a: &A, b: &B, overflow: &mut bool) -> A::Output {
    a.times(b).unwrap_or_else(|Overflow| flagged(overflow))
}

/// The value that stands for one that overflowed, with the flag up.
fn flagged<R: Diff>(overflow: &mut bool) -> R {
    *overflow = true;
    R::zero()
}

/// `count` times a diff, by doubling: no double exceeds the result.
fn multiple<R: Diff>(value: &R, mut count: usize) -> Result<R, Overflow> {
    let (mut sum, mut power) = (R::zero(), value.clone());
    while count > 0 {
        if count % 2 == 1 {
            sum = sum.plus(&power)?;
        }
        count /= 2;
        if count > 0 {
            power = power.plus(&power)?;
        }
    }
    Ok(sum)
}
