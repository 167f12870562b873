//! What is shown of a value is how a program writes it: text, value, and the same text again.
//!
//! The text is checked as a program's constant, so a form that the language does not have fails here.

use interactive::language::check;
use interactive::value::{Shown, Value};

/// A type as it is written, a value of it, and what is shown.
fn written() -> Vec<(&'static str, Value, &'static str)> {
    let held = |tag, value| Value::Sum(tag, Some(Box::new(value)));
    let pair = || Value::tuple([Value::float(1.0), Value::float(-0.0)]);
    vec![
        ("int", Value::Int(-12), "-12"),
        ("float", Value::float(1.0), "1.0"),
        ("float", Value::float(-0.0), "-0.0"),
        ("float", Value::float(1e300), "1e300"),
        ("float", Value::float(2.5e-9), "2.5e-9"),
        ("bool", Value::Bool(true), "true"),
        ("string", Value::text("a \"b\" \\ \n\t\r\0 \u{7f} \u{1f980}"), r#""a \"b\" \\ \n\t\r\0 \u{7F} 🦀""#),
        ("(int, string)", Value::tuple([Value::Int(1), Value::text("")]), r#"(1, "")"#),
        ("()", Value::tuple([]), "()"),
        (
            "list<list<int>>",
            Value::list([Value::list([Value::Int(1), Value::Int(2)]), Value::list([])]),
            "[[1, 2], []]",
        ),
        ("option<int>", Value::NONE, "None"),
        ("option<option<int>>", Value::some(Value::NONE), "Some(None)"),
        ("Shape", Value::Sum(0, None), "Dot"),
        ("Shape", held(1, Value::float(0.5)), "Circle(0.5)"),
        ("Shape", held(2, pair()), "Box(1.0, -0.0)"),
        ("Shape", held(3, Value::tuple([])), "Nil(())"),
    ]
}

#[test]
fn values_are_shown_as_they_are_written() {
    for (of, value, text) in written() {
        let program = format!(
            "type Shape = Dot | Circle float | Box (float, float) | Nil ();\n\
             export it = rows (value: {of}) {{ ({text}) }};"
        );
        let checked = check("it.ddir".as_ref(), program.clone(), &|path| std::fs::read_to_string(path));
        let program = checked.program.unwrap_or_else(|| panic!("{program}: {:?}", checked.mistakes));
        let of = &program.definitions[0].columns[0].of;
        assert_eq!(Shown { value: &value, of, sums: &program.sums }.to_string(), text);
    }
}
