//! The few times and diffs of many updates, numbered, so that they can be part of the words that are sorted.
//!
//! ```text
//!   times    [4] [4] [5] [4] ...       numbers 0 0 1 0        ascending with the times
//!   diffs     +1  -1  +1  -1 ...       numbers 1 0 1 0
//!   letters  [ time 1 bit | diff 1 bit ]       01 00 11 00
//! ```
//!
//! A commit that inserts and removes has two diffs at one time: one bit beside key and value. Carrying such a letter is
//! cheaper than carrying a row number and looking times and diffs up again in random order, which measured three times
//! the whole sort. Updates of one time and one diff have one letter of no bits, and their times and diffs are not read.
//!
//! Invariant: letters ascend by (time, diff), so rows sorted by key, value and letter are sorted by time as well.
//! Which letters the rows of a piece have is forgotten once they are written.
//! Cost: a look into a small hash table for each row whose time or diff is not that of the row before. Updates with
//! more than [`MOST`] times or diffs have no alphabet, and cost what was read of them.

use std::collections::VecDeque;
use std::ops::Range;

use super::{Keyed, sums};
use crate::diff::{Diff, Overflow};
use crate::layout::{Layout, Times};
use crate::time::{Lane, Side, TimeColumn};

/// The most times and the most diffs that there may be.
const MOST: usize = 1 << 11;

/// The distinct times and diffs of some updates, and which of them each row has that was not written yet.
pub(super) struct Alphabet<L: Layout> {
    /// The distinct times, ascending, and by when they were found.
    times: Times<L>,
    time_ranks: Vec<u64>,
    /// The distinct diffs, ascending, and by when they were found.
    diffs: Vec<L::Diff>,
    diff_ranks: Vec<u64>,
    diff_bits: u32,
    pieces: VecDeque<Found>,
}

/// Which times and diffs the rows of a piece have, by when these were found.
pub(super) struct Found {
    times: Lane<u16>,
    diffs: Lane<u16>,
}

/// The letters of a piece's rows.
pub(super) enum Letters<'a, L: Layout> {
    Same(u64),
    Each(&'a Alphabet<L>, Found),
}

/// Reads what the times and diffs of some updates are, a range of rows at a time.
pub(super) struct AlphabetReader<L: Layout> {
    times: FoundTimes<L>,
    diffs: FoundDiffs<L::Diff>,
    pieces: VecDeque<Found>,
}

impl<L: Layout> AlphabetReader<L> {
    /// Nothing read yet.
    pub(super) fn new() -> Self {
        AlphabetReader {
            times: FoundTimes { times: Default::default(), table: vec![0; 16] },
            diffs: FoundDiffs { diffs: Vec::new(), ascending: Vec::new() },
            pieces: VecDeque::new(),
        }
    }

    /// Reads the next rows, not none; `None` if there are too many times or diffs.
    pub(super) fn with(mut self, chunk: &Keyed<L>, rows: Range<usize>) -> Option<Self> {
        let mut found = Found { times: Lane::default(), diffs: Lane::default() };
        if chunk.times.uniform().is_some() {
            found.times.push_repeat(self.times.find(&chunk.times, rows.start)?, rows.len());
        } else {
            for row in rows.clone() {
                found.times.push(self.times.find(&chunk.times, row)?);
            }
        }
        match chunk.diffs.side() {
            Side::Same(diff) => found.diffs.push_repeat(self.diffs.find(diff)?, rows.len()),
            side => {
                let mut last = side.get(rows.start);
                let mut number = self.diffs.find(&last)?;
                for diff in rows.map(|row| side.get(row)) {
                    if diff != last {
                        number = self.diffs.find(&diff)?;
                        last = diff;
                    }
                    found.diffs.push(number);
                }
            }
        }
        found.times.fit();
        found.diffs.fit();
        self.pieces.push_back(found);
        Some(self)
    }

    /// The alphabet of all rows read.
    pub(super) fn finish(self) -> Alphabet<L> {
        let (times, time_order) = self.times.sorted();
        let FoundDiffs { diffs: found, ascending } = self.diffs;
        let diffs: Vec<L::Diff> = ascending.iter().map(|&number| found[number as usize].clone()).collect();
        Alphabet {
            times,
            time_ranks: ranks(&time_order),
            diff_bits: bits(diffs.len()),
            diffs,
            diff_ranks: ranks(&ascending),
            pieces: self.pieces,
        }
    }
}

impl<L: Layout> Alphabet<L> {
    /// The bits that a letter takes.
    pub(super) fn bits(&self) -> u32 {
        bits(self.times.len()) + self.diff_bits
    }

    /// The next piece of those that were read, and which is then forgotten.
    pub(super) fn next_piece(&mut self) -> Option<Found> {
        self.pieces.pop_front()
    }

