//! One row at a time: lists, and functions that are arguments.
//!
//! ```text
//!   fold(sizes, 0, (sum, size) => sum + size)
//!   names   size 4 ── sum 7 ── (those outside)            a chain on the stack: a name is a borrowed value
//! ```
//!
//! A value is lent where it can be, so that reading a list a thousand times does not copy it a thousand times. What is
//! made or copied is counted, and so is every item that a function looks at: past [`LIMIT`] the row fails. The count is
//! of the row alone, so whether it fails does not depend on the rows beside it.

use super::expression::{Expr, Op, Pattern};
use super::failure::{Failure, LIMIT, Reason};
use super::functions;
use crate::language::files::Span;
use crate::language::functions::Function;
use crate::language::operators::Binary;
use crate::value::{Float, Kind, Value, Values};
use differential::column::{Column, hash};
use std::borrow::Cow;
use std::cell::Cell;

/// A row's values, by field and by the name outside that they have: those that an expression uses.
pub(super) struct Single<'a> {
    pub(super) columns: &'a [Option<Value>],
    pub(super) locals: &'a [Option<Value>],
    made: Cell<u64>,
}

/// A name and its value, and those before it.
#[derive(Clone, Copy)]
struct Names<'e> {
    slot: usize,
    value: &'e Value,
    before: Option<&'e Names<'e>>,
}

type Answer<'e> = Result<Cow<'e, Value>, Failure>;

/// How much there is of a value: items and bytes, in all its parts.
fn weight(value: &Value) -> u64 {
    match value {
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Sum(_, None) => 1,
        Value::Text(text) => 1 + text.len() as u64,
        Value::Tuple(parts) | Value::List(parts) => 1 + parts.iter().map(weight).sum::<u64>(),
        Value::Sum(_, Some(held)) => 1 + weight(held),
    }
}

impl<'a> Single<'a> {
    pub(super) fn new(columns: &'a [Option<Value>], locals: &'a [Option<Value>]) -> Self {
        Single { columns, locals, made: Cell::new(0) }
    }

    /// The value of an expression.
    pub(super) fn value(&self, expr: &Expr) -> Result<Value, Failure> {
        let value = self.eval(expr, None)?;
        self.own(value, expr.span)
    }

    /// Counts what is made or looked at.
    fn spend(&self, amount: u64, span: Span) -> Result<(), Failure> {
        let made = self.made.get().saturating_add(amount);
        self.made.set(made);
        if made > LIMIT { Err(Failure { span, reason: Reason::TooLarge }) } else { Ok(()) }
    }

    fn own(&self, value: Cow<'_, Value>, span: Span) -> Result<Value, Failure> {
        match value {
            Cow::Owned(value) => Ok(value),
            Cow::Borrowed(value) => {
                self.spend(weight(value), span)?;
                Ok(value.clone())
            }
        }
    }

    fn eval<'e>(&'e self, expr: &'e Expr, names: Option<&'e Names<'e>>) -> Answer<'e> {
        let fail = |reason| Failure { span: expr.span, reason };
        match &expr.op {
            Op::Constant(value, _) => Ok(Cow::Borrowed(value)),
            Op::Column(at) => Ok(Cow::Borrowed(self.columns[*at].as_ref().expect("a column that it uses"))),
            Op::Local(slot) => Ok(Cow::Borrowed(self.named(*slot, names))),
            Op::Tuple(fields) => Ok(Cow::Owned(Value::Tuple(self.all(fields, names)?))),
            Op::List(items) => {
                self.spend(items.len() as u64, expr.span)?;
                Ok(Cow::Owned(Value::List(self.all(items, names)?)))
            }
            Op::Construct(tag, held) => {
                let held = held.as_ref().map(|held| self.own(self.eval(held, names)?, held.span).map(Box::new));
                Ok(Cow::Owned(Value::Sum(*tag, held.transpose()?)))
            }
            Op::Field(of, at) => match self.eval(of, names)? {
                Cow::Borrowed(Value::Tuple(fields)) => Ok(Cow::Borrowed(&fields[*at])),
                Cow::Owned(Value::Tuple(fields)) => Ok(Cow::Owned(Vec::from(fields).swap_remove(*at))),
                other => unreachable!("a tuple, not {other:?}"),
            },
            Op::Negative(of) => Ok(Cow::Owned(match *self.eval(of, names)? {
                Value::Int(number) => Value::Int(number.checked_neg().ok_or(fail(Reason::Overflow))?),
                ref other => Value::float(-float(other)),
            })),
            Op::Not(of) => Ok(Cow::Owned(Value::Bool(!bool(&*self.eval(of, names)?)))),
            Op::Binary(Binary::And, left, right) => {
                if bool(&*self.eval(left, names)?) {
                    self.eval(right, names)
                } else {
                    Ok(Cow::Owned(Value::Bool(false)))
                }
            }
            Op::Binary(Binary::Or, left, right) => {
                if bool(&*self.eval(left, names)?) {
                    Ok(Cow::Owned(Value::Bool(true)))
                } else {
                    self.eval(right, names)
                }
            }
            Op::Binary(operator, left, right) => {
                let (left, right) = (self.eval(left, names)?, self.eval(right, names)?);
                binary(*operator, &left, &right).map(Cow::Owned).map_err(fail)
            }
            Op::If(condition, yes, no) => {
                let branch = if bool(&*self.eval(condition, names)?) { yes } else { no };
                self.eval(branch, names)
            }
            Op::Let(slot, value, body) => {
                let bound = self.eval(value, names)?;
                let inner = Names { slot: *slot, value: &bound, before: names };
                let value = self.eval(body, Some(&inner))?;
                self.own(value, body.span).map(Cow::Owned)
            }
            Op::Case(value, arms) => {
                let value = self.eval(value, names)?;
                for (pattern, arm) in arms {
                    if matches(pattern, &value) {
                        let value = self.with_pattern(pattern, &value, names, arm)?;
                        return Ok(Cow::Owned(value));
                    }
                }
                unreachable!("an arm for each value")
            }
            Op::Call(function, arguments) => self.call(*function, arguments, expr, names),
            Op::Lambda(..) => unreachable!("a function is an argument of one that takes it"),
        }
    }

