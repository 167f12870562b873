//! Blocks multiplied out: the rows of output containers.
//!
//! ```text
//!   block      left rows 4 5  x  right rows 7 8 9           containers of four rows
//!   records    f(4,7) f(4,8) f(4,9) f(5,7) | f(5,8) f(5,9)
//!   pieces     4 x 7..10 , 5 x 7..8        | 5 x 8..10      times and diffs: by pieces, a column at a time
//! ```
//!
//! Records are made pair by pair, since a function of the user's makes them; times and diffs afterwards, from the
//! *pieces* of blocks that the records stand for. A pair of values that the function drops is left out of the pieces, so
//! no time is formed for it. The function is called once for each pair of values: rows of one value that follow one
//! another are taken together (up to `ALIKE_ROWS` a side, so that a container's size stays near its target).
//!
//! Invariant: pieces, in order, list exactly the pairs of rows behind the records. Cost: where all times agree and all
//! diffs agree, a row costs its record and nothing else.
//! Why not blocks of whole containers only: one block may be larger than any container, so the position inside one is
//! kept, and the next container goes on from there.
//! Tested in `join_laws.rs`: containers of one row and of three.

use std::ops::Range;

use super::backend::JoinBackend;
use super::blocks::JoinBlocks;
use super::bridge::Edits;
use super::logic::JoinLogic;
use super::rungs::{Joined, Product, Rung, Sources, first_overflow, meet_pairs, settle_rungs};
use crate::column::{Column, Data};
use crate::diff::OverflowAt;
use crate::time::{Block, TimeColumn};
use crate::updates::Updates;

/// Rows of one value that are taken together, at most, on each side.
const ALIKE_ROWS: u32 = 32;

/// Crosses of up to this many pairs are met many in a row, with no place kept inside one.
const SMALL_PAIRS: usize = 32;

/// How far a list of blocks is multiplied out, and the pieces not yet turned into times and diffs.
pub(super) struct Crossing<K: JoinBackend> {
    /// The next zip, and the next pair in it.
    zip: usize,
    pair: u32,
    /// The next key's pairs, and the next of all pairs.
    pairs: usize,
    paired: u32,
    /// The next cross, and the next pair of rows in it, counted from the start of its ranges.
    cross: usize,
    left: u32,
    right: u32,
    /// Whether each row of the present cross holds another value than its neighbours.
    distinct: bool,
    /// Rows that meet one by one: first left, first right, number.
    rungs: Vec<Rung>,
    /// The same among rows that were gathered.
    gathered_rungs: Vec<Rung>,
    /// Rows from here and there, so that those that meet have one number.
    gathered: (Edits<K::Time, K::LeftDiff>, Edits<K::Time, K::RightDiff>),
    /// Ranges of rows that meet each with each.
    pieces: Vec<Block>,
}

impl<K: JoinBackend> Default for Crossing<K> {
    fn default() -> Self {
        Crossing {
            zip: 0,
            pair: 0,
            pairs: 0,
            paired: 0,
            cross: 0,
            left: 0,
            right: 0,
            distinct: false,
            rungs: Vec::new(),
            gathered_rungs: Vec::new(),
            gathered: Default::default(),
            pieces: Vec::new(),
        }
    }
}

impl<K: JoinBackend> Crossing<K> {
    /// Begins with new blocks.
    pub(super) fn restart(&mut self) {
        (self.zip, self.pair, self.pairs, self.paired) = (0, 0, 0, 0);
        (self.cross, self.left, self.right) = (0, 0, 0);
    }

    /// Whether all of these blocks are multiplied out.
    pub(super) fn is_done(&self, blocks: &JoinBlocks) -> bool {
        self.zip == blocks.zips.len() && self.pairs == blocks.pairs.len() && self.cross == blocks.crosses.len()
    }

    /// Appends rows to `out` until it has `target` of them, `fuel` pairs or rows are made, or the blocks are done.
    ///
    /// Meets at least one pair unless the blocks are done, and exceeds `target` by what one pair of values makes.
    pub(super) fn advance<J: JoinLogic<K>>(
        &mut self,
        blocks: &JoinBlocks,
        sources: &Sources<'_, K>,
        (target, fuel): (usize, &mut usize),
        logic: &mut J,
        out: &mut Joined<K, J>,
    ) -> Result<(), OverflowAt<K::Time>> {
        loop {
            let budget = (*fuel).min(target.saturating_sub(out.data.len())).max(1);
            let met = if self.zip < blocks.zips.len() {
                self.advance_zip(blocks, sources, budget, logic, out)
            } else if self.pairs < blocks.pairs.len() {
                self.advance_pairs(blocks, sources, budget, logic, out)
            } else if self.cross < blocks.crosses.len() {
                self.advance_cross(blocks, sources, budget, logic, out)
            } else {
                break;
            };
            *fuel = fuel.saturating_sub(met);
            if *fuel == 0 || out.data.len() >= target {
                break;
            }
        }
        self.settle(sources, out)
    }

