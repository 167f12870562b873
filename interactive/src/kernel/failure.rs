//! Why a row fails.

use crate::language::files::Span;
use std::fmt;

/// How much may be made and looked at for one value of one row: items of lists and bytes of texts, counted each time.
///
/// So no row of a program that doubles a list sixty times takes a worker down: it fails, as one that overflows does.
pub const LIMIT: u64 = 1 << 24;

/// What went wrong in a row, and where in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Failure {
    /// The expression that failed.
    pub span: Span,
    /// Why.
    pub reason: Reason,
}

/// Why an expression has no value in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A whole number does not fit 64 bits.
    Overflow,
    /// A whole number is divided by zero.
    DivisionByZero,
    /// A list has no item of this number.
    NoItem,
    /// A text is no whole number.
    NotAnInt,
    /// A text is no number.
    NotAFloat,
    /// A number with a point is too large for a whole number, or is NaN.
    NoInt,
    /// An option is `None`, and `unwrap` wants what it holds.
    Nothing,
    /// The numbers that `hash` may give are bounded by less than one.
    NoBound,
    /// More than [`LIMIT`] items and bytes were made.
    TooLarge,
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Reason::Overflow => "an int overflows",
            Reason::DivisionByZero => "division by zero",
            Reason::NoItem => "the list has no such item",
            Reason::NotAnInt => "the text is no int",
            Reason::NotAFloat => "the text is no float",
            Reason::NoInt => "the float is no int",
            Reason::Nothing => "there is nothing to unwrap",
            Reason::NoBound => "a hash below less than 1 is wanted",
            Reason::TooLarge => "too many items and characters",
        })
    }
}
