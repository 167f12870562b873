//! Updates added up, once a time.
//!
//! A node that collects until its input's frontier has passed a time, and then emits what the updates at that time add
//! up to, as it gets sorted. It holds the times of what it has not emitted. Why not an arrangement: nobody needs the past.

use super::collecting::Collecting;
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
        region.install(node, Consolidate { input, output, collecting: Collecting::new() });
        Collection { stream, settled: true, ..self.clone() }
    }
}

struct Consolidate<D: Data, R: Diff> {
    input: Input<Changes<D, R>>,
    output: Output<Changes<D, R>>,
    collecting: Collecting<Rows<D, (), Point, R>>,
}

impl<D: Data, R: Diff> Node for Consolidate<D, R> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(updates) = self.input.next() {
            self.collecting.push(Keyed::by_self(updates));
        }
        self.collecting.rows(visit, |rows, _, _| {
            let (keys, vals) = rows.shapes();
            let Keyed { keys: data, times, diffs, .. } = std::mem::replace(rows, Keyed::empty(&keys, &vals));
            self.output.send(Updates { data, times, diffs });
            Ok(())
        })
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.collecting.holds(holds);
    }
}