    /// The letters of a piece's rows.
    pub(super) fn letters(&self, found: Found) -> Letters<'_, L> {
        match (found.times.uniform(), found.diffs.uniform()) {
            (Some(&time), Some(&diff)) => Letters::Same(self.letter(time, diff)),
            _ => Letters::Each(self, found),
        }
    }

    #[inline]
    fn letter(&self, time: u16, diff: u16) -> u64 {
        (self.time_ranks[usize::from(time)] << self.diff_bits) | self.diff_ranks[usize::from(diff)]
    }

    /// The distinct times, ascending.
    pub(super) fn times(&self) -> &Times<L> {
        &self.times
    }

    /// The number of a letter's time.
    #[inline]
    pub(super) fn time(&self, letter: u64) -> u64 {
        letter >> self.diff_bits
    }

    /// The diff of all letters, if they have one.
    pub(super) fn one_diff(&self) -> Option<&L::Diff> {
        if let [diff] = &self.diffs[..] { Some(diff) } else { None }
    }

    /// The sum of the diffs of ascending letters of one time, not none.
    pub(super) fn sum(
        &self,
        letters: impl ExactSizeIterator<Item = u64> + DoubleEndedIterator + Clone,
    ) -> Result<L::Diff, Overflow> {
        let diff = |letter: u64| &self.diffs[(letter & ((1 << self.diff_bits) - 1)) as usize];
        let mut ends = letters.clone();
        match (ends.next(), ends.next_back()) {
            (Some(first), None) => Ok(diff(first).clone()),
            (Some(first), Some(last)) if first == last => sums::multiple(diff(first), letters.len()),
            _ => sums::total(letters.map(diff)),
        }
    }
}

/// The bits that numbers below `count` take.
fn bits(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

impl<L: Layout> Letters<'_, L> {
    /// The letter of a row, counted from the piece's first.
    #[inline]
    pub(super) fn of_row(&self, row: usize) -> u64 {
        match self {
            Letters::Same(letter) => *letter,
            Letters::Each(alphabet, found) => alphabet.letter(found.times.get(row), found.diffs.get(row)),
        }
    }
}

/// The place of each in this order of them all.
fn ranks(ascending: &[u16]) -> Vec<u64> {
    let mut ranks = vec![0; ascending.len()];
    (0..).zip(ascending).for_each(|(rank, &found)| ranks[usize::from(found)] = rank);
    ranks
}

/// The times found so far.
struct FoundTimes<L: Layout> {
    times: Times<L>,
    /// By hash, one more than the number of a time; 0 where there is none. At most half of the places are taken.
    table: Vec<u16>,
}

impl<L: Layout> FoundTimes<L> {
    /// The number of a row's time, which may be found only now.
    #[inline]
    fn find(&mut self, times: &Times<L>, row: usize) -> Option<u16> {
        match self.place(times, row) {
            Ok(number) => Some(number),
            Err(_) if self.times.len() == MOST => None,
            Err(place) => {
                self.times.extend_range(times, row..row + 1);
                self.table[place] = self.times.len() as u16;
                if 2 * self.times.len() > self.table.len() {
                    self.grow();
                }
                Some(self.times.len() as u16 - 1)
            }
        }
    }

    /// The number of a row's time, or the place for it.
    #[inline]
    fn place(&self, times: &Times<L>, row: usize) -> Result<u16, usize> {
        let mut place = (times.hash(row) >> (u64::BITS - self.table.len().ilog2())) as usize;
        loop {
            match self.table[place].checked_sub(1) {
                None => return Err(place),
                Some(number) if self.times.compare(number as usize, times, row).is_eq() => return Ok(number),
                Some(_) => place = (place + 1) % self.table.len(),
            }
        }
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for number in 0..self.times.len() {
            if let Err(place) = self.place(&self.times, number) {
                self.table[place] = number as u16 + 1;
            }
        }
    }

    /// The times in ascending order, and the numbers under which they were found in that order.
    fn sorted(self) -> (Times<L>, Vec<u16>) {
        let mut order: Vec<u32> = (0..self.times.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.times.compare(a as usize, &self.times, b as usize));
        let mut times = Times::<L>::default();
        times.extend_gather(&self.times, &order);
        (times, order.into_iter().map(|number| number as u16).collect())
    }
}

/// The diffs found so far.
struct FoundDiffs<R> {
    diffs: Vec<R>,
    ascending: Vec<u16>,
}

impl<R: Diff> FoundDiffs<R> {
    /// The number of a diff, which may be found only now.
    fn find(&mut self, diff: &R) -> Option<u16> {
        match self.ascending.binary_search_by(|&number| self.diffs[number as usize].cmp(diff)) {
            Ok(at) => Some(self.ascending[at]),
            Err(_) if self.diffs.len() == MOST => None,
            Err(at) => {
                self.ascending.insert(at, self.diffs.len() as u16);
                self.diffs.push(diff.clone());
                Some(self.diffs.len() as u16 - 1)
            }
        }
    }
}
