//! One value and one row, each of its own: what comes from outside, and what is shown.
//!
//! The order is the language's: `false` first; `-0.0` before `0.0` and NaN after everything, equal to itself; texts by
//! code points; tuples field by field; lists item by item, a beginning first; sums by constructor as declared. Values of
//! two kinds are never compared by a checked program; that they have an order too is of no meaning.

use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt;

/// A number of 64 bits with a point, in the language's total order: `-0.0 < 0.0`, and one NaN, after everything.
///
/// It is held as the 64 bits that sort as it does (see [`lane`](super::lane)), so comparing is comparing integers.
///
/// ```
/// use interactive::value::Float;
/// assert!(Float::from(-0.0) < Float::from(0.0) && Float::from(f64::INFINITY) < Float::from(-f64::NAN));
/// assert_eq!(Float::from(0.5).get(), 0.5);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Float(u64);

impl Float {
    /// The number.
    #[inline]
    pub fn get(self) -> f64 {
        super::lane::float(self.0)
    }

    /// The 64 bits that sort as it does.
    #[inline]
    pub fn lane(self) -> u64 {
        self.0
    }
}

impl From<f64> for Float {
    #[inline]
    fn from(number: f64) -> Float {
        Float(super::lane::of_float(number))
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.get())
    }
}

/// A value. Its parts are of the kinds that the column's [`Kind`](super::Kind) says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number with a point.
    Float(Float),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(Box<str>),
    /// Some values side by side.
    Tuple(Box<[Value]>),
    /// Values in order.
    List(Box<[Value]>),
    /// A variant by number, and what it holds, if it is one that holds something.
    Sum(u32, Option<Box<Value>>),
}

impl Value {
    /// `None`.
    pub const NONE: Value = Value::Sum(0, None);

    /// `Some(of)`.
    pub fn some(of: Value) -> Value {
        Value::Sum(1, Some(Box::new(of)))
    }

    /// A number with a point.
    pub fn float(number: f64) -> Value {
        Value::Float(number.into())
    }

    /// A text.
    pub fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    /// A tuple.
    pub fn tuple(fields: impl IntoIterator<Item = Value>) -> Value {
        Value::Tuple(fields.into_iter().collect())
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Value {
        Value::List(items.into_iter().collect())
    }
}

/// A row: a value for each field of its collection's schema. A short one, as most groups make, is no allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row(pub SmallVec<[Value; 2]>);

impl FromIterator<Value> for Row {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Row {
        Row(values.into_iter().collect())
    }
}

impl PartialOrd for Row {
    #[inline]
    fn partial_cmp(&self, other: &Row) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Row {
    #[inline]
    fn cmp(&self, other: &Row) -> Ordering {
        // Most rows begin with a number that tells them apart.
        match (self.0.first(), other.0.first()) {
            (Some(Value::Int(number)), Some(Value::Int(other))) if number != other => number.cmp(other),
            _ => self.0.cmp(&other.0),
        }
    }
}
