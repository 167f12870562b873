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
//! Each loop of a nest that has an exchange in it, at whatever depth, has counts of its own: they cover its range, what
//! is inside included, and what enters is what each worker says of the slots outside of that range. All of them bound
//! what an exchange may give, so it is what all of them allow (the join): the innermost knows the rounds of its loop,
//! and without the outer ones a frontier would creep round theirs. So a round of an inner loop costs what is in it. A
//! loop around does not settle while work goes on in one inside, on whichever worker, for which nothing from outside is
//! needed: it would learn nothing. But after some rounds of that it does, once.
//!
//! Cost: an evaluation of the loop's slots, a second time, for each batch made or received while the loop is quiet.
//! Why not marks: round a loop they would creep one iteration at a time. Why not recompute slots on visits from the
//! totals: they lag behind what this worker knows of itself.
//! Tested in `simulation_laws.rs`.

use std::collections::HashMap;

use smallvec::SmallVec;
use timely::progress::frontier::MutableAntichain;

use super::NodeId;
use super::message::Changes;
use super::post::Peers;
use super::slots::Slots;
use crate::time::{Frontier, Point};

pub(super) struct Counts {
    /// By slot of the loop, counted from its first: the node that owns it.
    nodes: Vec<NodeId>,
    numbers: HashMap<NodeId, u32>,
    /// The slots of exchanges among them.
    exchanges: Vec<u32>,
    /// The equations of the loop over all workers: those of its slots, with exchanges that pass on their input.
    equations: Slots,
    totals: Vec<MutableAntichain<Point>>,
    /// What all workers say may still enter the loop, wherever.
    entries: MutableAntichain<Point>,
    /// What this worker contributed last, cargo aside; and what of that enters.
    said: Vec<Frontier<Point>>,
    said_entries: Frontier<Point>,
    /// By worker: whether its first batch has come.
    started: Vec<bool>,
    /// Slots whose total has changed since the equations were last solved.
    fresh: Vec<u32>,
    here: usize,
    scratch: Frontier<Point>,
    moved: Vec<u32>,
}

impl Counts {
    /// The counts of a loop whose slots are owned by `nodes`.
    pub(super) fn new(peers: Peers, nodes: Vec<NodeId>, exchanges: &[Inside], mut equations: Slots) -> Self {
        for Inside { slot, inputs, .. } in exchanges {
            equations.set_inputs(*slot, inputs);
        }
        let numbers = nodes.iter().enumerate().map(|(slot, &node)| (node, slot as u32)).collect();
        let slots = nodes.len();
        Counts {
            nodes,
            numbers,
            exchanges: exchanges.iter().map(|exchange| exchange.slot).collect(),
            equations,
            totals: (0..slots).map(|_| MutableAntichain::new()).collect(),
            entries: MutableAntichain::new(),
            said: vec![Frontier::empty(); slots],
            said_entries: Frontier::empty(),
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

    /// An exchange of the loop.
    pub(super) fn some_exchange(&self) -> NodeId {
        self.nodes[self.exchanges[0] as usize]
    }

    /// Whether work goes on in the loop, on whichever worker, that nothing from outside is needed for.
    pub(super) fn is_busy(&self) -> bool {
        let values = self.exchanges.iter().map(|&slot| self.equations.value(slot));
        let mut times = values.flat_map(|value| value.elements());
        self.started.iter().all(|&started| started) && times.any(|time| !self.entries.frontier().less_equal(time))
    }

    /// Computations of a slot's value, ever.
    pub(super) fn evaluations(&self) -> u64 {
        self.equations.evaluations
    }

    /// The workers whose first batch has not come.
    pub(super) fn not_started(&self) -> Vec<usize> {
        (0..self.started.len()).filter(|&worker| !self.started[worker]).collect()
    }

    /// What all workers contribute at a node, as far as is known here.
    pub(super) fn total_of(&self, node: NodeId) -> Frontier<Point> {
        let total = self.numbers.get(&node).map(|&slot| self.totals[slot as usize].frontier());
        total.iter().flat_map(|total| total.iter().cloned()).collect()
    }

    /// Applies a batch of another worker. False if it speaks of a node that is not of this loop.
    pub(super) fn apply(&mut self, from: usize, changes: Changes) -> bool {
        self.started[from] = true;
        self.entries.update_iter(changes.entries).for_each(drop);
        for (node, time, by) in changes.at {
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

    /// Makes a batch of what changed here since the last one. None if nothing has; the first is always one.
    ///
    /// `part` lowers a frontier to what this worker contributes at a slot, and another to what of that enters there;
    /// `cargo` answers with what it took in and sent.
    pub(super) fn batch(
        &mut self,
        mut part: impl FnMut(u32, &mut Frontier<Point>, &mut Frontier<Point>),
        mut cargo: impl FnMut(NodeId) -> Vec<(Point, i64)>,
    ) -> Option<Changes> {
        let mut changes = Changes::default();
        let (mut now, mut entries) = (std::mem::take(&mut self.scratch), Frontier::empty());
        for slot in 0..self.nodes.len() as u32 {
            if self.exchanges.contains(&slot) {
                let node = self.nodes[slot as usize];
                changes.at.extend(cargo(node).into_iter().map(|(time, by)| (node, time, by)));
                continue;
            }
            now.clear();
            part(slot, &mut now, &mut entries);
            let (node, said) = (self.nodes[slot as usize], &mut self.said[slot as usize]);
            changes.at.extend(difference(said, &now).map(|(time, by)| (node, time, by)));
            std::mem::swap(said, &mut now);
        }
        changes.entries.extend(difference(&self.said_entries, &entries));
        self.said_entries = entries;
        self.scratch = now;
        if changes.at.is_empty() && changes.entries.is_empty() && self.started[self.here] {
            return None;
        }
        self.apply(self.here, changes.clone());
        Some(changes)
    }

    /// Solves the equations over the totals, and lists the exchanges for which the answer has changed.
    pub(super) fn solve(&mut self, changed: &mut SmallVec<[NodeId; 4]>) {
        if self.fresh.is_empty() || self.started.contains(&false) {
            return;
        }
        for slot in self.fresh.drain(..) {
            self.scratch.clear();
            self.totals[slot as usize].frontier().iter().for_each(|time| _ = self.scratch.insert(time.clone()));
            self.equations.set_holds(slot, &mut self.scratch);
        }
        self.equations.evaluate(0, &mut self.moved);
        let exchanges = self.moved.drain(..).filter(|slot| self.exchanges.contains(slot));
        changed.extend(exchanges.map(|slot| self.nodes[slot as usize]));
    }

    /// What may still come out of an exchange of the loop, as far as the loop's counts say.
    pub(super) fn value(&self, exchange: NodeId) -> &Frontier<Point> {
        self.equations.value(self.numbers[&exchange])
    }
}

/// An exchange in a loop: its slot and those that it reads, counted from the loop's first.
pub(super) struct Inside {
    pub(super) slot: u32,
    pub(super) inputs: SmallVec<[u32; 2]>,
}

/// What takes the elements of one frontier away and adds those of another; nothing if they agree.
fn difference(before: &Frontier<Point>, after: &Frontier<Point>) -> impl Iterator<Item = (Point, i64)> {
    let same = before == after;
    let each = |frontier: &Frontier<Point>, by| {
        frontier.elements().iter().filter(|_| !same).map(|time| (time.clone(), by)).collect::<SmallVec<[_; 2]>>()
    };
    each(before, -1).into_iter().chain(each(after, 1))
}
