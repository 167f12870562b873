//! Rows whose words say all of an update: keys and values by exact prefixes, times and diffs by letters.
//!
//! ```text
//!   (key 7, value 300, time [4], diff -1)   <=>   [ 7 - 2 | 300 | 0 ]        the least key is 2, the letter is 0
//! ```
//!
//! Sorting the words is sorting the updates, and columns are rebuilt from them: nothing is looked up in random order.
//! Cost: eight to twenty-four bytes a row beside the columns.

use std::cmp::Ordering;

use super::Keyed;
use super::alphabet::Alphabet;
use super::buckets::{Buckets, Meaning};
use super::radix::Order;
use super::words::Packing;
use crate::column::Column;
use crate::diff::{Overflow, OverflowAt};
use crate::layout::Layout;
use crate::time::TimeColumn;

/// Words are turned back into items this many rows at a time.
const BLOCK: usize = 1024;

/// Consolidates rows that words say all of.
pub(super) fn spelled<L: Layout>(
    chunks: Vec<Keyed<L>>,
    alphabet: &Alphabet<L>,
) -> Result<Keyed<L>, OverflowAt<L::Time>> {
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
        Order { words: W, ties: &|_, _| Ordering::Equal, refine: &|_, _, _| None }
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
) -> Result<Keyed<L>, OverflowAt<L::Time>> {
    let one = chunks.len() == 1;
    let mut sorted = chunks.into_iter().next().expect("there is a chunk, if only for its shape");
    let count = sorted.len();
    sorted.clear();
    let time_of = |row: &[u64; W]| meaning.alphabet.times().get(meaning.alphabet.time(meaning.letter(row)) as usize);
    let (rows, diffs) = buckets.settle(meaning).map_err(|row| OverflowAt::new(time_of(&row)))?;
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
