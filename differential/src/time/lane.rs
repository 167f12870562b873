//! One value and a length while all rows agree, a value a row once they differ.
//!
//! ```text
//!   same      7 x 10,000 rows                 two words
//!   written   7 7 8 7 ...                     a vector: of two bytes a row, while they fit
//! ```
//!
//! Most batches of one commit hold one time and few distinct diffs, so a lane that stays uniform saves both memory and
//! work. Bulk operations look at the representation once for each run of rows, never once a row.
//!
//! Invariant: a lane is written out only by rows that differ (it may have become uniform again since, by `set` or
//! `truncate`). An empty lane is never written out. Cost: appending compares with the one value until the first row
//! that differs, and not at all afterwards. A cleared lane keeps its buffer: giving it back and taking it again costs
//! more than filling it.
//! Why not a vector: a million rows at one time would be eight megabytes that every pass reads.
//! Tested in `lane_laws.rs`, against a vector.

use std::ops::Range;

use super::written::Written;
use super::{Pick, Side};
use crate::bytes::Portable;

/// A column of plain values that is one value and a length while all rows agree.
///
/// ```
/// use differential::time::Lane;
/// let mut lane = Lane::repeat(7, 1_000_000);
/// assert_eq!(lane.uniform(), Some(&7));
/// lane.push(8);
/// assert_eq!((lane.len(), lane.uniform()), (1_000_001, None));
/// ```
#[derive(Clone, Debug)]
pub struct Lane<T> {
    /// The value of every row, while `spread` is false and `len` is not zero.
    same: Option<T>,
    len: usize,
    rows: Written<T>,
    spread: bool,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Lane { same: None, len: 0, rows: Written::default(), spread: false }
    }
}

/// Lanes are equal if they hold the same rows, however stored.
impl<T: Portable + Clone + Eq> PartialEq for Lane<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<T: Portable + Clone + Eq> Eq for Lane<T> {}

impl<T: Portable + Clone + Eq> FromIterator<T> for Lane<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut lane = Lane::default();
        values.into_iter().for_each(|value| lane.push(value));
        lane
    }
}

impl<T: Portable + Clone + Eq> Lane<T> {
    /// The lane of `len` rows that all hold `value`.
    pub fn repeat(value: T, len: usize) -> Self {
        Lane { same: (len > 0).then_some(value), len, ..Lane::default() }
    }

    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all rows and keeps the buffer.
    pub fn clear(&mut self) {
        self.len = 0;
        self.same = None;
        self.rows.clear();
        self.spread = false;
    }

    /// Removes the rows from `len` on; nothing if there are no more than that.
    pub fn truncate(&mut self, len: usize) {
        if len == 0 {
            self.clear();
        } else if len < self.len {
            self.rows.truncate(len);
            self.len = len;
        }
    }

    /// Makes room for `additional` rows, if the lane is written out: a uniform lane needs none.
    pub fn reserve(&mut self, additional: usize) {
        if self.spread {
            self.rows.reserve(additional);
        }
    }

    /// Gives back room that no row needs.
    pub fn fit(&mut self) {
        self.rows.fit();
    }

    /// The value of every row, if the lane is stored as one value.
    #[inline]
    pub fn uniform(&self) -> Option<&T> {
        if self.spread { None } else { self.same.as_ref() }
    }

