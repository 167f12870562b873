//! What docs/LANGUAGE.md says of a scalar, for one row: the oracle of the kernels, which shares nothing with them.

use interactive::kernel::Reason;
use interactive::language::files::Span;
use interactive::language::functions::Function;
use interactive::language::operators::Binary;
use interactive::language::program::{LocalId, Pattern, PatternKind, Scalar, ScalarKind};
use interactive::value::Value;
use std::collections::BTreeSet;

/// Names and their values, the innermost last; and which functions were called.
#[derive(Default)]
pub(crate) struct Names {
    bound: Vec<(LocalId, Value)>,
    pub(crate) called: BTreeSet<String>,
}

type Answer = Result<Value, (Span, Reason)>;

/// The value of a scalar in a row.
pub(crate) fn eval(scalar: &Scalar, row: &[Value], names: &mut Names) -> Answer {
    let or = |value: Option<Value>, reason| value.ok_or((scalar.span, reason));
    Ok(match &scalar.kind {
        ScalarKind::Int(number) => Value::Int(*number),
        ScalarKind::Float(number) => Value::float(*number),
        ScalarKind::Bool(holds) => Value::Bool(*holds),
        ScalarKind::Text(text) => Value::text(text),
        ScalarKind::Column(at) => row[*at].clone(),
        ScalarKind::Local(local) => {
            names.bound.iter().rev().find(|(name, _)| name == local).expect("a name that is bound").1.clone()
        }
        ScalarKind::Tuple(parts) => Value::Tuple(all(parts, row, names)?.into()),
        ScalarKind::List(parts) => Value::List(all(parts, row, names)?.into()),
        ScalarKind::Construct { constructor, payload } => {
            let held = payload.as_ref().map(|held| eval(held, row, names).map(Box::new)).transpose()?;
            Value::Sum(*constructor as u32, held)
        }
        ScalarKind::Field(of, at) => parts(eval(of, row, names)?)[*at].clone(),
        ScalarKind::Negative(of) => match eval(of, row, names)? {
            Value::Int(number) => or(number.checked_neg().map(Value::Int), Reason::Overflow)?,
            other => Value::float(-float(&other)),
        },
        ScalarKind::Not(of) => Value::Bool(eval(of, row, names)? == Value::Bool(false)),
        ScalarKind::Binary(Binary::And, left, right) => match eval(left, row, names)? {
            Value::Bool(true) => eval(right, row, names)?,
            decided => decided,
        },
        ScalarKind::Binary(Binary::Or, left, right) => match eval(left, row, names)? {
            Value::Bool(false) => eval(right, row, names)?,
            decided => decided,
        },
        ScalarKind::Binary(operator, left, right) => {
            let (left, right) = (eval(left, row, names)?, eval(right, row, names)?);
            binary(*operator, left, right).map_err(|reason| (scalar.span, reason))?
        }
        ScalarKind::If(condition, yes, no) => {
            let holds = eval(condition, row, names)? == Value::Bool(true);
            eval(if holds { yes } else { no }, row, names)?
        }
        ScalarKind::Let(local, value, body) => {
            let value = eval(value, row, names)?;
            with(vec![(*local, value)], body, row, names)?
        }
        ScalarKind::Case(value, arms) => {
            let value = eval(value, row, names)?;
            let mut arms = arms.iter().filter_map(|arm| Some((bind(&arm.pattern, &value)?, &arm.value)));
            let (bound, body) = arms.next().expect("an arm for each value");
            with(bound, body, row, names)?
        }
        ScalarKind::Call(function, arguments) => {
            names.called.insert(format!("{function:?}"));
            call(*function, arguments, scalar.span, row, names)?
        }
        other => panic!("no value of {other:?}"),
    })
}

fn all(scalars: &[Scalar], row: &[Value], names: &mut Names) -> Result<Vec<Value>, (Span, Reason)> {
    scalars.iter().map(|scalar| eval(scalar, row, names)).collect()
}

fn with(bound: Vec<(LocalId, Value)>, body: &Scalar, row: &[Value], names: &mut Names) -> Answer {
    let before = names.bound.len();
    names.bound.extend(bound);
    let value = eval(body, row, names);
    names.bound.truncate(before);
    value
}

fn bind(pattern: &Pattern, value: &Value) -> Option<Vec<(LocalId, Value)>> {
    let none = |holds: bool| holds.then(Vec::new);
    match (&pattern.kind, value) {
        (PatternKind::Any, _) => Some(Vec::new()),
        (PatternKind::Bind(local), _) => Some(vec![(*local, value.clone())]),
        (PatternKind::Int(number), _) => none(*value == Value::Int(*number)),
        (PatternKind::Float(number), _) => none(*value == Value::float(*number)),
        (PatternKind::Bool(holds), _) => none(*value == Value::Bool(*holds)),
        (PatternKind::Text(text), _) => none(*value == Value::text(text)),
        (PatternKind::Construct(at, inner), Value::Sum(tag, held)) if *at == *tag as usize => match (inner, held) {
            (Some(inner), Some(held)) => bind(inner, held),
            _ => Some(Vec::new()),
        },
        (PatternKind::Tuple(patterns), Value::Tuple(fields)) => {
            let bound: Option<Vec<_>> =
                patterns.iter().zip(fields).map(|(pattern, field)| bind(pattern, field)).collect();
            Some(bound?.concat())
        }
        _ => None,
    }
}

