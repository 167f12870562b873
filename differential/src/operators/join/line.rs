//! A replay of times on a line: what a side did before is the counts of its values, and no times.
//!
//! ```text
//!   held by left      a 1  b 2          at whatever times before: all of them precede the step that meets them
//!   step of right     x @7  -y @7
//!
//!   left's bridge     ... | a 1 @0  b 2 @0              what is held, written out when it is met
//!   right's bridge    ... | x 1 @7  y -1 @7             the step's rows
//!   block             both of the left x both of the right: at 7, whatever stands in for the times on the left
//!
//!   few pairs         x a   x b   -y a   -y b           nothing is written: the rows are named
//! ```
//!
//! A join with an earlier time changes nothing. So counts are added up over all times, each edit once, and what is held
//! is written with one time for all of it: the least of its side, which no step that meets it comes before.
//! What is held is written again only if it changed since. So nothing that netted to zero is ever multiplied, and
//! writing costs less than what it is written for: each row of it meets at least one row of the step.
//!
//! Most histories hold few values at a time, each since one edit. So each value held has a row that *stands in* for
//! it: the edit that brought it from nothing, whose diff is its count; or, once another edit changed that count, a row
//! written when it is met. A step that makes few pairs names rows, and writes nothing.
//!
//! Invariant: `held` lists the values whose count is not zero, each once. Rows written since the last `settle` have
//! their values and diffs, and get their times all together at the end of `advance`, by the rows that have them.
//! Cost: a sort of numbers, then a few words an edit and a row an output; memory of a count and a place a value.
//! Why not only this form: in a plane a count has no meaning, since two edits may both come before a third and not each
//! other.
//! Tested in `join_laws.rs`.

use std::ops::Range;

use super::blocks::JoinBlocks;
use super::bridge::{Edits, GROWTH_ROWS, JoinBridge};
use super::by_time::TimeOrder;
use crate::diff::{Diff, Overflow, OverflowAt};
use crate::time::{Side, Time, TimeColumn};

/// A step that makes no more than this many pairs names their rows. Tests do both.
const FEW_PAIRS: usize = if cfg!(test) { 2 } else { 16 };
/// The row of a value for which none stands in.
const NO_ROW: u32 = u32::MAX;

/// The counts of one side's values so far.
struct Held<R> {
    /// The number of the key's first value.
    first: u32,
    /// The count of each value of the key.
    counts: Vec<R>,
    /// Where each value is in the lists of values that are held.
    places: Vec<u32>,
    /// The values whose count is not zero, in no order.
    values: Vec<u32>,
    /// For each of these, a row of the bridge with that value and count, and a time before all that is to come.
    rows: Vec<u32>,
}

impl<R: Diff> Held<R> {
    /// Begins with a key's values, numbered from `first` to `last`.
    fn restart(&mut self, first: u32, last: u32) {
        let values = (last - first) as usize + 1;
        self.first = first;
        self.counts.clear();
        self.counts.resize(values, R::zero());
        self.places.clear();
        self.places.resize(values, 0);
        self.values.clear();
        self.rows.clear();
    }

    fn count(&self, value: u32) -> &R {
        &self.counts[(value - self.first) as usize]
    }

    /// Adds an edit, which is `row` of the bridge.
    fn add(&mut self, value: u32, diff: &R, row: u32) -> Result<(), Overflow> {
        let index = (value - self.first) as usize;
        let count = &mut self.counts[index];
        let was_held = !count.is_zero();
        *count = count.plus(diff)?;
        let place = self.places[index] as usize;
        match (was_held, !count.is_zero()) {
            (false, true) => {
                self.places[index] = self.values.len() as u32;
                self.values.push(value);
                self.rows.push(row);
            }
            (true, true) => self.rows[place] = NO_ROW,
            (true, false) => {
                self.values.swap_remove(place);
                self.rows.swap_remove(place);
                if let Some(&moved) = self.values.get(place) {
                    self.places[(moved - self.first) as usize] = place as u32;
                }
            }
            (false, false) => {}
        }
        Ok(())
    }

