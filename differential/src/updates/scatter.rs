//! Cuts a list of words into buckets that each fit the cache, in ascending order of buckets.
//!
//! ```text
//!   word          0 ... 255  256  257 ...  511  512 514 ...  1020  1024 ...      (what is above the least word)
//!   code          0 ... 255  256  257 ...  511  512 513 ...   767   768 ...      256 steps an octave
//!   rows          9 ...   4   88   72 ...   70   75  60 ...    12     0 ...      counted
//!   bucket        0 .... 0    1 .. 1 .......... 2 .. 2 ...                       equal shares
//! ```
//!
//! A code keeps the order and needs no division: a word's octave and its next eight bits. Counting by code and giving
//! each bucket an equal share of the rows makes buckets even however the words are spread: dense, hashed, skewed, or
//! with one outlier at the far end. Only equal or nearly equal words fall together, as they must.
//!
//! Cost: a count and one random write a row, to a few hundred places that stay in cache. Why not a search among
//! sampled splitters: 30 ns a row, double the whole sort. Why not the top bits of the range: one outlier puts all else
//! in one bucket.

/// The number of codes.
const CODES: usize = 57 << 8;

/// The step of the scale on which a word is: 256 an octave.
#[inline]
fn code(word: u64) -> usize {
    if word < 256 {
        return word as usize;
    }
    let octave = word.ilog2();
    (((octave - 7) << 8) | ((word >> (octave - 8)) & 255) as u32) as usize
}

/// How many words there are of each code.
pub(super) struct Counts {
    low: u64,
    rows: Vec<u32>,
}

impl Counts {
    /// Counts of words that are all at least `low`.
    pub(super) fn above(low: u64) -> Self {
        Counts { low, rows: vec![0; CODES] }
    }

    #[inline]
    pub(super) fn add(&mut self, word: u64) {
        self.rows[code(word - self.low)] += 1;
    }

    /// Buckets of about `share` rows each.
    pub(super) fn buckets(&self, share: usize) -> Buckets {
        let mut buckets = Buckets { low: self.low, of_code: vec![0; CODES], places: vec![0] };
        let (mut rows, mut end) = (0, share);
        for (bucket, &count) in buckets.of_code.iter_mut().zip(&self.rows) {
            if rows >= end && count > 0 {
                buckets.places.push(rows as u32);
                end = rows + share;
            }
            *bucket = (buckets.places.len() - 1) as u16;
            rows += count as usize;
        }
        buckets
    }
}

/// Which bucket a word goes to, and where in the list of all rows its next row has its place.
pub(super) struct Buckets {
    low: u64,
    of_code: Vec<u16>,
    places: Vec<u32>,
}

impl Buckets {
    /// Puts a row in the next place of its word's bucket.
    #[inline]
    pub(super) fn put<R>(&mut self, word: u64, row: R, rows: &mut [R]) {
        let place = &mut self.places[self.of_code[code(word - self.low)] as usize];
        rows[*place as usize] = row;
        *place += 1;
    }

    /// Where each bucket ends, once every row is in its place.
    pub(super) fn ends(&self) -> &[u32] {
        &self.places
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
