//! The records of a file, whatever its format: fields as texts, or JSON.
//!
//! ```text
//!   Opened ── first line looked at ── Bounded ──┬── csv::Reader ───────────── Fields
//!                                               ├── lines, cut at blanks ──── Fields
//!                                               └── lines, parsed ─────────── Json
//! ```
//!
//! Blank lines are no records. A byte order mark at the beginning is left out. A record may have at most
//! [`BYTES_MAX`] bytes: what is longer has lost its end (a quotation mark that is never closed), and would be read into
//! memory as a whole.
//!
//! Where quotation marks protect, one more line is read than the file has, `END`: a quotation mark that is left open
//! would take the rest of the file into its field, and then has that line in it too.
//!
//! Lines are numbered from 1. A record of several lines has the number of its first.
//!
//! Cost: one copy of each record. Tested at the end of this file.

use super::errors::{RowError, SourceError};
use super::format::{Format, Said};
use crate::stream::opened::Opened;
use csv::ByteRecord;
use serde_json::Value as Json;
use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How many bytes a record may have.
pub const BYTES_MAX: u64 = 16 << 20;

/// What is read after the end of a file with quotation marks. No text has it: it is no UTF-8.
const END: &[u8] = b"\n\xff\xfeend of the file\xfe\xff";

/// How much of a file is looked at to find out what it is.
const LOOKED_AT: u64 = 1 << 16;

/// One record.
pub enum Record {
    /// [Fields](Records::fields), each perhaps no text.
    Fields,
    /// An object or an array.
    Json(Json),
}

/// A file that is being read.
pub struct Records {
    name: PathBuf,
    kind: Kind,
    counts: Rc<Counts>,
    bytes_total: Option<u64>,
    record: ByteRecord,
}

enum Kind {
    Fields {
        reader: Box<csv::Reader<Bounded>>,
        /// How lines end, by the first.
        returns: bool,
    },
    Lines {
        reader: BufReader<Bounded>,
        line: Vec<u8>,
        /// Its number.
        number: u64,
        json: bool,
    },
}

