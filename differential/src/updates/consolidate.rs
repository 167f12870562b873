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
//! What does not vary is not carried: under one time and one diff, the words are keys and values alone, and equal rows
//! add up to a multiple of the diff. Few times and diffs are a letter of an `alphabet`. Where prefixes are exact, rows
//! spell their updates so, and columns are rebuilt from the sorted words. Otherwise rows are tagged with their numbers,
//! by which columns are gathered.
//!
//! Invariant: a bucket's border never lies between equal rows, since equal rows have equal first words. Cost: two or
//! three sequential reads, one scattered write, and a sort in cache; memory for the words beside the columns. Why not a
//! hash table that adds up first: even where each record is met ten times, sorting in cache measured twice as fast.
//!
//! Tested in `consolidate_laws.rs`, against sums in a tree.

use std::cmp::Ordering;

use super::alphabet::Alphabet;
use super::buckets::{Buckets, Meaning};
use super::radix::Order;
use super::words::Packing;
use super::{Keyed, Updates, sums};
use crate::column::{Column, Data};
use crate::diff::{Diff, Diffs, Overflow};
use crate::layout::{Keys, Layout, Vals};
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
    pub fn consolidate(&mut self) -> Result<(), Overflow> {
        let updates = std::mem::replace(self, Self::empty(&self.data.shape()));
        let rows = consolidated(vec![Keyed::by_self(updates)])?;
        *self = Updates { data: rows.keys, times: rows.times, diffs: rows.diffs };
        Ok(())
    }
}

/// The updates of all chunks, sorted by (key, value, time), added up, without zeros. There is at least one chunk.
pub(crate) fn consolidated<L: Layout>(mut chunks: Vec<Keyed<L>>) -> Result<Keyed<L>, Overflow> {
    match &chunks[..] {
        [chunk] if is_consolidated(chunk) => Ok(chunks.swap_remove(0)),
        _ => sorted(chunks),
    }
}

/// The same, if that takes work.
fn sorted<L: Layout>(chunks: Vec<Keyed<L>>) -> Result<Keyed<L>, Overflow> {
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
fn few<L: Layout>(rows: &Keyed<L>) -> Result<Keyed<L>, Overflow> {
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

/// Consolidates rows that words say all of.
fn spelled<L: Layout>(chunks: Vec<Keyed<L>>, alphabet: &Alphabet<L>) -> Result<Keyed<L>, Overflow> {
    let packing = Packing::of(&chunks, alphabet.bits());
    let letter = |row| alphabet.of_row(row);
    match packing.words() {
        1 => {
            let buckets = Buckets::write(&chunks, 0, |key, val, row| packing.pack(key, val, letter(row)));
            rebuilt(chunks, buckets, &Spelled { alphabet, packing }, |&row| packing.unpack(row))
        }
        2 => {
            let write = |key, val, row| [key, packing.pack_val(val, letter(row))];
            let buckets = Buckets::write(&chunks, packing.low(), write);
            rebuilt(chunks, buckets, &Spelled { alphabet, packing }, |row| (row[0], packing.unpack_val(row[1])))
        }
        _ => {
            let buckets = Buckets::write(&chunks, packing.low(), |key, val, row| [key, val, letter(row)]);
            rebuilt(chunks, buckets, &Spelled { alphabet, packing }, |row| (row[0], row[1]))
        }
    }
}

/// Rows that end in a letter.
struct Spelled<'a, L: Layout> {
    alphabet: &'a Alphabet<L>,
    packing: Packing,
}

impl<L: Layout> Spelled<'_, L> {
    fn letter<const W: usize>(&self, row: &[u64; W]) -> u64 {
        self.packing.letter(row[W - 1])
    }
}

impl<L: Layout, const W: usize> Meaning<L::Diff, W> for Spelled<'_, L> {
    fn order(&self) -> Order<'_> {
        Order { words: W, ties: &|_, _| Ordering::Equal }
    }

    #[inline]
    fn same(&self, a: &[u64; W], b: &[u64; W]) -> bool {
        let (x, y) = (self.letter(a), self.letter(b));
        a[..W - 1] == b[..W - 1] && a[W - 1] ^ x == b[W - 1] ^ y && self.alphabet.time(x) == self.alphabet.time(y)
    }

    fn sum(&self, rows: &[[u64; W]]) -> Result<L::Diff, Overflow> {
        self.alphabet.sum(rows.iter().map(|row| self.letter(row)))
    }

    fn one_diff(&self) -> Option<&L::Diff> {
        self.alphabet.one_diff()
    }
}

