//! The two nodes by which streams of timely enter and leave, and what they share with timely's operator.
//!
//! ```text
//!   timely ──> [ queue, frontier ] ──(visit)──> entry ──> ...            entry: a source of the region
//!                    Entering
//!   ... ──> exit ──(visit)──> [ ready, by time; frontier ] ──> timely    exit: shares its input's slot, and watches it
//!                                     Leaving
//! ```
//!
//! Both do the work of changing containers on their visits, so that what can't be changed (a time that is late, or has
//! no counterpart outside) stops a node with a name, and takes the road of every error.
//!
//! An entry moves when it is visited and not when timely says so: promise 1 of the region. An exit publishes the
//! frontier that it saw when visited, by which time everything before it is in `ready`.
//! Tested in `collection/boundary_laws.rs`.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use timely::scheduling::Activator;

use super::{Input, Node, Output, Visit};
use crate::error::{Fault, Reason};
use crate::time::{Frontier, Point};

/// What came from timely, until the entry is visited.
pub(super) struct Entering<U> {
    pub(super) queue: VecDeque<Vec<U>>,
    pub(super) frontier: Frontier<Point>,
    /// Nothing more comes, although the frontier says that it may.
    pub(super) cut_off: bool,
}

/// A source that is fed by a stream of timely.
pub(super) struct Entry<U, C, F> {
    pub(super) entering: Rc<RefCell<Entering<U>>>,
    pub(super) output: Output<C>,
    /// The frontier as of the last visit.
    pub(super) said: Frontier<Point>,
    pub(super) change: F,
}

impl<U, C: Clone, F> Node for Entry<U, C, F>
where
    F: FnMut(Vec<U>, &Frontier<Point>) -> Result<C, Fault>,
{
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let entering = &mut *self.entering.borrow_mut();
        for updates in entering.queue.drain(..) {
            visit.fuel.take(updates.len() as u64);
            self.output.send((self.change)(updates, &self.said)?);
        }
        if entering.cut_off {
            return Err(Reason::Other("the timely dataflow that feeds this was dropped before its end".into()).into());
        }
        self.said.clone_from(&entering.frontier);
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        holds.extend(&self.said);
    }
}

/// Calls the boundary's operator in timely, unless it is that which runs the region just now.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) activator: Activator,
    pub(super) running: Rc<Cell<bool>>,
}

impl Caller {
    pub(super) fn call(&self) {
        if !self.running.get() {
            self.activator.activate();
        }
    }
}

/// What is to go to timely.
pub(super) struct Leaving<T, U> {
    pub(super) ready: BTreeMap<T, Vec<U>>,
    pub(super) frontier: Frontier<Point>,
    /// The exit is gone, or has stopped.
    pub(super) gone: bool,
}

/// A node that hands a stream of the region to timely.
pub(super) struct Exit<T, U, C, F> {
    pub(super) input: Input<C>,
    pub(super) leaving: Rc<RefCell<Leaving<T, U>>>,
    pub(super) caller: Caller,
    pub(super) change: F,
}

impl<T, U, C, F> Node for Exit<T, U, C, F>
where
    F: FnMut(C, &mut BTreeMap<T, Vec<U>>) -> Result<(), Fault>,
{
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let leaving = &mut *self.leaving.borrow_mut();
        while let Some(container) = self.input.next() {
            (self.change)(container, &mut leaving.ready)?;
        }
        leaving.frontier.clone_from(visit.frontier(0));
        self.caller.call();
        Ok(())
    }
}

impl<T, U, C, F> Drop for Exit<T, U, C, F> {
    fn drop(&mut self) {
        // Not in use: a visit that panicked has given it back.
        self.leaving.borrow_mut().gone = true;
        self.caller.call();
    }
}
