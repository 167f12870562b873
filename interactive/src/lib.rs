//! Text programs over the differential engine, and the command `ddir`.
//!
//! | room | one sentence |
//! |---|---|
//! | [`stream`] | What every replay shares: files, windows, commits, latencies, what is written. |
//! | [`workers`] | The flags that say where workers are. |
//! | [`graph`] | Edge lists fed commit by commit, and questions about the graph they make. |
//! | [`language`] | Programs as text: parsed, checked, and told what is wrong with them. |
//! | [`value`] | Values, rows, and the columns that hold them. |
//! | [`kernel`] | Scalars over columns, many rows at a time. |
//! | [`plan`] | What a checked program computes, as operators. |
//! | [`render`] | A plan as a dataflow: a program that runs. |
//! | [`sources`] | Files as typed rows, and rows as files. |
//! | [`together`] | Programs of files, with those that they import from. |
//! | [`check`] | Programs checked from the command line. |
//! | [`explain`] | Plans shown from the command line. |
//! | [`running`] | Programs run on files, at once or commit by commit. |
//! | [`command`] | What a person types: flags checked, rooms above run, an exit status. |
#![forbid(unsafe_code)]

pub mod stream;
pub mod workers;
pub mod graph;
pub mod language;
pub mod value;
pub mod kernel;
pub mod plan;
pub mod render;
pub mod sources;
pub mod together;
pub mod check;
pub mod explain;
pub mod running;
pub mod command;
