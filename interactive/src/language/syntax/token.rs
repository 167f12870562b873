//! The words of the language.
//!
//! Only the words of *expressions* are reserved ([`RESERVED`]): a column may well be called `source`, `from` or `count`.
//! The words that begin a statement or a stage are known by where they stand.

use crate::language::files::Span;

/// Words that are never names, since an expression may begin or go on with them.
pub(crate) const RESERVED: [&str; 11] =
    ["and", "or", "not", "if", "then", "else", "case", "let", "in", "true", "false"];

/// Words that begin a statement.
pub(crate) const STATEMENTS: [&str; 9] =
    ["source", "import", "include", "type", "define", "let", "var", "loop", "export"];

/// Symbols, longer ones before their beginnings.
pub(crate) const SYMBOLS: [&str; 26] = [
    "==", "!=", "<=", ">=", "=>", "=", "<", ">", "+", "-", "*", "/", "%", "|", ".", ",", ";", ":", "(", ")", "{", "}",
    "[", "]", "_", "!",
];

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A name that begins with a small letter, or with `_`.
    Word,
    /// A name that begins with a capital: a declared type or a constructor.
    Capital,
    /// One of [`RESERVED`].
    Reserved(&'static str),
    /// At most 2^63, which only a minus before it makes an `int`.
    Int(u64),
    Float(f64),
    Text(String),
    Symbol(&'static str),
    /// The end of the file.
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) begins_line: bool,
}
