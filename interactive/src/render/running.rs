//! A program that runs on a worker.

use super::Options;
use super::build::{Builder, Built, Import};
use super::failures::{Shared, error_columns};
use crate::language::files::Files;
use crate::language::program::Generator;
use crate::language::types::Column;
use crate::plan::Plan;
use crate::plan::tree::Operator;
use crate::value::{Kinds, Row, Schema};
use differential::collection::Installed;
use differential::{Collection, Error, Output, Scope, Session, Worker};
use std::fmt;
use std::sync::Arc;

/// A program that runs.
pub struct Running {
    /// What is fed from outside, in the order in which it is written.
    pub sources: Vec<Source>,
    /// What the program exports, in the order in which it is written. Rows are on the first worker.
    pub exports: Vec<Exported>,
    /// What went wrong in rows and loops. Rows are on the first worker.
    pub errors: Exported,
    /// By which it is taken out again.
    pub installed: Installed,
    clocks: Vec<Clock>,
    /// Whether rows that are there from the beginning are complete.
    begun: bool,
}

/// Rows from outside.
pub struct Source {
    /// The name of its source.
    pub name: String,
    /// Its columns.
    pub columns: Arc<[Column]>,
    /// How they are stored.
    pub schema: Schema,
    /// Where rows are fed. They are seen once [`Running::commit`] closes their epoch.
    pub session: Session<Row>,
}

/// Rows that are seen from outside.
pub struct Exported {
    /// The name of the export.
    pub name: String,
    /// Its columns.
    pub columns: Arc<[Column]>,
    /// What it is, and how it changes. Other programs import what it has [arranged](Output::arranged).
    pub output: Output<Row>,
}

/// A clock's row.
struct Clock {
    session: Session<Row>,
    shown: Option<Row>,
}

/// Why a program could not be installed. Nothing is, then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallError {
    /// It imports what nobody exports.
    Import {
        /// The other program.
        program: String,
        /// Its export.
        export: String,
    },
    /// The engine refused the dataflow.
    Engine(Error),
}

impl fmt::Display for InstallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstallError::Import { program, export } => write!(out, "there is no export `{program}.{export}`"),
            InstallError::Engine(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for InstallError {}

/// Adds a plan to a worker's region. `files` are the texts that its places are in; it imports nothing.
///
/// # Errors
/// [`InstallError`], with nothing installed.
pub fn install(
    worker: &mut Worker<'_>,
    plan: &Plan,
    files: &Files,
    options: &Options,
) -> Result<Running, InstallError> {
    install_with(worker, plan, files, options, &|_, _| None)
}

/// [`install`] of a plan that imports: `import` answers with what a program exports by a name.
///
/// # Errors
/// [`InstallError`], with nothing installed.
pub fn install_with(
    worker: &mut Worker<'_>,
    plan: &Plan,
    files: &Files,
    options: &Options,
    import: Import<'_>,
) -> Result<Running, InstallError> {
    for node in &plan.nodes {
        if let Operator::Import { program, export } = &node.operator
            && import(program, export).is_none()
        {
            return Err(InstallError::Import { program: program.clone(), export: export.clone() });
        }
    }
    let (shared, kinds) = (Shared::new(files, &plan.sums), Kinds::of(&plan.sums));
    let is_first = worker.index() == 0;
    let builder = Builder { plan, options, shared, kinds, is_first, import };
    let exported = |name: &str, columns: &Arc<[Column]>, rows: &Collection<Row>| Exported {
        name: name.to_string(),
        columns: columns.clone(),
        output: rows.gather().output(),
    };
    let build = |scope: &Scope| {
        let Built { sources, clocks, exports, errors } = builder.build(scope);
        let exports = plan.exports.iter().zip(&exports);
        let exports = exports.map(|(export, rows)| exported(&export.name, &export.columns, rows)).collect();
        (sources, clocks, exports, exported("errors", &error_columns(), &errors))
    };
    let ((sources, clocks, exports, errors), installed) = worker.install(build).map_err(InstallError::Engine)?;
    let sources = sources.into_iter().map(|(id, session)| {
        let node = plan.node(id);
        let Operator::Source { name } = &node.operator else { unreachable!("a session of a source") };
        let (columns, schema) = (node.columns.clone(), builder.kinds.schema(&node.columns));
        Source { name: name.clone(), columns, schema, session }
    });
    let sources = sources.collect();
    let clocks = clocks.into_iter().map(|session| Clock { session, shown: None }).collect();
    Ok(Running { sources, exports, errors, installed, clocks, begun: false })
}

impl Running {
    /// The source of this name; none if the program has none, or none that its exports depend on.
    pub fn source(&mut self, name: &str) -> Option<&mut Source> {
        self.sources.iter_mut().find(|source| source.name == name)
    }

    /// The export of this name.
    pub fn export(&mut self, name: &str) -> Option<&mut Exported> {
        self.exports.iter_mut().find(|export| export.name == name)
    }

    /// Closes the present epoch of all sources, runs until it is complete on all workers, and answers its number.
    ///
    /// # Errors
    /// As [`Worker::commit`]: a count that overflows stops its operator. What scalars and loops fail with is not an error
    /// here but rows of [`Running::errors`].
    pub fn commit(&mut self, worker: &mut Worker<'_>) -> Result<u64, Error> {
        let is_first = worker.index() == 0;
        let sources = self.sources.iter().map(|source| source.session.epoch());
        let epoch = sources.chain(self.clocks.iter().map(|clock| clock.session.epoch())).max().unwrap_or(0);
        for clock in self.clocks.iter_mut().filter(|_| is_first) {
            let row = super::generated::rows(&Generator::Clock, epoch).next().expect("a clock has a row");
            clock.shown.replace(row.clone()).into_iter().for_each(|row| clock.session.remove(row));
            clock.session.insert(row);
        }
        if !std::mem::replace(&mut self.begun, true) {
            // A commit waits for what its sessions lead to; this, for what is there from the beginning.
            worker.run()?;
        }
        let sources = self.sources.iter_mut().map(|source| &mut source.session);
        let sessions: Vec<&mut Session<Row>> =
            sources.chain(self.clocks.iter_mut().map(|clock| &mut clock.session)).collect();
        worker.commit(sessions)
    }
}
