//! Cuts updates into one container for each worker, by hash.
//!
//! ```text
//!   hashes    0 ..................... 2^64      the range of all hashes, in equal parts
//!   parts     |   0   |   1   |   2   |
//!   rows      c a d b  ->  [c d] [] [a b]       each part in the order in which the rows were
//! ```
//!
//! A row's part is its hash's place in the range of all hashes: the upper word of hash times parts. It needs no division
//! and takes any number of parts, and as hashes are equal on every process and release, so are the parts.
//!
//! Invariant: every row is in the one part that its hash names, and rows of one part keep their order.
//! Cost: one pass to hash and count, and one to gather, each a block of rows at a time: hashes and row numbers stay in
//! the cache, and the only list as long as the updates has two bytes a row. Uniform times and diffs stay so and cost
//! nothing. One part is the updates themselves, with no look at them; and if all rows belong to one part, the container
//! moves there whole.
//! Why not push row by row into the parts: that walks all columns at once, and looks at each lane's form once a row.
//! Why not all hashes first, and then all row numbers: a million pairs took 41 ms so, and take 16 ms block by block, since
//! most of the difference is memory that is touched for the first time.
//! Tested in `wire_laws.rs`.

use std::ops::Range;

use super::Updates;
use crate::column::{Column, Data};
use crate::diff::Diff;
use crate::time::Time;

/// How many rows are hashed and gathered at a time.
const BLOCK: usize = 1 << 13;

/// The most parts.
const MOST: usize = 1 << u16::BITS;

/// Which of `parts` equal parts of the range of all hashes a hash lies in.
///
/// ```
/// use differential::updates::part_of;
/// assert_eq!((part_of(0, 3), part_of(u64::MAX / 2, 3), part_of(u64::MAX, 3)), (0, 1, 2));
/// ```
#[inline]
pub fn part_of(hash: u64, parts: usize) -> usize {
    ((u128::from(hash) * parts as u128) >> u64::BITS) as usize
}

impl<D: Data, T: Time, R: Diff> Updates<D, T, R> {
    /// Cuts the updates into `parts` containers by hash: `hashes` is asked to append the hashes of a range of rows of the
    /// data column, range after range.
    ///
    /// It is not asked for one part. Panics if there are no parts or more than 65,536, or if it does not append one hash
    /// a row.
    ///
    /// ```
    /// use differential::column::Column;
    /// use differential::updates::Updates;
    /// let mut updates = Updates::<(u64, String), u64, i64>::empty(&((), ()));
    /// updates.push((7, "a".to_string()), &0, 1);
    /// updates.push((7, "b".to_string()), &0, 1);
    /// // By key: both go to one worker.
    /// let parts = updates.split(4, |data, rows, hashes| data.0.hashes(rows, hashes));
    /// assert_eq!(parts.iter().filter(|part| !part.is_empty()).count(), 1);
    /// ```
    pub fn split(self, parts: usize, hashes: impl FnMut(&D::Column, Range<usize>, &mut Vec<u64>)) -> Vec<Self> {
        assert!((1..=MOST).contains(&parts), "updates are split into 1 to {MOST} parts, not {parts}");
        if parts == 1 {
            return vec![self];
        }
        let (part_of_row, counts) = self.parts(parts, hashes);
        let shape = self.data.shape();
        let mut split: Vec<Self> = (0..parts).map(|_| Self::empty(&shape)).collect();
        if let Some(whole) = counts.iter().position(|&count| count == self.len()) {
            split[whole] = self;
            return split;
        }
        split.iter_mut().zip(&counts).for_each(|(part, &count)| part.data.reserve(count));
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); parts];
        // Zipped with row numbers of 32 bits: `parts` has seen that they suffice.
        let mut row = 0..;
        for block in part_of_row.chunks(BLOCK) {
            block.iter().zip(&mut row).for_each(|(&part, row)| rows[usize::from(part)].push(row));
            for (part, rows) in split.iter_mut().zip(&mut rows) {
                part.extend_gather(&self, rows);
                rows.clear();
            }
        }
        split
    }

    /// The part of each row, and how many rows each part has.
    fn parts(
        &self,
        parts: usize,
        mut hashes: impl FnMut(&D::Column, Range<usize>, &mut Vec<u64>),
    ) -> (Vec<u16>, Vec<usize>) {
        assert!(u32::try_from(self.len()).is_ok(), "{} rows, and rows are named by 32 bits", self.len());
        let (mut part_of_row, mut counts) = (Vec::with_capacity(self.len()), vec![0; parts]);
        let mut block = Vec::with_capacity(BLOCK.min(self.len()));
        for start in (0..self.len()).step_by(BLOCK) {
            let rows = start..self.len().min(start + BLOCK);
            block.clear();
            hashes(&self.data, rows.clone(), &mut block);
            assert_eq!(block.len(), rows.len(), "a hash for each row");
            part_of_row.extend(block.iter().map(|&hash| {
                let part = part_of(hash, parts);
                counts[part] += 1;
                part as u16
            }));
        }
        (part_of_row, counts)
    }
}
