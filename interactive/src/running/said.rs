//! What a person says of files: which source each is for, and how it is written.
//!
//! ```text
//!   --source edge=a.csv --source node=b.txt        which
//!   --header skip                                  of all files
//!   --header edge=skip                             of those of one source, or of the file of this name
//!   --delimiter ';' --quotes no --columns src,dst,_ --format words
//! ```
//!
//! What is said of one wins over what is said of all.

use crate::sources::format::{Heading, Kind, Said};
use crate::stream::quantity::whole;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// A file for a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The collection.
    pub name: String,
    /// The file.
    pub file: PathBuf,
}

/// Reads `NAME=FILE`.
///
/// # Errors
/// What was wanted.
pub fn named(text: &str) -> Result<Named, String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok(Named { name: name.to_string(), file: file.into() })
        }
        _ => Err("wanted NAME=FILE".to_string()),
    }
}

/// Something that is said of all files, or of those of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Of<T> {
    name: Option<String>,
    said: T,
}

/// Reads what may have `NAME=` before it.
fn of<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Of<T>, String> {
    // All of it first, as `=` may be what is meant.
    match (read(text), text.split_once('=')) {
        (Ok(said), _) => Ok(Of { name: None, said }),
        (Err(_), Some((name, text))) if !name.is_empty() => Ok(Of { name: Some(name.to_string()), said: read(text)? }),
        (Err(error), _) => Err(error),
    }
}

fn delimiter(text: &str) -> Result<Of<u8>, String> {
    of(text, |text| match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(b'\t'),
        (_, [byte]) if byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'"' => Ok(*byte),
        _ => Err("wanted one sign such as , or ; or the word tab".to_string()),
    })
}

fn heading(text: &str) -> Result<Of<Heading>, String> {
    of(text, |text| match text {
        "names" => Ok(Heading::Names),
        "skip" => Ok(Heading::Skip),
        "none" => Ok(Heading::None),
        _ => Err("wanted names, skip or none".to_string()),
    })
}

fn quotes(text: &str) -> Result<Of<bool>, String> {
    of(text, |text| match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("wanted yes or no".to_string()),
    })
}

fn columns(text: &str) -> Result<Of<Vec<String>>, String> {
    let (name, text) = text.split_once('=').map_or((None, text), |(name, text)| (Some(name.to_string()), text));
    let said: Vec<String> = text.split(',').map(|column| column.trim().to_string()).collect();
    match said.iter().any(String::is_empty) {
        true => Err("wanted names between commas, `_` for a column that nobody wants".to_string()),
        false => Ok(Of { name, said }),
    }
}

fn kind(text: &str) -> Result<Of<Kind>, String> {
    of(text, |text| Kind::from_str(text, false).map_err(|_| "wanted csv, tsv, words or json".to_string()))
}

/// How files are written, as far as it is said.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Files")]
pub struct SaidFlags {
    /// csv, tsv, words (between blanks) or json (lines); found by name and first line otherwise
    #[arg(long, value_name = "[NAME=]FORMAT", value_parser = kind)]
    format: Vec<Of<Kind>>,

    /// What stands between the fields of csv; found by the first line otherwise
    #[arg(long, value_name = "[NAME=]SIGN", value_parser = delimiter)]
    delimiter: Vec<Of<u8>>,

    /// The first line: names of columns, skip it, or none (it is a row); found out otherwise
    #[arg(long, value_name = "[NAME=]names|skip|none", value_parser = heading)]
    header: Vec<Of<Heading>>,

    /// Whether quotation marks protect what is between them (yes, as in CSV) or are letters (no)
    #[arg(long, value_name = "[NAME=]yes|no", value_parser = quotes)]
    quotes: Vec<Of<bool>>,

    /// The names of the columns in order, of a file whose first line does not have them; `_` is not wanted
    #[arg(long, value_name = "[NAME=]COLUMN,..", value_parser = columns)]
    columns: Vec<Of<Vec<String>>>,

    /// Leave out up to N lines that are no rows, and count them; otherwise the first ends the run
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>)]
    pub skip_bad: u64,
}

impl SaidFlags {
    /// What is said of a file of this source, if it is one's.
    pub fn of(&self, source: Option<&str>, file: &Path) -> Said {
        Said {
            kind: last(&self.format, source, file),
            delimiter: last(&self.delimiter, source, file),
            quotes: last(&self.quotes, source, file),
            heading: last(&self.header, source, file),
            columns: last(&self.columns, source, file),
        }
    }

    /// The names that something is said of.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        fn names<T>(said: &[Of<T>]) -> impl Iterator<Item = &str> {
            said.iter().filter_map(|of| of.name.as_deref())
        }
        let words = names(&self.format).chain(names(&self.delimiter)).chain(names(&self.header));
        words.chain(names(&self.quotes)).chain(names(&self.columns))
    }
}

/// What was said last of this one, or else of all.
fn last<T: Clone>(said: &[Of<T>], source: Option<&str>, file: &Path) -> Option<T> {
    let is_this = |name: &str| source == Some(name) || Path::new(name) == file;
    let of_this = said.iter().rev().find(|of| of.name.as_deref().is_some_and(is_this));
    of_this.or_else(|| said.iter().rev().find(|of| of.name.is_none())).map(|of| of.said.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_one_wins_over_what_is_said_of_all() {
        let flags = SaidFlags {
            header: [heading("edge=skip"), heading("names"), heading("b.csv=none")].map(Result::unwrap).to_vec(),
            delimiter: [delimiter("="), delimiter("edge=tab")].map(Result::unwrap).to_vec(),
            ..SaidFlags::default()
        };
        let heading = |source, file: &str| flags.of(source, file.as_ref()).heading;
        assert_eq!(heading(Some("edge"), "a.csv"), Some(Heading::Skip));
        assert_eq!(heading(Some("node"), "a.csv"), Some(Heading::Names));
        assert_eq!(heading(None, "b.csv"), Some(Heading::None));
        let delimiter = |source| flags.of(source, "a".as_ref()).delimiter;
        assert_eq!((delimiter(Some("edge")), delimiter(Some("node"))), (Some(b'\t'), Some(b'=')));
        assert_eq!(flags.names().collect::<Vec<_>>(), ["edge", "edge", "b.csv"]);
    }

    #[test]
    fn other_words_are_refused() {
        assert!(delimiter("ab").is_err() && delimiter("x").is_err() && delimiter("\"").is_err());
        assert!(heading("maybe").is_err() && heading("=skip").is_err() && heading("edge=maybe").is_err());
        assert!(quotes("").is_err() && columns("a,,b").is_err() && kind("xml").is_err());
        assert!(named("edge").is_err() && named("=a").is_err() && named("edge=").is_err());
        assert_eq!(columns("e=a, b").unwrap().said, ["a", "b"]);
    }
}
