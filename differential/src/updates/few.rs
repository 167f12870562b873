//! A few updates, sorted by comparing them where they are: a permutation, then a gather.
//!
//! Cost: a comparison sort of row numbers. It is cheaper than writing words up to some 64 rows, as most commits have.

use std::cmp::Ordering;

use super::{Keyed, sums};
use crate::column::Column;
use crate::diff::{Diff, OverflowAt};
use crate::layout::Layout;
use crate::time::TimeColumn;

/// Up to this many rows, comparing is cheaper than writing words.
pub(crate) const FEW: usize = 64;

/// Whether rows ascend by (key, value, time) with no two equal, and no diff is zero.
pub(crate) fn is_consolidated<L: Layout>(rows: &Keyed<L>) -> bool {
    let diffs_count = match rows.diffs.uniform() {
        Some(diff) => !diff.is_zero(),
        None => (0..rows.len()).all(|row| !rows.diffs.get(row).is_zero()),
    };
    let one_time = rows.times.uniform().is_some();
    diffs_count && (1..rows.len()).all(|row| compare(rows, one_time, row - 1, row).is_lt())
}

/// Whether chunks that follow one another are consolidated as one list. Where they are not, this is mostly seen at once.
pub(super) fn are_consolidated<L: Layout>(chunks: &[Keyed<L>]) -> bool {
    let ascend = |one: &Keyed<L>, other: &Keyed<L>| {
        let Some(last) = one.len().checked_sub(1).filter(|_| !other.is_empty()) else { return false };
        let order = one.keys.compare(last, &other.keys, 0).then_with(|| one.vals.compare(last, &other.vals, 0));
        order.then_with(|| one.times.compare(last, &other.times, 0)).is_lt()
    };
    chunks.windows(2).all(|pair| ascend(&pair[0], &pair[1])) && chunks.iter().all(is_consolidated)
}

/// The order of two rows; rows of one time are not asked for it.
#[inline]
fn compare<L: Layout>(rows: &Keyed<L>, one_time: bool, a: usize, b: usize) -> Ordering {
    let order = rows.keys.compare(a, &rows.keys, b).then_with(|| rows.vals.compare(a, &rows.vals, b));
    if one_time { order } else { order.then_with(|| rows.times.compare(a, &rows.times, b)) }
}

/// All rows in one list, in the order of the chunks; each chunk is freed once it is copied.
pub(super) fn concatenated<L: Layout>(chunks: Vec<Keyed<L>>) -> Keyed<L> {
    let count: usize = chunks.iter().map(Keyed::len).sum();
    let mut chunks = chunks.into_iter();
    let mut rows = chunks.next().expect("there is a chunk, if only for its shape");
    if rows.len() < count {
        rows.keys.reserve(count - rows.len());
        rows.vals.reserve(count - rows.len());
    }
    for chunk in chunks {
        rows.extend_range(&chunk, 0..chunk.len());
    }
    rows
}

/// At most [`FEW`] rows, sorted and added up; often they are.
pub(crate) fn few_sorted<L: Layout>(rows: Keyed<L>) -> Result<Keyed<L>, OverflowAt<L::Time>> {
    if is_consolidated(&rows) {
        return Ok(rows);
    }
    let (keys, vals) = rows.shapes();
    let mut sorted = Keyed::empty(&keys, &vals);
    sort_few(&rows, &mut sorted)?;
    Ok(sorted)
}

/// Sorts and adds up at most [`FEW`] rows, into columns that are empty.
fn sort_few<L: Layout>(rows: &Keyed<L>, sorted: &mut Keyed<L>) -> Result<(), OverflowAt<L::Time>> {
    let one_time = rows.times.uniform();
    let compare = |a, b| compare(rows, one_time.is_some(), a as usize, b as usize);
    // Most pairs of rows differ in their keys' prefixes, which are then all that is looked at.
    let mut by_prefix = [(0, 0); FEW];
    let by_prefix = &mut by_prefix[..rows.len()];
    by_prefix.iter_mut().enumerate().for_each(|(row, entry)| *entry = (rows.keys.prefix(row), row as u32));
    by_prefix.sort_unstable_by(|&(prefix, a), &(other, b)| prefix.cmp(&other).then_with(|| compare(a, b)));
    let mut numbers = [0; FEW];
    let order = &mut numbers[..rows.len()];
    order.iter_mut().zip(by_prefix).for_each(|(number, (_, row))| *number = *row);
    let (mut kept, mut start) = (0, 0);
    while start < order.len() {
        let mut end = start + 1;
        while end < order.len() && compare(order[start], order[end]).is_eq() {
            end += 1;
        }
        let sum = sums::total(order[start..end].iter().map(|&row| rows.diffs.get(row as usize)))
            .map_err(|_| OverflowAt::new(rows.times.get(order[start] as usize)))?;
        if !sum.is_zero() {
            order[kept] = order[start];
            kept += 1;
            sorted.diffs.push(sum);
        }
        start = end;
    }
    sorted.keys.extend_gather(&rows.keys, &order[..kept]);
    sorted.vals.extend_gather(&rows.vals, &order[..kept]);
    match one_time {
        Some(time) => sorted.times.push_repeat(&time, kept),
        None => sorted.times.extend_gather(&rows.times, &order[..kept]),
    }
    Ok(())
}
