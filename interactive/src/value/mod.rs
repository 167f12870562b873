//! Values and rows of a program, and the columns that hold them: typed when the program runs, stored by the kind.
//!
//! ```text
//!   (src: int, name: string, at: option<(float, float)>)      the columns of a collection
//!   [Int, Text, Sum [none, Tuple [Float, Float]]]              its schema
//!
//!   Rows   Lane 7 7 9 │ Texts a b c │ Sums  tags 1 0 1
//!                                           at   0 0 1
//!                                           1: Tuple │ Lane 0.5 2.0 │ Lane 1.0 9.9
//! ```
//!
//! A row is never a list of boxes while it flows: a kind says how a list of values is stored, and every bulk operation
//! of [`Column`](differential::column::Column) is a loop a column. [`Value`] and [`Row`] are the owned forms, for what
//! comes in and what is shown.
//!
//! | file | one sentence |
//! |---|---|
//! | [`kind`] | How a type is stored. |
//! | [`owned`] | One value, one row; their order. |
//! | [`shown`] | A value as the language writes it. |
//! | [`lane`] | Numbers as 64 bits that sort as they do. |
//! | [`values`] | The column of one kind. |
//! | [`lists`] | The column of lists. |
//! | [`sums`] | The column of options and declared types. |
//! | [`rows`] | The column of rows and tuples, as the engine knows it. |
//!
//! Why not boxed values with a tag each: sorting, hashing and copying would be a branch and a miss of the cache a value.

pub mod kind;
pub mod owned;
pub mod shown;
pub mod lane;
pub mod values;
pub mod lists;
pub mod sums;
pub mod rows;

pub use kind::{Kind, Kinds, Schema};
pub use owned::{Float, Row, Value};
pub use rows::{RowRef, Rows};
pub use shown::Shown;
pub use values::{ValueRef, Values};
