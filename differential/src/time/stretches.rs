//! A few columns to one: now some rows of the one, now some of another.
//!
//! ```text
//!   older   a b c d e        stretches   older 0..2, newer 0..1, older 2..4, ...     =>   a b V c d ...
//!   newer   V W X
//! ```
//!
//! A merge notes which rows come next and copies them column by column once there are many: a look at how a column is
//! stored a list and not a run. Invariant: rows of one side that follow each other are one stretch, if noted by
//! [`Stretch::note`]. Cost: a few instructions a stretch and column, and a copy. Why not a number for each row: long runs
//! are copied as ranges. Tested in `lanes_laws.rs`, against the copies one by one, and with every merge.

use std::ops::Range;

use super::Lane;
use super::lane::Side;

/// Up to this many rows are copied one by one: calling for a copy of memory costs more.
const SHORT: usize = 4;

/// Some rows that follow each other, of one of a few columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Which of the columns, from zero on.
    pub side: u8,
    /// Which of its rows.
    pub rows: Range<u32>,
}

impl Stretch {
    /// Appends some rows of a side to a list of stretches.
    #[inline]
    pub(crate) fn note(list: &mut Vec<Stretch>, side: usize, rows: Range<usize>) {
        let (side, rows) = (side as u8, rows.start as u32..rows.end as u32);
        match list.last_mut() {
            Some(last) if last.side == side && last.rows.end == rows.start => last.rows.end = rows.end,
            _ => list.push(Stretch { side, rows }),
        }
    }

    /// Which side, as an index.
    #[inline]
    pub fn side(&self) -> usize {
        self.side.into()
    }

    /// The rows, as an index of a slice.
    #[inline]
    pub fn rows(&self) -> Range<usize> {
        self.rows.start as usize..self.rows.end as usize
    }
}

impl<T: Clone + Eq> Lane<T> {
    /// Appends the rows of each stretch of some sides.
    pub(crate) fn extend_stretches(&mut self, sides: &[Side<'_, T>], stretches: &[Stretch]) {
        if let [Side::Same(first), rest @ ..] = sides
            && rest.iter().all(|side| matches!(side, Side::Same(value) if value == first))
        {
            return self.push_repeat((*first).clone(), stretches.iter().map(|stretch| stretch.rows.len()).sum());
        }
        for (at, stretch) in stretches.iter().enumerate() {
            if self.spread().is_some() {
                return self.append_each(|each| write_out(each, sides, &stretches[at..]));
            }
            match sides[stretch.side()] {
                Side::Same(value) => self.push_repeat(value.clone(), stretch.rows.len()),
                Side::Each(values) => self.extend_from_slice(&values[stretch.rows()]),
            }
        }
    }
}

/// Appends the rows of each stretch to a vector.
fn write_out<T: Clone + Eq>(into: &mut Vec<T>, sides: &[Side<'_, T>], stretches: &[Stretch]) {
    into.reserve(stretches.iter().map(|stretch| stretch.rows.len()).sum());
    for stretch in stretches {
        match sides[stretch.side()] {
            Side::Same(value) => into.resize(into.len() + stretch.rows.len(), value.clone()),
            Side::Each(values) if stretch.rows.len() > SHORT => into.extend_from_slice(&values[stretch.rows()]),
            Side::Each(values) => values[stretch.rows()].iter().for_each(|value| into.push(value.clone())),
        }
    }
}
