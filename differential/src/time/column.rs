//! A column of times, which bulk operations can be asked of.

use std::cmp::Ordering;
use std::ops::Range;

use super::{Frontier, Origin, Pick, Side, Time};
use crate::bytes::{Malformed, Reader};

/// An odd number near the golden section of 2^64: its multiples spread over the upper bits.
pub(super) const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A list of times, stored as the implementor likes.
///
/// 1. `get(row)` after `push(time)` is `time`; rows keep their order.
/// 2. The bulk operations equal what row-by-row `get` and `push` would do; `Vec<T>` is that reference.
/// 3. `get` and `push` are the two owned exits: operators' bulk paths do not take them.
/// 4. What is written reads back, from as many bytes as `bytes_len` says. A column without rows is no bytes.
pub trait TimeColumn<T: Time>: Clone + Default + std::fmt::Debug + Send + Sync + 'static {
    /// The number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all rows and keeps buffers.
    fn clear(&mut self);

    /// Removes the rows from `len` on.
    fn truncate(&mut self, len: usize);

    /// Gives back room that no row is in.
    fn fit(&mut self);

    /// The time of `row`, owned.
    fn get(&self, row: usize) -> T;

    /// The time of `row` joined with `floor`, owned.
    fn get_joined(&self, row: usize, floor: &T) -> T {
        let mut time = self.get(row);
        time.join_assign(floor);
        time
    }

    /// Appends a time.
    fn push(&mut self, time: &T);

    /// Appends `count` rows of one time.
    fn push_repeat(&mut self, time: &T, count: usize);

    /// Appends a range of another column's rows.
    fn extend_range(&mut self, other: &Self, rows: Range<usize>);

    /// Appends the named rows of another column, in the order given.
    fn extend_gather(&mut self, other: &Self, rows: &[u32]);

    /// Appends one row of another column `count` times.
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize);

    /// Inserts a few rows of another column: for each `(at, row)`, by ascending `at`, that row before what is row `at` so
    /// far, behind those inserted there already.
    fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]);

    /// Removes a few rows, which ascend.
    fn remove_rows(&mut self, rows: &[u32]);

    /// Compares a row with a row of another column, in the total order.
    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering;

    /// A hash of a row's time, good in its upper bits: equal for equal times in any two columns of this process.
    fn hash(&self, row: usize) -> u64;

    /// Whether a row's time is in advance of a frontier.
    fn admitted(&self, row: usize, frontier: &Frontier<T>) -> bool;

    /// Whether each of the rows precedes `time`.
    fn precede(&self, mut rows: Range<usize>, time: &T) -> bool {
        rows.all(|row| self.get(row).precedes(time))
    }

    /// The time of every row, where the column is stored as one.
    fn uniform(&self) -> Option<T>;

    /// Where on a line each row of both columns is, if these rows are known to be on one: of two of them, one precedes
    /// the other exactly if its number is not greater. Numbers are by row of the whole column.
    fn line<'a>(
        &'a self,
        rows: Range<usize>,
        other: &'a Self,
        other_rows: Range<usize>,
    ) -> Option<(Side<'a, u64>, Side<'a, u64>)> {
        let _ = (rows, other, other_rows);
        None
    }

    /// Joins a time into each of the rows.
    fn join_rows(&mut self, rows: Range<usize>, time: &T);

    /// Advances each of the rows by a frontier, as [`Frontier::advance`] does one time.
    fn advance_rows(&mut self, rows: Range<usize>, frontier: &Frontier<T>);

    /// Appends a range of another column's rows, each joined with `floor`.
    fn extend_joined(&mut self, other: &Self, rows: Range<usize>, floor: &T) {
        let start = self.len();
        self.extend_range(other, rows);
        self.join_rows(start..self.len(), floor);
    }

    /// Appends a row for each pick, joined with `floor`: the next one of that side, from `a_at` or `b_at` on. No pick is
    /// of both.
    fn extend_picked(
        &mut self,
        (a, mut a_at): (&Self, usize),
        (b, mut b_at): (&Self, usize),
        picks: &[Pick],
        floor: &T,
    ) {
        for run in picks.chunk_by(|a, b| a == b) {
            let (from, at) = if run[0] == Pick::Right { (b, &mut b_at) } else { (a, &mut a_at) };
            self.extend_joined(from, *at..*at + run.len(), floor);
            *at += run.len();
        }
    }

    /// Whether the time of a row precedes `time`. Where it does not, `joins` is lowered to their join.
    fn precedes_or_joins(&self, row: usize, time: &T, joins: &mut Frontier<T>) -> bool {
        let own = self.get(row);
        let precedes = own.precedes(time);
        if !precedes {
            joins.insert(own.join(time));
        }
        precedes
    }

    /// Whether each of the rows is at or past `floor`.
    fn are_past(&self, mut rows: Range<usize>, floor: &T) -> bool {
        rows.all(|row| floor.precedes(&self.get(row)))
    }

    /// Appends a row of one of two columns for each origin.
    fn extend_origins(&mut self, sides: [&Self; 2], origins: &[Origin]) {
        for (side, rows) in Origin::ranges(origins) {
            self.extend_range(sides[side], rows);
        }
    }

    /// For each row, whether it is later than the one before it, in the total order. (The first is not.)
    fn rises(&self, into: &mut Vec<bool>) {
        into.clear();
        into.extend((0..self.len()).map(|row| row > 0 && self.compare(row - 1, self, row).is_lt()));
    }

    /// Lowers `frontier` so that all of the rows are in advance of it.
    fn lower_into(&self, rows: Range<usize>, frontier: &mut Frontier<T>);

    /// For each pair of row ranges of `left` and `right`, in order: for each row of the left range, its join with each
    /// row of the right range.
    fn extend_cross_join(&mut self, left: &Self, right: &Self, blocks: &[(Range<u32>, Range<u32>)]);

    /// Row `i` of the left range joined with row `i` of the right range; both have one length.
    fn extend_zip_join(&mut self, left: &Self, left_rows: Range<usize>, right: &Self, right_rows: Range<usize>);

    /// How many bytes the column is written as, exactly.
    fn bytes_len(&self) -> usize;

    /// Appends the column's bytes.
    fn write_bytes(&self, into: &mut Vec<u8>);

    /// Reads a column of `rows` rows.
    ///
    /// # Errors
    /// The bytes are not those of such a column.
    fn read_bytes(rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed>;

    /// Bytes held, buffers included.
    fn heap_bytes(&self) -> usize;
}
