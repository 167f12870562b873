//! Frontier slots: one value for each node that does not share its input's, and how values follow from each other.
//!
//! ```text
//!     value(s) = meet over inputs i of change(value(i)),  and the holds of the node that owns s
//!     change: as it is | add n at coordinate c (a delay) | cut off at depth d (a leave)
//! ```
//!
//! Slots are numbered in the order of visits, so the slots of a loop are a range too. Outside loops a value is computed
//! right after the owner's visit. Inside it is as well, except for the loop's own delays: they stay as they are until
//! the loop is quiet, and then the whole range becomes the *least fixed point* of the equations above, which is exactly
//! what could still result from the holds inside and the slots outside. (With the delays computed on visit too, a loop
//! would count its own frontier round and round for ever.)
//!
//! [`Slots::evaluate`] finds the fixed point from empty frontiers: the delays first, then along the range, inner loops
//! brought to their own fixed point on the way, and again until no delay changes. Only edges into delays go backwards,
//! so nothing else needs looking at twice: about 2.7 computations a slot, whatever the number of inner loops.
//!
//! Invariants: values only advance (asserted in debug builds). Holds are those of the last visit, so an input moves when
//! its node is visited and not when it is fed. An evaluation needs empty queues: what is in a queue is in no equation.
//!
//! Values are this worker's: what may still come *here*. What another worker may still send enters at exchanges only,
//! whose slots are constants in these equations: holds that are set from marks, or in a loop by `counts`. There the
//! same equations are solved over what all workers contribute (`ways`).
//!
//! Tested in `slots_laws.rs`: on random graphs of nested loops, equal to what could result, by brute force.

use std::ops::Range;

use smallvec::SmallVec;

use crate::time::{Frontier, Point};

/// What a slot does to the frontiers that it is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Keep,
    Add { coordinate: usize, by: u64 },
    Truncate { depth: usize },
}

impl Change {
    /// Lowers `target` to its meet with `source`, changed; whether that moved it.
    fn lower(self, target: &mut Frontier<Point>, source: &Frontier<Point>) -> bool {
        if self == Change::Keep && target.is_empty() {
            target.clone_from(source);
            return !source.is_empty();
        }
        let mut changed = false;
        for time in source.elements() {
            match self {
                Change::Keep => changed |= target.insert(time.clone()),
                // A time that can't be written can't come either: the delay reports it when it meets the update.
                Change::Add { coordinate, by } => {
                    changed |= time.plus(coordinate, by).is_some_and(|later| target.insert(later));
                }
                Change::Truncate { depth } => changed |= target.insert(time.truncated(depth)),
            }
        }
        changed
    }
}

/// How one slot is computed.
pub(super) struct Formula {
    pub(super) inputs: SmallVec<[u32; 2]>,
    pub(super) change: Change,
}

/// A loop in terms of slots.
#[derive(Clone, Debug)]
pub(super) struct SlotLoop {
    pub(super) range: Range<u32>,
    /// How many slots at the head of the range belong to its own delays.
    pub(super) delays: u32,
    /// The loops directly inside, in order.
    pub(super) children: Vec<usize>,
}

#[derive(Default)]
pub(super) struct Slots {
    formulas: Vec<Formula>,
    values: Vec<Frontier<Point>>,
    holds: Vec<Frontier<Point>>,
    /// Values of a range while they are being found; empty in between.
    next: Vec<Frontier<Point>>,
    loops: Vec<SlotLoop>,
    scratch: Frontier<Point>,
    /// How many times a slot's value was computed, ever.
    pub(super) evaluations: u64,
}

impl Slots {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Adds a slot at which everything may still come. Its inputs have to be set.
    pub(super) fn push(&mut self, change: Change) {
        self.formulas.push(Formula { inputs: SmallVec::new(), change });
        self.values.push(Frontier::minimum());
        self.holds.push(Frontier::minimum());
        self.next.push(Frontier::empty());
    }

    /// The equations of a loop alone, numbered from its first slot: what comes from outside is left out.
    pub(super) fn of_loop(&self, index: usize) -> Vec<Formula> {
        let range = self.loops[index].range.clone();
        let inside = |slot: &u32| range.contains(slot).then(|| slot - range.start);
        let formulas = self.formulas[range.start as usize..range.end as usize].iter();
        let alone = |formula: &Formula| Formula {
            inputs: formula.inputs.iter().filter_map(inside).collect(),
            change: formula.change,
        };
        formulas.map(alone).collect()
    }

