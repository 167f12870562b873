//! Linear operators of whole columns: the function sees a column of records, and makes one of records.
//!
//! ```text
//!   data   a  b  c  d        function    made    data A C C      rows 0 2 2      at most so many as wanted
//!   times  4  4  5  5       ─────────>   failed  data "b is .."  rows 1
//!   diffs +1 -1 +1 +1
//!                                        made    times 4 5 5     diffs +1 +1 +1   gathered by rows, or moved
//! ```
//!
//! For records that are typed at run time, and wherever a loop over a lane beats a call a record. The function says of
//! which row each record is made; times and diffs are brought along by one gather each, and moved as they are where
//! record and row are the same throughout.
//!
//! Cost: what the function costs, and a copy of the times and diffs of what is made. A node of two outputs has one
//! frontier, so what fails costs nothing until something does. Why not two nodes, one for what succeeds and one for what
//! fails: each would evaluate everything.
//!
//! Tested in `tests/tests/boxes/linear_box.rs`.

use super::handle::{Changes, Collection};
use super::rowwise::keep_small;
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diff;
use crate::error::Fault;
use crate::region::{Output, Relay, SlotRule};
use crate::time::TimeColumn;
use crate::updates::Updates;

/// Records made from the rows of a column, and which row each was made from.
#[derive(Clone, Debug)]
pub struct Made<D: Data> {
    /// The records.
    pub data: D::Column,
    /// The row of each, unless `each`. A row may be named several times or not at all, in any order.
    pub rows: Vec<u32>,
    /// Whether there is one record for each row, in their order; then `rows` is not looked at.
    pub each: bool,
}

impl<D: Data> Made<D> {
    /// No records.
    pub fn empty(shape: &ShapeOf<D>) -> Self {
        Made { data: D::Column::empty(shape), rows: Vec::new(), each: false }
    }
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// Each record replaced by the records that `logic` makes of it: none, one or several, a whole column at a time.
    ///
    /// `logic` is handed a column of records and what to append to, empty; it says of which row each record is made. It
    /// may take out of the column what it wants: what it leaves is cleared. `name` is told in logs and errors.
    ///
    /// It does all the rows of a column in one go. Where a row may become very many,
    /// [`flat_map`](Collection::flat_map) gives way in between.
    ///
    /// # Panics
    /// As a panic of `logic`, if there is not a row for each record: `commit` reports it.
    ///
    /// ```
    /// use differential::collection::Made;
    /// use differential::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// run_alone(Config::default(), |worker| {
    ///     let (mut numbers, mut halves) = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         let halves = numbers.map_columns::<u64>("halves", (), |numbers, made| {
    ///             made.rows.extend((0..).zip(&*numbers).filter(|(_, number)| **number % 2 == 0).map(|(row, _)| row));
    ///             made.data.extend(made.rows.iter().map(|row| numbers[*row as usize] / 2));
    ///         });
    ///         (session, halves.output())
    ///     })?;
    ///     (0..5).for_each(|number| numbers.insert(number));
    ///     let epoch = worker.commit(&mut numbers)?;
    ///     assert_eq!(halves.snapshot(epoch)?, [(0, 1), (1, 1), (2, 1)]);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn map_columns<D2: Data>(
        &self,
        name: &str,
        shape: ShapeOf<D2>,
        mut logic: impl FnMut(&mut D::Column, &mut Made<D2>) + 'static,
    ) -> Collection<D2, R> {
        self.try_map_columns::<D2, ()>(name, shape, (), move |records, made, _| logic(records, made)).0
    }

    /// [`map_columns`](Self::map_columns) with a second collection: of what could not be made, say, and why.
    ///
    /// Both are made from the same rows: when a record goes, so does what it failed with.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// run_alone(Config::default(), |worker| {
    ///     let (mut texts, mut numbers, mut failed) = worker.dataflow(|scope| {
    ///         let (session, texts) = scope.input::<String>("texts");
    ///         let (numbers, failed) = texts.try_map_columns::<u64, String>("parse", (), (), |texts, made, failed| {
    ///             use differential::column::Column;
    ///             for row in 0..Column::len(texts) {
    ///                 match texts.get(row).parse() {
    ///                     Ok(number) => (made.data.push(number), made.rows.push(row as u32)),
    ///                     Err(_) => (failed.data.push(texts.get(row)), failed.rows.push(row as u32)),
    ///                 };
    ///             }
    ///         });
    ///         (session, numbers.output(), failed.output())
    ///     })?;
    ///     texts.insert("7".to_string());
    ///     texts.insert("seven".to_string());
    ///     let epoch = worker.commit(&mut texts)?;
    ///     assert_eq!(numbers.snapshot(epoch)?, [(7, 1)]);
    ///     assert_eq!(failed.snapshot(epoch)?, [("seven".to_string(), 1)]);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Panics
    /// As [`map_columns`](Self::map_columns).
    pub fn try_map_columns<D2: Data, E: Data>(
        &self,
        name: &str,
        shape: ShapeOf<D2>,
        failed_shape: ShapeOf<E>,
        logic: impl FnMut(&mut D::Column, &mut Made<D2>, &mut Made<E>) + 'static,
    ) -> (Collection<D2, R>, Collection<E, R>) {
        let region = self.scope.region();
        let node = region.reserve(name, self.scope.depth(), SlotRule::Shared);
        let (output, stream) = region.output(node);
        let (failed_output, failed_stream) = region.output(node);
        let made = (Updates::empty(&shape), Made::empty(&shape));
        let failed = (Updates::empty(&failed_shape), Made::empty(&failed_shape));
        region.install_relay(node, &[&self.stream], Columnwise { output, failed_output, made, failed, logic });
        let (scope, gathered) = (self.scope.clone(), self.gathered);
        let collection = Collection { stream, scope: scope.clone(), shape, settled: false, gathered };
        let failed = Collection { stream: failed_stream, scope, shape: failed_shape, settled: false, gathered };
        (collection, failed)
    }
}

