//! Numbers with a fraction, as keys and values: a `f64` in a total order.
//!
//! ```text
//!   -infinity ... -1 ... 0 ... 1 ... infinity, not a number
//! ```
//!
//! Data has one order and equality that agrees with it, which `f64` lacks. [`Float`] holds the number as the integer whose
//! order is that of the numbers: bits of a positive one with the sign set, all bits of a negative one flipped. So it is
//! stored, sorted, hashed and sent as a `u64` is. Both zeros are one, and all that are not a number are one, above all
//! others: what cannot be told apart by arithmetic is not told apart as a key.

use std::fmt;

use super::Data;
use super::hash::absorb;
use super::integers::Integer;
use crate::bytes::{Malformed, Portable, Reader};

const SIGN: u64 = 1 << 63;

/// A `f64` that can be a key or a value.
///
/// There is no arithmetic on it: take the number out with [`get`](Float::get).
///
/// ```
/// use differential::column::Float;
///
/// let mut numbers = [f64::NAN, 0.5, -2.0, f64::INFINITY, -0.0].map(Float::from);
/// numbers.sort();
/// assert_eq!(numbers.map(|number| number.to_string()), ["-2", "0", "0.5", "inf", "NaN"]);
/// assert_eq!(Float::from(-0.0), Float::from(0.0));
/// assert_eq!(Float::from(0.1).get(), 0.1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Float {
    /// The integer that stands where the number does.
    ordered: u64,
}

impl Float {
    /// The number.
    #[inline]
    pub fn get(self) -> f64 {
        f64::from_bits(if self.ordered & SIGN == 0 { !self.ordered } else { self.ordered ^ SIGN })
    }
}

impl From<f64> for Float {
    #[inline]
    fn from(number: f64) -> Self {
        // Adding zero makes the negative zero the other one.
        let bits = if number.is_nan() { f64::NAN.to_bits() & !SIGN } else { (number + 0.0).to_bits() };
        Float { ordered: if bits & SIGN == 0 { bits | SIGN } else { !bits } }
    }
}

impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

impl Data for Float {
    type Column = Vec<Float>;
}

impl Integer for Float {
    const PREFIX_BITS: u32 = u64::BITS;
    const EXACT_PREFIX: bool = true;

    #[inline]
    fn prefix(self) -> u64 {
        self.ordered
    }
    #[inline]
    fn of_prefix(prefix: u64) -> Self {
        Float { ordered: prefix }
    }
    #[inline]
    fn absorb_into(self, state: u64) -> u64 {
        absorb(state, self.ordered)
    }
}

impl Portable for Float {
    fn values_len<'a>(values: impl ExactSizeIterator<Item = &'a Self> + Clone) -> usize {
        values.len() * size_of::<u64>()
    }
    fn write_values(values: &[Self], into: &mut Vec<u8>) {
        let ordered: Vec<u64> = values.iter().map(|number| number.ordered).collect();
        u64::write_values(&ordered, into);
    }
    fn read_values(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, Malformed> {
        Ok(u64::read_values(count, from)?.into_iter().map(Float::of_prefix).collect())
    }
}