    /// The equations of some slots alone, in order; what comes from others is left out. Loops are among them whole or
    /// not at all. For [`Slots::least`].
    pub(super) fn of_slots(&self, kept: &[u32]) -> Slots {
        let number = |slot: u32| kept.binary_search(&slot).ok().map(|at| at as u32);
        let mut equations = Slots::default();
        for (at, &slot) in kept.iter().enumerate() {
            let formula = &self.formulas[slot as usize];
            equations.push(formula.change);
            let inputs: SmallVec<[u32; 2]> = formula.inputs.iter().filter_map(|&input| number(input)).collect();
            equations.set_inputs(at as u32, &inputs);
        }
        // One more loop around all, without delays of its own: so that the whole is walked as a loop's body is.
        let mut loops = vec![SlotLoop { range: 0..kept.len() as u32, delays: 0, children: Vec::new() }];
        let mut numbers = vec![None; self.loops.len()];
        for (index, SlotLoop { range, delays, .. }) in self.loops.iter().enumerate() {
            let Some(start) = number(range.start) else { continue };
            numbers[index] = Some(loops.len());
            let parent = self.loops.iter().position(|outer| outer.children.contains(&index));
            let around = parent.map_or(0, |outer| numbers[outer].expect("a loop is there whole"));
            let this = loops.len();
            loops[around].children.push(this);
            let range = start..start + (range.end - range.start);
            loops.push(SlotLoop { range, delays: *delays, children: Vec::new() });
        }
        equations.set_loops(loops);
        equations
    }

    /// The value of `slot` in the least fixed point of all equations, from holds alone. For what
    /// [`Slots::of_slots`] made: no value is kept, so this one need not be later than the one before.
    pub(super) fn least(&mut self, slot: u32) -> Frontier<Point> {
        let loops = std::mem::take(&mut self.loops);
        let all = loops[0].range.clone();
        self.settle(&loops, 0, &all);
        self.loops = loops;
        let found = std::mem::take(&mut self.next[slot as usize]);
        self.next.iter_mut().for_each(Frontier::clear);
        found
    }

    /// Whether a slot reads others that are not in a range.
    pub(super) fn enters(&self, slot: u32, range: &Range<u32>) -> bool {
        !self.formulas[slot as usize].inputs.iter().all(|input| range.contains(input))
    }

    /// Lowers `part` to what enters a range of slots at `slot`, from outside of the range; and `entries` to what that can
    /// become in a loop whose nodes are at least `depth` deep.
    pub(super) fn entering(
        &self,
        slot: u32,
        range: &Range<u32>,
        depth: usize,
        part: &mut Frontier<Point>,
        entries: &mut Frontier<Point>,
    ) {
        let formula = &self.formulas[slot as usize];
        for &input in formula.inputs.iter().filter(|input| !range.contains(input)) {
            formula.change.lower(part, &self.values[input as usize]);
            Change::Truncate { depth }.lower(entries, &self.values[input as usize]);
        }
    }

    /// The times that the owner of a slot holds.
    pub(super) fn held(&self, slot: u32) -> &Frontier<Point> {
        &self.holds[slot as usize]
    }

    /// The slots of a loop.
    pub(super) fn range_of(&self, index: usize) -> Range<u32> {
        self.loops[index].range.clone()
    }

    pub(super) fn set_loops(&mut self, loops: Vec<SlotLoop>) {
        self.loops = loops;
    }

    /// Sets which slots the value of `slot` is computed from.
    pub(super) fn set_inputs(&mut self, slot: u32, inputs: &[u32]) {
        self.formulas[slot as usize].inputs = SmallVec::from_slice(inputs);
    }

    /// Keeps the slots that `keeps` names, in order. Their inputs have to be set again.
    pub(super) fn retain(&mut self, keeps: &[bool]) {
        fn filter<E>(list: &mut Vec<E>, keeps: &[bool]) {
            let mut keeps = keeps.iter();
            list.retain(|_| *keeps.next().expect("there is an answer for each slot"));
        }
        filter(&mut self.formulas, keeps);
        filter(&mut self.values, keeps);
        filter(&mut self.holds, keeps);
        filter(&mut self.next, keeps);
    }

    pub(super) fn value(&self, slot: u32) -> &Frontier<Point> {
        &self.values[slot as usize]
    }

