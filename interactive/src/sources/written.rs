//! Values as a person writes them in a field of a file.
//!
//! | type | a field |
//! |---|---|
//! | `int`, `float`, `bool` | `-7`; `0.5`, `2e-3`, `NaN`, `inf`; `true` or `false`; blanks around them are left out |
//! | `string` | the field as it is |
//! | `option<T>` | nothing, or `None`; a field of `T`; or `Some(..)` as the language writes it |
//! | tuples, lists, declared types | as the language writes them: `(1, "a")`, `[1, 2]`, `Box(1.0, 2.0)` |
//!
//! What is written as the language writes it is read by recursive descent along the *type*, so it nests no deeper than a
//! type does. [`field`] is the way back: what it writes reads as the same value.
//!
//! Cost: one pass over the field. Tested at the end of this file.

use super::errors::ValueError;
use crate::language::types::{Sum, Type};
use crate::value::{Shown, Value, Values, lane};
use differential::column::Column;

const INT: &str = "a whole number";
const FLOAT: &str = "a number such as 0.5 or 2e-3";
const BOOL: &str = "true or false";
const TEXT: &str = "a text in double quotes";

/// Reads a field of a file.
///
/// # Errors
/// Why it is no value of the type.
///
/// ```
/// use interactive::language::types::Type;
/// use interactive::sources::written::parse;
/// use interactive::value::Value;
/// assert_eq!(parse("a, b", &Type::Text, &[]), Ok(Value::text("a, b")));
/// assert_eq!(parse("[1, 2]", &Type::List(Box::new(Type::Int)), &[]), Ok(Value::list([Value::Int(1), Value::Int(2)])));
/// ```
pub fn parse(text: &str, of: &Type, sums: &[Sum]) -> Result<Value, ValueError> {
    match of {
        Type::Int => int(text.trim_ascii()).map(Value::Int),
        Type::Float => float(text.trim_ascii()).map(Value::float),
        Type::Bool => match text.trim_ascii() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(ValueError::Wanted(BOOL)),
        },
        Type::Text => Ok(Value::text(text)),
        Type::Option(inner) => match text.trim_ascii() {
            "" | "None" => Ok(Value::NONE),
            some if some.strip_prefix("Some").is_some_and(|rest| rest.trim_ascii_start().starts_with('(')) => {
                whole(some, of, sums)
            }
            _ => parse(text, inner, sums).map(Value::some),
        },
        _ => whole(text, of, sums),
    }
}

/// Reads a field of a file to the end of a column of its type: what has no parts goes there as it is.
///
/// # Errors
/// As [`parse`], or [`ValueError::NotText`]; nothing is appended then.
///
/// # Panics
/// If the column is not of the type's kind.
///
/// ```
/// use differential::column::Column;
/// use interactive::language::types::Type;
/// use interactive::sources::written::parse_to;
/// use interactive::value::{Kind, Values};
///
/// let mut numbers = Values::empty(&Kind::Int);
/// assert!(parse_to(b" 7", &Type::Int, &[], &mut numbers).is_ok());
/// assert!(parse_to(b"x", &Type::Int, &[], &mut numbers).is_err());
/// assert_eq!((numbers.len(), numbers.int(0)), (1, 7));
/// ```
pub fn parse_to(field: &[u8], of: &Type, sums: &[Sum], column: &mut Values) -> Result<(), ValueError> {
    if let (Type::Int, Values::Ints(lane)) = (of, &mut *column)
        && let Some(number) = whole_number(field.trim_ascii())
    {
        lane.push(lane::of_int(number));
        return Ok(());
    }
    let text = std::str::from_utf8(field).map_err(|_| ValueError::NotText)?;
    match (of, column) {
        (Type::Float, Values::Floats(lane)) => lane.push(lane::of_float(float(text.trim_ascii())?)),
        (Type::Text, Values::Texts(texts)) => texts.push(text),
        (of, column) => column.push_value(&parse(text, of, sums)?),
    }
    Ok(())
}

/// A value as a field: what [`parse`] reads as the same value. An option is nothing or its value's field, as other programs
/// write it, unless that would read as another.
pub fn field(value: &Value, of: &Type, sums: &[Sum]) -> String {
    match (value, of) {
        (Value::Text(text), _) => return text.to_string(),
        (Value::Sum(_, None), Type::Option(_)) => return String::new(),
        (Value::Sum(_, Some(held)), Type::Option(of)) if !matches!(**of, Type::Option(_)) => {
            let bare = field(held, of, sums);
            let trimmed = bare.trim_ascii();
            if !(trimmed.is_empty() || trimmed == "None" || trimmed.starts_with("Some")) {
                return bare;
            }
        }
        _ => {}
    }
    Shown { value, of, sums }.to_string()
}

