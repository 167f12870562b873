//! What a region tells those who watch a worker: timely's own events for its nodes, and events of the engine.
//!
//! ```text
//!   log "timely"                Operates [0, 1] "Region"          the operator that timely knows
//!                               Operates [0, 1, 5] "map"          node 4 in it, as if the region were a scope
//!                               Channels in [0, 1]: (5, 0) -> (6, 0)
//!                               Schedule start, stop              a visit, or upkeep
//!                               Shutdown                          taken out, stopped, or the end
//!   log "differential/engine"   EngineEvent                       batches, records between workers, rounds
//! ```
//!
//! Tools that draw timely's logs so see the region as a scope of operators. Who logs, registers before the region is
//! made; otherwise nothing of this exists, and a visit costs the same.
//!
//! Numbers of nodes and channels are made from the region's own and not asked of the worker: those count channels
//! between workers too, and would run apart where one worker logs and another does not.
//!
//! Invariants, at the end of a worker and over all of them: batches added and made by merges are those merged away and
//! dropped; records sent are records received; each operator that was told of was shut down, each start has its stop.
//! Tested in `collection/logging_laws.rs`.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use timely::container::CapacityContainerBuilder;
use timely::logging::{ChannelsEvent, OperatesEvent, ScheduleEvent, ShutdownEvent, TimelyLogger};
use timely::logging_core::Logger;
use timely::worker::Worker;

use super::graph::{Graph, Stage};
use super::{Fuel, Node, NodeId, Visit};
use crate::error::Fault;
use crate::time::{Frontier, Point};
use crate::trace::Observer;

/// Under which name [`EngineEvent`]s are logged.
pub const ENGINE_LOG: &str = "differential/engine";

/// What is built of [`EngineEvent`]s, as timely's registry of logs wants to know.
pub type EngineEventBuilder = CapacityContainerBuilder<Vec<(Duration, EngineEvent)>>;

/// What the engine did. Operators are numbered as in the log of timely.
///
/// ```
/// use std::{cell::Cell, rc::Rc};
/// use differential::collection::{ENGINE_LOG, EngineEvent, EngineEventBuilder};
/// use differential::prelude::*;
///
/// timely::execute_directly(|timely| {
///     let batches = Rc::new(Cell::new(0));
///     let told = batches.clone();
///     let mut logs = timely.log_register().expect("this worker knows the time");
///     logs.insert::<EngineEventBuilder, _>(ENGINE_LOG, move |_, events| {
///         let added = |event: &&(_, _)| matches!(event.1, EngineEvent::BatchAdded { .. });
///         told.set(told.get() + events.iter().flatten().filter(added).count());
///     });
///     drop(logs);
///     let mut worker = Worker::in_timely(timely, &Config::default());
///     let (mut numbers, _output) = worker.dataflow(|scope| {
///         let (session, numbers) = scope.input::<u64>("numbers");
///         (session, numbers.output())
///     })?;
///     numbers.insert(1);
///     worker.commit(&mut numbers)?;
///     timely.log_register().expect("as before").flush();
///     assert_eq!(batches.get(), 1);
///     Ok::<_, Error>(())
/// })
/// # .unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EngineEvent {
    /// A batch was appended to an operator's trace.
    BatchAdded {
        /// Whose trace.
        operator: usize,
        /// The batch's length.
        updates: usize,
    },
    /// Batches of a trace were merged, or one rewritten.
    BatchesMerged {
        /// Whose trace.
        operator: usize,
        /// The length of the older one.
        older: usize,
        /// The length of the newer one; none if one was rewritten alone.
        newer: Option<usize>,
        /// The length of the batch that was made; none was made if this is zero.
        made: usize,
    },
    /// A batch was let go, as nobody can read it any more.
    BatchDropped {
        /// Whose trace.
        operator: usize,
        /// The batch's length.
        updates: usize,
    },
    /// Records went from an exchange here to another worker.
    RecordsSent {
        /// The exchange.
        operator: usize,
        /// The other worker.
        worker: usize,
        /// How many.
        records: usize,
    },
    /// Records came to an exchange here from another worker.
    RecordsReceived {
        /// The exchange.
        operator: usize,
        /// The other worker.
        worker: usize,
        /// How many.
        records: usize,
    },
    /// A loop was quiet, and its frontiers were settled.
    Round {
        /// The first operator of the loop.
        operator: usize,
    },
}

/// An edge, as it is told of.
pub(super) struct Edge {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// Which of the inputs there.
    pub(super) input: usize,
    /// The type of its containers.
    pub(super) of: &'static str,
}

/// Where a region's events go.
pub(super) struct Log {
    /// The region's.
    address: Vec<usize>,
    /// Numbers from here on are the region's to give.
    numbers: usize,
    timely: Option<TimelyLogger>,
    engine: Option<Logger<EngineEventBuilder>>,
    edges: Cell<usize>,
    /// Operators told of and not shut down.
    running: RefCell<HashSet<NodeId>>,
}

impl Log {
    /// The log of the region at `address`, whose operator has number `identifier`; none if nobody watches.
    pub(super) fn new(worker: &Worker, address: &[usize], identifier: usize) -> Option<Rc<Log>> {
        let (timely, engine) = (worker.logging(), worker.logger_for::<EngineEventBuilder>(ENGINE_LOG));
        (timely.is_some() || engine.is_some()).then(|| {
            let numbers = (identifier + 1) << (usize::BITS / 2);
            let (address, edges) = (address.to_vec(), Cell::new(0));
            Rc::new(Log { address, numbers, timely, engine, edges, running: RefCell::default() })
        })
    }