    /// Meets pairs of the present zip up to `budget` pairs or records; how many.
    fn advance_zip<J: JoinLogic<K>>(
        &mut self,
        blocks: &JoinBlocks,
        sources: &Sources<'_, K>,
        budget: usize,
        logic: &mut J,
        out: &mut Joined<K, J>,
    ) -> usize {
        let (left, right) = (&sources.left.edits.values, &sources.right.edits.values);
        let zip = &blocks.zips[self.zip];
        let numbers = (&left[zip.left as usize..], &right[zip.right as usize..]);
        let rows = (zip.left, zip.right);
        let key = |pair| sources.key(zip.key + pair);
        let pairs = self.pair..zip.len;
        let (end, met) = meet_pairs(sources, key, numbers, (pairs, budget), logic, out, (rows, &mut self.rungs));
        self.pair = end;
        if self.pair == zip.len {
            (self.zip, self.pair) = (self.zip + 1, 0);
        }
        met
    }

    /// Meets rows of one key from here and there up to `budget` pairs or records; how many.
    fn advance_pairs<J: JoinLogic<K>>(
        &mut self,
        blocks: &JoinBlocks,
        sources: &Sources<'_, K>,
        budget: usize,
        logic: &mut J,
        out: &mut Joined<K, J>,
    ) -> usize {
        let pairs = &blocks.pairs[self.pairs];
        let key = sources.key(pairs.key);
        let rows = self.paired as usize..(pairs.end as usize).min((self.paired as usize).saturating_add(budget));
        let (left, right) = &mut self.gathered;
        let first = left.len();
        left.extend_gather(&sources.left.edits, &blocks.paired.0[rows.clone()]);
        right.extend_gather(&sources.right.edits, &blocks.paired.1[rows.clone()]);
        let numbers = (&left.values[first..], &right.values[first..]);
        let rungs = ((first as u32, first as u32), &mut self.gathered_rungs);
        let key = |_| key;
        let (end, met) = meet_pairs(sources, key, numbers, (0..rows.len() as u32, budget), logic, out, rungs);
        self.paired += end;
        if self.paired == pairs.end {
            self.pairs += 1;
        }
        met
    }

    /// Meets pairs of the present cross up to `budget` pairs or records, or those of one pair of values; how many.
    fn advance_cross<J: JoinLogic<K>>(
        &mut self,
        blocks: &JoinBlocks,
        sources: &Sources<'_, K>,
        budget: usize,
        logic: &mut J,
        out: &mut Joined<K, J>,
    ) -> usize {
        if (self.left, self.right) == (0, 0) {
            let met = if J::ONE { self.advance_small(blocks, sources, budget, logic, out) } else { 0 };
            if met > 0 {
                return met;
            }
            let cross = &blocks.crosses[self.cross];
            self.distinct = sources.left.is_distinct(&cross.left) && sources.right.is_distinct(&cross.right);
        }
        if self.distinct {
            self.advance_values::<J, true>(blocks, sources, budget, logic, out)
        } else {
            self.advance_values::<J, false>(blocks, sources, budget, logic, out)
        }
    }

    /// Meets whole crosses of few pairs, of values that have a row each, up to `budget` pairs; how many.
    fn advance_small<J: JoinLogic<K>>(
        &mut self,
        blocks: &JoinBlocks,
        sources: &Sources<'_, K>,
        budget: usize,
        logic: &mut J,
        out: &mut Joined<K, J>,
    ) -> usize {
        let (left, right) = (&sources.left.edits.values, &sources.right.edits.values);
        let mut met = 0;
        for cross in &blocks.crosses[self.cross..] {
            let pairs = cross.left.len() * cross.right.len();
            if pairs > SMALL_PAIRS || met + pairs > budget {
                break;
            }
            let left = &left[cross.left.start as usize..cross.left.end as usize];
            let right = &right[cross.right.start as usize..cross.right.end as usize];
            if left.windows(2).chain(right.windows(2)).any(|pair| pair[0] == pair[1]) {
                break;
            }
            let key = sources.key(cross.key);
            for &number in left {
                let left_value = sources.left(number);
                for &number in right {
                    let right_value = sources.right(number);
                    logic.pair(key, left_value, right_value, 1, &mut out.data);
                }
            }
            self.pieces.push((cross.left.clone(), cross.right.clone()));
            self.cross += 1;
            met += pairs;
        }
        met
    }

