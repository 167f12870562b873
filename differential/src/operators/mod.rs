//! Operators that need a memory: arrange, join, reduce, and what is made from them; loops; outputs.
//!
//! ```text
//!   collection ──[arrange]── spans ──┬──[join]──── collection
//!                   │ trace          └──[reduce]── spans, with a trace of their own
//! ```
//!
//! Two kinds of stream run between nodes: updates in any order, and *spans* (an interval of time, and the sorted batch
//! of what happened in it). `arrange` makes spans out of updates, once its input's frontier says that an interval is
//! complete, and keeps them in a trace that any number of joins and reductions share.
//!
//! | file | holds |
//! |---|---|
//! | `collecting` | updates that a node collects and sorts once their time has closed |
//! | `arrange` | [`Arranged`]: a collection with a memory |
//! | `join` | pairs: the tactic over bridges of columns, and its node |
//! | `reduce` | groups: the loop over keys with work due, and its node |
//! | `accumulate` | functions of a record's count where times are totally ordered: no history is kept |
//! | `totals` | `count`, `distinct`, `min` ...: special cases of both, each under its own name |
//! | `aggregate` | `sum`, `top`, `collect` ..., and several of them in one pass over a group |
//! | `consolidate` | updates added up, once a time |
//! | `delta` | what changed, as rows |
//! | `iterate` | loops and their variables |
//! | `windows` | rows with an event time: late ones, sliding and session windows |
//! | `output`, `capture` | what is read from outside |

pub mod arrange;
pub mod capture;
mod accumulate;
mod collecting;
#[cfg(test)]
mod collecting_laws;
pub mod consolidate;
mod delta;
pub mod iterate;
pub mod join;
pub mod output;
pub mod reduce;
pub mod totals;
pub mod aggregate;
pub mod windows;

pub use aggregate::Group;
pub use arrange::Arranged;
pub use capture::Capture;
pub use iterate::{Rounds, Variable};
pub use join::ByKey;
pub use output::Output;
