//! Adding up diffs so that only a total that does not fit is an overflow.
//!
//! ```text
//!   MAX, 1, -1      in order: MAX + 1 is too much, although the total is MAX
//!                   -1 before 1: fits
//! ```
//!
//! Updates arrive in any order, so whether a sum fits must not depend on it. The plain sum is tried first; where it
//! leaves the range, diffs are added again so that the sum stays near zero: a negative one while it is positive and the
//! other way round. For integers that fails only if the total does not fit.

use std::borrow::Borrow;

use crate::diff::{Diff, Overflow};

/// The sum of some diffs.
pub(super) fn total<R: Diff>(diffs: impl Iterator<Item = impl Borrow<R>> + Clone) -> Result<R, Overflow> {
    let mut sum = R::zero();
    for diff in diffs.clone() {
        match sum.plus(diff.borrow()) {
            Ok(more) => sum = more,
            Err(Overflow) => return balanced(diffs.map(|diff| diff.borrow().clone()).collect()),
        }
    }
    Ok(sum)
}

/// The sum of some diffs, in an order that keeps it small.
fn balanced<R: Diff>(mut diffs: Vec<R>) -> Result<R, Overflow> {
    diffs.sort();
    let mut ascending = diffs.into_iter();
    let mut sum = R::zero();
    while let Some(diff) = if sum > R::zero() { ascending.next() } else { ascending.next_back() } {
        sum = sum.plus(&diff)?;
    }
    Ok(sum)
}

/// `count` times a diff, in steps that double. All partial sums lie between zero and the result.
pub(super) fn multiple<R: Diff>(diff: &R, count: usize) -> Result<R, Overflow> {
    let mut sum = R::zero();
    for bit in (0..usize::BITS - count.leading_zeros()).rev() {
        sum = sum.plus(&sum)?;
        if (count >> bit) & 1 == 1 {
            sum = sum.plus(diff)?;
        }
    }
    Ok(sum)
}