    /// Forgets the rows from `end` on: they are cut off.
    fn forget_rows(&mut self, end: u32) {
        self.rows.iter_mut().filter(|row| **row >= end).for_each(|row| *row = NO_ROW);
    }
}

/// One side of a replay.
struct Track<T: Time, R: Diff> {
    /// The key's rows in order of time.
    order: TimeOrder,
    /// The next of them.
    next: usize,
    held: Held<R>,
    /// Where in the bridge what is held is written, unless it changed since.
    written: Option<Range<u32>>,
    /// For each row written since the last `settle` that has no time yet, the row whose time it gets.
    untimed: Vec<u32>,
    spare: T::Column,
}

impl<T: Time, R: Diff> Default for Track<T, R> {
    fn default() -> Self {
        let held = Held { first: 0, counts: Vec::new(), places: Vec::new(), values: Vec::new(), rows: Vec::new() };
        Track {
            order: TimeOrder::default(),
            next: 0,
            held,
            written: None,
            untimed: Vec::new(),
            spare: Default::default(),
        }
    }
}

impl<T: Time, R: Diff> Track<T, R> {
    fn load(&mut self, edits: &Edits<T, R>, line: Side<'_, u64>, rows: Range<u32>) {
        // Rows are in order of their values.
        self.held.restart(edits.values[rows.start as usize], edits.values[rows.end as usize - 1]);
        self.order.sort(line, rows);
        self.next = 0;
        self.written = None;
    }

    /// When the next step is, if there is one.
    fn peek(&self) -> Option<u64> {
        self.order.edits.get(self.next).map(|&(time, _)| time)
    }

    /// Where the next step ends in the order of time.
    fn step_end(&self) -> usize {
        let time = self.order.edits[self.next].0;
        self.next + self.order.edits[self.next..].iter().take_while(|edit| edit.0 == time).count()
    }

    /// Writes what is held at the end of the bridge, if it is not written yet; where it is.
    fn write_held(&mut self, edits: &mut Edits<T, R>) -> Range<u32> {
        let written = self.written.get_or_insert_with(|| {
            let start = edits.len() as u32;
            let (least, held) = (self.order.edits[0].1, &self.held);
            edits.values.extend_from_slice(&held.values);
            held.values.iter().for_each(|&value| edits.diffs.push(held.count(value).clone()));
            self.untimed.extend(std::iter::repeat_n(least, held.values.len()));
            start..edits.len() as u32
        });
        written.clone()
    }

    /// Writes a row for each value held that has none.
    fn write_missing(&mut self, edits: &mut Edits<T, R>) {
        let least = self.order.edits[0].1;
        for place in 0..self.held.rows.len() {
            if self.held.rows[place] == NO_ROW {
                let value = self.held.values[place];
                self.held.rows[place] = edits.len() as u32;
                edits.values.push(value);
                edits.diffs.push(self.held.count(value).clone());
                self.untimed.push(least);
            }
        }
    }

    /// Writes the rows of the next step at the end of the bridge.
    fn write_step(&mut self, edits: &mut Edits<T, R>, end: usize) -> Range<u32> {
        let start = edits.len() as u32;
        for &(_, row) in &self.order.edits[self.next..end] {
            edits.values.push(edits.values[row as usize]);
            edits.diffs.push(edits.diffs.get(row as usize).clone());
            self.untimed.push(row);
        }
        start..edits.len() as u32
    }

    /// Adds the next step to what is held.
    fn hold_step(&mut self, edits: &Edits<T, R>, end: usize) -> Result<(), OverflowAt<T>> {
        for &(_, row) in &self.order.edits[self.next..end] {
            let added = self.held.add(edits.values[row as usize], &edits.diffs.get(row as usize), row);
            added.map_err(|_| OverflowAt::new(edits.times.get(row as usize)))?;
        }
        self.written = None;
        Ok(())
    }

    /// Goes on after what was written is cut off.
    fn settle(&mut self, bridge: &mut JoinBridge<T, R>) {
        bridge.truncate_to_staged();
        self.written = None;
        self.held.forget_rows(bridge.edits.len() as u32);
    }

