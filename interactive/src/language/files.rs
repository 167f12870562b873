//! The texts of a program, and places in them.
//!
//! A program is a file and what it includes. Each text gets a number, and a [`Span`] is that number with two byte
//! offsets: twelve bytes that every part of a tree can keep. Lines and columns are counted only when a message is
//! printed.
//!
//! Invariant: a span that the lexer made lies on character boundaries of its file, `start <= end <= length`.

use serde::Serialize;
use std::path::PathBuf;

/// The number of a file of a program, in the order in which they were loaded. The first is the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FileId(pub u32);

/// A piece of a file, from byte `start` up to byte `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// In which file.
    pub file: FileId,
    /// The first byte of the piece.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// From the beginning of this span to the end of a later one of the same file.
    pub fn to(self, later: Span) -> Span {
        Span { end: later.end.max(self.start), ..self }
    }

    /// The empty span right after this one: where something is missing.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// A text with the name that messages give it.
#[derive(Clone, Debug)]
pub struct File {
    /// The path as it was given, or a name for a text that has none.
    pub name: PathBuf,
    /// All of it.
    pub text: String,
}

/// The files of a program.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: Vec<File>,
}

impl Files {
    /// Adds a file.
    ///
    /// # Panics
    /// With more than `u32::MAX` files.
    pub fn add(&mut self, name: impl Into<PathBuf>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files"));
        self.files.push(File { name: name.into(), text: text.into() });
        id
    }

    /// The file with this number.
    pub fn get(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    /// The line and the column at which a span begins, counted from 1; a column is a character.
    pub fn line_and_column(&self, span: Span) -> (usize, usize) {
        let before = &self.get(span.file).text[..span.start as usize];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        (1 + before.matches('\n').count(), 1 + before[line..].chars().count())
    }

    /// The text at a span.
    pub fn text(&self, span: Span) -> &str {
        &self.get(span.file).text[span.start as usize..span.end as usize]
    }

    /// The file that was added after this one.
    pub fn after(&self, id: FileId) -> Option<FileId> {
        ((id.0 as usize) + 1 < self.files.len()).then_some(FileId(id.0 + 1))
    }
}
