//! What a person may ask of `ddir graph`, checked before any file is opened.
//!
//! Each flag that takes a quantity names its unit: `rows=5000`, `time=3600.5`, `commits=10`. A quantity is at least
//! one (a time is more than zero). What contradicts itself is refused with the reason, as everything else that clap
//! refuses, with exit status 2.
//!
//! `--reach` takes one node or several. As it would take the file's name too in `ddir graph --reach 9 FILE`, a last
//! value that is no number is given back as the file, if there is no other.
//!
//! Tested through the command, in `interactive/tests/graph/`.

use super::answers::Questions;
use super::replay::Options;
use super::rows::Node;
use crate::stream::commits::Step;
use crate::stream::form::Form;
use crate::stream::presence::Window;
use crate::stream::quantity::{positive, quantity, span, step};
use crate::workers::WorkerFlags;
use clap::Args;
use clap::error::{Error, ErrorKind};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Replay a stream of edges and keep answers about the graph current at every commit.
#[derive(Args, Debug)]
#[command(
    override_usage = "ddir graph FILE [--reach NODE ...] [--components] [--scc] [--commit rows=N] \
        [--window rows=N|time=SECONDS] [--report rows=N|commits=N] [--json] \
        [-w N] [-n P -p I [-h HOSTFILE]]",
    after_help = "\
A line of FILE is `source target [time ...]`, separated by TABs or blanks. A leading `+ ` inserts the row, which is
also what no sign does; a leading `- ` removes the newest row present that begins with the columns named. A line
`commit` closes the commit at once. `#` begins a comment. A name ending in .zst or .gz is decompressed.

The graph is the set of distinct edges among the rows present. Without --report, there is one report at the end."
)]
pub struct GraphFlags {
    /// The edge list; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Count the nodes reached from each of these nodes along directed edges
    #[arg(long, value_name = "NODE", num_args = 1.., allow_negative_numbers = true)]
    reach: Vec<String>,

    /// Count the weak components, and the nodes of the largest
    #[arg(long)]
    components: bool,

    /// Count the strong components, and the nodes of the largest
    #[arg(long)]
    scc: bool,

    /// Close a commit after N inserted rows
    #[arg(long, value_name = "rows=N", default_value = "rows=1", value_parser = commit_rows)]
    commit: NonZeroU64,

    /// Keep only the last N rows fed, or those less than SECONDS older than the newest (third column)
    #[arg(long, value_name = "rows=N|time=SECONDS", value_parser = window)]
    window: Option<Window>,

    /// Report at the first commit at or after every N rows inserted, or N commits closed
    #[arg(long, value_name = "rows=N|commits=N", value_parser = step)]
    report: Option<Step>,

    /// Write one JSON object a line instead of a table
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    workers: WorkerFlags,
}

impl GraphFlags {
    /// The options that these flags ask for and where workers are to be, or why they contradict themselves.
    pub fn options(self) -> Result<(Options, WorkerFlags), Error> {
        let GraphFlags { file, mut reach, components, scc, commit, window, report, json, workers } = self;
        let file = match (file, reach.last()) {
            (Some(file), _) => file,
            (None, Some(last)) if last.parse::<Node>().is_err() => {
                let file = PathBuf::from(reach.pop().expect("there is a last"));
                if reach.is_empty() {
                    return Err(refused(ErrorKind::ValueValidation, "--reach: wanted a node before FILE".to_string()));
                }
                file
            }
            (None, _) => {
                let file = reach.iter().find(|text| text.parse::<Node>().is_err());
                let file = file.map_or_else(String::new, |file| {
                    format!(": FILE comes after all nodes of --reach, and {file:?} does not")
                });
                return Err(refused(ErrorKind::MissingRequiredArgument, format!("no FILE to read{file}")));
            }
        };
        let roots = reach.iter().map(|text| root(text)).collect::<Result<_, _>>();
        let roots = roots.map_err(|reason| {
            let reason = format!("--reach {reason}; the FILE to read is {}", file.display());
            refused(ErrorKind::ValueValidation, reason)
        })?;
        if let Some(Window::Rows(rows)) = window
            && rows < commit.get()
        {
            let reason = format!(
                "--window rows={rows} is smaller than --commit rows={commit}: rows would come and go within a commit, \
                 and no answer would ever see them"
            );
            return Err(refused(ErrorKind::ArgumentConflict, reason));
        }
        let options = Options {
            file,
            questions: Questions { roots, components, scc },
            commit_rows: commit,
            window: window.unwrap_or(Window::All),
            report,
            form: Form::json_if(json),
        };
        Ok((options, workers))
    }
}

/// An error in clap's own form. The hint stands here since only a built command could add it.
fn refused(kind: ErrorKind, reason: String) -> Error {
    Error::raw(kind, format!("{reason}\n\nFor more information, try 'ddir graph --help'.\n"))
}

fn root(text: &str) -> Result<Node, String> {
    let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| {
        format!("{text}: wanted a node, a whole number of at most {} (several are separated by blanks)", Node::MAX)
    })
}

fn commit_rows(text: &str) -> Result<NonZeroU64, String> {
    match quantity(text, "rows=N")? {
        ("rows", rows) => positive(rows),
        _ => Err("wanted rows=N".to_string()),
    }
}

fn window(text: &str) -> Result<Window, String> {
    match quantity(text, "rows=N or time=SECONDS")? {
        ("rows", rows) => positive(rows).map(|rows| Window::Rows(rows.get())),
        ("time", seconds) => span(seconds).map(Window::Time),
        _ => Err("wanted rows=N or time=SECONDS".to_string()),
    }
}
