//! Least upper and greatest lower bounds of times.
//!
//! ```text
//!        (2,3) = join of (1,3) and (2,1)
//!        /   \
//!    (1,3)   (2,1)
//!        \   /
//!        (1,1) = their meet
//! ```
//!
//! Laws (tested for every pair and triple of a small grid): both are commutative, associative and idempotent; each
//! absorbs the other and distributes over it; `join` is at or after both sides and at or before anything that is;
//! `meet` the reverse. Tested in `laws.rs`.

/// Least upper bounds (joins) and greatest lower bounds (meets) of times.
///
/// ```
/// use differential::time::{Lattice, Point};
/// let (a, b) = (Point::from([1, 3]), Point::from([2, 1]));
/// assert_eq!(a.join(&b), Point::from([2, 3]));
/// assert_eq!(a.meet(&b), Point::from([1, 1]));
/// ```
pub trait Lattice: Sized {
    /// The least time at or after both.
    fn join(&self, other: &Self) -> Self;

    /// The greatest time at or before both.
    fn meet(&self, other: &Self) -> Self;

    /// Replaces `self` by its join with `other`.
    fn join_assign(&mut self, other: &Self) {
        *self = self.join(other);
    }

    /// Replaces `self` by its meet with `other`.
    fn meet_assign(&mut self, other: &Self) {
        *self = self.meet(other);
    }
}

impl Lattice for u64 {
    fn join(&self, other: &Self) -> Self {
        *self.max(other)
    }

    fn meet(&self, other: &Self) -> Self {
        *self.min(other)
    }
}
