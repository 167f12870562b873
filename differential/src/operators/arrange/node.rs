//! The node that seals batches, and what every node that writes a trace shares.

use std::sync::Arc;

use super::handle::Arranged;
use crate::batch::{Batch, Span};
use crate::collection::{Changes, Collection, Scope, exchanged};
use crate::column::{Column, Data};
use crate::diff::Diff;
use crate::error::{Fault, OverflowAt};
use crate::layout::{KeyShape, Layout, Rows, ValShape};
use crate::operators::collecting::Collecting;
use crate::region::{Fuel, Input, Node, NodeId, Output, SlotRule, Stream, Visit};
use crate::time::{Frontier, Point};
use crate::trace::{TraceHandle, TraceWriter};
use crate::updates::Keyed;

/// Merging done in one upkeep visit, in updates.
const UPKEEP_UPDATES: u64 = 1 << 16;

/// The writing end of an arrangement: appends to its trace and tells its readers.
pub(crate) struct Writing<L: Layout<Time = Point>> {
    trace: TraceWriter<L>,
    spans: Output<Span<L>>,
    upper: Frontier<Point>,
}

impl<L: Layout<Time = Point>> Writing<L> {
    /// Up to where the trace is written.
    pub(crate) fn upper(&self) -> &Frontier<Point> {
        &self.upper
    }

    /// A reader of what is written here, for the writer itself.
    pub(crate) fn reader(&self) -> TraceHandle<L> {
        self.trace.handle()
    }

    /// Ends the present interval at `upper`, with what happened in it. True if the trace has merging left.
    pub(crate) fn write(
        &mut self,
        upper: &Frontier<Point>,
        batch: Option<Batch<L>>,
    ) -> Result<bool, OverflowAt<Point>> {
        if let Some(batch) = batch {
            let span = Span { lower: self.upper.clone(), upper: upper.clone(), batch: Some(Arc::new(batch)) };
            self.trace.append(span.clone())?;
            self.spans.send(span);
        } else {
            // Readers learn of time that passed from frontiers.
            self.trace.pass(upper);
        }
        self.upper.clone_from(upper);
        self.trace.maintain(0)
    }

    /// Merges for a while; whether more is left.
    pub(crate) fn upkeep(&mut self, fuel: &mut Fuel) -> Result<bool, OverflowAt<Point>> {
        let updates = fuel.left().min(UPKEEP_UPDATES);
        fuel.take(updates);
        self.trace.maintain(updates as usize)
    }
}

/// Adds a node that writes an arrangement: `make` is given its writing end.
pub(crate) fn arranged<L: Layout<Time = Point>, N: Node + 'static>(
    scope: &Scope,
    node: NodeId,
    shapes: (KeyShape<L>, ValShape<L>),
    make: impl FnOnce(Writing<L>) -> N,
) -> Arranged<L> {
    let region = scope.region();
    let (spans, stream) = region.output(node);
    let trace = TraceWriter::observed(region.observer(node));
    let handle = trace.handle();
    region.install(node, make(Writing { trace, spans, upper: Frontier::minimum() }));
    Arranged::new(stream, scope, handle, shapes)
}

impl<K: Data, V: Data, R: Diff> Collection<(K, V), R> {
    /// Gives the collection a memory, sorted by the first part of its pairs.
    ///
    /// Cost: each update is sorted once and merged a logarithmic number of times. Any number of joins and reductions can
    /// share the result.
    pub fn arrange_by_key(&self, name: &str) -> Arranged<Rows<K, V, Point, R>> {
        let hashes = |data: &<(K, V) as Data>::Column, hashes: &mut Vec<u64>| data.0.hashes(0..data.0.len(), hashes);
        let stream = exchanged(self.scope.region(), "exchange by key", &self.shape, &self.stream, hashes);
        arrange(&self.scope, name, &stream, self.shape.clone(), |updates: Changes<(K, V), R>| {
            let (keys, vals) = updates.data;
            Keyed { keys, vals, times: updates.times, diffs: updates.diffs }
        })
    }
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// Gives the collection a memory, sorted by its records; values are empty.
    pub fn arrange_by_self(&self, name: &str) -> Arranged<Rows<D, (), Point, R>> {
        self.exchange().arrange_here(name)
    }

    /// As [`arrange_by_self`](Self::arrange_by_self), of what is on this worker.
    pub(crate) fn arrange_here(&self, name: &str) -> Arranged<Rows<D, (), Point, R>> {
        arrange(&self.scope, name, &self.stream, (self.shape.clone(), ()), Keyed::by_self)
    }
}

fn arrange<C: Clone + 'static, L: Layout<Time = Point>>(
    scope: &Scope,
    name: &str,
    stream: &Stream<C>,
    shapes: (KeyShape<L>, ValShape<L>),
    split: impl FnMut(C) -> Keyed<L> + 'static,
) -> Arranged<L> {
    let region = scope.region();
    let node = region.reserve(name, scope.depth(), SlotRule::Meet);
    let input = region.connect(node, stream);
    arranged(scope, node, shapes, |writing| Arrange { input, split, collecting: Collecting::new(), writing })
}

struct Arrange<C, L: Layout<Time = Point>, F> {
    input: Input<C>,
    split: F,
    collecting: Collecting<L>,
    writing: Writing<L>,
}

impl<C: Clone + 'static, L: Layout<Time = Point>, F: FnMut(C) -> Keyed<L> + 'static> Node for Arrange<C, L, F> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(container) = self.input.next() {
            self.collecting.push((self.split)(container));
        }
        while let Some(mut interval) = self.collecting.next(visit)? {
            let batch = interval.batch(visit.fuel)?;
            if !interval.is_done() {
                self.collecting.put_back(interval, visit);
                break;
            }
            if self.writing.write(&interval.upper, batch)? {
                visit.rest();
            }
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.collecting.holds(holds);
    }

    fn upkeep(&mut self, fuel: &mut Fuel) -> Result<bool, Fault> {
        Ok(self.writing.upkeep(fuel)?)
    }
}
