//! Files as typed rows, and rows as files.
//!
//! ```text
//!   file ── opened ── format ── layout ────────── fields ── written or json ── rows of its source,
//!           bytes     lines or  which field is    texts     values by type     Fed { source, diff, marks }
//!                     records   which column
//!   rows ── writer ── file
//! ```
//!
//! A source says names and types of its columns; a file says what its fields are by a heading, or has them in order. A
//! file may have columns that the source lacks: `diff`, by how much a row's count changes, and `time` or another that a
//! replay asks for (*marks*). A *feed* is a file of rows for several sources: its *tag* column says for which.
//!
//! Whatever a file holds, the answer is rows or a typed error with file, line and reason; never a panic, and no more
//! memory than the longest line that is allowed.
//!
//! In reading order, which is import order:
//!
//! | file | one sentence |
//! |---|---|
//! | [`errors`] | What can be wrong with a file. |
//! | [`moment`] | Times as files write them: numbers, or texts that sort. |
//! | [`written`] | Values as a person writes them, in a field. |
//! | [`json`] | Values as JSON. |
//! | [`format`](mod@format) | What a file is: asked for, or found by looking. |
//! | [`layout`] | Which field of a row is which column. |
//! | [`map`] | Rules of tags, read from a file. |
//! | [`records`] | The records of a file, whatever its format. |
//! | [`reader`] | A file's rows, typed. |
//! | [`writer`] | Rows to a file. |
//!
//! Tested at the ends of the files, and through the command in `interactive/tests/running/`.

pub mod errors;
pub mod moment;
pub mod written;
pub mod json;
pub mod format;
pub mod layout;
pub mod map;
pub mod records;
pub mod reader;
pub mod writer;
