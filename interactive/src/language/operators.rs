//! Operators that the written and the checked tree share.

use serde::Serialize;

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, which of `int`s rounds towards zero.
    Divide,
    /// `%`, which has the sign of its left side.
    Remainder,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `and`, which looks at its right side only if the left is true.
    And,
    /// `or`, which looks at its right side only if the left is false.
    Or,
}

impl Binary {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
            Binary::Equal => "==",
            Binary::Unequal => "!=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::And => "and",
            Binary::Or => "or",
        }
    }
}

/// What becomes of rows that match, and of those that don't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// A row for each pair that matches.
    Inner,
    /// Also a row for each left row without a match; right columns are options.
    Left,
    /// The left rows that have a match, each as often as it was.
    Semi,
    /// The left rows that have none.
    Anti,
    /// A row for each pair.
    Cross,
}

impl JoinKind {
    /// As it is written.
    pub fn words(self) -> &'static str {
        match self {
            JoinKind::Inner => "join",
            JoinKind::Left => "left join",
            JoinKind::Semi => "semijoin",
            JoinKind::Anti => "antijoin",
            JoinKind::Cross => "cross join",
        }
    }
}
