//! The language DDIR: from text to a checked program, or to messages that say what is wrong and where.
//!
//! ```text
//!   text ── load ── syntax ── statements ── check ── Program ── (a planner)
//!             │ include           │                     │
//!             └──────── Mistake ──┴─────── report       └ types of all collections
//! ```
//!
//! The language itself is described in docs/LANGUAGE.md. Whatever the text, the answer is a program or a list of
//! mistakes: never a panic, never a stack that overflows. What is nested is bounded, and what is long is a loop.
//!
//! In reading order, which is import order:
//!
//! | file | one sentence |
//! |---|---|
//! | [`files`] | Texts, and places in them. |
//! | [`types`] | Types of values and of rows. |
//! | [`operators`] | Operators that the written and the checked tree share. |
//! | [`functions`] | The table of functions, aggregates and generators. |
//! | [`mistake`] | What can be wrong, with its facts. |
//! | [`wording`] | How each mistake is said. |
//! | [`report`] | How it looks. |
//! | `near` | Which name was meant. |
//! | `syntax` | From text to tree. |
//! | `load` | A program's files. |
//! | [`program`] | The checked program. |
//! | `check` | From tree to checked program. |
//! | [`link`] | Programs that read from each other. |
//! | [`listing`] | Every collection with its type, as text. |
//!
//! Tested in `interactive/tests/language/`: every example of docs/LANGUAGE.md, a golden text for each mistake, and
//! inputs at random.

pub mod files;
pub mod types;
pub mod operators;
pub mod functions;
pub mod mistake;
pub mod wording;
pub mod report;
pub(crate) mod near;
mod syntax;
mod load;
pub mod program;
mod check;
pub mod link;
pub mod listing;

pub use load::{Read, from_disk, text_of};
pub(crate) use syntax::is_name;

use files::{FileId, Files};
use mistake::Mistake;
use program::Program;
use std::path::Path;

/// What came of a text.
#[derive(Debug)]
pub struct Checked {
    /// The texts that were read.
    pub files: Files,
    /// The program, if there is no error.
    pub program: Option<Program>,
    /// Errors and warnings, in the order of the text.
    pub mistakes: Vec<Mistake>,
}

/// Checks a program. `read` gives the text of a file that it includes.
///
/// ```
/// let text = "source edge(src: int, dst: int); export back = edge | select dst as src, src as dst;";
/// let checked = interactive::language::check("back.ddir".as_ref(), text.to_string(), &|path| std::fs::read_to_string(path));
/// assert!(checked.program.is_some());
/// ```
pub fn check(name: &Path, text: String, read: Read<'_>) -> Checked {
    let load::Loaded { files, statements, mut mistakes, spoiled, .. } = load::load(name, text, read);
    let program = check::check(statements.iter(), &mut mistakes, FileId(0));
    // What misses a definition that is told to be wrong says nothing new; nor does what a wrong program doesn't use.
    mistakes.retain(|mistake| !mistake.misses(&spoiled));
    if mistakes.iter().any(Mistake::is_error) {
        mistakes.retain(|mistake| !mistake.is_of_whole_programs());
    }
    mistakes.sort_by_key(|mistake| (mistake.at.file, mistake.at.start));
    mistakes.dedup();
    Checked { files, program, mistakes }
}
