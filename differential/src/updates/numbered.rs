//! Rows that end in the number of an update: what words do not say is looked up by it.
//!
//! ```text
//!   ("lisbon", 4), number 0    [ "lisbon" ] [ 0 ]      prefixes tell them apart
//!   ("lima", 9), number 1      [ "lima"   ] [ 1 ]
//!   sorted: 1 0                keys, values and times gathered in that order
//! ```
//!
//! For strings and other items of more than a word, and for times too many for an alphabet. Cost: twelve to twenty-four
//! bytes a row beside the columns and their copies, and a look at random for each row of each column.

use std::cmp::Ordering;

use super::buckets::{Buckets, Meaning};
use super::radix::{Order, Refine};
use super::words::Packing;
use super::{Keyed, sums};
use crate::column::Column;
use crate::diff::{Diff, Diffs, Overflow, OverflowAt};
use crate::layout::{Keys, Layout, Vals};
use crate::time::TimeColumn;

/// Consolidates rows that are tagged with their numbers: what words don't say is looked up.
pub(super) fn numbered<L: Layout>(rows: Keyed<L>) -> Result<Keyed<L>, OverflowAt<L::Time>> {
    let chunks = std::slice::from_ref(&rows);
    let packing = Packing::of(chunks, 0);
    if packing.words() == 1 {
        let write = |key, val, row| [packing.pack(key, val, 0)[0], row as u64];
        let buckets = Buckets::write(chunks, 0, write);
        gathered(rows, buckets)
    } else {
        let buckets = Buckets::write(chunks, packing.low(), |key, val, row| [key, val, row as u64]);
        gathered(rows, buckets)
    }
}

/// Rows that end in the number of an update.
struct Numbered<'a, R> {
    ties: &'a dyn Fn(u64, u64) -> Ordering,
    refine: &'a Refine<'a>,
    diffs: &'a Diffs<R>,
}

impl<R: Diff, const W: usize> Meaning<R, W> for Numbered<'_, R> {
    fn order(&self) -> Order<'_> {
        Order { words: W - 1, ties: self.ties, refine: self.refine }
    }

    fn same(&self, a: &[u64; W], b: &[u64; W]) -> bool {
        Meaning::<R, W>::order(self).compare(a, b).is_eq()
    }

    fn sum(&self, rows: &[[u64; W]]) -> Result<R, Overflow> {
        sums::total(rows.iter().map(|row| self.diffs.get(row[W - 1] as usize)))
    }

    fn one_diff(&self) -> Option<&R> {
        self.diffs.uniform()
    }
}

/// What orders rows whose words agree: first what is deeper in their keys, then, if keys are equal, their values.
fn next_words<L: Layout>(rows: &Keyed<L>, tags: &[u64], depth: u32, words: &mut Vec<u64>) -> Option<u32> {
    /// Marks depths in values, where those in keys came before.
    const IN_VALS: u32 = 1 << 31;
    let (keys, vals) = (&rows.keys, &rows.vals);
    if !Keys::<L>::EXACT_PREFIX && depth < IN_VALS {
        words.extend(tags.iter().map(|&row| keys.deeper(row as usize, depth)));
        if words.iter().any(|&word| word != 0) {
            return Some(depth);
        }
        let first = tags[0] as usize;
        if tags.iter().any(|&row| keys.compare(first, keys, row as usize).is_ne()) {
            return None;
        }
        words.clear();
        words.extend(tags.iter().map(|&row| vals.prefix(row as usize)));
        return Some(IN_VALS);
    }
    if Vals::<L>::EXACT_PREFIX {
        return None;
    }
    words.extend(tags.iter().map(|&row| vals.deeper(row as usize, depth & !IN_VALS)));
    words.iter().any(|&word| word != 0).then_some(depth)
}

/// The updates that settled rows name.
fn gathered<L: Layout, const W: usize>(rows: Keyed<L>, buckets: Buckets<W>) -> Result<Keyed<L>, OverflowAt<L::Time>> {
    let one_time = rows.times.uniform().is_some();
    let ties = |a: u64, b: u64| {
        let (a, b) = (a as usize, b as usize);
        let keys_then_vals = match (Keys::<L>::EXACT_PREFIX, Vals::<L>::EXACT_PREFIX) {
            (true, true) => Ordering::Equal,
            (true, false) => rows.vals.compare(a, &rows.vals, b),
            (false, _) => rows.keys.compare(a, &rows.keys, b).then_with(|| rows.vals.compare(a, &rows.vals, b)),
        };
        keys_then_vals.then_with(|| if one_time { Ordering::Equal } else { rows.times.compare(a, &rows.times, b) })
    };
    let refine = |tags: &[u64], depth: u32, words: &mut Vec<u64>| next_words(&rows, tags, depth, words);
    let settled = buckets.settle(&Numbered { ties: &ties, refine: &refine, diffs: &rows.diffs });
    let (settled, diffs) = settled.map_err(|row| OverflowAt::new(rows.times.get(row[W - 1] as usize)))?;
    let order: Vec<u32> = settled.iter().map(|row| row[W - 1] as u32).collect();
    drop(settled);
    let Keyed { keys, vals, times, .. } = rows;
    let mut sorted = Keyed::<L>::empty(&keys.shape(), &vals.shape());
    sorted.diffs = diffs;
    sorted.keys.extend_gather(&keys, &order);
    drop(keys);
    sorted.vals.extend_gather(&vals, &order);
    drop(vals);
    sorted.times.extend_gather(&times, &order);
    Ok(sorted)
}
