//! Values: each expression gets its type from what it is made of, and fills holes from what stands beside it.

use super::checker::Checker;
use super::cover::left_over;
use super::rows::Row;
use super::world::{DeclaredParameter, Entry};
use crate::language::files::Span;
use crate::language::mistake::{Mistake, Problem};
use crate::language::operators::Binary;
use crate::language::program::{Arm, Scalar, ScalarKind};
use crate::language::syntax::tree::{Expr, ExprKind, Pattern};
use crate::language::types::{Type, unify};

impl Checker<'_, '_> {
    /// A value of a row, whose type is known.
    pub(super) fn value(&mut self, written: &Expr, row: &Row) -> Scalar {
        let value = self.scalar(written, row);
        self.whole(&value);
        value
    }

    /// A value of this type.
    pub(super) fn value_of(&mut self, written: &Expr, row: &Row, of: &Type, wanted_by: &'static str) -> Scalar {
        let mut value = self.scalar(written, row);
        self.fit(&mut value, of, wanted_by);
        self.whole(&value);
        value
    }

    /// Makes the value one of this type, or tells that it is another.
    pub(super) fn fit(&mut self, value: &mut Scalar, of: &Type, wanted_by: &'static str) {
        match unify(&value.of, of) {
            Some(of) => settle(value, &of),
            None => {
                let (found, wanted) = (value.of.clone(), of.clone());
                self.tell(value.span, Problem::WrongType { found, wanted, wanted_by });
                value.of = Type::Broken;
            }
        }
    }

    /// Makes both of one type, or tells that they are of two.
    fn agree(&mut self, left: &mut Scalar, right: &mut Scalar, what: &'static str) -> Type {
        match unify(&left.of, &right.of) {
            Some(of) => {
                settle(left, &of);
                settle(right, &of);
                of
            }
            None => {
                let problem =
                    Problem::Disagree { what, left: left.of.clone(), left_span: left.span, right: right.of.clone() };
                self.tell(right.span, problem);
                Type::Broken
            }
        }
    }

    /// Tells what is left with a hole, innermost and once.
    fn whole(&mut self, value: &Scalar) {
        if let Some(span) = hole(value) {
            self.tell(span, Problem::UnknownItemType);
        }
    }

