//! What a file is: asked for by flags, or found by its name and its first line.
//!
//! | a file | is read as |
//! |---|---|
//! | named `*.json`, `*.jsonl`, `*.ndjson` | JSON lines |
//! | named `*.tsv`, `*.tab`, `*.facts` | fields between TABs |
//! | named `*.csv` | fields between the delimiter of its first line |
//! | named otherwise, first line begins with `{` or `[` | JSON lines |
//! | first line begins with `#`, or has no delimiter | words between blanks or TABs; `#` begins a comment |
//! | else | fields between the delimiter of its first line |
//!
//! (before `.zst` or `.gz`). The delimiter of a line is the one of `,` TAB `;` `|` that splits it into as many fields as
//! are wanted; if none does, the most frequent; if there is none, the comma.
//!
//! Tested at the end of this file.

use crate::stream::opened::uncompressed_name;
use std::ffi::OsStr;
use std::path::Path;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Fields between delimiters, with double quotes around those that contain one.
    Fields {
        /// What stands between fields.
        delimiter: u8,
        /// Whether quotation marks mean something.
        quotes: bool,
    },
    /// Words between blanks; `#` begins a comment.
    Words,
    /// An object or an array on each line.
    Json,
}

/// What stands in a file's first line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heading {
    /// The names of the columns, if it has all of the source; else a row.
    #[default]
    Detected,
    /// The names of the columns.
    Names,
    /// Something else than a row.
    Skip,
    /// A row.
    None,
}

/// How a file is written, as far as it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// One of [`Kind`].
    pub kind: Option<Kind>,
    /// What stands between fields.
    pub delimiter: Option<u8>,
    /// Whether quotation marks mean something.
    pub quotes: Option<bool>,
    /// What stands in the first line.
    pub heading: Option<Heading>,
    /// The names of the columns in order, in place of a heading; `_` is a column that nobody wants.
    pub columns: Option<Vec<String>>,
}

/// A format by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Fields between delimiters.
    Csv,
    /// Fields between TABs.
    Tsv,
    /// Words between blanks, `#` begins a comment.
    Words,
    /// An object or an array a line.
    Json,
}

impl Format {
    /// The format of a file, given its first line (that is not blank) and how many fields are wanted.
    pub fn of(said: &Said, path: &Path, first_line: &[u8], wanted: usize) -> Format {
        let name = uncompressed_name(path);
        let ends = |with: &[&str]| {
            let end = name.extension().and_then(OsStr::to_str).unwrap_or_default();
            with.iter().any(|with| end.eq_ignore_ascii_case(with))
        };
        let found = delimiter(first_line, wanted);
        let kind = said.kind.unwrap_or_else(|| match first_line.first() {
            _ if said.delimiter.is_some() => Kind::Csv,
            _ if ends(&["json", "jsonl", "ndjson"]) => Kind::Json,
            _ if ends(&["tsv", "tab", "facts"]) => Kind::Tsv,
            _ if ends(&["csv"]) => Kind::Csv,
            Some(b'{' | b'[') => Kind::Json,
            Some(b'#') => Kind::Words,
            _ if found.is_none() => Kind::Words,
            _ => Kind::Csv,
        });
        let quotes = said.quotes.unwrap_or(true);
        match kind {
            Kind::Csv => Format::Fields { delimiter: said.delimiter.or(found).unwrap_or(b','), quotes },
            Kind::Tsv => Format::Fields { delimiter: said.delimiter.unwrap_or(b'\t'), quotes },
            Kind::Words => Format::Words,
            Kind::Json => Format::Json,
        }
    }
}

/// What stands between the fields of a line, if there are several.
fn delimiter(line: &[u8], wanted: usize) -> Option<u8> {
    let mut counts = [(b',', 0), (b'\t', 0), (b';', 0), (b'|', 0)];
    let mut quoted = false;
    for byte in line {
        quoted ^= *byte == b'"';
        counts.iter_mut().filter(|(delimiter, _)| !quoted && delimiter == byte).for_each(|(_, count)| *count += 1);
    }
    let exactly = counts.iter().find(|(_, count)| *count > 0 && count + 1 == wanted);
    // Of equally frequent ones the first.
    let most = counts.iter().rev().filter(|(_, count)| *count > 0).max_by_key(|(_, count)| *count);
    exactly.or(most).map(|(delimiter, _)| *delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, line: &str, wanted: usize) -> Format {
        Format::of(&Said::default(), name.as_ref(), line.as_bytes(), wanted)
    }

    const fn fields(delimiter: u8) -> Format {
        Format::Fields { delimiter, quotes: true }
    }

    #[test]
    fn names_and_first_lines_tell_what_a_file_is() {
        for (name, line, format) in [
            ("a.csv", "1,2", fields(b',')),
            ("a.CSV.zst", "1;2", fields(b';')),
            ("a.csv", "1|2,5", fields(b',')),
            ("a.csv", "\"1|3\";2", fields(b';')),
            ("a.csv", "12", fields(b',')),
            ("a.csv", "", fields(b',')),
            ("a.tsv", "1,5\t2", fields(b'\t')),
            ("a.facts.gz", "x", fields(b'\t')),
            ("a.jsonl", "1", Format::Json),
            ("a.txt", "{\"a\": 1, \"b\": 2}", Format::Json),
            ("-", "[1, 2]", Format::Json),
            ("a.txt", "# Nodes: 5\tEdges: 7", Format::Words),
            ("a.txt", "1 2", Format::Words),
            ("a.txt", "1\t2", fields(b'\t')),
            ("edges", "", Format::Words),
        ] {
            assert_eq!(found(name, line, 2), format, "{name}: {line}");
        }
    }

    #[test]
    fn the_delimiter_is_the_one_that_makes_as_many_fields_as_are_wanted() {
        assert_eq!(found("a.csv", "1|a, b|2", 3), fields(b'|'));
        assert_eq!(found("a.csv", "1|a, b, c, d|2", 9), fields(b','));
        assert_eq!(found("a.csv", "\"a|b\"|2|x,y", 3), fields(b'|'));
    }

    #[test]
    fn what_is_said_is_so() {
        let said = Said { delimiter: Some(b':'), quotes: Some(false), ..Said::default() };
        assert_eq!(Format::of(&said, "a.txt".as_ref(), b"{1,2", 2), Format::Fields { delimiter: b':', quotes: false });
        let said = Said { kind: Some(Kind::Words), ..Said::default() };
        assert_eq!(Format::of(&said, "a.csv".as_ref(), b"1,2", 2), Format::Words);
    }
}
