//! Frontiers against timely's own reachability: a second oracle, beside the brute force of `slots_laws`, that others wrote
//! and much else rests on.
//!
//! ```text
//!   our program                      the tracker's graph
//!   node of rule r, inputs 0..n      node, a path from each input to the output: what r does to times
//!   a hold at the node               a pointstamp at its output
//!   a time in a queue                a pointstamp at the input that the queue is for
//!   slot                             implications at the output
//! ```
//!
//! When the region is quiet both must be equal, at every output and every input. While it works, queues are in no
//! equation of ours; then a node that owns its slot must not promise away what the tracker says is possible (promises
//! S1 to S3 of `docs/REGION.md`; a node that shares its input's slot is visited before anyone behind it can be misled).
//!
//! One tracker lives as long as its program and is told differences, as timely tells it.

use std::collections::BTreeMap;

use timely::progress::frontier::Antichain;
use timely::progress::reachability::{Builder, Tracker};
use timely::progress::{Location, Source, Target};

use super::order::order;
use super::small_world::{Plan, Program, Programs, places};
use super::{Activity, Fuel, Region, SlotRule};
use crate::time::small_world::{Random, sets_of_at_most};
use crate::time::{Frontier, Path, Point};

/// What a node does to times, as timely says it.
fn path(rule: SlotRule) -> Path {
    match rule {
        SlotRule::Delay { coordinate, by } => Path::add(coordinate, by),
        SlotRule::Truncate { depth } => Path::keep(depth),
        _ => Path::default(),
    }
}

/// The tracker of a program. Node 0 of its graph is what timely puts around all others.
fn tracker(plans: &[Plan]) -> Tracker<Point> {
    let mut builder = Builder::new();
    builder.add_node(0, 0, 0, Vec::new());
    for (index, plan) in plans.iter().enumerate() {
        let through = plan.inputs.iter().map(|_| [(0, Antichain::from_elem(path(plan.rule)))].into_iter().collect());
        builder.add_node(index + 1, plan.inputs.len(), 1, through.collect());
    }
    for (index, plan) in plans.iter().enumerate() {
        for (port, &input) in plan.inputs.iter().enumerate() {
            builder.add_edge(Source::new(input + 1, 0), Target::new(index + 1, port));
        }
    }
    builder.build(None).0
}

/// A program, and the tracker that follows it.
struct Followed {
    region: Region,
    program: Program,
    tracker: Tracker<Point>,
    /// What the tracker was told of.
    told: BTreeMap<(Location, Point), i64>,
}

impl Followed {
    /// None if the region refuses the program.
    fn build(plans: Vec<Plan>, rounds: u32) -> Option<Self> {
        let region = Region::new(1);
        region.set_rounds(rounds);
        let tracker = order(&places(&plans)).ok().map(|_| tracker(&plans));
        let program = Program::build(&region, plans).ok()?;
        Some(Followed { region, program, tracker: tracker?, told: BTreeMap::new() })
    }

    /// What is held and what is in queues now.
    fn outstanding(&self) -> BTreeMap<(Location, Point), i64> {
        let mut now = BTreeMap::new();
        for (node, shared) in self.program.shared.iter().enumerate() {
            let held = shared.borrow().holds.elements().to_vec();
            now.extend(held.into_iter().map(|time| ((Location::from(Source::new(node + 1, 0)), time), 1)));
            for port in 0..self.program.plans[node].inputs.len() {
                let queued = self.program.queued(node, port);
                let here = Location::from(Target::new(node + 1, port));
                now.extend(queued.into_iter().map(|time| ((here, time), 1)));
            }
        }
        now
    }

    /// Tells the tracker what has changed.
    fn follow(&mut self) {
        let now = self.outstanding();
        for ((location, time), count) in &now {
            self.tracker.update(*location, time.clone(), *count);
        }
        for ((location, time), count) in std::mem::replace(&mut self.told, now) {
            self.tracker.update(location, time, -count);
        }
        self.tracker.propagate_all();
    }

    /// What is possible at a node's output, and at an input.
    fn at_output(&self, node: usize) -> Vec<Point> {
        sorted(self.tracker.node_state(node + 1).sources[0].implications.frontier().to_vec())
    }

    fn at_input(&self, node: usize, port: usize) -> Vec<Point> {
        sorted(self.tracker.node_state(node + 1).targets[port].implications.frontier().to_vec())
    }

