//! The handle on a region: activating, looking, taking out. How dataflows are built is told in `building`.
//!
//! The handle is cloned freely; all clones mean the same region. Its state is borrowed for a whole activation, so a
//! node must not call the region during a visit. Wakers, and dropping what takes nodes out, are fine there: what is
//! taken out during an activation goes at its end.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::boundary::Surroundings;
use super::completion::{Completion, Others};
use super::exchange::Door;
use super::graph::{Graph, Stage};
use super::logging::{Edge, Log};
use super::post::{Peers, Post};
use super::schedule::{Activity, Schedule, Step, Work};
use super::wakes::Wakes;
use super::{Fuel, Node, NodeId, Stream};
use crate::error::Error;
use crate::time::{Frontier, Point};
use crate::trace::Observer;

/// The nodes of all dataflows of a worker, with their order and frontiers.
///
/// ```
/// use differential::error::Fault;
/// use differential::region::{Activity, Fuel, Input, Node, Output, Region, SlotRule, Visit};
/// use differential::time::{Frontier, Point};
/// # use std::{cell::RefCell, rc::Rc};
///
/// /// Says one word at time 0.
/// struct Hello(Output<String>, bool);
/// impl Node for Hello {
///     fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
///         if !std::mem::replace(&mut self.1, true) {
///             self.0.send("hello".to_string());
///         }
///         Ok(())
///     }
/// }
///
/// /// Keeps what it hears.
/// struct Listen(Input<String>, Rc<RefCell<Vec<String>>>);
/// impl Node for Listen {
///     fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
///         self.1.borrow_mut().extend(std::iter::from_fn(|| self.0.next()));
///         Ok(())
///     }
/// }
///
/// let region = Region::new(1);
/// let heard = Rc::default();
/// let (stream, _nodes) = region.build(|region| {
///     let hello = region.reserve("hello", 1, SlotRule::Source);
///     let (output, stream) = region.output(hello);
///     region.install(hello, Hello(output, false));
///     let listen = region.reserve("listen", 1, SlotRule::Shared);
///     let input = region.connect(listen, &stream);
///     region.install(listen, Listen(input, Rc::clone(&heard)));
///     stream
/// })?;
/// assert_eq!(region.frontier(&stream), Frontier::from(Point::from(0)));
/// assert_eq!(region.activate(Fuel::unlimited())?, Activity::Quiet);
/// assert_eq!(*heard.borrow(), ["hello"]);
/// assert!(region.frontier(&stream).is_empty());
/// # Ok::<(), differential::error::Error>(())
/// ```
#[derive(Clone)]
pub struct Region {
    pub(super) core: Rc<Core>,
}

pub(super) struct Core {
    input_coordinates: usize,
    pub(super) wakes: Rc<Wakes>,
    /// To other workers, where there are some.
    pub(super) post: Option<Rc<Post>>,
    pub(super) state: RefCell<State>,
    /// What boundaries to timely are told.
    surroundings: Surroundings,
    /// Taken out while the state was in use.
    unwanted: RefCell<Vec<NodeId>>,
}

pub(super) struct State {
    pub(super) graph: Graph,
    pub(super) schedule: Schedule,
    pub(super) building: Option<Building>,
    /// By exchange, where what comes from other workers is taken in.
    pub(super) doors: HashMap<NodeId, Rc<dyn Door>>,
    pub(super) completion: Completion,
    pub(super) others: Others,
}

/// The nodes from `first` on, while they are built.
pub(super) struct Building {
    pub(super) first: usize,
    pub(super) behaviours: Vec<Option<Box<dyn Node>>>,
    pub(super) edges: Vec<Edge>,
    /// Why the whole is going to be refused.
    pub(super) refused: Option<Error>,
}

impl Region {
    /// An empty region whose inputs' times have `input_coordinates` coordinates: one, or two for bitemporal data.
    ///
    /// # Panics
    /// With none.
    pub fn new(input_coordinates: usize) -> Self {
        Region::among(input_coordinates, Peers::alone())
    }

