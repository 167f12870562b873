//! Plans: what a checked program computes, as operators in a tree of scopes.
//!
//! ```text
//!   Program ── plan ── Plan ── passes ── Plan ── (render)
//!   names, steps       operators         fewer operators
//! ```
//!
//! A program says collections by name, in any order, and calls subprograms. A plan has none of that: every operator has a
//! number, reads operators by number, and does one thing that the engine has a node for. What the language offers beyond
//! that is taken apart on the way here:
//!
//! | of the language | in the plan |
//! |---|---|
//! | a name, a sum in parentheses | the operator that it comes to |
//! | a call | the subprogram's operators, once for each call |
//! | `semijoin`, `intersect` | a join with the distinct keys of the right side |
//! | `antijoin`, `except` | the left side, less those |
//! | `left join` | the join, and the antijoin with `None` for what is missing |
//! | `join { .. }` | joins of two, in an order in which each shares a variable with those before |
//! | an expression as a key | a column of its own, computed before |
//! | a collection of a loop, read from outside | what *leaves* the loop |
//!
//! Work that is the same in every round of a loop stands outside of it: an operator stands in the innermost scope among
//! those of what it reads.
//!
//! Only what exports and `inspect` depend on is planned; nothing else is computed.
//!
//! In reading order, which is import order:
//!
//! | file | one sentence |
//! |---|---|
//! | [`tree`] | The plan itself. |
//! | `build` | From a program to its plan. |
//! | [`passes`] | Plans that mean the same and cost less. |
//! | `single` | Which operators never have more than one row. |
//! | [`print`](mod@print) | A plan as text. |
//! | [`dot`] | A plan as a drawing. |

pub mod tree;
mod build;
mod single;
pub mod passes;
mod words;
pub mod print;
pub mod dot;

pub use build::plain;
pub(crate) use build::{constant, literal};
pub use tree::{NodeId, Operator, Plan};

use crate::language::mistake::Mistake;
use crate::language::program::Program;

/// The plan of a program, as it is to run: with all passes done.
///
/// # Errors
/// As [`plain`].
pub fn plan(program: &Program) -> Result<Plan, Mistake> {
    plan_for(program, |_| true)
}

/// The plan of what others want of a program: the exports of those names, and what it inspects.
///
/// # Errors
/// As [`plain`], be it of an export that nobody wants.
pub fn plan_for(program: &Program, is_wanted: impl Fn(&str) -> bool) -> Result<Plan, Mistake> {
    let mut plan = plain(program)?;
    plan.exports.retain(|export| is_wanted(&export.name));
    Ok(passes::improved(&plan))
}
