//! Nodes come into the schedule behind all others, and leave it without changing the order of those that stay.
//!
//! New nodes only read what is there already, so no old position, loop or slot changes when they come. A loop leaves
//! whole or not at all: its nodes can all reach each other, and what is read stays. So taking nodes out only closes
//! gaps, and loops that are in the middle of a round go on where they were.
//!
//! Cost: linear in the region for each building and each removal, not for each node.
//! Tested in `placing_laws.rs`.

use std::iter::successors;
use std::ops::Range;

use smallvec::SmallVec;

use super::counts::{Counts, Inside};
use super::graph::{Graph, SlotRule};
use super::order::Order;
use super::schedule::{Loop, Schedule, Step, TOP};
use super::slots::{Change, SlotLoop};
use super::{Node, NodeId};

impl SlotRule {
    fn change(self) -> Change {
        match self {
            SlotRule::Shared | SlotRule::Meet | SlotRule::Source | SlotRule::Exchange => Change::Keep,
            SlotRule::Delay { coordinate, by } => Change::Add { coordinate, by },
            SlotRule::Truncate { depth } => Change::Truncate { depth },
        }
    }
}

impl Schedule {
    /// Adds the nodes from `first` on in `order`, whose indices are counted from there, and marks them for a visit.
    pub(super) fn append(&mut self, graph: &Graph, first: usize, order: Order, behaviours: Vec<Box<dyn Node>>) {
        let (positions, loops) = (self.steps.len(), self.loops.len() as u32);
        let mut behaviours: Vec<_> = behaviours.into_iter().map(Some).collect();
        for &index in &order.placed {
            let node = NodeId((first + index) as u32);
            let vertex = &graph[node];
            let owns_slot = vertex.rule.owns_slot();
            let slot = if owns_slot {
                self.slots.push(vertex.rule.change());
                self.slots.len() as u32 - 1
            } else {
                // Edges that go backwards end in delays, so what a node shares has a place already.
                let Some(&input) = vertex.inputs.first() else { panic!("`{}` needs an input", vertex.name) };
                self.slot_of(input).expect("an input that is shared comes earlier")
            };
            self.wakes.place(node, self.steps.len());
            self.wakes.mark(node);
            self.steps.push(Step {
                behaviour: behaviours[index].take(),
                node,
                name: vertex.name.clone(),
                slot,
                owns_slot,
                exchanges: vertex.rule == SlotRule::Exchange,
                levels: 0,
                settles: false,
                watches: vertex.watches,
                resting: false,
                inner: TOP,
                inputs: SmallVec::new(),
                producers: vertex.inputs.clone(),
            });
        }
        self.loops.extend(order.loops.into_iter().map(|nest| {
            let range = positions + nest.range.start..positions + nest.range.end;
            let parent = nest.parent.map_or(TOP, |parent| loops + parent as u32);
            let cursor = range.start;
            let inside = &self.steps[range.clone()];
            let depth = inside.iter().map(|step| graph[step.node].depth).min().unwrap_or(0);
            Loop {
                range,
                delays: nest.delays,
                parent,
                cursor,
                rounds: 0,
                stale: true,
                heard: false,
                stopped: false,
                level: 0,
                depth,
                settlings: 0,
                counts: None,
            }
        }));
        self.link();
        let read = self.steps[positions..].iter().flat_map(|step| &step.producers);
        let stopped: Vec<usize> = read
            .filter_map(|&producer| self.wakes.position(producer))
            .filter(|&producer| producer < positions && self.steps[producer].behaviour.is_none())
            .collect();
        stopped.into_iter().for_each(|position| self.stop(position));
    }

    /// Takes out the nodes that `keeps` does not want, and answers with what they were.
    pub(super) fn retain(&mut self, keeps: impl Fn(NodeId) -> bool) -> Vec<Step> {
        let is_marked = |&at: &usize| self.wakes.next(at, at + 1).is_some();
        let marked: Vec<NodeId> =
            (0..self.steps.len()).filter(is_marked).map(|position| self.steps[position].node).collect();
        let kept_nodes: Vec<bool> = self.steps.iter().map(|step| keeps(step.node)).collect();
        let kept_slots: Vec<bool> =
            self.steps.iter().filter(|step| step.owns_slot).map(|step| keeps(step.node)).collect();
        let is_kept = |range: &Range<usize>| {
            let kept = &kept_nodes[range.clone()];
            assert!(kept.iter().all(|&keep| keep == kept[0]), "a loop stays or leaves as a whole");
            kept[0]
        };
        let kept_loops: Vec<bool> = self.loops.iter().map(|inside| is_kept(&inside.range)).collect();
        let (positions, slots, loops) = (counts(&kept_nodes), counts(&kept_slots), counts(&kept_loops));

        let mut taken = Vec::new();
        for (keep, mut step) in kept_nodes.iter().zip(std::mem::take(&mut self.steps)) {
            self.wakes.displace(step.node);
            if *keep {
                step.slot = slots[step.slot as usize] as u32;
                self.steps.push(step);
            } else {
                taken.push(step);
            }
        }
        for (position, step) in self.steps.iter().enumerate() {
            self.wakes.place(step.node, position);
        }
        marked.into_iter().for_each(|node| self.wakes.mark(node));
        self.cursor = positions[self.cursor];
        for (keep, mut inside) in kept_loops.iter().zip(std::mem::take(&mut self.loops)) {
            if *keep {
                inside.range = positions[inside.range.start]..positions[inside.range.end];
                inside.cursor = positions[inside.cursor];
                if inside.parent != TOP {
                    inside.parent = loops[inside.parent as usize] as u32;
                }
                self.loops.push(inside);
            }
        }
        self.slots.retain(&kept_slots);
        self.resting.retain(|&node| keeps(node));
        self.failures.retain(|&(node, _)| keeps(node));
        self.link();
        taken
    }

