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
//! two values. Invariant: two uniform sides give a uniform run. Cost: the representation is matched on once a call,
//! not once a block. Why not a loop over pairs of rows: copying is five times faster than computing.
//! Tested in `lane_laws.rs`, against the two nested loops.

use std::ops::Range;

use super::Lane;
use super::lane::Side;

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

impl<T: Clone + Eq> Lane<T> {
    /// For each block, in order: for each row of its left range, `combine` of it with each row of the right range.
    pub(crate) fn extend_cross<A, B>(
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
        self.append_each(|out| {
            out.reserve(total);
            match (left, right) {
                (Side::Same(a), Side::Each(right)) => {
                    for (left_rows, right_rows) in blocks.iter().filter(|(left_rows, _)| !left_rows.is_empty()) {
                        let start = out.len();
                        out.extend(right[index(right_rows)].iter().map(|b| combine(a, b)));
                        for _ in 1..left_rows.len() {
                            out.extend_from_within(start..start + right_rows.len());
                        }
                    }
                }
                (Side::Each(left), Side::Same(b)) => {
                    for (left_rows, right_rows) in blocks.iter().filter(|(_, right_rows)| !right_rows.is_empty()) {
                        for a in &left[index(left_rows)] {
                            out.resize(out.len() + right_rows.len(), combine(a, b));
                        }
                    }
                }
                (Side::Each(left), Side::Each(right)) => {
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
                (Side::Same(_), Side::Same(_)) => unreachable!("two uniform sides were one run above"),
            }
        });
    }

    /// `combine` of row `i` of the left range with row `i` of the right range; both have one length.
    pub(crate) fn extend_zip<A, B>(
        &mut self,
        (left, left_rows): (Side<'_, A>, Range<usize>),
        (right, right_rows): (Side<'_, B>, Range<usize>),
        mut combine: impl FnMut(&A, &B) -> T,
    ) {
        assert_eq!(left_rows.len(), right_rows.len(), "a zip of ranges of unequal length");
        if left_rows.is_empty() {
            return;
        }
        match (left, right) {
            (Side::Same(a), Side::Same(b)) => self.push_repeat(combine(a, b), left_rows.len()),
            (Side::Same(a), Side::Each(right)) => {
                self.append_each(|out| out.extend(right[right_rows].iter().map(|b| combine(a, b))));
            }
            (Side::Each(left), Side::Same(b)) => {
                self.append_each(|out| out.extend(left[left_rows].iter().map(|a| combine(a, b))));
            }
            (Side::Each(left), Side::Each(right)) => {
                let pairs = left[left_rows].iter().zip(&right[right_rows]);
                self.append_each(|out| out.extend(pairs.map(|(a, b)| combine(a, b))));
            }
        }
    }
}
