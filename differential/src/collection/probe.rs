//! How far a collection is complete.
//!
//! A probe is a node, woken when its input's frontier moves; it publishes the frontier that it saw when visited, by
//! which time everything before it has passed. (A probe beside an output may run ahead of it under fuel: an output
//! publishes a frontier of its own.)
//!
//! With several workers it watches all of them: an exchange that brings no records, only how far each one is.

use std::cell::RefCell;
use std::rc::Rc;

use super::handle::{Changes, Collection};
use crate::column::Data;
use crate::diff::Diff;
use crate::error::{Fault, Reason};
use crate::region::{Input, Node, Parts, SlotRule, Visit};
use crate::time::{Frontier, Point};

/// Watches how far a collection is complete.
#[derive(Clone)]
pub struct Probe {
    seen: Rc<RefCell<Frontier<Point>>>,
}

impl Probe {
    /// What may still change: a time not in advance of this is complete.
    pub fn frontier(&self) -> Frontier<Point> {
        self.seen.borrow().clone()
    }

    /// Whether the collection can't change at `time` any more.
    pub fn is_complete(&self, time: impl Into<Point>) -> bool {
        !self.seen.borrow().admits(&time.into())
    }
}

struct Watch<C> {
    input: Input<C>,
    seen: Rc<RefCell<Frontier<Point>>>,
}

impl<C: Clone + 'static> Node for Watch<C> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while self.input.next().is_some() {}
        self.seen.borrow_mut().clone_from(visit.frontier(0));
        Ok(())
    }
}

/// Nothing is sent to a probe.
fn never_read<C>(_: &[u8]) -> Result<C, Fault> {
    Err(Reason::Other("a probe was sent records".to_string()).into())
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// A probe on this collection, on all workers.
    pub fn probe(&self) -> Probe {
        let region = self.scope.region();
        let nothing = |_: Changes<D, R>| Ok(Parts::new());
        let stream = region.exchange("probe all", &self.stream, nothing, never_read);
        let node = region.reserve("probe", self.scope.depth(), SlotRule::Shared);
        let input: Input<Changes<D, R>> = region.connect(node, &stream);
        let seen = Rc::new(RefCell::new(Frontier::minimum()));
        region.install(node, Watch { input, seen: seen.clone() });
        region.watch(node);
        Probe { seen }
    }
}
