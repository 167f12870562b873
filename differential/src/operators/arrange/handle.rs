//! [`Arranged`]: a handle on spans and their trace, and how an operator becomes its reader.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use crate::batch::{Batch, Span};
use crate::collection::{Changes, Collection, Follow, Scope};
use crate::column::{Column, Data, ShapeOf};
use crate::error::Fault;
use crate::layout::{Key, KeyShape, Layout, Val, ValShape};
use crate::region::{Input, Node, NodeId, Output, SlotRule, Stream, Visit};
use crate::time::{Frontier, Point, TimeColumn};
use crate::trace::TraceHandle;
use crate::updates::Updates;

/// A collection with a memory: sorted batches of its updates, shared by everyone who reads it.
///
/// A handle: a clone is the same arrangement. While one is kept, what the collection was at the last complete commit can
/// be read, and another dataflow can use it.
pub struct Arranged<L: Layout<Time = Point>> {
    pub(crate) stream: Stream<Span<L>>,
    pub(crate) scope: Scope,
    pub(crate) trace: Rc<TraceHandle<L>>,
    pub(crate) shapes: (KeyShape<L>, ValShape<L>),
}

impl<L: Layout<Time = Point>> Clone for Arranged<L> {
    fn clone(&self) -> Self {
        Arranged {
            stream: self.stream.clone(),
            scope: self.scope.clone(),
            trace: self.trace.clone(),
            shapes: self.shapes.clone(),
        }
    }
}

/// The reading end of an arrangement, as a node holds it: spans as they come, and a hold on their trace.
pub(crate) struct Reader<L: Layout<Time = Point>> {
    pub(crate) spans: Spans<L>,
    pub(crate) trace: TraceHandle<L>,
    /// The depth of the trace's own scope; a reader in a loop holds the truncated image of its frontier.
    depth: usize,
}

/// The spans that a reader has not taken yet: first those that were there before it, then those that come.
pub(crate) struct Spans<L: Layout<Time = Point>> {
    before: Vec<Span<L>>,
    /// What times of the spans before are to be advanced by: the trace may have been compacted to it.
    pub(crate) as_of: Option<Frontier<Point>>,
    coming: Input<Span<L>>,
}

impl<L: Layout<Time = Point>> Spans<L> {
    pub(crate) fn next(&mut self) -> Option<Span<L>> {
        self.before.pop().or_else(|| self.coming.next())
    }

    /// Lowers `holds` to the times at which the spans from before may still speak.
    pub(crate) fn holds(&self, holds: &mut Frontier<Point>) {
        if let (false, Some(as_of)) = (self.before.is_empty(), &self.as_of) {
            holds.extend(as_of);
        }
    }
}

impl<L: Layout<Time = Point>> Reader<L> {
    /// The least times of a fresh batch, as this reader sees them.
    pub(crate) fn least_times(&self, batch: &Batch<L>) -> Frontier<Point> {
        let mut times = Frontier::empty();
        batch.times().lower_into(0..batch.len(), &mut times);
        let Some(as_of) = &self.spans.as_of else { return times };
        let advanced = times.elements().iter().cloned().map(|mut time| {
            as_of.advance(&mut time);
            time
        });
        advanced.collect()
    }

    /// Lets the trace forget what can't be told apart at or past `frontier`.
    pub(crate) fn hold_times(&self, frontier: &Frontier<Point>) {
        let seen_from_outside: Frontier<Point> =
            frontier.elements().iter().map(|time| time.truncated(self.depth)).collect();
        self.trace.hold_times(&seen_from_outside);
    }
}

/// The hold of a user's handle: what the last commit that moved the trace has completed can be read.
///
/// It follows where the trace was written to, and not what a commit asked for: sessions may be committed apart, and a
/// hold past the trace's own `upper` would give up times that are not even complete.
struct LastCommit<L: Layout<Time = Point>> {
    trace: Weak<TraceHandle<L>>,
    /// The trace's `upper` after the last commit.
    upper: RefCell<Frontier<Point>>,
}

impl<L: Layout<Time = Point>> Follow for LastCommit<L> {
    fn commit_begins(&self) -> bool {
        self.trace.strong_count() > 0
    }

    fn commit_ends(&self) {
        let Some(trace) = self.trace.upgrade() else { return };
        let before = self.upper.replace(trace.upper());
        if before != *self.upper.borrow() {
            trace.hold_times(&before);
            // Late readers take everything so far, wherever it was cut.
            trace.hold_position(trace.newest());
        }
    }
}

impl<L: Layout<Time = Point>> Arranged<L> {
    /// A handle on a trace and the stream of its spans.
    pub(crate) fn new(
        stream: Stream<Span<L>>,
        scope: &Scope,
        trace: TraceHandle<L>,
        shapes: (KeyShape<L>, ValShape<L>),
    ) -> Self {
        let trace = Rc::new(trace);
        scope.follow_commits(LastCommit { trace: Rc::downgrade(&trace), upper: RefCell::new(trace.upper()) });
        Arranged { stream, scope: scope.clone(), trace, shapes }
    }

