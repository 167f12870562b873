//! The column of `String`: all bytes in one list, and a list of where each string ends.
//!
//! ```text
//!   bounds   3     5        9
//!   bytes    a b c d e f g h i      row 1 is bytes[3..5]
//! ```
//!
//! Invariant: bounds never decrease, the last is the number of bytes, and every row is UTF-8: only strings come in, and what is read
//! from bytes is checked.
//! Strings are compared, searched and hashed as bytes, whose order is that of `str`. Only `get` makes a `&str` of
//! them, which reads the string once more to check that it is UTF-8, since this crate has no unsafe code; so bulk
//! work asks for rows, not for `&str`.
//!
//! The prefix is the first eight bytes, big end first, padded with zeros: "ab" and "ab\0" share one, so it is not
//! exact. A range is copied as one run of bytes and shifted bounds.
//!
//! Storage is `columnar`'s [`Strings`]. Why not a `Vec<String>`: an allocation a row, and nothing to copy in bulk.

use std::cmp::Ordering;
use std::ops::Range;

use columnar::{Borrow, Container, Index, Strings};

use super::hash::absorb_bytes;
use super::{Column, Data};
use crate::bytes::{Flaw, Malformed, Portable, Reader};

impl Data for String {
    type Column = Strings;
}

/// A row's bytes.
#[inline]
fn bytes(column: &Strings, row: usize) -> &[u8] {
    Index::get(&column, row)
}

/// The first eight bytes, big end first, padded with zeros.
#[inline]
fn prefix(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut first = [0; 8];
            first[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(first)
        }
    }
}

/// The first string that ends before it begins, or within a character of all the text.
fn broken_bound(text: &str, bounds: &[u64]) -> Option<usize> {
    let ends = |bound: u64| usize::try_from(bound).is_ok_and(|bound| text.is_char_boundary(bound));
    let starts = std::iter::once(&0).chain(bounds);
    starts.zip(bounds).position(|(start, end)| start > end || !ends(*end))
}

impl Column for Strings {
    type Owned = String;
    type Ref<'a> = &'a str;
    type Shape = ();

    const EXACT_PREFIX: bool = false;

    fn empty((): &()) -> Self {
        Strings::default()
    }
    fn shape(&self) {}
    #[inline]
    fn len(&self) -> usize {
        self.bounds.len()
    }
    fn clear(&mut self) {
        self.bounds.clear();
        self.values.clear();
    }
    /// Makes room for bounds: how long the strings will be is not known.
    fn reserve(&mut self, additional: usize) {
        self.bounds.reserve(additional);
    }
    fn fit(&mut self) {
        self.bounds.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    #[inline]
    fn get(&self, row: usize) -> &str {
        std::str::from_utf8(bytes(self, row)).expect("a string column holds UTF-8")
    }
    fn owned(item: &str) -> String {
        item.into()
    }
    #[inline]
    fn lend(item: &String) -> &str {
        item
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: &'a str) -> &'b str {
        item
    }

    #[inline]
    fn push(&mut self, item: &str) {
        columnar::Push::push(self, item);
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.extend_from_self(other.borrow(), rows);
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.bounds.reserve(rows.len());
        for &row in rows {
            self.values.extend_from_slice(bytes(other, row as usize));
            self.bounds.push(self.values.len() as u64);
        }
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        let string = bytes(other, row);
        self.bounds.reserve(count);
        self.values.reserve(count * string.len());
        for _ in 0..count {
            self.values.extend_from_slice(string);
            self.bounds.push(self.values.len() as u64);
        }
    }

    #[inline]
    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        bytes(self, row).cmp(bytes(other, other_row))
    }
    #[inline]
    fn compare_item(&self, row: usize, item: &str) -> Ordering {
        bytes(self, row).cmp(item.as_bytes())
    }

    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        prefix(bytes(self, row))
    }

    fn deeper(&self, row: usize, depth: u32) -> u64 {
        prefix(bytes(self, row).get(8 * depth as usize..).unwrap_or(&[]))
    }

    #[inline]
    fn absorb(&self, row: usize, state: u64) -> u64 {
        absorb_bytes(state, bytes(self, row))
    }

    fn bytes_len(&self) -> usize {
        u64::values_len(self.bounds.iter()) + self.values.len()
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        u64::write_values(&self.bounds, into);
        into.extend_from_slice(&self.values);
    }
    fn read_bytes((): &(), rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let bounds_at = from.at();
        let bounds = u64::read_values(rows, from)?;
        let text_at = from.at();
        // A last bound past all numbers of this machine is past all that is there, too.
        let values = from.take(bounds.last().map_or(0, |last| usize::try_from(last).unwrap_or(usize::MAX)))?;
        let text = std::str::from_utf8(values)
            .map_err(|error| Malformed { at: text_at + error.valid_up_to(), flaw: Flaw::NotUtf8 })?;
        if let Some(row) = broken_bound(text, &bounds) {
            return Err(Malformed { at: bounds_at + row * size_of::<u64>(), flaw: Flaw::Bound { row } });
        }
        Ok(Strings { bounds, values: values.to_vec() })
    }

    fn heap_bytes(&self) -> usize {
        self.bounds.capacity() * size_of::<u64>() + self.values.capacity()
    }
}
