//! The command `ddir`: terminal streams, workers, and what [`interactive::command`] makes of them.
#![forbid(unsafe_code)]

use interactive::command::run;
use interactive::graph::engine::answer;
use interactive::stream::console::Console;
use interactive::stream::stop::Stop;
use std::io::{IsTerminal, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let progress = stderr().is_terminal();
    // Not locked: the worker that writes is another thread.
    let (mut out, mut err) = (stdout(), stderr());
    // Where the system has no such signal, the run is ended by other means.
    let stop = Stop::on_interrupt().unwrap_or_default();
    let mut console = Console { out: &mut out, err: &mut err, progress, stop };
    ExitCode::from(run(std::env::args_os(), &mut console, answer))
}
