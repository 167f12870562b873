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
//! Cost: one pass to hash, one to count, and one to gather, a block of rows at a time: row numbers stay in the cache, and
//! the only list as long as the updates is that of hashes. Uniform times and diffs stay so and cost nothing. One part is
//! the updates themselves, with no look at them; and if all rows belong to one part, the container moves there whole.
//! Why not push row by row into the parts: that walks all columns at once, and looks at each lane's form once a row.
//! Why not list all rows of a part and gather them at once: that took 41 ms for a million pairs, and this takes 15.
//! Tested in `wire_laws.rs`.

use super::Updates;
use crate::column::{Column, Data};
use crate::diff::Diff;
use crate::time::Time;

/// How many rows are gathered at a time.
const BLOCK: usize = 1 << 13;

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
    /// Cuts the updates into `parts` containers, by the hashes that `hashes` appends for the rows of the data column.
    ///
    /// `hashes` is not called for one part. Panics if there are no parts, or if it does not append one hash a row.
    ///
    /// ```
    /// use differential::column::Column;
    /// use differential::updates::Updates;
    /// let mut updates = Updates::<(u64, String), u64, i64>::empty(&((), ()));
    /// updates.push((7, "a".to_string()), &0, 1);
    /// updates.push((7, "b".to_string()), &0, 1);
    /// // By key: both go to one worker.
    /// let parts = updates.split(4, |data, hashes| data.0.hashes(0..data.0.len(), hashes));
    /// assert_eq!(parts.iter().filter(|part| !part.is_empty()).count(), 1);
    /// ```
    pub fn split(self, parts: usize, hashes: impl FnOnce(&D::Column, &mut Vec<u64>)) -> Vec<Self> {
        assert!(parts > 0, "updates are split into some parts");
        if parts == 1 {
            return vec![self];
        }
        let mut row_hashes = Vec::with_capacity(self.len());
        hashes(&self.data, &mut row_hashes);
        assert_eq!(row_hashes.len(), self.len(), "a hash for each row");
        let count = u32::try_from(self.len()).expect("rows of a container are named by 32 bits");

        let mut counts = vec![0; parts];
        row_hashes.iter().for_each(|&hash| counts[part_of(hash, parts)] += 1);
        let shape = self.data.shape();
        let mut split: Vec<Self> = (0..parts).map(|_| Self::empty(&shape)).collect();
        if let Some(whole) = counts.iter().position(|&count| count == self.len()) {
            split[whole] = self;
            return split;
        }
        split.iter_mut().zip(&counts).for_each(|(part, &count)| part.data.reserve(count));
        let (mut rows, mut next) = (vec![Vec::new(); parts], 0..count);
        for block in row_hashes.chunks(BLOCK) {
            block.iter().zip(&mut next).for_each(|(&hash, row)| rows[part_of(hash, parts)].push(row));
            for (part, rows) in split.iter_mut().zip(&mut rows) {
                part.extend_gather(&self, rows);
                rows.clear();
            }
        }
        split
    }
}
