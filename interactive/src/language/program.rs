//! A checked program: what a planner starts from.
//!
//! ```text
//!   Program ── Definition*                   flat, each knows its scope
//!                 └─ Bag = Part* Step*       a sum, then what is done to it
//!                      │      └─ Scalar      columns and locals by number, every type known
//!                      └─ Read(DefinitionId) names are resolved
//! ```
//!
//! Definitions of all scopes are in one list, in the order in which they are written. A scope is a path of loops, in
//! the program or in a subprogram:
//!
//! | a bag in scope `s` reads a definition of | which means |
//! |---|---|
//! | `s` itself, or a scope around it | the collection; entering each loop between, where it is the same in every round |
//! | a loop inside `s` | what the loop comes to, in its last round |
//! | and it is a `var` of `s` or around it | the value of the round before |
//!
//! The checker has made sure that:
//! 1. Apart from reading a `var` from within its loop, definitions do not depend on themselves (a loop depends on all
//!    that it reads).
//! 2. In a loop that is not [`Loop::by_rounds`], nothing depends on itself through a step that takes rows away when it is
//!    given more.
//! 3. No type has a hole; every column, local, field and constructor number is in range; every `case` has an arm for
//!    every value.
//! 4. Subprograms do not call themselves. Calls stand as calls: whoever unfolds them decides how far.
//!
//! It is no deeper than what was written (`syntax::LIMIT`), so recursion may walk it. Columns are shared by the steps that
//! keep them, so it is no larger either.

use super::files::Span;
use super::functions::{AggregateFunction, Function};
use super::operators::{Binary, JoinKind};
use super::types::{Column, Sum, Type};
use serde::Serialize;
use std::sync::Arc;

/// A program without mistakes.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Declared types.
    pub sums: Vec<Sum>,
    /// Collections of all scopes.
    pub definitions: Vec<Definition>,
    /// Loops of all scopes; one inside another comes after it.
    pub loops: Vec<Loop>,
    /// Subprograms.
    pub subprograms: Vec<Subprogram>,
}

/// The number of a definition in [`Program::definitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId(pub usize);

/// The number of a loop in [`Program::loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub usize);

/// The number of a subprogram in [`Program::subprograms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubprogramId(pub usize);

/// The number of a local name, its own within a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct LocalId(pub usize);

/// The innermost block around something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// None: the program itself.
    Program,
    /// A loop.
    Loop(LoopId),
    /// A subprogram.
    Subprogram(SubprogramId),
}

/// A collection.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name, unique in its scope.
    pub name: String,
    /// Where its name is written.
    pub span: Span,
    /// Where it stands.
    pub scope: Scope,
    /// Its columns, whose names differ.
    pub columns: Arc<[Column]>,
    /// Where its rows come from.
    pub kind: DefinitionKind,
}

impl Definition {
    /// What it is made of, if it is made of other collections.
    pub fn bag(&self) -> Option<&Bag> {
        match &self.kind {
            DefinitionKind::Let(bag) | DefinitionKind::Var(bag) | DefinitionKind::Export(bag) => Some(bag),
            _ => None,
        }
    }
}

/// Where the rows of a collection come from.
#[derive(Clone, Debug)]
pub enum DefinitionKind {
    /// From outside.
    Source,
    /// Made up.
    Generated(Generator),
    /// From an export of another program.
    Import {
        /// The other program.
        program: String,
        /// Its export.
        export: String,
    },
    /// From whoever calls the subprogram.
    Parameter,
    /// From other collections.
    Let(Bag),
    /// From other collections, one round later.
    Var(Bag),
    /// From other collections, to be seen from outside.
    Export(Bag),
}

/// What makes up a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Generator {
    /// The numbers from 0 up to this one.
    Iota(i64),
    /// Edges between random nodes.
    RandomGraph {
        /// Nodes are numbers below this.
        nodes: i64,
        /// How many edges.
        edges: i64,
        /// Another graph for every seed.
        seed: i64,
    },
    /// One row, the present epoch.
    Clock,
}

/// A block that is repeated until nothing changes.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its name.
    pub name: String,
    /// Where its name is written.
    pub span: Span,
    /// What it stands in.
    pub scope: Scope,
    /// After how many rounds to give up.
    pub limit: Option<Scalar>,
    /// Whether its author asked for the limit of the rounds, whatever they do.
    pub by_rounds: bool,
}

/// A program with parameters.
#[derive(Clone, Debug)]
pub struct Subprogram {
    /// Its name.
    pub name: String,
    /// Where its name is written.
    pub span: Span,
    /// What it is given.
    pub parameters: Vec<Parameter>,
    /// What it comes to: a definition of its own, called `return`.
    pub result: DefinitionId,
}

/// A parameter of a subprogram.
#[derive(Clone, Debug)]
pub enum Parameter {
    /// A collection, known inside as this definition.
    Bag(DefinitionId),
    /// A value, which the same in all of a call.
    Scalar {
        /// Its name.
        name: String,
        /// Its type.
        of: Type,
    },
}

