//! Where each row's part of the layer below begins.
//!
//! ```text
//!   3 keys with 1, 3 and 2 values:   Wide      0 1 4 6        key 1 holds values 1..4
//!   3 keys with 1 value each:        Identity  3              key 1 holds value  1..2
//! ```
//!
//! Invariant: no row's part is empty. So as many rows above as below means one each, and nothing need be stored.
//! Cost: four bytes a row, or none. Why not eight bytes: rows are named by `u32` wherever they are gathered, and a trace
//! never merges batches past that.
//! Tested in `batch_laws.rs`.

use std::ops::Range;

/// For each row of a layer, which rows of the layer below are its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offsets {
    /// This many rows, each with one row below.
    Identity(usize),
    /// Row `i` owns the rows from number `i` to number `i + 1` of these, which begin with zero.
    Wide(Vec<u32>),
}

impl Default for Offsets {
    fn default() -> Self {
        Offsets::Identity(0)
    }
}

impl Offsets {
    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Offsets::Identity(len) => *len,
            Offsets::Wide(starts) => starts.len() - 1,
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of rows of the layer below.
    #[inline]
    pub fn total(&self) -> usize {
        match self {
            Offsets::Identity(len) => *len,
            Offsets::Wide(starts) => starts[starts.len() - 1] as usize,
        }
    }

    /// The rows below a range of rows. Panics past the end, if offsets are stored.
    #[inline]
    pub fn below(&self, rows: Range<usize>) -> Range<usize> {
        match self {
            Offsets::Identity(_) => rows,
            Offsets::Wide(starts) => starts[rows.start] as usize..starts[rows.end] as usize,
        }
    }

    /// Appends a row that owns the next `count` rows below, of which there is at least one.
    #[inline]
    pub(crate) fn push(&mut self, count: usize) {
        debug_assert!(count > 0, "a row that owns nothing");
        match self {
            Offsets::Identity(len) if count == 1 => *len += 1,
            _ => {
                let end = narrow(self.total() + count);
                self.widen().push(end);
            }
        }
    }

    /// Appends a range of another's rows, each with as many rows below as it has there.
    #[inline]
    pub(crate) fn extend_range(&mut self, other: &Offsets, rows: Range<usize>) {
        let (count, below) = (rows.len(), other.below(rows.clone()));
        match (&mut *self, other) {
            (Offsets::Identity(len), _) if below.len() == count => *len += count,
            (_, Offsets::Identity(_)) => {
                let total = narrow(self.total() + count);
                let start = total - count as u32 + 1;
                self.widen().extend(start..=total);
            }
            (_, Offsets::Wide(starts)) => {
                let total = self.total();
                narrow(total + below.len());
                // Modulo 2^32 a step back is a step forward; the ends were checked above.
                let shift = (total as u32).wrapping_sub(below.start as u32);
                self.widen().extend(starts[rows.start + 1..=rows.end].iter().map(|start| start.wrapping_add(shift)));
            }
        }
    }

    /// Appends a row for each count that is not zero, which owns as many rows below.
    pub(crate) fn extend_counts(&mut self, counts: &[u32]) {
        match self {
            Offsets::Identity(len) if counts.iter().all(|count| *count == 1) => *len += counts.len(),
            _ => {
                let mut end = self.total();
                self.widen().extend(counts.iter().filter(|count| **count > 0).map(|count| {
                    end += *count as usize;
                    end as u32
                }));
                narrow(end);
            }
        }
    }

    /// No rows yet, with room for offsets of `rows` of them.
    pub(crate) fn with_room(rows: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Offsets::Wide(starts)
    }

    /// The same offsets, not stored if they say "one each", else without spare room.
    pub(crate) fn settled(self) -> Self {
        match self {
            Offsets::Wide(starts) if starts.len() == 1 + starts[starts.len() - 1] as usize => {
                Offsets::Identity(starts.len() - 1)
            }
            Offsets::Wide(mut starts) => {
                starts.shrink_to_fit();
                Offsets::Wide(starts)
            }
            identity => identity,
        }
    }

    /// Bytes held, buffers included.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Offsets::Identity(_) => 0,
            Offsets::Wide(starts) => starts.capacity() * size_of::<u32>(),
        }
    }

    fn widen(&mut self) -> &mut Vec<u32> {
        if let Offsets::Identity(len) = self {
            *self = Offsets::Wide((0..=narrow(*len)).collect());
        }
        match self {
            Offsets::Wide(starts) => starts,
            Offsets::Identity(_) => unreachable!("widened above"),
        }
    }
}

/// A row number as it is stored. A trace never makes a batch that this would refuse.
fn narrow(row: usize) -> u32 {
    u32::try_from(row).expect("a batch holds fewer than 2^32 updates")
}
