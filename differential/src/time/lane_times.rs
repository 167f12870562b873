//! A lane of `u64` as a coordinate, and as the whole column of times that have only one.
//!
//! Coordinates are totally ordered, so a join of times is a `max` a lane, and advancing by a frontier is a `max` with
//! the least of its elements' coordinates: the least over elements `e` of `max(t, e)` is `max(t, least e)`.
//!
//! Most cross joins need no `max` at all: where nothing of one side exceeds anything of the other, the result is a copy
//! of the other. That is worth a look at the rows when they are fewer than the pairs to be made.
//! Tested in `lanes_laws.rs`, against a vector of times.

use std::cmp::Ordering;
use std::ops::Range;

use super::column::HASH_FACTOR;
use super::lane::{picked, picks_of};
use super::pairs::{Block, pairs_in};
use super::written::Written;
use super::{Frontier, Lane, Origin, Pick, Side, TimeColumn};
use crate::bytes::{Malformed, Portable, Reader};

/// The range of rows that one side of the blocks lies in.
fn hull<'a>(ranges: impl Iterator<Item = &'a Range<u32>>) -> Range<usize> {
    let (start, end) = ranges
        .filter(|rows| !rows.is_empty())
        .fold((u32::MAX, 0), |(start, end), rows| (start.min(rows.start), end.max(rows.end)));
    start as usize..end as usize
}

/// The least and the greatest value of some rows, not none.
fn bounds(side: Side<'_, u64>, rows: Range<usize>) -> (u64, u64) {
    let widest = |values: &[u64]| {
        values.iter().fold((u64::MAX, 0), |(least, greatest), &value| (least.min(value), greatest.max(value)))
    };
    match side {
        Side::Same(&value) => (value, value),
        Side::Short(values) => {
            let (least, greatest) = values[rows]
                .iter()
                .fold((u16::MAX, 0), |(least, greatest), &value| (least.min(value), greatest.max(value)));
            (least.into(), greatest.into())
        }
        Side::Each(values) => widest(&values[rows]),
    }
}

/// Two sides, each replaced by one value where that leaves every `max` of a row of each as it is.
fn dominated<'a>(left: Side<'a, u64>, right: Side<'a, u64>, blocks: &[Block]) -> (Side<'a, u64>, Side<'a, u64>) {
    if matches!((left, right), (Side::Same(_), Side::Same(_))) {
        return (left, right);
    }
    let left_hull = hull(blocks.iter().map(|(rows, _)| rows));
    let right_hull = hull(blocks.iter().map(|(_, rows)| rows));
    if left_hull.is_empty() || right_hull.is_empty() || pairs_in(blocks) < left_hull.len() + right_hull.len() {
        return (left, right);
    }
    let (left_least, left_greatest) = bounds(left, left_hull);
    let (right_least, right_greatest) = bounds(right, right_hull);
    if left_greatest <= right_least {
        (Side::Same(&0), right)
    } else if right_greatest <= left_least {
        (left, Side::Same(&0))
    } else {
        (left, right)
    }
}

impl Written<u64> {
    /// Raises each of the rows to at least `bound`.
    fn raise(&mut self, rows: Range<usize>, bound: u64) {
        if let (Some(values), Some(bound)) = (self.shorts(), bound.short()) {
            values[rows].iter_mut().for_each(|value| *value = (*value).max(bound));
        } else {
            self.widen()[rows].iter_mut().for_each(|value| *value = (*value).max(bound));
        }
    }
}

impl Lane<u64> {
    /// Raises each of the rows to at least `bound`. All of them at or below it make the lane one value again: so it
    /// is with the epochs of a history that is compacted.
    pub(super) fn raise(&mut self, rows: Range<usize>, bound: u64) {
        let all = rows.len() == self.len();
        match self.side() {
            _ if rows.is_empty() => {}
            Side::Same(&value) if value >= bound => {}
            Side::Same(_) if all => self.update(|value| *value = bound),
            side if all && side.all(0..rows.len(), |&value| value <= bound) => {
                self.clear();
                self.push_repeat(bound, rows.len());
            }
            _ => self.spread_out().raise(rows, bound),
        }
    }

    /// Appends a range of another lane's rows, each raised to at least `bound`.
    #[inline]
    pub(super) fn extend_raised(&mut self, other: &Self, rows: Range<usize>, bound: u64) {
        match other.side() {
            Side::Same(value) => self.push_repeat(bound.max(*value), rows.len()),
            side if rows.len() == 1 => self.push(bound.max(side.get(rows.start))),
            Side::Short(values) if let Some(bound) = bound.short() => {
                self.extend_shorts(values[rows].iter().map(|&value| bound.max(value)));
            }
            side => self.extend_each(rows.map(|row| bound.max(side.get(row)))),
        }
    }

