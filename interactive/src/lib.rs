//! Text programs over the differential engine, and the command `ddir`.
//!
//! | room | one sentence |
//! |---|---|
//! | [`graph`] | Edge lists fed commit by commit, and questions about the graph they make. |
//! | [`command`] | What a person types: flags checked, rooms above run, an exit status. |
#![forbid(unsafe_code)]

pub mod graph;
pub mod command;
