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

    /// Writes the value of every row out.
    fn spread_out(&mut self) {
        if let Some(value) = self.same.take() {
            self.each.resize(self.len, value);
        }
        self.spread = true;
    }
}
