//! A lane as bytes: a byte that says how it is stored, and then one value, or a value a row.
//!
//! ```text
//!   7 7 7 ... 7      1 | 7           a million rows of one value are nine bytes
//!   7 8 7            2 | 7 8 7       two bytes each
//!   7 8 70000        0 | 7 8 70000   eight
//!   (no rows)                        no bytes, as for every column
//! ```
//!
//! A lane is written as it is stored, and read back so: looking for values that have come to agree is work that
//! whoever made the lane could have done. Tested in `bytes_laws.rs`.

use super::{Lane, Side};
use crate::bytes::{Flaw, Malformed, Portable, Reader};

/// A value a row follows.
const EACH: u8 = 0;
/// One value follows.
const SAME: u8 = 1;
/// A value a row follows, each in its short form.
const SHORT: u8 = 2;

impl<T: Portable + Clone + Eq> Lane<T> {
    /// How many bytes the lane is written as, exactly.
    pub fn bytes_len(&self) -> usize {
        match self.side() {
            _ if self.is_empty() => 0,
            Side::Same(value) => 1 + T::values_len(std::iter::once(value)),
            Side::Short(values) => 1 + u16::values_len(values.iter()),
            Side::Each(values) => 1 + T::values_len(values.iter()),
        }
    }

    /// Appends the lane's bytes.
    pub fn write_bytes(&self, into: &mut Vec<u8>) {
        match self.side() {
            _ if self.is_empty() => {}
            Side::Same(value) => {
                into.push(SAME);
                T::write_values(std::slice::from_ref(value), into);
            }
            Side::Short(values) => {
                into.push(SHORT);
                u16::write_values(values, into);
            }
            Side::Each(values) => {
                into.push(EACH);
                T::write_values(values, into);
            }
        }
    }

    /// Reads a lane of `rows` rows.
    ///
    /// # Errors
    /// The bytes are not those of such a lane.
    pub fn read_bytes(rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut lane = Lane::default();
        if rows == 0 {
            return Ok(lane);
        }
        let at = from.at();
        match from.byte()? {
            SAME => T::read_values(1, from)?.into_iter().for_each(|value| lane.push_repeat(value, rows)),
            SHORT if T::HAS_SHORT => {
                let values = u16::read_values(rows, from)?;
                lane.append_shorts(|shorts| {
                    *shorts = values;
                    true
                });
            }
            EACH => {
                let values = T::read_values(rows, from)?;
                lane.append_each(|each| *each = values);
            }
            form => return Err(Malformed { at, flaw: Flaw::Form(form) }),
        }
        Ok(lane)
    }
}
