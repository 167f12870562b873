//! Updates added up, once a time.
//!
//! A node that collects until its input's frontier has passed a time, and then emits what the updates at that time add
//! up to. It holds the times of what it has not emitted. Why not an arrangement: nobody needs the past.

use crate::batcher::Batcher;
use crate::collection::{Changes, Collection};
use crate::column::Data;
use crate::diff::Diff;
use crate::error::Fault;
use crate::layout::Rows;
use crate::region::{Input, Node, Output, SlotRule, Visit};
use crate::time::{Frontier, Point};
use crate::updates::{Keyed, Updates};

impl<D: Data, R: Diff> Collection<D, R> {
    /// The same collection; updates of one record at one time are added up, and those that cancel are gone.
    pub fn consolidate(&self) -> Collection<D, R> {
        if self.settled {
            return self.clone();
        }
        // What cancels must meet.
        let placed = if self.gathered { self.clone() } else { self.exchange() };
        let region = self.scope.region();
        let node = region.reserve("consolidate", self.scope.depth(), SlotRule::Meet);
        let input = region.connect(node, &placed.stream);
        let (output, stream) = region.output(node);
        let batcher = Batcher::new();
        region.install(node, Consolidate { input, output, batcher, upper: Frontier::minimum() });
        Collection { stream, settled: true, ..self.clone() }
    }
}

struct Consolidate<D: Data, R: Diff> {
    input: Input<Changes<D, R>>,
    output: Output<Changes<D, R>>,
    batcher: Batcher<Rows<D, (), Point, R>>,
    upper: Frontier<Point>,
}

impl<D: Data, R: Diff> Node for Consolidate<D, R> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(updates) = self.input.next() {
            self.batcher.push(Keyed::by_self(updates));
        }
        let frontier = visit.frontier(0);
        if *frontier != self.upper {
            self.upper.clone_from(frontier);
            if let Some(rows) = self.batcher.extract(frontier)? {
                self.output.send(Updates { data: rows.keys, times: rows.times, diffs: rows.diffs });
            }
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.batcher.holds(holds);
    }
}
