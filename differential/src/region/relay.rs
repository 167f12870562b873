//! Relays: nodes that work at once, in the visit of the node that sends to them.
//!
//! ```text
//!   by queues   send -> [queue], mark | scan, visit, take -> work, send -> [queue], mark | ...      any node
//!   by relays   send -> work, send -> work, send -> work, send -> [queue], mark |                   one that keeps nothing
//! ```
//!
//! A node that does all that is to be done with a container when it gets it, holds no time and waits for no frontier,
//! has no need of the scheduler: who sends to it calls it. So a hop through a map is a call, the user's closure, and a
//! row written into a buffer that stays where it is, in place of some two hundred instructions more for the queue, the
//! scan and the visit.
//!
//! Nothing else may see a difference:
//! * *Frontiers.* What is sent has gone through the relay before the sender's visit ends, so before a slot moves: as if
//!   the node had been visited the moment something was in its queue. A relay with a slot of its own (`concat`,
//!   `leave`) is visited when its inputs' slots move, as ever, and its own moves then.
//! * *Failures.* A relay that fails keeps its fault and is marked: to the region it is a node that was sent something
//!   and has not been visited. Its visit then answers with the fault. The sender does not notice.
//! * *The stack.* At most [`IN_A_ROW`] relays call each other; the next one has a queue. A delay always has: a
//!   cycle would call itself.
//! * *Logs.* While somebody watches, every node has a queue, so that each one's work is told as its own.
//!
//! Why not join the closures of neighbours when a dataflow is built: the stream between them may get another reader at
//! any time, and types are known one node at a time only. Tested in `relay_laws.rs` and wherever there is a
//! map.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use super::graph::SlotRule;
use super::handle::{Region, State};
use super::stream::{Input, Stream, Taker};
use super::wakes::Waker;
use super::{Node, NodeId, Visit};
use crate::error::Fault;

/// How many relays call each other in a row: a few hundred bytes of stack each.
pub(super) const IN_A_ROW: u32 = 64;

/// What a node does with each container, at once.
pub trait Relay<C> {
    /// Does all that is to be done, sends what follows, and leaves the container empty and its buffers small.
    ///
    /// # Errors
    /// When the node can't go on. Nothing is sent to it any more.
    fn take(&mut self, container: &mut C) -> Result<(), Fault>;
}

/// A relay, as its senders know it.
struct Relaying<S> {
    relay: RefCell<S>,
    trouble: Rc<Trouble>,
}

/// What the region knows of a relay.
struct Trouble {
    failed: Cell<bool>,
    /// What its next visit answers with.
    fault: RefCell<Option<Fault>>,
    waker: Waker,
}

impl<C, S: Relay<C>> Taker<C> for Relaying<S> {
    #[inline]
    fn take(&self, container: &mut C) -> bool {
        let trouble = &*self.trouble;
        if trouble.failed.get() {
            return false;
        }
        let mut relay = self.relay.borrow_mut();
        let mut fault = None;
        // Written from inside and only if there is one, as a result of the catch would be moved twice.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| {
            if let Err(error) = relay.take(container) {
                fault = Some(error);
            }
        })) {
            fault = Some(Fault::from_panic(&*payload));
        }
        let Some(fault) = fault else { return true };
        trouble.failed.set(true);
        trouble.fault.replace(Some(fault));
        trouble.waker.wake();
        false
    }
}

/// A relay's node: it is visited for what comes by a queue, and to tell of a fault. One type for all relays of a container,
/// since there are many.
struct RelayNode<C> {
    inputs: Vec<Input<C>>,
    relaying: Rc<dyn Taker<C>>,
    trouble: Rc<Trouble>,
}

impl<C> Node for RelayNode<C> {
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        for input in &self.inputs {
            while let Some(mut parcel) = input.take() {
                if let Some(container) = &mut *parcel
                    && !self.relaying.take(container)
                {
                    break;
                }
                input.give_back(parcel);
            }
        }
        self.trouble.fault.take().map_or(Ok(()), Err)
    }
}

impl Region {
    /// Says that a reserved node, which reads `inputs`, is a relay.
    ///
    /// # Panics
    /// As [`Region::install`] and [`Region::connect`].
    pub fn install_relay<C: Clone + 'static>(
        &self,
        node: NodeId,
        inputs: &[&Stream<C>],
        relay: impl Relay<C> + 'static,
    ) {
        let trouble = Rc::new(Trouble { failed: Cell::default(), fault: RefCell::default(), waker: self.waker(node) });
        self.install_taker(
            node,
            inputs,
            Rc::new(Relaying { relay: RefCell::new(relay), trouble: trouble.clone() }),
            trouble,
        );
    }

    fn install_taker<C: Clone + 'static>(
        &self,
        node: NodeId,
        inputs: &[&Stream<C>],
        relaying: Rc<dyn Taker<C>>,
        trouble: Rc<Trouble>,
    ) {
        let may = self.may_be_called(node, inputs.iter().map(|input| input.producer()));
        let taker = may.then(|| Rc::downgrade(&relaying));
        let inputs = inputs.iter().map(|input| self.connect_with(node, input, taker.clone())).collect();
        self.install(node, RelayNode { inputs, relaying, trouble });
    }

    /// Whether a relay may be called by those it reads; then it is counted as one more in a row.
    fn may_be_called(&self, node: NodeId, producers: impl Iterator<Item = NodeId>) -> bool {
        let State { graph, schedule, .. } = &mut *self.core.state.borrow_mut();
        let before = producers.map(|producer| graph[producer].relays).max().unwrap_or(0);
        let delays = matches!(graph[node].rule, SlotRule::Delay { .. });
        let may = before < IN_A_ROW && !delays && schedule.log.is_none();
        graph[node].relays = if may { before + 1 } else { 0 };
        may
    }
}
