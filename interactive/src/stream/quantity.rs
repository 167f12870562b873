//! Quantities as a person types them: `unit=quantity`, so that a number never lacks its unit.

use super::commits::Step;
use super::seconds::Seconds;
use std::num::{IntErrorKind, NonZeroU64};
use std::str::FromStr;

/// Splits `unit=quantity`.
///
/// # Errors
/// What was wanted.
pub fn quantity<'a>(text: &'a str, wanted: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once('=').ok_or_else(|| format!("wanted {wanted}"))
}

/// A number of at least one.
///
/// # Errors
/// What is wrong with it.
pub fn positive(text: &str) -> Result<NonZeroU64, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<NonZeroU64>() {
        Ok(number) if digits => Ok(number),
        Err(error) if digits && *error.kind() == IntErrorKind::PosOverflow => {
            Err(format!("{text} is out of range: at most {}", u64::MAX))
        }
        _ => Err("wanted a number of at least 1 after `=`".to_string()),
    }
}

/// A whole number.
///
/// # Errors
/// That one was wanted, or a smaller one.
pub fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().map_err(|_| match digits {
        true => format!("{text} is out of range"),
        false => "wanted a whole number".to_string(),
    })
}

/// A length of time, or another span.
///
/// # Errors
/// What is wrong with it.
pub fn span(text: &str) -> Result<Seconds, String> {
    match text.parse::<Seconds>() {
        Ok(width) if width > Seconds::ZERO => Ok(width),
        Ok(_) => Err("wanted more than no time after `=`".to_string()),
        Err(reason) => Err(reason.to_string()),
    }
}

/// How far apart reports are: `rows=N` or `commits=N`.
///
/// # Errors
/// What is wrong with it.
pub fn step(text: &str) -> Result<Step, String> {
    match quantity(text, "rows=N or commits=N")? {
        ("rows", rows) => positive(rows).map(Step::Rows),
        ("commits", commits) => positive(commits).map(Step::Commits),
        _ => Err("wanted rows=N or commits=N".to_string()),
    }
}
