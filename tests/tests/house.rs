//! The house rules that a machine can keep, each with what to do instead.
//!
//! Few, cheap, and nothing about taste: modules import only what stands above them, every file opens with a header,
//! libraries do not print, nothing is left for later, and the architecture page names only what exists.
//! A rule that finds nothing to look at fails too, so that a moved folder cannot silence it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const MEMBERS: [&str; 6] = ["differential", "interactive", "dogs3", "difftest", "tests", "benches"];
const LIBRARIES: [&str; 4] = ["differential", "interactive", "dogs3", "difftest"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is one level up").to_path_buf()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Rust files under a folder, as paths from the workspace's root, in order.
fn sources(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    assert!(!found.is_empty(), "no Rust file under {folder}/: has it moved?");
    found.sort();
    found.into_iter().map(|path| path.strip_prefix(root()).expect("under the root").to_path_buf()).collect()
}

/// The code of a file: without comments, and without what follows the first `#[cfg(test)]` that opens a module here.
fn code(path: &Path) -> String {
    let text = read(&root().join(path));
    let (mut code, mut lines) = (String::new(), text.lines().map(str::trim).peekable());
    while let Some(line) = lines.next() {
        let tested = line == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.ends_with('{'));
        if tested && lines.peek().is_some_and(|next| next.contains("mod ")) {
            break;
        }
        code.push_str(line.split("//").next().expect("a split has a first part"));
        code.push('\n');
    }
    code
}

/// What a module declares: the names of its own modules, those compiled only for tests apart.
fn modules(path: &Path) -> (Vec<String>, BTreeSet<String>) {
    let (mut order, mut tested, mut attributes) = (Vec::new(), BTreeSet::new(), String::new());
    for line in read(&root().join(path)).lines().map(str::trim) {
        let words = line.strip_prefix("pub ").or(line.strip_prefix("pub(crate) ")).unwrap_or(line);
        match words.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            Some(name) if attributes.contains("cfg(test)") => _ = tested.insert(name.to_string()),
            Some(name) => order.push(name.to_string()),
            None => {}
        }
        attributes = if line.starts_with("#[") { attributes + line } else { String::new() };
    }
    (order, tested)
}

/// Whether a file is compiled only for tests: it is, or lies in, a module that some file declares so.
fn is_test_file(path: &Path, test_modules: &BTreeSet<String>) -> bool {
    path.iter()
        .any(|part| Path::new(part).file_stem().is_some_and(|name| test_modules.contains(&*name.to_string_lossy())))
}

/// The names that follow `prefix` in some code, groups in braces included: `crate::{a::B, c}` names `a` and `c`.
fn named(code: &str, prefix: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        for part in group.split_inclusive(['{', '}', ',']) {
            if depth == 0 {
                names.extend(Some(word(part.trim_start())).filter(|name| !name.is_empty()));
            }
            match part.chars().last() {
                Some('{') => depth += 1,
                Some('}') if depth == 0 => break,
                Some('}') => depth -= 1,
                _ => {}
            }
        }
    }
    names
}

