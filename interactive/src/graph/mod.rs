//! `ddir graph`: a stream of edges, and answers kept current while it runs.
//!
//! ```text
//!   file -> reader -> rows -> presence -> changes of rows -> Answers -> report
//!           lines    a row    in or out                      at each    a line
//!                             (window, removals)             commit
//! ```
//!
//! The front decides which *rows* are present; the engine behind [`answers::Answers`] decides what follows from
//! them: which edges are distinct, which nodes they make, what is reached, which components there are. So the
//! front never counts anything that an answer depends on, and the engine never sees a file.
//!
//! In reading order, which is import order:
//!
//! | file | one sentence |
//! |---|---|
//! | [`rows`] | One line: a row to insert, a row to remove, `commit`, or nothing. |
//! | [`errors`] | What can go wrong from outside, with file, line and reason. |
//! | [`reader`] | The lines of a file, numbered. |
//! | [`answers`] | What is asked, and who answers. |
//! | [`report`] | Answers as JSON lines or as a table. |
//! | [`replay`] | The run itself: lines in, reports out. |
//! | [`flags`] | What a person may ask for, checked before any file is opened. |
//! | [`engine`] | The engine's answers, on any number of workers. |

pub mod rows;
pub mod errors;
pub mod reader;
pub mod answers;
pub mod report;
pub mod replay;
pub mod flags;
pub mod engine;
