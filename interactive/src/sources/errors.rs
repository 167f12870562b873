//! What can be wrong with a file of rows, each with the facts a person needs to mend it.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a file gives no rows, or no more.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// The file could not be opened.
    Open {
        /// Its name as given.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file could not be read on: a disk error, or compressed bytes that are damaged or end too early.
    Read {
        /// Its name as given.
        file: PathBuf,
        /// The line that was being read, from 1.
        line: u64,
        /// What the system says.
        error: io::Error,
    },
    /// The heading does not say what is needed.
    Heading {
        /// The file's name as given.
        file: PathBuf,
        /// What is wrong with it.
        error: HeadingError,
    },
    /// A line is no row of its source.
    Line {
        /// The file's name as given.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        error: Box<RowError>,
    },
}

/// What is wrong with the columns of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeadingError {
    /// A column of the source is not there.
    Missing {
        /// Its name.
        column: String,
        /// The columns that are.
        found: Vec<String>,
    },
    /// A column has the name of another.
    Twice {
        /// The name.
        column: String,
    },
    /// A column that was asked for by a flag, in a file without heading.
    NoHeading {
        /// What was asked for.
        column: String,
    },
    /// A column that was asked for by its number, which no heading can say.
    NoNumber {
        /// What was asked for.
        column: String,
    },
    /// A field before the tag of which neither a heading nor a flag says what it is: it may be the change of the count.
    Unsaid {
        /// Its number, from 1.
        number: usize,
        /// The tag's.
        tag: usize,
    },
    /// The change of the count, behind the tag and so among the columns of the tag's source.
    BehindTag {
        /// The tag's column.
        tag: String,
    },
    /// Not a text.
    NotText,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowError {
    /// Bytes that are not UTF-8.
    NotText,
    /// Longer than is read.
    TooLong {
        /// How many bytes a line may have.
        bytes_max: u64,
    },
    /// A quotation mark is not closed before the file ends.
    OpenQuote,
    /// Another number of fields than columns.
    Fields {
        /// How many there are.
        found: usize,
        /// How many are wanted.
        wanted: usize,
        /// What they are, for a person.
        columns: String,
        /// Whether it is the first line of a file without heading, and may be meant as one.
        first: bool,
    },
    /// A field is no value of its column's type.
    Value {
        /// The column.
        column: String,
        /// Its type.
        of: String,
        /// What stands there.
        found: String,
        /// What is wrong with it.
        reason: ValueError,
        /// Whether it is the first line of a file without heading, and may be meant as one.
        first: bool,
    },
    /// A field that a flag asked for is not there.
    Lacks {
        /// The column.
        column: String,
    },
    /// The change of a count is no number.
    Diff {
        /// What stands there.
        found: String,
    },
    /// Not a line of JSON.
    NotJson {
        /// What the parser says.
        reason: String,
    },
    /// JSON, but neither an object nor an array.
    NoRow {
        /// What stands there.
        found: String,
    },
    /// A window by a column in which this is no number.
    NotTime {
        /// What stands there.
        found: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A window by a column that goes back; in words.
    WentBack(String),
    /// A row is taken away that is not there, or is no more in the window.
    Absent,
    /// A row that comes more often at once than a window takes.
    TooOften {
        /// How often.
        count: i64,
        /// How often it may.
        most: i64,
    },
    /// A tag that is no source's.
    Tag {
        /// What stands there.
        found: String,
        /// The sources.
        known: Vec<String>,
    },
}

/// Why a text or a piece of JSON is no value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueError {
    /// Something else.
    Wanted(&'static str),
    /// One of these was wanted.
    Constructor(Vec<String>),
    /// Bytes that are not UTF-8.
    NotText,
    /// A whole number beyond 64 bits.
    OutOfRange,
    /// Something follows the value.
    After(String),
}

impl SourceError {
    /// Whether the rest of the file can be read all the same. Where a line that is too long would end, or a field whose
    /// quotation mark is left open, nobody knows.
    pub fn is_of_one_line(&self) -> bool {
        let ends_nowhere = |error: &RowError| matches!(error, RowError::TooLong { .. } | RowError::OpenQuote);
        matches!(self, SourceError::Line { error, .. } if !ends_nowhere(error))
    }
}

/// What stands in a message for a text of any length.
pub fn shortened(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    let mut short: String = text.chars().take(CHARACTERS_MAX).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

impl fmt::Display for SourceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Open { file, error } => write!(out, "{}: cannot open: {error}", file.display()),
            SourceError::Read { file, line, error } => {
                write!(out, "{}, line {line}: cannot read: {error}", file.display())
            }
            SourceError::Heading { file, error } => write!(out, "{}: {error}", file.display()),
            SourceError::Line { file, line, error } => write!(out, "{}, line {line}: {error}", file.display()),
        }
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SourceError::Open { error, .. } | SourceError::Read { error, .. } => Some(error),
            SourceError::Heading { error, .. } => Some(error),
            SourceError::Line { error, .. } => Some(error.as_ref()),
        }
    }
}