    /// What the owner of `slot` holds.
    pub(super) fn holds(&self, slot: u32) -> &Frontier<Point> {
        &self.holds[slot as usize]
    }

    /// Sets what the owner of `slot` holds; whether that is news. Leaves the former holds in `holds`.
    pub(super) fn set_holds(&mut self, slot: u32, holds: &mut Frontier<Point>) -> bool {
        let former = &mut self.holds[slot as usize];
        if former == holds {
            return false;
        }
        std::mem::swap(former, holds);
        true
    }

    /// Computes one slot from the present values; whether it moved.
    pub(super) fn refresh(&mut self, slot: u32) -> bool {
        self.evaluations += 1;
        let formula = &self.formulas[slot as usize];
        let holds = &self.holds[slot as usize];
        // One term only, which is most slots at most visits: no meet to find, and often nothing to copy.
        let only = match (&formula.inputs[..], formula.change) {
            ([], _) => Some(holds),
            (&[input], Change::Keep) if holds.is_empty() => Some(&self.values[input as usize]),
            _ => None,
        };
        if let Some(only) = only {
            if *only == self.values[slot as usize] {
                return false;
            }
            self.scratch.clone_from(only);
        } else {
            self.scratch.clone_from(holds);
            for &input in &formula.inputs {
                formula.change.lower(&mut self.scratch, &self.values[input as usize]);
            }
        }
        let mut value = std::mem::take(&mut self.scratch);
        let moved = self.install(slot, &mut value);
        self.scratch = value;
        moved
    }

    /// Brings all slots of a loop to their least fixed point and lists those that moved.
    pub(super) fn evaluate(&mut self, index: usize, moved: &mut Vec<u32>) {
        let loops = std::mem::take(&mut self.loops);
        let range = loops[index].range.clone();
        self.settle(&loops, index, &range);
        debug_assert!(self.is_settled(&range), "a fixed point computed again must stay as it is");
        for slot in range {
            let mut value = std::mem::take(&mut self.next[slot as usize]);
            if self.install(slot, &mut value) {
                moved.push(slot);
            }
            // Its buffer serves the next time.
            value.clear();
            self.next[slot as usize] = value;
        }
        self.loops = loops;
    }

    /// Replaces a value by a later one; whether it differs. Leaves the former one in `value`.
    fn install(&mut self, slot: u32, value: &mut Frontier<Point>) -> bool {
        let former = &mut self.values[slot as usize];
        if former == value {
            return false;
        }
        debug_assert!(former.precedes(value), "slot {slot} went back from {former:?} to {value:?}");
        std::mem::swap(former, value);
        true
    }

    fn settle(&mut self, loops: &[SlotLoop], index: usize, evaluated: &Range<u32>) {
        let SlotLoop { range, delays, children } = &loops[index];
        let body = range.start + delays;
        let mut first = true;
        loop {
            let mut changed = false;
            for delay in range.start..body {
                changed |= self.lower(delay, evaluated);
            }
            if !changed && !first {
                return;
            }
            first = false;
            let mut at = body;
            for &child in children {
                for slot in at..loops[child].range.start {
                    self.lower(slot, evaluated);
                }
                self.settle(loops, child, evaluated);
                at = loops[child].range.end;
            }
            for slot in at..range.end {
                self.lower(slot, evaluated);
            }
        }
    }

    /// Lowers the next value of `slot` to what its inputs and holds say; whether that changed it. Slots outside the
    /// range that is evaluated are read at their value: at worst out of date, which is on the safe side.
    fn lower(&mut self, slot: u32, evaluated: &Range<u32>) -> bool {
        self.evaluations += 1;
        let mut value = std::mem::take(&mut self.next[slot as usize]);
        let mut changed = Change::Keep.lower(&mut value, &self.holds[slot as usize]);
        let formula = &self.formulas[slot as usize];
        for &input in &formula.inputs {
            let values = if evaluated.contains(&input) { &self.next } else { &self.values };
            changed |= formula.change.lower(&mut value, &values[input as usize]);
        }
        self.next[slot as usize] = value;
        changed
    }

    fn is_settled(&mut self, range: &Range<u32>) -> bool {
        let evaluations = self.evaluations;
        let changed = range.clone().any(|slot| self.lower(slot, range));
        self.evaluations = evaluations;
        !changed
    }
}