impl Records {
    /// Opens a file and finds out what it is; `wanted` is how many fields a row has.
    ///
    /// # Errors
    /// [`SourceError::Open`], or [`SourceError::Read`] of the first line.
    pub fn open(path: &Path, said: &Said, wanted: usize) -> Result<Records, SourceError> {
        let mut opened = Opened::open(path).map_err(|error| SourceError::Open { file: path.to_path_buf(), error })?;
        let (name, bytes_total) = (opened.name().to_path_buf(), opened.bytes_total());
        let (mut start, mut line) = (Vec::new(), 0..0);
        // Blank lines before it are no first line.
        while start[line.clone()].trim_ascii().is_empty() {
            line.start = start.len();
            let left = LOOKED_AT.saturating_sub(start.len() as u64);
            let read = opened.by_ref().take(left).read_until(b'\n', &mut start);
            let read = read.map_err(|error| SourceError::Read { file: name.clone(), line: 1, error })?;
            if line.start == 0 && start.starts_with("\u{feff}".as_bytes()) {
                start.drain(..3);
            }
            line.end = start.len();
            if read == 0 {
                break;
            }
        }
        let first_line = &start[line];
        let format = Format::of(said, path, first_line.trim_ascii(), wanted);
        let returns = first_line.ends_with(b"\r\n") || !first_line.contains(&b'\n') && first_line.contains(&b'\r');
        let counts = Rc::new(Counts::default());
        let end: &[u8] = if matches!(format, Format::Fields { quotes: true, .. }) { END } else { &[] };
        let bounded = Bounded { reader: Cursor::new(start).chain(opened), end, counts: counts.clone() };
        let kind = match format {
            Format::Fields { delimiter, quotes } => {
                let mut builder = csv::ReaderBuilder::new();
                builder.has_headers(false).flexible(true).delimiter(delimiter).quoting(quotes).buffer_capacity(1 << 16);
                Kind::Fields { reader: Box::new(builder.from_reader(bounded)), returns }
            }
            Format::Words | Format::Json => Kind::Lines {
                reader: BufReader::with_capacity(1 << 16, bounded),
                line: Vec::new(),
                number: 0,
                json: format == Format::Json,
            },
        };
        Ok(Records { name, kind, counts, bytes_total, record: ByteRecord::new() })
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// [`SourceError::Read`], or [`SourceError::Line`] if it is too long or no JSON.
    pub fn read(&mut self) -> Result<Option<Record>, SourceError> {
        self.counts.since.set(0);
        match &mut self.kind {
            Kind::Fields { reader, .. } => match reader.read_byte_record(&mut self.record) {
                Ok(true) if !self.counts.has_ended.get() => Ok(Some(Record::Fields)),
                Ok(true) => match self.record.iter().next_back() {
                    Some(last) if self.record.len() == 1 && last == &END[1..] => Ok(None),
                    Some(last) if last.ends_with(END) => Err(self.refuse(RowError::OpenQuote)),
                    _ => Ok(Some(Record::Fields)),
                },
                Ok(false) => Ok(None),
                Err(error) => Err(match error.into_kind() {
                    csv::ErrorKind::Io(error) => self.failed(error),
                    other => self.failed(io::Error::other(format!("{other:?}"))),
                }),
            },
            Kind::Lines { reader, line, number, json } => loop {
                line.clear();
                *number += 1;
                match reader.read_until(b'\n', line) {
                    Ok(0) => return Ok(None),
                    Ok(bytes) if bytes as u64 > BYTES_MAX => return Err(self.too_long()),
                    Ok(_) => {}
                    Err(error) => return Err(self.failed(error)),
                }
                self.counts.since.set(0);
                let text = line.trim_ascii();
                if text.is_empty() {
                    continue;
                }
                if *json {
                    return match serde_json::from_slice(text) {
                        Ok(json) => Ok(Some(Record::Json(json))),
                        Err(error) => {
                            // The line is ours to tell.
                            let reason = error.to_string().replace(" at line 1 column ", " at column ");
                            Err(self.refuse(RowError::NotJson { reason }))
                        }
                    };
                }
                self.record.clear();
                let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
                words.take_while(|word| word[0] != b'#').for_each(|word| self.record.push_field(word));
                if !self.record.is_empty() {
                    return Ok(Some(Record::Fields));
                }
            },
        }
    }

    /// The fields of the record read last.
    pub fn fields(&self) -> &ByteRecord {
        &self.record
    }

    /// The number of the first line of the record read last.
    fn line(&self) -> u64 {
        match &self.kind {
            Kind::Fields { reader, returns } => {
                let fields = self.record.iter();
                let within: usize = fields.map(|field| field.iter().filter(|byte| **byte == b'\n').count()).sum();
                // The line end belongs to what follows where it begins with a carriage return, and may lack at the end:
                // then the record has that of `END`, or all of `END` in a field.
                let ended = match reader.position().byte().checked_sub(self.counts.total.get()) {
                    None => !*returns,
                    Some(0) => !*returns && self.counts.ends_line.get(),
                    Some(beyond) => beyond == 1,
                };
                reader.position().line().saturating_sub(within as u64 + u64::from(ended)).max(1)
            }
            Kind::Lines { number, .. } => *number,
        }
    }

    /// The name of the file, as given.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Whether records are JSON.
    pub fn is_json(&self) -> bool {
        matches!(self.kind, Kind::Lines { json: true, .. })
    }

    /// The error that says `error` of the record read last.
    pub fn refuse(&self, error: RowError) -> SourceError {
        SourceError::Line { file: self.name.clone(), line: self.line(), error: Box::new(error) }
    }

    /// How many bytes have been read, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.counts.total.get()
    }

    /// How many bytes there are, after decompression, as far as known.
    pub fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    fn too_long(&self) -> SourceError {
        self.refuse(RowError::TooLong { bytes_max: BYTES_MAX })
    }

