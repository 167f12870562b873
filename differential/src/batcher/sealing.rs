//! What a closed interval held, on its way to be sorted: a step at a time, as rows or as a batch.
//!
//! The hold of its rows goes on until the last has come out.

use crate::batch::{Batch, Layers};
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::Frontier;
use crate::updates::{Keyed, Sorting};

/// The updates of an interval, not none, being sorted and added up.
pub struct Sealing<L: Layout> {
    sorting: Sorting<L>,
    /// What came out and was not used yet.
    rows: Keyed<L>,
    /// Of what came out, what is to be a batch; nothing if it was used as rows, or if all came out at once.
    layers: Option<Box<Layers<L>>>,
    /// How many rows came in.
    count: usize,
    lower: Frontier<L::Time>,
}

impl<L: Layout> Sealing<L> {
    pub(super) fn new(chunks: Vec<Keyed<L>>, lower: Frontier<L::Time>) -> Self {
        let (keys, vals) = chunks[0].shapes();
        let count = chunks.iter().map(Keyed::len).sum();
        Sealing { sorting: Sorting::new(chunks), rows: Keyed::empty(&keys, &vals), layers: None, count, lower }
    }

    /// Of rows that are sorted and added up already.
    pub(super) fn done(rows: Keyed<L>) -> Self {
        Sealing { sorting: Sorting::done(), count: rows.len(), rows, layers: None, lower: Frontier::empty() }
    }

    /// Whether everything has come out.
    pub fn is_done(&self) -> bool {
        self.sorting.is_done()
    }

    /// Goes on for about `effort` rows, takes what it did from it, and lends what came out: sorted, added up, each time
    /// after all that came out before. What the caller takes is gone, the rest stays.
    ///
    /// # Errors
    /// A total leaves the range of the diff; there is no going on then.
    pub fn rows(&mut self, effort: &mut usize) -> Result<&mut Keyed<L>, OverflowAt<L::Time>> {
        self.sorting.step(effort, &mut self.rows)?;
        Ok(&mut self.rows)
    }

    /// Goes on for about `effort` rows, takes what it did from it, and makes a batch of what comes out: when
    /// [all has](Self::is_done), that is the answer, unless it adds up to nothing.
    ///
    /// # Errors
    /// As [`rows`](Self::rows).
    pub fn batch(&mut self, effort: &mut usize) -> Result<Option<Batch<L>>, OverflowAt<L::Time>> {
        self.sorting.step(effort, &mut self.rows)?;
        let (keys, vals) = self.rows.shapes();
        if self.is_done() && self.layers.is_none() {
            return Ok(Batch::new(std::mem::replace(&mut self.rows, Keyed::empty(&keys, &vals))));
        }
        self.layers.get_or_insert_with(|| Box::new(Layers::empty(&keys, &vals, self.count))).push(&mut self.rows);
        Ok(self.layers.take_if(|_| self.sorting.is_done()).and_then(|layers| layers.finish()))
    }

    /// Lowers `frontier` to the times of these updates.
    pub fn holds(&self, frontier: &mut Frontier<L::Time>) {
        frontier.extend(&self.lower);
    }
}
