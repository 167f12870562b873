//! The least or the greatest value of each key, where times are totally ordered: a search in what is there.
//!
//! ```text
//!   sums of pairs   (a, 3) 1   (a, 7) 2   (b, 1) 0   (b, 4) 1   (b, 9) 1
//!   least            ^ of a                           ^ of b                  the first of the key's whose sum is positive
//!
//!   (b, 2) +1        comes before the least there was:  (b, 4) -1   (b, 2) +1
//!   (b, 9) -1        was not the least:                 nothing
//!   (b, 4) -1        was the least:                     a search for what is least now
//! ```
//!
//! No history is kept, as for functions of one record's count (see [above](super)): the pairs with their sums are enough,
//! in order, for the first of a key is beside the key. So a change costs the same whatever the size of its group.
//!
//! Unlike functions of one record's count, what a change at one pair does depends on the key's other pairs. So all of a
//! key's changes in an interval are taken together, time after time; a piece of a sorted interval is cut between keys, and
//! what is left waits for the next piece.
//!
//! Cost: of a change, a search for its pair and one for what its key's end was; another search where that is gone. Sums of
//! zero at the end of a group are passed one by one: at most half a leaf of them in a row, as [`Sums`] sees to.

use std::collections::BTreeMap;

use super::sums::Sums;
use crate::collection::{Changes, Collection, exchanged};
use crate::column::{Column, Data, Lent};
use crate::diff::Diff;
use crate::error::Fault;
use crate::layout::Rows;
use crate::operators::collecting::Collecting;
use crate::region::{Input, Node, Output, SlotRule, Visit};
use crate::time::{Frontier, Point, TimeColumn};
use crate::updates::{Keyed, Updates};

/// Units of fuel for a row: two searches and what it emits.
const ROW_UNITS: u64 = 24;

/// Which end of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::operators) enum End {
    Least,
    Greatest,
}

type Pairs<K, V, R> = Keyed<Rows<K, V, Point, R>>;

/// For each key, the value at this end of those whose count is positive. Only where times are totally ordered.
pub(in crate::operators) fn extremes<K: Data, V: Data, R: Diff>(
    source: &Collection<(K, V), R>,
    name: &str,
    end: End,
) -> Collection<(K, V)> {
    let scope = source.scope();
    assert_eq!(scope.depth(), 1, "times of several coordinates are ordered partially");
    let region = scope.region();
    let hashes = |data: &<(K, V) as Data>::Column, hashes: &mut Vec<u64>| data.0.hashes(0..data.0.len(), hashes);
    let placed = exchanged(region, "exchange by key", &source.shape, &source.stream, hashes);
    let node = region.reserve(name, scope.depth(), SlotRule::Meet);
    let input = region.connect(node, &placed);
    let (output, stream) = region.output(node);
    let shape = source.shape.clone();
    let ends = Ends { sums: Sums::new(&shape), end, output };
    region.install(node, Extremes { input, collecting: Collecting::new(), ends });
    Collection { stream, scope: scope.clone(), shape, settled: true, gathered: false }
}

struct Extremes<K: Data, V: Data, R: Diff> {
    input: Input<Changes<(K, V), R>>,
    collecting: Collecting<Rows<K, V, Point, R>>,
    ends: Ends<K, V, R>,
}

/// The sums of all pairs, and where what becomes of their ends goes.
struct Ends<K: Data, V: Data, R: Diff> {
    sums: Sums<(K, V), R>,
    end: End,
    output: Output<Changes<(K, V), i64>>,
}

/// What becomes of a key at one time.
struct Change {
    /// The first row of its changes.
    first: usize,
    /// Where its end is kept that was, if there was one.
    was: Option<usize>,
    /// Whether that is gone.
    lost: bool,
    /// The row nearest to the end of those that appeared.
    gained: Option<usize>,
}

impl<K: Data, V: Data, R: Diff> Node for Extremes<K, V, R> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(Updates { data: (keys, vals), times, diffs }) = self.input.next() {
            self.collecting.push(Keyed { keys, vals, times, diffs });
        }
        let Extremes { collecting, ends, .. } = self;
        collecting.rows(visit, |rows, last, fuel| {
            let Some(rows) = whole_keys(rows, last) else { return Ok(()) };
            fuel.take(ROW_UNITS * rows.len() as u64);
            ends.add_all(rows)
        })
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.collecting.holds(holds);
    }
}

/// Takes the rows of all keys, or, as long as more rows follow, of all but the last.
fn whole_keys<K: Data, V: Data, R: Diff>(rows: &mut Pairs<K, V, R>, last: bool) -> Option<Pairs<K, V, R>> {
    let keys = &rows.keys;
    let end = if last {
        rows.len()
    } else {
        let row = rows.len() - 1;
        // Nothing is copied again and again of a key that is as long as several pieces.
        if keys.compare(0, keys, row).is_eq() {
            return None;
        }
        partition_point(row, |at| keys.compare(at, keys, row).is_lt())
    };
    let (key_shape, val_shape) = rows.shapes();
    let mut rest = Keyed::empty(&key_shape, &val_shape);
    rest.extend_range(rows, end..rows.len());
    let mut whole = std::mem::replace(rows, rest);
    if end < whole.len() {
        let mut cut = Keyed::empty(&key_shape, &val_shape);
        cut.extend_range(&whole, 0..end);
        whole = cut;
    }
    Some(whole)
}

