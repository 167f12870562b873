//! Each mistake has a golden text: `mistakes/NAME.ddir` is a program, `mistakes/NAME.txt` what a person sees of it.
//!
//! `DDIR_GOLDEN=rewrite cargo test -p interactive --test language` writes all texts anew; read the difference before you
//! keep it.

use crate::programs::{check_text, messages};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Whether golden texts are to be written, not compared.
pub(crate) fn rewriting() -> bool {
    std::env::var_os("DDIR_GOLDEN").is_some_and(|value| value == "rewrite")
}

/// Two texts line by line, from the first line that differs.
pub(crate) fn difference(wanted: &str, found: &str) -> String {
    let same = wanted.lines().zip(found.lines()).take_while(|(wanted, found)| wanted == found).count();
    let mut text = format!("they differ from line {} on:\n", same + 1);
    wanted.lines().skip(same).for_each(|line| writeln!(text, "  wanted: {line}").unwrap());
    found.lines().skip(same).for_each(|line| writeln!(text, "  found:  {line}").unwrap());
    text
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language/mistakes");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "ddir")).collect();
    files.sort();
    files
}

#[test]
fn mistakes_are_told_as_they_were() {
    let mut failures = String::new();
    for path in programs() {
        let seen = messages(&std::fs::read_to_string(&path).unwrap());
        let golden = path.with_extension("txt");
        if rewriting() {
            std::fs::write(golden, seen).unwrap();
            continue;
        }
        let wanted = std::fs::read_to_string(&golden).unwrap_or_default();
        if wanted != seen {
            writeln!(failures, "{}: {}", golden.display(), difference(&wanted, &seen)).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// The programs together show this many kinds of mistakes; and none of them tells more than the few it is about.
#[test]
fn all_kinds_of_mistakes_are_shown() {
    let mut kinds = BTreeSet::new();
    for path in programs() {
        let checked = check_text(&std::fs::read_to_string(&path).unwrap());
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(!checked.mistakes.is_empty(), "{name} is fine");
        assert!(checked.mistakes.len() <= 3 || name.starts_with("several"), "{name}: {:?}", checked.mistakes);
        for mistake in checked.mistakes {
            let kind = format!("{:?}", mistake.problem);
            kinds.insert(kind.split([' ', '{']).next().unwrap().to_string());
        }
    }
    assert!(kinds.len() >= 100, "{}: {kinds:#?}", kinds.len());
}
