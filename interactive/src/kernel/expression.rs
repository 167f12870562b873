//! Scalars as they are evaluated: kinds in place of types, and what can be known of an expression before any row.
//!
//! ```text
//!   price * 2 + fold(sizes, 0, (sum, size) => sum + size)
//!   └ whole ─┘   └──────────────── alone ──────────────┘        a list function with a function: one row at a time
//!   └──────────────────── whole: two columns added ────┘
//! ```
//!
//! | known | for |
//! |---|---|
//! | its kind | the column that it becomes |
//! | `alone` | whether rows are taken one by one, with all that is in it |
//! | `fails` | whether it can fail: if not, it may be evaluated for rows that don't ask for it |
//! | `uses` | the columns and names that a part of the rows must be given |

use super::functions;
use crate::language::files::Span;
use crate::language::functions::Function;
use crate::language::operators::Binary;
use crate::language::program::{LocalId, Pattern as Written, PatternKind, Scalar, ScalarKind};
use crate::language::types::Type;
use crate::value::{Float, Kind, Kinds, Value, Values};
use differential::column::Column;
use std::collections::{BTreeSet, HashMap};

/// A scalar, ready to be evaluated.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) op: Op,
    pub(super) kind: Kind,
    pub(super) span: Span,
    pub(super) alone: bool,
    pub(super) fails: bool,
    pub(super) uses: Uses,
}

/// What an expression reads: fields of the row, and names bound outside of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) columns: BTreeSet<usize>,
    pub(super) locals: BTreeSet<usize>,
}

impl Uses {
    fn add(&mut self, other: &Uses) {
        self.columns.extend(&other.columns);
        self.locals.extend(&other.locals);
    }
}

#[derive(Clone, Debug)]
pub(super) enum Op {
    /// A value, and a column that has it in its only row.
    Constant(Value, Values),
    Column(usize),
    Local(usize),
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Construct(u32, Option<Box<Expr>>),
    Field(Box<Expr>, usize),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Let(usize, Box<Expr>, Box<Expr>),
    Case(Box<Expr>, Vec<(Pattern, Expr)>),
    Call(Function, Vec<Expr>),
    /// Of names to a value; an argument of a call.
    Lambda(Vec<usize>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Any,
    Bind(usize),
    /// A value without parts.
    Equal(Value),
    Construct(u32, Option<Box<Pattern>>),
    Tuple(Vec<Pattern>),
}

impl Pattern {
    /// The names that it binds.
    pub(super) fn names(&self, into: &mut Vec<usize>) {
        match self {
            Pattern::Bind(slot) => into.push(*slot),
            Pattern::Construct(_, Some(held)) => held.names(into),
            Pattern::Tuple(fields) => fields.iter().for_each(|field| field.names(into)),
            Pattern::Any | Pattern::Equal(_) | Pattern::Construct(_, None) => {}
        }
    }
}

/// Whether a scalar fails for some row, whatever its parts do.
fn fails_itself(scalar: &Scalar) -> bool {
    match &scalar.kind {
        ScalarKind::Negative(_)
        | ScalarKind::Binary(
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder,
            ..,
        ) => scalar.of == Type::Int,
        // What makes lists or texts may make too much.
        ScalarKind::List(_) => true,
        ScalarKind::Call(function, _) => functions::fails(*function, &scalar.of),
        _ => false,
    }
}

/// Whether a row may fail: what [`Kernel::fails`](super::Kernel::fails) says of it alone, without compiling anything.
pub(crate) fn fails(scalar: &Scalar) -> bool {
    let mut any = fails_itself(scalar);
    scalar.for_each_part(|part| any = any || fails(part));
    any
}

/// Makes expressions of scalars; names become numbers without gaps.
pub(super) struct Compiler<'a> {
    kinds: &'a Kinds,
    slots: HashMap<LocalId, usize>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(kinds: &'a Kinds) -> Self {
        Compiler { kinds, slots: HashMap::new() }
    }

