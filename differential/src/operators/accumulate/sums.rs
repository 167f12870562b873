//! What each record's changes come to so far: records and sums side by side, in leaves.
//!
//! ```text
//!   bounds        9               42                    a leaf holds records up to its bound, the last one all others
//!   records    | 1  4  9  |    | 11  30  42 |    | 57  60 |
//!   sums       | 2  1  1  |    |  1   0   7 |    |  1   3 |
//! ```
//!
//! A sum changes in place. A new record is inserted into its leaf, which is split once it is too long; a sum of zero
//! stays, for a record that goes often comes back, until half of its leaf are zeros.
//!
//! Invariant: records ascend strictly, through all leaves; there is one bound less than there are leaves; a leaf counts
//! its zeros. Cost: of `n` rows, `n` searches among the bounds, which are one record in several hundred, and in a leaf;
//! a leaf is moved whole for what is inserted there, and the list of leaves where some were split.
//!
//! Why not one long column with a short one beside it for new records: to fold the short one in moves everything, in one
//! activation. Why not a trace: its searches are one a batch, and merging never ends. Why not a hash table: it needs
//! owned records, and half its slots are empty.

use std::ops::Range;

use crate::column::{Column, Data, ShapeOf, find_all};
use crate::diff::{Diff, Diffs};
use crate::error::Fault;

/// A leaf of more records than this is split.
#[cfg(not(test))]
const MOST_RECORDS: usize = 1024;
#[cfg(test)]
const MOST_RECORDS: usize = 8;

/// Leaves are made with at most this many, so that there is room to insert some.
const FILLED: usize = MOST_RECORDS * 3 / 4;

/// A sum for each record that has one.
pub(super) struct Sums<D: Data, R: Diff> {
    pub(super) bounds: D::Column,
    pub(super) leaves: Vec<Leaf<D, R>>,
    /// Lists that are used again.
    places: Vec<u32>,
    found: Vec<u32>,
    fresh: Vec<Fresh<R>>,
}

pub(super) struct Leaf<D: Data, R: Diff> {
    pub(super) records: D::Column,
    pub(super) sums: Vec<R>,
    zeros: usize,
}

/// A record that no leaf has: the row of the leaf it goes before, the row of the input it is in, its sum.
struct Fresh<R> {
    at: u32,
    row: u32,
    sum: R,
}

impl<D: Data, R: Diff> Sums<D, R> {
    /// Of nothing.
    pub(super) fn new(shape: &ShapeOf<D>) -> Self {
        let leaves = vec![Leaf::empty(shape)];
        Sums { bounds: D::Column::empty(shape), leaves, places: Vec::new(), found: Vec::new(), fresh: Vec::new() }
    }

    /// Adds a diff for each record, in ascending order, maybe the same one several times; `changed` is told of each row
    /// what the sum was and what it is.
    ///
    /// # Errors
    /// A sum leaves the range of its type, or what `changed` says, with the row. There is no going on then.
    pub(super) fn add(
        &mut self,
        records: &D::Column,
        diffs: &Diffs<R>,
        mut changed: impl FnMut(usize, &R, &R) -> Result<(), Fault>,
    ) -> Result<(), (usize, Fault)> {
        self.places.clear();
        if self.bounds.is_empty() {
            self.places.resize(records.len(), 0);
        } else {
            find_all(&self.bounds, 0..self.bounds.len(), None, records, 0..records.len(), &mut self.places);
        }
        let mut uneven = Vec::new();
        let mut next = 0;
        for rows in self.places.chunk_by(|a, b| a == b) {
            let (number, rows) = (rows[0] as usize, next..next + rows.len());
            next = rows.end;
            let leaf = &mut self.leaves[number];
            leaf.add((records, rows), diffs, &mut self.found, &mut self.fresh, &mut changed)?;
            leaf.insert(records, &mut self.fresh);
            // None are left in a leaf that is split: they might be all that a piece of it has.
            if 2 * leaf.zeros > leaf.records.len() || leaf.records.len() > MOST_RECORDS {
                leaf.drop_zeros();
            }
            if leaf.records.is_empty() || leaf.records.len() > MOST_RECORDS {
                uneven.push(number);
            }
        }
        if !uneven.is_empty() {
            self.even_out(&uneven);
        }
        Ok(())
    }

    /// Splits those of the named leaves that are too long, and removes those that are empty.
    fn even_out(&mut self, uneven: &[usize]) {
        let first = uneven[0];
        let rest = self.leaves.split_off(first);
        let mut bounds = D::Column::empty(&self.bounds.shape());
        bounds.extend_range(&self.bounds, 0..first);
        let mut uneven = uneven.iter().peekable();
        for (number, leaf) in (first..).zip(rest) {
            if uneven.next_if(|&&at| at == number).is_none() {
                self.leaves.push(leaf);
            } else if leaf.records.is_empty() {
                continue;
            } else {
                for piece in leaf.pieces() {
                    bounds.extend_range(&leaf.records, piece.end - 1..piece.end);
                    self.leaves.push(leaf.piece(piece));
                }
                // The bound of the leaf is that of its last piece.
                bounds.remove_rows(&[bounds.len() as u32 - 1]);
            }
            if number < self.bounds.len() {
                bounds.extend_range(&self.bounds, number..number + 1);
            }
        }
        // Where the last leaf was removed, the one before is the last.
        if bounds.len() == self.leaves.len() && !bounds.is_empty() {
            bounds.remove_rows(&[bounds.len() as u32 - 1]);
        }
        if self.leaves.is_empty() {
            self.leaves.push(Leaf::empty(&bounds.shape()));
        }
        self.bounds = bounds;
    }