fn binary(operator: Binary, left: Value, right: Value) -> Result<Value, Reason> {
    let fits = |number: i128| i64::try_from(number).map(Value::Int).map_err(|_| Reason::Overflow);
    if let (Value::Int(left), Value::Int(right)) = (&left, &right) {
        let (left, right) = (i128::from(*left), i128::from(*right));
        match operator {
            Binary::Add => return fits(left + right),
            Binary::Subtract => return fits(left - right),
            Binary::Multiply => return fits(left * right),
            Binary::Divide | Binary::Remainder if right == 0 => return Err(Reason::DivisionByZero),
            Binary::Divide => return fits(left / right),
            Binary::Remainder => return fits(left % right),
            _ => {}
        }
    }
    Ok(match operator {
        Binary::Add => Value::float(float(&left) + float(&right)),
        Binary::Subtract => Value::float(float(&left) - float(&right)),
        Binary::Multiply => Value::float(float(&left) * float(&right)),
        Binary::Divide => Value::float(float(&left) / float(&right)),
        Binary::Equal => Value::Bool(left == right),
        Binary::Unequal => Value::Bool(left != right),
        Binary::Less => Value::Bool(left < right),
        Binary::LessEqual => Value::Bool(left <= right),
        Binary::Greater => Value::Bool(left > right),
        Binary::GreaterEqual => Value::Bool(left >= right),
        other => panic!("{other:?} of {left:?} and {right:?}"),
    })
}

