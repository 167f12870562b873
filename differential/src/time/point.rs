//! The time of a region: a short vector of coordinates in product order.
//!
//! ```text
//!     [ epoch | round of the outer loop | round of the inner loop | ... ]
//!       input's coordinates (one, or two for bitemporal data), then one for each enclosing loop
//! ```
//!
//! Coordinates past the end read as zero and trailing zeros are never stored, so equal times are equal values, and
//! entering a loop changes no time at all: `[3]` outside the loop and `[3, 0]` inside are the same value. Depth is
//! therefore a property of a stream, not of a time.
//!
//! Invariant: the last stored coordinate is not zero. Cost: no allocation up to four coordinates.
//! Tested in `laws.rs`.
//! Why not a tuple type per depth: every operator would be compiled once for each nesting, and a query that adds a
//! loop could not join a region that already runs.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;
use timely::order::PartialOrder;
use timely::progress::Timestamp;

use super::{Lanes, Lattice, Path, Time};

/// A time of a region: coordinates in product order, trailing zeros left out.
///
/// ```
/// use differential::time::{Point, Time};
/// assert_eq!(Point::from([3, 0]), Point::from(3));
/// assert!(Point::from([1, 2]).precedes(&Point::from([1, 3])));
/// assert!(!Point::from([1, 2]).precedes(&Point::from([2, 1])));
/// assert!(Point::from([1, 2]) < Point::from([2, 1])); // the total order, for sorting only
/// ```
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Point(SmallVec<[u64; 4]>);

impl Clone for Point {
    fn clone(&self) -> Self {
        // A copy of a slice; the derived clone would go value by value.
        Point(SmallVec::from_slice(&self.0))
    }
}

impl std::fmt::Debug for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter()).finish()
    }
}

impl From<u64> for Point {
    fn from(coordinate: u64) -> Self {
        Point::from([coordinate])
    }
}

impl<const N: usize> From<[u64; N]> for Point {
    fn from(coordinates: [u64; N]) -> Self {
        Point::new(&coordinates)
    }
}

impl FromIterator<u64> for Point {
    fn from_iter<I: IntoIterator<Item = u64>>(coordinates: I) -> Self {
        let mut point = Point(coordinates.into_iter().collect());
        point.trim();
        point
    }
}

impl Point {
    /// The time with these coordinates; trailing zeros are cut off.
    pub fn new(coordinates: &[u64]) -> Self {
        let mut point = Point(SmallVec::from_slice(coordinates));
        point.trim();
        point
    }

    /// The stored coordinates; those past the end are zero.
    pub fn coordinates(&self) -> &[u64] {
        &self.0
    }

    /// The coordinate at `index`, counted from 0; zero past the end.
    pub fn coordinate(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }

    /// This time with `amount` added at coordinate `index`; `None` if that overflows.
    pub fn plus(&self, index: usize, amount: u64) -> Option<Self> {
        let mut point = self.clone();
        if point.0.len() <= index {
            point.0.resize(index + 1, 0);
        }
        point.0[index] = point.0[index].checked_add(amount)?;
        point.trim();
        Some(point)
    }

    /// This time seen from a scope `depth` coordinates deep: later coordinates are dropped.
    pub fn truncated(&self, depth: usize) -> Self {
        Point::new(&self.0[..depth.min(self.0.len())])
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

impl Lattice for Point {
    fn join(&self, other: &Self) -> Self {
        let (mut long, short) =
            if self.0.len() >= other.0.len() { (self.clone(), other) } else { (other.clone(), self) };
        for (a, &b) in long.0.iter_mut().zip(&short.0) {
            *a = (*a).max(b);
        }
        long
    }

    fn meet(&self, other: &Self) -> Self {
        let mut point = Point(self.0.iter().zip(&other.0).map(|(&a, &b)| a.min(b)).collect());
        point.trim();
        point
    }

    fn join_assign(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (a, &b) in self.0.iter_mut().zip(&other.0) {
            *a = (*a).max(b);
        }
    }
}

impl Time for Point {
    type Column = Lanes;

    fn precedes(&self, other: &Self) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }
}

impl PartialOrder for Point {
    fn less_equal(&self, other: &Self) -> bool {
        self.precedes(other)
    }
}

impl Timestamp for Point {
    type Summary = Path;

    fn minimum() -> Self {
        Point::default()
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Point {
    // By hand, as bytes from elsewhere may hold the trailing zeros that a point never stores.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut point = Point(SmallVec::deserialize(deserializer)?);
        point.trim();
        Ok(point)
    }
}