/// The least of the rows below `end` for which `is_before` does not hold; it holds for all before that.
fn partition_point(end: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

impl<K: Data, V: Data, R: Diff> Ends<K, V, R> {
    /// Adds rows, all of which are complete and all of their keys, and sends what that changes.
    fn add_all(&mut self, rows: Pairs<K, V, R>) -> Result<(), Fault> {
        if let Some(time) = rows.times.uniform() {
            return self.add(&time, rows);
        }
        let mut by_time = BTreeMap::<Point, Vec<u32>>::new();
        (0..rows.len() as u32).for_each(|row| by_time.entry(rows.times.get(row as usize)).or_default().push(row));
        by_time.into_iter().try_for_each(|(time, of_time)| self.add(&time, rows.gathered(&of_time)))
    }

    /// Adds rows of one time, in order, each pair once.
    fn add(&mut self, time: &Point, rows: Pairs<K, V, R>) -> Result<(), Fault> {
        let Ends { sums, end, output } = self;
        let pairs = (rows.keys, rows.vals);
        let (keys, vals) = &pairs;
        let mut was = V::Column::empty(&vals.shape());
        let mut changes: Vec<Change> = Vec::new();
        for row in 0..keys.len() {
            if changes.last().is_some_and(|change| keys.compare(change.first, keys, row).is_eq()) {
                continue;
            }
            let kept = sums.end_of(keys.get(row), *end).map(|value| {
                was.push(value);
                was.len() - 1
            });
            changes.push(Change { first: row, was: kept, lost: false, gained: None });
        }

        let mut at = 0;
        let added = sums.add(&pairs, &rows.diffs, |row, before, after| {
            while changes.get(at + 1).is_some_and(|next| next.first <= row) {
                at += 1;
            }
            let change = &mut changes[at];
            match (*before > R::zero(), *after > R::zero()) {
                (false, true) if *end == End::Greatest || change.gained.is_none() => change.gained = Some(row),
                (true, false) => change.lost |= change.was.is_some_and(|was_at| was.compare(was_at, vals, row).is_eq()),
                _ => {}
            }
            Ok(())
        });
        added.map_err(|(_, fault)| fault.at(time.clone()))?;

        let mut parcel = output.spare();
        let made = parcel.get_or_insert_with(|| Updates::empty(&pairs.shape()));
        for Change { first, was: was_at, lost, gained } in changes {
            let key = keys.get(first);
            let nearer = |row: usize| match (was_at, *end) {
                (None, _) => true,
                (Some(was_at), End::Least) => vals.compare(row, &was, was_at).is_lt(),
                (Some(was_at), End::Greatest) => vals.compare(row, &was, was_at).is_gt(),
            };
            let is = match gained {
                Some(row) if nearer(row) => Some(vals.get(row)),
                _ if lost => sums.end_of(key, *end),
                _ => continue,
            };
            let was = was_at.map(|was_at| was.get(was_at));
            for (value, diff) in was.into_iter().map(|value| (value, -1)).chain(is.map(|value| (value, 1))) {
                made.data.0.push(key);
                made.data.1.push(value);
                made.times.push(time);
                made.diffs.push(diff);
            }
        }
        if !made.is_empty() {
            output.ship(parcel);
        }
        Ok(())
    }
}

impl<K: Data, V: Data, R: Diff> Sums<(K, V), R> {
    /// The value at one end of those of a key whose sum is positive.
    fn end_of(&self, key: Lent<'_, K>, end: End) -> Option<Lent<'_, V>> {
        let bounds = &self.bounds.0;
        let before = |keys: &K::Column, row: usize| match end {
            End::Least => keys.compare_item(row, key).is_lt(),
            End::Greatest => keys.compare_item(row, key).is_le(),
        };
        // The leaf in which the key begins, or ends.
        let leaf = partition_point(bounds.len(), |row| before(bounds, row));
        let row = partition_point(self.leaves[leaf].sums.len(), |row| before(&self.leaves[leaf].records.0, row));
        let there = |leaf: usize, row: usize| {
            let leaf = &self.leaves[leaf];
            let is_key = leaf.records.0.compare_item(row, key).is_eq();
            is_key.then(|| (leaf.sums[row] > R::zero()).then(|| leaf.records.1.get(row)))
        };
        let rows = |of: usize| 0..self.leaves[of].sums.len();
        // `None` ends the search: the key has no more.
        match end {
            End::Least => {
                let first = (row..rows(leaf).end).map(|row| (leaf, row));
                let others = (leaf + 1..self.leaves.len()).flat_map(|leaf| rows(leaf).map(move |row| (leaf, row)));
                first.chain(others).map_while(|(leaf, row)| there(leaf, row)).flatten().next()
            }
            End::Greatest => {
                let first = (0..row).rev().map(|row| (leaf, row));
                let others = (0..leaf).rev().flat_map(|leaf| rows(leaf).rev().map(move |row| (leaf, row)));
                first.chain(others).map_while(|(leaf, row)| there(leaf, row)).flatten().next()
            }
        }
    }
}