    /// Gives the rows written their times.
    fn write_times(&mut self, edits: &mut Edits<T, R>) {
        self.spare.clear();
        self.spare.extend_gather(&edits.times, &self.untimed);
        edits.times.extend_range(&self.spare, 0..self.untimed.len());
        self.untimed.clear();
    }
}

/// Makes the next step of `mover`: its rows and those that they meet, each with each; or none, if they were few and were
/// added to the lists.
fn meet_held<T: Time, R: Diff, S: Diff>(
    (mover, edits, rows): (&mut Track<T, R>, &mut Edits<T, R>, &mut Vec<u32>),
    (other, other_edits, other_rows): (&mut Track<T, S>, &mut Edits<T, S>, &mut Vec<u32>),
) -> Result<(Range<u32>, Range<u32>), OverflowAt<T>> {
    let end = mover.step_end();
    let mut met = (0..0, 0..0);
    if (end - mover.next) * other.held.values.len() > FEW_PAIRS {
        met = (mover.write_step(edits, end), other.write_held(other_edits));
    } else {
        other.write_missing(other_edits);
        for &(_, row) in &mover.order.edits[mover.next..end] {
            for &held in &other.held.rows {
                rows.push(row);
                other_rows.push(held);
            }
        }
    }
    // Nobody asks for what is held once the other side is through.
    if other.peek().is_some() {
        mover.hold_step(edits, end)?;
    }
    mover.next = end;
    Ok(met)
}

/// The replay of one key whose times are on a line.
pub(super) struct Line<T: Time, RA: Diff, RB: Diff> {
    left: Track<T, RA>,
    right: Track<T, RB>,
}

impl<T: Time, RA: Diff, RB: Diff> Default for Line<T, RA, RB> {
    fn default() -> Self {
        Line { left: Track::default(), right: Track::default() }
    }
}

impl<T: Time, RA: Diff, RB: Diff> Line<T, RA, RB> {
    /// Begins with a key's rows on both sides, none of them empty, and where on the line each row of a bridge is.
    pub(super) fn load(
        &mut self,
        (left, left_line, left_rows): (&Edits<T, RA>, Side<'_, u64>, Range<u32>),
        (right, right_line, right_rows): (&Edits<T, RB>, Side<'_, u64>, Range<u32>),
    ) {
        self.left.load(left, left_line, left_rows);
        self.right.load(right, right_line, right_rows);
    }

    /// Goes on after all blocks made so far went out.
    pub(super) fn settle(&mut self, left: &mut JoinBridge<T, RA>, right: &mut JoinBridge<T, RB>) {
        self.left.settle(left);
        self.right.settle(right);
    }

    /// Makes blocks of the steps to come; whether all are made. If not, a bridge has grown enough.
    pub(super) fn advance(
        &mut self,
        key: u32,
        left: &mut JoinBridge<T, RA>,
        right: &mut JoinBridge<T, RB>,
        blocks: &mut JoinBlocks,
    ) -> Result<bool, OverflowAt<T>> {
        let mut paired = std::mem::take(&mut blocks.paired);
        let done = loop {
            let left_first = match (self.left.peek(), self.right.peek()) {
                (None, None) => break true,
                (Some(a), Some(b)) => a <= b,
                (next, _) => next.is_some(),
            };
            if left.appended().max(right.appended()).max(paired.0.len()) > GROWTH_ROWS {
                break false;
            }
            let left_side = (&mut self.left, &mut left.edits, &mut paired.0);
            let right_side = (&mut self.right, &mut right.edits, &mut paired.1);
            let (left_rows, right_rows) = if left_first {
                meet_held(left_side, right_side)?
            } else {
                let (rows, met) = meet_held(right_side, left_side)?;
                (met, rows)
            };
            blocks.push_cross(key, left_rows, right_rows);
        };
        blocks.paired = paired;
        blocks.end_pairs(key);
        self.left.write_times(&mut left.edits);
        self.right.write_times(&mut right.edits);
        Ok(done)
    }
}
