//! A program's files: the one that is named, and what it includes, each once.
//!
//! A path in `include` is relative to the file that it stands in. Including a file a second time, or in a circle, does
//! nothing: statements are unordered, so a file is either part of the program or not. Two paths are of one file if the
//! disk says so, however they are written.

use super::files::{FileId, Files, Span};
use super::mistake::{Mistake, Problem};
use super::syntax::parse;
use super::syntax::tree::{Statement, StatementKind};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

/// The largest file that is read, so that a file without end (`/dev/zero`) cannot fill the memory; programs that other
/// programs write are far below.
const LARGEST: usize = 1 << 26;

/// Reads texts: from the disk, or in a test from memory.
pub type Read<'r> = &'r dyn Fn(&Path) -> io::Result<String>;

/// The text of a file.
///
/// # Errors
/// Those of the system; a file that is too large, of which no more is read than may be; bytes that are no text, with
/// their line.
pub fn from_disk(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    text_of(file)
}

/// The text of what is read, as [`from_disk`] has it.
///
/// # Errors
/// The same.
pub fn text_of(reader: impl io::Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    reader.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST {
        return Err(io::Error::other(format!("longer than {LARGEST} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count();
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not UTF-8 text"))
    })
}

/// Everything that a program's files say.
pub(crate) struct Loaded {
    pub(crate) files: Files,
    pub(crate) statements: Vec<Statement>,
    pub(crate) mistakes: Vec<Mistake>,
    /// Names whose definitions could not be understood.
    pub(crate) spoiled: BTreeSet<String>,
    /// The files that are read, each under the one name that the disk has for it.
    known: BTreeSet<PathBuf>,
}

/// Parses a text, and all that it includes.
pub(crate) fn load(name: &Path, text: String, read: Read<'_>) -> Loaded {
    let (files, statements, mistakes, spoiled) = Default::default();
    let known = BTreeSet::from([one_name(&tidy(name))]);
    let mut loaded = Loaded { files, statements, mistakes, spoiled, known };
    let mut next = Some(loaded.files.add(tidy(name), text));
    while let Some(id) = next {
        loaded.parse(id, read);
        next = loaded.files.after(id);
    }
    loaded
}

impl Loaded {
    fn parse(&mut self, id: FileId, read: Read<'_>) {
        let bytes = self.files.get(id).text.len();
        if bytes > LARGEST {
            let start = Span { file: id, start: 0, end: 0 };
            self.mistakes.push(Mistake::new(start, Problem::FileTooLarge { bytes, limit: LARGEST }));
            return;
        }
        let (statements, spoiled) = parse(&self.files, id, &mut self.mistakes);
        self.spoiled.extend(spoiled);
        let folder = self.files.get(id).name.parent().map(Path::to_path_buf).unwrap_or_default();
        for statement in &statements {
            let StatementKind::Include { path, path_span } = &statement.kind else { continue };
            let name = tidy(&folder.join(path));
            if !self.known.insert(one_name(&name)) {
                continue;
            }
            match read(&name) {
                Ok(text) => {
                    self.files.add(name, text);
                }
                Err(error) => {
                    let problem = Problem::CannotInclude { path: path.clone(), reason: error.to_string() };
                    self.mistakes.push(Mistake::new(*path_span, problem));
                }
            }
        }
        self.statements.extend(statements);
    }
}

/// The name of a file that all its paths share, as far as the disk knows it.
fn one_name(tidy: &Path) -> PathBuf {
    std::fs::canonicalize(tidy).unwrap_or_else(|_| tidy.to_path_buf())
}

/// The path without `.` and without `name/..`, so that a file has one name.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(tidy.components().next_back(), Some(Component::Normal(_))) => {
                tidy.pop();
            }
            _ => tidy.push(part),
        }
    }
    tidy
}
