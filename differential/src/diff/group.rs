//! What every diff can do: be added, be undone, and for some, be multiplied.
//!
//! Laws (tested in `laws.rs` around zero and at both ends of each type): addition is commutative and associative with
//! `zero` wherever no step overflows; what plus its negation is zero; multiplication distributes over addition; the sum of
//! two diffs greater than zero is greater than zero.
//! Why results and not panics: a sum that overflows comes from someone's data, and must not take the dataflow down.

use super::Overflow;
use crate::bytes::Portable;

/// The change of a record's count: an abelian group, in an order that sums keep: of two diffs greater than zero the sum
/// is too.
///
/// ```
/// use differential::diff::{Diff, Overflow};
/// assert_eq!(2i64.plus(&-2), Ok(0));
/// assert_eq!(i64::MIN.negate(), Err(Overflow));
/// ```
pub trait Diff: Portable + Clone + Ord + std::fmt::Debug + Send + Sync + 'static {
    /// The diff that changes nothing.
    fn zero() -> Self;
    /// Whether this diff changes nothing.
    fn is_zero(&self) -> bool;
    /// The sum.
    fn plus(&self, other: &Self) -> Result<Self, Overflow>;
    /// The diff that undoes this one.
    fn negate(&self) -> Result<Self, Overflow>;
}

/// Diffs that can be multiplied, as a join does with the diffs of the two records that it pairs.
///
/// ```
/// use differential::diff::Multiply;
/// assert_eq!(3i64.times(&-2), Ok(-6));
/// assert_eq!((1i64, 10i64).times(&-2i64), Ok((-2, -20)));
/// ```
pub trait Multiply<Other>: Diff {
    /// The type of the product.
    type Output: Diff;
    /// The product.
    fn times(&self, other: &Other) -> Result<Self::Output, Overflow>;
}

macro_rules! integers {
    ($($int:ty)*) => { $(
        impl Diff for $int {
            #[inline]
            fn zero() -> Self { 0 }
            #[inline]
            fn is_zero(&self) -> bool { *self == 0 }
            #[inline]
            fn plus(&self, other: &Self) -> Result<Self, Overflow> { self.checked_add(*other).ok_or(Overflow) }
            #[inline]
            fn negate(&self) -> Result<Self, Overflow> { self.checked_neg().ok_or(Overflow) }
        }
        impl Multiply<$int> for $int {
            type Output = $int;
            #[inline]
            fn times(&self, other: &$int) -> Result<$int, Overflow> { self.checked_mul(*other).ok_or(Overflow) }
        }
        impl<A: Diff, B: Diff> Multiply<(A, B)> for $int where $int: Multiply<A> + Multiply<B> {
            type Output = (<$int as Multiply<A>>::Output, <$int as Multiply<B>>::Output);
            #[inline]
            fn times(&self, (a, b): &(A, B)) -> Result<Self::Output, Overflow> { Ok((self.times(a)?, self.times(b)?)) }
        }
    )* };
}

integers!(i32 i64 i128);
