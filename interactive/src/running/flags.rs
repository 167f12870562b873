//! What a person may ask of `ddir run` and `ddir replay`, checked before any file is opened.
//!
//! ```text
//!   OnWorkers<RunOptions>                 OnWorkers<ReplayOptions>
//!   ├─ options ┬ program: ProgramFlags    ├─ options ┬ program: ProgramFlags        the same in both
//!   │          └ rows                     │          └ commit, window, changes, ..
//!   └─ workers                            └─ workers                                may differ between processes
//! ```
//!
//! Tested through the command, in `interactive/tests/running/`.

use super::errors::RunError;
use super::inputs::{Asked, Sources, Tag, tag};
use super::said::{Named, SaidFlags, named};
use crate::sources::layout::Rule;
use crate::sources::map::read_map;
use crate::stream::commits::Step;
use crate::stream::form::Form;
use crate::stream::quantity::{positive, quantity, span, step, whole};
use crate::stream::seconds::Seconds;
use crate::together::{ImportFlags, refused};
use crate::workers::WorkerFlags;
use clap::Args;
use clap::error::{Error, ErrorKind};
use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// How many rows of an export are shown where nothing is said.
const ROWS_SHOWN: usize = 10;

/// What is asked for, and on which workers.
#[derive(Args, Clone, Debug)]
pub struct OnWorkers<Options: Args> {
    /// What, the same in all processes.
    #[command(flatten)]
    pub options: Options,

    /// Where.
    #[command(flatten)]
    pub workers: WorkerFlags,
}

/// A program, the files that its rows come from, and how its answers are written.
#[derive(Args, Clone, Debug)]
pub struct ProgramFlags {
    /// The program; `-` is standard input
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,

    /// What it imports from.
    #[command(flatten)]
    pub imports: ImportFlags,

    /// The rows of a source; may be given again, for another file of it too
    #[arg(long = "source", value_name = "NAME=FILE", value_parser = named)]
    pub sources: Vec<Named>,

    /// A file of rows for several sources, told apart by --tag; may be given again
    #[arg(long = "feed", value_name = "FILE", requires = "tag")]
    pub feeds: Vec<PathBuf>,

    /// The column of a feed that names the source, by name or number; the source's columns follow it in order
    #[arg(long, value_name = "COLUMN[:VALUE=SOURCE,..]", value_parser = tag, requires = "feeds")]
    pub tag: Option<Tag>,

    /// Which tag is for which source, and which fields are its columns: on each line of this CSV file TAG,SOURCE or TAG,SOURCE,FIELD,..
    #[arg(long, value_name = "FILE", requires = "tag")]
    pub map: Option<PathBuf>,

    /// Write an export, as it is in the end, to a file: .csv, .tsv or .jsonl, with .zst or .gz
    #[arg(long = "export", value_name = "NAME=FILE", value_parser = named)]
    pub exports: Vec<Named>,

    /// Write JSON, an object a line, instead of tables
    #[arg(long)]
    json: bool,

    /// How files are written.
    #[command(flatten)]
    pub said: SaidFlags,
}

/// Run a program on files to its answer.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "ddir run PROGRAM --source NAME=FILE ... [--export NAME=FILE] [--rows N] [--json] [-w N]",
    after_help = "\
Every source of the program gets its rows from a file: CSV or TSV (first line names of columns, or not), words between
blanks with # comments (edge lists), JSON lines; .zst and .gz are decompressed; - is standard input. A column `diff` says
by how much a row's count changes. What stands in a field, and in a file of --map, is described in docs/LANGUAGE.md.

Shown are the exports, then rows that failed, then times and memory. The exit status is 0 if all went well, 3 if rows
failed, 1 if the run ended early, 130 if it was interrupted."
)]
pub struct RunOptions {
    /// The program and its files.
    #[command(flatten)]
    pub program: ProgramFlags,

    /// Show so many rows of each export; 10 if nothing is said, all with --json
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    rows: Option<usize>,
}

/// Replay recorded streams through a program, commit by commit.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "ddir replay PROGRAM [--load NAME=FILE] --source NAME=FILE ... | --feed FILE --tag COLUMN [--map FILE] \
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
pub struct ReplayOptions {
    /// The program and its files.
    #[command(flatten)]
    pub program: ProgramFlags,

    /// Rows of a source that are there before the first commit
    #[arg(long = "load", value_name = "NAME=FILE", value_parser = named)]
    pub loads: Vec<Named>,

    /// Close a commit after N rows, when the next row has another value in a column, or at the end of each file
    #[arg(long, value_name = "rows=N|by=COLUMN|files", default_value = "rows=1", value_parser = commit)]
    pub commit: CommitBy,

    /// Merge files by a column, if commits are not closed by one
    #[arg(long, value_name = "COLUMN")]
    pub merge: Option<String>,

    /// Keep only the last N rows fed, or those whose number in a column, in whose order they come, is less than SPAN below the last one's
    #[arg(long, value_name = "rows=N|by=COLUMN:SPAN", value_parser = window)]
    pub window: Option<WindowBy>,

    /// Write the changes of an export to a file: .csv, .tsv or .jsonl, with .zst or .gz
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    pub changes: Vec<Named>,

    /// Report at the first commit at or after every N rows fed, or N commits closed
    #[arg(long, value_name = "rows=N|commits=N", value_parser = step)]
    pub report: Option<Step>,

    /// Show so many rows of each export in the end
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<usize>)]
    pub rows: usize,
}

/// When a commit closes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitBy {
    /// After so many rows.
    Rows(NonZeroU64),
    /// When a column has another value.
    Column(String),
    /// At the end of each file.
    Files,
}

