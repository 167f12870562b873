//! What this worker has to say to others, and what came for nodes that are not built yet.
//!
//! ```text
//!   exchange, counts, ... -- say(to, item) --> [ outbox of worker 0 | of worker 1 | ... ]  -- take(to) --> channel
//!   channel --> region.deliver --> the exchange's arrivals, the loop's counts, ...
//!                              '-> early, until the node is built here
//! ```
//!
//! Outboxes are emptied at the end of an activation, so one message carries what all nodes had to say in it. Nothing is
//! ever said to oneself: what stays on this worker goes on at once.
//!
//! Invariant: items leave in the order in which they were said. A worker alone has no post, and no exchange.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::NodeId;
use super::logging::Log;
use super::message::{Item, Load, Message, Packed};
use crate::time::{Frontier, Point};

/// Which of the workers this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peers {
    /// This worker's number.
    pub index: usize,
    /// How many there are.
    pub count: usize,
}

impl Peers {
    /// The only worker.
    pub fn alone() -> Self {
        Peers { index: 0, count: 1 }
    }

    /// The others.
    pub(super) fn others(self) -> impl Iterator<Item = usize> {
        (0..self.count).filter(move |&worker| worker != self.index)
    }
}

/// What came from others for a node, or loop, that is not built here yet.
pub(super) struct Early {
    pub(super) from: usize,
    pub(super) item: Item,
    pub(super) load: Option<Load>,
}

pub(super) struct Post {
    pub(super) peers: Peers,
    outboxes: RefCell<Vec<Message>>,
    pub(super) early: RefCell<Vec<Early>>,
    /// By exchange in a loop, and loop around it counted from the outermost: updates under way to it, as this worker knows
    /// since the last batch of that loop's counts.
    under_way: RefCell<HashMap<(NodeId, u32), Vec<(Point, i64)>>>,
    /// Containers sent to other workers, ever.
    pub(super) loads: Cell<u64>,
    /// Messages handed to channels, ever.
    pub(super) messages: Cell<u64>,
    /// Where it is told what is sent, if somebody watches.
    pub(super) log: OnceCell<Rc<Log>>,
}

impl Post {
    pub(super) fn new(peers: Peers) -> Self {
        let outboxes = RefCell::new((0..peers.count).map(|_| Message::new(peers.index)).collect());
        Post {
            peers,
            outboxes,
            early: RefCell::default(),
            under_way: RefCell::default(),
            loads: Cell::new(0),
            messages: Cell::new(0),
            log: OnceCell::new(),
        }
    }

    /// Tells one other worker something.
    pub(super) fn say(&self, to: usize, item: Item) {
        debug_assert_ne!(to, self.peers.index, "nothing is said to oneself");
        self.outboxes.borrow_mut()[to].items.push(item);
    }

    /// Tells all others the same.
    pub(super) fn say_to_all(&self, item: &Item) {
        self.peers.others().for_each(|to| self.say(to, item.clone()));
    }

    /// Sends a container to an exchange of another worker.
    pub(super) fn send(&self, to: usize, node: NodeId, times: Frontier<Point>, container: Box<dyn Packed>) {
        debug_assert_ne!(to, self.peers.index, "what stays here is not sent");
        let outbox = &mut self.outboxes.borrow_mut()[to];
        let records = container.records();
        if let Some(log) = self.log.get() {
            log.sent(node, to, records);
        }
        outbox.items.push(Item::Cargo { node, times, records });
        outbox.loads.push_back(Load::Whole(container));
        self.loads.set(self.loads.get() + 1);
    }

    /// What is to be sent to `to`, if there is something.
    pub(super) fn take(&self, to: usize) -> Option<Message> {
        let outbox = &mut self.outboxes.borrow_mut()[to];
        if outbox.is_empty() {
            return None;
        }
        self.messages.set(self.messages.get() + 1);
        Some(std::mem::replace(outbox, Message::new(self.peers.index)))
    }

    /// Counts a container under way to `node`, which is in this many loops, with its least times: `by` is 1 when sent and
    /// -1 when taken in.
    pub(super) fn count(&self, node: NodeId, levels: u32, times: &Frontier<Point>, by: i64) {
        let under_way = &mut *self.under_way.borrow_mut();
        for level in 0..levels {
            let counts = under_way.entry((node, level)).or_default();
            counts.extend(times.elements().iter().map(|time| (time.clone(), by)));
        }
    }

    /// Forgets what was counted for a node that was taken out.
    pub(super) fn forget(&self, node: NodeId) {
        self.under_way.borrow_mut().retain(|(counted, _), _| *counted != node);
    }

    /// What was counted for `node` in a loop since this was last asked.
    pub(super) fn take_counts(&self, node: NodeId, level: u32) -> Vec<(Point, i64)> {
        self.under_way.borrow_mut().get_mut(&(node, level)).map(std::mem::take).unwrap_or_default()
    }
}
