//! The lines of a file, numbered from 1.
//!
//! A line may have at most 64 KiB, so that a file without line ends (something that is no edge list) cannot fill the
//! memory. A byte order mark before the first line is left out.
//!
//! Cost: memory for one line, whatever the file's size. Tested at the end of this file.

use super::errors::GraphError;
use super::rows::{Line, LineError};
use crate::stream::opened::Opened;
use std::io::{BufRead, Read};
use std::path::Path;

/// How long a line may be.
const LINE_BYTES_MAX: usize = 64 << 10;

/// A file's lines, one after the other.
pub struct Lines {
    opened: Opened,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    /// Opens a file, or standard input for `-`; nothing of it is checked before it is read.
    pub fn open(path: &Path) -> Result<Lines, GraphError> {
        let opened = Opened::open(path).map_err(|error| GraphError::Open { file: path.to_path_buf(), error })?;
        Ok(Lines { opened, line: Vec::new(), number: 0 })
    }

    /// Reads the next line; `None` at the end of the file.
    pub fn next_line(&mut self) -> Result<Option<Line>, GraphError> {
        self.line.clear();
        self.number += 1;
        let limit = LINE_BYTES_MAX as u64 + 1;
        match self.opened.by_ref().take(limit).read_until(b'\n', &mut self.line) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(GraphError::Read { file: self.file().into(), line: self.number, error }),
        }
        if self.line.len() > LINE_BYTES_MAX {
            return Err(self.refuse(LineError::TooLong { bytes_max: LINE_BYTES_MAX }));
        }
        let mark = if self.number == 1 { "\u{feff}".as_bytes() } else { b"" };
        let line = self.line.strip_prefix(mark).unwrap_or(&self.line);
        Line::parse(line).map(Some).map_err(|error| self.refuse(error))
    }

    /// The name of the file, as given.
    pub fn file(&self) -> &Path {
        self.opened.name()
    }

    /// The error that says `error` of the line read last.
    pub fn refuse(&self, error: LineError) -> GraphError {
        GraphError::Line { file: self.file().into(), line: self.number, error }
    }

    /// How many bytes have been read, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.opened.bytes_read()
    }

    /// How many bytes there are, after decompression, as far as known: a pipe has no size, and a compressed file need
    /// not say its own.
    pub fn bytes_total(&self) -> Option<u64> {
        self.opened.bytes_total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Writes a file, reads its lines, and says for each what it is; the last entry is the error, if there was one.
    fn read(name: &str, bytes: &[u8]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let mut said = Vec::new();
        let mut lines = Lines::open(&path).unwrap();
        loop {
            match lines.next_line() {
                Ok(Some(Line::Insert(row))) => said.push(row.to_string()),
                Ok(Some(other)) => said.push(format!("{other:?}")),
                Ok(None) => break said,
                Err(error) => {
                    said.push(error.to_string().replace(&folder.path().display().to_string(), "."));
                    break said;
                }
            }
        }
    }

    #[test]
    fn plain_and_compressed_files_read_the_same() {
        let text = b"# a comment\n1 2\r\n\n3 4 5\ncommit\n6 7";
        let wanted = ["Blank", "1 2", "Blank", "3 4 5", "Commit", "6 7"];
        assert_eq!(read("plain.txt", text), wanted);
        let compressed = zstd::encode_all(&text[..], 3).unwrap();
        assert_eq!(read("compressed.zst", &compressed), wanted);
        assert_eq!(read("compressed.ZST", &compressed), wanted);
        let frames = [zstd::encode_all(&text[..20], 3).unwrap(), zstd::encode_all(&text[20..], 3).unwrap()].concat();
        assert_eq!(read("two-frames.zst", &frames), wanted);
    }

    #[test]
    fn an_empty_file_has_no_lines() {
        assert_eq!(read("empty", b""), [""; 0]);
        assert_eq!(read("empty.zst", &zstd::encode_all(&b""[..], 3).unwrap()), [""; 0]);
    }

    #[test]
    fn a_folder_and_a_compressed_file_of_no_bytes_cannot_be_opened() {
        let folder = tempfile::tempdir().unwrap();
        let said = |name: &str| match Lines::open(&folder.path().join(name)) {
            Err(error @ GraphError::Open { .. }) => error.to_string().split_once(name).unwrap().1.to_string(),
            _ => panic!("{name} was opened"),
        };
        for name in ["folder", "folder.zst"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            assert_eq!(said(name), ": cannot open: is a directory");
        }
        fs::write(folder.path().join("none.zst"), b"").unwrap();
        assert_eq!(said("none.zst"), ": cannot open: empty, and so no compressed file");
    }

    #[test]
    fn a_byte_order_mark_is_left_out_once() {
        assert_eq!(read("marked", "\u{feff}1 2\n3 4\n".as_bytes()), ["1 2", "3 4"]);
        let twice = read("marked", "1 2\n\u{feff}3 4\n".as_bytes());
        assert!(twice[1].starts_with("./marked, line 2: "), "{twice:?}");
    }

    #[test]
    fn damaged_compression_is_an_error_after_what_was_read() {
        let text: String = (0..50_000).map(|node| format!("{node} {}\n", node * 7 % 1_000)).collect();
        let compressed = zstd::encode_all(text.as_bytes(), 3).unwrap();
        let said = read("cut.zst", &compressed[..compressed.len() / 2]);
        let (last, before) = said.split_last().unwrap();
        assert!(before.len() < 50_000);
        assert!(before.iter().enumerate().all(|(node, row)| *row == format!("{node} {}", node * 7 % 1_000)));
        assert!(last.starts_with(&format!("./cut.zst, line {}: cannot read: ", said.len())), "{last}");

        let said = read("plain-text.zst", b"1 2\n3 4\n");
        assert!(said.len() == 1 && said[0].starts_with("./plain-text.zst, line 1: cannot read: "), "{said:?}");
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let longest = [b"1 2 ".to_vec(), vec![b'x'; LINE_BYTES_MAX - 5], b"\n3 4\n".to_vec()].concat();
        assert_eq!(read("longest", &longest).len(), 2);
        let longer = [b"1 2 ".to_vec(), vec![b'x'; LINE_BYTES_MAX - 4], b"\n3 4\n".to_vec()].concat();
        assert_eq!(read("longer", &longer), ["./longer, line 1: longer than 65536 bytes; is this an edge list?"]);
    }
}
