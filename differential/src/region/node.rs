//! What the region asks of a node, and what it lends it during a visit.
//!
//! ```text
//!            frontier(0) --> +-------------+
//!   input 0 ---------------> |    node     | --------> output
//!   input 1 ---------------> |    holds    | --> output_frontier
//!            frontier(1) --> +-------------+
//! ```
//!
//! A node never speaks of frontiers itself: the region computes each output's frontier from the inputs' and from the
//! times the node holds. Nothing else ties data to time, so the contract of [`Node`] is what answers rest on; the
//! asserts of the slots catch many broken ones, and wrong answers the rest.

use serde::{Deserialize, Serialize};

use super::Fuel;
use super::slots::Slots;
use crate::error::Fault;
use crate::time::{Frontier, Point};

/// Identifies a node of a region. Never used again after the node was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operator as the region sees it.
///
/// 1. `visit` takes all that is in its queues. One that stops early calls [`Visit::again`], has done at least one unit
///    of work, and `holds` the times of what is left. Only a node that owns its slot may stop early.
/// 2. What is in a queue is in advance of the frontier that the *previous* visit saw there; what is still to come is
///    in advance of the one that this visit sees. What a node left in a queue counts as still to come.
/// 3. Everything sent has a time in advance of the node's output frontier. It follows from an update taken in this
///    visit or from a time that was held.
/// 4. `holds` changes in `visit` only: the region reads it after each visit and nowhere else. A hold that appears is in
///    advance of the output frontier.
/// 5. Neither method calls the region itself. Sending, waking and dropping handles is fine.
pub trait Node {
    /// Takes what arrived, sends what follows, and does at most about `visit.fuel` of work.
    ///
    /// # Errors
    /// When the node can't go on. It is not visited again, nor is anything that depends on it.
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault>;

    /// Lowers `holds`, empty at first, to the times this node may still speak at by itself.
    ///
    /// Asked after each visit of a node that owns its slot, so it should cost what there is to say, not what is stored.
    fn holds(&self, holds: &mut Frontier<Point>) {
        let _ = holds;
    }

    /// Does bounded upkeep, like merging, while the region is otherwise quiet; true if more is left.
    ///
    /// Asked after a visit that called [`Visit::rest`], until it answers false.
    ///
    /// # Errors
    /// As `visit`.
    fn upkeep(&mut self, fuel: &mut Fuel) -> Result<bool, Fault> {
        let _ = fuel;
        Ok(false)
    }
}

/// What the region lends a node for one visit.
pub struct Visit<'a> {
    /// What the activation may still spend. Take what the work costs.
    pub fuel: &'a mut Fuel,
    pub(super) slots: &'a Slots,
    pub(super) inputs: &'a [u32],
    pub(super) slot: u32,
    pub(super) levels: u32,
    pub(super) again: bool,
    pub(super) rest: bool,
}

impl<'a> Visit<'a> {
    /// The frontier of the input connected as number `input`: what may still come there is in advance of it.
    ///
    /// # Panics
    /// When there is no such input.
    pub fn frontier(&self, input: usize) -> &'a Frontier<Point> {
        self.slots.value(self.inputs[input])
    }

    /// The frontier that readers of this node see: what is sent must be in advance of it.
    pub fn output_frontier(&self) -> &'a Frontier<Point> {
        self.slots.value(self.slot)
    }

    /// In how many loops this exchange is, each of which counts its cargo.
    pub(super) fn levels(&self) -> u32 {
        self.levels
    }

    /// Asks for another visit: this one stopped early.
    pub fn again(&mut self) {
        self.again = true;
    }

    /// Asks for [`Node::upkeep`] when the region is quiet.
    pub fn rest(&mut self) {
        self.rest = true;
    }
}
