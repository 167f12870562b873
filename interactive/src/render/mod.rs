//! A plan as a dataflow: a program that runs on a worker.
//!
//! ```text
//!   sources: Session<Row> ──> operators ──┬──> exports: Output<Row>       what the program is asked for
//!                                         └──> errors: Output<Row>        rows that failed, and loops that did not end
//! ```
//!
//! [`install`] adds a plan to a worker's region and answers with a [`Running`]: feed rows to its sources, call
//! [`Running::commit`], and read its exports. Every worker installs the same plans in the same order, and feeds what it
//! likes; exports and errors are on the first worker, whole. [`install_all`] adds programs that read from each other.
//!
//! ```
//! use interactive::render::{Options, install};
//! use interactive::value::{Row, Value};
//!
//! let text = "source edge(src: int, dst: int); export degree = edge | group src { edges = count() };";
//! let checked = interactive::language::check("degree.ddir".as_ref(), text.into(), &|path| std::fs::read_to_string(path));
//! let plan = interactive::plan::plan(&checked.program.unwrap()).unwrap();
//!
//! let row = |numbers: &[i64]| numbers.iter().map(|number| Value::Int(*number)).collect::<Row>();
//! let rows = differential::run_alone(differential::Config::default(), |worker| {
//!     let mut running = install(worker, &plan, &checked.files, &Options::default()).unwrap();
//!     let edge = running.source("edge").unwrap();
//!     edge.session.insert(row(&[1, 2]));
//!     edge.session.insert(row(&[1, 3]));
//!     running.commit(worker).unwrap();
//!     running.exports[0].output.rows().unwrap()
//! });
//! assert_eq!(rows, [(row(&[1, 2]), 1)]);
//! ```
//!
//! A row that fails is missing from what comes after, and is a row of the errors, with the columns [`ERROR_COLUMNS`]: as
//! long as it is there. A loop that is given up is told of there too.
//!
//! In reading order, which is import order:
//!
//! | file | one sentence |
//! |---|---|
//! | [`failures`] | Rows of errors. |
//! | `picked` | Columns taken from rows, keys and values. |
//! | `rowwise` | Steps done to rows one by one, a container at a time. |
//! | `groups` | What becomes of a group: aggregates, first rows. |
//! | `turned` | Which sets are kept as an arrangement of them, and which loops are turned for that. |
//! | [`generated`] | Rows that are made up. |
//! | `build` | From operators of the plan to those of the engine. |
//! | [`running`] | A program that runs. |
//!
//! Loops: a variable is the engine's, empty in the first round. It is cut off at the loop's limit: what would still change
//! there goes to the errors, and the loop is as it was in its last round.

pub mod failures;
mod picked;
mod rowwise;
mod groups;
mod turned;
pub mod generated;
mod build;
pub mod running;

pub use failures::ERROR_COLUMNS;
pub use running::{Exported, Part, Running, Source, install, install_all};

use differential::Point;
use std::rc::Rc;

/// After how many rounds a loop is given up that has no limit of its own.
pub const ROUNDS: u64 = 1_000_000;

/// What may be chosen when a program is installed.
#[derive(Clone)]
pub struct Options {
    /// After how many rounds a loop is given up that has no limit of its own; nothing: never.
    pub rounds: Option<u64>,
    /// Told of the changes at every `inspect`, as they happen, on the worker where they do.
    pub inspect: Rc<dyn Fn(&Inspected<'_>)>,
}

impl Default for Options {
    /// [`ROUNDS`] rounds, and nobody is told of changes.
    fn default() -> Self {
        Options { rounds: Some(ROUNDS), inspect: Rc::new(|_| {}) }
    }
}

/// A change that an `inspect` has seen.
#[derive(Debug)]
pub struct Inspected<'a> {
    /// The label that was written.
    pub label: &'a str,
    /// The row as the language writes it.
    pub row: &'a str,
    /// The epoch, then the rounds of the loops around.
    pub time: &'a Point,
    /// By how much the row's count changes.
    pub diff: i64,
}
