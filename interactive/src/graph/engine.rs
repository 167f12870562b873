//! The engine's answers: one dataflow for all questions.
//!
//! ```text
//!   rows ── distinct ── edges ──┬── ends ── distinct ── nodes ────────────── counted
//!                               ├── (root, root) of nodes ── loop: reach ─── counted by root
//!                               ├── components ──────── label ── count ───── sizes, counted
//!                               └── strong components ─ label ── count ───── sizes, counted
//! ```
//!
//! What is counted at the end is a collection's multiplicity, so no operator is needed for it: the changes of every
//! commit are taken from a capture and added up here. A largest component is found in a sorted map of sizes; as a
//! reduction, one group of all components would be read again at each change.
//!
//! With several workers, the first one alone feeds rows and reads answers: what is counted is gathered there. The others
//! build the same dataflow, close their inputs, and do their share until all is done.
//!
//! Tested beside a plain recomputation, by all tests of the command.

use super::answers::{Answer, Answers, Components, Questions};
use super::errors::{AnswersError, GraphError};
use super::replay::{Options, replay};
use super::rows::{Edge, Node};
use crate::stream::console::Console;
use differential::column::Data;
use differential::operators::capture::Captured;
use differential::{Capture, Collection, Config, Error, Session, Worker, algorithms, run};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// Replays what `options` ask for on the workers that `config` asks for; the first of all writes to the console.
///
/// # Errors
/// Those of [`replay`], if the first worker is here; otherwise, and wherever workers are, [`GraphError::Workers`]: what
/// ended the replay of the first one ends all.
pub fn answer(options: &Options, config: Config, console: &mut Console<'_>) -> Result<(), GraphError> {
    let config = config.stop_when(console.stop.flag());
    let console = Mutex::new(console);
    let ended = Mutex::new(None);
    let outcomes = run(config.arguments(options.pieces()), |worker| {
        let leads = worker.index() == 0;
        let mut engine = Engine::new(worker, &options.questions)?;
        // The others drop their sessions, which closes them, and then follow the first until it closes its own.
        if !leads {
            return Ok(());
        }
        replay(options, &mut engine, &mut console.lock().unwrap_or_else(PoisonError::into_inner)).map_err(|error| {
            let told = Error::Workers(error.to_string());
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            told
        })
    });
    match (outcomes, ended.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        (Ok(_), _) => Ok(()),
        // What was told to the others is what ended the replay; anything else ended all, the replay too.
        (Err(Error::Workers(_)), Some(error)) => Err(error),
        (Err(error), _) => Err(GraphError::Workers { error: error.into() }),
    }
}

/// Keeps the answers current with a dataflow.
pub struct Engine<'run, 'worker> {
    worker: &'run mut Worker<'worker>,
    rows: Session<Edge>,
    nodes: Tally<()>,
    edges: Tally<()>,
    reached: Tally<Node>,
    weak: Option<Tally<i64>>,
    strong: Option<Tally<i64>>,
    roots: BTreeSet<Node>,
}

impl<'run, 'worker> Engine<'run, 'worker> {
    /// Builds the dataflow that answers these questions.
    ///
    /// # Errors
    /// None that a program of ours can cause; those of building a dataflow are handed on.
    pub fn new(worker: &'run mut Worker<'worker>, questions: &Questions) -> Result<Self, Error> {
        let (rows, nodes, edges, reached, weak, strong) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<Edge>("rows");
            let edges = rows.distinct();
            let nodes = edges.flat_map(|(source, target)| [source, target]).distinct();
            let reached = reached(&edges, &nodes, questions.roots.clone()).map(|(_, root)| root);
            let weak = questions.components.then(|| sizes(&algorithms::components(&edges)));
            let strong = questions.scc.then(|| sizes(&algorithms::strong_components(&edges)));
            let (nodes, edges) = (Tally::of(&nodes.map(|_| ())), Tally::of(&edges.map(|_| ())));
            (session, nodes, edges, Tally::of(&reached), weak, strong)
        })?;
        Ok(Engine { worker, rows, nodes, edges, reached, weak, strong, roots: questions.roots.clone() })
    }
}

impl Answers for Engine<'_, '_> {
    fn change(&mut self, edge: Edge, diff: i64) -> Result<(), AnswersError> {
        self.rows.update(edge, diff);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), AnswersError> {
        self.worker.commit(&mut self.rows)?;
        self.nodes.take();
        self.edges.take();
        self.reached.take();
        self.weak.iter_mut().chain(&mut self.strong).for_each(Tally::take);
        Ok(())
    }

    fn read(&mut self) -> Result<Answer, AnswersError> {
        Ok(Answer {
            nodes: self.nodes.count(&()),
            distinct_directed_edges: self.edges.count(&()),
            reached: self.roots.iter().map(|root| (*root, self.reached.count(root))).collect(),
            weak: self.weak.as_ref().map(Tally::components),
            strong: self.strong.as_ref().map(Tally::components),
        })
    }
}

/// The pairs (node, root) of which the root reaches the node. A root that is no node reaches nothing, not even itself.
fn reached(edges: &Collection<Edge>, nodes: &Collection<Node>, roots: BTreeSet<Node>) -> Collection<(Node, Node)> {
    let by_source = edges.arrange_by_key("edges by source");
    let starts = nodes.filter(move |node| roots.contains(&node)).map(|node| (node, node));
    starts.iterate(|pairs| pairs.join_map(&by_source, |_, root, target| (target, root)).concat(&starts).distinct())
}

/// The sizes of components, given each node's label: a size is there once for each component that has it.
fn sizes(labels: &Collection<(Node, Node)>) -> Tally<i64> {
    Tally::of(&labels.map(|(_, label)| label).count().map(|(_, size)| size))
}

/// A collection's records and how often each is there, followed from outside.
struct Tally<D: Data> {
    changes: Capture<D>,
    counts: BTreeMap<D, i64>,
}

impl<D: Data> Tally<D> {
    fn of(collection: &Collection<D>) -> Self {
        Tally { changes: collection.gather().capture(), counts: BTreeMap::new() }
    }

    /// Adds up what the last commit changed.
    fn take(&mut self) {
        for event in self.changes.take() {
            let Captured::Updates(updates) = event else { continue };
            for (record, _, diff) in updates {
                *self.counts.entry(record).or_default() += diff;
            }
        }
        self.counts.retain(|_, count| *count != 0);
    }

    fn count(&self, record: &D) -> u64 {
        self.counts.get(record).map_or(0, |count| count.unsigned_abs())
    }
}

impl Tally<i64> {
    /// How many sizes there are, and the largest.
    fn components(&self) -> Components {
        let count = self.counts.values().sum::<i64>().unsigned_abs();
        let largest = self.counts.keys().next_back().map_or(0, |size| size.unsigned_abs());
        Components { count, largest }
    }
}