/// Checks that the modules which `page` lists import only those listed above them.
///
/// `prefix` is how a module's file names another one of them: from the crate's root, or from one level up.
#[track_caller]
fn imports_only_upward(page: &str, prefix: &str) {
    let folder = Path::new(page).parent().expect("a page stands in a folder");
    let (order, _) = modules(Path::new(page));
    let ranks: BTreeMap<&str, usize> = order.iter().enumerate().map(|(rank, name)| (name.as_str(), rank)).collect();
    let folder_name = folder.to_str().expect("our names are text");
    let test_modules = sources(folder_name).iter().flat_map(|path| modules(path).1).collect();
    let (mut looked_at, mut offenders) = (0, Vec::new());
    for path in sources(folder_name) {
        let inner = path.strip_prefix(folder).expect("under the folder");
        let room =
            inner.iter().next().and_then(|first| Path::new(first).file_stem()).expect("a name").to_string_lossy();
        let file = path.file_name().expect("a file").to_string_lossy().to_string();
        let Some(rank) = ranks.get(&*room) else { continue };
        if is_test_file(inner, &test_modules) {
            continue;
        }
        looked_at += 1;
        let code = code(&path);
        let mut names = named(&code, prefix);
        // A room's own page sees the crate as one level up.
        if inner.iter().count() == 1 || file == "mod.rs" && inner.iter().count() == 2 {
            names.extend(named(&code, "super::"));
        }
        let below = names.iter().filter(|name| ranks.get(name.as_str()).is_some_and(|used| used > rank));
        offenders.extend(below.map(|name| format!("{} imports {name}", path.display())));
    }
    assert!(looked_at >= order.len(), "{page} lists {order:?}, and only {looked_at} files of theirs were found");
    assert!(
        offenders.is_empty(),
        "{page} lists modules in reading order, and a module uses only those above it. Move what is shared up, \
         or hand it in from below:\n{}",
        offenders.join("\n")
    );
}

#[test]
fn rooms_of_the_engine_import_only_rooms_above_them() {
    imports_only_upward("differential/src/lib.rs", "crate::");
}

#[test]
fn rooms_of_the_programs_import_only_rooms_above_them() {
    imports_only_upward("interactive/src/lib.rs", "crate::");
    imports_only_upward("interactive/src/graph/mod.rs", "super::");
}

/// The search itself, on a text: a check that finds nothing is no check.
#[test]
fn imports_are_found_in_every_spelling() {
    let code = "use crate::time::{Point, lattice::Lattice};\nuse crate::{\n  diff::{Diff, pair},\n  error,\n};\n\
                fn f(_: crate::column::Units) { other_crate::x(); $crate::batch!(); std::crate::z }";
    let names: Vec<String> = named(code, "crate::").into_iter().collect();
    assert_eq!(names, ["batch", "column", "diff", "error", "time"]);
}

#[test]
fn every_file_opens_with_a_header() {
    let files = MEMBERS.iter().flat_map(|member| sources(member));
    let bare: Vec<PathBuf> = files.filter(|path| !read(&root().join(path)).starts_with("//! ")).collect();
    assert!(bare.is_empty(), "begin these with `//! `, saying what the file is about: {bare:#?}");
}

#[test]
fn every_crate_forbids_unsafe_code() {
    let roots = ["differential", "interactive", "dogs3", "difftest", "tests"].map(|name| format!("{name}/src/lib.rs"));
    let open: Vec<&String> =
        roots.iter().filter(|path| !read(&root().join(path)).contains("#![forbid(unsafe_code)]")).collect();
    assert!(open.is_empty(), "put #![forbid(unsafe_code)] into {open:?}");
}

/// The lines of files that hold one of some words as code.
fn lines_with(files: impl Iterator<Item = PathBuf>, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for path in files {
        for (at, line) in read(&root().join(&path)).lines().enumerate() {
            let line = line.trim();
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{}: {line}", path.display(), at + 1));
            }
        }
    }
    found
}

#[test]
fn libraries_do_not_print() {
    let printing = ["println!", "eprintln!", "print!(", "eprint!(", "dbg!"];
    let files = LIBRARIES.iter().flat_map(|member| sources(&format!("{member}/src")));
    let library = files.filter(|path| !path.components().any(|part| part.as_os_str() == "bin"));
    let found: Vec<String> = lines_with(library, &printing).into_iter().filter(|line| !line.contains(": //")).collect();
    assert!(found.is_empty(), "a library has no terminal; return the text, or take the stream:\n{}", found.join("\n"));
}

