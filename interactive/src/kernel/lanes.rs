//! Loops over lanes: what an operator does to many numbers at once.
//!
//! ```text
//!   Many [7 9 2]  +  One 1   ->   [8 10 3]      one flag for the loop: did any overflow?
//! ```
//!
//! A column of numbers is a slice of words, a constant is one word; each pair of those has a loop of its own, so that the
//! compiler sees a slice or a value that does not change. Where a row may fail, the loop goes on with a flag up, and only
//! then are the rows looked for that did: overflow is rare.

use crate::value::lane;
use columnar::primitive::Bools;

/// Words of some rows.
#[derive(Clone, Copy)]
pub(super) enum Words<'v> {
    /// One for each.
    Many(&'v [u64]),
    /// The same for all.
    One(u64),
}

impl Words<'_> {
    #[inline]
    pub(super) fn get(self, row: usize) -> u64 {
        match self {
            Words::Many(words) => words[row],
            Words::One(word) => word,
        }
    }
}

/// A word for each row, of one word.
#[inline]
pub(super) fn map(words: Words<'_>, rows: usize, each: impl Fn(u64) -> u64) -> Vec<u64> {
    match words {
        Words::Many(words) => words[..rows].iter().map(|word| each(*word)).collect(),
        Words::One(word) => vec![each(word); rows],
    }
}

/// A word for each row, of two.
#[inline]
pub(super) fn zip(left: Words<'_>, right: Words<'_>, rows: usize, mut each: impl FnMut(u64, u64) -> u64) -> Vec<u64> {
    match (left, right) {
        (Words::Many(left), Words::Many(right)) => {
            left[..rows].iter().zip(&right[..rows]).map(|(left, right)| each(*left, *right)).collect()
        }
        (Words::Many(left), Words::One(right)) => left[..rows].iter().map(|left| each(*left, right)).collect(),
        (Words::One(left), Words::Many(right)) => right[..rows].iter().map(|right| each(left, *right)).collect(),
        (Words::One(left), Words::One(right)) => (0..rows).map(|_| each(left, right)).collect(),
    }
}

/// The ints of an operator that says whether it overflowed, and whether it did in some row: there the int is of no use.
#[inline]
pub(super) fn zip_ints(
    left: Words<'_>,
    right: Words<'_>,
    rows: usize,
    each: impl Fn(i64, i64) -> (i64, bool),
) -> (Vec<u64>, bool) {
    let mut overflowed = false;
    let made = zip(left, right, rows, |left, right| {
        let (number, over) = each(lane::int(left), lane::int(right));
        overflowed |= over;
        lane::of_int(number)
    });
    (made, overflowed)
}

/// A bit for each row, of two words.
#[inline]
pub(super) fn zip_bits(left: Words<'_>, right: Words<'_>, rows: usize, each: impl Fn(u64, u64) -> bool) -> Bools {
    match (left, right) {
        (Words::Many(left), Words::Many(right)) => {
            let (left, right) = (&left[..rows], &right[..rows]);
            bits(rows, |row| each(left[row], right[row]))
        }
        (Words::Many(left), Words::One(right)) => {
            let left = &left[..rows];
            bits(rows, |row| each(left[row], right))
        }
        (left, right) => bits(rows, |row| each(left.get(row), right.get(row))),
    }
}

/// A bit for each row.
#[inline]
pub(super) fn bits(rows: usize, each: impl Fn(usize) -> bool) -> Bools {
    let mut made = Bools::default();
    for start in (0..rows).step_by(64) {
        let count = (rows - start).min(64);
        let word = (0..count).fold(0, |word, bit| word | (u64::from(each(start + bit)) << bit));
        made.push_bits(word, count);
    }
    made
}

/// Word by word, of two columns of as many bits.
pub(super) fn zip_bools(left: &Bools, right: &Bools, each: impl Fn(u64, u64) -> u64) -> Bools {
    debug_assert_eq!(left.tail[1], right.tail[1], "columns of as many bits");
    let words = left.values.iter().zip(&right.values).map(|(left, right)| each(*left, *right));
    let mask = (1 << left.tail[1]) - 1;
    Bools { values: words.collect(), tail: [each(left.tail[0], right.tail[0]) & mask, left.tail[1]] }
}