/// A sum of bags, and what is done to it in order.
#[derive(Clone, Debug)]
pub struct Bag {
    /// What is added up, at least one.
    pub parts: Vec<Part>,
    /// What is done then.
    pub steps: Vec<Step>,
    /// All of it.
    pub span: Span,
    /// Its columns in the end.
    pub columns: Arc<[Column]>,
}

/// A part of a sum.
#[derive(Clone, Debug)]
pub struct Part {
    /// Whether it is taken away.
    pub subtracted: bool,
    /// What it is.
    pub term: Term,
}

/// Where rows come from.
#[derive(Clone, Debug)]
pub struct Term {
    /// From where.
    pub kind: TermKind,
    /// Where it is written.
    pub span: Span,
    /// Its columns.
    pub columns: Arc<[Column]>,
}

/// Where rows come from.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// A collection; see the page above for what that means in a loop.
    Read(DefinitionId),
    /// What a subprogram makes of these, one for each parameter.
    Call(SubprogramId, Vec<Argument>),
    /// A bag in parentheses.
    Nested(Box<Bag>),
    /// Rows as written: values that need no row.
    Rows(Vec<Vec<Scalar>>),
    /// A join of several collections: a row for each way to give every variable a value.
    Multiway {
        /// What must hold of the variables.
        atoms: Vec<Atom>,
    },
}

/// What a subprogram is given.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Rows.
    Bag(Bag),
    /// A value that needs no row.
    Scalar(Scalar),
}

/// A collection of a multiway join.
#[derive(Clone, Debug)]
pub struct Atom {
    /// Which.
    pub collection: DefinitionId,
    /// What each of its columns is.
    pub slots: Vec<Slot>,
    /// Where it is written.
    pub span: Span,
}

/// What a column of an atom is.
#[derive(Clone, Debug)]
pub enum Slot {
    /// The variable that is the term's column of this number.
    Variable(usize),
    /// Equal to this.
    Constant(Scalar),
    /// Anything.
    Any,
}

/// A step of a pipeline.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// Where it is written.
    pub span: Span,
    /// The columns afterwards.
    pub columns: Arc<[Column]>,
}

/// What is done to the rows so far.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A value for each column.
    Select(Vec<Scalar>),
    /// Keep a row if this holds.
    Where(Scalar),
    /// A row for each item: the row's columns, the item, and if asked for its position from 0.
    Unnest {
        /// The list.
        list: Scalar,
        /// Whether the position is a column too.
        position: bool,
    },
    /// Show changes as they happen.
    Inspect(String),
    /// Each row that is there, once.
    Distinct,
    /// Every count with the other sign.
    Negate,
    /// Each row that is there at least so often, once.
    Threshold(Scalar),
    /// The rows that are not in there, as often as they were.
    Except(Term),
    /// The rows that are in there too, as often as they were.
    Intersect(Term),
    /// Together with rows of another collection.
    Join(Join),
    /// A row for each group: the keys, then the aggregates.
    Group {
        /// Rows with equal keys make a group; without keys there is one group, if there are rows.
        keys: Vec<Scalar>,
        /// What becomes of each group.
        aggregates: Vec<Aggregate>,
    },
    /// The first rows of each group, equal ones in the order of whole rows.
    Top {
        /// How many.
        count: Scalar,
        /// What they are ordered by, and whether downwards.
        by: Vec<(Scalar, bool)>,
        /// Rows with equal values here make a group.
        per: Vec<Scalar>,
    },
    /// Each row comes into the loop in this round.
    EnterAt(Scalar),
}

/// A join with another collection.
#[derive(Clone, Debug)]
pub struct Join {
    /// What becomes of rows with a match and without.
    pub kind: JoinKind,
    /// The right side.
    pub other: Term,
    /// Pairs of values, of a left row and of a right row, that must be equal.
    pub on: Vec<(Scalar, Scalar)>,
    /// Which columns of the right side follow those of the left: all but those that equal a left one of their name.
    pub kept: Vec<usize>,
}

/// A value of a whole group.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Which.
    pub function: AggregateFunction,
    /// Of what, unless it counts rows.
    pub of: Option<Scalar>,
    /// Where it is written.
    pub span: Span,
}

/// A value that is computed from a row.
#[derive(Clone, Debug, Serialize)]
pub struct Scalar {
    /// How.
    pub kind: ScalarKind,
    /// Its type.
    pub of: Type,
    /// Where it is written: the place that an error row names.
    pub span: Span,
}

