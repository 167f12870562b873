//! What is to be known of the functions, and what they do to one value, or to the parts of it that matter: the one place
//! of their meaning.
//!
//! Both ways of evaluating come here, so that a row means the same however it is looked at.

use super::failure::{LIMIT, Reason};
use crate::language::functions::Function;
use crate::language::types::Type;
use std::ops::Range;

/// Whether rows are taken one by one: what makes or searches lists, whose items have no rows of their own.
pub(super) fn is_row_by_row(function: Function) -> bool {
    matches!(
        function,
        Function::ConcatLists
            | Function::ContainsItem
            | Function::Filter
            | Function::Fold
            | Function::Map
            | Function::Range
            | Function::Reverse
            | Function::Sort
            | Function::Split
    )
}

/// Whether a function that makes an `of` fails for some arguments. What makes lists or texts may make too much.
pub(super) fn fails(function: Function, of: &Type) -> bool {
    match function {
        Function::Absolute => *of == Type::Int,
        Function::Bits
        | Function::Ceiling
        | Function::Contains
        | Function::EndsWith
        | Function::Floor
        | Function::Greatest
        | Function::IsNone
        | Function::IsSome
        | Function::Least
        | Function::Length
        | Function::LengthOfList
        | Function::OrElse
        | Function::Round
        | Function::SquareRoot
        | Function::StartsWith
        | Function::Substring
        | Function::ToFloat
        | Function::ToText
        | Function::Trim
        | Function::TryFloat
        | Function::TryInt => false,
        Function::Concat
        | Function::ConcatLists
        | Function::ContainsItem
        | Function::Filter
        | Function::Fold
        | Function::Hash
        | Function::Index
        | Function::Lower
        | Function::Map
        | Function::ParseFloat
        | Function::ParseInt
        | Function::Range
        | Function::Reverse
        | Function::Sort
        | Function::Split
        | Function::ToInt
        | Function::Unwrap
        | Function::Upper => true,
    }
}

/// `left / right` of whole numbers, towards zero.
#[inline]
pub(super) fn divide(left: i64, right: i64) -> Result<i64, Reason> {
    if right == 0 {
        return Err(Reason::DivisionByZero);
    }
    left.checked_div(right).ok_or(Reason::Overflow)
}

/// What is left of `left / right`, with the sign of the left one.
#[inline]
pub(super) fn remainder(left: i64, right: i64) -> Result<i64, Reason> {
    // The least number divided by -1 leaves nothing, though it has no quotient.
    if right == 0 { Err(Reason::DivisionByZero) } else { Ok(left.wrapping_rem(right)) }
}

/// How many binary digits a number has without its sign.
#[inline]
pub(super) fn bits(number: i64) -> i64 {
    i64::from(u64::BITS - number.unsigned_abs().leading_zeros())
}

/// What is before the point.
#[inline]
pub(super) fn to_int(number: f64) -> Result<i64, Reason> {
    // 2 to the 63 is a float, and the first that does not fit; NaN is in no range.
    const END: f64 = 9_223_372_036_854_775_808.0;
    if (-END..END).contains(&number) { Ok(number as i64) } else { Err(Reason::NoInt) }
}

pub(super) fn parse_int(text: &str) -> Result<i64, Reason> {
    text.parse().map_err(|_| Reason::NotAnInt)
}

pub(super) fn parse_float(text: &str) -> Result<f64, Reason> {
    text.parse().map_err(|_| Reason::NotAFloat)
}

/// In characters.
pub(super) fn length(text: &str) -> i64 {
    text.chars().count() as i64
}

/// The characters from `start` on, `count` of them, as far as they are there.
pub(super) fn substring(text: &str, start: i64, count: i64) -> &str {
    let end = start.saturating_add(count.max(0)).max(0);
    let start = start.max(0);
    let at = |number: i64| {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        text.char_indices().nth(number).map_or(text.len(), |(at, _)| at)
    };
    if start >= end { "" } else { &text[at(start)..at(end)] }
}

/// The parts between separators; of an empty separator, the characters.
pub(super) fn split<'a>(text: &'a str, separator: &'a str) -> Box<dyn Iterator<Item = &'a str> + 'a> {
    if separator.is_empty() {
        Box::new(text.char_indices().map(|(at, letter)| &text[at..at + letter.len_utf8()]))
    } else {
        Box::new(text.split(separator))
    }
}

/// A list's item by number.
#[inline]
pub(super) fn index(items: Range<usize>, number: i64) -> Result<usize, Reason> {
    match usize::try_from(number) {
        Ok(number) if number < items.len() => Ok(items.start + number),
        _ => Err(Reason::NoItem),
    }
}

/// A number below `bound` out of a hash.
#[inline]
pub(super) fn bounded(hash: u64, bound: i64) -> Result<i64, Reason> {
    if bound < 1 { Err(Reason::NoBound) } else { Ok((hash % bound as u64) as i64) }
}

/// Says that a text is not too long.
#[inline]
pub(super) fn limited(bytes: usize) -> Result<(), Reason> {
    if bytes as u64 > LIMIT { Err(Reason::TooLarge) } else { Ok(()) }
}
