//! One value and a length while all rows agree, a value a row once they differ.
//!
//! ```text
//!   Same   7 x 10,000 rows                    two words
//!   Each   7 7 8 7 ...                        a vector
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

use super::Pick;

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
    each: Vec<T>,
    spread: bool,
}

/// How a lane's rows are stored: what a bulk operation matches on, once for a run of rows.
#[derive(Debug)]
pub enum Side<'a, T> {
    /// Every row holds this value.
    Same(&'a T),
    /// A value a row.
    Each(&'a [T]),
}

impl<T> Clone for Side<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Side<'_, T> {}

impl<'a, T: Eq> Side<'a, T> {
    /// The value of `row`. Panics past the end of a lane that is written out.
    #[inline]
    pub fn get(self, row: usize) -> &'a T {
        match self {
            Side::Same(value) => value,
            Side::Each(values) => &values[row],
        }
    }

    /// Some of the rows. Panics past the end of a lane that is written out.
    #[inline]
    pub(crate) fn rows(self, rows: Range<usize>) -> Self {
        match self {
            Side::Same(_) => self,
            Side::Each(values) => Side::Each(&values[rows]),
        }
    }

    /// The value that all of these rows hold, if they agree; `None` if there are none in a lane that is written out.
    pub fn agreed(self, rows: Range<usize>) -> Option<&'a T> {
        match self {
            Side::Same(value) => Some(value),
            Side::Each(values) => {
                let (first, rest) = values[rows].split_first()?;
                rest.iter().all(|value| value == first).then_some(first)
            }
        }
    }
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Lane { same: None, len: 0, each: Vec::new(), spread: false }
    }
}

/// Lanes are equal if they hold the same rows, however stored.
impl<T: Clone + Eq> PartialEq for Lane<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<T: Clone + Eq> Eq for Lane<T> {}

impl<T: Clone + Eq> FromIterator<T> for Lane<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut lane = Lane::default();
        values.into_iter().for_each(|value| lane.push(value));
        lane
    }
}

impl<T: Clone + Eq> Lane<T> {
    /// The lane of `len` rows that all hold `value`.
    pub fn repeat(value: T, len: usize) -> Self {
        Lane { same: (len > 0).then_some(value), len, each: Vec::new(), spread: false }
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
        self.each.clear();
        self.spread = false;
    }

    /// Removes the rows from `len` on; nothing if there are no more than that.
    pub fn truncate(&mut self, len: usize) {
        if len == 0 {
            self.clear();
        } else if len < self.len {
            self.each.truncate(len);
            self.len = len;
        }
    }

    /// Makes room for `additional` rows, if the lane is written out: a uniform lane needs none.
    pub fn reserve(&mut self, additional: usize) {
        if self.spread {
            self.each.reserve(additional);
        }
    }

    /// Gives back room that no row is in.
    pub fn fit(&mut self) {
        self.each.shrink_to_fit();
    }

    /// The value of every row, if the lane is stored as one value.
    #[inline]
    pub fn uniform(&self) -> Option<&T> {
        if self.spread { None } else { self.same.as_ref() }
    }

    /// The values row by row, if the lane is stored so.
    #[inline]
    pub fn spread(&self) -> Option<&[T]> {
        self.spread.then_some(&self.each[..])
    }

