//! Text programs over the differential engine, and the command `ddir`.
//!
//! | room | one sentence |
//! |---|---|
//! | [`workers`] | The flags that say where workers are. |
//! | [`graph`] | Edge lists fed commit by commit, and questions about the graph they make. |
//! | [`language`] | Programs as text: parsed, checked, and told what is wrong with them. |
//! | [`value`] | Values, rows, and the columns that hold them. |
//! | [`kernel`] | Scalars over columns, many rows at a time. |
//! | [`plan`] | What a checked program computes, as operators. |
//! | [`render`] | A plan as a dataflow: a program that runs. |
//! | [`check`] | Programs checked from the command line. |
//! | [`explain`] | Plans shown from the command line. |
//! | [`command`] | What a person types: flags checked, rooms above run, an exit status. |
#![forbid(unsafe_code)]

pub mod workers;
pub mod graph;
pub mod language;
pub mod value;
pub mod kernel;
pub mod plan;
pub mod render;
pub mod check;
pub mod explain;
pub mod command;