    fn slot(&self, node: usize) -> Frontier<Point> {
        self.region.frontier(&self.program.streams[node])
    }

    /// In the midst of work.
    fn nothing_is_promised_away(&mut self, context: &dyn Fn() -> String) {
        self.follow();
        for (node, plan) in self.program.plans.iter().enumerate().filter(|(_, plan)| plan.rule.owns_slot()) {
            for time in self.at_output(node) {
                assert!(self.slot(node).admits(&time), "{plan:?} may send {time:?}: {}", context());
            }
        }
    }

    /// With nothing left to do.
    fn slots_are_what_is_possible(&mut self, context: &dyn Fn() -> String) {
        self.follow();
        for (node, plan) in self.program.plans.iter().enumerate() {
            let ours = |node| sorted(self.slot(node).elements().to_vec());
            assert_eq!(ours(node), self.at_output(node), "the output of node {node}: {}", context());
            for (port, &input) in plan.inputs.iter().enumerate() {
                assert_eq!(ours(input), self.at_input(node, port), "input {port} of node {node}: {}", context());
            }
        }
    }

    /// Feeds, works and looks; what the region promises is checked all the way.
    fn check(mut self, random: &mut Random, fuel: u64, steps: u32, context: &dyn Fn() -> String) {
        for step in 0..=steps {
            if step < steps {
                self.program.feed(random)
            } else {
                self.program.close()
            }
            let mut activations = 0;
            while self.region.activate(Fuel::new(fuel)).expect("nothing fails here") == Activity::More {
                self.nothing_is_promised_away(context);
                activations += 1;
                assert!(activations < 100_000, "it does not end: {}", context());
            }
            self.slots_are_what_is_possible(context);
        }
        assert!(!self.tracker.tracking_anything(), "all is closed and quiet: {}", context());
    }
}

fn sorted(mut times: Vec<Point>) -> Vec<Point> {
    times.sort();
    times
}

#[test]
fn random_programs() {
    let mut accepted = 0;
    for seed in 0..1_000 {
        let random = &mut Random::new(seed);
        let plans = Programs::random(random);
        let (fuel, rounds) = ([1, 3, 50, u64::MAX][random.below(4)], [1, 2, 16][random.below(3)]);
        let context = || format!("seed {seed}, fuel {fuel}, rounds {rounds}, {plans:?}");
        let Some(followed) = Followed::build(plans.clone(), rounds) else { continue };
        accepted += 1;
        followed.check(random, fuel, 6, &context);
    }
    assert!(accepted > 750, "{accepted} programs");
}

/// Every program of an input and two nodes in one loop's depth, of every rule, wired in every way.
#[test]
fn small_programs_in_full() {
    let rules = [
        (SlotRule::Meet, 2, true),
        (SlotRule::Shared, 2, false),
        (SlotRule::Delay { coordinate: 0, by: 1 }, 2, false),
        (SlotRule::Delay { coordinate: 1, by: 1 }, 2, false),
        (SlotRule::Truncate { depth: 1 }, 1, false),
    ];
    let node = |(rule, depth, waits), inputs| Plan { depth, rule, inputs, waits, exchanged: false };
    let wirings = sets_of_at_most(3, &[0, 1, 2]);
    let nodes = || rules.iter().flat_map(|rule| wirings.iter().map(|inputs| node(*rule, inputs.clone())));
    let fits = |plan: &Plan| match plan.rule {
        SlotRule::Shared => plan.inputs.len() == 1,
        _ => !plan.inputs.is_empty(),
    };
    let (mut accepted, mut cyclic) = (0, 0);
    for first in nodes().filter(fits) {
        for second in nodes().filter(fits) {
            let source = Plan { waits: false, ..node((SlotRule::Source, 1, false), Vec::new()) };
            let plans = vec![source, first.clone(), second];
            for fuel in [1, u64::MAX] {
                let context = || format!("fuel {fuel}, {plans:?}");
                let Some(followed) = Followed::build(plans.clone(), 16) else { continue };
                accepted += 1;
                cyclic += usize::from(order(&places(&plans)).is_ok_and(|order| !order.loops.is_empty()));
                followed.check(&mut Random::new(accepted as u64), fuel, 3, &context);
            }
        }
    }
    assert!(accepted > 500 && cyclic > 100, "of {accepted} programs {cyclic} have loops");
}
