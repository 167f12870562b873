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
//! A container travels in a *parcel*, a box that is handed on: its size does not matter, and moving it is moving a pointer.
//! Who has emptied a parcel gives it back, and the sender fills it again:
//!
//! ```text
//!   node --- ship(parcel) ---> waiting --- take ---> node         who has emptied a parcel gives it back with its
//!     ^                                               |           buffers, and the sender fills those again
//!     '------ spare <--------- spares <-- give_back --'
//! ```
//!
//! A parcel may go back with a container still in it, emptied, for its buffers. Who gives it back sees to it that they
//! are small. At most [`SPARES`] parcels of an edge wait to be filled again; more are dropped.
//!
//! What is sent is cloned for all readers but the last, which gets it moved; each reader is marked for a visit. A
//! reader that was dropped is found by its queue, which then has one owner left, and leaves the list at the next
//! send: nobody need keep a way back from a reader to what it reads.
//!
//! A reader that is a [`Relay`](super::Relay) is called at once in place of all this: the container is lent to it.
//!
//! Invariant: containers arrive in the order in which they were sent; a parcel that waits is full. No frontier travels
//! here: times reach readers by slots. Cost: a send with one reader is a push and a bit. Why not the containers
//! themselves in the queue: a column of data, one of times and one of diffs are two hundred bytes, moved four times a
//! hop, and each hop's data column would be allocated and freed again. Tested in `stream_laws.rs`.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use super::NodeId;
use super::wakes::Wakes;

/// What a container travels in. Empty, or with a container of no rows, on its way back.
pub type Parcel<C> = Box<Option<C>>;

/// How many parcels an edge keeps to be filled again: mostly there is one on its way.
pub(super) const SPARES: usize = 2;

struct Edge<C> {
    waiting: VecDeque<Parcel<C>>,
    spares: [Option<Parcel<C>>; SPARES],
}

impl<C> Edge<C> {
    #[inline]
    fn reclaim(&mut self) -> Option<Parcel<C>> {
        self.spares.iter_mut().find_map(Option::take)
    }

    #[inline]
    fn give_back(&mut self, parcel: Parcel<C>) {
        if let Some(place) = self.spares.iter_mut().find(|place| place.is_none()) {
            *place = Some(parcel);
        }
    }
}

type Queue<C> = Rc<RefCell<Edge<C>>>;

/// The readers of one output.
struct Outlet<C> {
    readers: RefCell<Vec<Reader<C>>>,
}

struct Reader<C> {
    queue: Queue<C>,
    node: NodeId,
    /// Who is called in place of the queue, as long as it is there.
    taker: Option<Weak<dyn Taker<C>>>,
}

/// What takes a container at once: see [`Relay`](super::Relay).
pub(super) trait Taker<C> {
    /// Empties the container and leaves its buffers small. False if it could not: then it is left as it may be.
    fn take(&self, container: &mut C) -> bool;
}

impl<C> Reader<C> {
    /// Whether the input at the other end is still there.
    #[inline]
    fn listens(&self) -> bool {
        Rc::strong_count(&self.queue) > 1
    }

    /// Who is called in place of the queue.
    #[inline(always)]
    fn taker(&self) -> Option<Rc<dyn Taker<C>>> {
        self.taker.as_ref()?.upgrade()
    }

