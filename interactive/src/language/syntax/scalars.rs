//! Expressions.
//!
//! | binds | operators |
//! |---|---|
//! | 1, loosest | `or` |
//! | 2 | `and` |
//! | 3 | `not` |
//! | 4 | `==` `!=` `<` `<=` `>` `>=`, of which one stands between two sums |
//! | 5 | `+` `-` |
//! | 6 | `*` `/` `%` |
//! | 7 | `-` before a value |
//! | 8, tightest | `.` before a field |
//!
//! `if`, `let` and functions reach as far to the right as they can. A chain of `or` or of `and` becomes a balanced tree,
//! so that a thousand alternatives are ten levels high; other chains lean to the left, and their height is bounded.

use super::LIMIT;
use super::cursor::{Parsed, Parser};
use super::token::Kind;
use super::tree::{Expr, ExprKind, Name};
use crate::language::files::Span;
use crate::language::mistake::Problem;
use crate::language::operators::Binary;

const AND: u8 = 2;
const COMPARISON: u8 = 4;
const SUM: u8 = 5;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.binary(0))
    }

    /// A side of an equality in `on`: no comparison, no `and`.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.binary(SUM))
    }

    fn pair(&mut self, kind: Binary, left: Expr, right: Expr) -> Parsed<Expr> {
        let span = left.span.to(right.span);
        let height = 1 + left.height.max(right.height);
        if height > LIMIT {
            return Err(self.tell(span, Problem::TooDeep { limit: LIMIT }));
        }
        Ok(Expr { kind: ExprKind::Binary(kind, Box::new(left), Box::new(right)), span, height })
    }

    fn operator(&mut self) -> Option<(Binary, u8)> {
        Some(match self.token().kind {
            Kind::Reserved("or") => (Binary::Or, 1),
            Kind::Reserved("and") => (Binary::And, AND),
            Kind::Symbol("==") => (Binary::Equal, COMPARISON),
            Kind::Symbol("!=") => (Binary::Unequal, COMPARISON),
            Kind::Symbol("<") => (Binary::Less, COMPARISON),
            Kind::Symbol("<=") => (Binary::LessEqual, COMPARISON),
            Kind::Symbol(">") => (Binary::Greater, COMPARISON),
            Kind::Symbol(">=") => (Binary::GreaterEqual, COMPARISON),
            Kind::Symbol("+") => (Binary::Add, SUM),
            Kind::Symbol("-") => (Binary::Subtract, SUM),
            Kind::Symbol("*") => (Binary::Multiply, 6),
            Kind::Symbol("/") => (Binary::Divide, 6),
            Kind::Symbol("%") => (Binary::Remainder, 6),
            _ => return None,
        })
    }

    /// An expression of operators that bind at least as tightly as `floor`.
    fn binary(&mut self, floor: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        let mut compared = false;
        while let Some((kind, level)) = self.operator()
            && level >= floor
        {
            if level == COMPARISON && compared {
                return Err(self.tell(self.span(), Problem::ChainedComparison));
            }
            compared = level == COMPARISON;
            if level > AND {
                self.pass();
                let right = self.nested(|parser| parser.binary(level + 1))?;
                left = self.pair(kind, left, right)?;
                continue;
            }
            let mut operands = vec![left];
            while self.operator().is_some_and(|(next, _)| next == kind) {
                self.pass();
                operands.push(self.nested(|parser| parser.binary(level + 1))?);
            }
            left = self.balanced(kind, operands)?;
        }
        if floor <= COMPARISON && self.is("=") {
            return Err(self.tell(self.span(), Problem::SingleEquals));
        }
        Ok(left)
    }

    fn balanced(&mut self, kind: Binary, mut operands: Vec<Expr>) -> Parsed<Expr> {
        while operands.len() > 1 {
            let mut halved = Vec::with_capacity(operands.len().div_ceil(2));
            let mut rest = operands.into_iter();
            while let Some(left) = rest.next() {
                halved.push(match rest.next() {
                    Some(right) => self.pair(kind, left, right)?,
                    None => left,
                });
            }
            operands = halved;
        }
        Ok(operands.pop().expect("a chain has operands"))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if self.is("-") {
            self.pass();
            let value = self.nested(Self::unary)?;
            return self.with_children(start.to(value.span), vec![value], |mut value| {
                ExprKind::Negative(Box::new(value.remove(0)))
            });
        }
        if self.is_reserved("not") {
            self.pass();
            let value = self.nested(|parser| parser.binary(COMPARISON))?;
            return self.with_children(start.to(value.span), vec![value], |mut value| {
                ExprKind::Not(Box::new(value.remove(0)))
            });
        }
        if self.is("!") {
            return Err(self.tell(start, Problem::BangForNot));
        }
        if self.is(">") && self.touches("<") {
            return Err(self.tell(self.passed().to(start), Problem::AnglesForUnequal));
        }
        let mut value = self.primary()?;
        while self.is(".") {
            self.pass();
            let (field, end) = match self.token().kind {
                Kind::Int(field) => (field, self.pass()),
                _ => return self.wanted("the number of a field, as in `pair.0`"),
            };
            let span = value.span.to(end);
            let height = value.height + 1;
            if height > LIMIT {
                return Err(self.tell(span, Problem::TooDeep { limit: LIMIT }));
            }
            value = Expr { kind: ExprKind::Field(Box::new(value), field), span, height };
        }
        Ok(value)
    }

    fn leaf(&mut self, kind: ExprKind) -> Parsed<Expr> {
        let span = self.pass();
        Ok(Expr { kind, span, height: 1 })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        match self.token().kind.clone() {
            Kind::Int(number) => self.leaf(ExprKind::Int(number)),
            Kind::Float(number) => self.leaf(ExprKind::Float(number)),
            Kind::Text(text) => self.leaf(ExprKind::Text(text)),
            Kind::Reserved("true") => self.leaf(ExprKind::Bool(true)),
            Kind::Reserved("false") => self.leaf(ExprKind::Bool(false)),
            Kind::Reserved("if") => self.conditional(),
            Kind::Reserved("let") => self.local(),
            Kind::Reserved("case") => self.case(),
            Kind::Word if !self.at_statement() => self.named(),
            Kind::Capital => {
                let name = self.capital("a constructor")?;
                let (arguments, end) = match self.is("(") {
                    true => {
                        let opened = self.pass();
                        self.list(")", opened, Self::expr)?
                    }
                    false => (Vec::new(), name.span),
                };
                self.with_children(start.to(end), arguments, |arguments| ExprKind::Construct(name, arguments))
            }
            Kind::Symbol("[") => {
                self.pass();
                let (items, span) = self.list("]", start, Self::expr)?;
                self.with_children(span, items, ExprKind::List)
            }
            Kind::Symbol("(") => self.parenthesis(),
            _ => self.wanted("a value"),
        }
    }

    fn with_children(
        &mut self,
        span: Span,
        children: Vec<Expr>,
        kind: impl FnOnce(Vec<Expr>) -> ExprKind,
    ) -> Parsed<Expr> {
        let height = 1 + children.iter().map(|child| child.height).max().unwrap_or(0);
        if height > LIMIT {
            return Err(self.tell(span, Problem::TooDeep { limit: LIMIT }));
        }
        Ok(Expr { kind: kind(children), span, height })
    }

    /// `(value)`, `(value : type)`, `(value, value)`, `(value,)` or `()`.
    fn parenthesis(&mut self) -> Parsed<Expr> {
        let opened = self.pass();
        let mut items = Vec::new();
        let mut comma = false;
        while !self.is(")") {
            items.push(self.expr()?);
            if items.len() == 1 && self.eat(":") {
                let of = self.type_expr()?;
                let end = self.close(")", opened)?;
                let value = items.remove(0);
                return self.with_children(opened.to(end), vec![value], |mut value| {
                    ExprKind::Typed(Box::new(value.remove(0)), of)
                });
            }
            comma = self.eat(",");
            if !comma {
                break;
            }
        }
        let span = opened.to(self.close(")", opened)?);
        if items.len() == 1 && !comma {
            let value = items.remove(0);
            return Ok(Expr { span, ..value });
        }
        self.with_children(span, items, ExprKind::Tuple)
    }

    fn named(&mut self) -> Parsed<Expr> {
        let name = self.name("a name")?;
        if self.is("(") {
            let opened = self.pass();
            let (arguments, span) = self.list(")", opened, Self::argument)?;
            return self.with_children(name.span.to(span), arguments, |arguments| ExprKind::Call(name, arguments));
        }
        if self.is(".") && *self.ahead(1) == Kind::Word {
            self.pass();
            let column = self.name("a column")?;
            let span = name.span.to(column.span);
            return Ok(Expr { kind: ExprKind::Qualified(name, column), span, height: 1 });
        }
        Ok(Expr { span: name.span, kind: ExprKind::Name(name.text), height: 1 })
    }

    /// What a function is given: a value, or a function of its own.
    fn argument(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let parameters = match self.token().kind {
            Kind::Word if *self.ahead(1) == Kind::Symbol("=>") => vec![self.name("a name")?],
            Kind::Symbol("(") if self.parameters_follow() => {
                let opened = self.pass();
                self.list(")", opened, |parser| parser.name("a name"))?.0
            }
            _ => return self.expr(),
        };
        self.want("=>", "`=>`")?;
        let body = self.expr()?;
        self.with_children(start.to(body.span), vec![body], |mut body| {
            ExprKind::Function(parameters, Box::new(body.remove(0)))
        })
    }

    /// Whether `(name, name) =>` stands here.
    fn parameters_follow(&self) -> bool {
        let mut by = 1;
        while *self.ahead(by) == Kind::Word && *self.ahead(by + 1) == Kind::Symbol(",") {
            by += 2;
        }
        *self.ahead(by) == Kind::Word
            && *self.ahead(by + 1) == Kind::Symbol(")")
            && *self.ahead(by + 2) == Kind::Symbol("=>")
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let start = self.pass();
        let condition = self.expr()?;
        self.want_reserved("then", "`then` after the condition")?;
        let then = self.expr()?;
        self.want_reserved("else", "`else`, as every `if` has a value")?;
        let other = self.expr()?;
        let span = start.to(other.span);
        self.with_children(span, vec![condition, then, other], |children| {
            let [condition, then, other] = children.try_into().expect("three children");
            ExprKind::If(Box::new(condition), Box::new(then), Box::new(other))
        })
    }

    fn local(&mut self) -> Parsed<Expr> {
        let start = self.pass();
        let name = self.name("a name after `let`")?;
        self.want("=", "`=` after the name")?;
        let value = self.expr()?;
        self.want_reserved("in", "`in` after the value of `let`")?;
        let body = self.expr()?;
        let span = start.to(body.span);
        self.with_children(span, vec![value, body], |children| {
            let [value, body] = children.try_into().expect("two children");
            ExprKind::Let(name, Box::new(value), Box::new(body))
        })
    }

    fn case(&mut self) -> Parsed<Expr> {
        let start = self.pass();
        let value = self.expr()?;
        let opened = self.want("{", "`{` with the alternatives of `case`")?;
        let (arms, end) = self.list("}", opened, |parser| {
            let pattern = parser.pattern()?;
            parser.want("=>", "`=>` after the pattern")?;
            Ok((pattern, parser.expr()?))
        })?;
        let span = start.to(end);
        let height = 1 + arms.iter().map(|(_, arm)| arm.height).max().unwrap_or(0).max(value.height);
        if height > LIMIT {
            return Err(self.tell(span, Problem::TooDeep { limit: LIMIT }));
        }
        Ok(Expr { kind: ExprKind::Case(Box::new(value), arms), span, height })
    }

    /// A name with what it is written after, where both are wanted: `name = `.
    pub(super) fn assigned(&mut self, wanted: &'static str) -> Parsed<Name> {
        let name = self.name(wanted)?;
        self.want("=", "`=` after the name")?;
        Ok(name)
    }
}
