//! Numbers as 64 bits whose unsigned order is theirs.
//!
//! ```text
//!   int      sign bit flipped                              i64::MIN is 0
//!   float    not negative: sign bit flipped                -inf .. -0.0  0.0 .. inf  NaN
//!            negative: all bits flipped
//! ```
//!
//! A column of either is a `Vec<u64>` that is its own prefixes: sorts, searches and joins read it without a copy. The
//! price is an exclusive or on the way to arithmetic. Invariant of floats: there is one NaN, the positive quiet one, so
//! equal numbers are equal lanes.

/// The bit that is flipped.
pub const SIGN: u64 = 1 << 63;

/// The lane of an int.
#[inline]
pub const fn of_int(number: i64) -> u64 {
    number as u64 ^ SIGN
}

/// The int of a lane.
#[inline]
pub const fn int(lane: u64) -> i64 {
    (lane ^ SIGN) as i64
}

/// The lane of a float; all NaNs have one.
#[inline]
pub fn of_float(number: f64) -> u64 {
    let bits = if number.is_nan() { f64::NAN.to_bits() & !SIGN } else { number.to_bits() };
    // All ones where the sign is set, else the sign alone.
    bits ^ (((bits as i64 >> 63) as u64) | SIGN)
}

/// The float of a lane.
#[inline]
pub fn float(lane: u64) -> f64 {
    f64::from_bits(lane ^ (((!lane as i64 >> 63) as u64) | SIGN))
}

/// Whether a lane is one of a float: of all NaNs, only one is.
#[inline]
pub fn is_float(lane: u64) -> bool {
    of_float(float(lane)) == lane
}