fn call(function: Function, arguments: &[Scalar], span: Span, row: &[Value], names: &mut Names) -> Answer {
    let fail = |reason| Err((span, reason));
    if let Some(Scalar { kind: ScalarKind::Lambda(locals, body), .. }) = arguments.last() {
        let items = parts(eval(&arguments[0], row, names)?);
        return match function {
            Function::Map => {
                let items = items.into_iter().map(|item| with(vec![(locals[0], item)], body, row, names));
                Ok(Value::List(items.collect::<Result<_, _>>()?))
            }
            Function::Filter => {
                let mut kept = Vec::new();
                for item in items {
                    if with(vec![(locals[0], item.clone())], body, row, names)? == Value::Bool(true) {
                        kept.push(item);
                    }
                }
                Ok(Value::list(kept))
            }
            Function::Fold => {
                let start = eval(&arguments[1], row, names)?;
                let step = |so_far, item| with(vec![(locals[0], so_far), (locals[1], item)], body, row, names);
                items.into_iter().try_fold(start, step)
            }
            other => panic!("{other:?} takes no function"),
        };
    }
    let given = all(arguments, row, names)?;
    let option = |value: Option<Value>| value.map_or(Value::NONE, Value::some);
    let letters = |at: usize| text(&given[at]).chars().collect::<Vec<char>>();
    Ok(match function {
        Function::Absolute => match &given[0] {
            Value::Int(i64::MIN) => return fail(Reason::Overflow),
            Value::Int(number) => Value::Int(number.abs()),
            other => Value::float(float(other).abs()),
        },
        Function::Bits => match int(&given[0]) {
            0 => Value::Int(0),
            number => Value::Int(format!("{:b}", i128::from(number).abs()).len() as i64),
        },
        Function::Ceiling => Value::float(float(&given[0]).ceil()),
        Function::Floor => Value::float(float(&given[0]).floor()),
        Function::Round => Value::float(float(&given[0]).round()),
        Function::SquareRoot => Value::float(float(&given[0]).sqrt()),
        Function::ToFloat => Value::float(int(&given[0]) as f64),
        Function::ToInt => match float(&given[0]).trunc() {
            number if number >= -(2f64.powi(63)) && number < 2f64.powi(63) => Value::Int(number as i64),
            _ => return fail(Reason::NoInt),
        },
        Function::ToText => match &given[0] {
            Value::Int(number) => Value::text(&format!("{number}")),
            Value::Float(number) => Value::text(&format!("{:?}", number.get())),
            Value::Bool(holds) => Value::text(if *holds { "true" } else { "false" }),
            other => other.clone(),
        },
        Function::ParseInt => match text(&given[0]).parse() {
            Ok(number) => Value::Int(number),
            Err(_) => return fail(Reason::NotAnInt),
        },
        Function::ParseFloat => match text(&given[0]).parse() {
            Ok(number) => Value::float(number),
            Err(_) => return fail(Reason::NotAFloat),
        },
        Function::TryInt => option(text(&given[0]).parse().ok().map(Value::Int)),
        Function::TryFloat => option(text(&given[0]).parse().ok().map(Value::float)),
        Function::Length => Value::Int(letters(0).len() as i64),
        Function::LengthOfList => Value::Int(parts(given[0].clone()).len() as i64),
        Function::Concat => Value::text(&given.iter().map(text).collect::<Vec<_>>().concat()),
        Function::Substring => {
            let (start, count) = (i128::from(int(&given[1])), i128::from(int(&given[2])));
            let inside = |at: &i128| (start..start + count).contains(at);
            Value::text(
                &(0..).zip(letters(0)).filter(|(at, _)| inside(at)).map(|(_, letter)| letter).collect::<String>(),
            )
        }
        Function::Lower => Value::text(&text(&given[0]).to_lowercase()),
        Function::Upper => Value::text(&text(&given[0]).to_uppercase()),
        Function::Trim => Value::text(text(&given[0]).trim()),
        Function::Contains => Value::Bool(text(&given[0]).contains(text(&given[1]))),
        Function::StartsWith => Value::Bool(text(&given[0]).starts_with(text(&given[1]))),
        Function::EndsWith => Value::Bool(text(&given[0]).ends_with(text(&given[1]))),
        Function::Split if text(&given[1]).is_empty() => {
            Value::list(letters(0).into_iter().map(|letter| Value::text(&letter.to_string())))
        }
        Function::Split => Value::list(text(&given[0]).split(text(&given[1])).map(Value::text)),
        Function::Index => {
            let items = parts(given[0].clone());
            match usize::try_from(int(&given[1])).ok().and_then(|at| items.get(at)) {
                Some(item) => item.clone(),
                None => return fail(Reason::NoItem),
            }
        }
        Function::ConcatLists => Value::list(given.into_iter().flat_map(parts)),
        Function::Sort => {
            let mut items = parts(given[0].clone());
            items.sort();
            Value::list(items)
        }
        Function::Reverse => Value::list(parts(given[0].clone()).into_iter().rev()),
        Function::ContainsItem => Value::Bool(parts(given[0].clone()).contains(&given[1])),
        Function::Range => Value::list((int(&given[0])..int(&given[1])).map(Value::Int)),
        Function::IsSome => Value::Bool(given[0] != Value::NONE),
        Function::IsNone => Value::Bool(given[0] == Value::NONE),
        Function::OrElse => held(&given[0]).unwrap_or(given[1].clone()),
        Function::Unwrap => match held(&given[0]) {
            Some(held) => held,
            None => return fail(Reason::Nothing),
        },
        Function::Least => given.into_iter().min().expect("two are given"),
        Function::Greatest => given.into_iter().max().expect("two are given"),
        Function::Hash => {
            use differential::column::hash::SEED;
            let hash = given[1..].iter().fold(SEED, |state, value| absorb(value, state));
            match int(&given[0]) {
                bound if bound > 0 => Value::Int((hash % bound as u64) as i64),
                _ => return fail(Reason::NoBound),
            }
        }
        other => panic!("{other:?} takes a function"),
    })
}

/// The words of a value, as the engine's page on hashes has them.
fn absorb(value: &Value, state: u64) -> u64 {
    use differential::column::hash::{absorb as word, absorb_bytes};
    match value {
        Value::Int(number) => word(state, *number as u64),
        Value::Float(number) => word(state, number.lane()),
        Value::Bool(holds) => word(state, u64::from(*holds)),
        Value::Text(text) => absorb_bytes(state, text.as_bytes()),
        Value::Tuple(fields) => fields.iter().fold(state, |state, field| absorb(field, state)),
        Value::List(items) => items.iter().fold(word(state, items.len() as u64), |state, item| absorb(item, state)),
        Value::Sum(tag, held) => {
            let state = word(state, u64::from(*tag));
            held.as_ref().map_or(state, |held| absorb(held, state))
        }
    }
}

fn int(value: &Value) -> i64 {
    if let Value::Int(number) = value { *number } else { panic!("{value:?} is no int") }
}
fn float(value: &Value) -> f64 {
    if let Value::Float(number) = value { number.get() } else { panic!("{value:?} is no float") }
}
fn text(value: &Value) -> &str {
    if let Value::Text(text) = value { text } else { panic!("{value:?} is no text") }
}
fn parts(value: Value) -> Vec<Value> {
    if let Value::Tuple(parts) | Value::List(parts) = value { parts.into() } else { panic!("{value:?} has no parts") }
}
fn held(option: &Value) -> Option<Value> {
    if let Value::Sum(_, held) = option { held.as_deref().cloned() } else { panic!("{option:?} is no option") }
}