/// A whole number, digits with or without a sign.
fn int(text: &str) -> Result<i64, ValueError> {
    whole_number(text.as_bytes()).ok_or_else(|| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { ValueError::OutOfRange } else { ValueError::Wanted(INT) }
    })
}

/// The same, of bytes; `None` if it is none, or beyond 64 bits.
fn whole_number(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    // Below zero, where there is one number more.
    let mut number = 0_i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.checked_mul(10)?.checked_sub(i64::from(digit))?;
    }
    if negative { Some(number) } else { number.checked_neg() }
}

fn float(text: &str) -> Result<f64, ValueError> {
    text.parse().map_err(|_| ValueError::Wanted(FLOAT))
}

/// Reads all of a text as the language writes values.
fn whole(text: &str, of: &Type, sums: &[Sum]) -> Result<Value, ValueError> {
    let mut cursor = Cursor { rest: text, sums };
    let value = cursor.value(of)?;
    cursor.skip_blanks();
    if cursor.rest.is_empty() { Ok(value) } else { Err(ValueError::After(cursor.rest.to_string())) }
}

/// What is left of a text.
struct Cursor<'a> {
    rest: &'a str,
    sums: &'a [Sum],
}

impl<'a> Cursor<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    /// Takes a sign, if it is the next one.
    fn take(&mut self, sign: char) -> bool {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, sign: char, wanted: &'static str) -> Result<(), ValueError> {
        if self.take(sign) { Ok(()) } else { Err(ValueError::Wanted(wanted)) }
    }

    /// Takes as long as the letters are these.
    fn word(&mut self, letters: impl Fn(char) -> bool) -> &'a str {
        self.skip_blanks();
        let end = self.rest.find(|letter| !letters(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn value(&mut self, of: &Type) -> Result<Value, ValueError> {
        let number = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+');
        match of {
            Type::Int => int(self.word(number)).map(Value::Int),
            Type::Float => float(self.word(number)).map(Value::float),
            Type::Bool => parse(self.word(number), of, self.sums),
            Type::Text => self.text().map(|text| Value::Text(text.into())),
            Type::Tuple(fields) => {
                self.expect('(', "a tuple, in parentheses")?;
                self.fields(fields)
            }
            Type::List(of) => {
                self.expect('[', "a list, in brackets")?;
                let mut items = Vec::new();
                while !self.take(']') {
                    if !items.is_empty() {
                        self.expect(',', "a comma or `]`")?;
                        if self.take(']') {
                            break;
                        }
                    }
                    items.push(self.value(of)?);
                }
                Ok(Value::list(items))
            }
            Type::Option(of) => match self.word(|letter| letter.is_ascii_alphanumeric()) {
                "None" => Ok(Value::NONE),
                "Some" => {
                    self.expect('(', "a value in parentheses")?;
                    let value = self.value(of)?;
                    self.expect(')', "a closing parenthesis")?;
                    Ok(Value::some(value))
                }
                _ => Err(ValueError::Wanted("None or Some(..)")),
            },
            Type::Sum(id, _) => {
                let word = self.word(|letter| letter.is_alphanumeric() || letter == '_');
                let constructors = &self.sums[id.0].constructors;
                let at = constructors.iter().position(|constructor| constructor.name == word);
                let known = || ValueError::Constructor(constructors.iter().map(|known| known.name.clone()).collect());
                let at = at.ok_or_else(known)?;
                let held = match &constructors[at].payload {
                    None => None,
                    Some(of) => {
                        self.expect('(', "a value in parentheses")?;
                        Some(Box::new(self.held(of)?))
                    }
                };
                Ok(Value::Sum(u32::try_from(at).map_err(|_| known())?, held))
            }
            Type::Hole | Type::Broken => Err(ValueError::Wanted("nothing: the type is unknown")),
        }
    }

    /// What a constructor holds, behind the opening parenthesis: a tuple of several fields may lack its own.
    fn held(&mut self, of: &Type) -> Result<Value, ValueError> {
        if let Type::Tuple(fields) = of
            && fields.len() > 1
        {
            let before = self.rest;
            match self.fields(fields) {
                Ok(value) => return Ok(value),
                // It may have them, too, if its first field doesn't begin with one.
                Err(error) if !matches!(fields[0], Type::Tuple(_)) => {
                    self.rest = before;
                    if !self.take('(') {
                        return Err(error);
                    }
                    let value = self.fields(fields)?;
                    self.expect(')', "a closing parenthesis")?;
                    return Ok(value);
                }
                Err(error) => return Err(error),
            }
        }
        let value = self.value(of)?;
        self.expect(')', "a closing parenthesis")?;
        Ok(value)
    }

    /// The fields of a tuple, and the parenthesis behind them.
    fn fields(&mut self, fields: &[Type]) -> Result<Value, ValueError> {
        let mut values = Vec::with_capacity(fields.len());
        for (at, field) in fields.iter().enumerate() {
            if at > 0 {
                self.expect(',', "a comma")?;
            }
            values.push(self.value(field)?);
        }
        // A list of fields may end with a comma; that of one field does.
        if !fields.is_empty() {
            self.take(',');
        }
        self.expect(')', "a closing parenthesis")?;
        Ok(Value::tuple(values))
    }

    /// A text in double quotes.
    fn text(&mut self) -> Result<String, ValueError> {
        self.expect('"', TEXT)?;
        let mut text = String::new();
        let mut letters = self.rest.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => {
                    self.rest = letters.as_str();
                    return Ok(text);
                }
                '\\' => text
                    .push(escaped(&mut letters).ok_or(ValueError::Wanted(r#"an escape: \n \t \r \0 \" \\ \u{..}"#))?),
                letter => text.push(letter),
            }
        }
        Err(ValueError::Wanted("a closing quotation mark"))
    }
}

fn escaped(letters: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match letters.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        same @ ('"' | '\\') => same,
        'u' => {
            let (digits, rest) = letters.as_str().strip_prefix('{')?.split_once('}')?;
            *letters = rest.chars();
            u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::files::{FileId, Span};
    use crate::language::types::{Constructor, SumId};
    use difftest::Random;

    fn shapes() -> Vec<Sum> {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let constructor = |name: &str, payload| Constructor { name: name.to_string(), span, payload };
        let pair = Type::Tuple(vec![Type::Float, Type::Float]);
        let constructors =
            vec![constructor("Dot", None), constructor("Circle", Some(Type::Float)), constructor("Box", Some(pair))];
        vec![Sum { name: "Shape".into(), span, constructors }]
    }

    fn shape() -> Type {
        Type::Sum(SumId(0), "Shape".into())
    }

    fn list(of: Type) -> Type {
        Type::List(Box::new(of))
    }

    fn option(of: Type) -> Type {
        Type::Option(Box::new(of))
    }

    fn read(text: &str, of: &Type) -> Result<Value, String> {
        parse(text, of, &shapes()).map_err(|error| error.to_string())
    }

    #[test]
    fn values_of_every_kind_are_read() {
        let int = Value::Int;
        for (text, of, value) in [
            (" -7 ", Type::Int, int(-7)),
            ("+7", Type::Int, int(7)),
            ("7", Type::Float, Value::float(7.0)),
            ("-inf", Type::Float, Value::float(f64::NEG_INFINITY)),
            ("NaN", Type::Float, Value::float(f64::NAN)),
            ("false", Type::Bool, Value::Bool(false)),
            ("", Type::Text, Value::text("")),
            (" a\0\"b ", Type::Text, Value::text(" a\0\"b ")),
            ("()", Type::Tuple(vec![]), Value::tuple([])),
            ("( 1 ,)", Type::Tuple(vec![Type::Int]), Value::tuple([int(1)])),
            (
                r#"(1,"a\n\u{1F600}")"#,
                Type::Tuple(vec![Type::Int, Type::Text]),
                Value::tuple([int(1), Value::text("a\n😀")]),
            ),
            ("[]", list(Type::Int), Value::list([])),
            ("[1, 2,]", list(Type::Int), Value::list([int(1), int(2)])),
            ("", option(Type::Int), Value::NONE),
            ("None", option(Type::Text), Value::NONE),
            ("5", option(Type::Int), Value::some(int(5))),
            ("Some(5)", option(Type::Int), Value::some(int(5))),
            ("Some text", option(Type::Text), Value::some(Value::text("Some text"))),
            ("Some(None)", option(option(Type::Int)), Value::some(Value::NONE)),
            ("Dot", shape(), Value::Sum(0, None)),
            ("Circle(1)", shape(), Value::Sum(1, Some(Box::new(Value::float(1.0))))),
            ("Box(1, 2)", shape(), Value::Sum(2, Some(Box::new(Value::tuple([Value::float(1.0), Value::float(2.0)]))))),
            (
                "Box((1, 2))",
                shape(),
                Value::Sum(2, Some(Box::new(Value::tuple([Value::float(1.0), Value::float(2.0)])))),
            ),
        ] {
            assert_eq!(read(text, &of), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_value_is_refused_with_the_reason() {
        let pair = Type::Tuple(vec![Type::Int, Type::Text]);
        for (text, of, reason) in [
            ("", Type::Int, "wanted a whole number"),
            ("1.5", Type::Int, "wanted a whole number"),
            ("9223372036854775808", Type::Int, "out of range: from -9223372036854775808 to 9223372036854775807"),
            ("x", option(Type::Int), "wanted a whole number"),
            ("1,5", Type::Float, "wanted a number such as 0.5 or 2e-3"),
            ("True", Type::Bool, "wanted true or false"),
            ("1, \"a\"", pair.clone(), "wanted a tuple, in parentheses"),
            ("(1)", pair.clone(), "wanted a comma"),
            ("(1, a)", pair.clone(), "wanted a text in double quotes"),
            ("(1, \"a", pair.clone(), "wanted a closing quotation mark"),
            (r#"(1, "\x")"#, pair.clone(), r#"wanted an escape: \n \t \r \0 \" \\ \u{..}"#),
            (r#"(1, "\u{110000}")"#, pair.clone(), r#"wanted an escape: \n \t \r \0 \" \\ \u{..}"#),
            ("(1, \"a\") b", pair, "did not expect \"b\""),
            ("[1 2]", list(Type::Int), "wanted a comma or `]`"),
            ("[,]", list(Type::Int), "wanted a whole number"),
            ("Square", shape(), "wanted Dot or Circle or Box"),
            ("Dot(1)", shape(), "did not expect \"(1)\""),
            ("Box(1)", shape(), "wanted a comma"),
        ] {
            assert_eq!(read(text, &of), Err(reason.to_string()), "{text}");
        }
    }

    /// Types and values of them at random; what is written reads as the same.
    #[test]
    fn what_is_written_reads_as_the_same() {
        for seed in 1..=2_000_u64 {
            let random = &mut Random::new(seed);
            let of = a_type(3, random);
            let value = a_value(&of, random);
            let text = field(&value, &of, &shapes());
            assert_eq!(parse(&text, &of, &shapes()), Ok(value), "seed {seed}: {text} of {of}");
        }
    }

    fn a_type(depth: u64, random: &mut Random) -> Type {
        match random.below(if depth == 0 { 5 } else { 8 }) {
            0 => Type::Int,
            1 => Type::Float,
            2 => Type::Bool,
            3 => Type::Text,
            4 => shape(),
            5 => Type::Tuple((0..random.below(4)).map(|_| a_type(depth - 1, random)).collect()),
            6 => list(a_type(depth - 1, random)),
            _ => option(a_type(depth - 1, random)),
        }
    }

    fn a_value(of: &Type, random: &mut Random) -> Value {
        match of {
            Type::Int => Value::Int(*random.pick(&[0, -1, i64::MIN, i64::MAX])),
            Type::Float => Value::float(*random.pick(&[0.0, -0.0, 1.5e300, f64::NAN, f64::INFINITY, -2.5e-7])),
            Type::Bool => Value::Bool(random.below(2) == 0),
            Type::Text => {
                Value::text(random.pick::<&str>(&["", "a b", "\"\\\n", "None", "Some(1)", "(,)", "\u{0}\u{7f}ä"]))
            }
            Type::Tuple(fields) => Value::tuple(fields.iter().map(|of| a_value(of, random)).collect::<Vec<_>>()),
            Type::List(of) => Value::list((0..random.below(4)).map(|_| a_value(of, random)).collect::<Vec<_>>()),
            Type::Option(_) if random.below(3) == 0 => Value::NONE,
            Type::Option(of) => Value::some(a_value(of, random)),
            Type::Sum(..) => match random.below(3) {
                0 => Value::Sum(0, None),
                1 => Value::Sum(1, Some(Box::new(a_value(&Type::Float, random)))),
                _ => Value::Sum(2, Some(Box::new(a_value(&Type::Tuple(vec![Type::Float, Type::Float]), random)))),
            },
            Type::Hole | Type::Broken => unreachable!(),
        }
    }
}
