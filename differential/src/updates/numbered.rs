//! Rows that end in the number of an update: what words do not say is looked up by it.
//!
//! ```text
//!   ("lisbon", 4), number 0    [ "lisbon" ] [ 0 ]      prefixes tell them apart
//!   ("lima", 9), number 1      [ "lima"   ] [ 1 ]
//!   sorted: 1 0                keys, values and times gathered in that order
//! ```
//!
//! For strings and other items of more than a word, and for times too many for an alphabet. Where there are many
//! updates they are first parted into buckets, columns and all, so that what is looked up at random is in cache.
//!
//! Cost: sixteen to twenty-four bytes a row of a bucket; each column is copied to its bucket and out of it. Why not one
//! list of rows that say where in the old columns their update is: looking it up is a miss of the cache for each row
//! and column.

use std::cmp::Ordering;

use super::buckets::{BUCKET_ROWS, Sorter, Spelling, settle};
use super::pieces::Place;
use super::radix::Scratch;
use super::scatter::{Counts, Cuts};
use super::words::{Packing, SeenRows, for_each_block};
use super::{Keyed, sums};
use crate::column::Column;
use crate::diff::{Overflow, OverflowAt};
use crate::layout::Layout;
use crate::time::TimeColumn;

/// The sort of updates of which words say only a part; there is at least one chunk.
pub(super) fn numbered<L: Layout>(chunks: Vec<Keyed<L>>, packing: Packing) -> Box<dyn Sorter<L>> {
    let count: usize = chunks.iter().map(Keyed::len).sum();
    let mut counts = Counts::above(packing.first_low());
    counts.sample(&chunks, |key, val| packing.first(key, val));
    let cuts = counts.cuts(count.div_ceil(BUCKET_ROWS));
    let (keys, vals) = chunks[0].shapes();
    let buckets = (0..cuts.len()).map(|_| Keyed::empty(&keys, &vals)).collect();
    let (place, order) = (Place::default(), Vec::new());
    Box::new(Sort { chunks, place, packing, cuts, buckets, next: 0, bucket_of: Vec::new(), order })
}

/// Updates on their way through buckets.
struct Sort<L: Layout> {
    /// What is still to be parted, from `place` on.
    chunks: Vec<Keyed<L>>,
    place: Place,
    packing: Packing,
    cuts: Cuts,
    buckets: Vec<Keyed<L>>,
    /// The next bucket to be sorted.
    next: usize,
    /// Of a piece, each row's bucket, and the rows in order of their buckets.
    bucket_of: Vec<u16>,
    order: Vec<u32>,
}

impl<L: Layout> Sort<L> {
    /// Parts the next piece; how many rows it had.
    fn part(&mut self) -> Option<usize> {
        let piece = self.place.next(&self.chunks)?;
        let chunk = &self.chunks[piece.chunk];
        self.bucket_of.clear();
        for_each_block(chunk, piece.rows.clone(), |keys, vals| {
            let words = keys.iter().zip(vals).map(|(&key, &val)| self.packing.first(key, val));
            self.bucket_of.extend(words.map(|word| self.cuts.bucket(word) as u16));
        });
        // Counted, then placed: rows keep their order within a bucket.
        let mut ends = vec![0u32; self.buckets.len() + 1];
        self.bucket_of.iter().for_each(|&bucket| ends[usize::from(bucket) + 1] += 1);
        (1..ends.len()).for_each(|bucket| ends[bucket] += ends[bucket - 1]);
        self.order.resize(piece.rows.len(), 0);
        for (row, &bucket) in (piece.rows.start as u32..).zip(&self.bucket_of) {
            let place = &mut ends[usize::from(bucket)];
            self.order[*place as usize] = row;
            *place += 1;
        }
        let mut start = 0;
        for (bucket, &end) in self.buckets.iter_mut().zip(&ends) {
            if start < end {
                bucket.extend_gather(chunk, &self.order[start as usize..end as usize]);
            }
            start = end;
        }
        if piece.last {
            let (keys, vals) = chunk.shapes();
            self.chunks[piece.chunk] = Keyed::empty(&keys, &vals);
        }
        Some(piece.rows.len())
    }
}

impl<L: Layout> Sorter<L> for Sort<L> {
    fn step(&mut self, into: &mut Keyed<L>) -> Result<Option<usize>, OverflowAt<L::Time>> {
        if let Some(count) = self.part() {
            return Ok(Some(count));
        }
        let Some(bucket) = self.buckets.get_mut(self.next) else { return Ok(None) };
        self.next += 1;
        let (keys, vals) = bucket.shapes();
        let rows = std::mem::replace(bucket, Keyed::empty(&keys, &vals));
        let count = rows.len();
        sort_bucket(rows, into)?;
        Ok(Some(count))
    }
}

