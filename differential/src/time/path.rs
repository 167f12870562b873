//! What a way through a region does to a time, as timely asks for it at the region's boundary.
//!
//! A path keeps the first coordinates (it leaves loops) and adds to some of them (it goes through delays). Composed
//! as paths compose: what is cut off later is forgotten.
//!
//! A path that leaves a loop and adds inside another is more than a summary can say; it says less, which is safe: what
//! comes is then expected earlier than it does. Tested in `laws.rs`, against walking the path step by step.
//!
//! Invariant: an increment beyond what is kept is never stored, and neither is an increment of zero at the end.

use timely::order::PartialOrder;
use timely::progress::PathSummary;

use super::Point;

/// A path summary of [`Point`]: coordinates kept, and what is added to each of them.
///
/// ```
/// use differential::time::{Path, Point};
/// use timely::progress::PathSummary;
/// let round = Path::add(1, 1);
/// let leave = Path::keep(1);
/// assert_eq!(round.results_in(&Point::from([4, 2])), Some(Point::from([4, 3])));
/// assert_eq!(round.followed_by(&leave), Some(Path::keep(1)));
/// assert_eq!(Path::add(0, 1).results_in(&Point::from(u64::MAX)), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Coordinates at or past this index are cut off.
    keep: usize,
    added: Vec<u64>,
}

impl Default for Path {
    fn default() -> Self {
        Path { keep: usize::MAX, added: Vec::new() }
    }
}

impl Path {
    /// The path that leaves loops until `depth` coordinates are left.
    pub fn keep(depth: usize) -> Self {
        Path { keep: depth, added: Vec::new() }
    }

    /// The path through a delay that adds `amount` at coordinate `index`.
    pub fn add(index: usize, amount: u64) -> Self {
        let mut added = vec![0; index];
        added.push(amount);
        Path { keep: usize::MAX, added }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        self.added.truncate(self.keep);
        while self.added.last() == Some(&0) {
            self.added.pop();
        }
        self
    }
}

impl PartialOrder for Path {
    // What keeps fewer coordinates and adds less results in earlier times.
    fn less_equal(&self, other: &Self) -> bool {
        let added = |path: &Path, index: usize| path.added.get(index).copied().unwrap_or(0);
        self.keep <= other.keep && (0..self.added.len()).all(|index| added(self, index) <= added(other, index))
    }
}

impl PathSummary<Point> for Path {
    fn results_in(&self, time: &Point) -> Option<Point> {
        let mut coordinates = time.coordinates().to_vec();
        coordinates.truncate(self.keep);
        coordinates.resize(coordinates.len().max(self.added.len()), 0);
        for (coordinate, &amount) in coordinates.iter_mut().zip(&self.added) {
            *coordinate = coordinate.checked_add(amount)?;
        }
        Some(Point::new(&coordinates))
    }

    fn followed_by(&self, other: &Self) -> Option<Self> {
        let mut added = self.added.clone();
        added.truncate(other.keep);
        added.resize(added.len().max(other.added.len()), 0);
        for (sum, &amount) in added.iter_mut().zip(&other.added) {
            *sum = sum.checked_add(amount)?;
        }
        Some(Path { keep: self.keep.min(other.keep), added }.trimmed())
    }
}
