//! Rows to a file, or to standard output for `-`: fields or JSON lines, by the file's name.
//!
//! | a file named | is written as |
//! |---|---|
//! | `*.csv` | fields between commas, under a heading |
//! | `*.tsv`, `*.tab` | fields between TABs, under a heading |
//! | `*.json`, `*.jsonl`, `*.ndjson` | an object a line |
//!
//! and compressed if `.zst` or `.gz` follows. What is written can be read back as a source: values are as
//! [`written`] and [`json`](mod@json) have them; a row that is there several times has a line for each.
//! A *change* has its `time` and `diff` before its values.
//!
//! A file appears under its name when it is complete, so that nobody takes half of it for all: until then it is
//! `NAME.part` beside it.

use super::layout::DIFF;
use super::{json, written};
use crate::language::types::{Column, Sum};
use crate::stream::opened::uncompressed_name;
use crate::value::Row;
use flate2::write::GzEncoder;
use serde_json::{Map, Value as Json, json};
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The column of a change's time.
pub const TIME: &str = "time";

/// How many lines a row may have.
const LINES_MAX: i64 = 100_000_000;

/// Why rows cannot be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The name does not say how.
    Ending {
        /// It.
        file: PathBuf,
    },
    /// A change would have two columns of one name.
    Column {
        /// The file.
        file: PathBuf,
        /// The name.
        column: &'static str,
    },
    /// A row that is there so often that a line for each would be no file that anybody wants.
    TooOften {
        /// The file.
        file: PathBuf,
        /// How often.
        count: i64,
    },
    /// The system refuses.
    Write {
        /// The file.
        file: PathBuf,
        /// What it says.
        error: io::Error,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Ending { file } => write!(
                out,
                "{}: cannot tell how to write it: wanted a name ending in .csv, .tsv or .jsonl (and .zst or .gz)",
                file.display()
            ),
            WriteError::Column { file, column } => {
                write!(
                    out,
                    "{}: the rows have a column `{column}`, which their changes have too; name it otherwise",
                    file.display()
                )
            }
            WriteError::TooOften { file, count } => write!(
                out,
                "{}: a row is there {count} times, and would have a line for each: more than {LINES_MAX} are refused; \
                 count it in the program, by `group`",
                file.display()
            ),
            WriteError::Write { file, error } => write!(out, "{}: cannot write: {error}", file.display()),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Write { error, .. } => Some(error),
            WriteError::Ending { .. } | WriteError::Column { .. } | WriteError::TooOften { .. } => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Fields(u8),
    Json,
}

/// A file that is being written.
pub struct Writer<'p> {
    file: PathBuf,
    columns: &'p [Column],
    sums: &'p [Sum],
    how: Written,
    changes: bool,
    out: Out,
    line: Vec<u8>,
}

enum Out {
    Plain(Box<dyn Write>),
    Zstd(Box<zstd::Encoder<'static, BufWriter<File>>>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
}

/// How a name says that rows are to be written.
fn how(path: &Path) -> Option<Written> {
    if path == Path::new("-") {
        return Some(Written::Fields(b'\t'));
    }
    let name = uncompressed_name(path);
    let end = name.extension().and_then(OsStr::to_str)?.to_ascii_lowercase();
    match end.as_str() {
        "csv" => Some(Written::Fields(b',')),
        "tsv" | "tab" => Some(Written::Fields(b'\t')),
        "json" | "jsonl" | "ndjson" => Some(Written::Json),
        _ => None,
    }
}

/// Whether rows of these columns, or their changes, can be written to a file of this name; nothing is opened.
///
/// # Errors
/// Why not.
pub fn check(path: &Path, columns: &[Column], changes: bool) -> Result<(), WriteError> {
    how(path).ok_or_else(|| WriteError::Ending { file: path.to_path_buf() })?;
    let taken = [TIME, DIFF].into_iter().find(|name| changes && columns.iter().any(|column| column.name == *name));
    taken.map_or(Ok(()), |column| Err(WriteError::Column { file: path.to_path_buf(), column }))
}

impl<'p> Writer<'p> {
    /// Begins a file of rows, or of changes of them.
    ///
    /// # Errors
    /// Those of [`check`], or of the system.
    pub fn create(
        path: &Path,
        columns: &'p [Column],
        sums: &'p [Sum],
        changes: bool,
    ) -> Result<Writer<'p>, WriteError> {
        check(path, columns, changes)?;
        let how = how(path).ok_or_else(|| WriteError::Ending { file: path.to_path_buf() })?;
        let out = open(path).map_err(|error| WriteError::Write { file: path.to_path_buf(), error })?;
        let mut writer = Writer { file: path.to_path_buf(), columns, sums, how, changes, out, line: Vec::new() };
        if how != Written::Json {
            let before = if changes { &[TIME, DIFF][..] } else { &[] };
            let names = before.iter().copied().chain(columns.iter().map(|column| column.name.as_str()));
            writer.fields(&names.collect::<Vec<_>>()).map_err(|error| writer.failed(error))?;
        }
        Ok(writer)
    }