    fn failed(&self, error: io::Error) -> SourceError {
        match error.kind() {
            io::ErrorKind::FileTooLarge => self.too_long(),
            _ => SourceError::Read { file: self.name.clone(), line: self.line(), error },
        }
    }
}

/// What has been read.
#[derive(Default)]
struct Counts {
    /// Bytes in all.
    total: Cell<u64>,
    /// Bytes since the record before.
    since: Cell<u64>,
    /// Whether the last byte ends a line.
    ends_line: Cell<bool>,
    /// Whether the file was read to its end.
    has_ended: Cell<bool>,
}

/// A file that ends with an error where a record would be too long.
struct Bounded {
    reader: io::Chain<Cursor<Vec<u8>>, Opened>,
    /// What is left to be read behind that.
    end: &'static [u8],
    counts: Rc<Counts>,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // What was read with the record before is not counted: a buffer at most.
        if self.counts.since.get() > BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let bytes = self.reader.read(buffer)?;
        if bytes == 0 && !buffer.is_empty() {
            self.counts.has_ended.set(true);
            return self.end.read(buffer);
        }
        self.counts.total.update(|total| total + bytes as u64);
        self.counts.since.update(|since| since + bytes as u64);
        if let Some(last) = buffer[..bytes].last() {
            self.counts.ends_line.set(*last == b'\n');
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use difftest::Random;
    use std::fs;

    /// The records of a file as `line: fields`, and the error if there is one.
    fn read(name: &str, bytes: &[u8]) -> Vec<String> {
        read_as(name, bytes, &Said::default())
    }

    fn read_as(name: &str, bytes: &[u8], said: &Said) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let mut records = Records::open(&path, said, 2).unwrap();
        let mut all = Vec::new();
        loop {
            let text = match records.read() {
                Ok(None) => return all,
                Ok(Some(Record::Json(json))) => json.to_string(),
                Ok(Some(Record::Fields)) => {
                    let fields = records.fields().iter();
                    fields.map(|field| String::from_utf8_lossy(field).into_owned()).collect::<Vec<_>>().join("·")
                }
                Err(error) => {
                    all.push(error.to_string().replace(&folder.path().display().to_string(), "."));
                    if !error.is_of_one_line() {
                        return all;
                    }
                    continue;
                }
            };
            all.push(format!("{}: {text}", records.line()));
        }
    }

    #[test]
    fn records_have_the_number_of_their_first_line() {
        for end in ["\n", "\r\n"] {
            let text = ["", "1,a", "", "2,\"b", "c\"", "3,d", ""].join(end);
            let wanted = vec!["2: 1·a".to_string(), format!("4: 2·b{end}c"), "6: 3·d".to_string()];
            assert_eq!(read("a.csv", text.as_bytes()), wanted, "{end:?}");
            assert_eq!(read("a.csv", text.trim_end().as_bytes()), wanted, "{end:?}");
            let text = ["# none", "1 a", "", "  2\tb # c", "3 d#"].join(end);
            assert_eq!(read("a.txt", text.as_bytes()), ["2: 1·a", "4: 2·b", "5: 3·d#"], "{end:?}");
            let text = ["{\"a\":1}", "", " [2] "].join(end);
            assert_eq!(read("a.txt", text.as_bytes()), ["1: {\"a\":1}", "3: [2]"], "{end:?}");
        }
        assert_eq!(read("a.csv", b"1,a\r2,b"), ["1: 1·a", "1: 2·b"]);
    }

    #[test]
    fn empty_files_have_no_records() {
        for name in ["a.csv", "a.tsv", "a.txt", "a.json"] {
            for text in ["", "\n", "\r\n\r\n", "\u{feff}"] {
                assert_eq!(read(name, text.as_bytes()), [""; 0], "{name}: {text:?}");
            }
        }
        assert_eq!(read("a.csv", b"\"\"\n"), ["1: "]);
    }

