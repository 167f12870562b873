//! Which tag of a feed is for which source, and which of the feed's fields are that source's columns: read from a file.
//!
//! ```text
//!   # tag, source, a field of the feed for each column of the source, in their order: by name, or by number from 1
//!   Post,post,id,written,author        rows with the tag Post
//!   Like,likes                         the fields behind the tag, in order
//!   Note,-                             nobody's
//! ```
//!
//! Tags that the file does not have are found by the sources' names, as without one.
//!
//! Tested through the command, in `interactive/tests/running/`.

use super::errors::shortened;
use super::layout::{Rule, Target};
use crate::language::from_disk;
use crate::language::near::near;
use csv::{ReaderBuilder, Trim};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file does not say which tag is whose.
#[derive(Debug)]
pub enum MapError {
    /// It cannot be read.
    Unreadable {
        /// Its name as given.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A line has no sense.
    Line {
        /// The file's name as given.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: MapProblem,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapProblem {
    /// No tag, or no source.
    Form,
    /// Not CSV, in the parser's words.
    NotFields(String),
    /// A source that the program does not have.
    NoSource {
        /// What it named.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Another number of fields than the source has columns.
    Fields {
        /// How many there are.
        found: usize,
        /// The source.
        source: String,
        /// Its columns.
        columns: Vec<String>,
    },
    /// A tag that another line has.
    Twice {
        /// The tag.
        tag: String,
    },
}

/// Reads such a file.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read_map(file: &Path, targets: &[Target<'_>]) -> Result<Vec<Rule>, MapError> {
    let text = from_disk(file).map_err(|error| MapError::Unreadable { file: file.to_path_buf(), error })?;
    let mut builder = ReaderBuilder::new();
    let builder = builder.has_headers(false).flexible(true).comment(Some(b'#')).trim(Trim::All);
    let mut rules: Vec<Rule> = Vec::new();
    for record in builder.from_reader(text.as_bytes()).into_records() {
        let refused = |line, problem| MapError::Line { file: file.to_path_buf(), line, problem };
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            refused(line, MapProblem::NotFields(error.to_string()))
        })?;
        let rule = rule(record.iter(), &rules, targets);
        rules.push(rule.map_err(|problem| refused(record.position().map_or(0, csv::Position::line), problem))?);
    }
    Ok(rules)
}

fn rule<'r>(
    mut words: impl Iterator<Item = &'r str>,
    before: &[Rule],
    targets: &[Target<'_>],
) -> Result<Rule, MapProblem> {
    let (Some(tag), Some(name)) = (words.next(), words.next()) else { return Err(MapProblem::Form) };
    let fields: Vec<String> = words.map(String::from).collect();
    if tag.is_empty() || name.is_empty() || fields.iter().any(String::is_empty) {
        return Err(MapProblem::Form);
    }
    if before.iter().any(|rule| rule.tag == tag) {
        return Err(MapProblem::Twice { tag: tag.to_string() });
    }
    let target = match name {
        "-" => None,
        name => Some(targets.iter().position(|target| target.name == name).ok_or_else(|| {
            let known = targets.iter().map(|target| target.name.to_string()).collect();
            MapProblem::NoSource { name: name.to_string(), known }
        })?),
    };
    let columns = target.map_or(&[][..], |target| targets[target].columns);
    if !fields.is_empty() && fields.len() != columns.len() {
        let columns = columns.iter().map(|column| column.name.clone()).collect();
        return Err(MapProblem::Fields { found: fields.len(), source: name.to_string(), columns });
    }
    Ok(Rule { tag: tag.to_string(), target, fields: (!fields.is_empty()).then_some(fields) })
}

impl fmt::Display for MapError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapError::Unreadable { file, error } => write!(out, "{}: cannot read: {error}", file.display()),
            MapError::Line { file, line, problem } => write!(out, "{}, line {line}: {problem}", file.display()),
        }
    }
}

impl fmt::Display for MapProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapProblem::Form => out.write_str("wanted TAG,SOURCE or TAG,SOURCE,FIELD,FIELD,.."),
            MapProblem::NotFields(reason) => out.write_str(reason),
            MapProblem::NoSource { name, known } => {
                write!(out, "the program has no source {:?}", shortened(name))?;
                match near(name, known.iter().map(String::as_str)) {
                    Some(meant) => write!(out, "; did you mean {meant:?}?"),
                    None => write!(out, "; there are {}, or - for nobody", known.join(", ")),
                }
            }
            MapProblem::Fields { found, source, columns } if columns.is_empty() => {
                write!(out, "{found} for {source}, which has no columns")
            }
            MapProblem::Fields { found, source, columns } => {
                let fields = if *found == 1 { "field" } else { "fields" };
                write!(out, "{found} {fields} for the {} columns of {source}: {}", columns.len(), columns.join(", "))
            }
            MapProblem::Twice { tag } => write!(out, "the tag {:?} has a line before", shortened(tag)),
        }
    }
}

impl std::error::Error for MapProblem {}

impl std::error::Error for MapError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            MapError::Unreadable { error, .. } => Some(error),
            MapError::Line { problem, .. } => Some(problem),
        }
    }
}
