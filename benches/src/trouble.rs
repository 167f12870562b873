//! What is wrong with a plan, its rows, or a run: the facts, for whoever started the program.

use std::fmt;
use std::path::PathBuf;

/// Why a workload can't be run to its end.
#[derive(Debug)]
pub enum Trouble {
    /// A file that can't be read.
    File(PathBuf, std::io::Error),
    /// A line of the plan that means nothing: its number, from 1, and what was expected there.
    Line(usize, &'static str),
    /// The plan as a whole lacks this.
    Plan(&'static str),
    /// No program here has this name.
    Unknown(String),
    /// The columns of an input are not those that the program reads.
    Columns(usize),
    /// The rows of an input end, or stop making sense, before the plan does.
    Rows(PathBuf),
    /// A text program that can't be run, in words.
    Text(String),
    /// The engine refused, or stopped.
    Engine(differential::Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::File(path, error) => write!(f, "{}: {error}", path.display()),
            Trouble::Line(line, expected) => write!(f, "plan.txt, line {line}: expected {expected}"),
            Trouble::Plan(missing) => write!(f, "plan.txt: {missing}"),
            Trouble::Unknown(workload) => write!(f, "{workload}: no such workload"),
            Trouble::Columns(input) => write!(f, "input {input} has other columns than its program reads"),
            Trouble::Rows(path) => write!(f, "{}: not the rows that the plan promises", path.display()),
            Trouble::Text(words) => f.write_str(words),
            Trouble::Engine(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Trouble {}

impl From<differential::Error> for Trouble {
    fn from(error: differential::Error) -> Self {
        Trouble::Engine(error)
    }
}
