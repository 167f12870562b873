//! Programs run on files: `ddir run` and `ddir replay`.
//!
//! ```text
//!   files ── Inputs ── rows ──┬── run:    all of them, one commit ─── tables of exports, files
//!            (sources)        └── replay: commit by commit, windows ── reports, files of changes, latencies
//! ```
//!
//! In reading order, which is import order:
//!
//! | file | one sentence |
//! |---|---|
//! | [`errors`] | What can end a run early. |
//! | [`said`] | What a person says of files. |
//! | [`answers`] | What is exported, and who answers. |
//! | [`gathered`] | Rows on their way from files to who answers. |
//! | [`inputs`] | The files of a run as one stream of rows. |
//! | [`shown`] | Answers as tables or JSON lines. |
//! | [`flags`] | What a person may ask for, checked before any file is opened. |
//! | [`task`] | What both commands are to whoever runs programs. |
//! | [`reports`] | What a replay tells of commits. |
//! | [`once`] | `ddir run`. |
//! | [`replay`] | `ddir replay`. |
//! | [`engine`] | The engine's answers, on any number of workers. |
//!
//! Tested in `interactive/tests/running/`.

pub mod errors;
pub mod said;
pub mod answers;
pub mod gathered;
pub mod inputs;
pub mod shown;
pub mod flags;
pub mod task;
pub mod reports;
pub mod once;
pub mod replay;
pub mod engine;
