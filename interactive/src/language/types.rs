//! Types of values, and of the rows of a collection.
//!
//! ```text
//!   int  float  bool  string  (A, B)  list<T>  option<T>  Declared
//! ```
//!
//! While an expression is being checked, its type may have holes: `[]` is a list of something, `None` an option of
//! something. What stands beside it fills the hole ([`unify`]); a hole that is left is a mistake. `Broken` is the type
//! of what is already told to be wrong: it agrees with everything, so that one mistake is told once.
//!
//! Invariant: types are small (the checker refuses to make one of more than [`SIZE`] parts), so they are trees that are
//! cloned freely. A declared type is named, not spelled out.

use super::files::Span;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// Of how many parts a type may be made.
pub const SIZE: usize = 500;

/// Of how many parts a declared type may be made, all that it is made of spelled out: each is a column.
pub const SPELLED_OUT: usize = 10_000;

/// Writes what is shared as what it is.
pub(crate) fn shared<T: Serialize + ?Sized, S: Serializer>(shared: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
    shared.as_ref().serialize(serializer)
}

/// The same of each in a list.
pub(crate) fn each_shared<T: Serialize, S: Serializer>(shared: &[Arc<T>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(shared.iter().map(Arc::as_ref))
}

/// The number of a declared type in [`super::program::Program::sums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SumId(pub usize);

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Type {
    /// A whole number of 64 bits with a sign.
    Int,
    /// A number of 64 bits with a point; all of them are ordered.
    Float,
    /// True or false.
    Bool,
    /// A text.
    Text,
    /// Some values side by side; none of them is the unit.
    Tuple(Vec<Type>),
    /// Any number of values in order.
    List(Box<Type>),
    /// A value or none.
    Option(Box<Type>),
    /// A declared type, by number and name.
    Sum(SumId, #[serde(serialize_with = "shared")] Arc<str>),
    /// Not known yet. No checked program has one.
    Hole,
    /// Of something that is wrong. No checked program has one.
    Broken,
}

impl Type {
    /// Of how many parts it is made.
    pub fn size(&self) -> usize {
        match self {
            Type::Tuple(fields) => 1 + fields.iter().map(Type::size).sum::<usize>(),
            Type::List(of) | Type::Option(of) => 1 + of.size(),
            _ => 1,
        }
    }

    /// Of how many parts it is made, if declared types are made of so many.
    pub fn spelled_out(&self, sums: &[usize]) -> usize {
        match self {
            Type::Tuple(fields) => {
                fields.iter().fold(1, |sum: usize, field| sum.saturating_add(field.spelled_out(sums)))
            }
            Type::List(of) | Type::Option(of) => of.spelled_out(sums).saturating_add(1),
            Type::Sum(id, _) => sums[id.0],
            _ => 1,
        }
    }

    /// The same type where declared types are numbered from `by` on.
    pub fn shifted(&self, by: usize) -> Type {
        match self {
            Type::Tuple(fields) => Type::Tuple(fields.iter().map(|field| field.shifted(by)).collect()),
            Type::List(of) => Type::List(Box::new(of.shifted(by))),
            Type::Option(of) => Type::Option(Box::new(of.shifted(by))),
            Type::Sum(id, name) => Type::Sum(SumId(id.0 + by), name.clone()),
            other => other.clone(),
        }
    }

    /// Whether some part of it is this one.
    pub fn has(&self, part: &Type) -> bool {
        match self {
            Type::Tuple(fields) => self == part || fields.iter().any(|field| field.has(part)),
            Type::List(of) | Type::Option(of) => self == part || of.has(part),
            _ => self == part,
        }
    }
}

/// The type that both can be, holes filled from the other; nothing if there is none.
pub fn unify(left: &Type, right: &Type) -> Option<Type> {
    match (left, right) {
        (Type::Broken, _) | (_, Type::Broken) => Some(Type::Broken),
        (Type::Hole, other) | (other, Type::Hole) => Some(other.clone()),
        (Type::List(left), Type::List(right)) => Some(Type::List(Box::new(unify(left, right)?))),
        (Type::Option(left), Type::Option(right)) => Some(Type::Option(Box::new(unify(left, right)?))),
        (Type::Tuple(left), Type::Tuple(right)) if left.len() == right.len() => {
            let fields = left.iter().zip(right).map(|(left, right)| unify(left, right));
            Some(Type::Tuple(fields.collect::<Option<_>>()?))
        }
        _ => (left == right).then(|| left.clone()),
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int => out.write_str("int"),
            Type::Float => out.write_str("float"),
            Type::Bool => out.write_str("bool"),
            Type::Text => out.write_str("string"),
            Type::Tuple(fields) => {
                out.write_str("(")?;
                for (at, field) in fields.iter().enumerate() {
                    write!(out, "{}{field}", if at == 0 { "" } else { ", " })?;
                }
                out.write_str(if fields.len() == 1 { ",)" } else { ")" })
            }
            Type::List(of) => write!(out, "list<{of}>"),
            Type::Option(of) => write!(out, "option<{of}>"),
            Type::Sum(_, name) => out.write_str(name),
            Type::Hole | Type::Broken => out.write_str("_"),
        }
    }
}

/// A column of a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// By which rows are spoken of. Within a pipeline, two columns may have one name.
    pub name: String,
    /// Of its values.
    pub of: Type,
}

/// Columns as they are declared: `(src: int, dst: int)`.
pub struct Listed<'a>(pub &'a [Column]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("(")?;
        for (at, Column { name, of }) in self.0.iter().enumerate() {
            write!(out, "{}{name}: {of}", if at == 0 { "" } else { ", " })?;
        }
        out.write_str(")")
    }
}

/// A declared type: one of some constructors, each with a value or without.
#[derive(Clone, Debug, Serialize)]
pub struct Sum {
    /// Its name.
    #[serde(serialize_with = "shared")]
    pub name: Arc<str>,
    /// Where it is declared.
    pub span: Span,
    /// In the order of their declaration, which is the order of their values.
    pub constructors: Vec<Constructor>,
}

/// A constructor of a declared type.
#[derive(Clone, Debug, Serialize)]
pub struct Constructor {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The type of what it holds, if it holds something.
    pub payload: Option<Type>,
}

#[cfg(test)]
mod tests {
    use super::{Type, unify};

    #[test]
    fn holes_are_filled_from_either_side() {
        let pair = |left: &Type, right: &Type| Type::Tuple(vec![left.clone(), right.clone()]);
        let list = |of: &Type| Type::List(Box::new(of.clone()));
        let (hole, int, text) = (&Type::Hole, &Type::Int, &Type::Text);
        assert_eq!(unify(&pair(hole, text), &pair(int, hole)), Some(pair(int, text)));
        assert_eq!(unify(&list(hole), &list(&list(int))), Some(list(&list(int))));
        assert_eq!(unify(&pair(int, text), &pair(text, text)), None);
        assert_eq!(unify(&list(int), &Type::Option(Box::new(Type::Int))), None);
        assert_eq!(unify(&Type::Broken, int), Some(Type::Broken));
    }

    #[test]
    fn a_type_is_told_as_it_is_written() {
        let one = Type::Tuple(vec![Type::Int]);
        assert_eq!(Type::List(Box::new(one)).to_string(), "list<(int,)>");
        assert_eq!(
            Type::Option(Box::new(Type::Tuple(vec![Type::Bool, Type::Float]))).to_string(),
            "option<(bool, float)>"
        );
    }
}
