//! When what was fed has had all its effects, here: the question that a commit waits for.
//!
//! ```text
//!   sources asked about:  edges up to 5        reached:  each node behind them is quiet, and its slot is past
//!   other sources:        roots, now at 3                5, or past 3 where roots reach it too
//! ```
//!
//! A region that is quiet has answered every such question. But one query may have work left for long, or for ever, and
//! a commit of another must not wait for that; and with several workers a region is quiet while others still work.
//!
//! Of loops only the inputs' coordinates count: a node is past 5 when nothing at 5, in whatever round, may come.
//! What has stopped is not waited for. Cost: the nodes behind the sources, which a commit visits anyway; which they are
//! is found out once for each set of sources, and again when dataflows come or go.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::NodeId;
use super::graph::{Graph, SlotRule};
use super::post::Peers;
use super::schedule::Schedule;
use crate::error::Error;
use crate::time::{Frontier, Point};

/// How far sources are asked to be complete.
pub(super) type Sources = Vec<(NodeId, Frontier<Point>)>;

/// A question that is not answered yet.
pub(super) struct Question {
    pub(super) ticket: u64,
    /// How many nodes the asker had built. What another has built since may wait for the asker, who waits for this.
    pub(super) nodes: usize,
    pub(super) sources: Sources,
    pub(super) asker: Asker,
}

/// Who wants to know.
pub(super) enum Asker {
    Other(usize),
    /// This worker, and which workers have answered.
    Here {
        answered: Vec<bool>,
    },
}

/// What a worker knows of the others, apart from what their nodes say.
pub(super) struct Others {
    pub(super) questions: Vec<Question>,
    pub(super) tickets: u64,
    /// By the first node of a dataflow: how many it has, and a hash of what they are.
    pub(super) plans: HashMap<NodeId, (usize, u64)>,
    /// Who has said that nothing will come from it any more.
    pub(super) finished: Vec<bool>,
    /// Why nothing that depends on all workers can be right any more.
    pub(super) broken: Option<Error>,
    /// Messages taken, ever.
    pub(super) heard: u64,
    /// Whether nothing will be built here any more.
    pub(super) closed: bool,
}

impl Others {
    pub(super) fn new(peers: Peers) -> Self {
        let finished = vec![false; peers.count];
        Others {
            questions: Vec::new(),
            tickets: 0,
            plans: HashMap::new(),
            finished,
            broken: None,
            heard: 0,
            closed: false,
        }
    }
}

/// A node behind some sources.
struct Behind {
    position: usize,
    /// The sources that reach it.
    sources: SmallVec<[NodeId; 2]>,
}

/// What lies behind sets of sources, as long as no dataflow comes or goes.
#[derive(Default)]
pub(super) struct Completion {
    known: HashMap<Vec<NodeId>, Vec<Behind>>,
}

impl Completion {
    /// Forgets what is known: nodes came or went.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// Whether everything behind `sources`, of the first `nodes` nodes, is complete up to what is asked, as far as other
    /// sources allow.
    pub(super) fn is_reached(
        &mut self,
        schedule: &Schedule,
        graph: &Graph,
        (depth, nodes): (usize, usize),
        sources: &Sources,
    ) -> bool {
        let asked = |behind: &&Behind| schedule.steps[behind.position].node.index() < nodes;
        // What is last in the order is reached last.
        let mut behind = self.known(schedule, graph, sources).iter().rev().filter(asked);
        behind.all(|behind| behind.is_there(schedule, depth, sources))
    }

    /// The positions of what keeps that from being so.
    pub(super) fn behind(&mut self, schedule: &Schedule, graph: &Graph, depth: usize, sources: &Sources) -> Vec<usize> {
        let behind = self.known(schedule, graph, sources).iter();
        behind.filter(|behind| !behind.is_there(schedule, depth, sources)).map(|behind| behind.position).collect()
    }

    fn known(&mut self, schedule: &Schedule, graph: &Graph, sources: &Sources) -> &[Behind] {
        let names: Vec<NodeId> = sources.iter().map(|(node, _)| *node).collect();
        self.known.entry(names).or_insert_with_key(|names| find(schedule, graph, names))
    }
}

impl Behind {
    fn is_there(&self, schedule: &Schedule, depth: usize, asked: &Sources) -> bool {
        let Behind { position, sources } = self;
        let asked = |node: NodeId| asked.iter().find(|(source, _)| *source == node).map(|(_, frontier)| frontier);
        let step = &schedule.steps[*position];
        if step.behaviour.is_none() {
            return true;
        }
        if schedule.wakes.next(*position, *position + 1).is_some() {
            return false;
        }
        if !step.owns_slot {
            // Whose slot it is, is behind the same sources, and asked by itself.
            return true;
        }
        let mut may_come = schedule.slots.value(step.slot).elements().iter().map(|time| time.truncated(depth));
        may_come.all(|time| {
            sources.iter().any(|&source| match asked(source) {
                Some(frontier) => frontier.admits(&time),
                None => schedule.slot_of(source).is_some_and(|slot| schedule.slots.value(slot).admits(&time)),
            })
        })
    }
}

/// The nodes behind `sources`, and for each which sources of the region reach it.
fn find(schedule: &Schedule, graph: &Graph, sources: &[NodeId]) -> Vec<Behind> {
    let steps = &schedule.steps;
    let producers: Vec<Vec<usize>> = steps
        .iter()
        .map(|step| step.producers.iter().filter_map(|&producer| schedule.wakes.position(producer)).collect())
        .collect();
    let mut readers = vec![Vec::new(); steps.len()];
    for (position, producers) in producers.iter().enumerate() {
        producers.iter().for_each(|&producer| readers[producer].push(position));
    }
    let behind = spread(sources.iter().filter_map(|&source| schedule.wakes.position(source)), &readers);
    let positions: Vec<usize> = (0..steps.len()).filter(|&position| behind[position]).collect();

    let before = spread(positions.iter().copied(), &producers);
    let is_source = |&position: &usize| graph[steps[position].node].rule == SlotRule::Source;
    let mut found: Vec<Behind> =
        positions.iter().map(|&position| Behind { position, sources: SmallVec::new() }).collect();
    for source in (0..steps.len()).filter(|&position| before[position]).filter(is_source) {
        let reached = spread([source], &readers);
        let behind = found.iter_mut().filter(|behind| reached[behind.position]);
        behind.for_each(|behind| behind.sources.push(steps[source].node));
    }
    found
}

/// What can be reached from some positions, these included.
pub(super) fn spread(from: impl IntoIterator<Item = usize>, next: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; next.len()];
    let mut todo: Vec<usize> = from.into_iter().collect();
    while let Some(position) = todo.pop() {
        if !std::mem::replace(&mut reached[position], true) {
            todo.extend(&next[position]);
        }
    }
    reached
}