    /// As [`Region::new`], on one of several workers.
    ///
    /// # Panics
    /// Without coordinates.
    pub fn among(input_coordinates: usize, peers: Peers) -> Self {
        assert!(input_coordinates > 0, "an input's time has a coordinate");
        let wakes = Rc::<Wakes>::default();
        let post = (peers.count > 1).then(|| Rc::new(Post::new(peers)));
        let schedule = Schedule::new(Rc::clone(&wakes), post.clone());
        let state = RefCell::new(State {
            graph: Graph::default(),
            schedule,
            building: None,
            doors: HashMap::new(),
            completion: Completion::default(),
            others: Others::new(peers),
        });
        Region {
            core: Rc::new(Core {
                input_coordinates,
                wakes,
                post,
                state,
                surroundings: Surroundings::new(),
                unwanted: RefCell::default(),
            }),
        }
    }

    /// How many coordinates an input's times have: the depth of what is in no loop.
    pub fn input_coordinates(&self) -> usize {
        self.core.input_coordinates
    }

    /// Visits nodes that have work, and nodes that get work by that, until none is left or the fuel is spent.
    ///
    /// # Errors
    /// The first failure of a node that is still in the region, after the work that could be done was done: ask
    /// [`Region::is_quiet`] whether more is left. Nodes that don't depend on one that failed are not concerned.
    ///
    /// # Panics
    /// When called from a node's visit, or when an invariant of the region is broken.
    pub fn activate(&self, fuel: Fuel) -> Result<Activity, Error> {
        self.core.wakes.expect_alert();
        let (answer, dropped) = {
            let state = &mut *self.core.state.borrow_mut();
            let activity = state.schedule.activate(fuel);
            let dropped = self.sweep(state);
            self.answer(state);
            (state.failure().cloned().map_or(Ok(activity), Err), dropped)
        };
        drop(dropped);
        answer
    }

    /// Lets nodes that asked for it do upkeep, if the region is quiet; whether some is left. A node that fails at it is
    /// told of by the next activation.
    pub fn upkeep(&self, mut fuel: Fuel) -> bool {
        let schedule = &mut self.core.state.borrow_mut().schedule;
        if schedule.is_quiet() {
            schedule.upkeep(&mut fuel);
        }
        schedule.awaits_upkeep()
    }

    /// Whether some node has asked for upkeep that is not done yet.
    pub fn awaits_upkeep(&self) -> bool {
        self.core.state.borrow().schedule.awaits_upkeep()
    }

    /// Whether no node has work, so that an activation would do nothing.
    pub fn is_quiet(&self) -> bool {
        self.core.state.borrow().schedule.is_quiet()
    }

    /// Whether nothing can come any more from any node that has not stopped.
    pub fn is_complete(&self) -> bool {
        self.core.state.borrow().schedule.is_complete()
    }

    /// The frontier of a stream: what may still be sent there is in advance of it. The minimum while its producer is
    /// built, and empty when that was taken out. A stopped node's stays where it was; one that shared its slot with a
    /// node that goes on has none of its own to keep, and answers with the minimum.
    ///
    /// While the region is not quiet this may run ahead of data that is still on the way to a reader: an output
    /// publishes the frontier that it saw when it was visited.
    pub fn frontier<C>(&self, stream: &Stream<C>) -> Frontier<Point> {
        let State { graph, schedule, .. } = &*self.core.state.borrow();
        match schedule.slot_of(stream.producer()) {
            Some(_) if schedule.has_lost(stream.producer()) => Frontier::minimum(),
            Some(slot) => schedule.slots.value(slot).clone(),
            None if graph[stream.producer()].stage == Stage::Building => Frontier::minimum(),
            None => Frontier::empty(),
        }
    }

    /// The first failure of a node that is still in the region, or why the region can't go on at all.
    pub fn failure(&self) -> Option<Error> {
        self.core.state.borrow().failure().cloned()
    }

