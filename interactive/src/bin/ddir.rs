//! The command `ddir`: terminal streams, workers, and what [`interactive::command`] makes of them.
#![forbid(unsafe_code)]

use interactive::command::run;
use interactive::graph::engine::answer;
use interactive::graph::screen::Console;
use std::io::{IsTerminal, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let progress = stderr().is_terminal();
    // Not locked: the worker that writes is another thread.
    let (mut out, mut err) = (stdout(), stderr());
    let mut console = Console { out: &mut out, err: &mut err, progress };
    ExitCode::from(run(std::env::args_os(), &mut console, answer))
}
