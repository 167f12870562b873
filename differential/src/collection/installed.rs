//! A dataflow that can be taken out again.
//!
//! ```text
//!   install --> roads, by town ----> lookup A          remove A: its operators go, and its part of what is kept
//!                    |
//!                    '-------------> lookup B          remove roads: stays until B, which reads it, has gone too
//! ```
//!
//! A query is of use for a while, and the collections it reads live on. What is taken out is not run any more, nor kept:
//! its operators and their traces go, and so do their holds on the traces that they read, which may then be compacted.
//!
//! Dropping the handle takes nothing out. All workers must take out the same dataflows, and a handle that goes out of
//! scope by an early return on one of them would otherwise do so there alone.
//!
//! Tested in `tests/tests/whole/programs/growth.rs`.

use crate::region::{NodeId, Region};

/// A dataflow of a worker, to be taken out; made by [`Worker::install`](super::Worker::install).
///
/// Dropping it leaves the dataflow where it is, for good.
pub struct Installed {
    region: Region,
    nodes: Vec<NodeId>,
}

impl Installed {
    pub(super) fn new(region: Region, nodes: Vec<NodeId>) -> Self {
        Installed { region, nodes }
    }

    /// How many of its operators are still there: once it is taken out, those that other dataflows read from.
    pub fn operators(&self) -> usize {
        self.nodes.iter().filter(|&&node| self.region.has(node)).count()
    }

    /// Takes the dataflow out, whatever work it has left, and answers how many of its operators stay for now: those that
    /// later dataflows read from, directly or through others, until these are taken out too.
    ///
    /// Its outputs, and handles on its arrangements, can still be read: they say what was complete by now, and stay as
    /// they are. Once an operator has gone, what its session is fed is dropped, and a later dataflow that uses its
    /// collection is refused with [`Error::Removed`](crate::Error::Removed).
    ///
    /// With several workers, each of them takes the same dataflows out, between the same commits. Until all have, those
    /// that still have it get nothing from the others, so what it says there is not complete any more.
    ///
    /// Cost: in proportion to the operators of all dataflows, not to what they keep, which is freed.
    ///
    /// ```
    /// use differential::{Config, run_alone};
    ///
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut numbers, kept) = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         (session, numbers.arrange_by_self("numbers"))
    ///     })?;
    ///     numbers.insert(3);
    ///     worker.commit(&mut numbers)?;
    ///
    ///     // A question asked later, of what is there by now; and done with.
    ///     let (output, query) = worker.install(|_| kept.as_collection(|number, _| 10 * number).output())?;
    ///     numbers.insert(4);
    ///     worker.commit(&mut numbers)?;
    ///     query.remove();
    ///
    ///     numbers.insert(5);
    ///     worker.commit(&mut numbers)?;
    ///     Ok::<_, differential::Error>(output.rows())
    /// });
    /// assert_eq!(rows.unwrap(), Ok(vec![(30, 1), (40, 1)]));
    /// ```
    pub fn remove(self) -> usize {
        self.region.remove(&self.nodes);
        self.operators()
    }
}