    /// The slot of a node that has a place.
    pub(super) fn slot_of(&self, node: NodeId) -> Option<u32> {
        Some(self.steps[self.wakes.position(node)?].slot)
    }

    /// Works out, from who reads whom and from the loops, everything that is kept to be looked up fast.
    fn link(&mut self) {
        for position in 0..self.steps.len() {
            let producers = self.steps[position].producers.iter();
            let slots = producers.map(|&input| self.slot_of(input).expect("what is read has a place"));
            let inputs: SmallVec<[u32; 2]> = slots.collect();
            let step = &mut self.steps[position];
            if step.exchanges {
                // Its frontier comes from all workers: here it is a constant.
                self.slots.set_inputs(step.slot, &[]);
            } else if step.owns_slot {
                self.slots.set_inputs(step.slot, &inputs);
            } else {
                let same = inputs.iter().all(|&input| input == step.slot);
                assert!(same, "`{}` shares slot {} but reads slots {inputs:?}", step.name, step.slot);
            }
            step.inputs = inputs;
        }
        self.link_loops();
        self.count_loops();

        let owners: Vec<usize> = (0..self.steps.len()).filter(|&position| self.steps[position].owns_slot).collect();
        self.watchers = vec![SmallVec::new(); self.slots.len()];
        self.enters = vec![SmallVec::new(); self.slots.len()];
        for step in &self.steps {
            let around = |&inside: &u32| Some(self.loops[inside as usize].parent).filter(|&parent| parent != TOP);
            for &input in &step.inputs {
                if step.watches && step.levels == 0 && !self.watchers[input as usize].contains(&step.node) {
                    self.watchers[input as usize].push(step.node);
                }
                let from = owners[input as usize];
                for inside in successors(Some(step.inner).filter(|&inside| inside != TOP), around) {
                    let entered = &mut self.enters[input as usize];
                    if !self.loops[inside as usize].range.contains(&from) && !entered.contains(&inside) {
                        entered.push(inside);
                    }
                }
            }
        }
    }

    fn link_loops(&mut self) {
        let slots_before = counts(&self.steps.iter().map(|step| step.owns_slot).collect::<Vec<_>>());
        let mut slot_loops: Vec<SlotLoop> = Vec::with_capacity(self.loops.len());
        for (index, Loop { range, delays, parent, .. }) in self.loops.iter().enumerate() {
            // Outer loops come first, so the innermost one has the last word.
            self.steps[range.clone()].iter_mut().for_each(|step| step.inner = index as u32);
            self.steps[range.start..range.start + delays].iter_mut().for_each(|step| step.settles = true);
            if *parent != TOP {
                slot_loops[*parent as usize].children.push(index);
            }
            let slots = slots_before[range.start] as u32..slots_before[range.end] as u32;
            slot_loops.push(SlotLoop { range: slots, delays: *delays as u32, children: Vec::new() });
        }
        self.slots.set_loops(slot_loops);
    }
}

impl Schedule {
    /// Begins to count in loops that have an exchange and are new.
    fn count_loops(&mut self) {
        let Some(post) = &self.post else { return };
        for index in 0..self.loops.len() {
            let Loop { range, parent, .. } = &self.loops[index];
            let level = if *parent == TOP { 0 } else { self.loops[*parent as usize].level + 1 };
            let steps = &mut self.steps[range.clone()];
            for step in steps.iter_mut().filter(|step| step.exchanges && step.inner == index as u32) {
                step.levels = level + 1;
            }
            let owners = || steps.iter().filter(|step| step.owns_slot);
            let first = owners().next().expect("a loop has a delay").slot;
            let inside = |step: &Step| Inside {
                slot: step.slot - first,
                inputs: step.inputs.iter().map(|input| input - first).collect(),
            };
            let exchanges: Vec<Inside> = owners().filter(|step| step.exchanges).map(inside).collect();
            let counts = if exchanges.is_empty() || self.loops[index].counts.is_some() {
                None
            } else {
                let nodes = owners().map(|step| step.node).collect();
                let slots = self.slots.range_of(index);
                let entered = slots.clone().map(|slot| self.slots.enters(slot, &slots)).collect();
                Some(Box::new(Counts::new(post.peers, nodes, exchanges, self.slots.of_loop(index), entered)))
            };
            let this = &mut self.loops[index];
            this.level = level;
            this.counts = this.counts.take().or(counts);
        }
    }
}

/// For each index, and one past the last, how many before it are true.
fn counts(flags: &[bool]) -> Vec<usize> {
    let running = flags.iter().scan(0, |count, &flag| {
        *count += usize::from(flag);
        Some(*count)
    });
    std::iter::once(0).chain(running).collect()
}
