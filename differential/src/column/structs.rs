//! Columns of a user's structs: a struct is stored as the tuple of its fields, and lent as a struct of what those lend.
//!
//! ```text
//!   struct Road { from: u32, to: u32, name: String }        LentRoad<'a> { from: u32, to: u32, name: &'a str }
//!   stored as the column of (u32, u32, String)
//! ```
//!
//! [`columns!`](crate::columns) declares both structs and says how one is made of the other. So a struct costs what the
//! tuple does: field by field in columns, sorted by packed prefixes, no work a row beyond that of the fields.
//!
//! Why not a derive: it would take a crate of its own, to be compiled before all others, for what a macro of forty lines
//! does; and the lent struct would have a name that nobody wrote.
//! Why not `columnar`'s derive: it makes containers, without what [`Column`] does in bulk.
//! Tested in `column_laws.rs`.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Range;

use super::within::bulk_within;
use super::{Column, Data, Lent, ShapeOf};
use crate::bytes::{Malformed, Reader};

/// A type that is stored as the tuple of its fields: [`columns!`](crate::columns) implements it.
///
/// By hand it also serves types that are no structs, for which there is a tuple that says the same. Then also implement
/// [`Data`], with [`Structs`] for the column. Going there and back must be the identity both ways, and the order of the
/// type, of what is lent and of the tuple must be one.
pub trait Fields: Data<Column = Structs<Self>> {
    /// The tuple of the fields, in their order.
    type Tuple: Data;
    /// What a column lends.
    type Lent<'a>: Copy + Ord + Debug;

    /// The fields.
    fn into_tuple(self) -> Self::Tuple;
    /// Lends an owned one.
    fn lend(&self) -> Self::Lent<'_>;
    /// An owned copy of what was lent.
    fn owned(lent: Self::Lent<'_>) -> Self;
    /// What is lent, out of its fields as their columns lend them.
    fn from_lent_tuple(fields: Lent<'_, Self::Tuple>) -> Self::Lent<'_>;
    /// The fields of what was lent.
    fn into_lent_tuple(lent: Self::Lent<'_>) -> Lent<'_, Self::Tuple>;
}

/// A column of structs: the column of the tuples of their fields.
pub struct Structs<S: Fields>(Tuples<S>);

type Tuples<S> = <<S as Fields>::Tuple as Data>::Column;

impl<S: Fields> Clone for Structs<S> {
    fn clone(&self) -> Self {
        Structs(self.0.clone())
    }
}

impl<S: Fields> Debug for Structs<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<S: Fields> Column for Structs<S> {
    type Owned = S;
    type Ref<'a> = S::Lent<'a>;
    type Shape = ShapeOf<S::Tuple>;

    bulk_within!(Tuples<S>);

    #[inline]
    fn get(&self, row: usize) -> S::Lent<'_> {
        S::from_lent_tuple(self.0.get(row))
    }
    #[inline]
    fn owned(item: S::Lent<'_>) -> S {
        S::owned(item)
    }
    #[inline]
    fn lend(item: &S) -> S::Lent<'_> {
        item.lend()
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: S::Lent<'a>) -> S::Lent<'b> {
        S::from_lent_tuple(Tuples::<S>::reborrow(S::into_lent_tuple(item)))
    }

    #[inline]
    fn push(&mut self, item: S::Lent<'_>) {
        self.0.push(S::into_lent_tuple(item));
    }
    #[inline]
    fn push_owned(&mut self, item: S) {
        self.0.push_owned(item.into_tuple());
    }
    #[inline]
    fn compare_item(&self, row: usize, item: S::Lent<'_>) -> Ordering {
        self.0.compare_item(row, S::into_lent_tuple(item))
    }

    fn read_bytes(shape: &Self::Shape, rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Structs(Column::read_bytes(shape, rows, from)?))
    }
}

/// Declares a struct that can be a key, a value or a record, and what a column lends of it.
///
/// The struct gets `Clone`, `Debug` and equality and order by its fields; other derives may be added. The lent struct has
/// the same fields, each as its own column lends it: integers by value, `&str` for a `String`. It takes up to eight fields
/// of any types that have columns (more, by a struct or a tuple among them), and no type parameters.
///
/// ```
/// use differential::prelude::*;
///
/// differential::columns! {
///     /// A road from one town to another.
///     pub struct Road {
///         pub from: u32,
///         pub to: u32,
///         pub name: String,
///     }
///     /// A road as its column lends it.
///     pub struct LentRoad;
/// }
///
/// # fn main() -> Result<(), Error> {
/// let long = run_alone(Config::default(), |worker| {
///     let (mut roads, long) = worker.dataflow(|scope| {
///         let (session, roads) = scope.input::<Road>("roads");
///         (session, roads.filter(|road: LentRoad<'_>| road.name.len() > 5).output())
///     })?;
///     roads.insert(Road { from: 1, to: 2, name: "Main Street".to_string() });
///     roads.insert(Road { from: 2, to: 3, name: "Mall".to_string() });
///     worker.commit(&mut roads)?;
///     Ok::<_, Error>(long.rows().unwrap())
/// })?;
/// assert_eq!(long, [(Road { from: 1, to: 2, name: "Main Street".to_string() }, 1)]);
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! columns {
    ($(
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident {
            $($(#[$field_attribute:meta])* $field_visible:vis $field:ident: $kind:ty),+ $(,)?
        }
        $(#[$lent_attribute:meta])*
        $lent_visible:vis struct $lent:ident;
    )+) => { $(
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $visible struct $name {
            $($(#[$field_attribute])* $field_visible $field: $kind),+
        }

        $(#[$lent_attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $lent_visible struct $lent<'a> {
            $($(#[$field_attribute])* $field_visible $field: $crate::column::Lent<'a, $kind>),+
        }

        impl $crate::column::Data for $name {
            type Column = $crate::column::Structs<$name>;
        }

        impl $crate::column::Fields for $name {
            type Tuple = ($($kind,)+);
            type Lent<'a> = $lent<'a>;

            #[inline]
            fn into_tuple(self) -> Self::Tuple {
                ($(self.$field,)+)
            }
            #[inline]
            fn lend(&self) -> $lent<'_> {
                $lent { $($field: $crate::column::lend(&self.$field)),+ }
            }
            #[inline]
            fn owned(lent: Self::Lent<'_>) -> Self {
                $name { $($field: $crate::column::owned::<$kind>(lent.$field)),+ }
            }
            #[inline]
            fn from_lent_tuple(($($field,)+): $crate::column::Lent<'_, Self::Tuple>) -> $lent<'_> {
                $lent { $($field),+ }
            }
            #[inline]
            fn into_lent_tuple(lent: Self::Lent<'_>) -> $crate::column::Lent<'_, Self::Tuple> {
                ($(lent.$field,)+)
            }
        }
    )+ };
}
