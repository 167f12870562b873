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
//! Cost: one pass to hash, one to count, one to list the rows of each part, and then a gather a column and part, which
//! reads rows in ascending order. Uniform times and diffs stay so and cost nothing. One part is the updates themselves,
//! with no look at them; and if all rows belong to one part, the container moves there whole.
//! Why not push row by row into the parts: that walks all columns at once, and looks at each lane's form once a row.
//! Tested in `wire_laws.rs`.

use super::Updates;
use crate::column::{Column, Data};
use crate::diff::Diff;
use crate::time::Time;

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

        let shape = self.data.shape();
        let ends = ends(&row_hashes, parts);
        let whole = (0..parts).find(|&part| ends[part] - start(&ends, part) == self.len());
        if let Some(whole) = whole {
            let mut split: Vec<Self> = (0..parts).map(|_| Self::empty(&shape)).collect();
            split[whole] = self;
            return split;
        }
        let rows = rows_by_part(&row_hashes, &ends);
        (0..parts).map(|part| self.gather(&rows[start(&ends, part)..ends[part]])).collect()
    }
}

/// Where each part's rows end, if they stand part by part.
fn ends(hashes: &[u64], parts: usize) -> Vec<usize> {
    let mut ends = vec![0; parts];
    hashes.iter().for_each(|&hash| ends[part_of(hash, parts)] += 1);
    let mut total = 0;
    ends.iter_mut().for_each(|end| {
        total += *end;
        *end = total;
    });
    ends
}

/// Where a part's rows start.
fn start(ends: &[usize], part: usize) -> usize {
    if part == 0 { 0 } else { ends[part - 1] }
}

/// The rows, part by part.
fn rows_by_part(hashes: &[u64], ends: &[usize]) -> Vec<u32> {
    let count = u32::try_from(hashes.len()).expect("rows of a container are named by 32 bits");
    let mut places: Vec<usize> = (0..ends.len()).map(|part| start(ends, part)).collect();
    let mut rows = vec![0; hashes.len()];
    for (row, &hash) in (0..count).zip(hashes) {
        let place = &mut places[part_of(hash, ends.len())];
        rows[*place] = row;
        *place += 1;
    }
    rows
}
