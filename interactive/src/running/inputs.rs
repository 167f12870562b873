//! The files of a run as one stream of rows.
//!
//! ```text
//!   --source edge=a.csv ──┐
//!   --source node=b.csv ──┼── in the order of the flags, one after the other, or merged by a column ──> Row of a source
//!   --feed c.csv ─────────┘   (of equal moments the first flag's come first)
//! ```
//!
//! A line that is no row ends the run, or is counted, as the person wants it.
//!
//! Cost: merging looks at the next row of each file, so it is for tens of files, not thousands.

use super::errors::RunError;
use super::gathered::Gathered;
use super::said::{Named, SaidFlags};
use crate::language::program::{DefinitionKind, Program, Scope};
use crate::language::types::{Column, Sum};
use crate::sources::errors::{RowError, SourceError};
use crate::sources::layout::{Target, Wanted};
use crate::sources::moment::Moment;
use crate::sources::reader::{Fed, Reader, Tags};
use crate::value::Kinds;
use differential::column::Column as _;
use std::path::{Path, PathBuf};

/// The sources of programs that files fill, each once.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Names and columns.
    all: Vec<(String, Vec<Column>)>,
    /// The programs' declared types, one program's after the other's.
    sums: Vec<Sum>,
}

impl Declared {
    /// Those of these programs, which go together.
    pub fn of<'p>(programs: impl IntoIterator<Item = &'p Program>) -> Declared {
        let mut declared = Declared::default();
        for program in programs {
            let by = declared.sums.len();
            let sources = program.definitions.iter().filter(|definition| {
                matches!(definition.kind, DefinitionKind::Source) && definition.scope == Scope::Program
            });
            for source in sources {
                if declared.all.iter().all(|(name, _)| *name != source.name) {
                    let column = |of: &Column| Column { name: of.name.clone(), of: of.of.shifted(by) };
                    declared.all.push((source.name.clone(), source.columns.iter().map(column).collect()));
                }
            }
            declared.sums.extend(program.sums.iter().cloned());
            for constructor in declared.sums[by..].iter_mut().flat_map(|sum| &mut sum.constructors) {
                constructor.payload = constructor.payload.as_ref().map(|of| of.shifted(by));
            }
        }
        declared
    }
}

/// Sources that files fill, by number.
#[derive(Clone, Debug)]
pub struct Sources<'p> {
    /// Names and columns.
    pub targets: Vec<Target<'p>>,
    /// The declared types of the columns.
    pub sums: &'p [Sum],
}

impl<'p> Sources<'p> {
    /// Those that are declared.
    pub fn of(declared: &'p Declared) -> Sources<'p> {
        let targets = declared.all.iter().map(|(name, columns)| Target { name, columns });
        Sources { targets: targets.collect(), sums: &declared.sums }
    }

    /// No rows of them.
    pub fn gathered(&self) -> Gathered {
        let kinds = Kinds::of(self.sums);
        Gathered::empty(self.targets.iter().map(|target| kinds.schema(target.columns)))
    }

    /// The number of a source.
    ///
    /// # Errors
    /// [`RunError::NoSuch`], with what there is.
    pub fn find(&self, flag: &'static str, name: &str) -> Result<usize, RunError> {
        let at = self.targets.iter().position(|target| target.name == name);
        let known = || self.targets.iter().map(|target| target.name.to_string()).collect();
        at.ok_or_else(|| RunError::NoSuch { flag, what: "source", name: name.to_string(), known: known() })
    }
}

/// A tag column, and which tag is whose where names do not say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The column, by name or number.
    pub column: String,
    /// Tags, and the sources that they are for; `-` for none.
    pub values: Vec<(String, String)>,
}

/// Reads `COLUMN[:VALUE=source,..]`.
///
/// # Errors
/// What was wanted.
pub fn tag(text: &str) -> Result<Tag, String> {
    let wanted = || "wanted COLUMN or COLUMN:VALUE=SOURCE,VALUE=SOURCE,..".to_string();
    let (column, values) = text.split_once(':').unwrap_or((text, ""));
    let value = |text: &str| text.split_once('=').map(|(value, source)| (value.to_string(), source.to_string()));
    let values = values.split(',').filter(|text| !text.is_empty()).map(value).collect::<Option<_>>();
    match values {
        Some(values) if !column.is_empty() => Ok(Tag { column: column.to_string(), values }),
        _ => Err(wanted()),
    }
}

/// How many lines were no rows.
#[derive(Debug, Default)]
pub struct Skipped {
    allowed: u64,
    /// How many.
    pub count: u64,
    /// What was wrong with the first few.
    pub first: Vec<String>,
}

impl Skipped {
    /// Up to so many may be.
    pub fn up_to(allowed: u64) -> Skipped {
        Skipped { allowed, ..Skipped::default() }
    }

    /// Counts a line, or ends the run.
    fn note(&mut self, error: SourceError) -> Result<(), RunError> {
        const TOLD: usize = 3;
        if !error.is_of_one_line() {
            return Err(error.into());
        }
        if self.count == self.allowed {
            return Err(RunError::TooManyBad { allowed: self.allowed, error });
        }
        self.count += 1;
        if self.first.len() < TOLD {
            self.first.push(error.to_string());
        }
        Ok(())
    }
}

