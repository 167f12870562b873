//! Who is visited next: the scan over marked nodes, and loops run in rounds.
//!
//! ```text
//!     activate    scan upwards from the cursor, wrapping round:  visit, or run the loop that is there
//!     run(loop)   scan its range likewise until no bit is set; then settle its frontiers; if one moved, again
//! ```
//!
//! Outside loops a node is visited after everything that can reach it, so once a round. In a loop data circulates until
//! the range is quiet before a frontier moves, so what comes in parts is seen whole.
//!
//! Fuel bounds an activation. Three rules keep it fair and the frontiers right:
//! * Settling is never put off: a loop returns early only with a bit set in its range. So the bits alone say what is
//!   left, and there is no "settling is due" to forget.
//! * Each loop has its own cursor, and the scan around it goes on *behind* a loop that ran out of fuel. To go on inside
//!   it instead would let a loop that never ends starve every other query. What was sent to nodes of that loop which
//!   share their slot is handed on first: their slot has moved with its owner's visit, and nodes behind the loop see it.
//! * An inner loop that settled [`ROUNDS`] times in a row leaves it to the loop around once: it returns when quiet,
//!   the one around becomes quiet too, and settles both. Otherwise an inner loop that never ends at one epoch would keep
//!   the results of earlier epochs inside for ever.
//!
//! A loop is settled only if something that it depends on changed since the last time: a hold inside, or a slot outside
//! that it reads (`stale`). Invariant: while no loop is stale, every slot has the value that the equations give.
//! Cost: about 140 instructions a visit around the node's own, and as many again for a slot; nothing is allocated.
//! Tested in `schedule_laws.rs` (counts, fairness) and, under any fuel and pauses, in `slots_laws.rs`.

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use smallvec::SmallVec;

use super::counts::Counts;
use super::logging::Log;
use super::post::Post;
use super::slots::Slots;
use super::wakes::Wakes;
use super::{Fuel, Node, NodeId, Visit};
use crate::error::{Error, Fault};
use crate::time::{Frontier, Point};

/// Rounds of an inner loop: many, as letting the loop around settle costs what is around; few enough to be fair.
const ROUNDS: u32 = 16;

/// No loop: the region itself.
pub(super) const TOP: u32 = u32::MAX;

/// A node at its place in the order.
pub(super) struct Step {
    /// Taken away when the node stops; visits then do nothing.
    pub(super) behaviour: Option<Box<dyn Node>>,
    pub(super) node: NodeId,
    pub(super) name: Rc<str>,
    pub(super) slot: u32,
    pub(super) owns_slot: bool,
    pub(super) exchanges: bool,
    /// Of an exchange: in how many loops it is. Their counts say what may come out of it.
    pub(super) levels: u32,
    /// A loop's own delay: its slot moves only when the loop settles.
    pub(super) settles: bool,
    pub(super) watches: bool,
    pub(super) resting: bool,
    /// The innermost loop around, or `TOP`.
    pub(super) inner: u32,
    pub(super) inputs: SmallVec<[u32; 2]>,
    /// The nodes that it reads.
    pub(super) producers: SmallVec<[NodeId; 2]>,
}

/// A loop while it runs.
pub(super) struct Loop {
    pub(super) range: Range<usize>,
    pub(super) delays: usize,
    /// The loop around, or `TOP`.
    pub(super) parent: u32,
    /// Where the scan goes on. Kept when fuel runs out, as is `rounds`.
    pub(super) cursor: usize,
    pub(super) rounds: u32,
    pub(super) stale: bool,
    /// Whether another worker has told of it since it last settled.
    pub(super) heard: bool,
    pub(super) stopped: bool,
    /// How many loops are around it.
    pub(super) level: u32,
    /// The least depth of its nodes.
    pub(super) depth: usize,
    /// How often it settled since a loop around did.
    pub(super) settlings: u32,
    /// What all workers contribute, where it has an exchange in it.
    pub(super) counts: Option<Box<Counts>>,
}

/// Whether an activation left work behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// No node has work.
    Quiet,
    /// Fuel ran out first: activate again.
    More,
}

