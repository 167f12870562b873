//! Updates as bytes: the number of rows, and then the columns, one after the other.
//!
//! ```text
//!   2 0 0 0 0 0 0 0 | data: as their column says | times: a lane a coordinate | diffs: a lane
//! ```
//!
//! The number of rows is said once, and the columns hold so many or cannot be read: that they agree needs no check of
//! its own. Neither types nor shape are among the bytes: both ends have built the same dataflow.
//!
//! Rows are named by 32 bits when they are gathered, so bytes that speak of more are refused. Where records take no
//! bytes (`()`, or tuples of it), that is what bounds the number of rows that garbled bytes can make up.
//! Cost: about that of a copy. Tested in `wire_laws.rs`, which also pins the format.

use super::Updates;
use crate::bytes::{Flaw, Malformed, Portable, Reader};
use crate::column::{Column, Data, ShapeOf};
use crate::diff::{Diff, Diffs};
use crate::time::{Time, TimeColumn};

impl<D: Data, T: Time, R: Diff> Updates<D, T, R> {
    /// How many bytes the updates are written as, exactly.
    pub fn bytes_len(&self) -> usize {
        size_of::<u64>() + self.data.bytes_len() + self.times.bytes_len() + self.diffs.bytes_len()
    }

    /// Appends the updates' bytes. Room for all of them is made once.
    pub fn write_bytes(&self, into: &mut Vec<u8>) {
        into.reserve(self.bytes_len());
        u64::write_values(&[self.len() as u64], into);
        self.data.write_bytes(into);
        self.times.write_bytes(into);
        self.diffs.write_bytes(into);
    }

    /// Reads updates whose records have this shape. What follows them stays unread.
    ///
    /// ```
    /// use differential::bytes::Reader;
    /// use differential::updates::Updates;
    ///
    /// let mut sent = Updates::<u64, u64, i64>::empty(&());
    /// sent.push(7, &3, 1);
    /// let mut bytes = Vec::new();
    /// sent.write_bytes(&mut bytes);
    ///
    /// let mut from = Reader::new(&bytes);
    /// let received = Updates::<u64, u64, i64>::read_bytes(&(), &mut from)?;
    /// from.finish()?;
    /// assert_eq!(received.data, [7]);
    /// # Ok::<(), differential::bytes::Malformed>(())
    /// ```
    ///
    /// # Errors
    /// The bytes are not those of such updates. Never panics, and makes room only for what is there.
    pub fn read_bytes(shape: &ShapeOf<D>, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let at = from.at();
        let rows = from.count()?;
        if u32::try_from(rows).is_err() {
            return Err(Malformed { at, flaw: Flaw::TooMany(rows as u64) });
        }
        Ok(Updates {
            data: D::Column::read_bytes(shape, rows, from)?,
            times: T::Column::read_bytes(rows, from)?,
            diffs: Diffs::read_bytes(rows, from)?,
        })
    }
}
