//! Bytes with a place in them, and what may be wrong with them.
//!
//! Every read says how many bytes it wants before it makes room for what they hold. So a read that succeeds has made
//! room in proportion to the bytes that were there, and one that fails has made none.

use std::fmt;

/// Bytes that are read from front to back.
///
/// ```
/// use differential::bytes::{Flaw, Malformed, Reader};
/// let mut from = Reader::new(&[2, 0, 0, 0, 0, 0, 0, 0, 9]);
/// assert_eq!(from.count(), Ok(2));
/// assert_eq!(from.take(2), Err(Malformed { at: 8, flaw: Flaw::Cut { wanted: 2, left: 1 } }));
/// assert_eq!(from.byte(), Ok(9));
/// assert_eq!(from.finish(), Ok(()));
/// ```
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// All of these bytes, from the first.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    /// How many bytes have been read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// There are not so many; none is read then.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let rest = &self.bytes[self.at..];
        let taken =
            rest.get(..count).ok_or(Malformed { at: self.at, flaw: Flaw::Cut { wanted: count, left: rest.len() } });
        taken.inspect(|_| self.at += count)
    }

    /// The next `count` times `SIZE` bytes.
    ///
    /// # Errors
    /// There are not so many; none is read then.
    pub fn take_chunks<const SIZE: usize>(&mut self, count: usize) -> Result<&'a [[u8; SIZE]], Malformed> {
        // More than fits a number is certainly more than is there.
        Ok(self.take(count.saturating_mul(SIZE))?.as_chunks().0)
    }

    /// The next byte.
    ///
    /// # Errors
    /// There is none.
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    /// A number of things, as eight bytes.
    ///
    /// # Errors
    /// There are no eight bytes, or the number is too large for this machine.
    pub fn count(&mut self) -> Result<usize, Malformed> {
        let at = self.at;
        let count = u64::from_le_bytes(self.take_chunks(1)?[0]);
        usize::try_from(count).map_err(|_| Malformed { at, flaw: Flaw::TooMany(count) })
    }

    /// Says that all has been read.
    ///
    /// # Errors
    /// Bytes are left.
    pub fn finish(self) -> Result<(), Malformed> {
        match self.left() {
            0 => Ok(()),
            left => Err(Malformed { at: self.at, flaw: Flaw::Left(left) }),
        }
    }
}

/// Bytes that are not what was to be read: what is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The byte at which it shows, counted from 0.
    pub at: usize,
    /// What is wrong.
    pub flaw: Flaw,
}

/// What is wrong with bytes that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// They end too early.
    Cut {
        /// How many the next thing takes.
        wanted: usize,
        /// How many there are.
        left: usize,
    },
    /// All was read and this many are left.
    Left(usize),
    /// A number of rows, or of another thing, is past what can be.
    TooMany(u64),
    /// This byte should say how a lane is stored, and names no way.
    Form(u8),
    /// A string or list ends before it begins, or a string where no character ends.
    Bound {
        /// Its row.
        row: usize,
    },
    /// A string is not UTF-8.
    NotUtf8,
    /// Bits are set where a column of bools has no rows.
    Bits,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed bytes at {}: ", self.at)?;
        match self.flaw {
            Flaw::Cut { wanted, left } => write!(f, "{wanted} are wanted and {left} are left"),
            Flaw::Left(left) => write!(f, "{left} are left after the last that is wanted"),
            Flaw::TooMany(count) => write!(f, "there cannot be {count} of this"),
            Flaw::Form(form) => write!(f, "{form} names no way in which a lane is stored"),
            Flaw::Bound { row } => {
                write!(f, "the string or list in row {row} ends before it begins, or where no character ends")
            }
            Flaw::NotUtf8 => f.write_str("a string is not UTF-8"),
            Flaw::Bits => f.write_str("bits are set past the last row of a column of bools"),
        }
    }
}

impl std::error::Error for Malformed {}
