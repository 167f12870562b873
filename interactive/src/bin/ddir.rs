//! The command `ddir`: terminal streams, a worker, and what [`interactive::command`] makes of them.
#![forbid(unsafe_code)]

use differential::{Config, run_alone};
use interactive::command::run;
use interactive::graph::engine::Engine;
use interactive::graph::screen::Console;
use std::io::{IsTerminal, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let progress = stderr().is_terminal();
    let (mut out, mut err) = (stdout().lock(), stderr().lock());
    let mut console = Console { out: &mut out, err: &mut err, progress };
    let status = run_alone(Config::default(), |worker| {
        run(std::env::args_os(), &mut console, |questions| Ok(Box::new(Engine::new(worker, questions)?)))
    });
    ExitCode::from(status)
}