    fn named<'e>(&'e self, slot: usize, names: Option<&'e Names<'e>>) -> &'e Value {
        let mut names = names;
        while let Some(name) = names {
            if name.slot == slot {
                return name.value;
            }
            names = name.before;
        }
        self.locals[slot].as_ref().expect("a name that it uses")
    }

    fn all<'e>(&'e self, parts: &'e [Expr], names: Option<&'e Names<'e>>) -> Result<Box<[Value]>, Failure> {
        parts.iter().map(|part| self.own(self.eval(part, names)?, part.span)).collect()
    }

    /// The value of an arm, with the names of its pattern.
    fn with_pattern(
        &self,
        pattern: &Pattern,
        value: &Value,
        names: Option<&Names<'_>>,
        arm: &Expr,
    ) -> Result<Value, Failure> {
        let mut bound = Vec::new();
        bind(pattern, value, &mut bound);
        self.with_names(&bound, names, arm)
    }

    fn with_names(&self, bound: &[(usize, &Value)], names: Option<&Names<'_>>, body: &Expr) -> Result<Value, Failure> {
        match bound {
            [] => self.own(self.eval(body, names)?, body.span),
            [(slot, value), rest @ ..] => {
                let inner = Names { slot: *slot, value, before: names };
                self.with_names(rest, Some(&inner), body)
            }
        }
    }

    fn call<'e>(
        &'e self,
        function: Function,
        arguments: &'e [Expr],
        expr: &'e Expr,
        names: Option<&'e Names<'e>>,
    ) -> Answer<'e> {
        let fail = |reason| Failure { span: expr.span, reason };
        if let [list, .., Expr { op: Op::Lambda(slots, body), .. }] = arguments {
            return self.call_with_function(function, arguments, (list, slots, body), names).map(Cow::Owned);
        }
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(self.eval(argument, names)?);
        }
        let (one, two) = (given.first().map(|value| &**value), given.get(1).map(|value| &**value));
        let (one, two) = (one.expect("a function has an argument"), two.unwrap_or(&Value::NONE));
        let value = match function {
            Function::ConcatLists => {
                let lists = given.iter().map(|list| items(list));
                self.spend(lists.clone().flatten().map(weight).sum(), expr.span)?;
                Value::List(lists.flatten().cloned().collect())
            }
            Function::ContainsItem => {
                self.spend(items(one).len() as u64, expr.span)?;
                Value::Bool(items(one).contains(two))
            }
            Function::Index => {
                let list = items(one);
                let at = functions::index(0..list.len(), int(two)).map_err(fail)?;
                self.own(Cow::Borrowed(&list[at]), expr.span)?
            }
            Function::LengthOfList => Value::Int(items(one).len() as i64),
            Function::Range => {
                let (from, to) = (int(one), int(two));
                self.spend(i128::from(to).saturating_sub(from.into()).clamp(0, i64::MAX.into()) as u64, expr.span)?;
                Value::List((from..to).map(Value::Int).collect())
            }
            Function::Reverse | Function::Sort => {
                let mut list: Vec<Value> = match self.own(given.swap_remove(0), expr.span)? {
                    Value::List(list) => list.into(),
                    other => unreachable!("a list, not {other:?}"),
                };
                self.spend(list.len() as u64, expr.span)?;
                if function == Function::Sort {
                    list.sort()
                } else {
                    list.reverse()
                }
                Value::List(list.into())
            }
            Function::Split => {
                self.spend(2 * text(one).len() as u64 + 1, expr.span)?;
                Value::List(functions::split(text(one), text(two)).map(Value::text).collect())
            }
            Function::Least | Function::Greatest => {
                let better =
                    if function == Function::Least { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
                let mut given = given.into_iter();
                let first = given.next().expect("a function has an argument");
                let best = given.fold(first, |best, value| if value.cmp(&best) == better { value } else { best });
                self.own(best, expr.span)?
            }
            Function::Hash => {
                let words = given[1..].iter().zip(&arguments[1..]);
                let hash = words.fold(hash::SEED, |state, (value, argument)| absorb(value, &argument.kind, state));
                Value::Int(functions::bounded(hash, int(one)).map_err(fail)?)
            }
            Function::IsSome => Value::Bool(held(one).is_some()),
            Function::IsNone => Value::Bool(held(one).is_none()),
            Function::OrElse => self.own(Cow::Borrowed(held(one).unwrap_or(two)), expr.span)?,
            Function::Unwrap => {
                let held = held(one).ok_or(fail(Reason::Nothing))?;
                self.own(Cow::Borrowed(held), expr.span)?
            }
            Function::Concat => {
                let length = given.iter().map(|part| text(part).len() as u64).sum();
                self.spend(length, expr.span)?;
                Value::Text(given.iter().map(|part| text(part)).collect::<String>().into())
            }
            Function::Substring => {
                let part = functions::substring(text(one), int(two), int(&given[2]));
                self.spend(text(one).len() as u64, expr.span)?;
                Value::text(part)
            }
            _ => {
                if let Value::Text(text) = one {
                    self.spend(text.len() as u64, expr.span)?;
                }
                plain(function, one, two).map_err(fail)?
            }
        };
        Ok(Cow::Owned(value))
    }

    /// `map`, `filter` and `fold`.
    fn call_with_function(
        &self,
        function: Function,
        arguments: &[Expr],
        (list, slots, body): (&Expr, &[usize], &Expr),
        names: Option<&Names<'_>>,
    ) -> Result<Value, Failure> {
        let list = self.eval(list, names)?;
        let items = items(&list);
        if function == Function::Fold {
            let mut so_far = self.own(self.eval(&arguments[1], names)?, arguments[1].span)?;
            for item in items {
                self.spend(1, body.span)?;
                so_far = self.with_names(&[(slots[0], &so_far), (slots[1], item)], names, body)?;
            }
            return Ok(so_far);
        }
        let mut made = Vec::new();
        for item in items {
            self.spend(1, body.span)?;
            let value = self.with_names(&[(slots[0], item)], names, body)?;
            if function == Function::Map {
                made.push(value);
            } else if bool(&value) {
                made.push(self.own(Cow::Borrowed(item), body.span)?);
            }
        }
        Ok(Value::List(made.into()))
    }
}

