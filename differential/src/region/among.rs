//! A region among those of other workers: exchanges, what is told and heard, and when all are done.
//!
//! ```text
//!   host:  deliver(message) ...   activate(fuel)   while let Some(message) = outgoing(worker) { send }
//! ```
//!
//! Nothing here knows how messages travel: `host` puts them into channels of timely, the simulation of the tests into
//! queues that delay them as they like. All that is asked of either is that messages from one worker to another arrive
//! in the order in which they were sent.
//!
//! All workers build the same dataflows in the same order, so a node has one number everywhere. Each tells the others a
//! hash of what it built, and where two differ the region is *broken*: every activation answers with an error that
//! names both. What comes for a node that is not built here yet waits; for one that was taken out it is dropped.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::rc::Rc;

use smallvec::SmallVec;

use super::completion::{Asker, Question};
use super::exchange::{Arrivals, Exchange, Gate, Parts};
use super::graph::{Graph, SlotRule, Stage};
use super::handle::{Region, State};
use super::message::{Freight, Item, Message};
use super::post::{Early, Peers, Post};
use super::{NodeId, Stream};
use crate::error::{Error, Fault};
use crate::time::{Frontier, Point};

/// Names a question to all workers; see [`Region::ask`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

impl Region {
    /// Which of the workers this region is on.
    pub fn peers(&self) -> Peers {
        self.core.post.as_ref().map_or(Peers::alone(), |post| post.peers)
    }

    /// A stream with the same containers, cut up by `split` and brought to the workers that it names. Alone, the stream
    /// itself. `read` makes a container of the bytes that its [`Freight`] wrote in another process.
    ///
    /// # Panics
    /// Outside of [`Region::build`].
    pub fn exchange<C: Freight>(
        &self,
        name: impl Into<String>,
        stream: &Stream<C>,
        split: impl FnMut(C) -> Result<Parts<C>, Fault> + 'static,
        read: impl Fn(&[u8]) -> Result<C, Fault> + 'static,
    ) -> Stream<C> {
        let Some(post) = &self.core.post else { return stream.clone() };
        let node = self.reserve(name, stream.depth(), SlotRule::Exchange);
        let input = self.connect(node, stream);
        let (output, exchanged) = self.output(node);
        let marks = vec![Frontier::minimum(); post.peers.count];
        let arrivals = Rc::new(RefCell::new(Arrivals { queue: VecDeque::new(), marks }));
        let door = Gate { arrivals: Rc::clone(&arrivals), read };
        self.core.state.borrow_mut().doors.insert(node, Rc::new(door));
        self.install(node, Exchange { node, input, output, arrivals, post: Rc::clone(post), split });
        exchanged
    }

    /// Messages taken from other workers, ever.
    pub fn heard(&self) -> u64 {
        self.core.state.borrow().others.heard
    }

    /// Takes a message that another worker's region gave out for this one. Messages of one worker come in order.
    pub fn deliver(&self, message: Message) {
        let Message { from, items, mut loads, .. } = message;
        let state = &mut *self.core.state.borrow_mut();
        state.others.heard += 1;
        for item in items {
            let load = if matches!(item, Item::Cargo { .. }) { loads.pop_front() } else { None };
            self.hear(state, Early { from, item, load });
        }
    }

    /// What this region has to say to another worker, if it has something.
    pub fn outgoing(&self, to: usize) -> Option<Message> {
        self.core.post.as_ref()?.take(to)
    }

    /// Asks all workers whether everything behind these sources is complete up to these frontiers, as far as other
    /// sources allow. [`Region::is_reached`] knows the answer.
    pub fn ask(&self, sources: Vec<(NodeId, Frontier<Point>)>) -> Ticket {
        let State { graph, others, .. } = &mut *self.core.state.borrow_mut();
        let (ticket, nodes) = (others.tickets, graph.vertices.len());
        others.tickets += 1;
        if let Some(post) = &self.core.post {
            post.say_to_all(&Item::Ask { ticket, nodes, sources: sources.clone() });
        }
        let answered = vec![false; self.peers().count];
        others.questions.push(Question { ticket, nodes, sources, asker: Asker::Here { answered } });
        // A quiet region is not activated by itself, and only an activation asks and answers.
        self.core.wakes.tell();
        Ticket(ticket)
    }

