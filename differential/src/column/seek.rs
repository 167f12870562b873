//! Finds one column's items in another: the front half of a join.
//!
//! ```text
//!   column   2  3  3  7  9        wanted   1  3  8  9  12
//!                                 found    0  1  4  4   5      the least row at or past each
//! ```
//!
//! The columns' lengths are known, so they choose the way: where the column is at most 128 times as long as what is
//! wanted (32 times, for items that are more than their prefix), both are walked side by side; else every wanted item
//! is searched for, through the [`KeyIndex`] if there is one. All of it is done on 64-bit prefixes. Where those are
//! not exact, the row found is then moved on past the rows of equal prefix that are still below the item, from where the
//! item before was found: by comparing two words of each where columns lend them, and rows otherwise.
//!
//! Cost of walking: a step for each wanted item and one for every 16 rows of the column (for each row if the column is
//! no longer than eight times what is wanted, and then no step waits for a branch to be predicted). Cost of searching:
//! see [`KeyIndex`].
//!
//! Why rows and not matches: the caller tells hits from misses with one comparison each, and gathers in a pass of its
//! own, so that the misses of the cache that this costs overlap too. Tested in `seek_laws.rs`.

use std::cmp::Ordering;
use std::ops::Range;

use super::Column;
use super::key_index::KeyIndex;

/// Where prefixes are exact, a column longer than this many times what is wanted is searched, not walked.
const WALK_RATIO: usize = 128;
/// Where they are not: such items are longer, so that a walk reads more memory for each.
const WALK_RATIO_INEXACT: usize = 32;
/// A column up to this many times as long as what is wanted is walked row by row.
const STEP_RATIO: usize = 8;
/// Rows that a longer walk skips at once.
const STRIDE: usize = 16;

/// Appends, for each of `rows` of `wanted`, the least row of `column` that is at or past it, or `column`'s length.
///
/// Only the rows `within` are looked at: all before them must be below what is wanted, and all after them past it.
/// Both columns are sorted in ascending order (in `wanted`, those rows are); either may hold equal items. The index
/// must be `column`'s own, if one is given. Panics if `column` has more rows than a `u32` counts.
///
/// ```
/// use differential::column::{KeyIndex, find_all};
///
/// let column: Vec<u64> = (0..10_000).map(|key| 2 * key).collect();
/// let index = KeyIndex::build(&column);
/// let mut found = Vec::new();
/// find_all(&column, 0..column.len(), index.as_ref(), &vec![7, 8, 50_000], 0..3, &mut found);
/// assert_eq!(found, [4, 4, 10_000]);
/// ```
pub fn find_all<C: Column>(
    column: &C,
    within: Range<usize>,
    index: Option<&KeyIndex>,
    wanted: &C,
    rows: Range<usize>,
    into: &mut Vec<u32>,
) {
    assert!(u32::try_from(column.len()).is_ok(), "{} rows are more than a `u32` counts", column.len());
    if rows.is_empty() {
        return;
    }
    let mut copied = Vec::new();
    let prefixes = match wanted.lane() {
        Some(lane) => &lane[rows.clone()],
        None => {
            wanted.prefixes(rows.clone(), &mut copied);
            &copied
        }
    };

    let start = into.len();
    let walk_ratio = if column.exact_prefix() { WALK_RATIO } else { WALK_RATIO_INEXACT };
    let walked = within.len() <= walk_ratio * rows.len();
    match index {
        Some(index) if !walked => index.seek(column, prefixes, into),
        _ => {
            let (first, length) = (within.start, within.len());
            match column.lane() {
                Some(lane) => find_in(length, |row| lane[first + row], prefixes, walked, into),
                None => find_in(length, |row| column.prefix(first + row), prefixes, walked, into),
            }
            into[start..].iter_mut().for_each(|row| *row += first as u32);
        }
    }
    if !column.exact_prefix() {
        settle_all(column, wanted, rows, &mut into[start..]);
    }
}