    /// How the rows are stored; an empty lane is `Each` of nothing.
    #[inline]
    pub fn side(&self) -> Side<'_, T> {
        self.uniform().map_or(Side::Each(&self.each), Side::Same)
    }

    /// The value of `row`. Panics past the end.
    #[inline]
    pub fn get(&self, row: usize) -> &T {
        debug_assert!(row < self.len, "row {row} of {}", self.len);
        if self.spread { &self.each[row] } else { self.same.as_ref().expect("a lane with rows holds a value") }
    }

    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> + '_ {
        self.iter_range(0..self.len)
    }

    /// The values of a range of rows, in order. Panics past the end.
    pub fn iter_range(&self, rows: Range<usize>) -> impl Iterator<Item = &T> + '_ {
        debug_assert!(rows.end <= self.len, "rows {rows:?} of {}", self.len);
        let (count, each) = if self.spread { (0, &self.each[rows]) } else { (rows.len(), &[][..]) };
        self.same.iter().cycle().take(count).chain(each)
    }

    /// Replaces the value of `row`. Panics past the end.
    pub fn set(&mut self, row: usize, value: T) {
        debug_assert!(row < self.len, "row {row} of {}", self.len);
        if self.uniform() != Some(&value) {
            if self.len == 1 {
                self.clear();
                self.push(value);
            } else {
                self.spread_out()[row] = value;
            }
        }
    }

    /// Replaces the value of every row by what `change` makes of it; a uniform lane stays so.
    pub fn update(&mut self, change: impl FnMut(&mut T)) {
        if self.spread { &mut self.each[..] } else { self.same.as_mut_slice() }.iter_mut().for_each(change);
    }

    /// Appends a row.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.spread {
            self.each.push(value);
            self.len += 1;
        } else if self.same.as_ref() == Some(&value) {
            self.len += 1;
        } else {
            self.push_repeat(value, 1);
        }
    }

    /// Appends `count` rows of one value.
    #[inline]
    pub fn push_repeat(&mut self, value: T, count: usize) {
        if count == 0 {
            return;
        }
        if self.spread {
            self.each.resize(self.len + count, value);
        } else if self.len == 0 {
            self.same = Some(value);
        } else if self.same.as_ref() != Some(&value) {
            let len = self.len + count;
            self.spread_out().resize(len, value);
        }
        self.len += count;
    }

    /// Appends the values of a slice.
    pub fn extend_from_slice(&mut self, values: &[T]) {
        if self.spread {
            self.each.extend_from_slice(values);
            self.len = self.each.len();
            return;
        }
        let equal = self.push_equal(values.len(), |row| &values[row]);
        if equal < values.len() {
            self.append_each(|each| each.extend_from_slice(&values[equal..]));
        }
    }

    /// Appends a range of another lane's rows. Panics past its end.
    #[inline]
    pub fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        assert!(rows.end <= other.len, "rows {rows:?} of a lane of {}", other.len);
        if rows.len() == 1 {
            return self.push(other.get(rows.start).clone());
        }
        match other.side() {
            Side::Same(value) => self.push_repeat(value.clone(), rows.len()),
            Side::Each(values) => self.extend_from_slice(&values[rows]),
        }
    }

    /// Appends the named rows of another lane, in the order given.
    pub fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        match other.side() {
            Side::Same(value) => self.push_repeat(value.clone(), rows.len()),
            Side::Each(values) => {
                let equal = self.push_equal(rows.len(), |row| &values[rows[row] as usize]);
                if equal < rows.len() {
                    let gathered = rows[equal..].iter().map(|&row| values[row as usize].clone());
                    self.append_each(|each| each.extend(gathered));
                }
            }
        }
    }

    /// Appends one row of another lane `count` times.
    pub fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.push_repeat(other.get(row).clone(), count);
    }

    /// Inserts a few rows of another lane: for each `(at, row)`, by ascending `at`, that row before what is row `at` so
    /// far, behind those inserted there already.
    pub fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
        let value = |row: u32| other.get(row as usize);
        if self.is_empty() {
            places.iter().for_each(|&(_, row)| self.push(value(row).clone()));
        } else if let Some(same) = self.uniform()
            && places.iter().all(|&(_, row)| value(row) == same)
        {
            self.len += places.len();
        } else {
            let each = self.spread_out();
            places.iter().rev().for_each(|&(at, row)| each.insert(at as usize, value(row).clone()));
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
            rows.iter().rev().for_each(|&row| drop(self.each.remove(row as usize)));
        }
        self.len -= rows.len();
    }

    /// Bytes held, buffers included.
    pub fn heap_bytes(&self) -> usize {
        self.each.capacity() * size_of::<T>()
    }

    /// Appends the first of `count` values as long as they leave the lane uniform, and says how many those were.
    fn push_equal<'a>(&mut self, count: usize, value: impl Fn(usize) -> &'a T) -> usize
    where
        T: 'a,
    {
        if self.spread || count == 0 {
            return 0;
        }
        let same = self.same.get_or_insert_with(|| value(0).clone());
        let equal = (0..count).take_while(|&row| value(row) == same).count();
        self.len += equal;
        equal
    }

    /// Appends a row for each pick, as `change` makes it: of the next of `b`'s from `b_at` on where it is true, else of
    /// the next of `a`'s from `a_at` on.
    pub(crate) fn extend_picked(
        &mut self,
        (a, mut a_at): (Side<'_, T>, usize),
        (b, mut b_at): (Side<'_, T>, usize),
        picks: &[Pick],
        change: impl Fn(&T) -> T,
    ) {
        if let (Side::Same(a), Side::Same(b)) = (a, b)
            && change(a) == change(b)
        {
            return self.push_repeat(change(a), picks.len());
        }
        self.extend_each(picks.iter().map(|&pick| {
            let value = if pick == Pick::Right { b.get(b_at) } else { a.get(a_at) };
            pick.pass(&mut a_at, &mut b_at);
            change(value)
        }));
    }

    /// Appends values; once one differs the lane is written out.
    #[inline]
    pub(super) fn extend_each(&mut self, mut values: impl Iterator<Item = T>) {
        while !self.spread {
            let Some(value) = values.next() else { return };
            self.push_repeat(value, 1);
        }
        self.each.extend(values);
        self.len = self.each.len();
    }

    /// Appends whatever `write` appends to the lane written out.
    pub(crate) fn append_each(&mut self, write: impl FnOnce(&mut Vec<T>)) {
        write(self.spread_out());
        self.len = self.each.len();
        self.spread = self.len > 0;
    }

    /// Writes the value of every row out, and lends the rows. They may be changed, but their number may only grow by
    /// what is then added to `len`.
    pub(crate) fn spread_out(&mut self) -> &mut Vec<T> {
        if let Some(value) = self.same.take() {
            self.each.resize(self.len, value);
        }
        self.spread = true;
        &mut self.each
    }
}