/// What files are read for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'p> {
    /// Files of one source each.
    pub sources: &'p [Named],
    /// Files of rows for several.
    pub feeds: &'p [PathBuf],
    /// How the rows of those are told apart.
    pub tag: Option<&'p Tag>,
    /// Columns whose moments are wanted of each row.
    pub marks: &'p [String],
    /// Whether rows are merged by the first of them.
    pub merged: bool,
}

/// What is to become of a row, with the number of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// For which source, and so on.
    pub fed: Fed,
    /// From which file.
    pub file: usize,
}

/// Files that are being read.
pub struct Inputs<'p> {
    files: Vec<Input<'p>>,
    /// The next row of each file, where files are merged.
    heads: Vec<Head>,
    /// The file that the row before came from.
    last: usize,
}

struct Head {
    fed: Option<Fed>,
    /// The row.
    row: Gathered,
}

struct Input<'p> {
    reader: Reader<'p>,
    /// The source of a file of one.
    only: Option<usize>,
    ended: bool,
}

impl<'p> Inputs<'p> {
    /// Opens all files, so that what is missing is told before anything is read.
    ///
    /// # Errors
    /// The first that cannot be opened, or lacks a column; a flag that names no source.
    pub fn open(
        asked: Asked<'p>,
        said: &SaidFlags,
        sources: &'p Sources<'p>,
        tags: Tags<'p>,
    ) -> Result<Inputs<'p>, RunError> {
        let mut files = Vec::new();
        for Named { name, file } in asked.sources {
            let at = sources.find("--source", name)?;
            let wanted = Wanted { targets: &sources.targets[at..=at], marks: asked.marks, tag: None };
            let reader = Reader::open(file, &said.of(Some(name), file), wanted, Tags::default(), sources.sums)?;
            files.push(Input { reader, only: Some(at), ended: false });
        }
        for file in asked.feeds {
            let wanted =
                Wanted { targets: &sources.targets, marks: asked.marks, tag: asked.tag.map(|tag| tag.column.as_str()) };
            let reader = Reader::open(file, &said.of(None, file), wanted, tags, sources.sums)?;
            files.push(Input { reader, only: None, ended: false });
        }
        let merged = if asked.merged { files.len() } else { 0 };
        let heads = (0..merged).map(|_| Head { fed: None, row: sources.gathered() }).collect();
        Ok(Inputs { files, heads, last: 0 })
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Gathers the next row; `None` at the end of all files.
    ///
    /// # Errors
    /// A file that cannot be read on, or a line too many that is no row.
    pub fn next(&mut self, skipped: &mut Skipped, into: &mut Gathered) -> Result<Option<Arrived>, RunError> {
        if self.heads.is_empty() {
            while let Some(input) = self.files.get_mut(self.last) {
                match input.next(skipped, into)? {
                    Some(fed) => return Ok(Some(Arrived { fed, file: self.last })),
                    None => self.last += 1,
                }
            }
            return Ok(None);
        }
        let mut earliest: Option<(usize, &Moment)> = None;
        for (at, (input, head)) in self.files.iter_mut().zip(&mut self.heads).enumerate() {
            if head.fed.is_none() {
                head.fed = input.next(skipped, &mut head.row)?;
            }
            if let Some(Fed { marks, .. }) = &head.fed
                && earliest.is_none_or(|(_, moment)| marks[0] < *moment)
            {
                earliest = Some((at, &marks[0]));
            }
        }
        let Some((file, _)) = earliest else { return Ok(None) };
        self.last = file;
        let Head { fed, row } = &mut self.heads[file];
        let arrived = fed.take().map(|fed| Arrived { fed, file });
        if let Some(Arrived { fed, .. }) = &arrived {
            into.push(fed.target, row.rows[fed.target].get(0), fed.diff);
            row.clear();
        }
        Ok(arrived)
    }

    /// The error that says `error` of the row that came last; of merged files, of its file.
    pub fn refuse(&self, error: RowError) -> SourceError {
        self.files[self.last].reader.refuse(error)
    }

    /// The name of a file.
    pub fn name(&self, file: usize) -> &Path {
        self.files[file].reader.name()
    }

    /// How many bytes have been read, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.files.iter().map(|input| input.reader.bytes_read()).sum()
    }

    /// How many bytes there are, after decompression, if all files say it.
    pub fn bytes_total(&self) -> Option<u64> {
        self.files.iter().map(|input| input.reader.bytes_total()).sum()
    }
}

impl Input<'_> {
    fn next(&mut self, skipped: &mut Skipped, into: &mut Gathered) -> Result<Option<Fed>, RunError> {
        while !self.ended {
            let rows = match self.only {
                Some(only) => &mut into.rows[only..=only],
                None => &mut into.rows[..],
            };
            match self.reader.read(rows) {
                Ok(Some(mut fed)) => {
                    fed.target = self.only.unwrap_or(fed.target);
                    into.diffs[fed.target].push(fed.diff);
                    return Ok(Some(fed));
                }
                Ok(None) => self.ended = true,
                Err(error) => skipped.note(error)?,
            }
        }
        Ok(None)
    }
}