    /// How the rows are stored; an empty lane is written out, nothing.
    #[inline]
    pub fn side(&self) -> Side<'_, T> {
        self.uniform().map_or_else(|| self.rows.side(), Side::Same)
    }

    /// The value of `row`. Panics past the end.
    #[inline]
    pub fn get(&self, row: usize) -> T {
        debug_assert!(row < self.len, "row {row} of {}", self.len);
        self.side().get(row)
    }

    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let side = self.side();
        (0..self.len).map(move |row| side.get(row))
    }

    /// Replaces the value of `row`. Panics past the end.
    pub fn set(&mut self, row: usize, value: T) {
        debug_assert!(row < self.len, "row {row} of {}", self.len);
        if self.uniform() != Some(&value) {
            if self.len == 1 {
                self.clear();
                self.push(value);
            } else {
                self.spread_out().set(row, value);
            }
        }
    }

    /// Replaces the value of every row by what `change` makes of it; a uniform lane stays so.
    pub fn update(&mut self, change: impl FnMut(&mut T)) {
        if self.spread { self.rows.update(change) } else { self.same.iter_mut().for_each(change) }
    }

    /// Appends a row.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.spread && self.rows.push_in_form(&value) || !self.spread && self.same.as_ref() == Some(&value) {
            self.len += 1;
        } else {
            self.push_repeat(value, 1);
        }
    }

    /// Appends `count` rows of one value.
    pub fn push_repeat(&mut self, value: T, count: usize) {
        if count == 0 {
            return;
        }
        if self.spread {
            self.rows.push_repeat(value, count);
        } else if self.len == 0 {
            self.same = Some(value);
        } else if self.same.as_ref() != Some(&value) {
            self.spread_out().push_repeat(value, count);
        }
        self.len += count;
    }

    /// Appends the values of a slice.
    pub fn extend_from_slice(&mut self, values: &[T]) {
        self.extend_side(Side::Each(values), values.len());
    }

    /// Appends a range of another lane's rows. Panics past its end.
    #[inline]
    pub fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        assert!(rows.end <= other.len, "rows {rows:?} of a lane of {}", other.len);
        if rows.len() == 1 {
            return self.push(other.get(rows.start));
        }
        self.extend_side(other.side().rows(rows.clone()), rows.len());
    }

    /// Appends the named rows of another lane, in the order given.
    pub fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        match other.side() {
            Side::Same(value) => self.push_repeat(value.clone(), rows.len()),
            Side::Short(values) => self.extend_shorts(rows.iter().map(|&row| values[row as usize])),
            Side::Each(values) => self.extend_each(rows.iter().map(|&row| values[row as usize].clone())),
        }
    }

    /// Appends one row of another lane `count` times.
    pub fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.push_repeat(other.get(row), count);
    }

    /// Inserts a few rows of another lane: for each `(at, row)`, by ascending `at`, that row before what is row `at` so
    /// far, behind those inserted there already.
    pub fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
        let value = |row: u32| other.get(row as usize);
        if self.is_empty() {
            places.iter().for_each(|&(_, row)| self.push(value(row)));
        } else if let Some(same) = self.uniform()
            && places.iter().all(|&(_, row)| value(row) == *same)
        {
            self.len += places.len();
        } else {
            let each = self.spread_out();
            places.iter().rev().for_each(|&(at, row)| each.insert(at as usize, value(row)));
            self.len += places.len();
        }
    }

    /// Removes a few rows, which ascend.
    pub fn remove_rows(&mut self, rows: &[u32]) {
        if rows.len() == self.len {
            self.clear();
            return;
        }
        if self.spread {
            rows.iter().rev().for_each(|&row| self.rows.remove(row as usize));
        }
        self.len -= rows.len();
    }

    /// Bytes held, buffers included.
    pub fn heap_bytes(&self) -> usize {
        self.rows.heap_bytes()
    }

    /// Appends all `count` rows of a side.
    fn extend_side(&mut self, side: Side<'_, T>, count: usize) {
        if let Side::Same(value) = side {
            return self.push_repeat(value.clone(), count);
        }
        let mut equal = 0;
        if let (false, Some(first)) = (self.spread, (count > 0).then(|| side.get(0))) {
            let same = self.same.get_or_insert(first);
            equal = (0..count).take_while(|&row| side.get(row) == *same).count();
            self.len += equal;
        }
        if equal < count {
            self.spread_out().extend_side(side.rows(equal..count), count - equal);
            self.len += count - equal;
        }
    }

    /// Appends a row for each pick: the next one of that side, from `a_at` or `b_at` on.
    pub(crate) fn extend_picked(
        &mut self,
        (a, a_at): (Side<'_, T>, usize),
        (b, b_at): (Side<'_, T>, usize),
        picks: &[Pick],
    ) {
        match (a, b) {
            (Side::Same(a), Side::Same(b)) if a == b => return self.push_repeat(a.clone(), picks.len()),
            _ => {}
        }
        if let (Some(a), Some(b)) = (a.shorts(), b.shorts()) {
            self.extend_shorts(picked((a.masked(), a_at), (b.masked(), b_at), picks).copied());
        } else if let (Some(a), Some(b)) = (a.values(), b.values()) {
            self.extend_each(picked((a.masked(), a_at), (b.masked(), b_at), picks).cloned());
        } else {
            let sides = [a, b];
            self.extend_each(picks_of(a_at, b_at, picks).map(|(side, row)| sides[side].get(row)));
        }
    }

    /// Appends values; once one differs the lane is written out.
    #[inline]
    pub(super) fn extend_each(&mut self, mut values: impl Iterator<Item = T>) {
        while !self.spread {
            let Some(value) = values.next() else { return };
            self.push_repeat(value, 1);
        }
        self.rows.extend(values);
        self.len = self.rows.len();
    }

    /// Appends values in their short form; once one differs the lane is written out.
    #[inline]
    pub(super) fn extend_shorts(&mut self, mut values: impl Iterator<Item = u16>) {
        while !self.spread {
            let Some(value) = values.next() else { return };
            self.push_repeat(T::of_short(value), 1);
        }
        match self.rows.shorts() {
            Some(rows) => rows.extend(values),
            None => self.rows.widen().extend(values.map(T::of_short)),
        }
        self.len = self.rows.len();
    }

    /// Appends whatever `write` appends to the rows in their short form; `false`, and nothing, if they have none.
    pub(super) fn append_shorts(&mut self, write: impl FnOnce(&mut Vec<u16>) -> bool) -> bool {
        if self.same.as_ref().is_some_and(|value| value.short().is_none()) {
            return false;
        }
        let before = self.len;
        let Some(rows) = self.spread_out().shorts() else { return false };
        let done = write(rows);
        if !done {
            rows.truncate(before);
        }
        self.len = self.rows.len();
        self.spread = self.len > 0;
        done
    }

    /// Appends whatever `write` appends to the lane written out.
    pub(crate) fn append_each(&mut self, write: impl FnOnce(&mut Vec<T>)) {
        write(self.spread_out().widen());
        self.len = self.rows.len();
        self.spread = self.len > 0;
    }

    /// Writes the value of every row out, and lends the rows. They may be changed, but their number may only grow by
    /// what is then added to `len`.
    pub(super) fn spread_out(&mut self) -> &mut Written<T> {
        if let Some(value) = self.same.take() {
            self.rows.push_repeat(value, self.len);
        }
        self.spread = true;
        &mut self.rows
    }
}

/// For each pick its side, and the next row of it.
#[inline]
pub(super) fn picks_of(mut a_at: usize, mut b_at: usize, picks: &[Pick]) -> impl Iterator<Item = (usize, usize)> {
    picks.iter().map(move |&pick| {
        let at = if pick == Pick::Right { (1, b_at) } else { (0, a_at) };
        pick.pass(&mut a_at, &mut b_at);
        at
    })
}

/// A value for each pick: the next one of its side.
#[inline]
pub(super) fn picked<'a, V>(
    ((a, a_mask), mut a_at): ((&'a [V], usize), usize),
    ((b, b_mask), mut b_at): ((&'a [V], usize), usize),
    picks: &'a [Pick],
) -> impl Iterator<Item = &'a V> {
    picks.iter().map(move |&pick| {
        let value = if pick == Pick::Right { &b[b_at & b_mask] } else { &a[a_at & a_mask] };
        pick.pass(&mut a_at, &mut b_at);
        value
    })
}
