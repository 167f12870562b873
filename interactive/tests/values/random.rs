//! Kinds and values at random, full of ties.

use crate::column::column_laws::Random;
use interactive::value::{Kind, Value};
use std::sync::Arc;

/// A kind of at most `depth` levels.
pub(crate) fn kind(random: &mut Random, depth: usize) -> Kind {
    match random.below(if depth == 0 { 4 } else { 7 }) {
        0 => Kind::Int,
        1 => Kind::Float,
        2 => Kind::Bool,
        3 => Kind::Text,
        4 => {
            let width = random.below(4);
            Kind::tuple((0..width).map(|_| kind(random, depth - 1)).collect::<Vec<_>>())
        }
        5 => Kind::list(kind(random, depth - 1)),
        _ => {
            let count = 1 + random.below(4);
            let variants = (0..count).map(|_| (random.below(3) > 0).then(|| kind(random, depth - 1)));
            Kind::Sum(variants.collect::<Vec<_>>().into())
        }
    }
}

/// A value of a kind: mostly a small one, so that there are ties in all its parts.
pub(crate) fn value(random: &mut Random, of: &Kind) -> Value {
    match of {
        Kind::Int => match random.below(4) {
            0 => Value::Int([i64::MIN, i64::MAX, i64::MIN + 1][random.below(3)]),
            1 => Value::Int(random.next() as i64),
            _ => Value::Int(random.below(4) as i64 - 1),
        },
        Kind::Float => match random.below(3) {
            0 => Value::float(f64::from_bits(random.next())),
            _ => {
                let some = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.5, -1.5];
                Value::float(some[random.below(some.len())])
            }
        },
        Kind::Bool => Value::Bool(random.below(2) == 1),
        Kind::Text => {
            let length = [0, 1, 2, 7, 8, 9, 17][random.below(7)];
            let letters = (0..length).map(|_| ['a', 'b', '\0', '\u{e9}'][random.below(9).saturating_sub(5)]);
            Value::Text(letters.collect::<String>().into())
        }
        Kind::Tuple(kinds) => Value::Tuple(kinds.iter().map(|kind| value(random, kind)).collect()),
        Kind::List(of) => {
            let length = [0, 0, 1, 1, 2, 5][random.below(6)];
            Value::List((0..length).map(|_| value(random, of)).collect())
        }
        Kind::Sum(variants) => {
            let tag = random.below(variants.len());
            Value::Sum(tag as u32, variants[tag].as_ref().map(|kind| Box::new(value(random, kind))))
        }
    }
}

/// The kinds of `width` fields.
pub(crate) fn schema(random: &mut Random, width: usize, depth: usize) -> Arc<[Kind]> {
    (0..width).map(|_| kind(random, depth)).collect::<Vec<_>>().into()
}
