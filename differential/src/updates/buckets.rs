//! Sorts one bucket's rows of words in cache, adds equal rows up while there, and reads back what they stand for.
//!
//! ```text
//!   bucket    | d e e d f |
//!   sorted    | d d e e f |
//!   settled   | d e f |          d + d, e + e; what adds up to zero has gone
//!   read      keys, values, times and diffs, appended to what comes out
//! ```
//!
//! What words stand for is the business of a [`Spelling`], of which there are two: `spelled` and `numbered`.
//! Invariant: what is appended ascends strictly, and no sum is zero.

use std::cmp::Ordering;

use super::Keyed;
use super::radix::{self, Order, Scratch};
use crate::diff::{Diff, Diffs, Overflow, OverflowAt};
use crate::layout::Layout;

/// Up to this many rows, one bucket fits the cache. Tests fill several often.
pub(super) const BUCKET_ROWS: usize = if cfg!(test) { 100 } else { 1 << 15 };

/// A sort that is done a step at a time.
pub(super) trait Sorter<L: Layout> {
    /// Does some work and appends what became final to `into`, after all that was appended before.
    ///
    /// How much work it was, in rows; `None` if there was nothing left to do.
    fn step(&mut self, into: &mut Keyed<L>) -> Result<Option<usize>, OverflowAt<L::Time>>;
}

/// What rows of words stand for.
pub(super) trait Spelling<L: Layout, const W: usize> {
    /// How many words order rows; one less than there are if the last is a tag.
    fn order_words(&self) -> usize;
    /// The order of rows that all those words leave equal, by their tags.
    fn ties(&self, _a: u64, _b: u64) -> Ordering {
        Ordering::Equal
    }
    /// What orders such rows next: see [`radix::Refine`].
    fn refine(&self, _tags: &[u64], _depth: u32, _words: &mut Vec<u64>) -> Option<u32> {
        None
    }

    /// Whether two rows have one key, value and time.
    fn same(&self, a: &[u64; W], b: &[u64; W]) -> bool;
    /// The sum of the diffs of sorted rows, not none.
    fn sum(&self, rows: &[[u64; W]]) -> Result<L::Diff, Overflow>;
    /// The diff that every row has, if it is known.
    fn one_diff(&self) -> Option<&L::Diff>;
    /// When a row's update happens.
    fn time(&self, row: &[u64; W]) -> L::Time;
    /// Appends the keys, values and times of rows.
    fn read(&self, rows: &[[u64; W]], into: &mut Keyed<L>);
}

/// Sorts rows, adds up those of one update, and appends what is left.
pub(super) fn settle<L: Layout, const W: usize>(
    spelling: &impl Spelling<L, W>,
    rows: &mut Vec<[u64; W]>,
    scratch: &mut Scratch<W>,
    into: &mut Keyed<L>,
) -> Result<(), OverflowAt<L::Time>> {
    let ties = |a, b| spelling.ties(a, b);
    let refine = |tags: &[u64], depth, words: &mut Vec<u64>| spelling.refine(tags, depth, words);
    radix::sort(rows, scratch, Order { words: spelling.order_words(), ties: &ties, refine: &refine });
    match spelling.one_diff() {
        Some(diff) if !diff.is_zero() && rows.windows(2).all(|pair| !spelling.same(&pair[0], &pair[1])) => {
            into.diffs.push_repeat(diff.clone(), rows.len());
        }
        _ => {
            let settled = add_up(spelling, rows, &mut into.diffs);
            rows.truncate(settled.map_err(|row| OverflowAt::new(spelling.time(&row)))?);
        }
    }
    spelling.read(rows, into);
    Ok(())
}

/// Moves the first row of each update to the front, where the sum of its diffs is not zero; how many are kept, and sums
/// to `diffs`. Fails with a row whose sum does not fit.
fn add_up<L: Layout, const W: usize>(
    spelling: &impl Spelling<L, W>,
    rows: &mut [[u64; W]],
    diffs: &mut Diffs<L::Diff>,
) -> Result<usize, [u64; W]> {
    let (mut start, mut settled) = (0, 0);
    while start < rows.len() {
        let mut end = start + 1;
        while end < rows.len() && spelling.same(&rows[start], &rows[end]) {
            end += 1;
        }
        let sum = spelling.sum(&rows[start..end]).map_err(|Overflow| rows[start])?;
        if !sum.is_zero() {
            rows[settled] = rows[start];
            settled += 1;
            diffs.push(sum);
        }
        start = end;
    }
    Ok(settled)
}