    #[inline(always)]
    fn deliver(&self, mut parcel: Parcel<C>, wakes: &Wakes) {
        let Some(taker) = self.taker() else {
            self.queue.borrow_mut().waiting.push_back(parcel);
            return wakes.mark(self.node);
        };
        if let Some(container) = &mut *parcel
            && !taker.take(container)
        {
            *parcel = None;
        }
        self.queue.borrow_mut().give_back(parcel);
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

    pub(super) fn connect(&self, node: NodeId, taker: Option<Weak<dyn Taker<C>>>) -> Input<C> {
        let queue = Rc::new(RefCell::new(Edge { waiting: VecDeque::new(), spares: Default::default() }));
        self.outlet.readers.borrow_mut().push(Reader { queue: Rc::clone(&queue), node, taker });
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

impl<C> Output<C> {
    /// A parcel that came back, to be filled again: of the reader that gets parcels as they are.
    #[inline]
    pub(super) fn reclaim(&self) -> Option<Parcel<C>> {
        self.outlet.readers.borrow().last()?.queue.borrow_mut().reclaim()
    }

    /// A parcel to be filled: one that came back, with what is in it, or a new one.
    #[inline]
    pub fn spare(&self) -> Parcel<C> {
        self.reclaim().unwrap_or_default()
    }
}

impl<C: Clone> Output<C> {
    /// Hands `container` to every reader and marks them for a visit. Without readers it is dropped.
    pub fn send(&self, mut container: C) {
        if self.lend(&mut container).is_some() {
            return;
        }
        let mut parcel = self.spare();
        *parcel = Some(container);
        self.ship(parcel);
    }

    /// Sends what is in `container`, and leaves an empty one there: itself, one that came back, or what `empty` makes.
    #[inline]
    pub fn send_from(&self, container: &mut C, empty: impl FnOnce() -> C) {
        match self.lend(container) {
            Some(true) => return,
            Some(false) => return *container = empty(),
            None => {}
        }
        let mut parcel = self.spare();
        std::mem::swap(container, parcel.get_or_insert_with(empty));
        self.ship(parcel);
    }

    /// Lends a container to the only reader, if there is one and it takes containers at once; whether it could.
    #[inline(always)]
    fn lend(&self, container: &mut C) -> Option<bool> {
        let [reader] = &self.outlet.readers.borrow()[..] else { return None };
        Some(reader.taker()?.take(container))
    }

    /// [`send`](Self::send) of what is in a parcel.
    #[inline(always)]
    pub fn ship(&self, parcel: Parcel<C>) {
        debug_assert!(parcel.is_some(), "an empty parcel is sent");
        if let [reader] = &self.outlet.readers.borrow()[..]
            && reader.listens()
        {
            return reader.deliver(parcel, &self.wakes);
        }
        self.ship_to_all(parcel);
    }

    fn ship_to_all(&self, parcel: Parcel<C>) {
        let readers = &mut *self.outlet.readers.borrow_mut();
        if !readers.iter().all(Reader::listens) {
            readers.retain(Reader::listens);
        }
        if let Some((last, others)) = readers.split_last() {
            for reader in others {
                let mut copy = reader.queue.borrow_mut().reclaim().unwrap_or_default();
                copy.clone_from(&parcel);
                reader.deliver(copy, &self.wakes);
            }
            last.deliver(parcel, &self.wakes);
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
        let edge = &mut *self.queue.borrow_mut();
        let mut parcel = edge.waiting.pop_front()?;
        let container = parcel.take();
        edge.give_back(parcel);
        container
    }

    /// [`next`](Self::next), in its parcel: to be handed on, or given back.
    #[inline]
    pub fn take(&self) -> Option<Parcel<C>> {
        self.queue.borrow_mut().waiting.pop_front()
    }

    /// Returns a parcel to the sender. What is left in it has no rows, and buffers that are small.
    #[inline]
    pub fn give_back(&self, parcel: Parcel<C>) {
        self.queue.borrow_mut().give_back(parcel);
    }

    /// Whether nothing is left to take.
    pub fn is_empty(&self) -> bool {
        self.queue.borrow().waiting.is_empty()
    }

    /// Looks at what is left without taking it, earliest first: for the times that a node must hold.
    pub fn for_each(&self, look: impl FnMut(&C)) {
        self.queue.borrow().waiting.iter().filter_map(|parcel| parcel.as_ref().as_ref()).for_each(look);
    }
}

impl<C> Drop for Input<C> {
    fn drop(&mut self) {
        // The queue lives until the next send; what is in it need not.
        let edge = &mut *self.queue.borrow_mut();
        edge.waiting.clear();
        edge.spares = Default::default();
    }
}