    /// Takes a question back.
    pub fn forget(&self, Ticket(ticket): Ticket) {
        let questions = &mut self.core.state.borrow_mut().others.questions;
        questions.retain(|question| question.ticket != ticket || matches!(question.asker, Asker::Other(_)));
    }

    /// Whether what was asked for was so, on all workers, when they were last activated. Once it is, the ticket is spent.
    /// What has stopped is not waited for, and a broken region has nothing to wait for.
    ///
    /// # Panics
    /// When the ticket is spent.
    pub fn is_reached(&self, Ticket(ticket): Ticket) -> bool {
        let state = &mut *self.core.state.borrow_mut();
        let here = self.peers().index;
        let finished = &state.others.finished;
        let mine = |question: &Question| question.ticket == ticket && matches!(question.asker, Asker::Here { .. });
        let at = state.others.questions.iter().position(mine).expect("a ticket is used until it is answered");
        let Asker::Here { answered } = &state.others.questions[at].asker else { unreachable!("it was asked here") };
        let done = |worker: usize| answered[worker] || (worker != here && finished[worker]);
        let reached = state.others.broken.is_some() || (0..answered.len()).all(done);
        if reached {
            state.others.questions.remove(at);
        }
        reached
    }

    /// All sources of the region, with their frontiers.
    pub fn sources(&self) -> Vec<(NodeId, Frontier<Point>)> {
        let State { graph, schedule, .. } = &*self.core.state.borrow();
        let sources = schedule.steps.iter().filter(|step| graph[step.node].rule == SlotRule::Source);
        sources.map(|step| (step.node, schedule.slots.value(step.slot).clone())).collect()
    }

    /// Breaks the region, here and on the other workers: what depends on all can't be right any more, and nobody goes on
    /// with what is left to do.
    pub fn break_off(&self, reason: &Error) {
        self.core.state.borrow_mut().others.broken.get_or_insert_with(|| reason.clone());
        if let Some(post) = &self.core.post {
            post.say_to_all(&Item::Broken { error: reason.to_string() });
        }
        self.core.wakes.tell();
    }

    /// Notes that nothing will be built here any more: what another worker has built beyond, or will, breaks the region.
    pub fn close_building(&self) {
        let state = &mut *self.core.state.borrow_mut();
        let Some(post) = &self.core.post else { return };
        if !std::mem::replace(&mut state.others.closed, true) {
            self.hear_early(state, post);
        }
    }

    /// Whether nothing that depends on all workers can be right any more.
    pub fn is_broken(&self) -> bool {
        self.core.state.borrow().others.broken.is_some()
    }

    /// Tells the other workers that nothing will come from here any more, and answers whether they have all said so.
    pub fn finish(&self) -> bool {
        let Some(post) = &self.core.post else { return true };
        let finished = &mut self.core.state.borrow_mut().others.finished;
        if !std::mem::replace(&mut finished[post.peers.index], true) {
            post.say_to_all(&Item::Finished);
        }
        finished.iter().all(|&finished| finished)
    }

