//! One value and a length while all rows agree, a value a row once they differ.
//!
//! ```text
//!   Same   7 x 10,000 rows                    two words
//!   Each   7 7 8 7 ...                        a vector
//! ```
//!
//! Most batches of one commit hold one time and few distinct diffs, so a lane that stays uniform saves both memory and
//! work. Invariant: a lane is `Each` only after unequal values were pushed (it may have become uniform again since by
//! truncation). Cost: a push compares once while uniform. A cleared lane keeps its buffer.

use std::ops::Range;

/// A column of plain values that is one value and a length while all rows agree.
#[derive(Clone, Debug)]
pub struct Lane<T> {
    /// The value of every row, while `spread` is false and `len` is not zero.
    same: Option<T>,
    len: usize,
    each: Vec<T>,
    spread: bool,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Lane { same: None, len: 0, each: Vec::new(), spread: false }
    }
}

impl<T: Clone + Eq> Lane<T> {
    /// The lane of `len` rows that all hold `value`.
    pub fn repeat(value: T, len: usize) -> Self {
        Lane { same: Some(value), len, each: Vec::new(), spread: false }
    }

    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
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

    /// The value of `row`. Panics past the end.
    #[inline]
    pub fn get(&self, row: usize) -> &T {
        debug_assert!(row < self.len, "row {row} of {}", self.len);
        if self.spread { &self.each[row] } else { self.same.as_ref().expect("a lane with rows holds a value") }
    }

    /// Appends a row.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.push_repeat(value, 1);
    }

    /// Appends `count` rows of one value.
    #[inline]
    pub fn push_repeat(&mut self, value: T, count: usize) {
        if count == 0 {
            return;
        }
        if self.spread {
            if count == 1 {
                self.each.push(value);
            } else {
                self.each.resize(self.len + count, value);
            }
        } else if self.len == 0 {
            self.same = Some(value);
        } else if self.same.as_ref() != Some(&value) {
            self.spread_out();
            self.each.resize(self.len + count, value);
        }
        self.len += count;
    }

    /// Appends a range of another lane's rows. Panics past its end.
    pub fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        assert!(rows.end <= other.len, "rows {rows:?} of a lane of {}", other.len);
        match other.spread() {
            None if rows.is_empty() => {}
            None => self.push_repeat(other.get(rows.start).clone(), rows.len()),
            Some(each) => self.extend_each(each[rows].iter().cloned()),
        }
    }

    /// Appends the named rows of another lane, in the order given. Panics past its end.
    pub fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        match other.spread() {
            None if rows.is_empty() => {}
            None => self.push_repeat(other.get(rows[0] as usize).clone(), rows.len()),
            Some(each) => self.extend_each(rows.iter().map(|&row| each[row as usize].clone())),
        }
    }

    /// Appends values, in bulk from the first one that differs on.
    fn extend_each(&mut self, mut values: impl Iterator<Item = T>) {
        while !self.spread {
            match values.next() {
                Some(value) => self.push(value),
                None => return,
            }
        }
        self.each.extend(values);
        self.len = self.each.len();
    }

    /// Removes the rows from `len` on.
    pub fn truncate(&mut self, len: usize) {
        if len == 0 {
            self.clear();
        }
        self.len = self.len.min(len);
        self.each.truncate(len);
    }

    /// Bytes held, buffers included.
    pub fn heap_bytes(&self) -> usize {
        self.each.capacity() * size_of::<T>()
    }

    /// Writes the value of every row out.
    fn spread_out(&mut self) {
        if let Some(value) = self.same.take() {
            self.each.resize(self.len, value);
        }
        self.spread = true;
    }
}

#[cfg(test)]
mod laws {
    use super::*;

    /// Every lane of up to three values out of two, as a list.
    fn lists() -> Vec<Vec<u8>> {
        let mut lists = vec![vec![]];
        for length in 1..=3 {
            lists.extend((0..1 << length).map(|bits| (0..length).map(|at| (bits >> at & 1) as u8).collect()));
        }
        lists
    }

    fn lane(values: &[u8]) -> Lane<u8> {
        let mut lane = Lane::default();
        values.iter().for_each(|&value| lane.push(value));
        lane
    }

    fn values(lane: &Lane<u8>) -> Vec<u8> {
        (0..lane.len()).map(|row| *lane.get(row)).collect()
    }

    #[test]
    fn a_lane_is_the_list_of_its_values() {
        for first in lists() {
            for second in lists() {
                for start in 0..=second.len() {
                    let mut grown = lane(&first);
                    grown.extend_range(&lane(&second), start..second.len());
                    assert_eq!(values(&grown), [&first[..], &second[start..]].concat(), "{first:?} {second:?} {start}");

                    let rows: Vec<u32> = (start as u32..second.len() as u32).rev().collect();
                    let mut gathered = lane(&first);
                    gathered.extend_gather(&lane(&second), &rows);
                    let reversed: Vec<u8> = second[start..].iter().rev().copied().collect();
                    assert_eq!(values(&gathered), [&first[..], &reversed].concat(), "{first:?} {second:?} {start}");

                    let mut cut = lane(&second);
                    cut.truncate(start);
                    cut.extend_range(&lane(&first), 0..first.len());
                    assert_eq!(values(&cut), [&second[..start], &first].concat(), "{first:?} {second:?} {start}");
                }
            }
        }
    }
}
