//! Values as JSON.
//!
//! | type | JSON |
//! |---|---|
//! | `int`, `bool`, `string` | a number, a bool, a string |
//! | `float` | a number; `"NaN"`, `"inf"` and `"-inf"`, which JSON lacks, as strings |
//! | tuples and lists | arrays |
//! | `option<T>` | `null`, or a `T`; of an option in an option, `{"Some": ..}` |
//! | declared types | `"Dot"`, `{"Circle": 1.0}`, `{"Box": [1.0, 2.0]}` |
//!
//! Both ways go along the type. Tested at the end of this file.

use super::errors::ValueError;
use crate::language::types::{Sum, Type};
use crate::value::Value;
use serde_json::{Map, Number, Value as Json, json};

/// Reads a value.
///
/// # Errors
/// Why it is no value of the type.
pub fn parse(json: &Json, of: &Type, sums: &[Sum]) -> Result<Value, ValueError> {
    match of {
        Type::Int => match json {
            Json::Number(number) => number.as_i64().map(Value::Int).ok_or_else(|| match number.is_f64() {
                true => ValueError::Wanted("a whole number"),
                false => ValueError::OutOfRange,
            }),
            _ => Err(ValueError::Wanted("a whole number")),
        },
        Type::Float => match json {
            Json::Number(number) => number.as_f64().map(Value::float),
            Json::String(text) => match text.as_str() {
                "NaN" => Some(Value::float(f64::NAN)),
                "inf" => Some(Value::float(f64::INFINITY)),
                "-inf" => Some(Value::float(f64::NEG_INFINITY)),
                _ => None,
            },
            _ => None,
        }
        .ok_or(ValueError::Wanted("a number")),
        Type::Bool => json.as_bool().map(Value::Bool).ok_or(ValueError::Wanted("true or false")),
        Type::Text => json.as_str().map(Value::text).ok_or(ValueError::Wanted("a string")),
        Type::Tuple(fields) => match json.as_array() {
            Some(items) if items.len() == fields.len() => {
                let values = items.iter().zip(fields).map(|(item, of)| parse(item, of, sums));
                values.collect::<Result<Vec<_>, _>>().map(Value::tuple)
            }
            _ => Err(ValueError::Wanted("an array of a value for each field")),
        },
        Type::List(of) => {
            let items = json.as_array().ok_or(ValueError::Wanted("an array"))?;
            items.iter().map(|item| parse(item, of, sums)).collect::<Result<Vec<_>, _>>().map(Value::list)
        }
        Type::Option(_) if json.is_null() => Ok(Value::NONE),
        Type::Option(of) if matches!(**of, Type::Option(_)) => match only(json) {
            Some(("Some", held)) => parse(held, of, sums).map(Value::some),
            _ => Err(ValueError::Wanted(r#"null or {"Some": ..}"#)),
        },
        Type::Option(of) => parse(json, of, sums).map(Value::some),
        Type::Sum(id, _) => {
            let constructors = &sums[id.0].constructors;
            let (name, held) = match (json, only(json)) {
                (Json::String(name), _) => (name.as_str(), None),
                (_, Some((name, held))) => (name, Some(held)),
                _ => ("", None),
            };
            let at =
                constructors.iter().position(|known| known.name == name && known.payload.is_some() == held.is_some());
            let at = at.ok_or_else(|| {
                let form = |known: &crate::language::types::Constructor| match known.payload {
                    Some(_) => format!("{{{:?}: ..}}", known.name),
                    None => format!("{:?}", known.name),
                };
                ValueError::Constructor(constructors.iter().map(form).collect())
            })?;
            let held = match (held, &constructors[at].payload) {
                (Some(held), Some(of)) => Some(Box::new(parse(held, of, sums)?)),
                _ => None,
            };
            Ok(Value::Sum(at as u32, held))
        }
        Type::Hole | Type::Broken => Err(ValueError::Wanted("nothing: the type is unknown")),
    }
}

/// The field of an object that has one.
fn only(json: &Json) -> Option<(&str, &Json)> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    object.iter().next().map(|(name, held)| (name.as_str(), held))
}

/// A value as JSON: what [`parse`] reads as the same value.
///
/// # Panics
/// If it is no value of the type.
pub fn written(value: &Value, of: &Type, sums: &[Sum]) -> Json {
    match (value, of) {
        (Value::Int(number), _) => json!(number),
        (Value::Bool(holds), _) => json!(holds),
        (Value::Text(text), _) => json!(text),
        (Value::Float(number), _) => match Number::from_f64(number.get()) {
            Some(finite) => Json::Number(finite),
            None => json!(format!("{:?}", number.get())),
        },
        (Value::Tuple(fields), Type::Tuple(types)) => {
            fields.iter().zip(types).map(|(field, of)| written(field, of, sums)).collect()
        }
        (Value::List(items), Type::List(of)) => items.iter().map(|item| written(item, of, sums)).collect(),
        (Value::Sum(_, None), Type::Option(_)) => Json::Null,
        (Value::Sum(_, Some(held)), Type::Option(of)) if matches!(**of, Type::Option(_)) => {
            json!({ "Some": written(held, of, sums) })
        }
        (Value::Sum(_, Some(held)), Type::Option(of)) => written(held, of, sums),
        (Value::Sum(at, held), Type::Sum(id, _)) => {
            let constructor = &sums[id.0].constructors[*at as usize];
            match (held, &constructor.payload) {
                (Some(held), Some(of)) => {
                    Json::Object(Map::from_iter([(constructor.name.clone(), written(held, of, sums))]))
                }
                _ => json!(constructor.name),
            }
        }
        (value, of) => panic!("{value:?} is no {of}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::files::{FileId, Span};
    use crate::language::types::{Constructor, SumId};

    fn shapes() -> Vec<Sum> {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let constructor = |name: &str, payload| Constructor { name: name.to_string(), span, payload };
        let pair = Type::Tuple(vec![Type::Float, Type::Float]);
        vec![Sum {
            name: "Shape".into(),
            span,
            constructors: vec![constructor("Dot", None), constructor("Box", Some(pair))],
        }]
    }

    #[test]
    fn json_and_values_go_both_ways() {
        let option = |of| Type::Option(Box::new(of));
        let shape = || Type::Sum(SumId(0), "Shape".into());
        let twice = option(option(Type::Int));
        for (text, of, value) in [
            ("-7", Type::Int, Value::Int(-7)),
            ("0.5", Type::Float, Value::float(0.5)),
            ("-0.0", Type::Float, Value::float(-0.0)),
            ("90.88184001853247", Type::Float, Value::float(90.88184001853247)),
            ("\"NaN\"", Type::Float, Value::float(f64::NAN)),
            ("\"-inf\"", Type::Float, Value::float(f64::NEG_INFINITY)),
            ("true", Type::Bool, Value::Bool(true)),
            (r#""a\u0000\"""#, Type::Text, Value::text("a\0\"")),
            (r#"[1,"a"]"#, Type::Tuple(vec![Type::Int, Type::Text]), Value::tuple([Value::Int(1), Value::text("a")])),
            ("[]", Type::List(Box::new(Type::Int)), Value::list([])),
            ("null", option(Type::Int), Value::NONE),
            ("5", option(Type::Int), Value::some(Value::Int(5))),
            ("null", twice.clone(), Value::NONE),
            (r#"{"Some":null}"#, twice.clone(), Value::some(Value::NONE)),
            (r#"{"Some":5}"#, twice, Value::some(Value::some(Value::Int(5)))),
            ("\"Dot\"", shape(), Value::Sum(0, None)),
            (
                r#"{"Box":[1.0,2.0]}"#,
                shape(),
                Value::Sum(1, Some(Box::new(Value::tuple([Value::float(1.0), Value::float(2.0)])))),
            ),
        ] {
            let json: Json = serde_json::from_str(text).unwrap();
            assert_eq!(parse(&json, &of, &shapes()).as_ref(), Ok(&value), "{text}");
            assert_eq!(written(&value, &of, &shapes()).to_string(), text);
        }
    }

    #[test]
    fn other_json_is_refused() {
        let pair = Type::Tuple(vec![Type::Int, Type::Int]);
        let shape = Type::Sum(SumId(0), "Shape".into());
        for (text, of, reason) in [
            ("1.0", &Type::Int, "wanted a whole number"),
            ("\"1\"", &Type::Int, "wanted a whole number"),
            ("9223372036854775808", &Type::Int, "out of range: from -9223372036854775808 to 9223372036854775807"),
            ("\"1\"", &Type::Float, "wanted a number"),
            ("1", &Type::Bool, "wanted true or false"),
            ("null", &Type::Text, "wanted a string"),
            ("[1]", &pair, "wanted an array of a value for each field"),
            ("{\"Dot\": 1}", &shape, r#"wanted "Dot" or {"Box": ..}"#),
            ("\"Box\"", &shape, r#"wanted "Dot" or {"Box": ..}"#),
        ] {
            let json: Json = serde_json::from_str(text).unwrap();
            assert_eq!(parse(&json, of, &shapes()).unwrap_err().to_string(), reason, "{text}");
        }
    }
}
