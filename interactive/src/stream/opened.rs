//! The bytes of a file, whether it is plain or compressed, counted.
//!
//! A name that ends in `.zst` or `.gz` is decompressed as it is read; every other file is read as it is; `-` is standard
//! input. A compressed file of no bytes is refused, as by the tools that write them: it is what remains of a copy that
//! failed. Damage within a block of compressed bytes is only found at the end of its frame, by the checksum, so what was
//! read before that may have been changed by it.
//!
//! Cost: memory for the buffers, whatever the file's size. Tested at the end of this file and with whoever reads.

use flate2::bufread::MultiGzDecoder;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// How many bytes of a compressed file are looked at for its uncompressed size: the longest header of a frame.
const FRAME_HEADER_BYTES: usize = 18;

/// A file that is being read.
pub struct Opened {
    name: PathBuf,
    reader: Box<dyn BufRead + Send>,
    bytes_read: u64,
    bytes_total: Option<u64>,
}

impl Opened {
    /// Opens a file, or standard input for `-`; nothing of it is checked before it is read.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<Opened> {
        if path == Path::new("-") {
            let reader = Box::new(BufReader::new(io::stdin()));
            return Ok(Opened { name: "standard input".into(), reader, bytes_read: 0, bytes_total: None });
        }
        let plain = File::open(path)?;
        let metadata = plain.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut plain = BufReader::new(plain);
        let ends =
            |with: &str| path.extension().and_then(OsStr::to_str).is_some_and(|end| end.eq_ignore_ascii_case(with));
        let (reader, bytes_total): (Box<dyn BufRead + Send>, _) = if ends("zst") {
            let bytes_total = zstd::zstd_safe::get_frame_content_size(beginning(&mut plain)?).ok().flatten();
            (Box::new(BufReader::new(zstd::Decoder::with_buffer(plain)?)), bytes_total)
        } else if ends("gz") {
            beginning(&mut plain)?;
            (Box::new(BufReader::new(MultiGzDecoder::new(plain))), None)
        } else {
            (Box::new(plain), metadata.is_file().then_some(metadata.len()))
        };
        Ok(Opened { name: path.to_path_buf(), reader, bytes_read: 0, bytes_total })
    }

    /// The name of the file, as given.
    pub fn name(&self) -> &Path {
        &self.name
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

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.reader.read(buffer)?;
        self.bytes_read += bytes as u64;
        Ok(bytes)
    }
}

impl BufRead for Opened {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.reader.consume(bytes);
        self.bytes_read += bytes as u64;
    }
}

/// The name of a file without the ending that says how it is compressed.
///
/// ```
/// use interactive::stream::opened::uncompressed_name;
/// assert_eq!(uncompressed_name("data/edges.tsv.zst".as_ref()), std::path::Path::new("data/edges.tsv"));
/// ```
pub fn uncompressed_name(path: &Path) -> PathBuf {
    let compressed = path
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|end| end.eq_ignore_ascii_case("zst") || end.eq_ignore_ascii_case("gz"));
    if compressed { path.with_extension("") } else { path.to_path_buf() }
}

/// The first bytes of a compressed file, without consuming them.
fn beginning(reader: &mut BufReader<File>) -> io::Result<&[u8]> {
    let start = reader.fill_buf()?;
    if start.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "empty, and so no compressed file"));
    }
    Ok(&start[..start.len().min(FRAME_HEADER_BYTES)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::fs;
    use std::io::Write;

    /// Reads a file of this name and content.
    fn read(name: &str, bytes: &[u8]) -> io::Result<(String, u64)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let (mut opened, mut text) = (Opened::open(&path)?, String::new());
        opened.read_to_string(&mut text)?;
        Ok((text, opened.bytes_read()))
    }

    fn gzipped(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn compressed_files_read_as_they_were() {
        let read = |name: &str, bytes: &[u8]| read(name, bytes).unwrap();
        let wanted = ("a\nb\n".to_string(), 4);
        assert_eq!(read("plain.gz.txt", b"a\nb\n"), wanted);
        assert_eq!(read("some.gz", &gzipped("a\nb\n")), wanted);
        assert_eq!(read("some.GZ", &[gzipped("a\n"), gzipped("b\n")].concat()), wanted);
        assert_eq!(read("some.zst", &zstd::encode_all(&b"a\nb\n"[..], 3).unwrap()), wanted);
        assert_eq!(read("none.gz", &gzipped("")), (String::new(), 0));
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        for name in ["some.gz", "some.zst"] {
            assert!(read(name, b"plain").is_err(), "{name}");
            assert_eq!(read(name, b"").unwrap_err().to_string(), "empty, and so no compressed file");
        }
        let cut = gzipped("a\nb\n");
        assert!(read("some.gz", &cut[..cut.len() - 3]).is_err());
    }

    #[test]
    fn sizes_are_known_where_the_file_says_them() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"1 2\n3 4\n";
        let (plain, compressed) = (folder.path().join("plain"), folder.path().join("compressed.zst"));
        fs::write(&plain, text).unwrap();
        fs::write(&compressed, zstd::bulk::compress(text, 3).unwrap()).unwrap();
        for path in [plain, compressed] {
            let mut opened = Opened::open(&path).unwrap();
            assert_eq!((opened.bytes_read(), opened.bytes_total()), (0, Some(8)), "{}", path.display());
            opened.read_exact(&mut [0; 4]).unwrap();
            assert_eq!(opened.bytes_read(), 4);
        }
    }
}
