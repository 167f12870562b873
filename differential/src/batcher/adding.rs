//! Arrivals being added up, a step at a time, and how long to wait until the next time.
//!
//! ```text
//!   kept       | a b c | d e f | g h i |      from the last time, in pieces, each freed once it is written
//!   arrivals   | f a | b x | a c | h f |      three quarters as many
//!   words        a f a b a ...
//!   kept       | a b c | d e f | g h i x |
//! ```
//!
//! Memory: where a row is a number and its count, one that is kept takes sixteen bytes, one that arrives eight, and so
//! do the words of one that is being sorted. So at its most, before the first piece is freed, all this takes half again
//! as much as what is kept, and what arrives meanwhile. One long piece would stand beside all of its own words.
//!
//! Cost: seven rows are sorted for three that arrive. After as many arrivals as there are rows kept it would be six, and
//! by the same count a tenth more memory.
//!
//! Why not sort the arrivals alone, and each part of them together with the piece that it belongs to: that took as much
//! memory, and a quarter more instructions. Why not many small pieces: they leave holes behind which nothing large
//! fits, and the process then holds much more than is allocated.

use super::later::Run;
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::updates::{Keyed, Sorting};

/// Arrivals are not added up before there are this many.
pub(super) const LOOK_FROM: usize = 4096;

/// A piece is full when it has this many rows and its part of all. Tests cut often.
const PIECE_ROWS: usize = if cfg!(test) { 50 } else { 1 << 14 };
/// The least part of all rows that makes a piece.
const PIECES: usize = 32;

/// Arrivals being added up.
pub(super) struct Adding<L: Layout> {
    sorting: Sorting<L>,
    /// What came out last, and what came out before.
    rows: Keyed<L>,
    pieces: Vec<Run<L>>,
    /// How many rows there were.
    count: usize,
}

/// What arrivals came to.
pub(super) struct Added<L: Layout> {
    pub(super) pieces: Vec<Run<L>>,
    /// How many rows these are.
    pub(super) kept: usize,
    /// Whether so many rows went that adding up is worth it again soon.
    pub(super) repeats: bool,
}

impl<L: Layout> Adding<L> {
    /// Begins to add up runs, of which there is at least one, with so many rows in all.
    pub(super) fn new(runs: Vec<Run<L>>, count: usize) -> Self {
        let (keys, vals) = runs[0].rows.shapes();
        let chunks = runs.into_iter().map(|run| run.rows).collect();
        Adding { sorting: Sorting::new(chunks), rows: Keyed::empty(&keys, &vals), pieces: Vec::new(), count }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Goes on for about `effort` rows, and takes what it did from it. Whether all is done.
    pub(super) fn step(&mut self, effort: &mut usize) -> Result<bool, OverflowAt<L::Time>> {
        while *effort > 0 && !self.sorting.is_done() {
            *effort = effort.saturating_sub(self.sorting.step_once(&mut self.rows)?);
            if self.rows.len() >= PIECE_ROWS.max(self.count / PIECES) {
                self.cut();
            }
        }
        Ok(self.sorting.is_done())
    }

    fn cut(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        let (keys, vals) = self.rows.shapes();
        let mut rows = std::mem::replace(&mut self.rows, Keyed::empty(&keys, &vals));
        rows.fit();
        self.pieces.push(Run::new(rows));
    }

    /// What came of it, once all is done.
    pub(super) fn finish(mut self) -> Added<L> {
        self.cut();
        let kept = self.pieces.iter().map(|piece| piece.rows.len()).sum();
        Added { pieces: self.pieces, kept, repeats: kept <= self.count - self.count / 8 }
    }
}

impl<L: Layout> Added<L> {
    /// How many rows, these included, make it worth adding up again.
    pub(super) fn look_at(&self) -> usize {
        // A sample may mistake few rows that come very often for many: then wait longer.
        LOOK_FROM.max(if self.repeats { self.kept + self.kept / 4 * 3 } else { 4 * self.kept })
    }
}
