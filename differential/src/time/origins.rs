//! A few columns to one: now a row of the one, now one of another.
//!
//! ```text
//!   older   a b c d e        origins   older 0, older 1, newer 0, older 2, ...     =>   a b V c ...
//!   newer   V W X
//! ```
//!
//! A merge notes where each of the next rows comes from, and copies them column by column once there are many: how a column
//! is stored is asked once a column, and where a row comes from is an index, nothing to be guessed. Cost: a few
//! instructions a row and column. Why not ranges of rows: in a merge of two sides that are alike a range is a row or two
//! long. (Long ones are copied as what they are, by who notes them.)
//! Tested in `lanes_laws.rs`, against the copies one by one, and with every merge.

use std::ops::Range;

use smallvec::SmallVec;

use super::side::Cells;
use super::{Lane, Side};
use crate::bytes::Portable;

/// Which of up to four columns a row comes from, and which of its rows it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(u32);

impl Origin {
    /// How many columns can be told apart.
    const SIDES: u32 = 4;
    /// How many rows can be.
    pub const ROWS: usize = (u32::MAX / Self::SIDES) as usize;

    /// A row of a side: one of the first four, and of its first [`ROWS`](Self::ROWS). That is checked in debug builds.
    #[inline]
    pub fn new(side: usize, row: usize) -> Self {
        debug_assert!(side < Self::SIDES as usize && row < Self::ROWS, "row {row} of side {side}");
        Origin(row as u32 * Self::SIDES + side as u32)
    }

    /// Which of the columns, from zero on.
    #[inline]
    pub fn side(self) -> usize {
        (self.0 % Self::SIDES) as usize
    }

    /// Which of its rows.
    #[inline]
    pub fn row(self) -> usize {
        (self.0 / Self::SIDES) as usize
    }

    /// The same rows as ranges of neighbours, each with its side.
    pub fn ranges(origins: &[Self]) -> impl Iterator<Item = (usize, Range<usize>)> {
        let runs = origins.chunk_by(|one, next| next.0 == one.0 + Self::SIDES);
        runs.map(|run| (run[0].side(), run[0].row()..run[0].row() + run.len()))
    }
}

/// The sides of which rows are taken, all in one form.
type Forms<'a, V> = SmallVec<[Cells<'a, V>; Origin::SIDES as usize]>;

impl<T: Portable + Clone + Eq> Lane<T> {
    /// Appends a row of one of the sides, up to four, for each origin.
    pub(crate) fn extend_origins(&mut self, sides: &[Side<'_, T>], origins: &[Origin]) {
        if let [Side::Same(first), rest @ ..] = sides
            && rest.iter().all(|side| matches!(side, Side::Same(value) if value == first))
        {
            return self.push_repeat((*first).clone(), origins.len());
        }
        if let Some(sides) = sides.iter().map(|side| side.shorts()).collect::<Option<Forms<'_, u16>>>() {
            self.extend_shorts(at_origins(&sides, origins).copied());
        } else if let Some(sides) = sides.iter().map(|side| side.values()).collect::<Option<Forms<'_, T>>>() {
            self.extend_each(at_origins(&sides, origins).cloned());
        } else {
            self.extend_each(origins.iter().map(|origin| sides[origin.side()].get(origin.row())));
        }
    }
}

/// The row at each origin.
#[inline]
fn at_origins<'a, V>(sides: &'a [Cells<'a, V>], origins: &'a [Origin]) -> impl Iterator<Item = &'a V> {
    let mut rows: [(&[V], usize); Origin::SIDES as usize] = [(&[], 0); Origin::SIDES as usize];
    rows.iter_mut().zip(sides).for_each(|(into, side)| *into = side.masked());
    origins.iter().map(move |origin| {
        let (values, mask) = rows[origin.side()];
        &values[origin.row() & mask]
    })
}