/// What a region has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Activations.
    pub activations: u64,
    /// Visits to nodes.
    pub visits: u64,
    /// Computations of a slot's value, for this worker or for all.
    pub evaluations: u64,
    /// Containers sent to exchanges of other workers.
    pub loads: u64,
    /// Messages handed out for other workers.
    pub messages: u64,
}

pub(super) struct Schedule {
    pub(super) wakes: Rc<Wakes>,
    /// To other workers, where there are some.
    pub(super) post: Option<Rc<Post>>,
    /// Where it is told what is done, if somebody watches.
    pub(super) log: Option<Rc<Log>>,
    pub(super) steps: Vec<Step>,
    pub(super) loops: Vec<Loop>,
    pub(super) slots: Slots,
    /// By slot: the nodes to wake when it moves.
    pub(super) watchers: Vec<SmallVec<[NodeId; 2]>>,
    /// By slot: the loops that read it without containing it.
    pub(super) enters: Vec<SmallVec<[u32; 1]>>,
    pub(super) cursor: usize,
    pub(super) resting: VecDeque<NodeId>,
    /// The first failure of each node that failed and is still there, in order.
    pub(super) failures: Vec<(NodeId, Error)>,
    /// How often an inner loop settles by itself before it lets the loop around do it once.
    pub(super) rounds: u32,
    pub(super) activations: u64,
    pub(super) visits: u64,
    holds: Frontier<Point>,
    pub(super) moved: Vec<u32>,
}

impl Schedule {
    pub(super) fn new(wakes: Rc<Wakes>, post: Option<Rc<Post>>) -> Self {
        Schedule {
            wakes,
            post,
            log: None,
            steps: Vec::new(),
            loops: Vec::new(),
            slots: Slots::default(),
            watchers: Vec::new(),
            enters: Vec::new(),
            cursor: 0,
            resting: VecDeque::new(),
            failures: Vec::new(),
            rounds: ROUNDS,
            activations: 0,
            visits: 0,
            holds: Frontier::empty(),
            moved: Vec::new(),
        }
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.wakes.next(0, self.steps.len()).is_none()
    }

    /// Whether nothing can come any more from any node that has not stopped.
    pub(super) fn is_complete(&self) -> bool {
        let mut running = self.steps.iter().filter(|step| step.owns_slot && step.behaviour.is_some());
        self.is_quiet() && running.all(|step| self.slots.value(step.slot).is_empty())
    }

    /// Visits marked nodes until none is left or the fuel is spent; at least one, if there is one.
    pub(super) fn activate(&mut self, mut fuel: Fuel) -> Activity {
        self.activations += 1;
        let all = 0..self.steps.len();
        let mut begun = false;
        while let Some(position) = self.next_marked(self.cursor, &all) {
            if begun && fuel.spent() {
                self.cursor = position;
                return Activity::More;
            }
            begun = true;
            match self.child_at(position, TOP) {
                Some(index) => {
                    self.run(index, &mut fuel);
                    self.cursor = self.loops[index].range.end;
                }
                None => {
                    self.visit(position, &mut fuel);
                    self.cursor = position + 1;
                }
            }
        }
        Activity::Quiet
    }

    /// Runs a loop until it is quiet and settled, or the fuel is spent with a node left that has work.
    fn run(&mut self, index: usize, fuel: &mut Fuel) {
        let range = self.loops[index].range.clone();
        let mut cursor = self.loops[index].cursor;
        let mut begun = false;
        loop {
            while let Some(position) = self.next_marked(cursor, &range) {
                if begun && fuel.spent() {
                    self.loops[index].cursor = position;
                    self.hand_on(&range, fuel);
                    if self.wakes.next(range.start, range.end).is_some() {
                        return;
                    }
                    break;
                }
                begun = true;
                cursor = match self.child_at(position, index as u32) {
                    Some(child) => {
                        self.run(child, fuel);
                        self.loops[child].range.end
                    }
                    None => {
                        self.visit(position, fuel);
                        position + 1
                    }
                };
            }
            cursor = range.start;
            let this = &mut self.loops[index];
            this.cursor = range.start;
            let settled = this.stopped || !(this.stale || this.heard);
            let leaves_it = this.parent != TOP && this.rounds >= self.rounds;
            if settled || leaves_it {
                this.rounds = 0;
                return;
            }
            if self.waits_for_inner(&range, index) {
                return;
            }
            self.loops[index].rounds += 1;
            if let Some(log) = &self.log {
                log.round(self.steps[range.start].node);
            }
            if !self.settle(index) {
                self.loops[index].rounds = 0;
                return;
            }
        }
    }