impl Scalar {
    /// Shows `each` the scalars that it is made of.
    pub fn for_each_part<'s>(&'s self, mut each: impl FnMut(&'s Scalar)) {
        match &self.kind {
            ScalarKind::Int(_)
            | ScalarKind::Float(_)
            | ScalarKind::Bool(_)
            | ScalarKind::Text(_)
            | ScalarKind::Column(_)
            | ScalarKind::Local(_)
            | ScalarKind::Parameter(_)
            | ScalarKind::Broken => {}
            ScalarKind::Tuple(parts) | ScalarKind::List(parts) | ScalarKind::Call(_, parts) => {
                parts.iter().for_each(each);
            }
            ScalarKind::Construct { payload, .. } => payload.iter().for_each(|payload| each(payload)),
            ScalarKind::Field(of, _) | ScalarKind::Negative(of) | ScalarKind::Not(of) | ScalarKind::Lambda(_, of) => {
                each(of);
            }
            ScalarKind::Binary(_, left, right) | ScalarKind::Let(_, left, right) => {
                each(left);
                each(right);
            }
            ScalarKind::If(condition, then, other) => [condition, then, other].into_iter().for_each(|part| each(part)),
            ScalarKind::Case(of, arms) => {
                each(of);
                arms.iter().for_each(|arm| each(&arm.value));
            }
        }
    }

    /// The scalars that it is made of.
    pub fn parts_mut(&mut self) -> Vec<&mut Scalar> {
        match &mut self.kind {
            ScalarKind::Int(_)
            | ScalarKind::Float(_)
            | ScalarKind::Bool(_)
            | ScalarKind::Text(_)
            | ScalarKind::Column(_)
            | ScalarKind::Local(_)
            | ScalarKind::Parameter(_)
            | ScalarKind::Broken => Vec::new(),
            ScalarKind::Tuple(parts) | ScalarKind::List(parts) | ScalarKind::Call(_, parts) => {
                parts.iter_mut().collect()
            }
            ScalarKind::Construct { payload, .. } => payload.iter_mut().map(|payload| &mut **payload).collect(),
            ScalarKind::Field(of, _) | ScalarKind::Negative(of) | ScalarKind::Not(of) | ScalarKind::Lambda(_, of) => {
                vec![of]
            }
            ScalarKind::Binary(_, left, right) | ScalarKind::Let(_, left, right) => vec![left, right],
            ScalarKind::If(condition, then, other) => vec![condition, then, other],
            ScalarKind::Case(of, arms) => {
                std::iter::once(&mut **of).chain(arms.iter_mut().map(|arm| &mut arm.value)).collect()
            }
        }
    }

    /// Reads other columns: for each, the one at the place that is said.
    pub fn move_columns(&mut self, place: &impl Fn(usize) -> usize) {
        if let ScalarKind::Column(at) = &mut self.kind {
            *at = place(*at);
        }
        self.parts_mut().into_iter().for_each(|part| part.move_columns(place));
    }
}

/// How a value is computed.
#[derive(Clone, Debug, Serialize)]
pub enum ScalarKind {
    /// A whole number.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(String),
    /// The row's column of this number.
    Column(usize),
    /// What `let`, a pattern or a function has named.
    Local(LocalId),
    /// The subprogram's parameter of this number.
    Parameter(usize),
    /// Values side by side.
    Tuple(Vec<Scalar>),
    /// A list.
    List(Vec<Scalar>),
    /// A value of a declared type, or of an option, whose constructors are `None`, 0, and `Some`, 1.
    Construct {
        /// The constructor's number.
        constructor: usize,
        /// What it holds.
        payload: Option<Box<Scalar>>,
    },
    /// A field of a tuple.
    Field(Box<Scalar>, usize),
    /// Less than nothing.
    Negative(Box<Scalar>),
    /// The other of true and false.
    Not(Box<Scalar>),
    /// An operator.
    Binary(Binary, Box<Scalar>, Box<Scalar>),
    /// Condition, value if it holds, value if not.
    If(Box<Scalar>, Box<Scalar>, Box<Scalar>),
    /// A name for the first in the second.
    Let(LocalId, Box<Scalar>, Box<Scalar>),
    /// The first arm whose pattern matches.
    Case(Box<Scalar>, Vec<Arm>),
    /// A function; an argument may be a [`ScalarKind::Lambda`].
    Call(Function, Vec<Scalar>),
    /// A function that is an argument; its type is that of its body.
    Lambda(Vec<LocalId>, Box<Scalar>),
    /// Of something that is wrong. No checked program has one.
    Broken,
}

/// An alternative of a `case`.
#[derive(Clone, Debug, Serialize)]
pub struct Arm {
    /// When it is taken.
    pub pattern: Pattern,
    /// The value then.
    pub value: Scalar,
}

/// What a value may look like.
#[derive(Clone, Debug, Serialize)]
pub struct Pattern {
    /// How.
    pub kind: PatternKind,
    /// Where it is written.
    pub span: Span,
}

/// What a value may look like.
#[derive(Clone, Debug, Serialize)]
pub enum PatternKind {
    /// Anything.
    Any,
    /// Anything, and a name for it.
    Bind(LocalId),
    /// This number.
    Int(i64),
    /// This number.
    Float(f64),
    /// This.
    Bool(bool),
    /// This text.
    Text(String),
    /// A constructor, by number, and what it holds.
    Construct(usize, Option<Box<Pattern>>),
    /// Field by field.
    Tuple(Vec<Pattern>),
}
