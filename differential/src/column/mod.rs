//! Lists that lend their items: keys and values as columns.
//!
//! Operators say *which* rows; a column does the bulk work on them (copy a range, gather, compare, sort by prefix,
//! hash), since it alone knows how its items are stored.
//!
//! ```text
//!   (u64, String) column  =  ( u64 column , string column )     a tuple's column is the tuple of its parts' columns
//!                              7            bounds 3 5 9
//!                              7            bytes  "abcdefghi"
//! ```
//!
//! | items | stored as | prefix | exact |
//! |---|---|---|---|
//! | `u8` to `u64`, `usize` | a `Vec` of them | the value | yes |
//! | `i8` to `i64`, `isize` | a `Vec` of them | the value, its sign bit flipped | yes |
//! | `u128`, `i128` | a `Vec` of them | the high half | no |
//! | `bool` | 64 to a word | the bit | yes |
//! | `()` | a count | no bits | yes |
//! | [`Float`], a `f64` with an order | a `Vec` of integers | the integer | yes |
//! | `String` | bounds and bytes | the first eight bytes | no |
//! | `Box<[u8]>` | the same, lent as `&[u8]` | the first eight bytes | no |
//! | tuples up to eight | the tuple of the parts' columns | the parts' prefixes, packed while they fit | if all fit |
//! | `Option<T>` | a bit a row, and a column of `T` | a bit and the item's | if both fit |
//! | `Vec<T>` | bounds, and a column of `T` | the items', while they fit | no |
//! | a struct declared by [`columns!`](crate::columns) | as the tuple of its fields | the tuple's | as the tuple's |
//! | a type with a region of `columnation` | as it is ([`Stacked`], slow) | none, or as it says | no |
//!
//! Storage is a container of the `columnar` crate where it has one that we can extend ([`Column`] adds the bulk
//! operations, one file a kind of container). Its containers of `usize` and of 128-bit integers print and compare
//! nothing, so those are plain `Vec`s here too. Between processes columns travel as their bytes ([`crate::bytes`]).
//!
//! An empty column is made from a *shape*: nothing at all for types that the compiler knows, a schema for columns
//! typed at run time. So there is no `Default` bound anywhere.
//!
//! ```
//! use differential::column::{Column, Data, Lent};
//!
//! /// The greatest item of a sorted column, whatever its items are.
//! fn greatest<D: Data>(sorted: &D::Column) -> Option<Lent<'_, D>> {
//!     sorted.len().checked_sub(1).map(|last| sorted.get(last))
//! }
//!
//! let mut roads = <(u64, bool) as Data>::Column::empty(&Default::default());
//! roads.push((3, false));
//! roads.push((3, true));
//! assert_eq!(greatest::<(u64, bool)>(&roads), Some((3, true)));
//! ```
//!
//! Reading order: [`contract`](Column), [`hash`], then the kinds: integers, floats, units, bools, strings, byte strings,
//! tuples, options, lists, structs, stacks; then [`find_all`] and the [`KeyIndex`], which look one column's items up in
//! another.
//! Tested in `kinds_laws.rs` and `nested_laws.rs` by the laws of `column_laws.rs`: one set, run for every kind.

mod bools;
mod byte_strings;
mod contract;
mod floats;
pub mod hash;
mod integers;
mod key_index;
mod lists;
mod options;
mod seek;
mod stacks;
mod strings;
mod structs;
mod tuples;
mod units;
mod within;

#[cfg(test)]
mod column_laws;
#[cfg(test)]
mod kinds_laws;
#[cfg(test)]
mod nested_laws;
#[cfg(test)]
pub(crate) mod records;
#[cfg(test)]
mod records_laws;
#[cfg(test)]
mod seek_laws;

#[cfg(test)]
use crate::bytes::{Malformed, Reader};
pub use byte_strings::ByteStrings;
pub use contract::{Column, Data, Lent, ShapeOf, lend, owned};
pub use floats::Float;
pub use key_index::KeyIndex;
pub use lists::{List, Lists};
pub use seek::find_all;
pub use stacks::Stacked;
pub use structs::{Fields, Structs};
