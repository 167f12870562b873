//! How a type is stored: the schema of a collection's columns.
//!
//! A kind has no names: an option is a sum of nothing and something, a declared type the sum of its constructors. Two
//! types of one kind are stored alike, so whoever keeps a [`Type`] for its messages has the kind for its columns.
//!
//! Cost: a kind is shared, not copied; the kinds of all declared types are made once, in [`Kinds`].

use crate::language::types::{Column, Sum, Type};
use std::sync::Arc;

/// How values of a type are stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A whole number of 64 bits.
    Int,
    /// A number of 64 bits with a point.
    Float,
    /// A bit.
    Bool,
    /// A text.
    Text,
    /// Some values side by side, perhaps none.
    Tuple(Arc<[Kind]>),
    /// Any number of values in order.
    List(Arc<Kind>),
    /// One of some variants, each with a value or without. An option is the sum of nothing and something.
    Sum(Arc<[Option<Kind>]>),
}

/// The kinds of a row's fields.
pub type Schema = Arc<[Kind]>;

impl Kind {
    /// The kind of `option<of>`.
    pub fn option(of: Kind) -> Kind {
        Kind::Sum(Arc::new([None, Some(of)]))
    }

    /// The kind of `list<of>`.
    pub fn list(of: Kind) -> Kind {
        Kind::List(Arc::new(of))
    }

    /// The kind of a tuple.
    pub fn tuple(fields: impl IntoIterator<Item = Kind>) -> Kind {
        Kind::Tuple(fields.into_iter().collect())
    }
}

/// The kinds of a program's types.
///
/// ```
/// use interactive::language::types::Type;
/// use interactive::value::{Kind, Kinds};
/// let kinds = Kinds::of(&[]); // a program without declared types
/// assert_eq!(kinds.kind(&Type::Option(Box::new(Type::Int))), Kind::option(Kind::Int));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    sums: Vec<Kind>,
}

impl Kinds {
    /// The kinds of these declared types, by number, and of all that is made of them.
    pub fn of(sums: &[Sum]) -> Kinds {
        let mut made = vec![None; sums.len()];
        for at in 0..sums.len() {
            declared(at, sums, &mut made);
        }
        Kinds { sums: made.into_iter().map(|kind| kind.expect("each was made")).collect() }
    }

    /// How a type is stored.
    ///
    /// # Panics
    /// With a hole in the type, or a declared type of another program.
    pub fn kind(&self, of: &Type) -> Kind {
        kind(of, &mut |at| self.sums[at].clone())
    }

    /// How rows of these columns are stored.
    ///
    /// # Panics
    /// As [`Kinds::kind`] does.
    pub fn schema(&self, columns: &[Column]) -> Schema {
        columns.iter().map(|column| self.kind(&column.of)).collect()
    }
}

/// The kind of a declared type, made if it is not yet. A type does not contain itself, so this ends.
fn declared(at: usize, sums: &[Sum], made: &mut Vec<Option<Kind>>) -> Kind {
    if let Some(kind) = &made[at] {
        return kind.clone();
    }
    let constructors = sums[at].constructors.iter();
    let payloads = constructors.map(|constructor| {
        constructor.payload.as_ref().map(|payload| kind(payload, &mut |at| declared(at, sums, made)))
    });
    let kind = Kind::Sum(payloads.collect());
    made[at] = Some(kind.clone());
    kind
}

fn kind(of: &Type, sum: &mut dyn FnMut(usize) -> Kind) -> Kind {
    match of {
        Type::Int => Kind::Int,
        Type::Float => Kind::Float,
        Type::Bool => Kind::Bool,
        Type::Text => Kind::Text,
        Type::Tuple(fields) => Kind::Tuple(fields.iter().map(|field| kind(field, sum)).collect()),
        Type::List(of) => Kind::list(kind(of, sum)),
        Type::Option(of) => Kind::option(kind(of, sum)),
        Type::Sum(id, _) => sum(id.0),
        Type::Hole | Type::Broken => panic!("a checked program has no `{of}`"),
    }
}
