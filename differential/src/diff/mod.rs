//! How much: the diffs of updates, and what may be done with them.
//!
//! An update says that a record's count changes by its *diff*. Diffs are added (two updates of one record at one time
//! are one), negated (a removal undoes an insertion) and multiplied (a join of counts). Every one of these is
//! **checked**: what leaves the range of the type is [`Overflow`], never a wrap.
//!
//! Laws (tested on a small range around zero and at both ends of each type): addition is commutative and associative
//! with `zero`; what plus its negation is zero; multiplication distributes over addition.

pub use crate::error::Overflow;
use crate::time::Lane;

/// A column of diffs: one value and a length while all agree, as they do in most batches.
pub type Diffs<R> = Lane<R>;

/// The change of a record's count: an abelian group.
pub trait Diff: Clone + Ord + std::fmt::Debug + Send + Sync + 'static {
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
pub trait Multiply<Other>: Diff {
    /// The type of the product.
    type Output: Diff;
    /// The product.
    fn times(&self, other: &Other) -> Result<Self::Output, Overflow>;
}

macro_rules! integers {
    ($($int:ty)*) => { $(
        impl Diff for $int {
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
    )* };
}

integers!(i32 i64 i128);
