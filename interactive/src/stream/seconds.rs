//! Times in seconds with decimals, exact.
//!
//! A window's edge is a comparison, `T - SECONDS < time`, and a row on the edge must fall on the right side of it.
//! In binary floating point `1082040961.3 - 0.1` is not `1082040961.2`; so a time is an integer here, counted in
//! units of 10^-18 seconds, which a 128-bit integer holds for every second that fits in 64 bits.
//!
//! Cost: one multiplication and addition a digit. Tested at the end of this file.

use std::fmt;
use std::str::FromStr;

/// Decimals kept: more of them than this is an error, not a rounding.
const DECIMALS: u32 = 18;

/// How many units make a second.
const UNITS: i128 = 10_i128.pow(DECIMALS);

/// A time or a length of time in seconds, exact to 18 decimals.
///
/// ```
/// use interactive::stream::seconds::Seconds;
/// let [time, width]: [Seconds; 2] = ["1082040961.3", "0.1"].map(|text| text.parse().unwrap());
/// assert_eq!(time.before(width).to_string(), "1082040961.2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(i128);

/// Why a text is not a [`Seconds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSeconds {
    /// Something else than an optional minus sign, digits, and a point followed by digits.
    Malformed,
    /// More than 18 digits after the point.
    TooManyDecimals,
    /// The whole seconds do not fit in 64 bits with sign.
    OutOfRange,
}

impl Seconds {
    /// No time at all.
    pub const ZERO: Seconds = Seconds(0);

    /// The time `width` before this one. Cannot overflow: both fit in 124 bits.
    pub fn before(self, width: Seconds) -> Seconds {
        Seconds(self.0 - width.0)
    }
}

impl FromStr for Seconds {
    type Err = NotSeconds;

    fn from_str(text: &str) -> Result<Seconds, NotSeconds> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) {
            return Err(NotSeconds::Malformed);
        }
        if decimals.len() > DECIMALS as usize {
            return Err(NotSeconds::TooManyDecimals);
        }
        let whole: i64 = whole.parse().map_err(|_| NotSeconds::OutOfRange)?;
        // At most 18 digits, so below 10^18: it fits.
        let part = decimals.bytes().fold(0, |part, digit| 10 * part + i128::from(digit - b'0'));
        let part = part * 10_i128.pow(DECIMALS - decimals.len() as u32);
        let units = i128::from(whole) * UNITS + part;
        Ok(Seconds(if negative { -units } else { units }))
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0.abs() / UNITS, self.0.abs() % UNITS);
        let sign = if self.0 < 0 { "-" } else { "" };
        if part == 0 {
            return write!(out, "{sign}{whole}");
        }
        let decimals = format!("{part:0width$}", width = DECIMALS as usize);
        write!(out, "{sign}{whole}.{}", decimals.trim_end_matches('0'))
    }
}

impl fmt::Display for NotSeconds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            NotSeconds::Malformed => "wanted seconds such as 1082040961 or 0.25",
            NotSeconds::TooManyDecimals => "more than 18 decimals",
            NotSeconds::OutOfRange => "more seconds than fit in 64 bits",
        })
    }
}

impl std::error::Error for NotSeconds {}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Seconds {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn what_is_printed_is_what_was_read() {
        for text in ["0", "7", "-7", "0.5", "-0.5", "1082040961.000001", "9223372036854775807.999999999999999999"] {
            assert_eq!(seconds(text).to_string(), text);
        }
        assert_eq!(seconds("-0.0").to_string(), "0");
        assert_eq!(seconds("007.250").to_string(), "7.25");
    }

    /// All pairs of a small world, held against integers: hundredths of a second.
    #[test]
    fn order_and_difference_are_those_of_the_numbers() {
        let text = |hundredths: i64| {
            let sign = if hundredths < 0 { "-" } else { "" };
            format!("{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100)
        };
        for left in -120..=120 {
            for right in -120..=120 {
                let (a, b) = (seconds(&text(left)), seconds(&text(right)));
                assert_eq!(a.cmp(&b), left.cmp(&right), "{a} and {b}");
                assert_eq!(a.before(b), seconds(&text(left - right)), "{a} minus {b}");
            }
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        for text in ["", "-", ".", ".5", "5.", "+5", "1e9", "0x10", "1_000", "1,5", "--1", "1.2.3", "nan", "\u{663}"] {
            assert_eq!(text.parse::<Seconds>(), Err(NotSeconds::Malformed), "{text}");
        }
        assert_eq!("0.0000000000000000001".parse::<Seconds>(), Err(NotSeconds::TooManyDecimals));
        assert_eq!("9223372036854775808".parse::<Seconds>(), Err(NotSeconds::OutOfRange));
    }
}