    /// The scope it lives in.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The same arrangement, seen from a loop inside its scope. No node, no copy.
    pub fn enter(&self, scope: &Scope) -> Self {
        let scope = self.scope.combine(scope);
        Arranged { scope, ..self.clone() }
    }

    /// What has been given up: a time not in advance of this can't be read any more.
    pub fn since(&self) -> Frontier<Point> {
        self.trace.since()
    }

    /// What may still come: a time in advance of this is not complete.
    pub fn upper(&self) -> Frontier<Point> {
        self.trace.upper()
    }

    /// Shows `logic` every complete update that is held: key, value, time and diff.
    ///
    /// Updates come in no order to rely on, and times only as far as they are still told apart: at or past
    /// [`since`](Self::since), what they add up to is the collection. Cost: a call for each update held.
    pub fn for_each(&self, mut logic: impl FnMut(Key<'_, L>, Val<'_, L>, &Point, &L::Diff)) {
        let batches = self.trace.read(self.trace.newest()).expect("the newest position can always be read");
        for batch in batches {
            for key in 0..batch.keys().len() {
                for val in batch.vals_of(key..key + 1) {
                    for update in batch.updates_of(val..val + 1) {
                        let (time, diff) = (batch.times().get(update), batch.diffs().get(update));
                        logic(batch.keys().get(key), batch.vals().get(val), &time, &diff);
                    }
                }
            }
        }
    }

    /// Makes `node` a reader: it sees every span once.
    pub(crate) fn reader(&self, node: NodeId) -> Reader<L> {
        let coming = self.scope.region().connect(node, &self.stream);
        let trace = TraceHandle::clone(&self.trace);
        trace.hold_position(trace.newest());
        let batches = trace.read(trace.newest()).expect("the newest position can always be read");
        let as_of = (!batches.is_empty()).then(|| trace.since());
        let upper = trace.upper();
        let span = |batch| Span { lower: Frontier::minimum(), upper: upper.clone(), batch: Some(batch) };
        let before = batches.into_iter().rev().map(span).collect();
        Reader { spans: Spans { before, as_of, coming }, trace, depth: self.stream.depth() }
    }

    /// The collection again: what `logic` makes of each key and value.
    pub fn as_collection<D: Data>(
        &self,
        mut logic: impl FnMut(Key<'_, L>, Val<'_, L>) -> D + 'static,
    ) -> Collection<D, L::Diff>
    where
        ShapeOf<D>: Default,
    {
        let shape = ShapeOf::<D>::default();
        let column = shape.clone();
        self.flatten(shape, move |batch| {
            let mut data = D::Column::empty(&column);
            data.reserve(batch.len());
            for key in 0..batch.keys().len() {
                for val in batch.vals_of(key..key + 1) {
                    for _ in batch.updates_of(val..val + 1) {
                        data.push_owned(logic(batch.keys().get(key), batch.vals().get(val)));
                    }
                }
            }
            data
        })
    }

    /// The stream of updates behind the spans, each batch's data column made by `data`.
    pub(crate) fn flatten<D: Data>(
        &self,
        shape: ShapeOf<D>,
        data: impl FnMut(&Batch<L>) -> D::Column + 'static,
    ) -> Collection<D, L::Diff> {
        let (scope, region) = (&self.scope, self.scope.region());
        // What was there before this reader is in advance of `since` only, not of the stream's frontier. Whether there was
        // something may differ between workers, which must all build the same: so it is not looked at.
        let rule = if region.is_new(self.stream.producer()) { SlotRule::Shared } else { SlotRule::Meet };
        let node = region.reserve("as_collection", scope.depth(), rule);
        let spans = self.reader(node).spans;
        let (output, stream) = region.output(node);
        region.install(node, Flatten { spans, output, data });
        // Batches from before this reader may hold updates that cancel once their times are advanced.
        let settled = rule == SlotRule::Shared;
        Collection { stream, scope: scope.clone(), shape, settled, gathered: false }
    }
}

struct Flatten<L: Layout<Time = Point>, D: Data, F> {
    spans: Spans<L>,
    output: Output<Changes<D, L::Diff>>,
    data: F,
}

impl<L: Layout<Time = Point>, D: Data, F> Node for Flatten<L, D, F>
where
    F: FnMut(&Batch<L>) -> D::Column + 'static,
{
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(span) = self.spans.next() {
            let Some(batch) = span.batch else { continue };
            let (mut times, diffs) = (batch.times().clone(), batch.diffs().clone());
            if let Some(as_of) = &self.spans.as_of {
                times.advance_rows(0..batch.len(), as_of);
            }
            self.output.send(Updates { data: (self.data)(&batch), times, diffs });
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.spans.holds(holds);
    }
}
