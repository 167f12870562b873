//! What was written, as a tree: names not yet looked up, types not yet known, spans kept.
//!
//! ```text
//!   Statement ── Bag ── Term        where rows come from
//!                  └─── Stage*      what is done to them, in order
//!                         └─ Expr   a value computed from a row
//! ```
//!
//! A bag is *flat*: a sum of terms, then a list of stages. Only parentheses nest, and the parser bounds how deep
//! ([`super::LIMIT`]); so does the height of an expression. So whoever walks or drops a tree may do it by recursion.

use crate::language::files::Span;
use crate::language::operators::{Binary, JoinKind};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct TypeExpr {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    /// `int`, or a declared type.
    Named(String),
    List(Box<TypeExpr>),
    Option(Box<TypeExpr>),
    Tuple(Vec<TypeExpr>),
}

#[derive(Clone, Debug)]
pub(crate) struct ColumnExpr {
    pub(crate) name: Name,
    pub(crate) of: TypeExpr,
}

#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) columns: Vec<ColumnExpr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Source { name: Name, columns: Columns, generator: Option<Generator> },
    Import { name: Name, columns: Columns, program: Name, export: Name },
    Include { path: String, path_span: Span },
    Type { name: Name, constructors: Vec<(Name, Option<TypeExpr>)> },
    Define { name: Name, parameters: Vec<Parameter>, body: Vec<Statement>, result: Option<Bag> },
    Let { name: Name, bag: Bag },
    Var { name: Name, columns: Option<Columns>, bag: Bag },
    Loop { name: Name, limit: Option<Expr>, by_rounds: bool, body: Vec<Statement> },
    Export { name: Name, bag: Bag },
}

#[derive(Clone, Debug)]
pub(crate) struct Generator {
    pub(crate) name: Name,
    pub(crate) arguments: Vec<Expr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) kind: ParameterKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ParameterKind {
    Bag(Columns),
    Scalar(TypeExpr),
}

#[derive(Clone, Debug)]
pub(crate) struct Bag {
    pub(crate) first: Term,
    /// Whether each is subtracted, and what.
    pub(crate) others: Vec<(bool, Term)>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) kind: TermKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TermKind {
    /// A collection here, or in a loop: `name`, `loop.name`.
    Path(Vec<Name>),
    Call {
        name: Name,
        arguments: Vec<Argument>,
    },
    Nested(Box<Bag>),
    Rows {
        columns: Columns,
        rows: Vec<(Vec<Expr>, Span)>,
    },
    Multiway(Vec<Atom>),
}

/// What a subprogram is given. Which of the two it is, its parameter says.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Bag(Bag),
    Scalar(Expr),
}

/// `edge(a, b)` within `join { .. }`.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) path: Vec<Name>,
    pub(crate) slots: Vec<(Slot, Span)>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Slot {
    Variable(String),
    Constant(Expr),
    Any,
}

#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) kind: StageKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StageKind {
    Select(Vec<Item>),
    Where(Expr),
    Unnest { list: Expr, item: Name, position: Option<Name> },
    Inspect(String),
    Distinct,
    Negate,
    Threshold(Expr),
    Except(Term),
    Intersect(Term),
    Join { kind: JoinKind, other: Term, alias: Option<Name>, on: Vec<(Expr, Expr)> },
    Group { keys: Vec<Item>, aggregates: Vec<AggregateExpr> },
    Top { count: Expr, by: Vec<(Expr, bool)>, per: Vec<Item> },
    EnterAt(Expr),
}

#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// `*`, or `* without (a, b)`.
    All {
        without: Vec<Name>,
        span: Span,
    },
    One {
        value: Expr,
        name: Option<Name>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct AggregateExpr {
    pub(crate) name: Name,
    pub(crate) function: Name,
    pub(crate) arguments: Vec<Expr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// How many levels of expressions this is, itself included.
    pub(crate) height: u16,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(u64),
    Float(f64),
    Bool(bool),
    Text(String),
    Name(String),
    /// `e.column`: a column of the side of a join that is called `e`.
    Qualified(Name, Name),
    /// `pair.0`.
    Field(Box<Expr>, u64),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Let(Name, Box<Expr>, Box<Expr>),
    Case(Box<Expr>, Vec<(Pattern, Expr)>),
    Call(Name, Vec<Expr>),
    Construct(Name, Vec<Expr>),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    /// `(value : type)`.
    Typed(Box<Expr>, TypeExpr),
    /// `(total, item) => total + item`, an argument of a function.
    Function(Vec<Name>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) kind: PatternKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum PatternKind {
    Any,
    Name(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Construct(Name, Vec<Pattern>),
    Tuple(Vec<Pattern>),
}
