//! What a region may still say at a place by itself, whatever comes in through a boundary.
//!
//! ```text
//!   entry ---> map ---> arrange ---> exit          the exit's slot: 3, as 3 may still come in
//!     3                  holds 5                   its outlook:     5, what the region holds on the way there
//! ```
//!
//! To timely, a held output has a summary (what paths from the inputs do to times) and capabilities. The summary speaks
//! for what is still outside, at whatever time that is by then; the capabilities must speak for what is inside *without
//! it*, so the value of the exit's slot will not do: when the 3 becomes 7 out there, nobody asks us before the exit's
//! frontier follows, and the 5 would be passed over.
//!
//! So an outlook has the equations of the slots before its exit once more, solves them with the entries empty and all
//! other holds as they are, and forgets the result. With nothing but the least time at one entry, the same equations
//! say what the paths from there do.
//!
//! Invariant: to be asked only while no node before the exit has work (promise of `slots`: a queue is in no equation).
//! Cost: an evaluation of each slot before the exit. Why not incrementally: a hold that appears makes values go back,
//! which slots never do. Tested in `boundary_laws.rs` and, through timely, in `collection/boundary_laws.rs`.

use super::NodeId;
use super::completion::spread;
use super::graph::{Graph, SlotRule};
use super::schedule::Schedule;
use super::slots::Slots;
use crate::time::{Frontier, Point};

pub(super) struct Outlook {
    /// All nodes before the exit, itself among them.
    before: Vec<NodeId>,
    /// By slot of the equations: who owns it.
    owners: Vec<NodeId>,
    /// The slots of the boundary's entries.
    entries: Vec<u32>,
    exit: u32,
    equations: Slots,
}

impl Outlook {
    /// The outlook of `exit`, if it has a place; `entries` are those of its boundary.
    pub(super) fn new(schedule: &Schedule, exit: NodeId, entries: &[NodeId]) -> Option<Self> {
        let exit_slot = schedule.slot_of(exit)?;
        let position = schedule.wakes.position(exit)?;
        let producers: Vec<Vec<usize>> = schedule
            .steps
            .iter()
            .map(|step| step.producers.iter().filter_map(|&producer| schedule.wakes.position(producer)).collect())
            .collect();
        let before = spread([position], &producers);
        let steps = || schedule.steps.iter().zip(&before).filter(|(_, before)| **before).map(|(step, _)| step);
        let kept: Vec<u32> = steps().filter(|step| step.owns_slot).map(|step| step.slot).collect();
        let owners: Vec<NodeId> = steps().filter(|step| step.owns_slot).map(|step| step.node).collect();
        let is_entry = |(_, owner): &(usize, &NodeId)| entries.contains(owner);
        Some(Outlook {
            before: steps().map(|step| step.node).collect(),
            entries: owners.iter().enumerate().filter(is_entry).map(|(slot, _)| slot as u32).collect(),
            exit: kept.binary_search(&exit_slot).expect("the exit's slot is before it") as u32,
            owners,
            equations: schedule.slots.of_slots(&kept),
        })
    }

    /// Whether no node before the exit has work.
    pub(super) fn is_quiet(&self, schedule: &Schedule) -> bool {
        let marked = |position: usize| schedule.wakes.next(position, position + 1).is_some();
        !self.before.iter().filter_map(|&node| schedule.wakes.position(node)).any(marked)
    }

    /// What may still come at the exit if nothing more enters.
    pub(super) fn holds(&mut self, schedule: &Schedule) -> Frontier<Point> {
        for (slot, &owner) in self.owners.iter().enumerate() {
            let there = schedule.slot_of(owner).filter(|_| !self.entries.contains(&(slot as u32)));
            let mut holds = there.map_or_else(Frontier::empty, |slot| schedule.slots.holds(slot).clone());
            self.equations.set_holds(slot as u32, &mut holds);
        }
        self.equations.least(self.exit)
    }

    /// Where the least time gets from one of the entries; empty if it gets nowhere.
    pub(super) fn paths(&mut self, entry: NodeId) -> Frontier<Point> {
        for (slot, &owner) in self.owners.iter().enumerate() {
            let mut holds = if owner == entry { Frontier::minimum() } else { Frontier::empty() };
            self.equations.set_holds(slot as u32, &mut holds);
        }
        self.equations.least(self.exit)
    }
}

/// The name of an exchange between one of `entries` and `exit`, if there is one.
pub(super) fn exchange_between(graph: &Graph, entries: &[NodeId], exit: NodeId) -> Option<String> {
    let (mut readers, mut producers) = (vec![Vec::new(); graph.vertices.len()], Vec::new());
    for (node, vertex) in graph.vertices.iter().enumerate() {
        vertex.inputs.iter().for_each(|input| readers[input.index()].push(node));
        producers.push(vertex.inputs.iter().map(|input| input.index()).collect());
    }
    let before = spread([exit.index()], &producers);
    let behind = spread(entries.iter().map(|entry| entry.index()), &readers);
    let between = graph.vertices.iter().zip(before).zip(behind);
    between
        .filter(|((vertex, before), behind)| *before && *behind && vertex.rule == SlotRule::Exchange)
        .map(|((vertex, _), _)| vertex.name.to_string())
        .next()
}
