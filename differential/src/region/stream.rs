//! Typed edges: queues of containers between nodes.
//!
//! ```text
//!              Output<C> ---- outlet ---- Stream<C>             Stream: a name for what the node sends,
//!                 |                          |                  cloned freely and connected to readers,
//!               send                      connect               by later dataflows too
//!                 v                          v
//!        [queue, reader] [queue, reader] ... new queue   --->   Input<C>: next
//! ```
//!
//! What is sent is cloned for all readers but the last, which gets it moved; each reader is marked for a visit. A
//! reader that was dropped is found by its queue, which then has one owner left, and leaves the list at the next
//! send: nobody need keep a way back from a reader to what it reads.
//!
//! Invariant: containers arrive in the order in which they were sent. No frontier travels here: times reach readers by
//! slots. Cost: a send with one reader is a push and a bit.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::NodeId;
use super::wakes::Wakes;

type Queue<C> = Rc<RefCell<VecDeque<C>>>;

/// The readers of one output.
struct Outlet<C> {
    readers: RefCell<Vec<Reader<C>>>,
}

struct Reader<C> {
    queue: Queue<C>,
    node: NodeId,
}

impl<C> Reader<C> {
    /// Whether the input at the other end is still there.
    fn listens(&self) -> bool {
        Rc::strong_count(&self.queue) > 1
    }
}

/// What a node sends, as others refer to it: connect it to a node that is being built.
///
/// It may be kept and connected to nodes of later dataflows, as long as the node that sends is in the region.
pub struct Stream<C> {
    producer: NodeId,
    depth: usize,
    outlet: Rc<Outlet<C>>,
}

impl<C> Clone for Stream<C> {
    fn clone(&self) -> Self {
        Stream { producer: self.producer, depth: self.depth, outlet: Rc::clone(&self.outlet) }
    }
}

impl<C> Stream<C> {
    /// The node that sends.
    pub fn producer(&self) -> NodeId {
        self.producer
    }

    /// How many coordinates the times have at most: the input's, and one for each loop around.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn connect(&self, node: NodeId) -> Input<C> {
        let queue = Queue::default();
        self.outlet.readers.borrow_mut().push(Reader { queue: Rc::clone(&queue), node });
        Input { queue }
    }
}

/// The sending end of a stream, held by the node.
pub struct Output<C> {
    outlet: Rc<Outlet<C>>,
    wakes: Rc<Wakes>,
}

impl<C> Output<C> {
    pub(super) fn new(node: NodeId, depth: usize, wakes: Rc<Wakes>) -> (Self, Stream<C>) {
        let outlet = Rc::new(Outlet { readers: RefCell::default() });
        (Output { outlet: Rc::clone(&outlet), wakes }, Stream { producer: node, depth, outlet })
    }

    /// Whether anybody reads: a node may spare itself work that nobody would see.
    pub fn has_subscribers(&self) -> bool {
        self.outlet.readers.borrow().iter().any(Reader::listens)
    }
}

impl<C: Clone> Output<C> {
    /// Hands `container` to every reader and marks them for a visit. Without readers it is dropped.
    pub fn send(&self, container: C) {
        let readers = &mut *self.outlet.readers.borrow_mut();
        if let [reader] = &readers[..]
            && reader.listens()
        {
            reader.queue.borrow_mut().push_back(container);
            return self.wakes.mark(reader.node);
        }
        if !readers.iter().all(Reader::listens) {
            readers.retain(Reader::listens);
        }
        if let Some((last, others)) = readers.split_last() {
            for reader in others {
                reader.queue.borrow_mut().push_back(container.clone());
                self.wakes.mark(reader.node);
            }
            last.queue.borrow_mut().push_back(container);
            self.wakes.mark(last.node);
        }
    }
}

/// The receiving end of a stream, held by the node. Dropping it ends the subscription.
pub struct Input<C> {
    queue: Queue<C>,
}

impl<C> Input<C> {
    /// The container that was sent earliest of those not yet taken.
    pub fn next(&self) -> Option<C> {
        self.queue.borrow_mut().pop_front()
    }

    /// Whether nothing is left to take.
    pub fn is_empty(&self) -> bool {
        self.queue.borrow().is_empty()
    }

    /// Looks at what is left without taking it, earliest first: for the times that a node must hold.
    pub fn for_each(&self, look: impl FnMut(&C)) {
        self.queue.borrow().iter().for_each(look);
    }
}

impl<C> Drop for Input<C> {
    fn drop(&mut self) {
        // The queue lives until the next send; what is in it need not.
        self.queue.borrow_mut().clear();
    }
}
