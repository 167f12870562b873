//! Which nodes have work: one bit a node, in the order of visits.
//!
//! ```text
//!     position   0 1 2 3 4 5 6 7 ...        send, wake: look up the node's position, set its bit
//!     bit        0 0 1 0 0 1 0 0            scan:       the next bit from a cursor on
//! ```
//!
//! The bits are shared by the scheduler, every [`Output`](super::Output) and every [`Waker`], so that something can be
//! sent or woken while the scheduler is in the middle of a visit. Producers know nodes, not positions: positions change
//! when nodes are taken out. A node without a position (not yet placed, or gone) is not woken.
//!
//! Cost: a look-up and an `or` to wake; a word for 64 positions to scan. A set kept as a queue would lose the order.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::NodeId;

/// The place of a node that has none.
const NOWHERE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Wakes {
    marks: RefCell<Marks>,
    /// Told when a node is woken from outside while nothing was told since the last activation.
    alert: RefCell<Option<Box<dyn Fn()>>>,
    alerted: Cell<bool>,
}

#[derive(Default)]
struct Marks {
    /// By node.
    positions: Vec<u32>,
    /// One bit a position.
    words: Vec<u64>,
}

impl Marks {
    #[inline]
    fn mark(&mut self, node: NodeId) {
        if let Some(&position) = self.positions.get(node.index())
            && position != NOWHERE
        {
            self.words[position as usize / 64] |= 1 << (position % 64);
        }
    }
}

/// The first position marked in a word from number `at` on, as far as words begin before `to`.
fn next_of_others(words: &[u64], at: usize, to: usize) -> Option<usize> {
    let before = words.len().min(to.div_ceil(64));
    let found = at + words.get(at..before)?.iter().position(|&word| word != 0)?;
    Some(found * 64 + words[found].trailing_zeros() as usize)
}

impl Wakes {
    /// Marks `node`, if it has a place.
    #[inline]
    pub(super) fn mark(&self, node: NodeId) {
        self.marks.borrow_mut().mark(node);
    }

    /// Marks those of `nodes` that have a place.
    pub(super) fn mark_all(&self, nodes: &[NodeId]) {
        let marks = &mut *self.marks.borrow_mut();
        nodes.iter().for_each(|&node| marks.mark(node));
    }

    /// The first marked position in `from .. to`.
    #[inline]
    pub(super) fn next(&self, from: usize, to: usize) -> Option<usize> {
        let words = &self.marks.borrow().words;
        // Mostly it is one of those next to the cursor.
        let word = *words.get(from / 64)? >> (from % 64);
        let position = match word {
            0 => next_of_others(words, from / 64 + 1, to)?,
            _ => from + word.trailing_zeros() as usize,
        };
        (position < to).then_some(position)
    }

    /// The place of `node`, if it has one.
    pub(super) fn position(&self, node: NodeId) -> Option<usize> {
        let position = *self.marks.borrow().positions.get(node.index())?;
        (position != NOWHERE).then_some(position as usize)
    }

    /// Forgets that `position` was marked.
    #[inline]
    pub(super) fn clear(&self, position: usize) {
        self.marks.borrow_mut().words[position / 64] &= !(1 << (position % 64));
    }

    /// Gives `node` its place.
    pub(super) fn place(&self, node: NodeId, position: usize) {
        let Marks { positions, words } = &mut *self.marks.borrow_mut();
        let enough = positions.len().max(node.index() + 1);
        positions.resize(enough, NOWHERE);
        positions[node.index()] = position as u32;
        let enough = words.len().max(position / 64 + 1);
        words.resize(enough, 0);
    }

    /// Takes `node`'s place and mark away: it is never woken again.
    pub(super) fn displace(&self, node: NodeId) {
        let Marks { positions, words } = &mut *self.marks.borrow_mut();
        let position = std::mem::replace(&mut positions[node.index()], NOWHERE);
        if position != NOWHERE {
            words[position as usize / 64] &= !(1 << (position % 64));
        }
    }

    /// Sets what is told when the region gets work from outside.
    pub(super) fn set_alert(&self, alert: impl Fn() + 'static) {
        *self.alert.borrow_mut() = Some(Box::new(alert));
    }

    /// From now on the next wake from outside is told again.
    pub(super) fn expect_alert(&self) {
        self.alerted.set(false);
    }

    /// Tells that there is something to do, if that was not told yet.
    pub(super) fn tell(&self) {
        if !self.alerted.replace(true)
            && let Some(alert) = &*self.alert.borrow()
        {
            alert();
        }
    }
}

/// Marks a node for a visit, from outside the region: a session that was fed, a handle that was dropped.
///
/// Waking is cheap and may be repeated. A node that stopped or was taken out is not woken.
#[derive(Clone)]
pub struct Waker {
    pub(super) wakes: Rc<Wakes>,
    pub(super) node: NodeId,
}

impl Waker {
    /// The node that it wakes.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Asks for a visit to the node in the next activation, or in the present one if there is one.
    pub fn wake(&self) {
        self.wakes.mark(self.node);
        self.wakes.tell();
    }
}