/// Which rows stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowBy {
    /// The last so many.
    Rows(NonZeroU64),
    /// Those whose number in a column is less than so much below the greatest.
    Column(String, Seconds),
}

impl ProgramFlags {
    /// How answers are written.
    pub fn form(&self) -> Form {
        Form::json_if(self.json)
    }

    /// Whether a source gets rows from a file.
    pub fn fills(&self, source: &str) -> bool {
        // Which sources a feed has rows for is not known before it is read.
        !self.feeds.is_empty() || self.sources.iter().any(|named| named.name == source)
    }

    /// The files of rows, one after the other.
    pub fn files(&self) -> Asked<'_> {
        Asked { sources: &self.sources, feeds: &self.feeds, tag: self.tag.as_ref(), ..Asked::default() }
    }

    /// Which tag is whose, as it was said.
    ///
    /// # Errors
    /// A source that the program does not have; a file that does not say it.
    pub fn tags(&self, sources: &Sources<'_>) -> Result<Vec<Rule>, RunError> {
        if let Some(file) = &self.map {
            return Ok(read_map(file, &sources.targets)?);
        }
        let values = self.tag.iter().flat_map(|tag| &tag.values);
        let target = |(value, source): &(String, String)| {
            let target = if source == "-" { None } else { Some(sources.find("--tag", source)?) };
            Ok(Rule { tag: value.clone(), target, fields: None })
        };
        values.map(target).collect()
    }

    /// The files that are read. `loads` are files of sources too.
    fn read<'f>(&'f self, loads: &'f [Named]) -> impl Iterator<Item = &'f Path> {
        let named = loads.iter().chain(&self.sources).map(|named| named.file.as_path());
        let programs = self.imports.all.iter().map(|import| import.file.as_path()).chain([self.program.as_path()]);
        named.chain(self.feeds.iter().chain(&self.map).map(PathBuf::as_path)).chain(programs)
    }

    /// Refuses what no command could do. `loads` are files of sources too.
    fn check(&self, command: &str, loads: &[Named]) -> Result<(), Error> {
        let standard = |file: &Path| file == Path::new("-");
        let named = || loads.iter().chain(&self.sources);
        let files = || named().map(|named| named.file.as_path()).chain(self.feeds.iter().map(PathBuf::as_path));
        if self.read(loads).filter(|file| standard(file)).count() > 1 {
            let reason = "standard input (`-`) is asked for twice, and can be read once".to_string();
            return Err(refused(command, ErrorKind::ArgumentConflict, reason));
        }
        let known = |name: &str| named().any(|named| named.name == name) || files().any(|file| file == Path::new(name));
        self.imports.check(command)?;
        if let (Some(map), Some(Tag { values, .. })) = (&self.map, &self.tag)
            && !values.is_empty()
        {
            let reason =
                format!("which tag is whose is said by --tag and by --map {}: say all of it in one", map.display());
            return Err(refused(command, ErrorKind::ArgumentConflict, reason));
        }
        match self.said.names().find(|name| !known(name)) {
            Some(name) => {
                let reason = format!("{name}=..: neither a source with a file nor a file that is given");
                Err(refused(command, ErrorKind::ValueValidation, reason))
            }
            None => Ok(()),
        }
    }
}

impl RunOptions {
    /// How many rows of each export are shown, if not all.
    pub fn rows(&self) -> Option<usize> {
        self.rows.or((self.program.form() == Form::Table).then_some(ROWS_SHOWN))
    }

    /// Says why they contradict themselves, if they do.
    ///
    /// # Errors
    /// What is refused.
    pub fn check(&self) -> Result<(), Error> {
        self.program.check("run", &[])?;
        written_alone("run", self.program.exports.iter(), self.program.read(&[]))
    }
}

impl ReplayOptions {
    /// Says why they contradict themselves, if they do.
    ///
    /// # Errors
    /// What is refused.
    pub fn check(&self) -> Result<(), Error> {
        self.program.check("replay", &self.loads)?;
        let written = self.changes.iter().chain(&self.program.exports);
        written_alone("replay", written, self.program.read(&self.loads))?;
        let reason = match (&self.window, &self.merge, &self.commit) {
            (Some(WindowBy::Rows(window)), _, CommitBy::Rows(commit)) if window < commit => format!(
                "--window rows={window} is smaller than --commit rows={commit}: rows would come and go within a commit, \
                 and no answer would ever see them"
            ),
            (_, Some(column), CommitBy::Files) => {
                format!("--merge {column} contradicts --commit files, which closes one after the other")
            }
            (_, Some(merge), CommitBy::Column(column)) if merge != column => {
                format!("--merge {merge} contradicts --commit by={column}, which merges by its own column")
            }
            _ => return Ok(()),
        };
        Err(refused("replay", ErrorKind::ArgumentConflict, reason))
    }
}

/// Refuses to write two things to one file, of which one would be lost, or both; and to write over what is read.
fn written_alone<'n>(
    command: &str,
    written: impl Iterator<Item = &'n Named>,
    read: impl Iterator<Item = &'n Path>,
) -> Result<(), Error> {
    // However they are spelled. What does not exist is no other file's.
    let real = |file: &Path| file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let read: BTreeSet<PathBuf> = read.map(real).collect();
    let mut files = BTreeSet::new();
    for file in written.map(|named| &*named.file).filter(|file| *file != Path::new("-")) {
        let real = real(file);
        let reason = match read.contains(&real) {
            true => format!("{} is read, and would be written over", file.display()),
            false if files.insert(real) => continue,
            false => format!("{} is to be written twice", file.display()),
        };
        return Err(refused(command, ErrorKind::ArgumentConflict, reason));
    }
    Ok(())
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
