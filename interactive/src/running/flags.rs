//! What a person may ask of `ddir run` and `ddir replay`, checked before any file is opened.
//!
//! Tested through the command, in `interactive/tests/running/`.

use super::inputs::{Tag, tag};
use super::once::{FeedOptions, RunOptions};
use super::replay::{CommitBy, ReplayOptions, WindowBy};
use super::said::{Named, SaidFlags, named};
use crate::stream::commits::Step;
use crate::stream::form::Form;
use crate::stream::quantity::{positive, quantity, span, step, whole};
use crate::workers::WorkerFlags;
use clap::Args;
use clap::error::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// How many rows of an export are shown where nothing is said.
const ROWS_SHOWN: usize = 10;

/// Run a program on files to its answer.
#[derive(Args, Debug)]
#[command(
    override_usage = "ddir run PROGRAM --source NAME=FILE ... [--export NAME=FILE] [--rows N] [--json] [-w N]",
    after_help = "\
Every source of the program gets its rows from a file: CSV or TSV (first line names of columns, or not), words between
blanks with # comments (edge lists), JSON lines; .zst and .gz are decompressed; - is standard input. A column `diff` says
by how much a row's count changes. What stands in a field is described in docs/LANGUAGE.md.

Shown are the exports, then rows that failed, then times and memory. The exit status is 0 if all went well, 3 if rows
failed, 1 if the run ended early, 130 if it was interrupted."
)]
pub struct RunFlags {
    /// The program; `-` is standard input
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,

    #[command(flatten)]
    inputs: InputFlags,

    /// Write an export to a file: .csv, .tsv or .jsonl, with .zst or .gz
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    export: Vec<Named>,

    /// Show so many rows of each export; 10 if nothing is said, all with --json
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    rows: Option<usize>,

    /// Write JSON, an object a line, instead of tables
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    said: SaidFlags,

    #[command(flatten)]
    workers: WorkerFlags,
}

/// The files that rows come from.
#[derive(Args, Clone, Debug)]
struct InputFlags {
    /// The rows of a source; may be given again, for another file of it too
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    source: Vec<Named>,

    /// A file of rows for several sources, told apart by --tag; may be given again
    #[arg(long, value_name = "FILE", requires = "tag")]
    feed: Vec<PathBuf>,

    /// The column of a feed that names the source, by name or number; the source's columns follow it in order
    #[arg(long, value_name = "COLUMN[:VALUE=SOURCE,..]", value_parser = tag, requires = "feed")]
    tag: Option<Tag>,
}

/// Replay recorded streams through a program, commit by commit.
#[derive(Args, Debug)]
#[command(
    override_usage = "ddir replay PROGRAM [--load NAME=FILE] --source NAME=FILE ... | --feed FILE --tag COLUMN \
        [--commit rows=N|by=COLUMN|files] [--window rows=N|by=COLUMN:SPAN] [--changes NAME=FILE] [--report rows=N|commits=N] \
        [--json] [-w N]",
    after_help = "\
Files are as for `ddir run`. Rows come in the order of the files, one file after the other; with --commit by=COLUMN or
--merge COLUMN all files are merged by that column, in whose order each has its rows.

A line is written at the first commit at or after each step of --report, and at the end; then how long commits took, from
closing one until every export was right again. A file of --changes has the commit's time and a diff before each row, and
can be replayed itself.

The exit status is 0 if all went well, 3 if rows fail in the end, 1 if the run ended early, 130 if it was interrupted."
)]
pub struct ReplayFlags {
    /// The program; `-` is standard input
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,

    /// Rows of a source that are there before the first commit
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    load: Vec<Named>,

    #[command(flatten)]
    inputs: InputFlags,

    /// Close a commit after N rows, when the next row has another value in a column, or at the end of each file
    #[arg(long, value_name = "rows=N|by=COLUMN|files", default_value = "rows=1", value_parser = commit)]
    commit: CommitBy,

    /// Merge files by a column, if commits are not closed by one
    #[arg(long, value_name = "COLUMN")]
    merge: Option<String>,

    /// Keep only the last N rows fed, or those whose number in a column is less than SPAN below the greatest
    #[arg(long, value_name = "rows=N|by=COLUMN:SPAN", value_parser = window)]
    window: Option<WindowBy>,

    /// Write the changes of an export to a file: .csv, .tsv or .jsonl, with .zst or .gz
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    changes: Vec<Named>,

    /// Write an export, as it is in the end, to a file
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    export: Vec<Named>,

    /// Report at the first commit at or after every N rows fed, or N commits closed
    #[arg(long, value_name = "rows=N|commits=N", value_parser = step)]
    report: Option<Step>,

    /// Show so many rows of each export in the end
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<usize>)]
    rows: usize,

    /// Write JSON, an object a line, instead of a table
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    said: SaidFlags,

    #[command(flatten)]
    workers: WorkerFlags,
}