#[test]
fn nothing_is_left_for_later() {
    // Spelt in parts, so that this file does not find itself.
    let words = ["TO", "FIX", "XX", "to", "unimple"].iter().zip(["DO", "ME", "X", "do!(", "mented!("]);
    let words: Vec<String> = words.map(|(start, end)| format!("{start}{end}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let found = lines_with(MEMBERS.iter().flat_map(|member| sources(member)), &words);
    assert!(found.is_empty(), "do it, or file it; the tree holds what is done:\n{}", found.join("\n"));
}

/// A path is a word between backticks that holds a slash, or ends like a file of ours.
#[test]
fn the_architecture_page_names_only_what_exists() {
    let page = root().join("docs/ARCHITECTURE.md");
    if !page.exists() {
        return;
    }
    let text = read(&page);
    let words = text.split('`').skip(1).step_by(2).filter(|word| !word.contains(char::is_whitespace));
    let paths = words.filter(|word| {
        let file = [".rs", ".md", ".toml", ".zst", ".json"].iter().any(|end| word.ends_with(end));
        let plain = word.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
        plain && (file || word.contains('/') && word.contains(char::is_alphabetic))
    });
    let bases = ["", "docs", "differential/src", "interactive/src", "interactive/src/graph"];
    let missing: Vec<&str> =
        paths.filter(|path| !bases.iter().any(|base| root().join(base).join(path).exists())).collect();
    assert!(missing.is_empty(), "docs/ARCHITECTURE.md names what does not exist; mend the page: {missing:?}");
}

/// The pages for readers: those of the root, and of `docs`.
fn pages() -> Vec<PathBuf> {
    let of = |folder: &str| std::fs::read_dir(root().join(folder)).expect("a folder of ours");
    let files = [".", "docs"].into_iter().flat_map(of).map(|entry| entry.expect("can be read").path());
    files.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

/// The words between backticks on a line that are files of ours: Rust files and pages, and what is under a folder of ours.
fn files_named(line: &str) -> impl Iterator<Item = &str> {
    let folders = MEMBERS.iter().copied().chain(["docs", "data"]);
    let words = line.split('`').skip(1).step_by(2);
    words.filter(move |word| {
        let plain = word.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
        let ours = folders.clone().any(|folder| word.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
        plain && (ours || [".rs", ".md"].iter().any(|end| word.ends_with(end) && word.len() > end.len()))
    })
}

/// A name may leave out the folders that its reader knows: it is the end of some path.
#[test]
fn headers_and_pages_name_only_files_that_exist() {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder of ours") {
            let path = entry.expect("can be read").path();
            if path.is_dir() {
                walk(&path, found);
            }
            found.push(path);
        }
    }
    let mut all = pages();
    for folder in MEMBERS.iter().copied().chain(["docs", "data"]) {
        walk(&root().join(folder), &mut all);
        all.push(root().join(folder));
    }
    let is_prose = |line: &&str| line.trim_start().starts_with("//");
    let sources = MEMBERS.iter().flat_map(|member| sources(member)).map(|path| root().join(path));
    let (mut looked_at, mut missing) = (0, Vec::new());
    for path in sources.chain(pages()) {
        let is_page = path.extension().is_some_and(|end| end == "md");
        for (at, line) in read(&path).lines().enumerate().filter(|(_, line)| is_page || is_prose(line)) {
            for name in files_named(line) {
                looked_at += 1;
                if !all.iter().any(|known| known.ends_with(name)) {
                    missing.push(format!("{}:{}: {name}", path.display(), at + 1));
                }
            }
        }
    }
    assert!(looked_at > 100, "only {looked_at} names of files were found: is this still how they are written?");
    assert!(missing.is_empty(), "these name files that are not there; mend what is said:\n{}", missing.join("\n"));
}

#[test]
fn names_of_files_are_found_on_a_line() {
    let line =
        "see `docs/REDUCE.md` and `merge.rs`, not `Point`, `a/b`, `.rs`, `crate::time` or `data/*.zst`; `tests/x`";
    assert_eq!(files_named(line).collect::<Vec<_>>(), ["docs/REDUCE.md", "merge.rs", "tests/x"]);
}
