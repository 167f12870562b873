//! How mistakes look: the line itself, the place marked, what was wanted, what may mend it.
//!
//! ```text
//! Error: there is no collection `edgs`
//!    ,-[ reach.ddir:5:15 ]
//!    |
//!  5 |     let far = edgs | select dst as node;
//!    |               ^^|^
//!    |                 `-- not defined here
//!    |
//!    | Help: did you mean `edge`?
//! ---'
//! ```
//!
//! Drawn by `ariadne`; without colour unless asked for. What could move a terminal's cursor or colour it (control
//! characters, marks of writing direction) is shown by something of the same length that cannot.

use super::files::{FileId, Files, Span};
use super::mistake::Mistake;
use super::wording::Wording;
use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

/// Of how many mistakes a report tells. Who has more will come back.
const SHOWN: usize = 50;

/// How long a line may be to be shown.
const WIDEST: usize = 1_000;

/// A span as `ariadne` reads it.
struct Place(Span);

impl ariadne::Span for Place {
    type SourceId = FileId;

    fn source(&self) -> &FileId {
        &self.0.file
    }

    fn start(&self) -> usize {
        self.0.start as usize
    }

    fn end(&self) -> usize {
        self.0.end as usize
    }
}

/// The texts, cut into lines when they are first asked for.
struct Texts<'f> {
    files: &'f Files,
    lines: HashMap<FileId, Source<Cow<'f, str>>>,
}

impl<'f> ariadne::Cache<FileId> for Texts<'f> {
    type Storage = Cow<'f, str>;

    fn fetch(&mut self, id: &FileId) -> Result<&Source<Cow<'f, str>>, impl fmt::Debug> {
        let text = self.files.get(*id).text.as_str();
        Ok::<_, fmt::Error>(self.lines.entry(*id).or_insert_with(|| Source::from(tame(text))))
    }

    fn display<'a>(&self, id: &'a FileId) -> Option<impl fmt::Display + 'a> {
        Some(tame(&self.files.get(*id).name.display().to_string()).into_owned())
    }
}

/// All mistakes as text for a person, in the order of the program.
pub fn render(files: &Files, mistakes: &[Mistake], colour: bool) -> String {
    let mut mistakes: Vec<&Mistake> = mistakes.iter().collect();
    // Errors have priority where not all are shown.
    let errors = mistakes.iter().filter(|mistake| mistake.is_error()).count();
    if mistakes.len() > SHOWN {
        mistakes.sort_by_key(|mistake| !mistake.is_error());
    }
    let left_out = mistakes.len().saturating_sub(SHOWN);
    mistakes.truncate(SHOWN);
    mistakes.sort_by_key(|mistake| (mistake.at.file, mistake.at.start));
    let mut texts = Texts { files, lines: HashMap::new() };
    let mut out = Vec::new();
    for mistake in &mistakes {
        // Writing into memory does not fail, and every span is of one of the files.
        let _ = match is_wide(files, mistake) {
            true => plain(files, mistake, &mut out),
            false => drawn(mistake, colour).write(&mut texts, &mut out),
        };
    }
    let mut text = String::from_utf8_lossy(&out).into_owned();
    if left_out > 0 {
        text.push_str(&format!("and {left_out} more ({errors} errors in all)\n"));
    }
    // A line of padding is no reason to end a line with blanks.
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Whether a line that would be shown is too long for it.
fn is_wide(files: &Files, mistake: &Mistake) -> bool {
    let also = mistake.wording().also;
    [mistake.at].into_iter().chain(also.into_iter().map(|(span, _)| span)).any(|span| {
        let (before, rest) = files.get(span.file).text.split_at(span.start as usize);
        let before = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        // A span of several lines is shown by its first and its last.
        let inside = (span.end - span.start) as usize;
        before + inside + rest[inside..].find('\n').unwrap_or(rest.len() - inside) > WIDEST
    })
}

/// The message without the line.
fn plain(files: &Files, mistake: &Mistake, out: &mut Vec<u8>) -> io::Result<()> {
    let place = |span: Span| {
        let file = files.get(span.file);
        let before = &file.text[..span.start as usize];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before[before.rfind('\n').map_or(0, |at| at + 1)..].chars().count();
        format!("{}:{line}:{column}", tame(&file.name.display().to_string()))
    };
    let wording = worded(mistake);
    writeln!(out, "{}: {}", if mistake.is_error() { "Error" } else { "Warning" }, wording.title)?;
    writeln!(out, "   ,-[ {} ]", place(mistake.at))?;
    writeln!(out, "   | {}", wording.label)?;
    for (span, label) in wording.also {
        writeln!(out, "   | {}: {label}", place(span))?;
    }
    if let Some(help) = wording.help {
        writeln!(out, "   |\n   | Help: {help}")?;
    }
    writeln!(out, "---'")
}

/// What is said of a mistake, without what could move a terminal's cursor.
fn worded(mistake: &Mistake) -> Wording {
    let tamed = |text: String| tame(&text).into_owned();
    let Wording { title, label, also, help } = mistake.wording();
    let also = also.into_iter().map(|(span, text)| (span, tamed(text))).collect();
    Wording { title: tamed(title), label: tamed(label), also, help: help.map(tamed) }
}

/// The text with something harmless in place of what could move a terminal's cursor or colour it: of the same length in
/// bytes, so that places stay where they are. Line ends and TABs stay.
pub fn tame(text: &str) -> Cow<'_, str> {
    let wild = |letter: char| {
        let is_direction =
            matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
        is_direction || letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')
    };
    if !text.contains(wild) {
        return Cow::Borrowed(text);
    }
    let harmless = |letter: char| match (wild(letter), letter.len_utf8()) {
        (false, _) => letter,
        (true, 1) => '?',
        (true, 2) => '\u{bf}',
        (true, _) => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(harmless).collect())
}

fn drawn(mistake: &Mistake, colour: bool) -> Report<'static, Place> {
    let (kind, mark) = match mistake.is_error() {
        true => (ReportKind::Error, Color::Red),
        false => (ReportKind::Warning, Color::Yellow),
    };
    let config = Config::default().with_color(colour).with_char_set(CharSet::Ascii).with_index_type(IndexType::Byte);
    let wording = worded(mistake);
    let main = Label::new(Place(mistake.at)).with_message(wording.label).with_color(mark).with_priority(1);
    let also = wording.also.into_iter();
    let also = also.map(|(span, label)| (span, Label::new(Place(span)).with_message(label).with_color(Color::Blue)));
    let mut labels: Vec<_> = std::iter::once((mistake.at, main)).chain(also).collect();
    // Lines are shown in one go if they are told of in their order.
    labels.sort_by_key(|(span, _)| (span.file, span.start));
    let mut report = Report::build(kind, Place(mistake.at))
        .with_config(config)
        .with_message(wording.title)
        .with_labels(labels.into_iter().map(|(_, label)| label));
    if let Some(help) = wording.help {
        report = report.with_help(help);
    }
    report.finish()
}