    /// How many names there are.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    fn slot(&mut self, local: LocalId) -> usize {
        let next = self.slots.len();
        *self.slots.entry(local).or_insert(next)
    }

    pub(super) fn expr(&mut self, scalar: &Scalar) -> Expr {
        let op = match &scalar.kind {
            ScalarKind::Int(number) => constant(Value::Int(*number), &Kind::Int),
            ScalarKind::Float(number) => constant(Value::Float(Float::from(*number)), &Kind::Float),
            ScalarKind::Bool(holds) => constant(Value::Bool(*holds), &Kind::Bool),
            ScalarKind::Text(text) => constant(Value::text(text), &Kind::Text),
            ScalarKind::Column(at) => Op::Column(*at),
            ScalarKind::Local(local) => Op::Local(self.slot(*local)),
            ScalarKind::Tuple(fields) => Op::Tuple(self.exprs(fields)),
            ScalarKind::List(items) => Op::List(self.exprs(items)),
            ScalarKind::Construct { constructor, payload } => {
                let payload = payload.as_ref().map(|payload| Box::new(self.expr(payload)));
                Op::Construct(*constructor as u32, payload)
            }
            ScalarKind::Field(of, at) => Op::Field(self.boxed(of), *at),
            ScalarKind::Negative(of) => Op::Negative(self.boxed(of)),
            ScalarKind::Not(of) => Op::Not(self.boxed(of)),
            ScalarKind::Binary(operator, left, right) => Op::Binary(*operator, self.boxed(left), self.boxed(right)),
            ScalarKind::If(condition, yes, no) => Op::If(self.boxed(condition), self.boxed(yes), self.boxed(no)),
            ScalarKind::Let(local, value, body) => Op::Let(self.slot(*local), self.boxed(value), self.boxed(body)),
            ScalarKind::Case(value, arms) => {
                let value = self.boxed(value);
                let arms = arms.iter().map(|arm| (self.pattern(&arm.pattern), self.expr(&arm.value)));
                Op::Case(value, arms.collect())
            }
            ScalarKind::Call(function, arguments) => Op::Call(*function, self.exprs(arguments)),
            ScalarKind::Lambda(locals, body) => {
                Op::Lambda(locals.iter().map(|local| self.slot(*local)).collect(), self.boxed(body))
            }
            ScalarKind::Parameter(at) => panic!("a plan has no parameters, and here is number {at}"),
            ScalarKind::Broken => panic!("a checked program has nothing broken"),
        };
        let (alone, uses) = (op.alone(), op.uses());
        let fails = fails_itself(scalar) || op.parts().iter().any(|part| part.fails);
        Expr { op, kind: self.kinds.kind(&scalar.of), span: scalar.span, alone, fails, uses }
    }

    fn boxed(&mut self, scalar: &Scalar) -> Box<Expr> {
        Box::new(self.expr(scalar))
    }

    fn exprs(&mut self, scalars: &[Scalar]) -> Vec<Expr> {
        scalars.iter().map(|scalar| self.expr(scalar)).collect()
    }

    fn pattern(&mut self, pattern: &Written) -> Pattern {
        match &pattern.kind {
            PatternKind::Any => Pattern::Any,
            PatternKind::Bind(local) => Pattern::Bind(self.slot(*local)),
            PatternKind::Int(number) => Pattern::Equal(Value::Int(*number)),
            PatternKind::Float(number) => Pattern::Equal(Value::Float(Float::from(*number))),
            PatternKind::Bool(holds) => Pattern::Equal(Value::Bool(*holds)),
            PatternKind::Text(text) => Pattern::Equal(Value::text(text)),
            PatternKind::Construct(at, held) => {
                Pattern::Construct(*at as u32, held.as_ref().map(|held| Box::new(self.pattern(held))))
            }
            PatternKind::Tuple(fields) => Pattern::Tuple(fields.iter().map(|field| self.pattern(field)).collect()),
        }
    }
}

fn constant(value: Value, kind: &Kind) -> Op {
    let mut column = Values::empty(kind);
    column.push_value(&value);
    Op::Constant(value, column)
}

impl Op {
    /// Its parts.
    fn parts(&self) -> Vec<&Expr> {
        match self {
            Op::Constant(..) | Op::Column(_) | Op::Local(_) | Op::Construct(_, None) => Vec::new(),
            Op::Tuple(parts) | Op::List(parts) | Op::Call(_, parts) => parts.iter().collect(),
            Op::Construct(_, Some(part))
            | Op::Field(part, _)
            | Op::Negative(part)
            | Op::Not(part)
            | Op::Lambda(_, part) => vec![part],
            Op::Binary(_, one, two) | Op::Let(_, one, two) => vec![one, two],
            Op::If(one, two, three) => vec![one, two, three],
            Op::Case(value, arms) => std::iter::once(&**value).chain(arms.iter().map(|(_, value)| value)).collect(),
        }
    }

    fn alone(&self) -> bool {
        match self {
            Op::List(_) | Op::Lambda(..) => true,
            Op::Call(function, _) => functions::is_row_by_row(*function),
            _ => false,
        }
    }

    fn uses(&self) -> Uses {
        let mut uses = Uses::default();
        match self {
            Op::Column(at) => _ = uses.columns.insert(*at),
            Op::Local(slot) => _ = uses.locals.insert(*slot),
            Op::Let(slot, value, body) => {
                uses.add(&body.uses);
                uses.locals.remove(slot);
                uses.add(&value.uses);
            }
            Op::Lambda(slots, body) => {
                uses.add(&body.uses);
                slots.iter().for_each(|slot| _ = uses.locals.remove(slot));
            }
            Op::Case(value, arms) => {
                for (pattern, value) in arms {
                    let (mut own, mut names) = (value.uses.clone(), Vec::new());
                    pattern.names(&mut names);
                    names.iter().for_each(|slot| _ = own.locals.remove(slot));
                    uses.add(&own);
                }
                uses.add(&value.uses);
            }
            _ => self.parts().iter().for_each(|part| uses.add(&part.uses)),
        }
        uses
    }
}