    /// Visits the marked nodes of a range that share their slot, in order: what they read never comes from behind.
    fn hand_on(&mut self, range: &Range<usize>, fuel: &mut Fuel) {
        let mut from = range.start;
        while let Some(position) = self.wakes.next(from, range.end) {
            if !self.steps[position].owns_slot {
                self.visit(position, fuel);
            }
            from = position + 1;
        }
    }

    fn visit(&mut self, position: usize, fuel: &mut Fuel) {
        self.visits += 1;
        self.wakes.clear(position);
        let step = &mut self.steps[position];
        let Some(behaviour) = &mut step.behaviour else { return };
        let mut visit = Visit {
            fuel,
            slots: &self.slots,
            inputs: &step.inputs,
            slot: step.slot,
            levels: step.levels,
            again: false,
            rest: false,
        };
        // Written from inside and only if there is one, as a result of the catch would be moved twice a visit.
        let mut fault = None;
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| {
            if let Err(error) = behaviour.visit(&mut visit) {
                fault = Some(error);
            }
        })) {
            fault = Some(Fault::from_panic(&*payload));
        }
        visit.fuel.take(1);
        let Visit { again, rest, .. } = visit;
        if let Some(fault) = fault {
            return self.fail(position, fault);
        }
        if again {
            assert!(step.owns_slot, "`{}` shares its input's slot and must not stop for fuel", step.name);
            self.wakes.mark(step.node);
        }
        if rest && !step.resting {
            step.resting = true;
            self.resting.push_back(step.node);
        }
        // What a counted exchange may give is settled with the loop.
        if step.owns_slot && step.levels == 0 {
            self.holds.clear();
            behaviour.holds(&mut self.holds);
            let (slot, settles, around) = (step.slot, step.settles, step.inner);
            if self.slots.set_holds(slot, &mut self.holds) {
                self.make_stale(around);
            }
            if !settles && self.slots.refresh(slot) {
                self.announce(slot);
            }
        }
    }

    pub(super) fn awaits_upkeep(&self) -> bool {
        !self.resting.is_empty()
    }

    /// Lets nodes that asked for it do upkeep, in turn.
    pub(super) fn upkeep(&mut self, fuel: &mut Fuel) {
        while let Some(node) = self.resting.pop_front() {
            let Some(position) = self.wakes.position(node) else { continue };
            let step = &mut self.steps[position];
            let Some(behaviour) = &mut step.behaviour else { continue };
            let outcome = catch_unwind(AssertUnwindSafe(|| behaviour.upkeep(fuel)))
                .unwrap_or_else(|payload| Err(Fault::from_panic(&*payload)));
            fuel.take(1);
            match outcome {
                Ok(true) => self.resting.push_back(node),
                Ok(false) => step.resting = false,
                Err(fault) => self.fail(position, fault),
            }
            if fuel.spent() {
                break;
            }
        }
    }

    /// The next marked position of `range` from `cursor` on, wrapping round.
    #[inline(always)]
    fn next_marked(&self, cursor: usize, range: &Range<usize>) -> Option<usize> {
        self.wakes.next(cursor, range.end).or_else(|| self.wakes.next(range.start, cursor))
    }

    /// The loop directly inside `parent` that contains `position`, if it is not directly in `parent` itself.
    #[inline]
    fn child_at(&self, position: usize, parent: u32) -> Option<usize> {
        let mut at = self.steps[position].inner;
        if at == parent {
            return None;
        }
        while self.loops[at as usize].parent != parent {
            at = self.loops[at as usize].parent;
        }
        Some(at as usize)
    }

    /// The outermost loop around a position, or `TOP`.
    pub(super) fn outermost_around(&self, position: usize) -> u32 {
        self.child_at(position, TOP).map_or(TOP, |index| index as u32)
    }
}