    /// Answers what was asked and is so by now.
    pub(super) fn answer(&self, state: &mut State) {
        let here = self.peers().index;
        let depth = self.input_coordinates();
        let State { graph, schedule, completion, others, .. } = state;
        // What all workers ask is mostly the same.
        let mut reached: SmallVec<[bool; 4]> = SmallVec::new();
        for (at, Question { nodes, sources, asker, .. }) in others.questions.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &others.questions[before]);
            reached.push(match before {
                _ if matches!(asker, Asker::Here { answered } if answered[here]) => true,
                // What is asked for may not be built here yet.
                _ if *nodes > graph.vertices.len() => false,
                Some(before) if before.nodes == *nodes && before.sources == *sources => reached[at - 1],
                _ => completion.is_reached(schedule, graph, (depth, *nodes), sources),
            });
        }
        let mut reached = reached.into_iter();
        others.questions.retain_mut(|Question { ticket, asker, .. }| {
            let reached = reached.next().expect("there is an answer to each");
            match asker {
                Asker::Here { answered } => {
                    answered[here] |= reached;
                    true
                }
                Asker::Other(from) => {
                    if let (true, Some(post)) = (reached, &self.core.post) {
                        post.say(*from, Item::Reached { ticket: *ticket });
                    }
                    !reached
                }
            }
        });
    }

    /// Tells the other workers what was built here, and hears what came before it was.
    pub(super) fn after_building(&self, state: &mut State, first: usize) {
        state.completion.forget();
        let Some(post) = &self.core.post else { return };
        let nodes = state.graph.vertices.len() - first;
        let (first, hash) = (NodeId(first as u32), hash(&state.graph, first));
        state.others.plans.insert(first, (nodes, hash));
        post.say_to_all(&Item::Plan { first, nodes, hash });
        self.hear_early(state, post);
    }

    /// Hears what came early once more: what is still too early goes back there.
    fn hear_early(&self, state: &mut State, post: &Post) {
        let early = std::mem::take(&mut *post.early.borrow_mut());
        early.into_iter().for_each(|early| self.hear(state, early));
    }

    fn hear(&self, state: &mut State, early: Early) {
        let post = self.core.post.as_ref().expect("who hears something is not alone");
        let about = match &early.item {
            Item::Cargo { node, .. } | Item::Mark { node, .. } | Item::Failed { node, .. } => Some(*node),
            Item::Counts { first, .. } | Item::Plan { first, .. } => Some(*first),
            _ => None,
        };
        // Once nothing more is built here, a plan that is too early is one that differs.
        let waits = !(state.others.closed && matches!(early.item, Item::Plan { .. }));
        if waits && about.is_some_and(|node| node.index() >= state.graph.vertices.len()) {
            return post.early.borrow_mut().push(early);
        }
        let Early { from, item, load } = early;
        match item {
            Item::Cargo { node, times, records } => {
                if let Some(log) = post.log.get() {
                    log.received(node, from, records);
                }
                let Some(door) = state.doors.get(&node) else { return };
                let load = load.expect("a load comes with each cargo");
                match (door.take_in(times, load), state.schedule.wakes.position(node)) {
                    (Ok(()), _) => state.schedule.wakes.mark(node),
                    (Err(fault), Some(position)) => state.schedule.fail(position, fault),
                    (Err(_), None) => {}
                }
            }
            Item::Mark { node, frontier } => {
                let Some(door) = state.doors.get(&node) else { return };
                door.mark(from, frontier);
                state.schedule.wakes.mark(node);
            }
            Item::Counts { first, changes } => {
                let known = state.schedule.take_counts(from, first, changes);
                let there = state.schedule.wakes.position(first).is_some();
                if !known && there {
                    let error = format!("worker {from} counts in a loop that is another one here");
                    state.others.broken.get_or_insert(Error::Workers(error));
                }
            }
            Item::Plan { first, nodes, hash } => {
                let ours = state.others.plans.get(&first).copied();
                if ours != Some((nodes, hash)) {
                    let here = post.peers.index;
                    let error = Error::Plans { first: first.index(), ours: (here, ours), theirs: (from, nodes, hash) };
                    // Who built something else hears of ours; who built nothing else hears nothing.
                    if ours.is_none() {
                        post.say_to_all(&Item::Broken { error: error.to_string() });
                    }
                    state.others.broken.get_or_insert(error);
                }
            }
            Item::Failed { node, error } => {
                let error = Error::Elsewhere { worker: from, error };
                state.schedule.fail_from_elsewhere(node, error);
            }
            Item::Ask { ticket, nodes, sources } => {
                state.others.questions.push(Question { ticket, nodes, sources, asker: Asker::Other(from) });
            }
            Item::Reached { ticket } => {
                for question in state.others.questions.iter_mut().filter(|question| question.ticket == ticket) {
                    if let Asker::Here { answered } = &mut question.asker {
                        answered[from] = true;
                    }
                }
            }
            Item::Broken { error } => {
                state.others.broken.get_or_insert(Error::Elsewhere { worker: from, error });
            }
            Item::Finished => state.others.finished[from] = true,
        }
    }
}

/// A hash of the nodes from `first` on: their names, depths, rules, and what they read. Equal on every worker.
fn hash(graph: &Graph, first: usize) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    for vertex in graph.vertices[first..].iter().filter(|vertex| vertex.stage != Stage::Removed) {
        hasher.write(vertex.name.as_bytes());
        hasher.write_usize(vertex.depth);
        hasher.write(format!("{:?}", vertex.rule).as_bytes());
        vertex.inputs.iter().for_each(|input| hasher.write_u32(input.0));
    }
    hasher.finish()
}
