//! What can go wrong from outside, and how it is told.
//!
//! Three worlds, never mixed. What comes from *outside* (a row, a frontier someone else moved, a closure that panics)
//! becomes a value of [`Error`] with the facts in it; it travels from the node that met it to the caller of `commit`.
//! What a *reader* asks of a trace in vain is a [`ReadError`](crate::trace::ReadError). What is *ours* (a batch out of
//! order) is an assertion that prints both sides, and never appears here.

use std::fmt;

/// A sum or product of diffs left the range of its type.
///
/// Diffs never wrap: the operator that met this reports it with its name, and stops.
///
/// ```
/// use differential::diff::{Diff, Overflow};
/// assert_eq!(i64::MAX.plus(&1), Err(Overflow));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sum or product of diffs overflowed")
    }
}

impl std::error::Error for Overflow {}
