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
//! | many | written as `words`; `scatter`ed to buckets that fit the cache; each sorted by `radix` and added up there |
//!
//! What does not vary is not carried: under one time and one diff, the words are keys and values alone, equal rows add
//! up to a multiple of the diff, and times and diffs are not read. Where prefixes are exact, columns are rebuilt from
//! the sorted words. Otherwise rows are tagged with their numbers, by which columns are gathered.
//!
//! Invariant: a bucket's border never lies between equal rows, since equal rows have equal first words. Cost: two or
//! three sequential reads, one scattered write, and a sort in cache; memory for the words beside the columns. Why not a
//! hash table that adds up first: even where each record is met ten times, sorting in cache measured twice as fast.
//!
//! Tested in `consolidate_laws.rs`, against sums in a tree.

use std::cmp::Ordering;

use super::buckets::{Buckets, Summands};
use super::radix::Order;
use super::words::Packing;
use super::{Keyed, Updates, sums};
use crate::column::{Column, Data};
use crate::diff::{Diff, Diffs, Overflow};
use crate::layout::{Keys, Layout, Rows, Vals};
use crate::time::{Time, TimeColumn};

/// Up to this many rows, a comparison sort of a permutation is cheaper than writing words.
const FEW: usize = 64;
/// Words are turned back into items this many rows at a time.
const BLOCK: usize = 1024;

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
    pub fn consolidate(&mut self) -> Result<(), Overflow> {
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
    pub fn consolidate(&mut self) -> Result<(), Overflow> {
        let Updates { data, times, diffs } = std::mem::replace(self, Self::empty(&self.data.shape()));
        let mut units = <() as Data>::Column::empty(&());
        (0..diffs.len()).for_each(|_| units.push(()));
        let rows = Keyed::<Rows<D, (), T, R>> { keys: data, vals: units, times, diffs };
        let rows = consolidated(vec![rows])?;
        *self = Updates { data: rows.keys, times: rows.times, diffs: rows.diffs };
        Ok(())
    }
}

