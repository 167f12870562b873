//! The lines of a file, numbered from 1, whether it is plain or compressed.
//!
//! A name that ends in `.zst` is decompressed as it is read; every other file is read as it is; `-` is standard input. A
//! compressed file of no bytes is refused, as by the tools that write them: it is what remains of a copy that failed.
//! Damage within a block of compressed bytes is only found at the end of its frame, by the checksum, so lines before
//! that may have been changed by it. A line may have at most 64 KiB, so that a file without line ends (something that is no edge list) cannot fill the memory. A byte order
//! mark before the first line is left out.
//!
//! Cost: memory for one line and the buffers, whatever the file's size. Tested at the end of this file.

use super::errors::GraphError;
use super::rows::{Line, LineError};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// How long a line may be.
const LINE_BYTES_MAX: usize = 64 << 10;

/// How many bytes of a compressed file are looked at for its uncompressed size: the longest header of a frame.
const FRAME_HEADER_BYTES: usize = 18;

/// A file's lines, one after the other.
pub struct Lines {
    file: PathBuf,
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    number: u64,
    bytes_read: u64,
    bytes_total: Option<u64>,
}

impl Lines {
    /// Opens a file, or standard input for `-`; nothing of it is checked before it is read.
    pub fn open(path: &Path) -> Result<Lines, GraphError> {
        if path == Path::new("-") {
            return Ok(Lines::new(Path::new("standard input"), Box::new(io::stdin().lock()), None));
        }
        let failed = |error| GraphError::Open { file: path.to_path_buf(), error };
        let plain = File::open(path).map_err(failed)?;
        let metadata = plain.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let mut reader = BufReader::new(plain);
        let compressed = path.extension().and_then(OsStr::to_str).is_some_and(|end| end.eq_ignore_ascii_case("zst"));
        let (reader, bytes_total): (Box<dyn BufRead>, _) = if compressed {
            let bytes_total = uncompressed_size(&mut reader).map_err(failed)?;
            (Box::new(BufReader::new(zstd::Decoder::with_buffer(reader).map_err(failed)?)), bytes_total)
        } else {
            (Box::new(reader), metadata.is_file().then_some(metadata.len()))
        };
        Ok(Lines::new(path, reader, bytes_total))
    }

    fn new(file: &Path, reader: Box<dyn BufRead>, bytes_total: Option<u64>) -> Lines {
        Lines { file: file.to_path_buf(), reader, line: Vec::new(), number: 0, bytes_read: 0, bytes_total }
    }

    /// Reads the next line; `None` at the end of the file.
    pub fn next_line(&mut self) -> Result<Option<Line>, GraphError> {
        self.line.clear();
        self.number += 1;
        let limit = LINE_BYTES_MAX as u64 + 1;
        match self.reader.by_ref().take(limit).read_until(b'\n', &mut self.line) {
            Ok(0) => return Ok(None),
            Ok(bytes) => self.bytes_read += bytes as u64,
            Err(error) => return Err(GraphError::Read { file: self.file.clone(), line: self.number, error }),
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
        &self.file
    }

    /// The error that says `error` of the line read last.
    pub fn refuse(&self, error: LineError) -> GraphError {
        GraphError::Line { file: self.file.clone(), line: self.number, error }
    }

    /// How many bytes have been read, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// How many bytes there are, after decompression, as far as known: a pipe has no size, and a compressed file need
    /// not say its own.
    pub fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }
}

/// What the first frame's header says of its content, without consuming it.
fn uncompressed_size(reader: &mut BufReader<File>) -> io::Result<Option<u64>> {
    let start = reader.fill_buf()?;
    if start.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "empty, and so no compressed file"));
    }
    let header = &start[..start.len().min(FRAME_HEADER_BYTES)];
    Ok(zstd::zstd_safe::get_frame_content_size(header).ok().flatten())
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

    #[test]
    fn sizes_are_known_where_the_file_says_them() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"1 2\n3 4\n";
        let (plain, compressed) = (folder.path().join("plain"), folder.path().join("compressed.zst"));
        fs::write(&plain, text).unwrap();
        fs::write(&compressed, zstd::bulk::compress(text, 3).unwrap()).unwrap();
        for path in [plain, compressed] {
            let mut lines = Lines::open(&path).unwrap();
            assert_eq!((lines.bytes_read(), lines.bytes_total()), (0, Some(8)), "{}", path.display());
            lines.next_line().unwrap();
            assert_eq!(lines.bytes_read(), 4);
        }
    }
}
