//! Writes updates as rows of words into buckets, sorts each bucket in cache, and adds equal rows up while there.
//!
//! ```text
//!   rows      | bucket 0      | bucket 1 | bucket 2    |
//!   sorted    | a a b c       | d e e    | f g g       |
//!   settled   | a b c d e f g |                            g + g moved down; sums beside
//! ```
//!
//! Invariant: all rows of one first word are in one bucket, so equal rows are. Settled rows ascend strictly, and their
//! sums are not zero.

use std::ops::Range;

use super::Keyed;
use super::radix::{self, Order, Scratch};
use super::scatter::Counts;
use super::words::for_each_block;
use crate::diff::{Diff, Diffs, Overflow};
use crate::layout::Layout;

/// Up to this many rows, one bucket fits the cache.
const ONE_BUCKET: usize = 1 << 15;

/// What rows of words stand for: which of them are one update, and how much they add up to.
pub(super) trait Meaning<R, const W: usize> {
    /// How rows are ordered.
    fn order(&self) -> Order<'_>;
    /// Whether two rows have one key, value and time.
    fn same(&self, a: &[u64; W], b: &[u64; W]) -> bool;
    /// The sum of the diffs of sorted rows, not none.
    fn sum(&self, rows: &[[u64; W]]) -> Result<R, Overflow>;
    /// The diff that every row has, if it is known.
    fn one_diff(&self) -> Option<&R>;
}

/// Rows of words, cut where no two equal first words are parted.
pub(super) struct Buckets<const W: usize> {
    rows: Vec<[u64; W]>,
    ends: Vec<u32>,
}

impl<const W: usize> Buckets<W> {
    /// Writes updates as rows: `write` is given the prefixes of key and value and the row's number. No first word is
    /// below `low`.
    pub(super) fn write<L: Layout>(chunks: &[Keyed<L>], low: u64, write: impl Fn(u64, u64, usize) -> [u64; W]) -> Self {
        let count: usize = chunks.iter().map(Keyed::len).sum();
        if count <= ONE_BUCKET {
            let mut rows = Vec::with_capacity(count);
            for_each_block(chunks, |start, keys, vals| {
                rows.extend((start..).zip(keys.iter().zip(vals)).map(|(row, (&key, &val))| write(key, val, row)));
            });
            return Buckets { rows, ends: vec![count as u32] };
        }
        let mut counts = Counts::above(low);
        for_each_block(chunks, |_, keys, vals| {
            keys.iter().zip(vals).for_each(|(&key, &val)| counts.add(write(key, val, 0)[0]));
        });
        let mut buckets = counts.buckets(ONE_BUCKET);
        let mut rows = vec![[0; W]; count];
        for_each_block(chunks, |start, keys, vals| {
            for (row, (&key, &val)) in (start..).zip(keys.iter().zip(vals)) {
                let words = write(key, val, row);
                buckets.put(words[0], words, &mut rows);
            }
        });
        Buckets { rows, ends: buckets.ends().to_vec() }
    }

    /// Sorts the rows and adds up those of one update: the first of each whose sum is not zero, and the sums. Fails with
    /// a row of an update whose sum does not fit.
    pub(super) fn settle<R: Diff>(self, meaning: &impl Meaning<R, W>) -> Result<(Vec<[u64; W]>, Diffs<R>), [u64; W]> {
        let Buckets { mut rows, ends } = self;
        let (mut settled, mut diffs, mut scratch) = (0, Diffs::default(), Scratch::default());
        let mut start = 0;
        for end in ends.into_iter().map(|end| end as usize) {
            let bucket = &mut rows[start..end];
            radix::sort(bucket, &mut scratch, meaning.order());
            match meaning.one_diff() {
                Some(diff) if !diff.is_zero() && bucket.windows(2).all(|pair| !meaning.same(&pair[0], &pair[1])) => {
                    rows.copy_within(start..end, settled);
                    settled += end - start;
                    diffs.push_repeat(diff.clone(), end - start);
                }
                _ => settled = add_up(&mut rows, start..end, settled, meaning, &mut diffs)?,
            }
            start = end;
        }
        rows.truncate(settled);
        Ok((rows, diffs))
    }
}

/// Moves the first row of each update in `range`, sorted, down to `settled` on; where the next one goes.
fn add_up<R: Diff, const W: usize>(
    rows: &mut [[u64; W]],
    range: Range<usize>,
    mut settled: usize,
    meaning: &impl Meaning<R, W>,
    diffs: &mut Diffs<R>,
) -> Result<usize, [u64; W]> {
    let mut start = range.start;
    while start < range.end {
        let mut end = start + 1;
        while end < range.end && meaning.same(&rows[start], &rows[end]) {
            end += 1;
        }
        let sum = meaning.sum(&rows[start..end]).map_err(|Overflow| rows[start])?;
        if !sum.is_zero() {
            rows[settled] = rows[start];
            settled += 1;
            diffs.push(sum);
        }
        start = end;
    }
    Ok(settled)
}