/// The updates of all chunks, sorted by (key, value, time), added up, without zeros. There is at least one chunk.
pub(crate) fn consolidated<L: Layout>(chunks: Vec<Keyed<L>>) -> Result<Keyed<L>, Overflow> {
    let count: usize = chunks.iter().map(Keyed::len).sum();
    assert!(u32::try_from(count).is_ok(), "{count} rows, but rows are numbered by 32 bits");
    if count <= FEW || chunks.len() == 1 && is_consolidated(&chunks[0]) {
        return few(concatenated(chunks));
    }
    match uniform(&chunks) {
        Some((time, diff)) if Keys::<L>::EXACT_PREFIX && Vals::<L>::EXACT_PREFIX => alike(chunks, &time, diff),
        _ => varied(concatenated(chunks)),
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

/// The time and the diff that all rows have, if they do.
fn uniform<L: Layout>(chunks: &[Keyed<L>]) -> Option<(L::Time, L::Diff)> {
    let mut common = None;
    for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
        let here = (chunk.times.uniform()?, chunk.diffs.uniform()?.clone());
        match &common {
            None => common = Some(here),
            Some(there) if *there == here => {}
            Some(_) => return None,
        }
    }
    common
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

/// Consolidates by a permutation, if need be.
fn few<L: Layout>(rows: Keyed<L>) -> Result<Keyed<L>, Overflow> {
    if is_consolidated(&rows) {
        return Ok(rows);
    }
    let mut numbers: [u32; FEW] = std::array::from_fn(|row| row as u32);
    let order = &mut numbers[..rows.len()];
    order.sort_unstable_by(|&a, &b| compare(&rows, a as usize, b as usize));
    let (mut kept, mut diffs) = (0, Diffs::default());
    let mut start = 0;
    while start < order.len() {
        let mut end = start + 1;
        while end < order.len() && compare(&rows, order[start] as usize, order[end] as usize).is_eq() {
            end += 1;
        }
        let sum = sums::total(order[start..end].iter().map(|&row| rows.diffs.get(row as usize)))?;
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

/// Consolidates rows of one time and one diff whose words say all of them.
fn alike<L: Layout>(chunks: Vec<Keyed<L>>, time: &L::Time, diff: L::Diff) -> Result<Keyed<L>, Overflow> {
    let packing = Packing::of(&chunks);
    if packing.fits() {
        let buckets = Buckets::write(&chunks, 0, |key, val, _| [packing.pack(key, val)]);
        rebuilt(chunks, buckets, time, diff, |row| packing.unpack(row[0]))
    } else {
        let buckets = Buckets::write(&chunks, packing.low(), |key, val, _| [key, val]);
        rebuilt(chunks, buckets, time, diff, |row| (row[0], row[1]))
    }
}

fn rebuilt<L: Layout, const W: usize>(
    chunks: Vec<Keyed<L>>,
    buckets: Buckets<W>,
    time: &L::Time,
    diff: L::Diff,
    unpack: impl Fn(&[u64; W]) -> (u64, u64),
) -> Result<Keyed<L>, Overflow> {
    let one = chunks.len() == 1;
    let mut sorted = chunks.into_iter().next().expect("there is a chunk, if only for its shape");
    let count = sorted.len();
    sorted.clear();
    let (rows, diffs) = buckets.settle(Order { words: W, ties: &|_, _| Ordering::Equal }, &Summands::Same(diff))?;
    if !one || rows.len() < count / 2 {
        let (keys, vals) = sorted.shapes();
        sorted = Keyed::empty(&keys, &vals);
    }
    sorted.keys.reserve(rows.len());
    sorted.vals.reserve(rows.len());
    let (mut keys, mut vals) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
    for block in rows.chunks(BLOCK) {
        keys.clear();
        vals.clear();
        keys.extend(block.iter().map(|row| unpack(row).0));
        vals.extend(block.iter().map(|row| unpack(row).1));
        sorted.keys.extend_from_prefixes(&keys);
        sorted.vals.extend_from_prefixes(&vals);
    }
    sorted.times.push_repeat(time, rows.len());
    sorted.diffs = diffs;
    Ok(sorted)
}

/// Consolidates rows that are tagged with their numbers: what words don't say is looked up.
fn varied<L: Layout>(rows: Keyed<L>) -> Result<Keyed<L>, Overflow> {
    let chunks = std::slice::from_ref(&rows);
    let packing = Packing::of(chunks);
    if packing.fits() {
        let buckets = Buckets::write(chunks, 0, |key, val, row| [packing.pack(key, val), row]);
        gathered(rows, buckets)
    } else {
        let buckets = Buckets::write(chunks, packing.low(), |key, val, row| [key, val, row]);
        gathered(rows, buckets)
    }
}

fn gathered<L: Layout, const W: usize>(rows: Keyed<L>, buckets: Buckets<W>) -> Result<Keyed<L>, Overflow> {
    let Keyed { keys, vals, times, diffs } = rows;
    let one_time = times.uniform().is_some();
    let ties = |a: u64, b: u64| {
        let (a, b) = (a as usize, b as usize);
        let keys_then_vals = match (Keys::<L>::EXACT_PREFIX, Vals::<L>::EXACT_PREFIX) {
            (true, true) => Ordering::Equal,
            (true, false) => vals.compare(a, &vals, b),
            (false, _) => keys.compare(a, &keys, b).then_with(|| vals.compare(a, &vals, b)),
        };
        keys_then_vals.then_with(|| if one_time { Ordering::Equal } else { times.compare(a, &times, b) })
    };
    let (sorted, sums) = buckets.settle(Order { words: W - 1, ties: &ties }, &Summands::Each(diffs))?;
    let order: Vec<u32> = sorted.iter().map(|row| row[W - 1] as u32).collect();
    drop(sorted);
    let mut gathered = Keyed::<L>::empty(&keys.shape(), &vals.shape());
    gathered.keys.extend_gather(&keys, &order);
    drop(keys);
    gathered.vals.extend_gather(&vals, &order);
    drop(vals);
    gathered.times.extend_gather(&times, &order);
    gathered.diffs = sums;
    Ok(gathered)
}