/// Moves what was `found` for each of `rows` of `wanted` on past the rows of equal prefix that are below it.
fn settle_all<C: Column>(column: &C, wanted: &C, rows: Range<usize>, found: &mut [u32]) {
    // Most pairs of rows differ in two words, where both lend them.
    fn words<C: Column>(column: &C) -> Option<(&[u64], &[u64])> {
        Some((column.lane()?, column.second_lane()?))
    }
    let both = words(column).zip(words(wanted));
    // What is wanted ascends, so nothing is found before what was found last.
    let mut least = 0;
    for (found, row) in found.iter_mut().zip(rows) {
        let from = least.max(*found as usize);
        least = match both {
            Some(((first, second), (first_wanted, second_wanted))) => {
                let words = (first_wanted[row], second_wanted[row]);
                settle(column.len(), from, |at| match (first[at], second[at]).cmp(&words) {
                    Ordering::Equal => column.compare(at, wanted, row).is_lt(),
                    order => order.is_lt(),
                })
            }
            None => settle(column.len(), from, |at| column.compare(at, wanted, row).is_lt()),
        };
        *found = least as u32;
    }
}

/// Walks or searches.
fn find_in(length: usize, prefix: impl Fn(usize) -> u64, wanted: &[u64], walked: bool, into: &mut Vec<u32>) {
    if walked { walk(length, prefix, wanted, into) } else { search(length, prefix, wanted, into) }
}

/// Walks both side by side.
fn walk(length: usize, prefix: impl Fn(usize) -> u64, wanted: &[u64], into: &mut Vec<u32>) {
    if length <= STEP_RATIO * wanted.len() {
        step(length, prefix, wanted, into)
    } else {
        stride(length, prefix, wanted, into)
    }
}

/// Each step passes one row or one wanted item. Which, no processor can foresee, so nothing branches on it.
fn step(length: usize, prefix: impl Fn(usize) -> u64, wanted: &[u64], into: &mut Vec<u32>) {
    let start = into.len();
    into.resize(start + wanted.len(), length as u32);
    let found = &mut into[start..];
    let (mut row, mut place) = (0, 0);
    while row < length && place < wanted.len() {
        let below = prefix(row) < wanted[place];
        found[place] = row as u32;
        row += usize::from(below);
        place += usize::from(!below);
    }
    if let Some(unfinished) = found.get_mut(place) {
        *unfinished = length as u32;
    }
}

/// Passes whole strides that end below the wanted item, and then bisects the next one.
fn stride(length: usize, prefix: impl Fn(usize) -> u64, wanted: &[u64], into: &mut Vec<u32>) {
    let mut row = 0;
    into.extend(wanted.iter().map(|&wanted| {
        while row + STRIDE <= length && prefix(row + STRIDE - 1) < wanted {
            row += STRIDE;
        }
        row = lower_bound(row..length.min(row + STRIDE), &prefix, wanted);
        row as u32
    }));
}

/// Bisects the whole column for each.
fn search(length: usize, prefix: impl Fn(usize) -> u64, wanted: &[u64], into: &mut Vec<u32>) {
    into.extend(wanted.iter().map(|&wanted| lower_bound(0..length, &prefix, wanted) as u32));
}

/// The least row of a sorted range whose prefix is at or past the one wanted.
fn lower_bound(rows: Range<usize>, prefix: impl Fn(usize) -> u64, wanted: u64) -> usize {
    let (mut low, mut count) = (rows.start, rows.len());
    while count > 0 {
        let half = count / 2;
        let below = prefix(low + half) < wanted;
        low = if below { low + half + 1 } else { low };
        count = if below { count - half - 1 } else { half };
    }
    low
}

/// From a row to the first of `length` rows at or past it that is not below the item: usually the same.
fn settle(length: usize, from: usize, below: impl Fn(usize) -> bool) -> usize {
    let below = |row| row < length && below(row);
    let (mut low, mut reach) = (from, 1);
    while below(low + reach - 1) {
        low += reach;
        reach *= 2;
    }
    // The row before `low` is below the item, and the one at `low + reach - 1` is not.
    let mut count = reach - 1;
    while count > 0 {
        let half = count / 2;
        if below(low + half) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    low
}