    /// [`advance_cross`](Self::advance_cross), compiled for values that have a row each (`DISTINCT`) or several.
    fn advance_values<J: JoinLogic<K>, const DISTINCT: bool>(
        &mut self,
        blocks: &JoinBlocks,
        sources: &Sources<'_, K>,
        budget: usize,
        logic: &mut J,
        out: &mut Joined<K, J>,
    ) -> usize {
        let (left, right) = (&sources.left.edits.values, &sources.right.edits.values);
        let cross = &blocks.crosses[self.cross];
        let key = sources.key(cross.key);
        let mut left_row = cross.left.start + self.left;
        let mut right_row = cross.right.start + self.right;
        let mut met = 0;
        while left_row < cross.left.end && met < budget {
            let left_rows = left_row..alike::<DISTINCT>(left, left_row, cross.left.end);
            let left_value = sources.left(left[left_row as usize]);
            // At least one row, at most what the budget allows with these left rows.
            let allowed = ((budget - met) / left_rows.len()).max(1).min(u32::MAX as usize) as u32;
            let right_end = cross.right.end.min(right_row.saturating_add(allowed));
            out.data.reserve(left_rows.len() * (right_end - right_row) as usize);
            let mut start = right_row;
            if J::ONE && DISTINCT && right_end as usize <= sources.right.distinct {
                // Each row holds the value of its own number.
                let rights = sources.backend.rights(sources.staging, right_row..right_end);
                logic.row(key, left_value, rights, &mut out.data);
                met += (right_end - right_row) as usize;
                right_row = right_end;
            } else if J::ONE && DISTINCT {
                // Nothing to look at between two pairs.
                for &number in &right[right_row as usize..right_end as usize] {
                    logic.pair(key, left_value, sources.right(number), 1, &mut out.data);
                }
                met += (right_end - right_row) as usize;
                right_row = right_end;
            }
            while right_row < right_end {
                let right_rows = right_row..alike::<DISTINCT>(right, right_row, cross.right.end);
                let records = logic.pair(
                    key,
                    left_value,
                    sources.right(right[right_row as usize]),
                    left_rows.len() * right_rows.len(),
                    &mut out.data,
                );
                right_row = right_rows.end;
                met += left_rows.len() * right_rows.len();
                // Records of several left rows come value by value; all else follows on in order of rows.
                if records != 1 || left_rows.len() > 1 {
                    self.push_piece(left_rows.clone(), start..right_rows.start);
                    for _ in 0..records {
                        self.push_piece(left_rows.clone(), right_rows.clone());
                    }
                    start = right_row;
                    met += left_rows.len() * right_rows.len() * records.saturating_sub(1);
                    if met >= budget {
                        break;
                    }
                }
            }
            self.push_piece(left_rows.clone(), start..right_row);
            if right_row == cross.right.end {
                (left_row, right_row) = (left_rows.end, cross.right.start);
            }
        }
        (self.left, self.right) = (left_row - cross.left.start, right_row - cross.right.start);
        if left_row == cross.left.end {
            (self.cross, self.left, self.right) = (self.cross + 1, 0, 0);
        }
        met
    }

    /// Adds a piece of a block; one with the rows that follow on the left is made longer.
    fn push_piece(&mut self, left: Range<u32>, right: Range<u32>) {
        if right.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(piece) if piece.0.end == left.start && piece.1 == right => piece.0.end = left.end,
            _ => self.pieces.push((left, right)),
        }
    }

    /// Forms the times and diffs of the records made since the last time.
    fn settle<D: Data>(
        &mut self,
        sources: &Sources<'_, K>,
        out: &mut Updates<D, K::Time, Product<K>>,
    ) -> Result<(), OverflowAt<K::Time>> {
        let (left, right) = (&sources.left.edits, &sources.right.edits);
        settle_rungs(&mut self.rungs, left, right, out)?;
        settle_rungs(&mut self.gathered_rungs, &self.gathered.0, &self.gathered.1, out)?;
        self.gathered.0.clear();
        self.gathered.1.clear();
        if !self.pieces.is_empty() {
            out.times.extend_cross_join(&left.times, &right.times, &self.pieces);
            let product = out.diffs.extend_cross_product(&left.diffs, &right.diffs, &self.pieces);
            product.map_err(|_| {
                let pieces = self.pieces.iter().map(|(left, right)| (left.clone(), right.clone()));
                let pairs =
                    |(left, right): Block| left.flat_map(move |row| right.clone().map(move |other| (row, other)));
                first_overflow(left, right, pieces.flat_map(pairs).map(|(row, other)| (row as usize, other as usize)))
            })?;
            self.pieces.clear();
        }
        debug_assert_eq!(out.data.len(), out.diffs.len(), "a diff for each record");
        debug_assert_eq!(out.data.len(), out.times.len(), "a time for each record");
        Ok(())
    }
}

/// The end of the rows that hold the value of `row`.
#[inline]
fn alike<const DISTINCT: bool>(values: &[u32], row: u32, end: u32) -> u32 {
    let mut next = row + 1;
    if !DISTINCT {
        let end = end.min(row + ALIKE_ROWS);
        while next < end && values[next as usize] == values[row as usize] {
            next += 1;
        }
    }
    next
}