    /// A value of a row; its type may still have holes.
    pub(super) fn scalar(&mut self, written: &Expr, row: &Row) -> Scalar {
        let span = written.span;
        let (kind, of) = match &written.kind {
            ExprKind::Int(number) => match i64::try_from(*number) {
                Ok(number) => (ScalarKind::Int(number), Type::Int),
                Err(_) => {
                    self.tell(span, Problem::NumberTooLarge { text: number.to_string() });
                    (ScalarKind::Int(0), Type::Int)
                }
            },
            ExprKind::Float(number) => (ScalarKind::Float(*number), Type::Float),
            ExprKind::Bool(value) => (ScalarKind::Bool(*value), Type::Bool),
            ExprKind::Text(text) => (ScalarKind::Text(text.clone()), Type::Text),
            ExprKind::Name(name) => self.named(name, span, row),
            ExprKind::Qualified(side, column) => match row.qualified(&side.text, &column.text, self.is_helpful()) {
                Ok((at, of)) => (ScalarKind::Column(at), of),
                Err(problem) => self.broken(span, problem),
            },
            ExprKind::Field(of, field) => self.field(of, *field, span, row),
            ExprKind::Negative(inner) => match &inner.kind {
                ExprKind::Int(number) => (ScalarKind::Int((*number as i64).wrapping_neg()), Type::Int),
                _ => {
                    let value = self.scalar(inner, row);
                    let of = self.number(&value, "-");
                    (ScalarKind::Negative(Box::new(value)), of)
                }
            },
            ExprKind::Not(inner) => {
                let mut value = self.scalar(inner, row);
                self.fit(&mut value, &Type::Bool, "`not`");
                (ScalarKind::Not(Box::new(value)), Type::Bool)
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.scalar(left, row), self.scalar(right, row));
                self.binary(*operator, left, right, span)
            }
            ExprKind::If(condition, then, other) => {
                let mut condition = self.scalar(condition, row);
                self.fit(&mut condition, &Type::Bool, "the condition of `if`");
                let (mut then, mut other) = (self.scalar(then, row), self.scalar(other, row));
                let of = self.agree(&mut then, &mut other, "the two values of `if`");
                (ScalarKind::If(Box::new(condition), Box::new(then), Box::new(other)), of)
            }
            ExprKind::Let(name, value, body) => {
                let value = self.scalar(value, row);
                let local = self.bind(&name.text, value.of.clone());
                let body = self.scalar(body, row);
                self.locals.pop();
                let of = body.of.clone();
                (ScalarKind::Let(local, Box::new(value), Box::new(body)), of)
            }
            ExprKind::Case(value, arms) => self.case(value, arms, span, row),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span, row),
            ExprKind::Construct(name, arguments) => self.construct(name, arguments, span, row),
            ExprKind::List(items) => {
                let mut items: Vec<Scalar> = items.iter().map(|item| self.scalar(item, row)).collect();
                let mut of = Type::Hole;
                for item in &items {
                    match unify(&of, &item.of) {
                        Some(both) => of = both,
                        None => {
                            let (left, right) = (of.clone(), item.of.clone());
                            let what = "the items of a list";
                            self.tell(item.span, Problem::Disagree { what, left, left_span: items[0].span, right });
                            of = Type::Broken;
                        }
                    }
                }
                items.iter_mut().for_each(|item| settle(item, &of));
                (ScalarKind::List(items), self.sized(span, Type::List(Box::new(of))))
            }
            ExprKind::Tuple(fields) => {
                let fields: Vec<Scalar> = fields.iter().map(|field| self.scalar(field, row)).collect();
                let of = Type::Tuple(fields.iter().map(|field| field.of.clone()).collect());
                (ScalarKind::Tuple(fields), self.sized(span, of))
            }
            ExprKind::Typed(value, of) => {
                let of = self.type_of(of);
                let mut value = self.scalar(value, row);
                self.fit(&mut value, &of, "the type that is written");
                return Scalar { span, of, ..value };
            }
            ExprKind::Function(..) => self.broken(span, Some(Problem::FunctionAsValue)),
        };
        Scalar { kind, of, span }
    }

    pub(super) fn broken(&mut self, span: Span, problem: Option<Problem>) -> (ScalarKind, Type) {
        if let Some(problem) = problem {
            self.tell(span, problem);
        }
        (ScalarKind::Broken, Type::Broken)
    }

    /// A local name, a column, or a parameter that is a value: the innermost.
    fn named(&mut self, name: &str, span: Span, row: &Row) -> (ScalarKind, Type) {
        if let Some((_, id, of)) = self.locals.iter().rev().find(|(local, _, _)| local == name) {
            return (ScalarKind::Local(*id), of.clone());
        }
        let locals: Vec<String> = self.locals.iter().map(|(local, _, _)| local.clone()).collect();
        match row.named(name, &locals, self.is_helpful()) {
            Ok((at, of)) => (ScalarKind::Column(at), of),
            Err(problem) => match self.parameter(name) {
                Some((at, of)) => (ScalarKind::Parameter(at), of),
                None => self.broken(span, problem),
            },
        }
    }

    fn parameter(&mut self, name: &str) -> Option<(usize, Type)> {
        let world = self.world;
        let (Entry::Value(at), _) = world.find(self.scope, name)? else { return None };
        let id = world.within_subprogram(self.scope)?;
        match world.subprograms[id.0].parameters.get(at)? {
            DeclaredParameter::Value(_, of) => {
                // Told where it is declared.
                let quiet = std::mem::replace(&mut self.quiet, true);
                let of = self.type_of(of);
                self.quiet = quiet;
                Some((at, of))
            }
            DeclaredParameter::Bag(_) => None,
        }
    }

    fn field(&mut self, of: &Expr, field: u64, span: Span, row: &Row) -> (ScalarKind, Type) {
        let value = self.scalar(of, row);
        let at = usize::try_from(field).unwrap_or(usize::MAX);
        match &value.of {
            Type::Tuple(fields) => match fields.get(at) {
                Some(of) => {
                    let of = of.clone();
                    (ScalarKind::Field(Box::new(value), at), of)
                }
                None => self.broken(span, Some(Problem::NoSuchField { field, of: value.of.clone() })),
            },
            Type::Broken => self.broken(span, None),
            other => self.broken(span, Some(Problem::FieldOfNoTuple { of: other.clone() })),
        }
    }

    /// The type of a number; tells what is none.
    fn number(&mut self, value: &Scalar, operator: &'static str) -> Type {
        match value.of {
            Type::Int | Type::Float | Type::Broken => value.of.clone(),
            _ => {
                self.tell(value.span, Problem::NotANumber { operator, found: value.of.clone() });
                Type::Broken
            }
        }
    }

    fn binary(&mut self, operator: Binary, mut left: Scalar, mut right: Scalar, span: Span) -> (ScalarKind, Type) {
        let of = match operator {
            Binary::And | Binary::Or => {
                let by = if operator == Binary::And { "`and`" } else { "`or`" };
                self.fit(&mut left, &Type::Bool, by);
                self.fit(&mut right, &Type::Bool, by);
                Type::Bool
            }
            Binary::Equal
            | Binary::Unequal
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual => {
                self.agree(&mut left, &mut right, "the two sides of a comparison");
                Type::Bool
            }
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder => {
                let symbol = operator.symbol();
                let first = self.number(&left, symbol);
                // Of two strings, that one is none says enough.
                let second = if first == Type::Broken { Type::Broken } else { self.number(&right, symbol) };
                match (first, second) {
                    (Type::Broken, _) | (_, Type::Broken) => Type::Broken,
                    (Type::Float, Type::Float) if operator == Binary::Remainder => {
                        self.tell(span, Problem::RemainderOfFloats);
                        Type::Broken
                    }
                    (of, other) if of == other => {
                        let by_nothing = matches!(right.kind, ScalarKind::Int(0));
                        if by_nothing && matches!(operator, Binary::Divide | Binary::Remainder) {
                            self.tell(right.span, Problem::DivisionByZero);
                        }
                        of
                    }
                    _ => self.agree(&mut left, &mut right, "the two sides of an operator"),
                }
            }
        };
        (ScalarKind::Binary(operator, Box::new(left), Box::new(right)), of)
    }

    fn case(&mut self, value: &Expr, arms: &[(Pattern, Expr)], span: Span, row: &Row) -> (ScalarKind, Type) {
        let value = self.scalar(value, row);
        let mut of = if arms.is_empty() { Type::Broken } else { Type::Hole };
        let mut checked: Vec<Arm> = Vec::new();
        for (pattern, result) in arms {
            let depth = self.locals.len();
            let pattern = self.pattern(pattern, &value.of, &mut Vec::new());
            let result = self.scalar(result, row);
            self.locals.truncate(depth);
            match unify(&of, &result.of) {
                Some(both) => of = both,
                None => {
                    let (left, right) = (of.clone(), result.of.clone());
                    let (what, left_span) = ("the values of `case`", checked[0].value.span);
                    self.tell(result.span, Problem::Disagree { what, left, left_span, right });
                    of = Type::Broken;
                }
            }
            checked.push(Arm { pattern, value: result });
        }
        checked.iter_mut().for_each(|arm| settle(&mut arm.value, &of));
        if !value.of.has(&Type::Broken) && !value.of.has(&Type::Hole) {
            self.covered(&value, &checked, span);
        }
        (ScalarKind::Case(Box::new(value), checked), of)
    }

    fn covered(&mut self, value: &Scalar, arms: &[Arm], span: Span) {
        if self.quiet {
            return;
        }
        // After a mistake in a pattern, what is left over says nothing.
        if self.mistakes.iter().any(|mistake| mistake.is_error() && within(mistake, span)) {
            return;
        }
        let patterns: Vec<_> = arms.iter().map(|arm| &arm.pattern).collect();
        for (at, pattern) in patterns.iter().enumerate() {
            match left_over(&self.sums, &value.of, &patterns[..at], Some(pattern)) {
                Ok(Some(_)) => {}
                Ok(None) => self.tell(pattern.span, Problem::UnreachableArm),
                Err(_) => return self.tell(span, Problem::CaseTooLarge),
            }
        }
        match left_over(&self.sums, &value.of, &patterns, None) {
            Ok(None) => {}
            Ok(Some(missing)) => self.tell(value.span, Problem::CaseLeavesOut { missing }),
            Err(_) => self.tell(span, Problem::CaseTooLarge),
        }
    }
}

