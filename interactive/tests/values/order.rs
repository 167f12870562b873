//! The order of values is the one that docs/LANGUAGE.md says: for each type a list of values, ascending.

use interactive::value::Value;

#[test]
fn values_are_ordered_as_the_manual_says() {
    let tag = |tag| Value::Sum(tag, None);
    let box_of = |value| Value::Sum(1, Some(Box::new(value)));
    let ascending = [
        [i64::MIN, -1, 0, i64::MAX].map(Value::Int).to_vec(),
        [f64::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-300, f64::INFINITY, f64::NAN].map(Value::float).to_vec(),
        [false, true].map(Value::Bool).to_vec(),
        // By code points, and not by the 16 bits of other languages.
        ["", "a", "ab", "b", "\u{e9}", "\u{ffff}", "\u{1f980}"].map(Value::text).to_vec(),
        [(1, 9), (2, 0), (2, 1)].map(|(one, two)| Value::tuple([Value::Int(one), Value::Int(two)])).to_vec(),
        [&[][..], &[1], &[1, 1], &[2]].map(|list| Value::list(list.iter().copied().map(Value::Int))).to_vec(),
        vec![Value::NONE, Value::some(Value::Int(-1)), Value::some(Value::Int(0))],
        vec![tag(0), box_of(Value::Int(-5)), box_of(Value::Int(5)), tag(2)],
    ];
    for values in ascending {
        for (at, one) in values.iter().enumerate() {
            for (other_at, other) in values.iter().enumerate() {
                assert_eq!(one.cmp(other), at.cmp(&other_at), "{one:?} and {other:?}");
            }
        }
    }
    assert_eq!(Value::float(f64::NAN), Value::float(-f64::NAN));
}
