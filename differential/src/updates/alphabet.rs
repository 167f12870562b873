//! The few times and diffs of many updates, numbered, so that they can be part of the words that are sorted.
//!
//! ```text
//!   letter   0        1        2        3
//!   time     [4]      [4]      [5]      [5]          ascending by (time, diff)
//!   diff     -1       +1       -1       +1
//!   rows     1 1 0 3 1 2 1 ...                       a letter a row
//! ```
//!
//! A commit that inserts and removes has two diffs at one time: one bit beside key and value. Carrying such a letter
//! is cheaper than carrying a row number and looking times and diffs up again in random order, which measured three
//! times the whole sort. An update list of one time and one diff has one letter, no bits, and its rows are not read.
//!
//! Invariant: letters ascend by (time, diff), so rows sorted by key, value and letter are sorted by time as well.
//! Cost: a comparison with the row before, and a search where they differ. A list with more than [`MOST`] letters has
//! no alphabet, and costs what was read of it.

use std::cmp::Ordering;

use super::{Keyed, sums};
use crate::diff::Overflow;
use crate::layout::{Layout, Times};
use crate::time::{Lane, TimeColumn};

/// The most letters there may be.
const MOST: usize = 1 << 10;

/// The distinct pairs of time and diff of some updates, and which of them each row has.
pub(super) struct Alphabet<L: Layout> {
    times: Times<L>,
    diffs: Vec<L::Diff>,
    /// For each letter the first one of the same time.
    moments: Vec<u64>,
    /// The letter of what was found first, second and so on.
    letters: Vec<u64>,
    /// For each row, as which its letter was found.
    rows: Lane<u16>,
}

impl<L: Layout> Alphabet<L> {
    /// The alphabet of some updates, if they have so few pairs.
    pub(super) fn of(chunks: &[Keyed<L>]) -> Option<Self> {
        let mut pairs = Found::<L> { times: Default::default(), diffs: Vec::new(), ascending: Vec::new() };
        let mut rows = Lane::default();
        for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
            let mut pair = pairs.find(chunk, 0)?;
            if chunk.times.uniform().is_some() && chunk.diffs.uniform().is_some() {
                rows.push_repeat(pair, chunk.len());
                continue;
            }
            for row in 0..chunk.len() {
                if pairs.compare(pair, chunk, row).is_ne() {
                    pair = pairs.find(chunk, row)?;
                }
                rows.push(pair);
            }
        }
        Some(pairs.sorted(rows))
    }

    /// The bits that a letter takes.
    pub(super) fn bits(&self) -> u32 {
        usize::BITS - self.diffs.len().saturating_sub(1).leading_zeros()
    }

    /// The letter of a row.
    #[inline]
    pub(super) fn of_row(&self, row: usize) -> u64 {
        match self.rows.spread() {
            None => 0,
            Some(rows) => self.letters[rows[row] as usize],
        }
    }

    /// The times of the letters.
    pub(super) fn times(&self) -> &Times<L> {
        &self.times
    }

    /// The one diff of all letters, if there is one letter.
    pub(super) fn one_diff(&self) -> Option<&L::Diff> {
        if let [diff] = &self.diffs[..] { Some(diff) } else { None }
    }

    /// Whether two letters have one time.
    #[inline]
    pub(super) fn one_time(&self, a: u64, b: u64) -> bool {
        a == b || self.moments[a as usize] == self.moments[b as usize]
    }

    /// The sum of the diffs of ascending letters, not none.
    pub(super) fn sum(
        &self,
        letters: impl ExactSizeIterator<Item = u64> + DoubleEndedIterator + Clone,
    ) -> Result<L::Diff, Overflow> {
        let diff = |letter: u64| &self.diffs[letter as usize];
        let mut ends = letters.clone();
        match (ends.next(), ends.next_back()) {
            (Some(first), None) => Ok(diff(first).clone()),
            (Some(first), Some(last)) if first == last => sums::multiple(diff(first), letters.len()),
            _ => sums::total(letters.map(diff)),
        }
    }
}

/// An alphabet that still grows.
struct Found<L: Layout> {
    times: Times<L>,
    diffs: Vec<L::Diff>,
    /// What was found, in ascending order.
    ascending: Vec<u16>,
}

impl<L: Layout> Found<L> {
    fn compare(&self, pair: u16, chunk: &Keyed<L>, row: usize) -> Ordering {
        let pair = pair as usize;
        (self.times.compare(pair, &chunk.times, row)).then_with(|| self.diffs[pair].cmp(chunk.diffs.get(row)))
    }

    /// As which a row's pair was found, perhaps now.
    fn find(&mut self, chunk: &Keyed<L>, row: usize) -> Option<u16> {
        match self.ascending.binary_search_by(|&pair| self.compare(pair, chunk, row)) {
            Ok(at) => Some(self.ascending[at]),
            Err(_) if self.ascending.len() == MOST => None,
            Err(at) => {
                let pair = self.diffs.len() as u16;
                self.times.extend_range(&chunk.times, row..row + 1);
                self.diffs.push(chunk.diffs.get(row).clone());
                self.ascending.insert(at, pair);
                Some(pair)
            }
        }
    }

    fn sorted(self, rows: Lane<u16>) -> Alphabet<L> {
        let Found { times: found, diffs, ascending } = self;
        let mut times = Times::<L>::default();
        times.extend_gather(&found, &ascending.iter().map(|&pair| pair.into()).collect::<Vec<u32>>());
        let (mut moments, mut letters) = (Vec::with_capacity(diffs.len()), vec![0; diffs.len()]);
        for (letter, &pair) in ascending.iter().enumerate() {
            letters[pair as usize] = letter as u64;
            let as_before = letter > 0 && times.compare(letter - 1, &times, letter).is_eq();
            moments.push(if as_before { moments[letter - 1] } else { letter as u64 });
        }
        let diffs = ascending.iter().map(|&pair| diffs[pair as usize].clone()).collect();
        Alphabet { times, diffs, moments, letters, rows }
    }
}
