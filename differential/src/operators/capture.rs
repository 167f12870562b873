//! A collection as a stream of updates and frontiers, for whoever stores or forwards it.
//!
//! Nothing is lost: events wait until they are taken. Updates are consolidated per time, and each time is complete when
//! the frontier that follows has passed it.

use std::cell::RefCell;
use std::rc::Rc;

use super::output::in_order;
use crate::collection::{Changes, Collection};
use crate::column::{Column, Data};
use crate::diff::Diff;
use crate::error::Fault;
use crate::region::{Input, Node, SlotRule, Visit};
use crate::time::{Frontier, Point, TimeColumn};

/// What a capture has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Captured<D, R> {
    /// Records whose counts changed: by time, at each time retractions first.
    Updates(Vec<(D, Point, R)>),
    /// Nothing will come any more that is not in advance of this.
    Frontier(Frontier<Point>),
}

/// Takes a collection's updates and frontiers out of the region.
///
/// Events wait until they are taken, however many commits that is. Times are those of the collection's scope: inside a
/// loop, (epoch, round).
pub struct Capture<D: Data, R: Diff = i64> {
    events: Rc<RefCell<Vec<Captured<D, R>>>>,
}

impl<D: Data, R: Diff> Capture<D, R> {
    /// What came since this was last asked.
    pub fn take(&mut self) -> Vec<Captured<D, R>> {
        std::mem::take(&mut self.events.borrow_mut())
    }
}

struct Record<D: Data, R: Diff> {
    input: Input<Changes<D, R>>,
    events: Rc<RefCell<Vec<Captured<D, R>>>>,
    frontier: Frontier<Point>,
}

impl<D: Data, R: Diff> Node for Record<D, R> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let mut events = self.events.borrow_mut();
        let mut changes = Vec::new();
        while let Some(updates) = self.input.next() {
            changes.extend((0..updates.len()).map(|row| {
                let record = D::Column::owned(updates.data.get(row));
                (record, updates.times.get(row), updates.diffs.get(row).clone())
            }));
        }
        if !changes.is_empty() {
            events.push(Captured::Updates(in_order(changes)));
        }
        if self.frontier != *visit.frontier(0) {
            self.frontier.clone_from(visit.frontier(0));
            events.push(Captured::Frontier(self.frontier.clone()));
        }
        Ok(())
    }
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// The collection as a stream of updates and frontiers; see [`Capture`].
    pub fn capture(&self) -> Capture<D, R> {
        let settled = self.consolidate();
        let region = settled.scope.region();
        let node = region.reserve("capture", settled.scope.depth(), SlotRule::Meet);
        let input = region.connect(node, &settled.stream);
        let events = Rc::new(RefCell::new(Vec::new()));
        region.install(node, Record { input, events: events.clone(), frontier: Frontier::minimum() });
        Capture { events }
    }
}
