//! Two lanes to one: every row with every row of a block, or row by row.
//!
//! ```text
//!   cross of l0 l1 with r0 r1 r2:   l0r0 l0r1 l0r2 l1r0 l1r1 l1r2          zip:   l0r0 l1r1
//!     Same x Same   one value                     no row is looked at
//!     Same x Each   the right range, once         and its copies
//!     Each x Same   one value a left row          and its copies
//!     Each x Each   a value a pair
//! ```
//!
//! Joins of times (`max`) and products of diffs are the same four loops, so they are written once, over a function of
//! two values; and once more by the compiler for values in their short form, with results that have one. (If one has none,
//! the loop runs again over the values themselves.) Invariant: two uniform sides give a uniform run. Cost: the representation is matched on once a call,
//! not once a block. Why not a loop over pairs of rows: copying is five times faster than computing.
//! Tested in `lane_laws.rs`, against the two nested loops.

use std::ops::Range;

use super::side::Cells;
use super::{Lane, Side};
use crate::bytes::Portable;

/// Below this many values, to push them one by one costs less than to make ready for all of them.
const SHORT: usize = 4;

/// The pairs of row ranges that a cross is made of.
pub type Block = (Range<u32>, Range<u32>);

/// The number of pairs of rows in a list of blocks.
pub fn pairs_in(blocks: &[Block]) -> usize {
    blocks.iter().map(|(left, right)| left.len() * right.len()).sum()
}

/// The rows of a block's side, as an index of a slice.
fn index(rows: &Range<u32>) -> Range<usize> {
    rows.start as usize..rows.end as usize
}

impl<T: Portable + Clone + Eq> Lane<T> {
    /// For each block, in order: for each row of its left range, `combine` of it with each row of the right range.
    pub(crate) fn extend_cross<A: Portable + Clone + Eq, B: Portable + Clone + Eq>(
        &mut self,
        left: Side<'_, A>,
        right: Side<'_, B>,
        blocks: &[Block],
        mut combine: impl FnMut(&A, &B) -> T,
    ) {
        let total = pairs_in(blocks);
        if total == 0 {
            return;
        }
        if let (Side::Same(a), Side::Same(b)) = (left, right) {
            return self.push_repeat(combine(a, b), total);
        }
        if let (Some(left), Some(right)) = (left.shorts(), right.shorts()) {
            let short = self.append_shorts(|out| {
                let mut fit = true;
                cross(out, left, right, blocks, in_short(&mut combine, &mut fit));
                fit
            });
            if short {
                return;
            }
        }
        self.append_each(|out| match (left.values(), right.values()) {
            (Some(left), Some(right)) => cross(out, left, right, blocks, combine),
            _ => {
                for (left_rows, right_rows) in blocks {
                    for a in index(left_rows).map(|row| left.get(row)) {
                        out.extend(index(right_rows).map(|row| combine(&a, &right.get(row))));
                    }
                }
            }
        });
    }

    /// `combine` of row `i` of the left range with row `i` of the right range; both have one length.
    pub(crate) fn extend_zip<A: Portable + Clone + Eq, B: Portable + Clone + Eq>(
        &mut self,
        (left, left_rows): (Side<'_, A>, Range<usize>),
        (right, right_rows): (Side<'_, B>, Range<usize>),
        mut combine: impl FnMut(&A, &B) -> T,
    ) {
        assert_eq!(left_rows.len(), right_rows.len(), "a zip of ranges of unequal length");
        if left_rows.is_empty() {
            return;
        }
        let (left, right) = (left.rows(left_rows), right.rows(right_rows.clone()));
        if let (Side::Same(a), Side::Same(b)) = (left, right) {
            return self.push_repeat(combine(a, b), right_rows.len());
        }
        if let (Some(left), Some(right)) = (left.shorts(), right.shorts()) {
            let short = self.append_shorts(|out| {
                let mut fit = true;
                zip(out, left, right, in_short(&mut combine, &mut fit));
                fit
            });
            if short {
                return;
            }
        }
        self.append_each(|out| match (left.values(), right.values()) {
            (Some(left), Some(right)) => zip(out, left, right, combine),
            _ => out.extend((0..right_rows.len()).map(|row| combine(&left.get(row), &right.get(row)))),
        });
    }
}

/// `combine` over values in their short form, to one in its. What has none lowers the flag.
#[inline]
fn in_short<A: Portable, B: Portable, T: Portable>(
    combine: &mut impl FnMut(&A, &B) -> T,
    fit: &mut bool,
) -> impl FnMut(&u16, &u16) -> u16 {
    |a, b| {
        let short = combine(&A::of_short(*a), &B::of_short(*b)).short();
        *fit &= short.is_some();
        short.unwrap_or(0)
    }
}

/// The cross of the rows of two sides, block by block.
#[inline]
fn cross<A, B, T: Clone>(
    out: &mut Vec<T>,
    left: Cells<'_, A>,
    right: Cells<'_, B>,
    blocks: &[Block],
    mut combine: impl FnMut(&A, &B) -> T,
) {
    out.reserve(pairs_in(blocks));
    match (left, right) {
        (Cells::One(a), Cells::One(b)) => out.resize(out.len() + pairs_in(blocks), combine(&a, &b)),
        (Cells::One(a), Cells::Many(right)) => {
            for (left_rows, right_rows) in blocks.iter().filter(|(left_rows, _)| !left_rows.is_empty()) {
                let start = out.len();
                out.extend(right[index(right_rows)].iter().map(|b| combine(&a, b)));
                for _ in 1..left_rows.len() {
                    out.extend_from_within(start..start + right_rows.len());
                }
            }
        }
        (Cells::Many(left), Cells::One(b)) => {
            for (left_rows, right_rows) in blocks.iter().filter(|(_, right_rows)| !right_rows.is_empty()) {
                for a in &left[index(left_rows)] {
                    out.resize(out.len() + right_rows.len(), combine(a, &b));
                }
            }
        }
        (Cells::Many(left), Cells::Many(right)) => {
            for (left_rows, right_rows) in blocks {
                let right = &right[index(right_rows)];
                for a in &left[index(left_rows)] {
                    if right.len() < SHORT {
                        right.iter().for_each(|b| out.push(combine(a, b)));
                    } else {
                        out.extend(right.iter().map(|b| combine(a, b)));
                    }
                }
            }
        }
    }
}

/// The rows of two sides of one length, row by row.
#[inline]
fn zip<A, B, T: Clone>(
    out: &mut Vec<T>,
    left: Cells<'_, A>,
    right: Cells<'_, B>,
    mut combine: impl FnMut(&A, &B) -> T,
) {
    match (left, right) {
        (Cells::One(a), Cells::One(b)) => out.push(combine(&a, &b)),
        (Cells::One(a), Cells::Many(right)) => out.extend(right.iter().map(|b| combine(&a, b))),
        (Cells::Many(left), Cells::One(b)) => out.extend(left.iter().map(|a| combine(a, &b))),
        (Cells::Many(left), Cells::Many(right)) => out.extend(left.iter().zip(right).map(|(a, b)| combine(a, b))),
    }
}