    /// Appends a row for each pick, as [`extend_picked`](Lane::extend_picked) does, raised to at least `bound`.
    pub(super) fn extend_picked_raised(
        &mut self,
        (a, a_at): (Side<'_, u64>, usize),
        (b, b_at): (Side<'_, u64>, usize),
        picks: &[Pick],
        bound: u64,
    ) {
        match (a, b) {
            (Side::Same(a), Side::Same(b)) if bound.max(*a) == bound.max(*b) => {
                return self.push_repeat(bound.max(*a), picks.len());
            }
            _ => {}
        }
        if let (Some(a), Some(b), Some(bound)) = (a.shorts(), b.shorts(), bound.short()) {
            let raised = picked((a.masked(), a_at), (b.masked(), b_at), picks).map(|value| bound.max(*value));
            self.extend_shorts(raised);
        } else {
            let sides = [a, b];
            self.extend_each(picks_of(a_at, b_at, picks).map(|(side, row)| bound.max(sides[side].get(row))));
        }
    }

    /// The least value of a range of rows, not none.
    pub(super) fn least(&self, rows: Range<usize>) -> u64 {
        bounds(self.side(), rows).0
    }

    /// The cross of two lanes under `max`.
    pub(super) fn extend_cross_max(&mut self, left: Side<'_, u64>, right: Side<'_, u64>, blocks: &[Block]) {
        let (left, right) = dominated(left, right, blocks);
        self.extend_cross(left, right, blocks, |a, b| *a.max(b));
    }
}

impl TimeColumn<u64> for Lane<u64> {
    fn len(&self) -> usize {
        Lane::len(self)
    }

    fn clear(&mut self) {
        Lane::clear(self);
    }

    fn truncate(&mut self, len: usize) {
        Lane::truncate(self, len);
    }

    fn fit(&mut self) {
        Lane::fit(self);
    }

    fn get(&self, row: usize) -> u64 {
        Lane::get(self, row)
    }

    fn push(&mut self, time: &u64) {
        Lane::push(self, *time);
    }

    fn push_repeat(&mut self, time: &u64, count: usize) {
        Lane::push_repeat(self, *time, count);
    }

    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        Lane::extend_range(self, other, rows);
    }

    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        Lane::extend_gather(self, other, rows);
    }

    fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
        Lane::insert_rows(self, other, places);
    }

    fn remove_rows(&mut self, rows: &[u32]) {
        Lane::remove_rows(self, rows);
    }

    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        Lane::extend_repeat(self, other, row, count);
    }

    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        Lane::get(self, row).cmp(&Lane::get(other, other_row))
    }

    fn hash(&self, row: usize) -> u64 {
        Lane::get(self, row).wrapping_mul(HASH_FACTOR)
    }

    fn admitted(&self, row: usize, frontier: &Frontier<u64>) -> bool {
        frontier.admits(&Lane::get(self, row))
    }

    fn uniform(&self) -> Option<u64> {
        Lane::uniform(self).copied()
    }

    fn line<'a>(&'a self, _: Range<usize>, other: &'a Self, _: Range<usize>) -> Option<(Side<'a, u64>, Side<'a, u64>)> {
        Some((self.side(), other.side()))
    }

    fn join_rows(&mut self, rows: Range<usize>, time: &u64) {
        self.raise(rows, *time);
    }

    fn advance_rows(&mut self, rows: Range<usize>, frontier: &Frontier<u64>) {
        if let [least] = frontier.elements() {
            self.raise(rows, *least);
        }
    }

    fn extend_origins(&mut self, [a, b]: [&Self; 2], origins: &[Origin]) {
        Lane::extend_origins(self, &[a.side(), b.side()], origins);
    }

    fn lower_into(&self, rows: Range<usize>, frontier: &mut Frontier<u64>) {
        if !rows.is_empty() {
            frontier.insert(self.least(rows));
        }
    }

    fn extend_cross_join(&mut self, left: &Self, right: &Self, blocks: &[Block]) {
        self.extend_cross_max(left.side(), right.side(), blocks);
    }

    fn extend_zip_join(&mut self, left: &Self, left_rows: Range<usize>, right: &Self, right_rows: Range<usize>) {
        self.extend_zip((left.side(), left_rows), (right.side(), right_rows), |a, b| *a.max(b));
    }

    fn bytes_len(&self) -> usize {
        Lane::bytes_len(self)
    }

    fn write_bytes(&self, into: &mut Vec<u8>) {
        Lane::write_bytes(self, into);
    }

    fn read_bytes(rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Lane::read_bytes(rows, from)
    }

    fn heap_bytes(&self) -> usize {
        Lane::heap_bytes(self)
    }
}