/// Sorts rows and adds them up, all at once.
pub(super) fn sort_bucket<L: Layout>(rows: Keyed<L>, into: &mut Keyed<L>) -> Result<(), OverflowAt<L::Time>> {
    let mut seen = SeenRows::NONE;
    seen.add(&rows, 0..rows.len());
    let packing = seen.packing(0);
    let one_time = rows.times.uniform().is_some();
    if packing.words() == 1 {
        sort_words::<L, 2>(&Numbered { rows, one_time }, packing, into)
    } else {
        sort_words::<L, 3>(&Numbered { rows, one_time }, packing, into)
    }
}

fn sort_words<L: Layout, const W: usize>(
    numbered: &Numbered<L>,
    packing: Packing,
    into: &mut Keyed<L>,
) -> Result<(), OverflowAt<L::Time>> {
    let mut words = Vec::with_capacity(numbered.rows.len());
    for_each_block(&numbered.rows, 0..numbered.rows.len(), |keys, vals| {
        for (&key, &val) in keys.iter().zip(vals) {
            let mut row = [words.len() as u64; W];
            match W {
                2 => row[0] = packing.pack(key, val, 0),
                _ => (row[0], row[1]) = (key, val),
            }
            words.push(row);
        }
    });
    settle(numbered, &mut words, &mut Scratch::default(), into)
}

/// Rows that end in the number of an update.
struct Numbered<L: Layout> {
    rows: Keyed<L>,
    one_time: bool,
}

impl<L: Layout, const W: usize> Spelling<L, W> for Numbered<L> {
    fn order_words(&self) -> usize {
        W - 1
    }
    fn ties(&self, a: u64, b: u64) -> Ordering {
        let Keyed { keys, vals, times, .. } = &self.rows;
        let (a, b) = (a as usize, b as usize);
        let keys_then_vals = match (keys.exact_prefix(), vals.exact_prefix()) {
            (true, true) => Ordering::Equal,
            (true, false) => vals.compare(a, vals, b),
            (false, _) => keys.compare(a, keys, b).then_with(|| vals.compare(a, vals, b)),
        };
        keys_then_vals.then_with(|| if self.one_time { Ordering::Equal } else { times.compare(a, times, b) })
    }
    fn refine(&self, tags: &[u64], depth: u32, words: &mut Vec<u64>) -> Option<u32> {
        next_words(&self.rows, tags, depth, words)
    }

    fn same(&self, a: &[u64; W], b: &[u64; W]) -> bool {
        a[..W - 1] == b[..W - 1] && Spelling::<L, W>::ties(self, a[W - 1], b[W - 1]).is_eq()
    }
    fn sum(&self, rows: &[[u64; W]]) -> Result<L::Diff, Overflow> {
        sums::total(rows.iter().map(|row| self.rows.diffs.get(row[W - 1] as usize)))
    }
    fn one_diff(&self) -> Option<&L::Diff> {
        self.rows.diffs.uniform()
    }
    fn time(&self, row: &[u64; W]) -> L::Time {
        self.rows.times.get(row[W - 1] as usize)
    }

    fn read(&self, rows: &[[u64; W]], into: &mut Keyed<L>) {
        let order: Vec<u32> = rows.iter().map(|row| row[W - 1] as u32).collect();
        into.keys.extend_gather(&self.rows.keys, &order);
        into.vals.extend_gather(&self.rows.vals, &order);
        into.times.extend_gather(&self.rows.times, &order);
    }
}

/// What orders rows whose words agree: first what is deeper in their keys, then, if keys are equal, their values.
fn next_words<L: Layout>(rows: &Keyed<L>, tags: &[u64], depth: u32, words: &mut Vec<u64>) -> Option<u32> {
    /// Marks depths in values, where those in keys came before.
    const IN_VALS: u32 = 1 << 31;
    let (keys, vals) = (&rows.keys, &rows.vals);
    if !keys.exact_prefix() && depth < IN_VALS {
        words.extend(tags.iter().map(|&row| keys.deeper(row as usize, depth)));
        if words.iter().any(|&word| word != 0) {
            return Some(depth);
        }
        let first = tags[0] as usize;
        if tags.iter().any(|&row| keys.compare(first, keys, row as usize).is_ne()) {
            return None;
        }
        words.clear();
        words.extend(tags.iter().map(|&row| vals.prefix(row as usize)));
        return Some(IN_VALS);
    }
    if vals.exact_prefix() {
        return None;
    }
    words.extend(tags.iter().map(|&row| vals.deeper(row as usize, depth & !IN_VALS)));
    words.iter().any(|&word| word != 0).then_some(depth)
}