/// A function of texts and numbers that is of no interest here.
fn plain(function: Function, one: &Value, two: &Value) -> Result<Value, Reason> {
    Ok(match function {
        Function::Absolute => match one {
            Value::Int(number) => Value::Int(number.checked_abs().ok_or(Reason::Overflow)?),
            other => Value::float(float(other).abs()),
        },
        Function::Ceiling => Value::float(float(one).ceil()),
        Function::Floor => Value::float(float(one).floor()),
        Function::Round => Value::float(float(one).round()),
        Function::SquareRoot => Value::float(float(one).sqrt()),
        Function::Bits => Value::Int(functions::bits(int(one))),
        Function::ToFloat => Value::float(int(one) as f64),
        Function::ToInt => Value::Int(functions::to_int(float(one))?),
        Function::ToText => match one {
            Value::Int(number) => Value::text(&number.to_string()),
            Value::Float(number) => Value::text(&format!("{number:?}")),
            Value::Bool(holds) => Value::text(&holds.to_string()),
            other => other.clone(),
        },
        Function::ParseInt => Value::Int(functions::parse_int(text(one))?),
        Function::ParseFloat => Value::float(functions::parse_float(text(one))?),
        Function::TryInt => {
            functions::parse_int(text(one)).map_or(Value::NONE, |number| Value::some(Value::Int(number)))
        }
        Function::TryFloat => {
            functions::parse_float(text(one)).map_or(Value::NONE, |number| Value::some(Value::float(number)))
        }
        Function::Length => Value::Int(functions::length(text(one))),
        Function::Lower => Value::Text(text(one).to_lowercase().into()),
        Function::Upper => Value::Text(text(one).to_uppercase().into()),
        Function::Trim => Value::text(text(one).trim()),
        Function::Contains => Value::Bool(text(one).contains(text(two))),
        Function::StartsWith => Value::Bool(text(one).starts_with(text(two))),
        Function::EndsWith => Value::Bool(text(one).ends_with(text(two))),
        other => unreachable!("{other:?} has been dealt with"),
    })
}