    #[test]
    fn a_byte_order_mark_is_left_out_once() {
        assert_eq!(read("a.csv", "\u{feff}1,2\n".as_bytes()), ["1: 1·2"]);
        assert_eq!(read("a.txt", "\u{feff}1 2\n".as_bytes()), ["1: 1·2"]);
        assert_eq!(read("a.txt", "\u{feff}{\"a\":1}\n".as_bytes()), ["1: {\"a\":1}"]);
        assert_eq!(read("a.csv", "\u{feff}\u{feff}1,2\n".as_bytes()).len(), 1);
    }

    #[test]
    fn quotation_marks_protect_unless_they_are_said_not_to() {
        assert_eq!(read("a.csv", b"\"1,\"\"2\"\"\",b\n"), ["1: 1,\"2\"·b"]);
        assert_eq!(read("a.csv", b"a \"b\",c\n"), ["1: a \"b\"·c"]);
        let said = Said { quotes: Some(false), ..Said::default() };
        assert_eq!(read_as("a.tsv", b"\"1\t2\n\"3\"\t4\n", &said), ["1: \"1·2", "2: \"3\"·4"]);
    }

    #[test]
    fn a_quotation_mark_that_is_left_open_is_told_where_its_record_begins() {
        let said = |line: u32| {
            format!(
                "./a.csv, line {line}: a quotation mark is left open to the end of the file (--quotes no reads them as they are)"
            )
        };
        for end in ["", "\n", "\r\n", "\n\n"] {
            let first = if end.starts_with('\r') { "1,a\r\n" } else { "1,a\n" };
            assert_eq!(
                read("a.csv", format!("{first}2,\"b{end}").as_bytes()),
                ["1: 1·a".to_string(), said(2)],
                "{end:?}"
            );
            assert_eq!(read("a.csv", format!("\"{end}").as_bytes()), [said(1)], "{end:?}");
            let closed = format!("{first}2,\"b{end}\"{end}");
            assert_eq!(read("a.csv", closed.as_bytes()), ["1: 1·a".to_string(), format!("2: 2·b{end}")], "{end:?}");
        }
        let rows: String = (0..20_000).map(|row| format!("{row},row\n")).collect();
        assert_eq!(read("a.csv", format!("1,a\n2,\"b\n{rows}").as_bytes()), ["1: 1·a".to_string(), said(2)]);
        assert_eq!(read("a.csv", format!("1,a\n2,b\n{rows}").as_bytes()).len(), 20_002);
    }

    #[test]
    fn a_line_that_is_no_json_is_told_and_passed() {
        let said = read("a.json", b"{\"a\":1}\n{\"a\":\n{\"a\":2}\n");
        assert_eq!(
            said,
            ["1: {\"a\":1}", "./a.json, line 2: not JSON: EOF while parsing a value at column 5", "3: {\"a\":2}"]
        );
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        assert!(read("a.json", &deep)[0].starts_with("./a.json, line 1: not JSON: recursion limit exceeded"));
    }

    #[test]
    fn what_has_no_end_is_refused_before_it_fills_the_memory() {
        let long = vec![b'x'; BYTES_MAX as usize + (1 << 18)];
        for (name, start) in [("a.csv", "1,2\n3,\""), ("a.txt", "1 2\n"), ("a.json", "1\n")] {
            let said = read(name, &[start.as_bytes(), &long].concat());
            assert_eq!(said.len(), 2, "{name}");
            assert!(said[1].starts_with(&format!("./{name}, line 2: longer than 16777216 bytes")), "{said:?}");
        }
    }

    #[test]
    fn no_bytes_are_a_panic() {
        let letters = b"1,2;|\t \"\n\r#{}[]:a\0\xff\xc3-";
        for seed in 1..=300_u64 {
            let mut random = Random::new(seed);
            let bytes: Vec<u8> = (0..random.below(40)).map(|_| *random.pick(letters)).collect();
            for name in ["a.csv", "a.tsv", "a.txt", "a.json"] {
                let lines = 1
                    + bytes.iter().filter(|byte| **byte == b'\n').count()
                    + bytes.iter().filter(|byte| **byte == b'\r').count();
                assert!(read(name, &bytes).len() <= lines, "seed {seed}, {name}: {bytes:?}");
            }
        }
    }
}