    fn number(&self, node: NodeId) -> usize {
        self.numbers + 2 * node.index()
    }

    fn next_channel(&self) -> usize {
        self.edges.set(self.edges.get() + 1);
        self.numbers + 2 * self.edges.get() - 1
    }

    /// Tells of the nodes from `first` on.
    pub(super) fn built(&self, graph: &Graph, first: usize, edges: &[Edge]) {
        let Some(timely) = &self.timely else { return };
        for (index, vertex) in graph.vertices.iter().enumerate().skip(first) {
            if vertex.stage == Stage::Removed {
                continue;
            }
            let node = NodeId(index as u32);
            let addr = self.address.iter().copied().chain([index + 1]).collect();
            timely.log(OperatesEvent { id: self.number(node), addr, name: vertex.name.to_string() });
            self.running.borrow_mut().insert(node);
        }
        for Edge { from, to, input, of } in edges {
            timely.log(ChannelsEvent {
                id: self.next_channel(),
                scope_addr: self.address.clone(),
                source: (from.index() + 1, 0),
                target: (to.index() + 1, *input),
                typ: of.to_string(),
            });
        }
    }

    /// The same behaviours, each telling of its visits; they are those of the nodes from `first` on.
    pub(super) fn watch(self: &Rc<Self>, first: usize, behaviours: Vec<Box<dyn Node>>) -> Vec<Box<dyn Node>> {
        let Some(timely) = &self.timely else { return behaviours };
        let watched = |(index, inner): (usize, Box<dyn Node>)| -> Box<dyn Node> {
            let id = self.number(NodeId((first + index) as u32));
            Box::new(Watched { id, timely: timely.clone(), inner })
        };
        behaviours.into_iter().enumerate().map(watched).collect()
    }

    /// Tells, once, that a node is not visited any more.
    pub(super) fn shut_down(&self, node: NodeId) {
        if let (true, Some(timely)) = (self.running.borrow_mut().remove(&node), &self.timely) {
            timely.log(ShutdownEvent { id: self.number(node) });
        }
    }

    /// Tells that no node is visited any more.
    pub(super) fn end(&self) {
        let mut running: Vec<NodeId> = self.running.borrow().iter().copied().collect();
        running.sort_unstable();
        running.into_iter().for_each(|node| self.shut_down(node));
    }

    pub(super) fn sent(&self, node: NodeId, worker: usize, records: usize) {
        self.log(EngineEvent::RecordsSent { operator: self.number(node), worker, records });
    }

    pub(super) fn received(&self, node: NodeId, worker: usize, records: usize) {
        self.log(EngineEvent::RecordsReceived { operator: self.number(node), worker, records });
    }

    pub(super) fn round(&self, first: NodeId) {
        self.log(EngineEvent::Round { operator: self.number(first) });
    }

    fn log(&self, event: EngineEvent) {
        if let Some(engine) = &self.engine {
            engine.log(event);
        }
    }

    /// Who is told of the batches in the trace of `node`, if somebody is.
    pub(super) fn observer(self: &Rc<Self>, node: NodeId) -> Option<Rc<dyn Observer>> {
        self.engine.as_ref()?;
        Some(Rc::new(Observed { log: Rc::clone(self), operator: self.number(node) }))
    }
}

/// A node around another, which tells of its visits: so those of nodes that nobody watches cost nothing more.
struct Watched {
    id: usize,
    timely: TimelyLogger,
    inner: Box<dyn Node>,
}

impl Watched {
    fn start(&self) -> Visiting {
        self.timely.log(ScheduleEvent::start(self.id));
        Visiting { id: self.id, timely: self.timely.clone() }
    }
}

/// Tells of the end of a visit, also of one that panics.
struct Visiting {
    id: usize,
    timely: TimelyLogger,
}

impl Drop for Visiting {
    fn drop(&mut self) {
        self.timely.log(ScheduleEvent::stop(self.id));
    }
}

impl Node for Watched {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let _visiting = self.start();
        self.inner.visit(visit)
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.inner.holds(holds);
    }

    fn upkeep(&mut self, fuel: &mut Fuel) -> Result<bool, Fault> {
        let _visiting = self.start();
        self.inner.upkeep(fuel)
    }
}

/// A trace's way to the log.
struct Observed {
    log: Rc<Log>,
    operator: usize,
}

impl Observer for Observed {
    fn added(&self, updates: usize) {
        self.log.log(EngineEvent::BatchAdded { operator: self.operator, updates });
    }

    fn merged(&self, older: usize, newer: Option<usize>, made: usize) {
        self.log.log(EngineEvent::BatchesMerged { operator: self.operator, older, newer, made });
    }

    fn dropped(&self, updates: usize) {
        self.log.log(EngineEvent::BatchDropped { operator: self.operator, updates });
    }
}

/// Ends a log when it is dropped: held by what timely drops when the region is over.
pub(super) struct LogEnd(pub(super) Option<Rc<Log>>);

impl Drop for LogEnd {
    fn drop(&mut self) {
        if let Some(log) = &self.0 {
            log.end();
        }
    }
}
