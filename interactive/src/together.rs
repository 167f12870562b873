//! Programs of files, with those that they import from: read, checked, put in order, planned.
//!
//! ```text
//!   --import people=people.ddir ──┐
//!   --import shops=shops.ddir ────┼── read, check ── Member ── link ── an order ── plans, the last program's first:
//!   circles.ddir ─────────────────┘    each alone            all of them           what nobody imports is not planned
//! ```
//!
//! The same in every command. Mistakes are told as they are found, and the first kind of them ends it: what a program lacks
//! is not looked for in one that has mistakes.

use crate::language::files::Files;
use crate::language::link::{NamedProgram, link};
use crate::language::mistake::Mistake;
use crate::language::program::Program;
use crate::language::report::render;
use crate::language::{Checked, check, from_disk, is_name, text_of};
use crate::plan::tree::Operator;
use crate::plan::{Plan, plan_for};
use crate::stream::console::Console;
use clap::Args;
use clap::error::{Error, ErrorKind};
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A program by the name that others import from it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The name.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
}

/// Why a text is no `NAME=PROGRAM`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// Without a name, a file, or the sign between them.
    Form,
    /// The name is one that no `import` can say.
    Name(String),
}

impl fmt::Display for ImportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Form => out.write_str("wanted NAME=PROGRAM"),
            ImportError::Name(name) => {
                write!(
                    out,
                    "{name:?} is no name that a program can import from: wanted a small letter, then letters, digits and _"
                )
            }
        }
    }
}

impl std::error::Error for ImportError {}

fn import(text: &str) -> Result<Import, ImportError> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => match is_name(name) {
            true => Ok(Import { name: name.to_string(), file: file.into() }),
            false => Err(ImportError::Name(name.to_string())),
        },
        _ => Err(ImportError::Form),
    }
}

/// The programs that others import from.
#[derive(Args, Clone, Debug)]
pub struct ImportFlags {
    /// A program from which others import by that name; may be given again
    #[arg(long = "import", value_name = "NAME=PROGRAM", value_parser = import)]
    pub all: Vec<Import>,
}

impl ImportFlags {
    /// Refuses two programs of one name.
    ///
    /// # Errors
    /// The name.
    pub fn check(&self, command: &str) -> Result<(), Error> {
        let mut names = BTreeSet::new();
        match self.all.iter().find(|import| !names.insert(&import.name)) {
            Some(twice) => {
                let reason = format!("--import {}=..: two programs of one name", twice.name);
                Err(refused(command, ErrorKind::ArgumentConflict, reason))
            }
            None => Ok(()),
        }
    }
}

/// An error in clap's own form. The hint stands here since only a built command could add it.
pub(crate) fn refused(command: &str, kind: ErrorKind, reason: String) -> Error {
    Error::raw(kind, format!("{reason}\n\nFor more information, try 'ddir {command} --help'.\n"))
}

/// Reads programs. Standard input is read once.
#[derive(Debug, Default)]
pub struct Texts {
    standard_is_read: bool,
}

impl Texts {
    /// The text of a program, or of standard input for `-`, with the name that messages give it.
    fn read(&mut self, file: &Path) -> io::Result<(PathBuf, String)> {
        match file == Path::new("-") {
            true if std::mem::replace(&mut self.standard_is_read, true) => {
                Err(io::Error::other("standard input is read already"))
            }
            true => Ok(("standard input".into(), text_of(io::stdin())?)),
            false => from_disk(file).map(|text| (file.to_path_buf(), text)),
        }
    }
}

/// Why programs cannot be used.
#[derive(Debug)]
pub enum Unfit {
    /// One cannot be read.
    Unreadable {
        /// Its name as given.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// There are mistakes, which have been told.
    Mistakes,
}

impl fmt::Display for Unfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Unreadable { file, error } => write!(out, "{}: cannot read: {error}", file.display()),
            Unfit::Mistakes => out.write_str("the program has errors"),
        }
    }
}

impl std::error::Error for Unfit {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Unfit::Unreadable { error, .. } => Some(error),
            Unfit::Mistakes => None,
        }
    }
}

