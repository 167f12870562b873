//! A program that runs on a worker.

use super::Options;
use super::build::{Builder, Common, SharedSource};
use super::failures::{Shared, error_columns};
use crate::language::files::Files;
use crate::language::program::Generator;
use crate::language::types::Column;
use crate::plan::Plan;
use crate::value::{Kinds, Row, Schema};
use differential::collection::Installed;
use differential::{Collection, Error, Output, Scope, Session, Worker};
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
    /// Rows that are there from the beginning, until the first commit closes them.
    fixed: Vec<Session<Row>>,
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
    /// What it is, and how it changes.
    pub output: Output<Row>,
}

/// A clock's row.
struct Clock {
    session: Session<Row>,
    shown: Option<Row>,
}

/// A program that is installed with others.
#[derive(Clone, Copy)]
pub struct Part<'p> {
    /// By which name others import from it.
    pub name: &'p str,
    /// What it comes to.
    pub plan: &'p Plan,
    /// The texts that the plan's places are in.
    pub files: &'p Files,
}

/// Adds a plan to a worker's region, which imports nothing. `files` are the texts that its places are in.
///
/// # Errors
/// As [`Worker::install`], with nothing installed.
///
/// # Panics
/// If it imports something.
pub fn install(worker: &mut Worker<'_>, plan: &Plan, files: &Files, options: &Options) -> Result<Running, Error> {
    install_all(worker, &[Part { name: "", plan, files }], options)
}

/// Adds plans to a worker's region that import from those before them: one program, which exports what the last one does,
/// and has the errors of all. Sources of one name are one, and have one index for all readers that look for the same
/// columns by the same columns.
///
/// # Errors
/// As [`Worker::install`], with nothing installed.
///
/// # Panics
/// If they don't go together: if [`link`](fn@crate::language::link::link) finds a mistake in them.
pub fn install_all(worker: &mut Worker<'_>, parts: &[Part<'_>], options: &Options) -> Result<Running, Error> {
    let is_first = worker.index() == 0;
    let builders = parts.iter().map(|part| {
        let (shared, kinds) = (Shared::new(part.files, &part.plan.sums), Kinds::of(&part.plan.sums));
        (part.name, Builder { plan: part.plan, options, shared, kinds, is_first })
    });
    let builders: Vec<(&str, Builder<'_>)> = builders.collect();
    let exported = |name: &str, columns: &Arc<[Column]>, rows: &Collection<Row>| Exported {
        name: name.to_string(),
        columns: columns.clone(),
        output: rows.gather().output(),
    };
    let build = |scope: &Scope| {
        let (mut common, mut clocks, mut exports, mut errors) =
            (Common::default(), Vec::new(), Vec::new(), Vec::<Collection<Row>>::new());
        for (program, builder) in &builders {
            let built = builder.build(scope, &mut common);
            clocks.extend(built.clocks);
            errors.push(built.errors);
            exports = builder.plan.exports.iter().zip(built.exports).collect();
            let named = exports.iter().map(|(of, rows)| ((program.to_string(), of.name.clone()), rows.clone()));
            common.exports.extend(named);
        }
        let exports = exports.into_iter().map(|(of, rows)| exported(&of.name, &of.columns, &rows)).collect();
        let errors = match &errors[..] {
            [only] => only.clone(),
            [first, others @ ..] => first.concat_all(others),
            [] => unreachable!("at least one program"),
        };
        ((common.sources, common.fixed), clocks, exports, exported("errors", &error_columns(), &errors))
    };
    let (((sources, fixed), clocks, exports, errors), installed) = worker.install(build)?;
    let source = |SharedSource { name, columns, schema, session, .. }| Source { name, columns, schema, session };
    let sources = sources.into_iter().map(source).collect();
    let clocks = clocks.into_iter().map(|session| Clock { session, shown: None }).collect();
    Ok(Running { sources, exports, errors, installed, clocks, fixed })
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
        // Closed for good afterwards.
        let mut fixed = std::mem::take(&mut self.fixed);
        let sources = self.sources.iter_mut().map(|source| &mut source.session);
        let sessions: Vec<&mut Session<Row>> =
            sources.chain(self.clocks.iter_mut().map(|clock| &mut clock.session)).chain(&mut fixed).collect();
        worker.commit(sessions)
    }
}
