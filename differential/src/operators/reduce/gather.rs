//! One subject's history out of all batches, with ranks in place of values.
//!
//! ```text
//!   batch 0   key: a@1 +1, c@1 +1        values  a b c        edits  (0, 1, +1) (2, 1, +1)
//!   batch 1   key: b@2 +1, c@3 -1                                    (1, 2, +1) (2, 3, -1)
//! ```
//!
//! A *rank* is a value's place among the key's values in ascending order: the mathematics compares ranks, and only the
//! user's logic sees values. Times are joined with the floor of the times due as they are read, since nobody looks at a
//! time before: so a long history collapses.

use std::ops::Range;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::due::Lent;
use crate::batch::Batch;
use crate::column::Column;
use crate::diff::{Diff, Overflow};
use crate::history::Edits;
use crate::layout::{Keys, Layout, Val, Vals};
use crate::time::{Frontier, Point, TimeColumn};

/// A list that is nearly always short: what one key has of values.
pub(super) type Few<T> = SmallVec<[T; 4]>;

/// The batches of a trace, and where in each of them the subjects of a chunk are.
pub(super) struct History<L: Layout> {
    batches: Vec<Arc<Batch<L>>>,
    /// For each batch, for each subject of the chunk: the least key row at or past it; of a row, the value row that is it,
    /// or [`NONE`].
    rows: Vec<u32>,
    /// How many subjects the chunk has.
    count: usize,
    /// For each batch, where the chunk before ended.
    from: SmallVec<[u32; 8]>,
}

/// Which batches hold a subject.
pub(super) enum Holders<'a, L: Layout> {
    None,
    /// One, and the rows of its values there.
    One(&'a Batch<L>, Range<usize>),
    Several,
}

/// No row of a batch.
const NONE: u32 = u32::MAX;

impl<L: Layout> History<L> {
    pub(super) fn new(batches: Vec<Arc<Batch<L>>>) -> Self {
        History { rows: Vec::new(), count: 0, from: smallvec![0; batches.len()], batches }
    }

    /// Finds the subjects of the next chunk, all at once: the misses of the cache that searching costs overlap then.
    pub(super) fn find(&mut self, keys: &Keys<L>, vals: Option<&Vals<L>>, chunk: Range<usize>) {
        self.count = chunk.len();
        self.rows.clear();
        self.rows.reserve(self.batches.len() * chunk.len());
        for (batch, from) in self.batches.iter().zip(&mut self.from) {
            let start = self.rows.len();
            batch.seek_all(*from as usize, keys, chunk.clone(), &mut self.rows);
            *from = self.rows.last().copied().unwrap_or(*from);
            if let Some(vals) = vals {
                narrow(batch, keys, vals, chunk.clone(), &mut self.rows[start..]);
            }
        }
    }

    /// Whether there are no batches.
    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Whether all diffs of a subject, number `at` of the chunk, are positive.
    pub(super) fn inserts_only(&self, at: usize, subject: Lent<'_, L>) -> bool {
        self.batches.iter().enumerate().all(|(place, batch)| {
            let updates = self.found(place, at, subject).map(|vals| batch.updates_of(vals));
            batch.diffs().side().all(updates.unwrap_or(0..0), |diff| *diff > L::Diff::zero())
        })
    }

