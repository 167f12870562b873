//! When: partially ordered times, their lattice, frontiers, and times stored as lanes.
//!
//! An update happens at a time, and times are **partially ordered**: two changes may be such that neither came before
//! the other (epoch 3 in round 1, epoch 2 in round 5). The collection at a time is the sum of all updates at or before
//! it, so every pair of times needs a least time that is at or after both (their [`join`](Lattice::join)) and a
//! greatest one at or before both (their [`meet`](Lattice::meet)).
//!
//! ```text
//!   round                          a frontier { (1,2), (2,0) }
//!     2 |  .  F  *  *              F: an element.  *: in advance of the frontier, may still come.
//!     1 |  .  .  *  *              .: complete, can't change any more.
//!     0 |  .  .  F  *
//!       +-------------- epoch
//!          0  1  2  3
//! ```
//!
//! Two orders are in play and are never confused: [`Time::precedes`] is the partial one, the one that has meaning;
//! `Ord` is a total order that extends it, used for sorting only. Code of this crate never compares times with `<=`.
//!
//! | file | holds |
//! |---|---|
//! | `lattice` | joins and meets |
//! | `point` | [`Point`], the time of a region: input coordinates, then a round for each enclosing loop |
//! | `path` | what a way through a region does to a time |
//! | `frontier` | [`Frontier`], and what it makes indistinguishable |
//! | `column` | [`TimeColumn`], what bulk operations a list of times offers |
//! | `side` | [`Side`], how a lane's rows are stored, for who reads many of them |
//! | `written` | a value a row: in two bytes each while they all fit |
//! | `lane` | one value and a length, or a value a row |
//! | `pairs` | two lanes to one: every row with every row, or row by row |
//! | `origins` | a few columns to one: now a row of the one, now one of another |
//! | `lane_bytes` | a lane as bytes: one value, or a value a row |
//! | `lane_times` | a lane as a coordinate, and as the column of times that have only one |
//! | `lanes` | [`Lanes`], a column of points: a lane a coordinate |
//! | `shift` | what loops do to a column of points |
//! | `list` | the reference column: a vector of times |

mod column;
mod frontier;
mod lane;
mod lane_bytes;
mod lane_times;
mod lanes;
mod lattice;
mod list;
mod origins;
mod pairs;
mod path;
mod pick;
mod point;
mod shift;
mod side;
mod written;

#[cfg(test)]
mod bytes_laws;
#[cfg(test)]
mod lane_laws;
#[cfg(test)]
mod lanes_laws;
#[cfg(test)]
mod laws;
#[cfg(test)]
pub(crate) mod small_world;

pub use column::TimeColumn;
pub use frontier::Frontier;
pub use lane::Lane;
pub use lanes::Lanes;
#[cfg(test)]
pub(crate) use lanes::OWNED_EXITS;
pub use lattice::Lattice;
pub use origins::Origin;
pub use pairs::{Block, pairs_in};
pub use path::Path;
pub use pick::Pick;
pub use point::Point;
pub use shift::LateTime;
pub use side::Side;

use std::hash::Hash;

use timely::progress::Timestamp;

use crate::bytes::Portable;

/// A time at which an update may happen.
///
/// 1. `Ord` extends the partial order: if `a.precedes(b)` then `a.cmp(b)` is not `Greater`.
/// 2. `T::minimum()` (from timely) precedes every time.
/// 3. Equal times are equal values: a time has one representation.
pub trait Time: Timestamp + Lattice + Portable + Hash + Sync {
    /// How lists of this time are stored.
    type Column: TimeColumn<Self>;

    /// Whether `self` is at or before `other` in the partial order: an update at `self` is part of the collection at
    /// `other`.
    fn precedes(&self, other: &Self) -> bool;
}

impl Time for u64 {
    type Column = Lane<u64>;

    fn precedes(&self, other: &Self) -> bool {
        self <= other
    }
}
