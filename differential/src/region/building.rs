//! How a dataflow is built: all of it becomes part of the region at the end, or nothing does.
//!
//! ```text
//!   build(|region| { reserve, output, connect, install ... })
//!      '-- refused, or the closure panics: what it made is taken away     '-- ordered, appended, told to other workers
//! ```
//!
//! Nodes are reserved, connected and installed in any order of calls, so that a cycle can be closed; until the end the
//! region runs nothing of them. New nodes get the next numbers, whatever becomes of them: so numbers agree on all workers,
//! which build the same things in the same order.
//!
//! Tested in `placing_laws.rs`, and through everything that is ever built.

use std::rc::{Rc, Weak};

use super::graph::{SlotRule, Stage};
use super::handle::{Building, Region, State};
use super::logging::Edge;
use super::order::order;
use super::stream::Taker;
use super::wakes::Waker;
use super::{Input, Node, NodeId, Output, Stream};
use crate::error::Error;

impl Region {
    /// Builds a dataflow: what `logic` reserves, connects and installs becomes part of the region, or nothing of it.
    /// Answers with what `logic` does and with the nodes, for [`Region::remove`].
    ///
    /// # Errors
    /// [`Error::Unset`] when a node was reserved and not installed, [`Error::Cycle`] when a cycle does not advance time,
    /// [`Error::Removed`] when a node reads from one that was taken out, and, alone, [`Error::Operator`] when it reads
    /// from one that has stopped. Then the new nodes are gone, and everything else is as before. (With several workers,
    /// what reads from a node that has stopped is built on all of them, and stops as well.)
    ///
    /// # Panics
    /// Inside another `build`.
    pub fn build<R>(&self, logic: impl FnOnce(&Region) -> R) -> Result<(R, Vec<NodeId>), Error> {
        {
            let state = &mut *self.core.state.borrow_mut();
            assert!(state.building.is_none(), "a dataflow can't be built inside another");
            let first = state.graph.vertices.len();
            state.building = Some(Building { first, behaviours: Vec::new(), edges: Vec::new(), refused: None });
        }
        // If `logic` panics, or the whole is refused, what it has made so far is taken away again.
        let unfinished = Unfinished { region: self };
        let answer = logic(self);
        let nodes = unfinished.finish()?;
        Ok((answer, nodes))
    }

    /// Adds a node to the dataflow that is being built; its output's times have at most `depth` coordinates.
    ///
    /// # Panics
    /// Outside of [`Region::build`], and when the rule does not fit the depth.
    pub fn reserve(&self, name: impl Into<String>, depth: usize, rule: SlotRule) -> NodeId {
        let state = &mut *self.core.state.borrow_mut();
        let node = state.graph.add(name.into().into(), depth, rule);
        state.building().behaviours.push(None);
        node
    }

    /// Connects `stream` to a node that is being built: the i-th call makes its i-th input.
    ///
    /// # Panics
    /// When the node is not being built, or the stream is deeper than the node.
    pub fn connect<C: Clone + 'static>(&self, node: NodeId, stream: &Stream<C>) -> Input<C> {
        self.connect_with(node, stream, None)
    }

    /// As [`Region::connect`], with who is called in place of the queue.
    pub(super) fn connect_with<C: Clone + 'static>(
        &self,
        node: NodeId,
        stream: &Stream<C>,
        taker: Option<Weak<dyn Taker<C>>>,
    ) -> Input<C> {
        let state = &mut *self.core.state.borrow_mut();
        let producer = stream.producer();
        state.graph.connect(producer, stream.depth(), node);
        if let Some(error) = state.refusal(producer, node) {
            state.building().refused.get_or_insert(error);
        }
        let input = state.graph[node].inputs.len() - 1;
        state.building().edges.push(Edge { from: producer, to: node, input, of: std::any::type_name::<C>() });
        stream.connect(node, taker)
    }

    /// Makes an output of a node. Several outputs of one node have the same frontier.
    pub fn output<C: Clone + 'static>(&self, node: NodeId) -> (Output<C>, Stream<C>) {
        let depth = self.core.state.borrow().graph[node].depth;
        Output::new(node, depth, Rc::clone(&self.core.wakes))
    }

    /// Lets a node that shares its input's slot be visited whenever that moves. All others are anyway.
    ///
    /// # Panics
    /// When the node is not being built.
    pub fn watch(&self, node: NodeId) {
        let state = &mut *self.core.state.borrow_mut();
        state.assert_building(node);
        state.graph[node].watches = true;
    }

    /// Says what a reserved node does.
    ///
    /// # Panics
    /// When the node is not being built, or was installed before.
    pub fn install(&self, node: NodeId, behaviour: impl Node + 'static) {
        let state = &mut *self.core.state.borrow_mut();
        state.assert_building(node);
        let building = state.building();
        let place = &mut building.behaviours[node.index() - building.first];
        assert!(place.is_none(), "a node is installed once");
        *place = Some(Box::new(behaviour));
    }

    /// What wakes `node` from outside.
    pub fn waker(&self, node: NodeId) -> Waker {
        Waker { wakes: Rc::clone(&self.core.wakes), node }
    }
}