fn binary(operator: Binary, left: &Value, right: &Value) -> Result<Value, Reason> {
    let whole = |number: Option<i64>| number.map(Value::Int).ok_or(Reason::Overflow);
    Ok(match (operator, left, right) {
        (Binary::Equal, ..) => Value::Bool(left == right),
        (Binary::Unequal, ..) => Value::Bool(left != right),
        (Binary::Less, ..) => Value::Bool(left < right),
        (Binary::LessEqual, ..) => Value::Bool(left <= right),
        (Binary::Greater, ..) => Value::Bool(left > right),
        (Binary::GreaterEqual, ..) => Value::Bool(left >= right),
        (Binary::Add, Value::Int(left), Value::Int(right)) => whole(left.checked_add(*right))?,
        (Binary::Subtract, Value::Int(left), Value::Int(right)) => whole(left.checked_sub(*right))?,
        (Binary::Multiply, Value::Int(left), Value::Int(right)) => whole(left.checked_mul(*right))?,
        (Binary::Divide, Value::Int(left), Value::Int(right)) => Value::Int(functions::divide(*left, *right)?),
        (Binary::Remainder, Value::Int(left), Value::Int(right)) => Value::Int(functions::remainder(*left, *right)?),
        (Binary::Add, ..) => Value::float(float(left) + float(right)),
        (Binary::Subtract, ..) => Value::float(float(left) - float(right)),
        (Binary::Multiply, ..) => Value::float(float(left) * float(right)),
        (Binary::Divide, ..) => Value::float(float(left) / float(right)),
        _ => unreachable!("{operator:?} of {left:?} and {right:?}"),
    })
}

fn matches(pattern: &Pattern, value: &Value) -> bool {
    match (pattern, value) {
        (Pattern::Any | Pattern::Bind(_), _) => true,
        (Pattern::Equal(wanted), value) => wanted == value,
        (Pattern::Construct(wanted, inner), Value::Sum(tag, held)) => {
            wanted == tag && inner.as_ref().zip(held.as_ref()).is_none_or(|(inner, held)| matches(inner, held))
        }
        (Pattern::Tuple(patterns), Value::Tuple(fields)) => {
            patterns.iter().zip(fields).all(|(pattern, field)| matches(pattern, field))
        }
        (pattern, value) => unreachable!("{pattern:?} of {value:?}"),
    }
}

fn bind<'v>(pattern: &Pattern, value: &'v Value, into: &mut Vec<(usize, &'v Value)>) {
    match (pattern, value) {
        (Pattern::Bind(slot), value) => into.push((*slot, value)),
        (Pattern::Construct(_, Some(inner)), Value::Sum(_, Some(held))) => bind(inner, held, into),
        (Pattern::Tuple(patterns), Value::Tuple(fields)) => {
            patterns.iter().zip(fields).for_each(|(pattern, field)| bind(pattern, field, into));
        }
        _ => {}
    }
}

/// Mixes a value into a hash, as its column does.
fn absorb(value: &Value, kind: &Kind, state: u64) -> u64 {
    let mut column = Values::empty(kind);
    column.push_value(value);
    column.absorb(0, state)
}

fn int(value: &Value) -> i64 {
    if let Value::Int(number) = value { *number } else { unreachable!("an int, not {value:?}") }
}
fn float(value: &Value) -> f64 {
    if let Value::Float(number) = value { Float::get(*number) } else { unreachable!("a float, not {value:?}") }
}
fn bool(value: &Value) -> bool {
    if let Value::Bool(holds) = value { *holds } else { unreachable!("a bool, not {value:?}") }
}
fn text(value: &Value) -> &str {
    if let Value::Text(text) = value { text } else { unreachable!("a text, not {value:?}") }
}
fn items(value: &Value) -> &[Value] {
    if let Value::List(items) = value { items } else { unreachable!("a list, not {value:?}") }
}
fn held(value: &Value) -> Option<&Value> {
    if let Value::Sum(_, held) = value { held.as_deref() } else { unreachable!("an option, not {value:?}") }
}
