//! The node of a join: whose batch meets whose past, in which order, under fuel.
//!
//! ```text
//!   drain a:  each fresh batch of a  x  b as accepted so far     a unit of work each
//!   drain b:  each fresh batch of b  x  a as accepted by now
//!   then work, oldest first, until fuel is spent
//! ```
//!
//! So each pair of batches meets exactly once: the later one accepted meets the earlier. A unit of work keeps the batches
//! of the other side as they were when it was accepted (they never change), so that whatever the trace does meanwhile, a
//! batch that a later one cancels is still owed to the output: the join trusts the batch that arrives and never asks
//! whether the trace looks empty.
//!
//! Holds: the times of the fresh batches of unfinished work. Compaction: the past of one side is read again only by
//! fresh batches of the other, so it may forget what can't be told apart at or past the *other* side's frontier. And the
//! position up to which a side was accepted is held as a cut: a time can't serve, as compaction moves times.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Fresh, JoinBuffers, JoinLogic, JoinView, JoinWork, Joined, Product, Progress};
use crate::batch::Batch;
use crate::collection::{Changes, Collection};
use crate::column::{Column, ShapeOf};
use crate::diff::Multiply;
use crate::error::Fault;
use crate::layout::Layout;
use crate::operators::arrange::{Arranged, Reader};
use crate::region::{Node, Output, SlotRule, Visit};
use crate::time::{Frontier, Lattice, Point};
use crate::trace::Position;
use crate::updates::Updates;

/// Rows of a container of output: two columns of integers fit in half of a second-level cache.
const CONTAINER_ROWS: usize = 1 << 13;

/// Adds a join node; its output is in the inner of the two scopes.
pub(super) fn join<A, B, J>(
    left: &Arranged<A>,
    right: &Arranged<B>,
    shape: ShapeOf<J::Output>,
    logic: J,
) -> Collection<J::Output, Product<Fresh<A, B>>>
where
    A: Layout<Time = Point>,
    B: Layout<Key = A::Key, Time = Point>,
    A::Diff: Multiply<B::Diff>,
    J: JoinLogic<Fresh<A, B>> + 'static,
{
    let scope = left.scope().combine(right.scope());
    let region = scope.region();
    let node = region.reserve("join", scope.depth(), SlotRule::Meet);
    let (left, right) = (Side::new(left.reader(node)), Side::new(right.reader(node)));
    let (output, stream) = region.output(node);
    let out = Updates::empty(&shape);
    let backlog = VecDeque::new();
    region.install(node, Join { left, right, backlog, buffers: JoinBuffers::default(), logic, output, out });
    Collection { stream, scope, shape, settled: false, gathered: false }
}

/// One input, and up to where it was accepted.
struct Side<L: Layout<Time = Point>> {
    reader: Reader<L>,
    accepted: Position,
}

impl<L: Layout<Time = Point>> Side<L> {
    fn new(reader: Reader<L>) -> Self {
        Side { reader, accepted: 0 }
    }

    /// Takes what came; the batches, oldest first.
    fn drain(&mut self) -> Vec<Arc<Batch<L>>> {
        let mut fresh = Vec::new();
        while let Some(span) = self.reader.spans.next() {
            fresh.extend(span.batch);
        }
        self.accepted = self.reader.trace.newest();
        self.reader.trace.hold_position(self.accepted);
        fresh
    }

    /// The batches accepted so far.
    fn past(&self) -> Vec<Arc<Batch<L>>> {
        // Not even what was there before this reader is accepted until it was taken.
        if self.accepted == 0 {
            return Vec::new();
        }
        self.reader.trace.read(self.accepted).expect("an accepted position is held as a cut")
    }
}

/// A unit of work, and the times at which it may still speak.
struct Pending<A: Layout<Time = Point>, B: Layout<Key = A::Key, Time = Point>>
where
    A::Diff: Multiply<B::Diff>,
{
    work: JoinWork<Fresh<A, B>>,
    times: Frontier<Point>,
}

struct Join<A: Layout<Time = Point>, B: Layout<Key = A::Key, Time = Point>, J: JoinLogic<Fresh<A, B>>>
where
    A::Diff: Multiply<B::Diff>,
{
    left: Side<A>,
    right: Side<B>,
    backlog: VecDeque<Pending<A, B>>,
    buffers: JoinBuffers<Fresh<A, B>>,
    logic: J,
    output: Output<Changes<J::Output, Product<Fresh<A, B>>>>,
    /// Output of small units is gathered here and sent at the end of a visit.
    out: Joined<Fresh<A, B>, J>,
}

impl<A, B, J> Join<A, B, J>
where
    A: Layout<Time = Point>,
    B: Layout<Key = A::Key, Time = Point>,
    A::Diff: Multiply<B::Diff>,
    J: JoinLogic<Fresh<A, B>>,
{
    /// Takes what came on both sides, and notes which batches meet which.
    fn accept(&mut self) {
        let (left, right) = (&mut self.left, &mut self.right);
        let (left_view, right_view) = (left.reader.spans.as_of.clone(), right.reader.spans.as_of.clone());
        let view = JoinView { left: left_view, right: right_view };
        let mut meet = |inputs, times: Frontier<Point>| {
            let lower = times.elements().iter().cloned().reduce(|a, b| a.meet(&b)).expect("a batch has updates");
            self.backlog.push_back(Pending { work: JoinWork::new(inputs, lower, view.clone()), times });
        };
        // Often nothing came, and then the past is not asked for.
        let fresh = left.drain();
        let past = if fresh.is_empty() { Vec::new() } else { right.past() };
        for batch in fresh {
            let times = left.reader.least_times(&batch);
            if !past.is_empty() {
                meet(Fresh::Left(batch, past.clone()), times);
            }
        }
        let fresh = right.drain();
        let past = if fresh.is_empty() { Vec::new() } else { left.past() };
        for batch in fresh {
            let times = right.reader.least_times(&batch);
            if !past.is_empty() {
                meet(Fresh::Right(batch, past.clone()), times);
            }
        }
    }

    fn send(&mut self) {
        if !self.out.is_empty() {
            let shape = self.out.data.shape();
            self.output.send_from(&mut self.out, || Updates::empty(&shape));
        }
    }
}

impl<A, B, J> Node for Join<A, B, J>
where
    A: Layout<Time = Point>,
    B: Layout<Key = A::Key, Time = Point>,
    A::Diff: Multiply<B::Diff>,
    J: JoinLogic<Fresh<A, B>> + 'static,
{
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        self.accept();
        self.left.reader.hold_times(visit.frontier(1));
        self.right.reader.hold_times(visit.frontier(0));
        while let Some(pending) = self.backlog.front_mut() {
            let allowed = usize::try_from(visit.fuel.left()).unwrap_or(usize::MAX);
            let mut fuel = allowed;
            let (logic, buffers) = (&mut self.logic, &mut self.buffers);
            let progress = pending.work.step(&mut fuel, CONTAINER_ROWS, logic, buffers, &mut self.out)?;
            visit.fuel.take((allowed - fuel) as u64);
            if progress == Progress::Done {
                self.backlog.pop_front();
            }
            if self.out.len() >= CONTAINER_ROWS {
                self.send();
            }
            if visit.fuel.spent() {
                break;
            }
        }
        self.send();
        if !self.backlog.is_empty() {
            visit.again();
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.left.reader.spans.holds(holds);
        self.right.reader.spans.holds(holds);
        for pending in &self.backlog {
            holds.extend(&pending.times);
        }
    }
}
