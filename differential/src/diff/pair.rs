//! Two diffs that change together.
//!
//! A pair is added, negated and multiplied by a count part by part, so that one pass keeps a count and a sum at once:
//! a record that counts `+1` and weighs `+12` carries `(1, 12)`. It is zero when both parts are.

use super::{Diff, Multiply, Overflow};

impl<A: Diff, B: Diff> Diff for (A, B) {
    fn zero() -> Self {
        (A::zero(), B::zero())
    }

    fn is_zero(&self) -> bool {
        self.0.is_zero() && self.1.is_zero()
    }

    fn plus(&self, other: &Self) -> Result<Self, Overflow> {
        Ok((self.0.plus(&other.0)?, self.1.plus(&other.1)?))
    }

    fn negate(&self) -> Result<Self, Overflow> {
        Ok((self.0.negate()?, self.1.negate()?))
    }
}

impl<A: Multiply<Other>, B: Multiply<Other>, Other> Multiply<Other> for (A, B) {
    type Output = (A::Output, B::Output);

    fn times(&self, other: &Other) -> Result<Self::Output, Overflow> {
        Ok((self.0.times(other)?, self.1.times(other)?))
    }
}
