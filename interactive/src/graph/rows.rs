//! One line of an edge list.
//!
//! ```text
//!   3 4 1082155839        a row: source, target, further columns (the first of them may be a time)
//!   + 3 4 1082155839      the same
//!   - 3 4                 removes the newest row present whose columns begin so
//!   commit                closes the commit
//!   # words               nothing; a column that begins with # ends the line anywhere
//! ```
//!
//! Columns are separated by TABs or blanks, any number of them. A line written by Windows reads the same; a carriage
//! return anywhere but at its end is refused.
//!
//! Node ids are `u64`: the identifiers of many public graphs do not fit in 32 bits, renumbering them is a burden for
//! the user, and the engine's kernels work on 64-bit lanes, so that the narrower id would save memory but no time.
//!
//! Further columns are kept as one text, joined by TABs: a removal must match them, and nobody else reads them
//! except a window by time, which reads the first. Equal means equal as written: `5` and `5.0` are different columns.
//!
//! Cost: one pass over the line, one allocation if there are further columns. Tested at the end of this file.

use crate::stream::presence::WentBack;
use crate::stream::seconds::{NotSeconds, Seconds};
use std::fmt;

/// What names a node.
pub type Node = u64;

/// A directed edge: source and target.
pub type Edge = (Node, Node);

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing: blank, or a comment.
    Blank,
    /// Close the commit now.
    Commit,
    /// Feed this row.
    Insert(Row),
    /// Take away the newest row present that begins like this one.
    Remove(Row),
}

/// An edge with whatever else its line holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Source and target.
    pub edge: Edge,
    /// The columns after the target, joined by TABs.
    pub columns: Box<str>,
}

/// Why a line cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineError {
    /// Bytes that are not UTF-8.
    NotText,
    /// A carriage return before the line's end.
    ReturnWithin,
    /// Longer than the reader takes.
    TooLong {
        /// How many bytes a line may have.
        bytes_max: usize,
    },
    /// Fewer than two columns.
    Missing {
        /// `source` or `target`.
        column: &'static str,
    },
    /// A node that is not a number.
    NotNode {
        /// `source` or `target`.
        column: &'static str,
        /// What stands there.
        found: String,
    },
    /// A node beyond 64 bits.
    NodeOutOfRange {
        /// `source` or `target`.
        column: &'static str,
        /// What stands there.
        found: String,
    },
    /// Something follows `commit` on its line.
    AfterCommit {
        /// What stands there.
        found: String,
    },
    /// A window by time, and no third column.
    NoTime,
    /// A window by time, and a third column that is not a time.
    NotTime {
        /// What stands there.
        found: String,
        /// What is wrong with it.
        reason: NotSeconds,
    },
    /// A time before one already fed.
    TimeWentBack(WentBack),
    /// A removal of a row that is not present.
    Absent {
        /// What should have been there.
        row: Row,
    },
}

impl Line {
    /// Reads a line, with or without its line end.
    ///
    /// ```
    /// use interactive::graph::rows::{Line, Row};
    /// let row = Row { edge: (3, 4), columns: "1082155839".into() };
    /// assert_eq!(Line::parse(b"3\t4 1082155839\r\n"), Ok(Line::Insert(row.clone())));
    /// assert_eq!(Line::parse(b"- 3 4 1082155839"), Ok(Line::Remove(row)));
    /// assert_eq!(Line::parse(b"# no edges yet"), Ok(Line::Blank));
    /// ```
    pub fn parse(line: &[u8]) -> Result<Line, LineError> {
        let line = line.trim_ascii_end();
        let text = std::str::from_utf8(before_comment(line)).map_err(|_| LineError::NotText)?;
        // Where lines end with a carriage return alone, a whole file would pass for one row with many columns.
        if line.contains(&b'\r') {
            return Err(LineError::ReturnWithin);
        }
        let mut columns = text.split_ascii_whitespace().peekable();
        match columns.peek().copied() {
            None => Ok(Line::Blank),
            Some("commit") => match columns.nth(1) {
                None => Ok(Line::Commit),
                Some(found) => Err(LineError::AfterCommit { found: shortened(found) }),
            },
            Some("+") => Ok(Line::Insert(Row::parse(columns.skip(1))?)),
            Some("-") => Ok(Line::Remove(Row::parse(columns.skip(1))?)),
            Some(_) => Ok(Line::Insert(Row::parse(columns)?)),
        }
    }
}

