//! Collections from streams of timely, and streams of timely from collections.
//!
//! ```text
//!   timely.dataflow(|outside| {
//!       worker.dataflow(|scope| {
//!           let boundary = Boundary::new(scope, outside);
//!           stream of (record, time, diff) ── enter ──> collection ── ... ── leave ──> stream of (record, time, diff)
//!       })
//!   })
//! ```
//!
//! Any operator of timely can so be used before, beside and after ours. What crosses are updates: a collection of timely
//! is a stream of triples, and a record's time is its own, whatever the stamp of the message that brings it. What leaves
//! is grouped by time: a message for each, whose stamp is that time.
//!
//! Our dataflow is built inside timely's: then the summaries that timely asks for when its scope is finished are exact.
//! The other way round they are the least that is safe, which matters on cycles of timely that count on a delay of ours.
//!
//! A commit waits for the region, not for timely: step timely until a probe there says what is needed.
//! Which mode to leave in is told at [`Mode`]; how it works in `region/boundary.rs`. Tested in `boundary_laws.rs`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use timely::dataflow::{Scope as Outside, Stream};

use super::handle::{Changes, Collection};
use super::scope::Scope;
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diff;
use crate::error::{Error, Fault, Reason};
use crate::region::{Crossing, Mode, OuterTime};
use crate::time::{Frontier, TimeColumn};
use crate::updates::Updates;

/// Where streams of a scope of timely enter a region and leave it.
///
/// Made while both are built; it can be used in several dataflows of ours, as long as the scope of timely is open.
///
/// ```
/// use differential::collection::{Boundary, Mode};
/// use differential::prelude::*;
/// use timely::dataflow::operators::{Input, Inspect, Probe};
///
/// timely::execute_directly(|timely| {
///     let mut worker = Worker::in_timely(timely, &Config::default());
///     let (mut lines, counts) = timely.dataflow::<u64, _, _>(|outside| {
///         let (lines, stream) = outside.new_input::<Vec<(String, u64, i64)>>();
///         let counts = worker.dataflow(|scope| {
///             let boundary = Boundary::new(scope, outside);
///             let lines = boundary.enter::<String, i64>("lines", stream);
///             let words = lines.flat_map(|line| line.split(' ').map(str::to_string).collect::<Vec<_>>());
///             boundary.leave(&words.count(), Mode::Full)
///         });
///         let counts = counts.expect("nothing to refuse");
///         (lines, counts.inspect(|((word, count), time, diff)| println!("{time}: {diff:+} {word} {count}")).probe().0)
///     });
///     lines.send(("to be or not to be".to_string(), 0, 1));
///     lines.advance_to(1);
///     while counts.less_than(&1) {
///         timely.step();
///     }
/// });
/// ```
pub struct Boundary<'scope, T: OuterTime> {
    crossing: Crossing<'scope, T>,
    scope: Scope,
}

impl<'scope, T: OuterTime> Boundary<'scope, T> {
    /// A boundary between a dataflow that is being built and a scope of timely that is too.
    ///
    /// # Errors
    /// [`Error::Coordinates`] if the times on both sides differ in their number of coordinates, told by
    /// [`Worker::dataflow`](super::Worker::dataflow).
    pub fn new(scope: &Scope, outside: Outside<'scope, T>) -> Self {
        let inside = scope.region().input_coordinates();
        if T::COORDINATES != inside {
            scope.refuse(Error::Coordinates { outside: T::COORDINATES, inside });
        }
        let mut outermost = scope;
        while let Some(parent) = outermost.parent() {
            outermost = parent;
        }
        Boundary { crossing: Crossing::new(scope.region(), outside), scope: outermost.clone() }
    }

    /// A stream of updates as a collection, in the outermost scope. Each worker's part stays on that worker.
    ///
    /// # Errors
    /// An update whose time is earlier than timely said it might be stops the operator, as does a timely dataflow that
    /// is dropped before this stream has ended; `commit` and `step` report it.
    pub fn enter<D: Data, R: Diff>(&self, name: &str, stream: Stream<'scope, T, Vec<(D, T, R)>>) -> Collection<D, R>
    where
        ShapeOf<D>: Default,
    {
        self.enter_of_shape(name, Default::default(), stream)
    }

    /// [`enter`](Self::enter) as records whose column is typed at run time, by `shape`.
    ///
    /// # Errors
    /// As `enter`.
    pub fn enter_of_shape<D: Data, R: Diff>(
        &self,
        name: &str,
        shape: ShapeOf<D>,
        stream: Stream<'scope, T, Vec<(D, T, R)>>,
    ) -> Collection<D, R> {
        let column = shape.clone();
        let change = move |updates: Vec<(D, T, R)>, frontier: &Frontier<_>| {
            let mut changes = Changes::<D, R>::empty(&column);
            for (record, time, diff) in updates {
                let time = time.enter();
                if !frontier.admits(&time) {
                    let reason = Reason::Other(format!("an update came when only {frontier:?} was still to come"));
                    return Err(Fault { time: Some(time), reason });
                }
                changes.push(record, &time, diff);
            }
            Ok(changes)
        };
        let stream = self.crossing.enter(name, stream, change);
        Collection { stream, scope: self.scope.clone(), shape, settled: false, gathered: false }
    }

    /// A collection as a stream of updates: each in a message whose time is its own.
    ///
    /// They are not added up; [`consolidate`](Collection::consolidate) first where that matters. Each worker hands out
    /// what it has.
    ///
    /// # Errors
    /// [`Error::Held`] if there is an exchange between what enters by this boundary and what leaves in
    /// [`Mode::Held`], and [`Error::Scopes`] for a collection of a loop, both told by
    /// [`Worker::dataflow`](super::Worker::dataflow). A time that has no counterpart outside stops the operator.
    pub fn leave<D: Data, R: Diff>(
        &self,
        collection: &Collection<D, R>,
        mode: Mode,
    ) -> Stream<'scope, T, Vec<(D, T, R)>> {
        if collection.scope.depth() != self.scope.depth() {
            let (left, right) = (collection.scope.name().into(), "a dataflow of timely".into());
            self.scope.refuse(Error::Scopes { left, right });
        }
        let (stream, exit) = self.crossing.leave("leave to timely", &collection.stream, mode, sort_out::<D, T, R>);
        if mode == Mode::Held {
            self.scope.check(self.crossing.check(exit));
        }
        stream
    }
}

/// Adds updates to those at their times.
fn sort_out<D: Data, T: OuterTime, R: Diff>(
    updates: Changes<D, R>,
    sorted: &mut BTreeMap<T, Vec<(D, T, R)>>,
) -> Result<(), Fault> {
    let Updates { data, times, diffs } = updates;
    // Most containers hold one time, which is then taken out once.
    let only = times.uniform();
    for row in 0..diffs.len() {
        let time = only.as_ref().map_or_else(|| Cow::Owned(times.get(row)), Cow::Borrowed);
        let outer = T::leave(&time).ok_or_else(|| {
            let reason = Reason::Other("timely's times do not reach so far".to_string());
            Fault { time: Some(time.into_owned()), reason }
        })?;
        let update = (D::Column::owned(data.get(row)), outer.clone(), diffs.get(row).clone());
        sorted.entry(outer).or_default().push(update);
    }
    Ok(())
}