    /// Where a subject, number `at` of the chunk, is held: `None` if nowhere, and the rest if in more than one batch.
    #[inline]
    pub(super) fn holders(&self, at: usize, subject: Lent<'_, L>) -> Holders<'_, L> {
        let mut only = None;
        for (place, batch) in self.batches.iter().enumerate() {
            if let Some(vals) = self.found(place, at, subject)
                && only.replace((&**batch, vals)).is_some()
            {
                return Holders::Several;
            }
        }
        only.map_or(Holders::None, |(batch, vals)| Holders::One(batch, vals))
    }

    /// Where a batch holds a subject, number `at` of the chunk: the rows of its values.
    #[inline]
    fn found(&self, batch: usize, at: usize, (key, val): Lent<'_, L>) -> Option<Range<usize>> {
        let row = self.rows[batch * self.count + at];
        let batch = &*self.batches[batch];
        if val.is_none() {
            let row = row as usize;
            let found = row < batch.keys().len() && batch.keys().compare_item(row, key).is_eq();
            return found.then(|| batch.vals_of(batch.run(row)));
        }
        if row == NONE {
            return None;
        }
        let (start, mut end) = (row as usize, row as usize + 1);
        // More than once where the batch is flat.
        while batch.is_flat() && end < batch.len() && batch.same_pair(start, end) {
            end += 1;
        }
        Some(start..end)
    }
}

/// From the least key row at or past each row of a chunk to the value row that is it, if there is one. Rows of a key
/// ascend, so each value is searched for from where the one before was.
fn narrow<L: Layout>(batch: &Batch<L>, keys: &Keys<L>, vals: &Vals<L>, chunk: Range<usize>, rows: &mut [u32]) {
    let (mut last, mut ahead) = (NONE, 0..0);
    for (at, found) in chunk.zip(rows) {
        let row = *found as usize;
        if *found != last {
            last = *found;
            ahead = if row < batch.keys().len() { batch.vals_of(batch.run(row)) } else { 0..0 };
        }
        *found = NONE;
        if ahead.is_empty() || batch.keys().compare(row, keys, at).is_ne() {
            continue;
        }
        ahead.start = batch.seek_val(ahead.clone(), vals.get(at));
        if !ahead.is_empty() && batch.vals().compare(ahead.start, vals, at).is_eq() {
            *found = ahead.start as u32;
        }
    }
}

/// Reads the history of a subject, number `at` of a chunk: its values in order, and its edits by rank.
pub(super) fn gather<'a, L: Layout<Time = Point>>(
    history: &'a History<L>,
    at: usize,
    subject: Lent<'_, L>,
    floor: &Point,
    values: &mut Few<Val<'a, L>>,
    edits: &mut Edits<Point, L::Diff>,
) {
    values.clear();
    edits.clear();
    let mut sources = 0;
    for (place, batch) in history.batches.iter().enumerate() {
        let Some(vals) = history.found(place, at, subject) else { continue };
        sources += 1;
        let mut last = None;
        for val in vals {
            let value = batch.vals().get(val);
            // Within a batch values ascend, and repeat where it is flat.
            if last != Some(value) {
                values.push(value);
                last = Some(value);
            }
            for update in batch.updates_of(val..val + 1) {
                let time = batch.times().get_joined(update, floor);
                edits.push(values.len() as u32 - 1, time, batch.diffs().get(update).clone());
            }
        }
    }
    if sources > 1
        && let Some(renamed) = rank(values)
    {
        edits.rename(|rank| renamed[rank as usize]);
    }
}

/// As [`gather`], read at one time: of each batch, each value that it does not leave as it was by then, and by how much.
/// Lowers `later` to the joins of `time` with all times of the history that do not precede it; how many edits there are.
///
/// Values are added up before they are ranked: in a loop whose rounds replace one value by the next, all but the last have
/// gone by the time that they would be sorted.
///
/// # Errors
/// A sum of diffs overflows.
pub(super) fn gather_at<'a, L: Layout<Time = Point>>(
    history: &'a History<L>,
    at: usize,
    subject: Lent<'_, L>,
    time: &Point,
    values: &mut Few<Val<'a, L>>,
    present: &mut Vec<(u32, L::Diff)>,
    later: &mut Frontier<Point>,
) -> Result<usize, Overflow> {
    values.clear();
    let (mut sources, mut edits) = (0, 0);
    for (place, batch) in history.batches.iter().enumerate() {
        let Some(mut vals) = history.found(place, at, subject) else { continue };
        sources += 1;
        let updates = batch.updates_of(vals.clone());
        edits += updates.len();
        let all = batch.times().precede(updates, time);
        while let Some(first) = vals.next() {
            let value = batch.vals().get(first);
            // Where a batch is flat, a value repeats.
            while vals.start < vals.end && batch.vals().get(vals.start) == value {
                vals.start += 1;
            }
            let updates = batch.updates_of(first..vals.start);
            let mut diffs = updates
                .filter(|update| all || batch.times().precedes_or_joins(*update, time, later))
                .map(|update| batch.diffs().get(update));
            let Some(sum) = diffs.next() else { continue };
            let sum = diffs.try_fold(sum, |sum, diff| sum.plus(&diff))?;
            if !sum.is_zero() {
                values.push(value);
                present.push((values.len() as u32 - 1, sum));
            }
        }
    }
    if sources > 1
        && let Some(renamed) = rank(values)
    {
        present.iter_mut().for_each(|(rank, _)| *rank = renamed[*rank as usize]);
    }
    Ok(edits)
}

/// Puts values of several batches in order, each once; what each rank became, if any did change.
fn rank<V: Ord + Copy>(values: &mut Few<V>) -> Option<SmallVec<[u32; 16]>> {
    if values.is_sorted_by(|a, b| a < b) {
        return None;
    }
    if values.iter().all(|value| *value == values[0]) {
        let renamed = smallvec![0; values.len()];
        values.truncate(1);
        return Some(renamed);
    }
    let mut order: SmallVec<[u32; 16]> = (0..values.len() as u32).collect();
    order.sort_unstable_by_key(|&at| values[at as usize]);
    let mut renamed: SmallVec<[u32; 16]> = smallvec![0; values.len()];
    let mut distinct = Few::with_capacity(values.len());
    for at in order {
        let value = values[at as usize];
        if distinct.last() != Some(&value) {
            distinct.push(value);
        }
        renamed[at as usize] = distinct.len() as u32 - 1;
    }
    *values = distinct;
    Some(renamed)
}

#[cfg(test)]
#[path = "gather_laws.rs"]
mod gather_laws;
