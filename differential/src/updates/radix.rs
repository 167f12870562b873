//! Sorts rows of words in cache: by the words' leading bits first, by comparison only what those leave equal.
//!
//! ```text
//!   words of a bucket    range 0x4000 ..= 0x7fff: 14 bits that vary
//!   13 rows              the top log2(13) + 1 = 4 of those bits tell most of them apart
//!   two passes           least significant digit first: rows -> scratch -> rows
//!   one walk             0x41.. 0x44.. [0x53.. 0x51..] 0x5c..     equal in the 4 bits: sorted among themselves
//! ```
//!
//! Rows are arrays of words, the most significant first. The last word may be a *tag* that is no part of the order by
//! words: rows whose other words agree are then ordered by what `ties` says of their tags.
//!
//! Invariant: a call sorts its rows from the word it is given on; all words before are equal in them. It ends because each run that it calls itself for varies in fewer bits, or in a later word.
//!
//! Cost: two or three passes over the rows whatever the words are (dense, hashed, full width), then about one
//! comparison a row. Passes over all the bits pay for bits that tell nothing apart; a comparison sort pays a
//! misprediction at every second comparison. Best on rows that fit the cache: `scatter` cuts larger lists down first.
//!
//! Tested in `consolidate_laws.rs`.

use std::cmp::Ordering;

/// Rows up to this many are sorted by comparison alone.
const FEW: usize = 48;
/// Rows equal in the leading bits are sorted by comparison alone up to this many.
const FEW_TIES: usize = 20;
/// The most bits that a pass sorts by: its counters stay in the first-level cache.
const DIGIT_BITS: u32 = 9;

/// The order of rows: by their first `words` words, and then, if a tag follows those, by what `ties` says of two tags.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) words: usize,
    pub(super) ties: &'a dyn Fn(u64, u64) -> Ordering,
}

impl Order<'_> {
    #[inline]
    pub(super) fn compare<const W: usize>(&self, a: &[u64; W], b: &[u64; W]) -> Ordering {
        for word in 0..self.words {
            if a[word] != b[word] {
                return a[word].cmp(&b[word]);
            }
        }
        if self.words == W { Ordering::Equal } else { (self.ties)(a[W - 1], b[W - 1]) }
    }
}

/// Sorts rows; `scratch` is grown to their number.
pub(super) fn sort<const W: usize>(rows: &mut [[u64; W]], scratch: &mut Vec<[u64; W]>, order: Order<'_>) {
    sort_from(0, rows, scratch, order);
}

/// Sorts rows that agree in all words before `word`.
fn sort_from<const W: usize>(word: usize, rows: &mut [[u64; W]], scratch: &mut Vec<[u64; W]>, order: Order<'_>) {
    if rows.len() <= FEW || word == order.words {
        return rows.sort_unstable_by(|a, b| order.compare(a, b));
    }
    let range = Range::of(rows, word);
    let bits = u64::BITS - (range.high - range.low).leading_zeros();
    let kept = bits.min(rows.len().ilog2() + 1);
    let shift = bits - kept;
    let leading = |row: &[u64; W]| (row[word] - range.low) >> shift;
    if kept > 0 && !range.ascending {
        if scratch.len() < rows.len() {
            scratch.resize(rows.len(), [0; W]);
        }
        by_digits(rows, &mut scratch[..rows.len()], kept, leading);
    }
    let next = if shift == 0 { word + 1 } else { word };
    if next == W {
        return; // nothing is left to order rows by
    }
    for ties in rows.chunk_by_mut(|a, b| leading(a) == leading(b)) {
        match ties.len() {
            1 => {}
            2..=FEW_TIES => ties.sort_unstable_by(|a, b| order.compare(a, b)),
            _ => sort_from(next, ties, scratch, order),
        }
    }
}

/// The least and greatest of a word, and whether it ascends already.
struct Range {
    low: u64,
    high: u64,
    ascending: bool,
}

impl Range {
    fn of<const W: usize>(rows: &[[u64; W]], word: usize) -> Range {
        let first = rows[0][word];
        let (mut range, mut last) = (Range { low: first, high: first, ascending: true }, first);
        for row in rows {
            range.low = range.low.min(row[word]);
            range.high = range.high.max(row[word]);
            range.ascending &= last <= row[word];
            last = row[word];
        }
        range
    }
}

/// Sorts by the low `bits` of `key`, a digit a pass, the least significant first.
fn by_digits<const W: usize>(
    rows: &mut [[u64; W]],
    scratch: &mut [[u64; W]],
    bits: u32,
    key: impl Fn(&[u64; W]) -> u64,
) {
    let passes = bits.div_ceil(DIGIT_BITS);
    let width = bits.div_ceil(passes);
    let mask = (1 << width) - 1;
    for pass in 0..passes {
        let digit = |row: &[u64; W]| ((key(row) >> (pass * width)) & mask) as usize;
        if pass % 2 == 0 { by_digit(rows, scratch, digit) } else { by_digit(scratch, rows, digit) }
    }
    if passes % 2 == 1 {
        rows.copy_from_slice(scratch);
    }
}

/// One stable pass.
fn by_digit<const W: usize>(from: &[[u64; W]], into: &mut [[u64; W]], digit: impl Fn(&[u64; W]) -> usize) {
    let mut places = [0u32; 1 << DIGIT_BITS];
    for row in from {
        places[digit(row)] += 1;
    }
    let mut start = 0;
    for place in &mut places {
        start += std::mem::replace(place, start);
    }
    for row in from {
        let place = &mut places[digit(row)];
        into[*place as usize] = *row;
        *place += 1;
    }
}
