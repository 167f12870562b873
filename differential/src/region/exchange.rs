//! The exchange: a node that brings each update to the worker that owns it, and tells the others how far it is.
//!
//! ```text
//!   worker 0    queue --> [ exchange 7 ] --> what stays        slot: outside of loops the meet of the marks,
//!                            |      ^                                in a loop what the counts say
//!         cargo 7, mark 7    |      |   cargo 7, mark 7
//!                            v      |
//!   worker 1    queue --> [ exchange 7 ] --> what stays
//! ```
//!
//! *Outside of loops*, marks: once its queue is empty the node tells everyone the frontier of its input, if that moved.
//! Since a mark travels behind the updates that it speaks of, whoever reads it has them: promise 2 of
//! [`Node`](super::Node) holds across workers. The output's frontier is the meet of the marks of all workers, this one's
//! own among them. No counts, no answers, one message.
//!
//! *In a loop*, marks would creep round one iteration at a time and never end. There `counts` says what may still come.
//!
//! Invariant: a mark is said only with nothing left in the queue. Cost: a look at each update to route it, a copy of
//! what leaves; a mark a worker whenever the input's frontier moves.
//! Tested in `simulation_laws.rs`: workers as state machines, under thousands of schedules.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::message::{Freight, Load};
use super::post::Post;
use super::{Input, Node, NodeId, Output, Visit};
use crate::error::{Fault, Reason};
use crate::time::{Frontier, Point};

/// What came for an exchange from other workers, until it is visited; and by worker, what may still come from there.
pub(super) struct Arrivals<C> {
    pub(super) queue: VecDeque<(Frontier<Point>, C)>,
    pub(super) marks: Vec<Frontier<Point>>,
}

/// The region's way to an exchange whose type it does not know.
pub(super) trait Door {
    /// Takes what came from another worker.
    ///
    /// # Errors
    /// When it can't be read as what this exchange carries.
    fn take_in(&self, times: Frontier<Point>, load: Load) -> Result<(), Fault>;
    /// Notes what may still come from a worker.
    fn mark(&self, from: usize, frontier: Frontier<Point>);
    /// By worker, what may still come from it as far as is known.
    fn marks(&self) -> Vec<Frontier<Point>>;
}

/// Where the node of an exchange keeps what comes, and how bytes become a container again.
pub(super) struct Gate<C, F> {
    pub(super) arrivals: Rc<RefCell<Arrivals<C>>>,
    pub(super) read: F,
}

impl<C: Freight, F: Fn(&[u8]) -> Result<C, Fault>> Door for Gate<C, F> {
    fn take_in(&self, times: Frontier<Point>, load: Load) -> Result<(), Fault> {
        let container = match load {
            Load::Bytes(bytes) => (self.read)(&bytes)?,
            Load::Whole(container) => {
                let other =
                    |_| Fault::from(Reason::Other("another worker sends what this exchange can't carry".into()));
                *container.into_any().downcast::<C>().map_err(other)?
            }
        };
        self.arrivals.borrow_mut().queue.push_back((times, container));
        Ok(())
    }

    fn mark(&self, from: usize, frontier: Frontier<Point>) {
        self.arrivals.borrow_mut().marks[from] = frontier;
    }

    fn marks(&self) -> Vec<Frontier<Point>> {
        self.arrivals.borrow().marks.clone()
    }
}

/// How an exchange cuts a container up: a part for each worker that gets some of it, none of them empty.
pub type Parts<C> = Vec<(usize, C)>;

pub(super) struct Exchange<C, F> {
    pub(super) node: NodeId,
    pub(super) input: Input<C>,
    pub(super) output: Output<C>,
    pub(super) arrivals: Rc<RefCell<Arrivals<C>>>,
    pub(super) post: Rc<Post>,
    pub(super) split: F,
}

impl<C: Freight, F: FnMut(C) -> Result<Parts<C>, Fault>> Node for Exchange<C, F> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let (here, levels) = (self.post.peers.index, visit.levels());
        let arrivals = &mut *self.arrivals.borrow_mut();
        for (times, container) in arrivals.queue.drain(..) {
            self.post.count(self.node, levels, &times, -1);
            self.output.send(container);
        }
        while let Some(container) = self.input.next() {
            for (worker, part) in (self.split)(container)? {
                if worker == here {
                    self.output.send(part);
                    continue;
                }
                let mut times = Frontier::empty();
                if levels > 0 {
                    part.least_times(&mut times);
                    self.post.count(self.node, levels, &times, 1);
                }
                self.post.send(worker, self.node, times, Box::new(part));
            }
        }
        if levels == 0 && arrivals.marks[here] != *visit.frontier(0) {
            arrivals.marks[here].clone_from(visit.frontier(0));
            let frontier = arrivals.marks[here].clone();
            self.post.say_to_all(&super::message::Item::Mark { node: self.node, frontier });
        }
        Ok(())
    }

    /// The meet of the marks. In a loop the region does not ask.
    fn holds(&self, holds: &mut Frontier<Point>) {
        self.arrivals.borrow().marks.iter().for_each(|mark| holds.extend(mark));
    }
}
