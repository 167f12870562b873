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
//! Up to four coordinates are an array, padded with zeros: joins, meets and comparisons are then four words each way,
//! with no length to look at. Only a coordinate past the fourth that is not zero makes a point allocate.
//!
//! Invariant: a deep point's last coordinate is not zero and past the fourth; so it never equals an array.
//! Cost: forty bytes; no allocation up to four coordinates. Tested in `laws.rs`.
//! Why not a tuple type per depth: every operator would be compiled once for each nesting, and a query that adds a
//! loop could not join a region that already runs. Why not a vector with room for four inside: looking at its length
//! costs more than the join.

use std::cmp::Ordering;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use timely::order::PartialOrder;
use timely::progress::Timestamp;

use super::{Frontier, Lanes, Lattice, Path, Time};
use crate::bytes::{Malformed, Portable, Reader};

/// The coordinates that a point holds without an allocation.
const FLAT: usize = 4;

/// A time of a region: coordinates in product order, trailing zeros left out.
///
/// ```
/// use differential::time::{Point, Time};
/// assert_eq!(Point::from([3, 0]), Point::from(3));
/// assert!(Point::from([1, 2]).precedes(&Point::from([1, 3])));
/// assert!(!Point::from([1, 2]).precedes(&Point::from([2, 1])));
/// assert!(Point::from([1, 2]) < Point::from([2, 1])); // the total order, for sorting only
/// ```
#[derive(PartialEq, Eq, Hash)]
pub struct Point(Coordinates);

#[derive(PartialEq, Eq, Hash)]
enum Coordinates {
    Flat([u64; FLAT]),
    /// More than four, the last of them not zero.
    Deep(Box<[u64]>),
}

use Coordinates::{Deep, Flat};

impl Clone for Point {
    #[inline]
    fn clone(&self) -> Self {
        Point(match &self.0 {
            Flat(flat) => Flat(*flat),
            Deep(deep) => Deep(deep.clone()),
        })
    }

    /// Words over words where both are flat: frontiers are copied all the time.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        match (&mut self.0, &source.0) {
            (Flat(to), Flat(from)) => *to = *from,
            _ => *self = source.clone(),
        }
    }
}

impl Default for Point {
    #[inline]
    fn default() -> Self {
        Point(Flat([0; FLAT]))
    }
}

impl std::fmt::Debug for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The first coordinate is always shown: `[]` would not look like a time.
        let shown = self.coordinates().len().max(1);
        f.debug_list().entries(&self.padded()[..shown]).finish()
    }
}

impl Ord for Point {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Flat(a), Flat(b)) => a.cmp(b),
            _ => self.padded().cmp(other.padded()),
        }
    }
}

impl PartialOrd for Point {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<u64> for Point {
    fn from(coordinate: u64) -> Self {
        Point(Flat([coordinate, 0, 0, 0]))
    }
}

impl From<u64> for Frontier<Point> {
    /// What an epoch closes when it begins: all before it.
    fn from(epoch: u64) -> Self {
        Frontier::from(Point::from(epoch))
    }
}

impl<const N: usize> From<[u64; N]> for Frontier<Point> {
    fn from(coordinates: [u64; N]) -> Self {
        Frontier::from(Point::from(coordinates))
    }
}

impl<const N: usize> From<[u64; N]> for Point {
    fn from(coordinates: [u64; N]) -> Self {
        Point::new(&coordinates)
    }
}

impl FromIterator<u64> for Point {
    fn from_iter<I: IntoIterator<Item = u64>>(coordinates: I) -> Self {
        let mut coordinates = coordinates.into_iter();
        let mut flat = [0; FLAT];
        for (coordinate, value) in flat.iter_mut().zip(&mut coordinates) {
            *coordinate = value;
        }
        match coordinates.next() {
            None => Point(Flat(flat)),
            Some(fifth) => Point::new(&flat.into_iter().chain([fifth]).chain(coordinates).collect::<Vec<u64>>()),
        }
    }
}

impl Point {
    /// The join with the time that has these coordinates.
    #[inline]
    pub(super) fn join_coordinates(&self, coordinates: impl ExactSizeIterator<Item = u64>) -> Self {
        match &self.0 {
            Flat(flat) if coordinates.len() <= FLAT => {
                let mut joined = *flat;
                joined.iter_mut().zip(coordinates).for_each(|(joined, coordinate)| *joined = coordinate.max(*joined));
                Point(Flat(joined))
            }
            _ => self.join(&coordinates.collect()),
        }
    }

    /// The time with these coordinates; trailing zeros are cut off.
    pub fn new(coordinates: &[u64]) -> Self {
        let coordinates = trimmed(coordinates);
        if coordinates.len() > FLAT {
            return Point(Deep(coordinates.into()));
        }
        let mut flat = [0; FLAT];
        flat[..coordinates.len()].copy_from_slice(coordinates);
        Point(Flat(flat))
    }

    /// The coordinates without trailing zeros.
    #[inline]
    pub fn coordinates(&self) -> &[u64] {
        match &self.0 {
            // Most times are epochs.
            Flat(coordinates @ [first, 0, 0, 0]) => &coordinates[..usize::from(*first != 0)],
            _ => trimmed(self.padded()),
        }
    }

