//! What `ddir run` and `ddir replay` are to whoever runs programs: something to do with sources and exports.

use super::answers::{Answers, Exports};
use super::errors::RunError;
use super::flags::ProgramFlags;
use super::inputs::Sources;
use crate::stream::console::Console;
use std::fmt;

/// Something to do with a program. Its `Debug` is what was asked, which all processes of a cluster must agree on.
pub trait Task: fmt::Debug + Sync {
    /// The program and its files.
    fn program(&self) -> &ProgramFlags;

    /// Whether a source gets rows from a file.
    fn fills(&self, source: &str) -> bool {
        self.program().fills(source)
    }

    /// Does it, on the worker that reads and writes.
    ///
    /// # Errors
    /// Whatever ends it early.
    fn run(
        &self,
        sources: &Sources<'_>,
        exports: &Exports<'_>,
        answers: &mut dyn Answers,
        console: &mut Console<'_>,
    ) -> Result<Outcome, RunError>;
}

/// What a run came to, beside what it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many rows failed in the end; one that is there less than not at all has failed as well.
    pub failures: u128,
}