impl RunFlags {
    /// The options that these flags ask for and where workers are to be, or why they contradict themselves.
    ///
    /// # Errors
    /// What is refused.
    pub fn options(self) -> Result<(RunOptions, WorkerFlags), Error> {
        let RunFlags { program, inputs, export, rows, json, said, workers } = self;
        let feed = FeedOptions { files: inputs.feed, tag: inputs.tag };
        check("run", &program, &inputs.source, &feed, &said)?;
        let form = Form::json_if(json);
        let rows = rows.or((form == Form::Table).then_some(ROWS_SHOWN));
        Ok((RunOptions { program, sources: inputs.source, feed, said, exports: export, rows, form }, workers))
    }
}

impl ReplayFlags {
    /// The options that these flags ask for and where workers are to be, or why they contradict themselves.
    ///
    /// # Errors
    /// What is refused.
    pub fn options(self) -> Result<(ReplayOptions, WorkerFlags), Error> {
        let ReplayFlags {
            program,
            load,
            inputs,
            commit,
            merge,
            window,
            changes,
            export,
            report,
            rows,
            json,
            said,
            workers,
        } = self;
        let feed = FeedOptions { files: inputs.feed, tag: inputs.tag };
        let all: Vec<Named> = load.iter().chain(&inputs.source).cloned().collect();
        check("replay", &program, &all, &feed, &said)?;
        if let (Some(WindowBy::Rows(window)), CommitBy::Rows(commit)) = (&window, &commit)
            && window < commit
        {
            let reason = format!(
                "--window rows={window} is smaller than --commit rows={commit}: rows would come and go within a commit, \
                 and no answer would ever see them"
            );
            return Err(refused("replay", ErrorKind::ArgumentConflict, reason));
        }
        if let (Some(column), true) = (&merge, commit == CommitBy::Files) {
            let reason = format!("--merge {column} contradicts --commit files, which closes one after the other");
            return Err(refused("replay", ErrorKind::ArgumentConflict, reason));
        }
        if let (Some(merge), CommitBy::Column(column)) = (&merge, &commit)
            && merge != column
        {
            let reason = format!("--merge {merge} contradicts --commit by={column}, which merges by its own column");
            return Err(refused("replay", ErrorKind::ArgumentConflict, reason));
        }
        let options = ReplayOptions {
            program,
            loads: load,
            sources: inputs.source,
            feed,
            merge,
            said,
            commit,
            window,
            changes,
            exports: export,
            report,
            rows,
            form: Form::json_if(json),
        };
        Ok((options, workers))
    }
}

/// What holds of both.
fn check(command: &str, program: &Path, sources: &[Named], feed: &FeedOptions, said: &SaidFlags) -> Result<(), Error> {
    let standard = |file: &Path| file == Path::new("-");
    let files = sources.iter().map(|named| named.file.as_path()).chain(feed.files.iter().map(PathBuf::as_path));
    if [program].into_iter().chain(files.clone()).filter(|file| standard(file)).count() > 1 {
        let reason = "standard input (`-`) is asked for twice, and can be read once".to_string();
        return Err(refused(command, ErrorKind::ArgumentConflict, reason));
    }
    let known = |name: &str| {
        sources.iter().any(|named| named.name == name) || files.clone().any(|file| file == Path::new(name))
    };
    match said.names().find(|name| !known(name)) {
        Some(name) => {
            let reason = format!("{name}=..: neither a source with a file nor a file that is given");
            Err(refused(command, ErrorKind::ValueValidation, reason))
        }
        None => Ok(()),
    }
}

/// An error in clap's own form. The hint stands here since only a built command could add it.
fn refused(command: &str, kind: ErrorKind, reason: String) -> Error {
    Error::raw(kind, format!("{reason}\n\nFor more information, try 'ddir {command} --help'.\n"))
}

fn commit(text: &str) -> Result<CommitBy, String> {
    const WANTED: &str = "rows=N, by=COLUMN or files";
    if text == "files" {
        return Ok(CommitBy::Files);
    }
    match quantity(text, WANTED)? {
        ("rows", rows) => positive(rows).map(CommitBy::Rows),
        ("by", column) if !column.is_empty() => Ok(CommitBy::Column(column.to_string())),
        _ => Err(format!("wanted {WANTED}")),
    }
}

fn window(text: &str) -> Result<WindowBy, String> {
    const WANTED: &str = "rows=N or by=COLUMN:SPAN";
    match quantity(text, WANTED)? {
        ("rows", rows) => positive(rows).map(WindowBy::Rows),
        ("by", rest) => match rest.rsplit_once(':') {
            Some((column, width)) if !column.is_empty() => Ok(WindowBy::Column(column.to_string(), span(width)?)),
            _ => Err(format!("wanted {WANTED}")),
        },
        _ => Err(format!("wanted {WANTED}")),
    }
}