    /// The coordinate at `index`, counted from 0; zero past the end.
    #[inline]
    pub fn coordinate(&self, index: usize) -> u64 {
        self.padded().get(index).copied().unwrap_or(0)
    }

    /// Whether all coordinates from `depth` on are zero.
    #[inline]
    pub(super) fn is_within(&self, depth: usize) -> bool {
        self.padded().iter().skip(depth).all(|coordinate| *coordinate == 0)
    }

    /// This time with `amount` added at coordinate `index`; `None` if that overflows.
    pub fn plus(&self, index: usize, amount: u64) -> Option<Self> {
        if let Flat(mut coordinates) = self.0
            && index < FLAT
        {
            coordinates[index] = coordinates[index].checked_add(amount)?;
            return Some(Point(Flat(coordinates)));
        }
        let mut coordinates = self.padded().to_vec();
        coordinates.resize(coordinates.len().max(index + 1), 0);
        coordinates[index] = coordinates[index].checked_add(amount)?;
        Some(Point::new(&coordinates))
    }

    /// This time seen from a scope `depth` coordinates deep: later coordinates are dropped.
    pub fn truncated(&self, depth: usize) -> Self {
        let coordinates = self.padded();
        Point::new(&coordinates[..depth.min(coordinates.len())])
    }

    /// The coordinates, at least four of them. Slices compare as zero-extended points do: a deep one that begins as a
    /// flat one does is longer and later.
    #[inline]
    fn padded(&self) -> &[u64] {
        match &self.0 {
            Flat(coordinates) => coordinates,
            Deep(coordinates) => coordinates,
        }
    }

    /// The join with a point of which at least one is deep.
    #[cold]
    fn deep_join(&self, other: &Self) -> Self {
        let depth = self.padded().len().max(other.padded().len());
        (0..depth).map(|index| self.coordinate(index).max(other.coordinate(index))).collect()
    }

    /// The meet with a point of which at least one is deep.
    #[cold]
    fn deep_meet(&self, other: &Self) -> Self {
        self.padded().iter().zip(other.padded()).map(|(&a, &b)| a.min(b)).collect()
    }

    #[cold]
    fn deep_precedes(&self, other: &Self) -> bool {
        let within = self.padded().iter().zip(other.padded()).all(|(a, b)| a <= b);
        within && self.padded().len() <= other.padded().len()
    }
}

/// The coordinates without trailing zeros.
fn trimmed(coordinates: &[u64]) -> &[u64] {
    let len = coordinates.iter().rposition(|&coordinate| coordinate != 0).map_or(0, |last| last + 1);
    &coordinates[..len]
}

impl Lattice for Point {
    #[inline]
    fn join(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Flat(a), Flat(b)) => Point(Flat(std::array::from_fn(|index| a[index].max(b[index])))),
            _ => self.deep_join(other),
        }
    }

    #[inline]
    fn meet(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Flat(a), Flat(b)) => Point(Flat(std::array::from_fn(|index| a[index].min(b[index])))),
            _ => self.deep_meet(other),
        }
    }

    #[inline]
    fn join_assign(&mut self, other: &Self) {
        match (&mut self.0, &other.0) {
            (Flat(a), Flat(b)) => a.iter_mut().zip(b).for_each(|(a, &b)| *a = (*a).max(b)),
            _ => *self = self.deep_join(other),
        }
    }

    #[inline]
    fn meet_assign(&mut self, other: &Self) {
        match (&mut self.0, &other.0) {
            (Flat(a), Flat(b)) => a.iter_mut().zip(b).for_each(|(a, &b)| *a = (*a).min(b)),
            _ => *self = self.deep_meet(other),
        }
    }
}

impl Time for Point {
    type Column = Lanes;

    #[inline]
    fn precedes(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            // All four are compared in any case: cheaper than to branch on each.
            (Flat(a), Flat(b)) => (0..FLAT).fold(true, |precedes, index| precedes & (a[index] <= b[index])),
            _ => self.deep_precedes(other),
        }
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
        self.coordinates().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Point {
    // By way of `new`, as bytes from elsewhere may hold the trailing zeros that a point never stores.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|coordinates| Point::new(&coordinates))
    }
}

/// Each point is the number of its coordinates, and those. Points in bulk are [`Lanes`], and do not go this way.
impl Portable for Point {
    fn values_len<'a>(values: impl ExactSizeIterator<Item = &'a Self> + Clone) -> usize {
        values.map(|point| (1 + point.coordinates().len()) * size_of::<u64>()).sum()
    }
    fn write_values(values: &[Self], into: &mut Vec<u8>) {
        for point in values {
            u64::write_values(&[point.coordinates().len() as u64], into);
            u64::write_values(point.coordinates(), into);
        }
    }
    fn read_values(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, Malformed> {
        let mut points = Vec::new();
        for _ in 0..count {
            let depth = from.count()?;
            points.push(Point::new(&u64::read_values(depth, from)?));
        }
        Ok(points)
    }
}