/// The line up to its comment, which may be in any encoding and is never read as text.
fn before_comment(line: &[u8]) -> &[u8] {
    let begins = |&at: &usize| line[at] == b'#' && (at == 0 || line[at - 1].is_ascii_whitespace());
    &line[..(0..line.len()).find(begins).unwrap_or(line.len())]
}

impl Row {
    fn parse<'a>(mut columns: impl Iterator<Item = &'a str>) -> Result<Row, LineError> {
        let source = node("source", columns.next())?;
        let target = node("target", columns.next())?;
        let mut further = String::new();
        for column in columns {
            if !further.is_empty() {
                further.push('\t');
            }
            further.push_str(column);
        }
        Ok(Row { edge: (source, target), columns: further.into_boxed_str() })
    }

    /// The time of the row: its third column.
    pub fn time(&self) -> Result<Seconds, LineError> {
        let column = self.columns.split('\t').next().filter(|column| !column.is_empty()).ok_or(LineError::NoTime)?;
        column.parse().map_err(|reason| LineError::NotTime { found: shortened(column), reason })
    }
}

/// Reads a node id: digits only, so that a sign that lacks its blank is noticed.
fn node(column: &'static str, text: Option<&str>) -> Result<Node, LineError> {
    let text = text.ok_or(LineError::Missing { column })?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(LineError::NotNode { column, found: shortened(text) });
    }
    text.parse().map_err(|_| LineError::NodeOutOfRange { column, found: shortened(text) })
}

/// What stands in a message for a text of any length.
fn shortened(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    match text.char_indices().nth(CHARACTERS_MAX) {
        None => text.to_string(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, target) = self.edge;
        write!(out, "{source} {target}")?;
        if self.columns.is_empty() { Ok(()) } else { write!(out, " {}", shortened(&self.columns.replace('\t', " "))) }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::NotText => {
                write!(out, "not UTF-8 text (a compressed file is read as such if its name ends in .zst or .gz)")
            }
            LineError::ReturnWithin => {
                write!(out, "a carriage return within the line; lines end with LF, or CR and LF")
            }
            LineError::TooLong { bytes_max } => write!(out, "longer than {bytes_max} bytes; is this an edge list?"),
            LineError::Missing { column } => {
                write!(out, "no {column}: wanted a source and a target, separated by TABs or blanks")
            }
            LineError::NotNode { column, found } => {
                write!(out, "{found:?} is not a {column}: wanted a number (and a blank after + or -)")
            }
            LineError::NodeOutOfRange { column, found } => {
                write!(out, "{found} is out of range for a {column}: at most {}", Node::MAX)
            }
            LineError::AfterCommit { found } => write!(out, "found {found:?} after `commit`, which stands alone"),
            LineError::NoTime => write!(out, "no time: a window by time wants seconds in the third column"),
            LineError::NotTime { found, reason } => write!(out, "{found:?} is not a time: {reason}"),
            LineError::TimeWentBack(error) => error.fmt(out),
            LineError::Absent { row } => write!(out, "cannot remove {row}: no such row is present"),
        }
    }
}