impl fmt::Display for HeadingError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeadingError::Missing { column, found } => {
                let found: Vec<String> = found.iter().map(|name| format!("{:?}", shortened(name))).collect();
                write!(out, "no column {column:?}: the heading has {}", found.join(", "))
            }
            HeadingError::Twice { column } => write!(out, "two columns are named {:?}", shortened(column)),
            HeadingError::NoHeading { column } => {
                write!(out, "no column {column:?}: no heading has it; say --columns, or give the column's number")
            }
            HeadingError::NoNumber { column } => write!(out, "no column {column}: wanted a name, as JSON has no order"),
            HeadingError::Unsaid { number, tag } => write!(
                out,
                "nothing says what field {number} is, which stands before the tag in field {tag}: name the fields up to the \
                 tag with --columns, as in --columns diff,tag; \"diff\" is the change of a count, and \"_\" is left out"
            ),
            HeadingError::BehindTag { tag } => write!(
                out,
                "\"diff\" stands behind the tag {tag:?}, where the columns of the tag's source are: put it before the tag, or \
                 name all columns in the heading"
            ),
            HeadingError::NotText => out.write_str("the heading is not UTF-8 text"),
        }
    }
}

impl std::error::Error for HeadingError {}

impl fmt::Display for RowError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = |first: &bool| match first {
            true => " (if this is a heading, say --header skip, or --header names if it names the columns)",
            false => "",
        };
        match self {
            RowError::NotText => out.write_str("not UTF-8 text"),
            RowError::TooLong { bytes_max } => {
                write!(
                    out,
                    "longer than {bytes_max} bytes; is a quotation mark left open? (--quotes no reads them as they are)"
                )
            }
            RowError::OpenQuote => out
                .write_str("a quotation mark is left open to the end of the file (--quotes no reads them as they are)"),
            RowError::Fields { found, wanted, columns, first } => {
                let fields = if *found == 1 { "field" } else { "fields" };
                write!(out, "{found} {fields} where {wanted} are wanted: {columns}{}", hint(first))
            }
            RowError::Value { column, of, found, reason, first } => {
                write!(out, "{column}: {:?} is no {of}: {reason}{}", shortened(found), hint(first))
            }
            RowError::Lacks { column } => write!(out, "no {column}"),
            RowError::Diff { found } => {
                write!(
                    out,
                    "diff: {:?} is no change of a count: wanted a whole number such as 1 or -1",
                    shortened(found)
                )
            }
            RowError::NotJson { reason } => write!(out, "not JSON: {reason}"),
            RowError::NoRow { found } => {
                write!(out, "{} is no row: wanted an object, or an array of all columns in order", shortened(found))
            }
            RowError::NotTime { found, reason } => {
                write!(out, "{:?} is not a number, as a window by a column wants: {reason}", shortened(found))
            }
            RowError::WentBack(words) => out.write_str(words),
            RowError::Absent => out.write_str("cannot take the row away: it is not present, or has left the window"),
            RowError::TooOften { count, most } => {
                write!(out, "{count} copies of a row at once: a window takes at most {most}, as each has a place in it")
            }
            RowError::Tag { found, known } => {
                write!(out, "no source for the tag {:?}: there are {}", shortened(found), known.join(", "))
            }
        }
    }
}

impl std::error::Error for RowError {}

impl fmt::Display for ValueError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::NotText => out.write_str("not UTF-8 text"),
            ValueError::Wanted(what) => write!(out, "wanted {what}"),
            ValueError::Constructor(known) => write!(out, "wanted {}", known.join(" or ")),
            ValueError::OutOfRange => write!(out, "out of range: from {} to {}", i64::MIN, i64::MAX),
            ValueError::After(rest) => write!(out, "did not expect {:?}", shortened(rest)),
        }
    }
}

impl std::error::Error for ValueError {}
