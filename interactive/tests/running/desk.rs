//! Running the command as a person would, and reading what it says.

use interactive::command::run;
use interactive::stream::console::Console;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What a person sees.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) status: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A folder with files in it.
pub(crate) struct Desk {
    folder: TempDir,
}

impl Desk {
    /// Files by name.
    pub(crate) fn with<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Desk {
        let desk = Desk { folder: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(name, bytes)| std::fs::write(desk.path(name), bytes).unwrap());
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs `ddir` with words that are separated by blanks; `@name` is a file of the folder.
    pub(crate) fn ddir(&self, words: &str) -> Seen {
        let folder = format!("{}/", self.folder.path().display());
        let words: Vec<String> = words.split_whitespace().map(|word| word.replace('@', &folder)).collect();
        let mut seen = ddir(&words.iter().map(String::as_str).collect::<Vec<_>>());
        seen.out = seen.out.replace(&folder, "");
        seen.err = seen.err.replace(&folder, "");
        seen
    }
}

/// Runs `ddir` with these words.
pub(crate) fn ddir(words: &[&str]) -> Seen {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console { out: &mut out, err: &mut err, progress: false, stop: Default::default() };
    let words = std::iter::once("ddir").chain(words.iter().copied()).map(Into::into);
    let status = run(words, &mut console, |_, _, _| unreachable!("no graph is replayed"));
    Seen { status, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

impl Seen {
    /// What was written, all having gone well.
    pub(crate) fn fine(&self) -> &str {
        assert_eq!((self.status, self.err.as_str()), (0, ""), "{self:?}");
        &self.out
    }

    /// The tables, without the line of times and memory.
    pub(crate) fn tables(&self) -> &str {
        let end = self.out.trim_end().rfind('\n').map_or(0, |at| at + 1);
        assert!(self.out[end..].contains(" read in ") && self.out[end..].contains("peak memory"), "{self:?}");
        &self.out[..end]
    }

    /// The JSON objects under a name, in order.
    pub(crate) fn json(&self, name: &str) -> Vec<Value> {
        let lines = self.out.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
        lines.filter_map(|mut line| line.get_mut(name).map(Value::take)).collect()
    }
}

/// A file of the folder `data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(name)
}

/// A program of the folder `examples`.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}