struct Columnwise<R: Diff, D2: Data, E: Data, F> {
    output: Output<Changes<D2, R>>,
    failed_output: Output<Changes<E, R>>,
    /// What is sent, and what the function fills: empty between containers, and so is the other.
    made: (Changes<D2, R>, Made<D2>),
    failed: (Changes<E, R>, Made<E>),
    logic: F,
}

impl<D: Data, R: Diff, D2: Data, E: Data, F> Relay<Changes<D, R>> for Columnwise<R, D2, E, F>
where
    F: FnMut(&mut D::Column, &mut Made<D2>, &mut Made<E>),
{
    fn take(&mut self, updates: &mut Changes<D, R>) -> Result<(), Fault> {
        let rows = updates.len();
        (self.logic)(&mut updates.data, &mut self.made.1, &mut self.failed.1);
        updates.data.clear();
        send(&mut self.failed, updates, &self.failed_output, false);
        send(&mut self.made, updates, &self.output, true);
        updates.clear();
        keep_small(updates, rows);
        Ok(())
    }
}

/// Sends what was made, with the times and diffs of its rows. They are moved if they can be, from the last to be sent.
fn send<D, R, D2>(
    (sent, made): &mut (Changes<D2, R>, Made<D2>),
    of: &mut Changes<D, R>,
    output: &Output<Changes<D2, R>>,
    last: bool,
) where
    D: Data,
    R: Diff,
    D2: Data,
{
    let count = if made.each { of.len() } else { made.rows.len() };
    assert_eq!(made.data.len(), count, "a row for each record");
    if count > 0 {
        std::mem::swap(&mut sent.data, &mut made.data);
        if !made.each {
            sent.times.extend_gather(&of.times, &made.rows);
            sent.diffs.extend_gather(&of.diffs, &made.rows);
        } else if last {
            std::mem::swap(&mut sent.times, &mut of.times);
            std::mem::swap(&mut sent.diffs, &mut of.diffs);
        } else {
            sent.times.extend_range(&of.times, 0..count);
            sent.diffs.extend_range(&of.diffs, 0..count);
        }
        output.send_from(sent, || Updates::empty(&made.data.shape()));
    }
    made.rows.clear();
    made.each = false;
}
