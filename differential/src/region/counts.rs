//! What may still come in a loop that runs on several workers.
//!
//! ```text
//!   worker 0   holds, entries, cargo --.
//!   worker 1   holds, entries, cargo ---+--> totals, by node --> the loop's equations --> slots of its exchanges
//!   worker 2   holds, entries, cargo --'         (a multiset of times each)
//! ```
//!
//! A loop goes on alone on each worker up to its exchanges: what comes out of those depends on all. So each worker keeps
//! the sum of what all contribute: the times that their nodes hold, the frontiers of what enters the loop from outside,
//! and the updates under way to each exchange. Whenever the loop is quiet here and its own part has changed, it tells
//! the change to everyone as *one* batch: what it took in comes off, what it sent comes on, and what it holds is brought
//! up to date. The least fixed point of the loop's equations over the totals then says what an exchange may still give;
//! that becomes a constant of this worker's own equations (`slots`), by which everything else moves, on visits too.
//!
//! Why it is safe: each time that a batch adds is at or after one that the same worker's part had before, or that the
//! batch takes off as cargo taken in. Batches of one worker arrive in order, and behind the cargo that they count. So
//! whatever prefix of each worker's batches has arrived, the totals keep an element at or before everything that is
//! outstanding anywhere (a count may be negative for a while; it then bounds nothing). Why it ends: after the last batch
//! the totals are the truth, and the fixed point is exact.
//!
//! Before all workers have said their first batch for the loop nothing is known of some, and its exchanges stay at the
//! minimum. Locations are named by nodes, whose numbers agree on all workers.
//!
//! Cost: an evaluation of the loop's slots, a second time, for each batch made or received while the loop is quiet.
//! Why not marks: round a loop they would creep one iteration at a time. Why not recompute slots on visits from the
//! totals: they lag behind what this worker knows of itself.
//! Tested in `simulation_laws.rs`.

use std::collections::HashMap;

use smallvec::SmallVec;
use timely::progress::frontier::MutableAntichain;

use super::NodeId;
use super::post::Peers;
use super::slots::Slots;
use crate::time::{Frontier, Point};

/// How a worker's part in the counts changed, at each node.
pub(super) type Changes = Vec<(NodeId, Point, i64)>;

pub(super) struct Counts {
    /// By slot of the loop, counted from its first: the node that owns it.
    nodes: Vec<NodeId>,
    numbers: HashMap<NodeId, u32>,
    /// The slots of exchanges among them.
    exchanges: Vec<u32>,
    /// The equations of the loop over all workers: those of its slots, with exchanges that pass on their input.
    equations: Slots,
    totals: Vec<MutableAntichain<Point>>,
    /// What this worker contributed last, cargo aside.
    said: Vec<Frontier<Point>>,
    /// By worker: whether its first batch has come.
    started: Vec<bool>,
    /// Slots whose total has changed since the equations were last solved.
    fresh: Vec<u32>,
    here: usize,
    scratch: Frontier<Point>,
    moved: Vec<u32>,
}

impl Counts {
    /// The counts of a loop whose slots are owned by `nodes`; `exchanges` lists those of exchanges with their inputs.
    pub(super) fn new(
        peers: Peers,
        nodes: Vec<NodeId>,
        exchanges: &[(u32, SmallVec<[u32; 2]>)],
        mut equations: Slots,
    ) -> Self {
        for (exchange, inputs) in exchanges {
            equations.set_inputs(*exchange, inputs);
        }
        let numbers = nodes.iter().enumerate().map(|(slot, &node)| (node, slot as u32)).collect();
        let slots = nodes.len();
        Counts {
            nodes,
            numbers,
            exchanges: exchanges.iter().map(|(exchange, _)| *exchange).collect(),
            equations,
            totals: (0..slots).map(|_| MutableAntichain::new()).collect(),
            said: vec![Frontier::empty(); slots],
            started: vec![false; peers.count],
            fresh: (0..slots as u32).collect(),
            here: peers.index,
            scratch: Frontier::empty(),
            moved: Vec::new(),
        }
    }

    /// The node that names the loop.
    pub(super) fn first(&self) -> NodeId {
        self.nodes[0]
    }

    /// The exchanges of the loop: slot, counted from the loop's first, and node.
    pub(super) fn exchanges(&self) -> impl Iterator<Item = (u32, NodeId)> {
        self.exchanges.iter().map(|&slot| (slot, self.nodes[slot as usize]))
    }

    /// Computations of a slot's value, ever.
    pub(super) fn evaluations(&self) -> u64 {
        self.equations.evaluations
    }

    /// Applies a batch of another worker. False if it speaks of a node that is not of this loop.
    pub(super) fn apply(&mut self, from: usize, changes: Changes) -> bool {
        self.started[from] = true;
        for (node, time, by) in changes {
            let Some(&slot) = self.numbers.get(&node) else { return false };
            self.add(slot, [(time, by)]);
        }
        true
    }

    fn add(&mut self, slot: u32, changes: impl IntoIterator<Item = (Point, i64)>) {
        if self.totals[slot as usize].update_iter(changes).next().is_some() {
            self.fresh.push(slot);
        }
    }

    /// Makes a batch of what changed here since the last one; `part` is what this worker contributes at a slot, and
    /// `cargo` what it took in and sent. None if nothing has changed; the first is always one.
    pub(super) fn batch(
        &mut self,
        mut part: impl FnMut(u32, &mut Frontier<Point>),
        mut cargo: impl FnMut(NodeId) -> Vec<(Point, i64)>,
    ) -> Option<Changes> {
        let mut changes = Changes::new();
        let mut now = std::mem::take(&mut self.scratch);
        for slot in 0..self.nodes.len() {
            now.clear();
            part(slot as u32, &mut now);
            let said = &mut self.said[slot];
            if now != *said {
                let node = self.nodes[slot];
                changes.extend(said.elements().iter().map(|time| (node, time.clone(), -1)));
                changes.extend(now.elements().iter().map(|time| (node, time.clone(), 1)));
                std::mem::swap(said, &mut now);
            }
        }
        self.scratch = now;
        for slot in self.exchanges.clone() {
            let node = self.nodes[slot as usize];
            changes.extend(cargo(node).into_iter().map(|(time, by)| (node, time, by)));
        }
        if changes.is_empty() && self.started[self.here] {
            return None;
        }
        self.apply(self.here, changes.clone());
        Some(changes)
    }

    /// Solves the equations over the totals, and tells what has changed: an exchange's slot, and its frontier.
    pub(super) fn solve(&mut self, mut tell: impl FnMut(u32, &Frontier<Point>)) {
        if self.fresh.is_empty() || self.started.contains(&false) {
            return;
        }
        for slot in self.fresh.drain(..) {
            self.scratch.clear();
            self.totals[slot as usize].frontier().iter().for_each(|time| _ = self.scratch.insert(time.clone()));
            self.equations.set_holds(slot, &mut self.scratch);
        }
        self.equations.evaluate(0, &mut self.moved);
        for slot in self.moved.drain(..) {
            if self.exchanges.contains(&slot) {
                tell(slot, self.equations.value(slot));
            }
        }
    }
}