fn within(mistake: &Mistake, span: Span) -> bool {
    mistake.at.file == span.file && span.start <= mistake.at.start && mistake.at.end <= span.end
}

/// Fills the holes of a value's type, here and in what it is made of.
pub(super) fn settle(value: &mut Scalar, of: &Type) {
    if !value.of.has(&Type::Hole) {
        return;
    }
    value.of = of.clone();
    match (&mut value.kind, of) {
        (ScalarKind::Tuple(fields), Type::Tuple(types)) => {
            fields.iter_mut().zip(types).for_each(|(field, of)| settle(field, of));
        }
        (ScalarKind::List(items), Type::List(of)) => items.iter_mut().for_each(|item| settle(item, of)),
        (ScalarKind::Construct { payload: Some(payload), .. }, Type::Option(of)) => settle(payload, of),
        (ScalarKind::If(_, then, other), of) => {
            settle(then, of);
            settle(other, of);
        }
        (ScalarKind::Let(_, _, body), of) => settle(body, of),
        (ScalarKind::Case(_, arms), of) => arms.iter_mut().for_each(|arm| settle(&mut arm.value, of)),
        _ => {}
    }
}

/// Where there is a value with a hole in its type that none of its parts has.
fn hole(value: &Scalar) -> Option<Span> {
    let inner = match &value.kind {
        ScalarKind::Tuple(parts) | ScalarKind::List(parts) | ScalarKind::Call(_, parts) => parts.iter().find_map(hole),
        ScalarKind::Construct { payload, .. } => payload.as_deref().and_then(hole),
        ScalarKind::Field(inner, _) | ScalarKind::Negative(inner) | ScalarKind::Not(inner) => hole(inner),
        ScalarKind::Lambda(_, body) => hole(body),
        ScalarKind::Binary(_, left, right) | ScalarKind::Let(_, left, right) => hole(left).or_else(|| hole(right)),
        ScalarKind::If(condition, then, other) => [condition, then, other].into_iter().find_map(|part| hole(part)),
        ScalarKind::Case(value, arms) => hole(value).or_else(|| arms.iter().find_map(|arm| hole(&arm.value))),
        _ => None,
    };
    inner.or_else(|| value.of.has(&Type::Hole).then_some(value.span))
}