    /// What made the region's nodes fail, as far as they are still there, and last why it can't go on at all.
    pub fn failures(&self) -> Vec<Error> {
        let state = &*self.core.state.borrow();
        let of_nodes = state.schedule.failures.iter().map(|(_, error)| error);
        of_nodes.chain(&state.others.broken).cloned().collect()
    }

    /// What the region has done so far.
    pub fn work(&self) -> Work {
        let schedule = &self.core.state.borrow().schedule;
        let (loads, messages) = self.core.post.as_ref().map_or((0, 0), |post| (post.loads.get(), post.messages.get()));
        let (activations, visits, evaluations) =
            (schedule.activations, schedule.visits, schedule.slots.evaluations + schedule.counted_evaluations());
        Work { activations, visits, evaluations, loads, messages }
    }

    /// Takes nodes out. Those that others still read from stay until these go too.
    ///
    /// During an activation they go at its end.
    pub fn remove(&self, nodes: &[NodeId]) {
        self.core.unwanted.borrow_mut().extend_from_slice(nodes);
        let dropped = self.core.state.try_borrow_mut().map(|mut state| self.sweep(&mut state));
        drop(dropped);
        // Others may have asked how far what is gone has come.
        self.core.wakes.tell();
    }

    /// Whether a node is part of the dataflow that is being built.
    pub fn is_new(&self, node: NodeId) -> bool {
        self.core.state.borrow().graph[node].stage == Stage::Building
    }

    /// Whether a node is part of the region: built, and not taken out.
    pub fn has(&self, node: NodeId) -> bool {
        self.core.state.borrow().graph[node].stage == Stage::Placed
    }

    pub(super) fn surroundings(&self) -> &Surroundings {
        &self.core.surroundings
    }

    /// Who is to be told what becomes of the batches of a trace that `node` writes, if somebody watches.
    pub fn observer(&self, node: NodeId) -> Option<Rc<dyn Observer>> {
        self.core.state.borrow().schedule.log.as_ref()?.observer(node)
    }

    /// From now on what is built and done here is told.
    pub(super) fn set_log(&self, log: &Rc<Log>) {
        self.core.state.borrow_mut().schedule.log = Some(Rc::clone(log));
        if let Some(post) = &self.core.post {
            _ = post.log.set(Rc::clone(log));
        }
    }

    /// Tells `alert` when a node is woken from outside while nothing was told since the last activation.
    pub fn set_alert(&self, alert: impl Fn() + 'static) {
        self.core.wakes.set_alert(alert);
    }

    /// Sets how often an inner loop settles by itself before it lets the loop around do it once.
    #[cfg(test)]
    pub(super) fn set_rounds(&self, rounds: u32) {
        self.core.state.borrow_mut().schedule.rounds = rounds;
    }

    /// Takes out what is unwanted and not in use. What it answers with is to be dropped when the state is not borrowed,
    /// as dropping a node may drop handles that take out others.
    fn sweep(&self, state: &mut State) -> Vec<Step> {
        let unwanted = std::mem::take(&mut *self.core.unwanted.borrow_mut());
        if unwanted.is_empty() {
            return Vec::new();
        }
        for node in unwanted {
            state.graph[node].unwanted = true;
        }
        let in_use = state.graph.in_use();
        let taken = state.schedule.retain(|node| in_use[node.index()]);
        state.doors.retain(|node, _| in_use[node.index()]);
        state.completion.forget();
        for step in &taken {
            let vertex = &mut state.graph[step.node];
            vertex.stage = Stage::Removed;
            // The name stays, for whoever still tries to read from it.
            vertex.inputs = Default::default();
            if let Some(post) = &self.core.post {
                post.forget(step.node);
            }
            if let Some(log) = &state.schedule.log {
                log.shut_down(step.node);
            }
        }
        taken
    }
}

impl State {
    fn failure(&self) -> Option<&Error> {
        self.others.broken.as_ref().or_else(|| self.schedule.failure())
    }
}
