//! Sorting updates, adding up those of one record and time, dropping zeros.
//!
//! ```text
//!   b 4 +1          a 4 +2
//!   a 4 +1    =>    b 5 -1
//!   b 4 -1
//!   a 4 +1          (b at 4 has gone)
//!   b 5 -1
//! ```
//!
//! | rows | way |
//! |---|---|
//! | in order already | nothing is moved |
//! | a few | a permutation sorted by comparison, then a gather |
//! | many | parted into buckets that fit the cache; each sorted by its words' digits and added up there |
//!
//! What does not vary is not carried: under one time and one diff, the words are keys and values alone, and equal rows
//! add up to a multiple of the diff. Where prefixes are exact and times few, words say all (`spelled`); otherwise rows
//! are tagged with their numbers (`numbered`). A long sort can be done a step at a time (`sorting`).
//!
//! Invariant: a bucket's border never lies between equal rows, since equal rows have equal first words. Cost: two
//! sequential reads, one scattered write, and a sort in cache; memory for the words, less what is given back meanwhile.
//! Why not a hash table that adds up first: even where each record is met ten times, sorting in cache measured twice as fast.
//!
//! Tested in `consolidate_laws.rs`, against sums in a tree.

use super::sorting::Sorting;
use super::{Keyed, Updates};
use crate::column::{Column, Data};
use crate::diff::{Diff, OverflowAt};
use crate::layout::Layout;
use crate::time::Time;

impl<L: Layout> Keyed<L> {
    /// Sorts by (key, value, time), adds up the diffs of equal rows, and drops what adds up to zero.
    ///
    /// Fails if a total leaves the range of the diff, whatever the order of the rows; they are then gone. Takes memory
    /// for about as many bytes as the keys and values have, and fewer than 2^32 rows.
    ///
    /// ```
    /// use differential::layout::Rows;
    /// use differential::updates::Keyed;
    /// let mut roads = Keyed::<Rows<u64, u64, u64, i64>>::empty(&(), &());
    /// roads.push(7, 1, &0, 1);
    /// roads.push(3, 5, &0, 1);
    /// roads.push(7, 1, &0, -1);
    /// roads.consolidate()?;
    /// assert_eq!(format!("{roads:?}"), "[(3, 5, 0, 1)]");
    /// # Ok::<(), differential::diff::Overflow>(())
    /// ```
    pub fn consolidate(&mut self) -> Result<(), OverflowAt<L::Time>> {
        let (keys, vals) = self.shapes();
        let rows = std::mem::replace(self, Self::empty(&keys, &vals));
        *self = consolidated(vec![rows])?;
        Ok(())
    }
}

impl<D: Data, T: Time, R: Diff> Updates<D, T, R> {
    /// Sorts by (record, time), adds up the diffs of equal rows, and drops what adds up to zero.
    ///
    /// Fails if a total leaves the range of the diff, whatever the order of the rows; they are then gone.
    pub fn consolidate(&mut self) -> Result<(), OverflowAt<T>> {
        let updates = std::mem::replace(self, Self::empty(&self.data.shape()));
        let rows = consolidated(vec![Keyed::by_self(updates)])?;
        *self = Updates { data: rows.keys, times: rows.times, diffs: rows.diffs };
        Ok(())
    }
}

/// The updates of all chunks, sorted by (key, value, time), added up, without zeros. There is at least one chunk.
pub(crate) fn consolidated<L: Layout>(chunks: Vec<Keyed<L>>) -> Result<Keyed<L>, OverflowAt<L::Time>> {
    let (keys, vals) = chunks[0].shapes();
    let (mut sorting, mut rows) = (Sorting::new(chunks), Keyed::empty(&keys, &vals));
    while !sorting.is_done() {
        let mut effort = usize::MAX;
        sorting.step(&mut effort, &mut rows)?;
    }
    Ok(rows)
}