    /// Writes a row as often as it is there; one that is there less than not at all is left out.
    ///
    /// # Errors
    /// Those of the system; and a row that is there more than 100 million times, before a line of it is written.
    pub fn row(&mut self, row: &Row, count: i64) -> Result<(), WriteError> {
        if count > LINES_MAX {
            return Err(WriteError::TooOften { file: self.file.clone(), count });
        }
        if count > 0 {
            self.compose(None, row).map_err(|error| self.failed(error))?;
        }
        for _ in 0..count {
            self.put().map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    /// Writes a change.
    ///
    /// # Errors
    /// Those of the system.
    pub fn change(&mut self, time: &str, diff: i64, row: &Row) -> Result<(), WriteError> {
        debug_assert!(self.changes);
        self.compose(Some((time, diff)), row).and_then(|()| self.put()).map_err(|error| self.failed(error))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// Those of the system.
    pub fn finish(self) -> Result<(), WriteError> {
        let Writer { file, out, .. } = self;
        let finished = match out {
            Out::Plain(mut out) => out.flush(),
            Out::Zstd(out) => out.finish().and_then(|mut out| out.flush()),
            Out::Gzip(out) => out.finish().and_then(|mut out| out.flush()),
        };
        let finished = finished.and_then(|()| match file == Path::new("-") {
            true => Ok(()),
            false => std::fs::rename(part(&file), &file),
        });
        finished.map_err(|error| WriteError::Write { file, error })
    }

    fn failed(&self, error: io::Error) -> WriteError {
        WriteError::Write { file: self.file.clone(), error }
    }

    /// Puts a row's line together.
    fn compose(&mut self, change: Option<(&str, i64)>, row: &Row) -> io::Result<()> {
        let values = self.columns.iter().zip(&row.0);
        match self.how {
            Written::Fields(_) => {
                let mut fields = Vec::with_capacity(2 + self.columns.len());
                if let Some((time, diff)) = change {
                    fields.extend([time.to_string(), diff.to_string()]);
                }
                fields.extend(values.map(|(column, value)| written::field(value, &column.of, self.sums)));
                self.fields_to_line(&fields)
            }
            Written::Json => {
                let mut object = Map::new();
                if let Some((time, diff)) = change {
                    object.insert(TIME.to_string(), time.parse::<i64>().map_or_else(|_| json!(time), Json::from));
                    object.insert(DIFF.to_string(), json!(diff));
                }
                object.extend(
                    values.map(|(column, value)| (column.name.clone(), json::written(value, &column.of, self.sums))),
                );
                self.line = serde_json::to_vec(&object)?;
                self.line.push(b'\n');
                Ok(())
            }
        }
    }

    fn fields(&mut self, fields: &[&str]) -> io::Result<()> {
        self.fields_to_line(fields)?;
        self.put()
    }

    fn fields_to_line(&mut self, fields: &[impl AsRef<[u8]>]) -> io::Result<()> {
        let Written::Fields(delimiter) = self.how else { return Ok(()) };
        self.line.clear();
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(&mut self.line);
        writer.write_record(fields).map_err(io::Error::other)?;
        writer.flush()
    }

    fn put(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Plain(out) => out.write_all(&self.line),
            Out::Zstd(out) => out.write_all(&self.line),
            Out::Gzip(out) => out.write_all(&self.line),
        }
    }
}

/// What a file is called until it is complete.
fn part(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".part");
    name.into()
}

fn open(path: &Path) -> io::Result<Out> {
    if path == Path::new("-") {
        return Ok(Out::Plain(Box::new(BufWriter::new(io::stdout()))));
    }
    let file = BufWriter::new(File::create(part(path))?);
    let ends = |with: &str| path.extension().and_then(OsStr::to_str).is_some_and(|end| end.eq_ignore_ascii_case(with));
    Ok(if ends("zst") {
        Out::Zstd(Box::new(zstd::Encoder::new(file, 3)?))
    } else if ends("gz") {
        Out::Gzip(Box::new(GzEncoder::new(file, flate2::Compression::default())))
    } else {
        Out::Plain(Box::new(file))
    })
}

#[cfg(test)]
mod tests {
    use super::super::format::Said;
    use super::super::layout::{Target, Wanted};
    use super::super::reader::{Reader, Tags};
    use super::*;
    use crate::language::types::Type;
    use crate::value::{Kinds, Rows, Value};
    use differential::column::Column as _;

