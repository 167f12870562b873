//! The command `ddir`: what a person types, what runs, and the exit status.
//!
//! | status | when |
//! |---|---|
//! | 0 | all went well, or help was asked for |
//! | 1 | the run ended early; the reason is on the second stream |
//! | 2 | the flags were refused; nothing was opened |
//! | 141 | whoever read our output stopped reading: what a shell says of other programs then |
//!
//! Without any word, in a checkout, the command shows itself: it replays the message stream in `data/`, one message a
//! commit. Anywhere else it prints its help.
//!
//! The streams and the engine are given by the caller, so that tests see what a person sees, and can put a plain
//! recomputation in the engine's place.

use crate::graph::answers::{Answers, Questions};
use crate::graph::commits::Step;
use crate::graph::errors::{AnswersError, GraphError};
use crate::graph::flags::GraphFlags;
use crate::graph::presence::Window;
use crate::graph::replay::{Options, replay};
use crate::graph::report::Form;
use crate::graph::screen::Console;
use clap::error::ContextKind;
use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::num::NonZeroU64;
use std::path::Path;

/// Incremental answers without writing Rust.
#[derive(Parser, Debug)]
#[command(
    name = "ddir",
    version,
    after_help = "In a checkout, `ddir` alone replays the message stream in data/, one message a commit."
)]
struct Ddir {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    Graph(GraphFlags),
}

/// What is replayed when nothing is asked for.
const SHOWN_FILE: &str = "data/college-msg.tsv.zst";
/// From whom messages are followed there: who wrote to the most people.
const SHOWN_ROOT: u64 = 9;
/// How far apart reports are then.
const SHOWN_ROWS: u64 = 5_000;

/// Runs the command, and returns its exit status.
///
/// `arguments` begin with the program's name. `answering` makes whoever answers a graph's questions.
pub fn run<'a>(
    arguments: impl IntoIterator<Item = OsString>,
    console: &mut Console<'_>,
    answering: impl FnOnce(&Questions) -> Result<Box<dyn Answers + 'a>, AnswersError>,
) -> u8 {
    let asked = Ddir::try_parse_from(arguments).and_then(|ddir| match ddir.command {
        Some(Command::Graph(flags)) => flags.options().map(Some),
        None if Path::new(SHOWN_FILE).is_file() => Ok(Some(shown(console))),
        None => Ok(None),
    });
    let options = match asked {
        Ok(Some(options)) => options,
        Ok(None) => return print(console.out, &Ddir::command().render_help().to_string(), 0),
        Err(mut error) if error.use_stderr() => {
            // The tip that a flag could be a value after `--`. No value of ours looks like one; similar flags are named.
            error.remove(ContextKind::Suggested);
            return print(console.err, &error.to_string(), 2);
        }
        Err(help) => return print(console.out, &help.to_string(), 0),
    };
    let mut answers = match answering(&options.questions) {
        Ok(answers) => answers,
        Err(error) => return print(console.err, &format!("error: {error}\n"), 1),
    };
    match replay(&options, &mut *answers, console) {
        Ok(()) => 0,
        Err(GraphError::Write { error }) if error.kind() == ErrorKind::BrokenPipe => 141,
        Err(error) => print(console.err, &format!("error: {error}\n"), 1),
    }
}

/// The options of the run that shows the command, which is told to the reader as they would type it.
fn shown(console: &mut Console<'_>) -> Options {
    let typed = format!(
        "ddir graph {SHOWN_FILE} --reach {SHOWN_ROOT} --components --scc --commit rows=1 --report rows={SHOWN_ROWS}\n\n"
    );
    print(console.err, &typed, 0);
    Options {
        file: SHOWN_FILE.into(),
        questions: Questions { roots: [SHOWN_ROOT].into(), components: true, scc: true },
        commit_rows: NonZeroU64::MIN,
        window: Window::All,
        report: NonZeroU64::new(SHOWN_ROWS).map(Step::Rows),
        form: Form::Table,
    }
}

/// Prints a message, whose loss is no reason to end otherwise.
fn print(stream: &mut dyn Write, text: &str, status: u8) -> u8 {
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    status
}
