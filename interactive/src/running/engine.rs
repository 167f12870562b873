//! The engine's answers: a program installed on the workers that were asked for.
//!
//! ```text
//!   text ── check ── plan ── install on every worker ──> the first of all feeds, reads and writes
//!            │ mistakes are told                          the others do their share until it ends
//! ```
//!
//! What an `inspect` sees waits until the leading worker asks for it, after each commit, since only that one has the console.
//! Rows of a source that no export depends on are read, so that a bad line is told, and go nowhere.

use super::answers::{Answers, Exports, Failure};
use super::errors::RunError;
use super::flags::ProgramFlags;
use super::inputs::{Declared, Sources};
use super::task::{Outcome, Task};
use crate::language::files::FileId;
use crate::language::report::tame;
use crate::plan::Plan;
use crate::plan::tree::Operator;
use crate::render::{Inspected, Options, Part, Running, install_all};
use crate::stream::console::Console;
use crate::together::{Member, Planned, Texts, planned};
use crate::value::{Row, RowRef, Rows, Value};
use differential::diff::Diffs;
use differential::{Config, Error, Worker};
use std::fmt::Write;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// Checks and plans a task's program, and does the task on the workers that `config` asks for.
///
/// # Errors
/// What ended it early. Mistakes in the program have been told by then.
pub fn run_program(task: &dyn Task, config: Config, console: &mut Console<'_>) -> Result<Outcome, RunError> {
    let ProgramFlags { imports, program, .. } = task.program();
    let mut texts = Texts::default();
    let mut members = Member::imports(imports, &mut texts, console)?;
    members.push(Member::read("", program, &mut texts, console)?);
    let programs = planned(members, console)?;
    let texts = programs.iter().map(|planned| planned.of.files.get(FileId(0)).text.clone());
    let config = config.arguments(std::iter::once(format!("{task:?}")).chain(texts)).stop_when(console.stop.flag());
    let declared = Declared::of(programs.iter().map(|planned| &planned.of.program));
    let main = programs.last().expect("the program that is run");
    let (sources, exports) = (Sources::of(&declared), Exports::of(&main.plan));
    // Of a name that is spelled otherwise both are wrong, and this says which.
    task.program().sources.iter().try_for_each(|named| sources.find("--source", &named.name).map(drop))?;
    programs.iter().try_for_each(|planned| missing(&planned.plan, task))?;
    let parts: Vec<Part<'_>> = programs.iter().map(part).collect();
    let (console, ended) = (Mutex::new(console), Mutex::new(None));
    let told = Told::default();
    let outcomes = differential::run(config, |worker| {
        let leads = worker.index() == 0;
        let show = told.clone();
        let options = Options { inspect: Rc::new(move |seen| show.note(seen)), ..Options::default() };
        let running = install_all(worker, &parts, &options)?;
        // The others drop their sessions, which closes them, and then follow the first until it closes its own.
        if !leads {
            return Ok(None);
        }
        let mut engine = Engine::new(worker, running, &sources, told.clone());
        let mut console = console.lock().unwrap_or_else(PoisonError::into_inner);
        task.run(&sources, &exports, &mut engine, &mut console).map(Some).map_err(|error| {
            let told = Error::Workers(error.to_string());
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            told
        })
    });
    match (outcomes, ended.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        // Processes that do not lead have no outcome of their own, and nobody there has asked what their workers saw. (After
        // an error what is seen is of a commit that nobody waited for.)
        (Ok(outcomes), _) => {
            let console = console.into_inner().unwrap_or_else(PoisonError::into_inner);
            let _ = console.err.write_all(told.take().as_bytes());
            Ok(outcomes.into_iter().flatten().next().unwrap_or(Outcome { failures: 0 }))
        }
        // What was told to the others is what ended the job; anything else ended all, the job too.
        (Err(Error::Workers(_)), Some(error)) => Err(error),
        (Err(error), _) => Err(RunError::Workers(error)),
    }
}

fn part(Planned { of, plan }: &Planned) -> Part<'_> {
    Part { name: &of.name, plan, files: &of.files }
}

/// Refuses a plan of which sources would stay empty for want of a file.
fn missing(plan: &Plan, task: &dyn Task) -> Result<(), RunError> {
    let names = plan.nodes.iter().filter_map(|node| match &node.operator {
        Operator::Source { name } => Some(name),
        _ => None,
    });
    let mut sources: Vec<String> = names.filter(|name| !task.fills(name)).cloned().collect();
    sources.sort();
    if sources.is_empty() { Ok(()) } else { Err(RunError::NoFile { sources }) }
}

/// What `inspect`s have seen on the workers of this process, and nobody has read yet.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<String>>);

impl Told {
    fn note(&self, seen: &Inspected<'_>) {
        let Inspected { label, row, time, diff } = seen;
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(lines, "{}: {} {diff:+} at {time:?}", tame(label), tame(row));
    }

    fn take(&self) -> String {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Keeps a program's exports current.
struct Engine<'run, 'worker> {
    worker: &'run mut Worker<'worker>,
    running: Running,
    /// For each source, where the running program has it.
    places: Vec<Option<usize>>,
    failures: i128,
    told: Told,
}

impl<'run, 'worker> Engine<'run, 'worker> {
    fn new(worker: &'run mut Worker<'worker>, running: Running, sources: &Sources<'_>, told: Told) -> Self {
        let place = |name: &str| running.sources.iter().position(|source| source.name == name);
        let places = sources.targets.iter().map(|target| place(target.name)).collect();
        Engine { worker, running, places, failures: 0, told }
    }
}

impl Answers for Engine<'_, '_> {
    fn feed(&mut self, source: usize, rows: &Rows, diffs: &Diffs<i64>) {
        if let Some(at) = self.places[source] {
            self.running.sources[at].session.update_all(rows, diffs);
        }
    }

    fn work(&mut self) -> Result<(), Error> {
        self.worker.step().map(|_| ())
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.running.commit(self.worker)?;
        let changes = self.running.errors.output.changes();
        self.failures += changes.iter().map(|(_, _, diff)| i128::from(*diff)).sum::<i128>();
        Ok(())
    }

    fn changes(&mut self, export: usize) -> Vec<(Row, i64)> {
        let changes = self.running.exports[export].output.changes();
        changes.into_iter().map(|(row, _, diff)| (row, diff)).collect()
    }

    fn rows(&mut self, export: usize, each: &mut dyn FnMut(RowRef<'_>, i64)) -> Result<(), Error> {
        Ok(self.running.exports[export].output.for_each_row(each)?)
    }

    fn failures(&mut self) -> Result<Vec<(Failure, i64)>, Error> {
        let rows = self.running.errors.output.rows()?;
        Ok(rows.into_iter().map(|(row, count)| (failure(&row), count)).collect())
    }

    fn failures_count(&mut self) -> i128 {
        self.failures
    }

    fn inspected(&mut self) -> String {
        self.told.take()
    }
}

/// A row of errors, in words.
fn failure(row: &Row) -> Failure {
    let text = |at: usize| match row.0.get(at) {
        Some(Value::Text(text)) => text.to_string(),
        Some(Value::Int(number)) => number.to_string(),
        _ => String::new(),
    };
    let place = format!("{}:{}:{}", text(1), text(2), text(3));
    Failure { statement: text(0), place, reason: text(4), row: text(5) }
}
