//! The column of byte strings, `Box<[u8]>`: stored, compared and hashed as strings are, and lent as `&[u8]`.
//!
//! It differs from the column of `String` in one thing: bytes need not be UTF-8, so lending one reads nothing. That makes
//! it the better column for text that is only compared and counted.
//! Why not lists of `u8` ([`Lists`](super::Lists)): those lend no slice, since a list's items may be stored as anything.

use std::cmp::Ordering;
use std::ops::Range;

use columnar::{Index, Strings};

use super::within::bulk_within;
use super::{Column, Data};
use crate::bytes::{Flaw, Malformed, Portable, Reader};

impl Data for Box<[u8]> {
    type Column = ByteStrings;
}

/// Byte strings: all bytes in one list, and a list of where each string ends.
///
/// ```
/// use differential::column::{ByteStrings, Column};
///
/// let mut names = ByteStrings::empty(&());
/// names.push(b"not \xff text");
/// names.push_owned(Box::from(*b"ab"));
/// assert_eq!(names.get(0), b"not \xff text");
/// assert!(names.compare(1, &names, 0).is_lt());
/// ```
#[derive(Clone, Debug)]
pub struct ByteStrings(Strings);

impl Column for ByteStrings {
    type Owned = Box<[u8]>;
    type Ref<'a> = &'a [u8];
    type Shape = ();

    bulk_within!(Strings);

    #[inline]
    fn get(&self, row: usize) -> &[u8] {
        Index::get(&&self.0, row)
    }
    fn owned(item: &[u8]) -> Box<[u8]> {
        item.into()
    }
    #[inline]
    fn lend(item: &Box<[u8]>) -> &[u8] {
        item
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: &'a [u8]) -> &'b [u8] {
        item
    }

    #[inline]
    fn push(&mut self, item: &[u8]) {
        self.0.values.extend_from_slice(item);
        self.0.bounds.push(self.0.values.len() as u64);
    }
    #[inline]
    fn compare_item(&self, row: usize, item: &[u8]) -> Ordering {
        self.get(row).cmp(item)
    }

    fn read_bytes((): &(), rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let bounds = read_bounds(rows, from)?;
        let values = from.take(total(&bounds))?.to_vec();
        Ok(ByteStrings(Strings { bounds, values }))
    }
}

/// Reads where each of `rows` strings or lists ends: none before it begins.
pub(super) fn read_bounds(rows: usize, from: &mut Reader<'_>) -> Result<Vec<u64>, Malformed> {
    let at = from.at();
    let bounds = u64::read_values(rows, from)?;
    match bounds.windows(2).position(|pair| pair[0] > pair[1]) {
        Some(row) => Err(Malformed { at: at + (row + 1) * size_of::<u64>(), flaw: Flaw::Bound { row: row + 1 } }),
        None => Ok(bounds),
    }
}

/// How many items such bounds bound. One past all numbers of this machine is past all that is there, too.
pub(super) fn total(bounds: &[u64]) -> usize {
    bounds.last().map_or(0, |last| usize::try_from(*last).unwrap_or(usize::MAX))
}
