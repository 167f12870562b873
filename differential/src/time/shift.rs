//! What loops do to a column of points: one coordinate of every row at once.
//!
//! ```text
//!   add       (e, r) -> (e, r + 1)          a delay
//!   raise     (e, r) -> (e, max(r, k))      entering at round k, which may differ by row
//!   truncate  (e, r) -> (e)                 leaving
//! ```
//!
//! A lane in which all rows agree stays one value, so most of these touch no row at all. Tested in `lanes_laws.rs`
//! beside the other operations of lanes.

use std::fmt;

use super::{Lane, Lanes, TimeColumn};

/// A coordinate of a time left the range of `u64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateTime;

impl fmt::Display for LateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a coordinate of a time overflowed")
    }
}

impl std::error::Error for LateTime {}

impl Lanes {
    /// Adds `amount` at coordinate `index` of every row.
    ///
    /// # Errors
    /// [`LateTime`] if a coordinate leaves the range of `u64`; the column is then of no use.
    pub fn add(&mut self, index: usize, amount: u64) -> Result<(), LateTime> {
        let mut overflowed = false;
        self.lane_mut(index).update(|coordinate| {
            let (sum, carry) = coordinate.overflowing_add(amount);
            *coordinate = sum;
            overflowed |= carry;
        });
        if overflowed { Err(LateTime) } else { Ok(()) }
    }

    /// Raises coordinate `index` of each row to at least the row's value in `least`.
    ///
    /// # Panics
    /// When `least` has not one value a row.
    pub fn raise(&mut self, index: usize, least: &[u64]) {
        assert_eq!(self.len(), least.len(), "one least value a row");
        let lane = self.lane_mut(index);
        let mut raised = Lane::default();
        for (row, &least) in least.iter().enumerate() {
            raised.push(lane.get(row).max(least));
        }
        *lane = raised;
    }

    /// Drops the coordinates from `depth` on.
    pub fn truncate_to(&mut self, depth: usize) {
        self.keep(depth);
    }
}
