//! Running `ddir graph` as a person would, and reading what it says.

use crate::plain::Plain;
use interactive::command::run;
use interactive::graph::engine::answer;
use interactive::graph::replay::replay;
use interactive::stream::console::Console;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What a person sees.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) status: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A folder that holds one edge list, named `edges.txt` or as given.
pub(crate) struct Desk {
    folder: TempDir,
    file: PathBuf,
}

impl Desk {
    pub(crate) fn with(text: &str) -> Desk {
        Desk::with_bytes("edges.txt", text.as_bytes())
    }

    pub(crate) fn with_bytes(name: &str, bytes: &[u8]) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        Desk { folder, file }
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Runs `ddir graph FILE` with further flags, separated by blanks.
    pub(crate) fn graph(&self, flags: &str) -> Seen {
        let mut seen = graph(&self.file, flags);
        let folder = format!("{}/", self.folder.path().display());
        seen.out = seen.out.replace(&folder, "");
        seen.err = seen.err.replace(&folder, "");
        seen
    }
}

/// Runs `ddir graph FILE` with further flags, separated by blanks.
pub(crate) fn graph(file: &Path, flags: &str) -> Seen {
    ddir(&[&["graph", file.to_str().unwrap()], flags.split_whitespace().collect::<Vec<_>>().as_slice()].concat())
}

/// Runs the command twice, with the engine and with a plain recomputation in its place: what a person sees must be the
/// same, but for how long it took.
pub(crate) fn ddir(arguments: &[&str]) -> Seen {
    let plain = see(arguments, |arguments, console| {
        run(arguments, console, |options, _, console| replay(options, &mut Plain::new(&options.questions), console))
    });
    let engine = see(arguments, |arguments, console| run(arguments, console, answer));
    assert_eq!(
        (engine.status, &engine.err, engine.answers()),
        (plain.status, &plain.err, plain.answers()),
        "{arguments:?}"
    );
    engine
}

fn see(arguments: &[&str], run: impl FnOnce(Vec<OsString>, &mut Console<'_>) -> u8) -> Seen {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console { out: &mut out, err: &mut err, progress: false, stop: Default::default() };
    let arguments = std::iter::once("ddir").chain(arguments.iter().copied()).map(Into::into).collect();
    let status = run(arguments, &mut console);
    Seen { status, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

impl Seen {
    /// The output up to the summary, which tells times.
    fn answers(&self) -> &str {
        let summary = self.out.find("{\"summary\"").or_else(|| self.out.find("\n\n"));
        summary.map_or(&self.out, |at| &self.out[..at])
    }

    /// The reports, as text, the run having gone well; the summary is checked for its shape.
    pub(crate) fn reports(&self) -> Vec<&str> {
        assert_eq!((self.status, self.err.as_str()), (0, ""), "{self:?}");
        let mut lines: Vec<&str> = self.out.lines().collect();
        let summary = lines.pop().expect("a summary ends the output");
        assert!(summary.starts_with(r#"{"summary":{"commits":"#) && summary.ends_with("}}"), "{summary}");
        lines
    }
}

/// A file of the folder `data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(name)
}