/// A program without mistakes of its own.
#[derive(Debug)]
pub struct Member {
    /// By which name others import from it; empty for one that nobody does.
    pub name: String,
    /// Its texts.
    pub files: Files,
    /// What they say.
    pub program: Program,
}

/// A program that is to run.
#[derive(Debug)]
pub struct Planned {
    /// What it was.
    pub of: Member,
    /// What it comes to.
    pub plan: Plan,
}

impl Member {
    /// Reads and checks a program.
    ///
    /// # Errors
    /// What keeps it from being used. Mistakes and warnings have been told.
    pub fn read(name: &str, file: &Path, texts: &mut Texts, console: &mut Console<'_>) -> Result<Member, Unfit> {
        let text = texts.read(file).map_err(|error| Unfit::Unreadable { file: file.to_path_buf(), error });
        let (path, text) = text?;
        let Checked { files, program, mistakes } = check(&path, text, &from_disk);
        tell(&files, &mistakes, console);
        let program = program.ok_or(Unfit::Mistakes)?;
        Ok(Member { name: name.to_string(), files, program })
    }

    /// Reads and checks what is imported from.
    ///
    /// # Errors
    /// As [`Member::read`], of the first that there is something with.
    pub fn imports(flags: &ImportFlags, texts: &mut Texts, console: &mut Console<'_>) -> Result<Vec<Member>, Unfit> {
        flags.all.iter().map(|import| Member::read(&import.name, &import.file, texts, console)).collect()
    }

    /// Plans what others want of it: the exports of those names, and what it inspects.
    ///
    /// # Errors
    /// If it has no plan, which has been told.
    pub fn planned(self, is_wanted: impl Fn(&str) -> bool, console: &mut Console<'_>) -> Result<Planned, Unfit> {
        match plan_for(&self.program, is_wanted) {
            Ok(plan) => Ok(Planned { of: self, plan }),
            Err(mistake) => {
                tell(&self.files, &[mistake], console);
                Err(Unfit::Mistakes)
            }
        }
    }
}

/// The order in which programs are built, by number.
///
/// # Errors
/// If they don't go together, which has been told.
pub fn linked(members: &[Member], console: &mut Console<'_>) -> Result<Vec<usize>, Unfit> {
    let named = members.iter().map(|member| NamedProgram { name: &member.name, program: &member.program });
    link(&named.collect::<Vec<_>>()).map_err(|(at, mistake)| {
        tell(&members[at].files, &[*mistake], console);
        Unfit::Mistakes
    })
}

/// The plans of programs in the order in which they are built. The last of them is the one that is run; of others is planned
/// what is imported by one that comes after.
///
/// # Errors
/// If they don't go together, or one has no plan, which has been told.
///
/// # Panics
/// If there are none.
pub fn planned(members: Vec<Member>, console: &mut Console<'_>) -> Result<Vec<Planned>, Unfit> {
    let order = linked(&members, console)?;
    let run = members.len() - 1;
    let mut members: Vec<Option<Member>> = members.into_iter().map(Some).collect();
    let mut wanted = BTreeSet::<(String, String)>::new();
    let mut all = Vec::new();
    for at in order.into_iter().rev() {
        let of = members[at].take().expect("each is there once");
        let name = of.name.clone();
        let is_wanted = |export: &str| at == run || wanted.contains(&(name.clone(), export.to_string()));
        let planned = of.planned(is_wanted, console)?;
        wanted.extend(planned.plan.nodes.iter().filter_map(|node| match &node.operator {
            Operator::Import { program, export } => Some((program.clone(), export.clone())),
            _ => None,
        }));
        all.push(planned);
    }
    all.reverse();
    Ok(all)
}

/// A message that is lost is no reason to end otherwise: the status says it too.
fn tell(files: &Files, mistakes: &[Mistake], console: &mut Console<'_>) {
    let colour = console.colour();
    let _ = console.err.write_all(render(files, mistakes, colour).as_bytes());
}
