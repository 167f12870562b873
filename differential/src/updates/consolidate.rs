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
//! | many | written as words; scattered to buckets that fit the cache; each sorted by digits and added up there |
//!
//! What does not vary is not carried: under one time and one diff, the words are keys and values alone, and equal rows
//! add up to a multiple of the diff. Where prefixes are exact and times few, words say all (`spelled`); otherwise rows
//! are tagged with their numbers (`numbered`).
//!
//! Invariant: a bucket's border never lies between equal rows, since equal rows have equal first words. Cost: two or
//! three sequential reads, one scattered write, and a sort in cache; memory for the words beside the columns. Why not a
//! hash table that adds up first: even where each record is met ten times, sorting in cache measured twice as fast.
//!
//! Tested in `consolidate_laws.rs`, against sums in a tree.

use std::cmp::Ordering;

use super::alphabet::Alphabet;
use super::numbered::numbered;
use super::spelled::spelled;
use super::{Keyed, Updates, sums};
use crate::column::{Column, Data};
use crate::diff::{Diff, Diffs, OverflowAt};
use crate::layout::{Keys, Layout, Vals};
use crate::time::{Time, TimeColumn};

/// Up to this many rows, a comparison sort of a permutation is cheaper than writing words.
const FEW: usize = 64;

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
        if is_consolidated(self) {
            return Ok(());
        }
        let (keys, vals) = self.shapes();
        let rows = std::mem::replace(self, Self::empty(&keys, &vals));
        *self = sorted(vec![rows])?;
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
pub(crate) fn consolidated<L: Layout>(mut chunks: Vec<Keyed<L>>) -> Result<Keyed<L>, OverflowAt<L::Time>> {
    match &chunks[..] {
        [chunk] if is_consolidated(chunk) => Ok(chunks.swap_remove(0)),
        _ => sorted(chunks),
    }
}

/// The same, if that takes work.
fn sorted<L: Layout>(chunks: Vec<Keyed<L>>) -> Result<Keyed<L>, OverflowAt<L::Time>> {
    let count: usize = chunks.iter().map(Keyed::len).sum();
    assert!(u32::try_from(count).is_ok(), "{count} rows, but rows are numbered by 32 bits");
    if count <= FEW {
        return few(&concatenated(chunks));
    }
    if Keys::<L>::EXACT_PREFIX
        && Vals::<L>::EXACT_PREFIX
        && let Some(alphabet) = Alphabet::of(&chunks)
    {
        spelled(chunks, &alphabet)
    } else {
        numbered(concatenated(chunks))
    }
}

/// Whether rows ascend by (key, value, time) with no two equal, and no diff is zero.
pub(crate) fn is_consolidated<L: Layout>(rows: &Keyed<L>) -> bool {
    let diffs_count = match rows.diffs.uniform() {
        Some(diff) => !diff.is_zero(),
        None => (0..rows.len()).all(|row| !rows.diffs.get(row).is_zero()),
    };
    diffs_count && (1..rows.len()).all(|row| compare(rows, row - 1, row).is_lt())
}

fn compare<L: Layout>(rows: &Keyed<L>, a: usize, b: usize) -> Ordering {
    (rows.keys.compare(a, &rows.keys, b))
        .then_with(|| rows.vals.compare(a, &rows.vals, b))
        .then_with(|| rows.times.compare(a, &rows.times, b))
}

/// All rows in one list, in the order of the chunks; each chunk is freed once it is copied.
fn concatenated<L: Layout>(chunks: Vec<Keyed<L>>) -> Keyed<L> {
    let count: usize = chunks.iter().map(Keyed::len).sum();
    let mut chunks = chunks.into_iter();
    let mut rows = chunks.next().expect("there is a chunk, if only for its shape");
    if rows.len() < count {
        rows.keys.reserve(count - rows.len());
        rows.vals.reserve(count - rows.len());
    }
    for chunk in chunks {
        rows.extend_range(&chunk, 0..chunk.len());
    }
    rows
}

/// Consolidates by a permutation.
fn few<L: Layout>(rows: &Keyed<L>) -> Result<Keyed<L>, OverflowAt<L::Time>> {
    let mut numbers: [u32; FEW] = std::array::from_fn(|row| row as u32);
    let order = &mut numbers[..rows.len()];
    order.sort_unstable_by(|&a, &b| compare(rows, a as usize, b as usize));
    let (mut kept, mut diffs) = (0, Diffs::default());
    let mut start = 0;
    while start < order.len() {
        let mut end = start + 1;
        while end < order.len() && compare(rows, order[start] as usize, order[end] as usize).is_eq() {
            end += 1;
        }
        let sum = sums::total(order[start..end].iter().map(|&row| rows.diffs.get(row as usize)))
            .map_err(|_| OverflowAt::new(rows.times.get(order[start] as usize)))?;
        if !sum.is_zero() {
            order[kept] = order[start];
            kept += 1;
            diffs.push(sum);
        }
        start = end;
    }
    let (keys, vals) = rows.shapes();
    let mut sorted = Keyed::<L>::empty(&keys, &vals);
    sorted.keys.extend_gather(&rows.keys, &order[..kept]);
    sorted.vals.extend_gather(&rows.vals, &order[..kept]);
    sorted.times.extend_gather(&rows.times, &order[..kept]);
    sorted.diffs = diffs;
    Ok(sorted)
}