/// A dataflow that is being built. When dropped before it is finished its nodes are taken away.
struct Unfinished<'a> {
    region: &'a Region,
}

impl Unfinished<'_> {
    fn finish(self) -> Result<Vec<NodeId>, Error> {
        let state = &mut *self.region.core.state.borrow_mut();
        let building = state.building();
        let first = building.first;
        if let Some(error) = building.refused.take() {
            return Err(error);
        }
        if let Some(index) = state.building().behaviours.iter().position(Option::is_none) {
            return Err(Error::Unset { operator: state.graph.vertices[first + index].name.to_string() });
        }
        let order = order(&state.graph.places(first)).map_err(|cycle| Error::Cycle {
            operators: cycle.into_iter().map(|index| state.graph.vertices[first + index].name.to_string()).collect(),
        })?;
        let behaviours = std::mem::take(&mut state.building().behaviours);
        let behaviours: Vec<Box<dyn Node>> = behaviours.into_iter().flatten().collect();
        let behaviours = match &state.schedule.log {
            Some(log) => log.watch(first, behaviours),
            None => behaviours,
        };
        state.schedule.append(&state.graph, first, order, behaviours);
        let nodes: Vec<NodeId> = (first..state.graph.vertices.len()).map(|index| NodeId(index as u32)).collect();
        nodes.iter().for_each(|&node| state.graph[node].stage = Stage::Placed);
        if let Some(log) = &state.schedule.log {
            log.built(&state.graph, first, &state.building.as_ref().expect("it was built").edges);
        }
        state.building = None;
        self.region.after_building(state, first);
        Ok(nodes)
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        // Taken out of the borrow, and dropped at the end: behaviours may hold handles on the region.
        let building = {
            let state = &mut *self.region.core.state.borrow_mut();
            let building = state.building.take();
            if let Some(building) = &building {
                state.graph.vertices[building.first..].iter_mut().for_each(|vertex| vertex.stage = Stage::Removed);
                state.doors.retain(|node, _| node.index() < building.first);
            }
            building
        };
        drop(building);
    }
}

impl State {
    fn building(&mut self) -> &mut Building {
        self.building.as_mut().expect("operators are added inside `Worker::dataflow` (nodes, inside `Region::build`)")
    }

    fn assert_building(&self, node: NodeId) {
        let vertex = &self.graph[node];
        assert_eq!(vertex.stage, Stage::Building, "`{}` can be changed only while it is built", vertex.name);
    }

    /// Why `node` can't read from `producer`, if it can't.
    fn refusal(&self, producer: NodeId, node: NodeId) -> Option<Error> {
        match self.graph[producer].stage {
            Stage::Building => None,
            // Among several, not all may know of a failure yet, and all must build the same.
            Stage::Placed if self.others.finished.len() > 1 => None,
            Stage::Placed => self.schedule.failure_before(producer),
            Stage::Removed => Some(Error::Removed {
                reader: self.graph[node].name.to_string(),
                operator: self.graph[producer].name.to_string(),
            }),
        }
    }
}
