//! A column of points: a lane a coordinate.
//!
//! ```text
//!   [3] [3,1] [3,2] [3,1]      epoch   3 x 4 rows
//!                              round   0 1 2 1
//! ```
//!
//! Every bulk operation is the lane's, once for each coordinate: a join is a `max`, and a lane in which all rows agree
//! stays one value and a length. No row becomes an owned [`Point`] on the way.
//!
//! Invariant: every lane has one value a row. Coordinates without a lane are zero in every row, so pushing a deeper
//! point adds a lane of zeros first; a column never loses a lane but is none the worse for it.
//! Cost: a uniform lane costs nothing a row. Why not a vector of points: ten times slower to join (forty bytes a time,
//! and its length to look at), and nothing is ever uniform.
//! Tested in `lanes_laws.rs`, against a vector of points; a counter there shows that bulk operations make no owned ones.

use std::cmp::Ordering;
use std::ops::Range;

use smallvec::SmallVec;

use super::column::HASH_FACTOR;
use super::pairs::{Block, pairs_in};
use super::{Frontier, Lane, Origin, Pick, Point, Side, TimeColumn};
use crate::bytes::{Malformed, Portable, Reader};

/// A list of points, stored as a lane a coordinate.
///
/// ```
/// use differential::time::{Lanes, Point, TimeColumn};
/// let mut times = Lanes::default();
/// times.push_repeat(&Point::from(3), 1_000_000);
/// times.join_rows(0..1_000_000, &Point::from([2, 1]));
/// assert_eq!(times.uniform(), Some(Point::from([3, 1]))); // still two numbers and a length
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    len: usize,
    lanes: SmallVec<[Lane<u64>; 2]>,
}

#[cfg(test)]
thread_local! {
    /// How many owned points this thread has taken out of lanes or pushed into them, one at a time.
    pub(crate) static OWNED_EXITS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Lanes {
    /// The lanes, outermost coordinate first. Coordinates past the last one are zero.
    pub fn lanes(&self) -> &[Lane<u64>] {
        &self.lanes
    }

    /// The coordinate of `row` at `index`.
    fn coordinate(&self, row: usize, index: usize) -> u64 {
        self.lanes.get(index).map_or(0, |lane| lane.get(row))
    }

    /// The lane at `index`, as a side of a pair.
    fn side(&self, index: usize) -> Side<'_, u64> {
        // An empty lane is no value at all: zero reads the same.
        self.lanes.get(index).filter(|lane| !lane.is_empty()).map_or(Side::Same(&0), Lane::side)
    }

    /// Adds lanes of zeros until there are `depth`.
    #[inline]
    fn deepen(&mut self, depth: usize) {
        if self.lanes.len() < depth {
            self.lanes.resize_with(depth, || Lane::repeat(0, self.len));
        }
    }

    /// Adds lanes of zeros until there are as many as another column or a point has coordinates.
    #[inline]
    fn deepen_to(&mut self, other: &Self, floor: &Point) {
        self.deepen(other.lanes.len());
        if !floor.is_within(self.lanes.len()) {
            self.deepen(floor.coordinates().len());
        }
    }

    /// The lane at `index`, written out if the column was not that deep.
    pub(super) fn lane_mut(&mut self, index: usize) -> &mut Lane<u64> {
        self.deepen(index + 1);
        &mut self.lanes[index]
    }

    /// Drops the lanes from `depth` on.
    pub(super) fn keep(&mut self, depth: usize) {
        self.lanes.truncate(depth);
    }

    /// The point of `row`.
    fn point(&self, row: usize) -> Point {
        debug_assert!(row < self.len, "row {row} of {}", self.len);
        Point::default().join_coordinates(self.lanes.iter().map(|lane| lane.get(row)))
    }

    /// The last row whose coordinates are least in the total order, if one lane at most is written out: it precedes
    /// every other.
    fn least_of_one_lane(&self, rows: Range<usize>) -> Option<Point> {
        let spread = self.lanes.iter().filter(|lane| lane.uniform().is_none()).count();
        (spread <= 1).then(|| self.lanes.iter().map(|lane| lane.least(rows.clone())).collect())
    }
}

impl TimeColumn<Point> for Lanes {
    fn len(&self) -> usize {
        self.len
    }

    fn clear(&mut self) {
        self.len = 0;
        self.lanes.iter_mut().for_each(Lane::clear);
    }

    fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.lanes.iter_mut().for_each(|lane| lane.truncate(len));
    }

    fn fit(&mut self) {
        self.lanes.iter_mut().for_each(Lane::fit);
    }

    fn get(&self, row: usize) -> Point {
        #[cfg(test)]
        OWNED_EXITS.set(OWNED_EXITS.get() + 1);
        self.point(row)
    }

    fn get_joined(&self, row: usize, floor: &Point) -> Point {
        #[cfg(test)]
        OWNED_EXITS.set(OWNED_EXITS.get() + 1);
        floor.join_coordinates(self.lanes.iter().map(|lane| lane.get(row)))
    }

    fn push(&mut self, time: &Point) {
        #[cfg(test)]
        OWNED_EXITS.set(OWNED_EXITS.get() + 1);
        if !time.is_within(self.lanes.len()) {
            self.deepen(time.coordinates().len());
        }
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.push(time.coordinate(index));
        }
        self.len += 1;
    }

    fn push_repeat(&mut self, time: &Point, count: usize) {
        self.deepen(time.coordinates().len());
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.push_repeat(time.coordinate(index), count);
        }
        self.len += count;
    }

    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        debug_assert!(rows.end <= other.len, "rows {rows:?} of {}", other.len);
        self.deepen(other.lanes.len());
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            match other.lanes.get(index) {
                Some(other) => lane.extend_range(other, rows.clone()),
                None => lane.push_repeat(0, rows.len()),
            }
        }
        self.len += rows.len();
    }

    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.deepen(other.lanes.len());
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            match other.lanes.get(index) {
                Some(other) => lane.extend_gather(other, rows),
                None => lane.push_repeat(0, rows.len()),
            }
        }
        self.len += rows.len();
    }

    fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
        self.deepen(other.lanes.len());
        let zeros = Lane::repeat(0, other.len);
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.insert_rows(other.lanes.get(index).unwrap_or(&zeros), places);
        }
        self.len += places.len();
    }

    fn remove_rows(&mut self, rows: &[u32]) {
        self.lanes.iter_mut().for_each(|lane| lane.remove_rows(rows));
        self.len -= rows.len();
    }

    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.deepen(other.lanes.len());
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.push_repeat(other.coordinate(row, index), count);
        }
        self.len += count;
    }

    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        let shared = self.lanes.len().min(other.lanes.len());
        for (lane, other) in self.lanes.iter().zip(&other.lanes) {
            let order = lane.get(row).cmp(&other.get(other_row));
            if order.is_ne() {
                return order;
            }
        }
        // Where one has no lane, it has zeros.
        let rest = |lanes: &[Lane<u64>], row: usize| lanes[shared..].iter().any(|lane| lane.get(row) > 0);
        rest(&self.lanes, row).cmp(&rest(&other.lanes, other_row))
    }

    fn hash(&self, row: usize) -> u64 {
        // A zero adds nothing, so it does not matter how many lanes of zeros there are.
        let mut factor = 1u64;
        self.lanes.iter().fold(0u64, |sum, lane| {
            factor = factor.wrapping_mul(HASH_FACTOR);
            sum.wrapping_add(lane.get(row).wrapping_mul(factor))
        })
    }

    fn admitted(&self, row: usize, frontier: &Frontier<Point>) -> bool {
        frontier.elements().iter().any(|element| {
            element.coordinates().iter().enumerate().all(|(index, &bound)| bound <= self.coordinate(row, index))
        })
    }

    #[inline]
    fn precede(&self, rows: Range<usize>, time: &Point) -> bool {
        let mut lanes = self.lanes.iter().enumerate();
        // No rows precede any time, though a lane's one value may not.
        rows.is_empty()
            || lanes.all(|(index, lane)| {
                let bound = time.coordinate(index);
                lane.side().all(rows.clone(), |value| *value <= bound)
            })
    }

    fn precedes_or_joins(&self, row: usize, time: &Point, joins: &mut Frontier<Point>) -> bool {
        let mut lanes = self.lanes.iter().enumerate();
        let precedes = lanes.all(|(index, lane)| lane.get(row) <= time.coordinate(index));
        // Mostly one of them is known to come before: then no join is made.
        let comes_before = |known: &Point| {
            let mut coordinates = known.coordinates().iter().enumerate();
            coordinates.all(|(index, known)| *known <= time.coordinate(index) || *known <= self.coordinate(row, index))
        };
        if !precedes && !joins.elements().iter().any(comes_before) {
            joins.insert(self.get_joined(row, time));
        }
        precedes
    }

    fn uniform(&self) -> Option<Point> {
        let uniform = self.len > 0 && self.lanes.iter().all(|lane| lane.uniform().is_some());
        uniform.then(|| self.point(0))
    }

    /// All coordinates but one agree in all rows.
    fn line<'a>(
        &'a self,
        rows: Range<usize>,
        other: &'a Self,
        other_rows: Range<usize>,
    ) -> Option<(Side<'a, u64>, Side<'a, u64>)> {
        let depth = self.lanes.len().max(other.lanes.len());
        let mut differing = (0..depth).map(|index| (self.side(index), other.side(index))).filter(|(side, other)| {
            let (agreed, other_agreed) = (side.agreed(rows.clone()), other.agreed(other_rows.clone()));
            agreed.is_none() || agreed != other_agreed
        });
        let line = differing.next().unwrap_or((Side::Same(&0), Side::Same(&0)));
        differing.next().is_none().then_some(line)
    }

    fn join_rows(&mut self, rows: Range<usize>, time: &Point) {
        self.deepen(time.coordinates().len());
        for (lane, &bound) in self.lanes.iter_mut().zip(time.coordinates()) {
            lane.raise(rows.clone(), bound);
        }
    }

    fn advance_rows(&mut self, rows: Range<usize>, frontier: &Frontier<Point>) {
        if let Some(floor) = frontier.meet() {
            self.join_rows(rows, &floor);
        }
    }

    fn extend_joined(&mut self, other: &Self, rows: Range<usize>, floor: &Point) {
        self.deepen_to(other, floor);
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            let bound = floor.coordinate(index);
            match other.lanes.get(index) {
                Some(other) => lane.extend_raised(other, rows.clone(), bound),
                None => lane.push_repeat(bound, rows.len()),
            }
        }
        self.len += rows.len();
    }

    fn extend_picked(&mut self, (a, a_at): (&Self, usize), (b, b_at): (&Self, usize), picks: &[Pick], floor: &Point) {
        self.deepen_to(a, floor);
        self.deepen(b.lanes.len());
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            let bound = floor.coordinate(index);
            lane.extend_picked_raised((a.side(index), a_at), (b.side(index), b_at), picks, bound);
        }
        self.len += picks.len();
    }

    fn are_past(&self, rows: Range<usize>, floor: &Point) -> bool {
        let reached = |lane: &Lane<u64>, bound: u64| lane.side().all(rows.clone(), |value| *value >= bound);
        rows.is_empty()
            || floor.is_within(self.lanes.len())
                && self.lanes.iter().enumerate().all(|(index, lane)| reached(lane, floor.coordinate(index)))
    }

    fn extend_origins(&mut self, sides: [&Self; 2], origins: &[Origin]) {
        let [a, b] = sides;
        self.deepen(a.lanes.len().max(b.lanes.len()));
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.extend_origins(&[a.side(index), b.side(index)], origins);
        }
        self.len += origins.len();
    }

    fn rises(&self, into: &mut Vec<bool>) {
        into.clear();
        into.resize(self.len, false);
        // From the innermost: where outer coordinates agree, it is as the inner ones say.
        for lane in self.lanes.iter().rev() {
            match lane.side() {
                Side::Same(_) => {}
                Side::Short(values) => rise(values, into),
                Side::Each(values) => rise(values, into),
            }
        }
    }

    fn lower_into(&self, rows: Range<usize>, frontier: &mut Frontier<Point>) {
        if rows.is_empty() {
            return;
        }
        if let Some(least) = self.least_of_one_lane(rows.clone()) {
            frontier.insert(least);
            return;
        }
        for row in rows {
            if !self.admitted(row, frontier) {
                frontier.insert(self.point(row));
            }
        }
    }

    fn extend_cross_join(&mut self, left: &Self, right: &Self, blocks: &[Block]) {
        self.deepen(left.lanes.len().max(right.lanes.len()));
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.extend_cross_max(left.side(index), right.side(index), blocks);
        }
        self.len += pairs_in(blocks);
    }

    fn extend_zip_join(&mut self, left: &Self, left_rows: Range<usize>, right: &Self, right_rows: Range<usize>) {
        self.deepen(left.lanes.len().max(right.lanes.len()));
        self.len += left_rows.len();
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            let sides = ((left.side(index), left_rows.clone()), (right.side(index), right_rows.clone()));
            lane.extend_zip(sides.0, sides.1, |a, b| *a.max(b));
        }
    }

    fn bytes_len(&self) -> usize {
        if self.len == 0 { 0 } else { size_of::<u64>() + self.lanes.iter().map(Lane::bytes_len).sum::<usize>() }
    }

    /// How many lanes, and each of them.
    fn write_bytes(&self, into: &mut Vec<u8>) {
        if self.len > 0 {
            u64::write_values(&[self.lanes.len() as u64], into);
            self.lanes.iter().for_each(|lane| lane.write_bytes(into));
        }
    }

    fn read_bytes(rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut times = Lanes { len: rows, lanes: SmallVec::new() };
        if rows > 0 {
            // One by one: room for a lane is made only once the one before it was there.
            for _ in 0..from.count()? {
                times.lanes.push(Lane::read_bytes(rows, from)?);
            }
        }
        Ok(times)
    }

    fn heap_bytes(&self) -> usize {
        let spilled = if self.lanes.spilled() { self.lanes.capacity() * size_of::<Lane<u64>>() } else { 0 };
        spilled + self.lanes.iter().map(Lane::heap_bytes).sum::<usize>()
    }
}

/// For each row, whether it is later than the one before it: by this coordinate, and where they agree as it was known.
fn rise<V: Ord>(coordinates: &[V], rises: &mut [bool]) {
    for (pair, rises) in coordinates.windows(2).zip(rises.iter_mut().skip(1)) {
        *rises = pair[0] < pair[1] || (pair[0] == pair[1] && *rises);
    }
}
