//! Cuts a list of rows into buckets that each fit the cache, in ascending order of buckets.
//!
//! ```text
//!   word          0 ... 255  256  257 ...  511  512 514 ...  1020  1024 ...      (what is above the least word)
//!   code          0 ... 255  256  257 ...  511  512 513 ...   767   768 ...      256 steps an octave
//!   rows          9 ...   4   88   72 ...   70   75  60 ...    12     0 ...      counted in a sample
//!   bucket        0 .... 0    1 .. 1 .......... 2 .. 2 ...                       equal shares
//!
//!   bucket 1      [page, full] [page, full] [page .....]
//! ```
//!
//! A code keeps the order and needs no division: a word's octave and its next eight bits. Counting by code and giving
//! each bucket an equal share of the rows makes buckets even however the words are spread: dense, hashed, skewed, or
//! with one outlier at the far end. Only equal or nearly equal words fall together, as they must.
//!
//! A bucket is a list of pages, not a place in one long list: a page is made when it is needed, out of memory that the
//! rows' old columns have just given back. First touching memory costs more than sorting what is put there.
//!
//! Cost: one write a row, to a few hundred places that stay in cache. Why not a search among sampled splitters: 30 ns a
//! row, double the whole sort. Why not the top bits of the range: one outlier puts all else in one bucket.

use super::Keyed;
use crate::column::Column;
use crate::layout::Layout;

/// The number of codes.
const CODES: usize = 57 << 8;
/// Rows of a page take about this many bytes: all open pages fit the second-level cache, so that what was just given back
/// there is filled before it is evicted (eight times as much costs a tenth of the whole load). Tests fill pages often.
const PAGE_BYTES: usize = if cfg!(test) { 128 } else { 4 << 10 };

/// About how many rows are looked at to see how words are spread.
const SAMPLE_ROWS: usize = 1 << 17;

/// The step of the scale on which a word is: 256 an octave.
#[inline]
fn code(word: u64) -> usize {
    if word < 256 {
        return word as usize;
    }
    let octave = word.ilog2();
    (((octave - 7) << 8) | ((word >> (octave - 8)) & 255) as u32) as usize
}

/// How many words there are of each code, in a sample.
pub(super) struct Counts {
    low: u64,
    total: u64,
    words: Vec<u32>,
}

impl Counts {
    /// Counts of words that are all at least `low`.
    pub(super) fn above(low: u64) -> Self {
        Counts { low, total: 0, words: vec![0; CODES] }
    }

    /// Counts the first words of some rows, evenly spread over all of them.
    pub(super) fn sample<L: Layout>(&mut self, chunks: &[Keyed<L>], first: impl Fn(u64, u64) -> u64) {
        let count: usize = chunks.iter().map(Keyed::len).sum();
        let (stride, mut skip) = (count.div_ceil(SAMPLE_ROWS).max(1), 0);
        for chunk in chunks {
            for row in (skip..chunk.len()).step_by(stride) {
                let val = match chunk.keys.exact_prefix() {
                    true => chunk.vals.prefix(row),
                    false => chunk.keys.second_lane().map_or(0, |second| second[row]),
                };
                let word = first(chunk.keys.prefix(row), val);
                self.words[code(word - self.low)] += 1;
                self.total += 1;
            }
            skip = (skip + stride - chunk.len() % stride) % stride;
        }
    }

    /// Cuts into about so many equal shares.
    pub(super) fn cuts(&self, count: usize) -> Cuts {
        let share = self.total.div_ceil(count as u64);
        let (mut of_code, mut last) = (vec![0; CODES], 0);
        let (mut words, mut end) = (0, share);
        for (bucket, &count) in of_code.iter_mut().zip(&self.words) {
            if words >= end && count > 0 {
                last += 1;
                end = words + share;
            }
            *bucket = last;
            words += u64::from(count);
        }
        Cuts { low: self.low, of_code, count: usize::from(last) + 1 }
    }
}

/// Which bucket a word is for. Buckets ascend with the words.
pub(super) struct Cuts {
    low: u64,
    of_code: Vec<u16>,
    count: usize,
}

impl Cuts {
    /// How many buckets there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The bucket of a word, which is not below the least one counted.
    #[inline]
    pub(super) fn bucket(&self, word: u64) -> usize {
        usize::from(self.of_code[code(word - self.low)])
    }
}

/// Rows of words in buckets by their first words.
pub(super) struct Pages<const W: usize> {
    cuts: Cuts,
    /// Each bucket's last page.
    open: Vec<Vec<[u64; W]>>,
    /// Each bucket's other pages.
    full: Vec<Vec<Vec<[u64; W]>>>,
}

impl<const W: usize> Pages<W> {
    const PAGE_ROWS: usize = PAGE_BYTES / size_of::<[u64; W]>();

    /// No rows.
    pub(super) fn new(cuts: Cuts) -> Self {
        let buckets = cuts.len();
        Pages { cuts, open: vec![Vec::new(); buckets], full: vec![Vec::new(); buckets] }
    }

    /// How many buckets there are.
    pub(super) fn len(&self) -> usize {
        self.cuts.len()
    }

    /// Puts a row into its bucket.
    #[inline]
    pub(super) fn put(&mut self, row: [u64; W]) {
        let bucket = self.cuts.bucket(row[0]);
        let page = &mut self.open[bucket];
        if page.len() == page.capacity() {
            let page = std::mem::replace(page, Vec::with_capacity(Self::PAGE_ROWS));
            if !page.is_empty() {
                self.full[bucket].push(page);
            }
        }
        self.open[bucket].push(row);
    }

    /// Moves a bucket's rows into `rows`, in place of what is there.
    pub(super) fn take(&mut self, bucket: usize, rows: &mut Vec<[u64; W]>) {
        rows.clear();
        let full = std::mem::take(&mut self.full[bucket]);
        for page in full.into_iter().chain([std::mem::take(&mut self.open[bucket])]) {
            rows.extend_from_slice(&page);
        }
    }
}

#[cfg(test)]
mod laws {
    use super::*;

    #[test]
    fn codes_keep_the_order_and_have_256_steps_an_octave() {
        assert_eq!(code(u64::MAX), CODES - 1);
        let codes: Vec<usize> = (0..=1 << 16).map(code).collect();
        assert!(codes.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
        for shift in 8..64 {
            assert_eq!(code(1 << shift), code((1 << shift) - 1) + 1, "at 2^{shift}");
            assert_eq!(code(1 << shift), (shift - 7) << 8, "at 2^{shift}");
        }
    }
}
