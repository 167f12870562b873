//! Merging two flat batches, row by row.
//!
//! The batches of small commits are merged at once, as they come, so what counts here is that a merge of two rows with
//! sixty is a handful of calls: no layers are formed, an excerpt shows all of a side at advanced times, and what comes next is
//! noted first and then copied a column at a time.
//!
//! Tested in `merge_laws.rs`, with all other merges.

use std::cmp::Ordering;

use super::Batch;
use super::copies::{Copies, View};
use super::excerpt::Excerpt;
use super::gallop::partition;
use crate::column::Column;
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::Origin;
use crate::updates::Keyed;

/// One of the two, and how far it was read.
struct Side<'a, L: Layout> {
    batch: &'a Batch<L>,
    /// All of it.
    excerpt: Excerpt<L>,
    row: usize,
}

impl<'a, L: Layout> Side<'a, L> {
    fn new(batch: &'a Batch<L>, floor: &L::Time) -> Self {
        let mut excerpt = Excerpt::empty();
        excerpt.open(batch, 0..batch.len(), floor);
        Side { batch, excerpt, row: 0 }
    }

    fn is_done(&self) -> bool {
        self.row == self.batch.len()
    }

    /// How the pair in a row compares with the other side's next one; smaller if that has ended.
    fn compare(&self, row: usize, other: &Self) -> Ordering {
        if other.is_done() {
            return Ordering::Less;
        }
        (self.batch.keys.compare(row, &other.batch.keys, other.row))
            .then_with(|| self.batch.vals.compare(row, &other.batch.vals, other.row))
    }

    /// The row after the last one that holds the pair of the next row.
    fn pair_end(&self) -> usize {
        let (row, len) = (self.row, self.batch.len());
        if self.batch.net {
            return row + 1;
        }
        (row + 1..len).find(|&next| !self.batch.same_pair(row, next)).unwrap_or(len)
    }

    /// The end of the next rows, up to `end`, whose times are still in order where they are one pair's; a pair is not cut.
    fn ordered_end(&self, end: usize) -> usize {
        let again = |row: usize| self.batch.same_pair(row - 1, row);
        match (self.row + 1..end).find(|&row| !self.excerpt.rises(row) && again(row)) {
            Some(row) => (self.row + 1..row).rev().find(|&row| !again(row)).unwrap_or(self.row),
            None => end,
        }
    }

    /// The end of the rows before the other side's next pair; the next row is known to be.
    fn run_end(&self, other: &Self) -> usize {
        partition(self.row + 1..self.batch.len(), |row| self.compare(row, other).is_lt())
    }

    fn view(&self) -> View<'_, L> {
        (&self.excerpt, self.batch)
    }
}

/// The batch of both sides' updates at times joined with `floor`; the one batch rewritten if there is no other.
pub(super) fn merge<L: Layout>(
    older: &Batch<L>,
    newer: Option<&Batch<L>>,
    floor: &L::Time,
) -> Result<Option<Batch<L>>, OverflowAt<L::Time>> {
    let mut sides = [Side::new(older, floor), Side::new(newer.unwrap_or(older), floor)];
    if newer.is_none() {
        sides[1].row = older.len();
    }
    let mut copies = Copies::new();
    while let [a, b] = &sides
        && !(a.is_done() && b.is_done())
    {
        let order = if a.is_done() { Ordering::Greater } else { a.compare(a.row, b) };
        let side = usize::from(order.is_gt());
        let next = &sides[side];
        let ready = if order.is_eq() { next.row } else { next.ordered_end(next.run_end(&sides[1 - side])) };
        if ready > next.row {
            copies.note(side, next.row..ready);
            sides[side].row = ready;
        } else {
            // A pair that both have, or that advancing left out of order.
            let has = |number: usize| order.is_eq() || number == side;
            let pairs =
                [0, 1].map(|number| if has(number) { sides[number].row..sides[number].pair_end() } else { 0..0 });
            copies.settle([a.view(), b.view()], pairs.clone())?;
            for (number, pair) in pairs.into_iter().enumerate().filter(|(number, _)| has(*number)) {
                sides[number].row = pair.end;
            }
        }
    }
    Ok(Batch::new(merged(&sides, copies)))
}

/// The rows that are to be copied.
fn merged<L: Layout>(sides: &[Side<'_, L>; 2], mut copies: Copies<L>) -> Keyed<L> {
    let (key_shape, val_shape) = sides[0].batch.shapes();
    let mut rows = Keyed::<L>::empty(&key_shape, &val_shape);
    rows.keys.reserve(copies.origins().len());
    rows.vals.reserve(copies.origins().len());
    for (side, range) in Origin::ranges(copies.origins()) {
        let batch = sides[side].batch;
        rows.keys.extend_range(&batch.keys, range.clone());
        rows.vals.extend_range(&batch.vals, range);
    }
    copies.copy([sides[0].view(), sides[1].view()], &mut rows.times, &mut rows.diffs);
    rows
}