impl std::error::Error for LineError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(source: Node, target: Node, columns: &str) -> Row {
        Row { edge: (source, target), columns: columns.into() }
    }

    #[test]
    fn rows_are_read_whatever_separates_their_columns() {
        for text in
            ["1 2", "1\t2", "  1 \t 2  ", "1 2\n", "1 2\r\n", "+ 1 2", "+\t1\t2", " + 1 2", "1 2 # why", "1 2 #"]
        {
            assert_eq!(Line::parse(text.as_bytes()), Ok(Line::Insert(row(1, 2, ""))), "{text:?}");
        }
        assert_eq!(Line::parse(b"1 2  0.5\t x"), Ok(Line::Insert(row(1, 2, "0.5\tx"))));
        assert_eq!(Line::parse(b"-\t0 18446744073709551615 9"), Ok(Line::Remove(row(0, Node::MAX, "9"))));
    }

    #[test]
    fn blank_lines_and_comments_say_nothing() {
        for text in ["", " ", "\t", "\r\n", "#", "# 1 2", "  # 1 2", "#1 2", "# commit"] {
            assert_eq!(Line::parse(text.as_bytes()), Ok(Line::Blank), "{text:?}");
        }
    }

    #[test]
    fn a_comment_may_be_in_any_encoding() {
        assert_eq!(Line::parse(b"# \xff\xfe not text, and nobody minds"), Ok(Line::Blank));
        assert_eq!(Line::parse(b"1 2 x # caf\xe9"), Ok(Line::Insert(row(1, 2, "x"))));
        assert_eq!(Line::parse(b"1 2 x# y"), Ok(Line::Insert(row(1, 2, "x#\ty"))));
        assert_eq!(Line::parse(b"1 2 caf\xe9"), Err(LineError::NotText));
    }

    #[test]
    fn a_carriage_return_stands_at_the_end_only() {
        assert_eq!(Line::parse(b"1 2\r\r\n"), Ok(Line::Insert(row(1, 2, ""))));
        for text in ["1 2\r3 4\r", "# heading\r1 2\r", "\r1 2\n"] {
            assert_eq!(Line::parse(text.as_bytes()), Err(LineError::ReturnWithin), "{text:?}");
        }
    }

    #[test]
    fn commit_stands_alone() {
        for text in ["commit", " commit ", "commit\r\n", "commit # end of day"] {
            assert_eq!(Line::parse(text.as_bytes()), Ok(Line::Commit), "{text:?}");
        }
        assert_eq!(Line::parse(b"commit 1 2"), Err(LineError::AfterCommit { found: "1".into() }));
    }

    #[test]
    fn every_other_line_is_refused_with_its_reason() {
        let reason = |text: &[u8]| Line::parse(text).unwrap_err().to_string();
        assert_eq!(reason(b"1"), "no target: wanted a source and a target, separated by TABs or blanks");
        assert_eq!(reason(b"+"), "no source: wanted a source and a target, separated by TABs or blanks");
        assert_eq!(reason(b"- 1"), "no target: wanted a source and a target, separated by TABs or blanks");
        assert_eq!(reason(b"+1 2"), r#""+1" is not a source: wanted a number (and a blank after + or -)"#);
        assert_eq!(reason(b"1 -2"), r#""-2" is not a target: wanted a number (and a blank after + or -)"#);
        assert_eq!(reason(b"1,2"), r#""1,2" is not a source: wanted a number (and a blank after + or -)"#);
        assert_eq!(reason(b"+ commit"), r#""commit" is not a source: wanted a number (and a blank after + or -)"#);
        assert_eq!(
            reason(b"18446744073709551616 1"),
            "18446744073709551616 is out of range for a source: at most 18446744073709551615"
        );
        assert!(reason(b"1 2 \xff").starts_with("not UTF-8 text"));
        let long = reason("x".repeat(5_000).as_bytes());
        assert!(long.len() < 120, "{long}");
    }

    #[test]
    fn the_third_column_is_the_time() {
        assert_eq!(row(1, 2, "0.5\tx").time(), Ok("0.5".parse().unwrap()));
        assert_eq!(row(1, 2, "").time(), Err(LineError::NoTime));
        let wanted = LineError::NotTime { found: "noon".into(), reason: NotSeconds::Malformed };
        assert_eq!(row(1, 2, "noon\t5").time(), Err(wanted));
    }
}
