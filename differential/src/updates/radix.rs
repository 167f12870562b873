//! Sorts rows of words in cache: by the words' leading bits first, by comparison only what those leave equal.
//!
//! ```text
//!   words of a bucket    range 0x4000 ..= 0x7fff: 14 bits that vary
//!   13 rows              the top log2(13) + 1 = 4 of those bits tell most of them apart
//!   two passes           least significant digit first: rows -> scratch -> rows
//!   one walk             0x41.. 0x44.. [0x53.. 0x51..] 0x5c..     equal in the 4 bits: sorted among themselves
//! ```
//!
//! Many rows that agree in a whole word that is but the beginning of a string get the next eight bytes in its place and
//! are sorted by those: strings with a long common prefix are not left to comparisons.
//!
//! Rows are arrays of words, the most significant first. The last word may be a *tag* that is no part of the order by
//! words: rows whose other words agree are then ordered by what `ties` says of their tags.
//!
//! Invariant: a call sorts its rows from the word it is given on; all words before are equal in them. It ends because each run that it calls itself for varies in fewer bits, or in a later word, or deeper.
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
    pub(super) refine: &'a Refine<'a>,
}

/// Appends a word for each of many tags whose rows agree so far: what orders them next. The first call for a row is at
/// depth 1; the next one, if there is one, at the depth that is returned. `None` if there is nothing but `ties`.
pub(super) type Refine<'a> = dyn Fn(&[u64], u32, &mut Vec<u64>) -> Option<u32> + 'a;

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

/// Buffers that are of use from one bucket to the next.
#[derive(Default)]
pub(super) struct Scratch<const W: usize> {
    rows: Vec<[u64; W]>,
    tags: Vec<u64>,
    words: Vec<u64>,
}

/// How far rows have been told apart: they agree in all words before `word`, which holds what orders them at `depth`.
#[derive(Clone, Copy)]
struct Level {
    word: usize,
    depth: u32,
}

/// Sorts rows. Where a word says only the beginning of what it stands for, it may be overwritten by what comes next;
/// rows that are equal still have equal words then.
pub(super) fn sort<const W: usize>(rows: &mut [[u64; W]], scratch: &mut Scratch<W>, order: Order<'_>) {
    sort_from(Level { word: 0, depth: 0 }, rows, scratch, order);
}

fn sort_from<const W: usize>(level: Level, rows: &mut [[u64; W]], scratch: &mut Scratch<W>, order: Order<'_>) {
    if rows.len() <= FEW {
        return rows.sort_unstable_by(|a, b| order.compare(a, b));
    }
    let word = level.word;
    let range = Range::of(rows, word);
    let bits = u64::BITS - (range.high - range.low).leading_zeros();
    let kept = bits.min(rows.len().ilog2() + 1);
    let shift = bits - kept;
    let leading = |row: &[u64; W]| (row[word] - range.low) >> shift;
    if kept > 0 && !range.ascending {
        if scratch.rows.len() < rows.len() {
            scratch.rows.resize(rows.len(), [0; W]);
        }
        by_digits(rows, &mut scratch.rows[..rows.len()], kept, leading);
    }
    if shift == 0 && word + 1 == W {
        return; // nothing is left to order rows by
    }
    for ties in rows.chunk_by_mut(|a, b| leading(a) == leading(b)) {
        match ties.len() {
            1 => {}
            2..=FEW_TIES => ties.sort_unstable_by(|a, b| order.compare(a, b)),
            _ if shift > 0 => sort_from(level, ties, scratch, order),
            _ if word + 1 < order.words => sort_from(Level { word: word + 1, depth: 0 }, ties, scratch, order),
            _ => match refine(level, ties, scratch, order) {
                Some(next) => sort_from(next, ties, scratch, order),
                None => ties.sort_unstable_by(|a, b| (order.ties)(a[W - 1], b[W - 1])),
            },
        }
    }
}

/// Puts what orders these rows next in place of their last word before the tag.
fn refine<const W: usize>(
    level: Level,
    rows: &mut [[u64; W]],
    scratch: &mut Scratch<W>,
    order: Order<'_>,
) -> Option<Level> {
    let Scratch { tags, words, .. } = scratch;
    tags.clear();
    words.clear();
    tags.extend(rows.iter().map(|row| row[W - 1]));
    let depth = (order.refine)(tags, level.depth + 1, words)?;
    rows.iter_mut().zip(words).for_each(|(row, word)| row[level.word] = *word);
    Some(Level { depth, ..level })
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