    /// All records with their sums, in order, zeros included; panics if something here is not as it should be.
    #[cfg(test)]
    pub(super) fn checked(&self) -> Vec<(D, R)> {
        assert_eq!(self.bounds.len() + 1, self.leaves.len(), "one bound less than there are leaves");
        let mut all: Vec<(D, R)> = Vec::new();
        for (number, leaf) in self.leaves.iter().enumerate() {
            let rows = leaf.records.len();
            assert_eq!(leaf.sums.len(), rows, "a sum for each record");
            assert!(rows <= MOST_RECORDS && (rows > 0 || self.leaves.len() == 1), "{rows} records in leaf {number}");
            assert_eq!(leaf.zeros, leaf.sums.iter().filter(|sum| sum.is_zero()).count(), "zeros of leaf {number}");
            assert!(2 * leaf.zeros <= rows, "{} zeros of {rows} in leaf {number}", leaf.zeros);
            for row in 0..rows {
                let record = D::Column::owned(leaf.records.get(row));
                assert!(all.last().is_none_or(|(last, _)| *last < record), "{record:?} is not past the one before");
                let bound = |at: usize| D::Column::owned(self.bounds.get(at));
                assert!(number == self.bounds.len() || record <= bound(number), "{record:?} is past its bound");
                assert!(number == 0 || record > bound(number - 1), "{record:?} is of an earlier leaf");
                all.push((record, leaf.sums[row].clone()));
            }
        }
        all
    }
}

impl<D: Data, R: Diff> Leaf<D, R> {
    fn empty(shape: &ShapeOf<D>) -> Self {
        Leaf { records: D::Column::empty(shape), sums: Vec::new(), zeros: 0 }
    }

    /// Adds to the sums that are here, and collects those that are not.
    fn add(
        &mut self,
        (records, rows): (&D::Column, Range<usize>),
        diffs: &Diffs<R>,
        found: &mut Vec<u32>,
        fresh: &mut Vec<Fresh<R>>,
        changed: &mut impl FnMut(usize, &R, &R) -> Result<(), Fault>,
    ) -> Result<(), (usize, Fault)> {
        found.clear();
        find_all(&self.records, 0..self.records.len(), None, records, rows.clone(), found);
        for (row, &at) in rows.zip(&*found) {
            let known = (at as usize) < self.records.len() && self.records.compare(at as usize, records, row).is_eq();
            let sum = if known {
                &mut self.sums[at as usize]
            } else {
                // Further times of a record follow its first.
                if fresh.last().is_none_or(|last| records.compare(last.row as usize, records, row).is_ne()) {
                    fresh.push(Fresh { at, row: row as u32, sum: R::zero() });
                }
                &mut fresh.last_mut().expect("it was pushed").sum
            };
            let after = sum.plus(&diffs.get(row)).map_err(|overflow| (row, overflow.into()))?;
            changed(row, sum, &after).map_err(|fault| (row, fault))?;
            if known {
                self.zeros -= usize::from(sum.is_zero());
                self.zeros += usize::from(after.is_zero());
            }
            *sum = after;
        }
        Ok(())
    }

    /// Puts new records in their places, and leaves none in the list.
    fn insert(&mut self, records: &D::Column, fresh: &mut Vec<Fresh<R>>) {
        fresh.retain(|fresh| !fresh.sum.is_zero());
        if fresh.is_empty() {
            return;
        }
        let mut whole = Self::empty(&records.shape());
        let total = self.records.len() + fresh.len();
        whole.records.reserve(total);
        whole.sums.reserve_exact(total);
        whole.zeros = self.zeros;
        let mut next = 0;
        // Neighbours in both lists go together.
        for run in fresh.chunk_by_mut(|a, b| a.at == b.at && a.row + 1 == b.row) {
            let (at, row) = (run[0].at as usize, run[0].row as usize);
            whole.append(self, next..at);
            whole.records.extend_range(records, row..row + run.len());
            whole.sums.extend(run.iter_mut().map(|fresh| std::mem::replace(&mut fresh.sum, R::zero())));
            next = at;
        }
        whole.append(self, next..self.records.len());
        fresh.clear();
        *self = whole;
    }

    /// Appends some rows of another.
    fn append(&mut self, other: &Self, rows: Range<usize>) {
        self.records.extend_range(&other.records, rows.clone());
        self.sums.extend_from_slice(&other.sums[rows]);
    }

    fn drop_zeros(&mut self) {
        if self.zeros == 0 {
            return;
        }
        let rows: Vec<u32> = (0..).zip(&self.sums).filter_map(|(row, sum)| (!sum.is_zero()).then_some(row)).collect();
        let mut records = D::Column::empty(&self.records.shape());
        records.reserve(rows.len());
        records.extend_gather(&self.records, &rows);
        self.records = records;
        self.sums.retain(|sum| !sum.is_zero());
        self.sums.shrink_to_fit();
        self.zeros = 0;
    }

    /// The rows of even pieces that it is split into: without zeros.
    fn pieces(&self) -> impl Iterator<Item = Range<usize>> + use<D, R> {
        let rows = self.records.len();
        let pieces = rows.div_ceil(FILLED);
        (0..pieces).map(move |piece| rows * piece / pieces..rows * (piece + 1) / pieces)
    }

    fn piece(&self, rows: Range<usize>) -> Self {
        let mut piece = Self::empty(&self.records.shape());
        piece.records.reserve(rows.len());
        piece.sums.reserve_exact(rows.len());
        piece.append(self, rows);
        piece
    }
}
