//! What is fed: `0.bin`, `1.bin`.
//!
//! ```text
//!   at: u32 | diff: i32 | column | column ...        packed, little-endian; a string is a u32 length and its bytes
//! ```
//!
//! Rows are read in chunks as they are fed, that is inside a phase: a few nanoseconds a row, about what a peer takes to
//! make its rows up. So a file's size never shows in what a phase keeps.

use std::fs::File;
use std::io::Read;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use differential::column::Data;

use crate::plan::Kind;
use crate::trouble::Trouble;

/// Bytes read at once.
const CHUNK: usize = 1 << 18;

/// A record that can stand in a file.
pub trait Row: Data {
    /// Its columns.
    const KINDS: &'static [Kind];
    /// The record in front of `bytes`, which move past it; `None` if they end before it does, or are no record.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

/// A value of one column.
pub trait Value: Data {
    /// Its kind.
    const KIND: Kind;
    /// The value in front of `bytes`, which move past it.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

impl Value for u32 {
    const KIND: Kind = Kind::U32;

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        array(bytes).map(u32::from_le_bytes)
    }
}

impl Value for u64 {
    const KIND: Kind = Kind::U64;

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        array(bytes).map(u64::from_le_bytes)
    }
}

impl Value for String {
    const KIND: Kind = Kind::Str;

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let length = u32::take(bytes)?;
        let (text, rest) = bytes.split_at_checked(length as usize)?;
        *bytes = rest;
        Some(std::str::from_utf8(text).ok()?.to_string())
    }
}

fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (array, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*array)
}

impl Row for u64 {
    const KINDS: &'static [Kind] = &[Kind::U64];

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Value::take(bytes)
    }
}

impl<A: Value, B: Value> Row for (A, B)
where
    (A, B): Data,
{
    const KINDS: &'static [Kind] = &[A::KIND, B::KIND];

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some((A::take(bytes)?, B::take(bytes)?))
    }
}

impl<A: Value, B: Value, C: Value> Row for (A, B, C)
where
    (A, B, C): Data,
{
    const KINDS: &'static [Kind] = &[A::KIND, B::KIND, C::KIND];

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some((A::take(bytes)?, B::take(bytes)?, C::take(bytes)?))
    }
}

/// A row, when within its tick it is fed, and with what diff.
#[derive(Debug, PartialEq, Eq)]
pub struct Change<R> {
    /// Logical times after the tick's first.
    pub at: u64,
    /// By how much the row's count changes.
    pub diff: i64,
    /// The row.
    pub row: R,
}

/// The rows of one input, read from front to back.
pub struct RowFile<R> {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    /// What of the buffer was handed out already.
    taken: usize,
    row: PhantomData<fn() -> R>,
}

impl<R: Row> RowFile<R> {
    /// Opens a file of rows.
    pub fn open(path: &Path) -> Result<Self, Trouble> {
        let file = File::open(path).map_err(|error| Trouble::File(path.into(), error))?;
        Ok(RowFile { path: path.into(), file, buffer: Vec::new(), taken: 0, row: PhantomData })
    }

    /// The next row.
    ///
    /// # Errors
    /// [`Trouble::Rows`] if there is none, or what is there is no row.
    pub fn read(&mut self) -> Result<Change<R>, Trouble> {
        loop {
            let mut rest = &self.buffer[self.taken..];
            if let Some(change) = take(&mut rest) {
                self.taken = self.buffer.len() - rest.len();
                return Ok(change);
            }
            self.refill()?;
        }
    }

    /// Reads on, keeping what was not handed out.
    fn refill(&mut self) -> Result<(), Trouble> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let read = (&self.file).take(CHUNK as u64).read_to_end(&mut self.buffer);
        match read.map_err(|error| Trouble::File(self.path.clone(), error))? {
            0 => Err(Trouble::Rows(self.path.clone())),
            _ => Ok(()),
        }
    }
}

fn take<R: Row>(bytes: &mut &[u8]) -> Option<Change<R>> {
    let (at, diff) = (array(bytes).map(u32::from_le_bytes)?, array(bytes).map(i32::from_le_bytes)?);
    Some(Change { at: at.into(), diff: diff.into(), row: R::take(bytes)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(name: &str, bytes: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("rows-{}-{name}.bin", std::process::id()));
        File::create(&path).unwrap().write_all(bytes).unwrap();
        path
    }

    #[test]
    fn rows_come_back_over_the_ends_of_chunks() {
        let rows = CHUNK as u32 / 16;
        let mut bytes = Vec::new();
        for row in 0..rows {
            let text = "x".repeat(row as usize % 40);
            bytes.extend_from_slice(&(row % 7).to_le_bytes());
            bytes.extend_from_slice(&(-1i32).to_le_bytes());
            bytes.extend_from_slice(&row.to_le_bytes());
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        assert!(bytes.len() > CHUNK, "the test needs more than one chunk");
        let path = file("chunks", &bytes);
        let mut rows_read = RowFile::<(u32, String)>::open(&path).unwrap();
        for row in 0..rows {
            let expected = Change { at: u64::from(row % 7), diff: -1, row: (row, "x".repeat(row as usize % 40)) };
            assert_eq!(rows_read.read().unwrap(), expected);
        }
        assert!(matches!(rows_read.read(), Err(Trouble::Rows(_))));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn half_a_row_is_none() {
        let path = file("half", &[0; 15]);
        assert!(matches!(RowFile::<u64>::open(&path).unwrap().read(), Err(Trouble::Rows(_))));
        std::fs::remove_file(path).unwrap();
    }
}
