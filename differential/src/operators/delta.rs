//! What changed, as rows.
//!
//! ```text
//!   epoch            0              1              2
//!   collection       {a, b}         {b, c}         {b, c}
//!   delta            {(a,1) (b,1)}  {(a,-1) (c,1)} {}
//! ```
//!
//! An update `(record, time, diff)` becomes the row `(record, diff)` at its time, and goes again one time later. So the
//! changes of a commit are a collection as any other, to be counted, joined and kept an eye on: "more than a hundred
//! orders cancelled in one commit".

use crate::collection::{Changes, Collection};
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diff;
use crate::time::Lane;

impl<D: Data, R: Diff + Data> Collection<D, R> {
    /// At each time, the records whose count changes there, with that change: `(record, change)`, once each.
    ///
    /// What is told at one epoch is gone at the next, so it is in proportion to that one commit. (In a loop, times are
    /// rounds: it tells what changes in a round, and inputs of several coordinates count the last one.)
    ///
    /// # Errors
    /// A time that overflows stops the operator; `commit` reports it.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let seen = run_alone(Config::default(), |worker| {
    ///     let (mut orders, moves) = worker.dataflow(|scope| {
    ///         let (session, orders) = scope.input::<u32>("orders");
    ///         (session, orders.delta().map(|(_order, change)| change).count().output())
    ///     })?;
    ///     let mut seen = Vec::new();
    ///     for changes in [&[(1, 1), (2, 1), (3, 1)][..], &[(2, -1), (4, 1)], &[]] {
    ///         changes.iter().for_each(|(order, diff)| orders.update(*order, *diff));
    ///         worker.commit(&mut orders)?;
    ///         seen.push(moves.rows()?.into_iter().map(|(row, _)| row).collect::<Vec<_>>());
    ///     }
    ///     Ok::<_, Error>(seen)
    /// });
    /// // Three insertions, then one removal and one insertion, then nothing.
    /// assert_eq!(seen, Ok(vec![vec![(1, 3)], vec![(-1, 1), (1, 1)], vec![]]));
    /// ```
    pub fn delta(&self) -> Collection<(D, R)>
    where
        ShapeOf<R>: Default,
    {
        // Updates that cancel, or add up, must have met.
        let shape = (self.shape.clone(), Default::default());
        let told = self.consolidate().rewrite("delta", shape, |updates, told: &mut Changes<(D, R), i64>| {
            told.data.1.extend_owned((0..updates.len()).map(|row| updates.diffs.get(row).clone()));
            told.diffs = Lane::repeat(1, updates.len());
            std::mem::swap(&mut updates.data, &mut told.data.0);
            std::mem::swap(&mut updates.times, &mut told.times);
            updates.clear();
            Ok(())
        });
        told.concat(&told.delay(1).negate())
    }
}
