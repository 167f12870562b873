//! Times as files write them: a number, or a text that sorts as its times do, such as `2010-02-09 03:05:20`.
//!
//! Numbers come before texts, so that any two moments have an order. A number is exact (see [`Seconds`]); a text of
//! digits too long for one is a text.

use crate::stream::seconds::Seconds;
use std::fmt;

/// When something happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// A number, of seconds or of anything else.
    Number(Seconds),
    /// Anything else.
    Text(Box<str>),
}

impl Moment {
    /// Reads a moment: every text is one.
    ///
    /// ```
    /// use interactive::sources::moment::Moment;
    /// assert!(Moment::parse("9") < Moment::parse("10") && Moment::parse("2010-02-09") < Moment::parse("2010-02-10"));
    /// ```
    pub fn parse(text: &str) -> Moment {
        let text = text.trim();
        text.parse().map_or_else(|_| Moment::Text(text.into()), Moment::Number)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Number(number) => number.fmt(out),
            Moment::Text(text) => out.write_str(text),
        }
    }
}