    fn columns() -> Vec<Column> {
        let column = |name: &str, of| Column { name: name.to_string(), of };
        vec![
            column("id", Type::Int),
            column("name", Type::Text),
            column("at", Type::Option(Box::new(Type::Tuple(vec![Type::Float, Type::Bool])))),
        ]
    }

    fn rows() -> Vec<Row> {
        let at = Value::some(Value::tuple([Value::float(-0.5), Value::Bool(true)]));
        vec![
            Row::from_iter([Value::Int(1), Value::text("a,\"b\"\t\n\0"), Value::NONE]),
            Row::from_iter([Value::Int(i64::MIN), Value::text(""), at]),
        ]
    }

    /// Whatever the ending, what was written reads as the same rows.
    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let (columns, rows) = (columns(), rows());
        for name in ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz", "a.json.zst"] {
            for changes in [false, true] {
                let path = folder.path().join(name);
                let mut writer = Writer::create(&path, &columns, &[], changes).unwrap();
                for (row, count) in rows.iter().zip([2, -1]) {
                    match changes {
                        true => writer.change("7", count, row).unwrap(),
                        false => writer.row(row, count.abs()).unwrap(),
                    }
                }
                writer.finish().unwrap();
                let marks = [TIME.to_string()];
                let marks = if changes { &marks[..] } else { &[] };
                let wanted = Wanted { targets: &[Target { name: "x", columns: &columns }], marks, tag: None };
                let mut reader = Reader::open(&path, &Said::default(), wanted, Tags::default(), &[]).unwrap();
                let (mut read, mut made) = (Vec::new(), [Rows::empty(&Kinds::of(&[]).schema(&columns))]);
                while let Some(fed) = reader.read(&mut made).unwrap() {
                    assert_eq!(
                        fed.marks.iter().map(ToString::to_string).collect::<Vec<_>>(),
                        if changes { vec!["7"] } else { vec![] }
                    );
                    read.push((made[0].row(read.len()), fed.diff));
                }
                let [one, two] = [&rows[0], &rows[1]].map(Clone::clone);
                let wanted = match changes {
                    true => vec![(one, 2), (two, -1)],
                    false => vec![(one.clone(), 1), (one, 1), (two, 1)],
                };
                assert_eq!(read, wanted, "{name}");
            }
        }
        // Nothing is left beside the files.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5);
    }

    #[test]
    fn what_cannot_be_written_is_told_before_anything_is() {
        let said =
            |name: &str, columns: &[Column], changes| check(name.as_ref(), columns, changes).unwrap_err().to_string();
        assert!(said("a.txt", &columns(), false).starts_with("a.txt: cannot tell how to write it"));
        let columns = [Column { name: "time".to_string(), of: Type::Int }];
        assert!(said("a.csv", &columns, true).starts_with("a.csv: the rows have a column `time`"));
        assert!(check("a.csv".as_ref(), &columns, false).is_ok());
    }
}
