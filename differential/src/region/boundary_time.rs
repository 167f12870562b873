//! Times of timely's world, and how they become points and back.
//!
//! A time that enters keeps its place in the order, and one that leaves is what it was: `leave(enter(t)) == t`, and
//! `a` precedes `b` outside exactly when it does inside. Timely has `Refines` for such pairs; it can't say that a point
//! has no counterpart (an epoch past the last `u32`), and would have to answer with a wrong one.
//!
//! ```text
//!   u64, usize, u32         7         <->  [7]          regions with one input coordinate
//!   Product<u64, u64>       (7, 2)    <->  [7, 2]       regions with two
//! ```
//!
//! Tested at the end of this file, on a small world in full.

use timely::order::Product;
use timely::progress::Timestamp;

use crate::time::Point;

/// A time of timely that can cross the boundary of a region.
///
/// Entering and leaving must be inverse to each other and keep the order, the partial one.
pub trait OuterTime: Timestamp {
    /// How many coordinates it has: those of the inputs of regions that it can enter.
    const COORDINATES: usize;

    /// As a point.
    fn enter(&self) -> Point;

    /// The time that enters as `point`; `None` if there is no such time, nor any after it.
    fn leave(point: &Point) -> Option<Self>;

    /// What a path does to times that takes the least one to `point`; `None` if nothing comes out at its end.
    fn summary(point: &Point) -> Option<Self::Summary>;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl OuterTime for $number {
            const COORDINATES: usize = 1;

            fn enter(&self) -> Point {
                Point::from(u64::try_from(*self).expect("no number here has more bits"))
            }

            fn leave(point: &Point) -> Option<Self> {
                Self::try_from(point.coordinate(0)).ok()
            }

            fn summary(point: &Point) -> Option<Self::Summary> {
                Self::leave(point)
            }
        }
    )*};
}

numbers!(u64 usize u32);

impl OuterTime for Product<u64, u64> {
    const COORDINATES: usize = 2;

    fn enter(&self) -> Point {
        Point::from([self.outer, self.inner])
    }

    fn leave(point: &Point) -> Option<Self> {
        Some(Product::new(point.coordinate(0), point.coordinate(1)))
    }

    fn summary(point: &Point) -> Option<Self::Summary> {
        Self::leave(point)
    }
}

#[cfg(test)]
mod tests {
    use timely::progress::PathSummary;

    use super::*;
    use crate::time::Time;

    fn agrees<T: OuterTime>(world: &[T]) {
        for a in world {
            assert_eq!(T::leave(&a.enter()).as_ref(), Some(a));
            for b in world {
                assert_eq!(a.less_equal(b), a.enter().precedes(&b.enter()), "{a:?} {b:?}");
                // A path that takes the least time to b takes a to their sum.
                let path = T::summary(&b.enter()).expect("the world is small");
                let sum: Point = (0..2).map(|at| a.enter().coordinate(at) + b.enter().coordinate(at)).collect();
                assert_eq!(path.results_in(a).map(|time| time.enter()), Some(sum));
            }
        }
    }

    #[test]
    fn times_keep_their_order_and_come_back() {
        agrees::<u64>(&(0..5).collect::<Vec<_>>());
        agrees::<usize>(&(0..5).collect::<Vec<_>>());
        agrees::<u32>(&(0..5).collect::<Vec<_>>());
        agrees::<Product<u64, u64>>(&(0..9).map(|n| Product::new(n / 3, n % 3)).collect::<Vec<_>>());
    }

    #[test]
    fn a_point_without_a_counterpart_does_not_leave() {
        assert_eq!(u32::leave(&Point::from(1 << 32)), None);
        assert_eq!(u32::summary(&Point::from(1 << 32)), None);
    }
}
