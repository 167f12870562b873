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
//! Cost: a look at each slot of the loop for each batch made, and the ways (`ways`) from those with something held for
//! each made or received while the loop is quiet.
//! Why not marks: round a loop they would creep one iteration at a time. Why not recompute slots on visits from the
//! totals: they lag behind what this worker knows of itself.
//! Tested in `simulation_laws.rs`.

use std::collections::HashMap;
use std::ops::Range;

use smallvec::SmallVec;
use timely::progress::frontier::MutableAntichain;

use super::NodeId;
use super::message::Changes;
use super::post::Peers;
use super::slots::{Formula, Slots};
use super::ways::Ways;
use crate::time::{Frontier, Point};

pub(super) struct Counts {
    /// By slot of the loop, counted from its first: the node that owns it.
    nodes: Vec<NodeId>,
    numbers: HashMap<NodeId, u32>,
    /// The slots of exchanges among them, in order.
    exchanges: Vec<u32>,
    /// The slots that read others outside of the loop.
    entered: Vec<bool>,
    /// From everything that is held to what may come out of exchanges.
    ways: Ways,
    totals: Vec<MutableAntichain<Point>>,
    /// What all workers say may still enter the loop, wherever.
    entries: MutableAntichain<Point>,
    /// What this worker contributed last, cargo aside; and what of that enters.
    said: Vec<Frontier<Point>>,
    said_entries: Frontier<Point>,
    /// By worker: whether its first batch has come.
    started: Vec<bool>,
    /// Whether a total has changed since the ways were last gone.
    fresh: bool,
    here: usize,
    scratch: Frontier<Point>,
}

impl Counts {
    /// The counts of a loop of such slots, each owned by one of `nodes`.
    pub(super) fn new(
        peers: Peers,
        nodes: Vec<NodeId>,
        exchanges: Vec<Inside>,
        mut formulas: Vec<Formula>,
        entered: Vec<bool>,
    ) -> Self {
        let places: Vec<u32> = exchanges.iter().map(|exchange| exchange.slot).collect();
        // Over all workers, an exchange passes on its input.
        for Inside { slot, inputs } in exchanges {
            formulas[slot as usize].inputs = inputs;
        }
        let numbers = nodes.iter().enumerate().map(|(slot, &node)| (node, slot as u32)).collect();
        let slots = nodes.len();
        Counts {
            nodes,
            numbers,
            ways: Ways::new(&formulas, &places),
            exchanges: places,
            entered,
            totals: (0..slots).map(|_| MutableAntichain::new()).collect(),
            entries: MutableAntichain::new(),
            said: vec![Frontier::empty(); slots],
            said_entries: Frontier::empty(),
            started: vec![false; peers.count],
            fresh: true,
            here: peers.index,
            scratch: Frontier::empty(),
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
        let mut times = self.ways.values().iter().flat_map(|value| value.elements());
        self.started.iter().all(|&started| started) && times.any(|time| !self.entries.frontier().less_equal(time))
    }

    /// Ways gone, ever.
    pub(super) fn evaluations(&self) -> u64 {
        self.ways.gone
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
        self.fresh |= self.totals[slot as usize].update_iter(changes).next().is_some();
    }

    /// Makes a batch of what changed here since the last one. None if nothing has; the first is always one.
    ///
    /// The slots of the loop are a `range` of `slots`, and its nodes at least `depth` deep; `cargo` answers with what an
    /// exchange took in and sent.
    pub(super) fn batch(
        &mut self,
        slots: &Slots,
        range: &Range<u32>,
        depth: usize,
        mut cargo: impl FnMut(NodeId) -> Vec<(Point, i64)>,
    ) -> Option<Changes> {
        let mut changes = Changes::default();
        for &slot in &self.exchanges {
            let node = self.nodes[slot as usize];
            changes.at.extend(cargo(node).into_iter().map(|(time, by)| (node, time, by)));
        }
        let mut entries = Frontier::empty();
        // Of an exchange the slots keep what all workers allow, as if it held that.
        let mut exchanges = self.exchanges.iter().peekable();
        for (slot, said) in (0..).zip(&mut self.said) {
            if exchanges.next_if(|exchange| **exchange == slot).is_some() {
                continue;
            }
            let held = slots.held(range.start + slot);
            let mut now = held;
            if self.entered[slot as usize] {
                self.scratch.clone_from(held);
                slots.entering(range.start + slot, range, depth, &mut self.scratch, &mut entries);
                now = &self.scratch;
            }
            if now != said {
                let node = self.nodes[slot as usize];
                changes.at.extend(difference(said, now).map(|(time, by)| (node, time, by)));
                said.clone_from(now);
            }
        }
        if entries != self.said_entries {
            changes.entries.extend(difference(&self.said_entries, &entries));
            self.said_entries = entries;
        }
        if changes.at.is_empty() && changes.entries.is_empty() && self.started[self.here] {
            return None;
        }
        self.apply(self.here, changes.clone());
        Some(changes)
    }

    /// Finds what the totals allow, and lists the exchanges for which that has changed.
    pub(super) fn solve(&mut self, changed: &mut SmallVec<[NodeId; 4]>) {
        if !self.fresh || self.started.contains(&false) {
            return;
        }
        self.fresh = false;
        let mut slots = SmallVec::new();
        self.ways.solve(|slot| self.totals[slot as usize].frontier(), &mut slots);
        changed.extend(slots.into_iter().map(|slot| self.nodes[slot as usize]));
    }

    /// What may still come out of an exchange of the loop, as far as the loop's counts say.
    pub(super) fn value(&self, exchange: NodeId) -> &Frontier<Point> {
        self.ways.value(self.numbers[&exchange])
    }
}

/// An exchange in a loop: its slot and those that it reads, counted from the loop's first.
pub(super) struct Inside {
    pub(super) slot: u32,
    pub(super) inputs: SmallVec<[u32; 2]>,
}

/// What takes the elements of one frontier away and adds those of another.
fn difference(before: &Frontier<Point>, after: &Frontier<Point>) -> impl Iterator<Item = (Point, i64)> {
    let (before, after) = (before.elements().iter(), after.elements().iter());
    before.map(|time| (time.clone(), -1)).chain(after.map(|time| (time.clone(), 1)))
}
