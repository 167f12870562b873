//! A value as the language writes it, so that what is printed may be pasted into a program.
//!
//! Constructors have names only in the type, so a value is shown together with it. What the language has no way to
//! write is shown as `NaN`, `inf` and `-inf`.

use super::Value;
use crate::language::types::{Sum, Type};
use std::fmt::{self, Write as _};

/// A value of a type, for printing. `sums` are the declared types of the program.
///
/// ```
/// use interactive::language::types::Type;
/// use interactive::value::{Shown, Value};
/// let of = Type::Option(Box::new(Type::Tuple(vec![Type::Float, Type::Text])));
/// let value = Value::some(Value::tuple([Value::float(1.0), Value::text("a\n")]));
/// assert_eq!(Shown { value: &value, of: &of, sums: &[] }.to_string(), r#"Some((1.0, "a\n"))"#);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What is shown.
    pub value: &'a Value,
    /// Its type.
    pub of: &'a Type,
    /// The declared types of its program.
    pub sums: &'a [Sum],
}

impl Shown<'_> {
    fn part<'b>(&self, value: &'b Value, of: &'b Type) -> Shown<'b>
    where
        Self: 'b,
    {
        Shown { value, of, sums: self.sums }
    }

    fn items<'b>(&self, items: impl Iterator<Item = (&'b Value, &'b Type)>, out: &mut fmt::Formatter<'_>) -> fmt::Result
    where
        Self: 'b,
    {
        for (at, (value, of)) in items.enumerate() {
            write!(out, "{}{}", if at == 0 { "" } else { ", " }, self.part(value, of))?;
        }
        Ok(())
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value, self.of) {
            (Value::Int(number), _) => write!(out, "{number}"),
            (Value::Float(number), _) => write!(out, "{:?}", number.get()),
            (Value::Bool(holds), _) => write!(out, "{holds}"),
            (Value::Text(text), _) => quoted(text, out),
            (Value::Tuple(fields), Type::Tuple(types)) => {
                out.write_str("(")?;
                self.items(fields.iter().zip(types), out)?;
                out.write_str(if fields.len() == 1 { ",)" } else { ")" })
            }
            (Value::List(items), Type::List(of)) => {
                out.write_str("[")?;
                self.items(items.iter().map(|item| (item, &**of)), out)?;
                out.write_str("]")
            }
            (Value::Sum(_, None), Type::Option(_)) => out.write_str("None"),
            (Value::Sum(_, Some(held)), Type::Option(of)) => write!(out, "Some({})", self.part(held, of)),
            (Value::Sum(at, held), Type::Sum(id, _)) => {
                let constructor = &self.sums[id.0].constructors[*at as usize];
                out.write_str(&constructor.name)?;
                match (held.as_deref(), &constructor.payload) {
                    // A tuple of several fields brings its own parentheses.
                    (Some(held @ Value::Tuple(fields)), Some(of)) if fields.len() > 1 => {
                        write!(out, "{}", self.part(held, of))
                    }
                    (Some(held), Some(of)) => write!(out, "({})", self.part(held, of)),
                    _ => Ok(()),
                }
            }
            (value, of) => panic!("{value:?} is no {of}"),
        }
    }
}

fn quoted(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            '\0' => out.write_str("\\0")?,
            '"' | '\\' => write!(out, "\\{letter}")?,
            _ if letter.is_control() => write!(out, "\\u{{{:X}}}", letter as u32)?,
            _ => out.write_char(letter)?,
        }
    }
    out.write_char('"')
}