/// The updates that settled rows spell.
fn rebuilt<L: Layout, const W: usize>(
    chunks: Vec<Keyed<L>>,
    buckets: Buckets<W>,
    meaning: &Spelled<'_, L>,
    unpack: impl Fn(&[u64; W]) -> (u64, u64),
) -> Result<Keyed<L>, Overflow> {
    let one = chunks.len() == 1;
    let mut sorted = chunks.into_iter().next().expect("there is a chunk, if only for its shape");
    let count = sorted.len();
    sorted.clear();
    let (rows, diffs) = buckets.settle(meaning)?;
    // The buffers of one chunk are of use where they are about as long as what they will hold.
    if !one || rows.len() < count / 2 {
        let (keys, vals) = sorted.shapes();
        sorted = Keyed::<L>::empty(&keys, &vals);
    }
    sorted.keys.reserve(rows.len());
    sorted.vals.reserve(rows.len());
    sorted.diffs = diffs;
    let one_time = meaning.alphabet.times().uniform();
    let (mut keys, mut vals, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for block in rows.chunks(BLOCK) {
        keys.clear();
        vals.clear();
        keys.extend(block.iter().map(|row| unpack(row).0));
        vals.extend(block.iter().map(|row| unpack(row).1));
        sorted.keys.extend_from_prefixes(&keys);
        sorted.vals.extend_from_prefixes(&vals);
        match &one_time {
            Some(time) => sorted.times.push_repeat(time, block.len()),
            None => {
                times.clear();
                times.extend(block.iter().map(|row| meaning.alphabet.time(meaning.letter(row)) as u32));
                sorted.times.extend_gather(meaning.alphabet.times(), &times);
            }
        }
    }
    Ok(sorted)
}

/// Consolidates rows that are tagged with their numbers: what words don't say is looked up.
fn numbered<L: Layout>(rows: Keyed<L>) -> Result<Keyed<L>, Overflow> {
    let chunks = std::slice::from_ref(&rows);
    let packing = Packing::of(chunks, 0);
    if packing.words() == 1 {
        let write = |key, val, row| [packing.pack(key, val, 0)[0], row as u64];
        let buckets = Buckets::write(chunks, 0, write);
        gathered(rows, buckets)
    } else {
        let buckets = Buckets::write(chunks, packing.low(), |key, val, row| [key, val, row as u64]);
        gathered(rows, buckets)
    }
}

/// Rows that end in the number of an update.
struct Numbered<'a, R> {
    ties: &'a dyn Fn(u64, u64) -> Ordering,
    diffs: &'a Diffs<R>,
}

impl<R: Diff, const W: usize> Meaning<R, W> for Numbered<'_, R> {
    fn order(&self) -> Order<'_> {
        Order { words: W - 1, ties: self.ties }
    }

    fn same(&self, a: &[u64; W], b: &[u64; W]) -> bool {
        Meaning::<R, W>::order(self).compare(a, b).is_eq()
    }

    fn sum(&self, rows: &[[u64; W]]) -> Result<R, Overflow> {
        sums::total(rows.iter().map(|row| self.diffs.get(row[W - 1] as usize)))
    }

    fn one_diff(&self) -> Option<&R> {
        self.diffs.uniform()
    }
}

/// The updates that settled rows name.
fn gathered<L: Layout, const W: usize>(rows: Keyed<L>, buckets: Buckets<W>) -> Result<Keyed<L>, Overflow> {
    let one_time = rows.times.uniform().is_some();
    let ties = |a: u64, b: u64| {
        let (a, b) = (a as usize, b as usize);
        let keys_then_vals = match (Keys::<L>::EXACT_PREFIX, Vals::<L>::EXACT_PREFIX) {
            (true, true) => Ordering::Equal,
            (true, false) => rows.vals.compare(a, &rows.vals, b),
            (false, _) => rows.keys.compare(a, &rows.keys, b).then_with(|| rows.vals.compare(a, &rows.vals, b)),
        };
        keys_then_vals.then_with(|| if one_time { Ordering::Equal } else { rows.times.compare(a, &rows.times, b) })
    };
    let (settled, diffs) = buckets.settle(&Numbered { ties: &ties, diffs: &rows.diffs })?;
    let order: Vec<u32> = settled.iter().map(|row| row[W - 1] as u32).collect();
    drop(settled);
    let Keyed { keys, vals, times, .. } = rows;
    let mut sorted = Keyed::<L>::empty(&keys.shape(), &vals.shape());
    sorted.diffs = diffs;
    sorted.keys.extend_gather(&keys, &order);
    drop(keys);
    sorted.vals.extend_gather(&vals, &order);
    drop(vals);
    sorted.times.extend_gather(&times, &order);
    Ok(sorted)
}
