//! The command `ddir`: what a person types, what runs, and the exit status.
//!
//! | status | when |
//! |---|---|
//! | 0 | all went well, or help was asked for |
//! | 1 | the run ended early, or a program that was checked has errors; the reason is on the second stream |
//! | 2 | the flags were refused; nothing was opened |
//! | 3 | a program ran to its answer, which lacks rows that failed; they are told of |
//! | 130 | interrupted by Ctrl-C; what was known by then is written |
//! | 141 | whoever read our output stopped reading: what a shell says of other programs then |
//!
//! Without any word, in a checkout, the command shows itself: it replays the message stream in `data/` through a program
//! of `interactive/examples/`, one message a commit. Anywhere else it prints its help.
//!
//! The streams and the engine are given by the caller, so that tests see what a person sees, and can put a plain
//! recomputation in the engine's place.

use crate::check::CheckFlags;
use crate::explain::PlanFlags;
use crate::graph::errors::GraphError;
use crate::graph::flags::GraphFlags;
use crate::graph::replay::Options;
use crate::language::report::tame;
use crate::running::engine::run_program;
use crate::running::errors::RunError;
use crate::running::flags::{OnWorkers, ReplayOptions, RunOptions};
use crate::running::task::{Outcome, Task};
use crate::stream::console::Console;
use crate::stream::stop::INTERRUPTED;
use crate::together::Unfit;
use crate::workers::WorkerFlags;
use clap::error::ContextKind;
use clap::{ArgAction, CommandFactory, Parser, Subcommand};
use differential::Config;
use differential::error::StartError;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Incremental answers without writing Rust.
#[derive(Parser, Debug)]
#[command(
    name = "ddir",
    version,
    disable_help_flag = true,
    after_help = "In a checkout, `ddir` alone replays the message stream in data/ through a program, one message a commit."
)]
struct Ddir {
    #[command(subcommand)]
    command: Option<Command>,

    // Not `-h`, which is the host file wherever workers are.
    /// Print help
    #[arg(long, global = true, action = ArgAction::Help)]
    help: Option<bool>,
}

#[derive(Subcommand, Debug)]
enum Command {
    Graph(GraphFlags),
    Check(CheckFlags),
    Plan(PlanFlags),
    /// Run a program on files to its answer
    Run(OnWorkers<RunOptions>),
    /// Replay recorded streams through a program, commit by commit
    Replay(OnWorkers<ReplayOptions>),
}

/// The exit status of a run whose answer lacks rows that failed.
const FAILED_ROWS: u8 = 3;

/// The program that is shown when nothing is asked for.
const SHOWN_PROGRAM: &str = "interactive/examples/messages.ddir";
/// The stream that is replayed through it.
const SHOWN_FILE: &str = "data/college-msg.tsv.zst";

/// Runs the command, and returns its exit status.
///
/// `arguments` begin with the program's name. `answer` does a replay, on workers as configured.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    console: &mut Console<'_>,
    answer: impl FnOnce(&Options, Config, &mut Console<'_>) -> Result<(), GraphError>,
) -> u8 {
    let status = match Ddir::try_parse_from(arguments) {
        Err(error) => Err(error),
        Ok(Ddir { command: None, .. }) if [SHOWN_PROGRAM, SHOWN_FILE].iter().all(|file| Path::new(file).is_file()) => {
            // Told to the reader as they would type it.
            let shown = format!("ddir replay {SHOWN_PROGRAM} --source message={SHOWN_FILE} --report rows=5000");
            print(console.err, &format!("{shown}\n\n"), 0);
            return run(shown.split(' ').map(OsString::from), console, answer);
        }
        Ok(Ddir { command: None, .. }) => Ok(helped(&Ddir::command().render_help().to_string(), console)),
        Ok(Ddir { command: Some(command), .. }) => match command {
            Command::Check(flags) => flags.check().map(|()| told(flags.run(console), "the types", console)),
            Command::Plan(flags) => flags.check().map(|()| told(flags.run(console), "the plan", console)),
            Command::Run(asked) => asked.options.check().map(|()| ran(&asked.options, &asked.workers, console)),
            Command::Replay(asked) => asked.options.check().map(|()| ran(&asked.options, &asked.workers, console)),
            Command::Graph(flags) => flags.options().map(|(options, workers)| match clustered(&workers, console) {
                Ok(config) => followed(answer(&options, config, console), console),
                Err(status) => status,
            }),
        },
    };
    match status {
        Ok(status) => status,
        Err(mut error) if error.use_stderr() => {
            // The tip that a flag could be a value after `--`. No value of ours looks like one; similar flags are named.
            error.remove(ContextKind::Suggested);
            print(console.err, &error.to_string(), 2)
        }
        Err(help) => helped(&help.to_string(), console),
    }
}

/// The exit status of a command that has printed its help, or its version.
fn helped(help: &str, console: &mut Console<'_>) -> u8 {
    let written = console.out.write_all(help.as_bytes()).and_then(|()| console.out.flush());
    told(written.map(|()| true), "help", console)
}

/// The exit status of a graph that was followed to its end.
fn followed(outcome: Result<(), GraphError>, console: &mut Console<'_>) -> u8 {
    match outcome {
        Ok(()) => 0,
        Err(GraphError::Interrupted) => INTERRUPTED,
        Err(GraphError::Write { error }) if error.kind() == ErrorKind::BrokenPipe => 141,
        Err(error) => refuse(&error, 1, console),
    }
}

/// The exit status of a command that has told whether programs are fine.
fn told(fine: io::Result<bool>, what: &str, console: &mut Console<'_>) -> u8 {
    match fine {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => 141,
        Err(error) => refuse(&format_args!("cannot write {what}: {error}"), 1, console),
    }
}

/// Does something with a program, and answers with the exit status.
fn ran(task: &dyn Task, workers: &WorkerFlags, console: &mut Console<'_>) -> u8 {
    match clustered(workers, console) {
        Ok(config) => ended(run_program(task, config, console), console),
        Err(status) => status,
    }
}

/// The exit status of a run.
fn ended(outcome: Result<Outcome, RunError>, console: &mut Console<'_>) -> u8 {
    match outcome {
        Ok(Outcome { failures: 0 }) => 0,
        Ok(_) => FAILED_ROWS,
        Err(RunError::Interrupted) => INTERRUPTED,
        Err(RunError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => 141,
        // Its mistakes have been told.
        Err(RunError::Unfit(Unfit::Mistakes)) => 1,
        Err(error) => refuse(&error, 1, console),
    }
}

/// The workers that are asked for, or the exit status if they cannot be.
fn clustered(workers: &WorkerFlags, console: &mut Console<'_>) -> Result<Config, u8> {
    if workers.follows() {
        console.stop.at_once();
    }
    workers.cluster().map(Config::from).map_err(|error| {
        let status = if matches!(error, StartError::Flag { .. }) { 2 } else { 1 };
        refuse(&error, status, console)
    })
}

/// Tells of an error; what could move a terminal's cursor is made harmless.
fn refuse(error: &dyn Display, status: u8, console: &mut Console<'_>) -> u8 {
    print(console.err, &format!("error: {}\n", tame(&error.to_string())), status)
}

/// Prints a message, whose loss is no reason to end otherwise.
fn print(stream: &mut dyn Write, text: &str, status: u8) -> u8 {
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    status
}
