//! The next updates of a batch that is being merged, at the times that they will have.
//!
//! Times are joined with `floor` for some hundred updates at once, a `max` for each coordinate, and so is it worked out
//! which of them are later than the one before: a merge then asks with a look at a flag whether a value's updates are
//! still in order, and copies times that are ready.
//!
//! Invariant: what is said of an excerpt's rows is said by numbers of the excerpt, from zero on. Cost: the times of the
//! excerpt. Why not the whole batch at once: a merge of 10^8 updates is done a little at a time, and so is this.

use std::ops::Range;

use super::Batch;
use crate::layout::{Layout, Times};
use crate::time::{Origin, Side, TimeColumn};

/// Some neighbouring updates of a batch, at the times they will have.
pub(super) struct Excerpt<L: Layout> {
    /// Which of the batch's updates.
    rows: Range<usize>,
    /// Their times, joined with the floor.
    times: Times<L>,
    /// Whether each is later than the one before it; empty where every pair's updates are in order: where no pair has two,
    /// or no time is changed by the floor.
    rises: Vec<bool>,
}

impl<L: Layout> Excerpt<L> {
    /// An excerpt with nothing in it.
    pub(super) fn empty() -> Self {
        Excerpt { rows: 0..0, times: Times::<L>::default(), rises: Vec::new() }
    }

    /// Moves the excerpt to other updates of its batch.
    pub(super) fn open(&mut self, batch: &Batch<L>, rows: Range<usize>, floor: &L::Time) {
        assert!(rows.len() < Origin::ROWS, "{} updates of one value", rows.len());
        self.times.clear();
        self.times.extend_joined(&batch.times, rows.clone(), floor);
        self.rows = rows;
        self.rises.clear();
        if !batch.net && !batch.times.are_past(self.rows.clone(), floor) {
            self.times.rises(&mut self.rises);
        }
    }

    /// The batch's updates from the first up to here are in the excerpt, or were.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.rows.end
    }

    /// Whether all of these updates of the batch are in the excerpt.
    #[inline]
    pub(super) fn holds(&self, rows: &Range<usize>) -> bool {
        self.rows.start <= rows.start && rows.end <= self.rows.end
    }

    /// Where in the excerpt these updates of the batch are.
    #[inline]
    pub(super) fn place(&self, rows: Range<usize>) -> Range<usize> {
        debug_assert!(self.holds(&rows), "updates {rows:?} in an excerpt of {:?}", self.rows);
        rows.start - self.rows.start..rows.end - self.rows.start
    }

    /// Whether each pair's updates are still in order.
    #[inline]
    pub(super) fn all_ordered(&self) -> bool {
        self.rises.is_empty()
    }

    /// Whether these updates, which are one pair's, are still in order.
    #[inline]
    pub(super) fn is_ordered(&self, place: Range<usize>) -> bool {
        place.len() < 2 || self.all_ordered() || self.rises[place.start + 1..place.end].iter().all(|rises| *rises)
    }

    /// Whether this update is later than the one before it, where a pair may have both.
    #[inline]
    pub(super) fn rises(&self, place: usize) -> bool {
        self.rises.get(place).is_none_or(|rises| *rises)
    }

    /// The times of the excerpt.
    #[inline]
    pub(super) fn times(&self) -> &Times<L> {
        &self.times
    }

    /// The diffs of the excerpt.
    #[inline]
    pub(super) fn diffs<'a>(&self, batch: &'a Batch<L>) -> Side<'a, L::Diff> {
        batch.diffs.side().rows(self.rows.clone())
    }
}
