//! `ddir check`, as a person types it: what goes where, and the exit status.

use interactive::command::run;
use interactive::stream::console::Console;
use std::ffi::OsString;
use std::fs::write;
use std::path::Path;
use tempfile::tempdir;

/// Exit status, first stream, second stream.
fn ddir(folder: &Path, arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console { out: &mut out, err: &mut err, progress: false, stop: Default::default() };
    let place = |argument: &&str| match argument.ends_with(".ddir") {
        true => folder.join(argument).into_os_string(),
        false => OsString::from(argument),
    };
    let arguments = ["ddir", "check"].iter().map(OsString::from).chain(arguments.iter().map(place));
    let status = run(arguments, &mut console, |_, _, _| unreachable!("nothing is replayed"));
    let folder = format!("{}/", folder.display());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&folder, "");
    (status, text(out), text(err))
}

const FINE: &str = "source edge(src: int, dst: int);\nexport back = edge | select dst as src, src as dst;\n";

#[test]
fn a_program_that_is_fine_says_nothing() {
    let folder = tempdir().unwrap();
    write(folder.path().join("a.ddir"), FINE).unwrap();
    assert_eq!(ddir(folder.path(), &["a.ddir"]), (0, String::new(), String::new()));
    let types = "source edge(src: int, dst: int)\nexport back(src: int, dst: int)\n";
    assert_eq!(ddir(folder.path(), &["a.ddir", "--types"]), (0, types.to_string(), String::new()));
}

#[test]
fn a_last_comma_makes_a_tuple_of_one() {
    let folder = tempdir().unwrap();
    let text = "source a(one: (int,), same: (int));\n\
                export b = a | select (case one { (n,) => n + same }) as sum, (same,) as one;\n";
    write(folder.path().join("a.ddir"), text).unwrap();
    let types = "source a(one: (int,), same: int)\nexport b(sum: int, one: (int,))\n";
    assert_eq!(ddir(folder.path(), &["a.ddir", "--types"]), (0, types.to_string(), String::new()));
}

#[test]
fn an_error_is_told_and_the_others_are_checked() {
    let folder = tempdir().unwrap();
    write(folder.path().join("a.ddir"), "export a = nowhere;\n").unwrap();
    write(folder.path().join("b.ddir"), FINE).unwrap();
    let (status, out, err) = ddir(folder.path(), &["--types", "a.ddir", "missing.ddir", "b.ddir"]);
    assert_eq!(status, 1);
    assert!(out.ends_with("b.ddir\nsource edge(src: int, dst: int)\nexport back(src: int, dst: int)\n"), "{out}");
    assert!(err.starts_with("Error: there is no collection `nowhere`\n   ,-[ a.ddir:1:12 ]\n"), "{err}");
    assert!(err.contains("error: missing.ddir: cannot read: "), "{err}");
    assert!(!err.contains('\u{1b}'), "colours in no terminal: {err}");
}

#[test]
fn a_warning_is_no_error() {
    let folder = tempdir().unwrap();
    write(folder.path().join("a.ddir"), "source edge(src: int, dst: int);\n").unwrap();
    let (status, _, err) = ddir(folder.path(), &["a.ddir"]);
    assert_eq!(status, 0);
    assert!(err.starts_with("Warning: the program exports nothing"), "{err}");
}

#[test]
fn flags_are_checked() {
    let folder = tempdir().unwrap();
    let (status, _, err) = ddir(folder.path(), &[]);
    assert_eq!(status, 2);
    assert!(err.contains("Usage: ddir check FILE ... [--import NAME=PROGRAM] [--types]"), "{err}");
    let (status, out, _) = ddir(folder.path(), &["--help"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("Check programs in DDIR without running them"), "{out}");
}

/// Files are found from where the file stands that includes them, each once, in circles too; mistakes name their file.
#[test]
fn files_are_included_once() {
    let folder = tempdir().unwrap();
    std::fs::create_dir(folder.path().join("lib")).unwrap();
    write(folder.path().join("a.ddir"), "include \"lib/b.ddir\";\ninclude \"lib/./c.ddir\";\nexport e = edge;\n")
        .unwrap();
    write(folder.path().join("lib/b.ddir"), "include \"c.ddir\";\nlet unused = edge;\n").unwrap();
    let c = "include \"../a.ddir\";\nsource edge(src: int, dst: int);\n";
    write(folder.path().join("lib/c.ddir"), c).unwrap();
    assert_eq!(ddir(folder.path(), &["a.ddir"]), (0, String::new(), String::new()));
    write(folder.path().join("lib/b.ddir"), "let wrong = egde;\n").unwrap();
    let (status, _, err) = ddir(folder.path(), &["a.ddir"]);
    assert_eq!(status, 1);
    assert!(err.contains("lib/b.ddir:1:13"), "{err}");
    // A name of two files: the message shows both.
    write(folder.path().join("lib/b.ddir"), "source edge(src: int, dst: int);\n").unwrap();
    let (status, _, err) = ddir(folder.path(), &["a.ddir"]);
    assert_eq!(status, 1);
    assert!(err.contains("lib/b.ddir:1:8") && err.contains("lib/c.ddir:2:8"), "{err}");
}

/// Two paths may be of one file: by way of other folders, or of a link.
#[cfg(unix)]
#[test]
fn a_file_is_included_once_however_it_is_spelled() {
    let folder = tempdir().unwrap();
    std::fs::create_dir(folder.path().join("lib")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("lib"), folder.path().join("link")).unwrap();
    let whole = folder.path().join("lib/edge.ddir");
    write(&whole, "source edge(src: int, dst: int);\n").unwrap();
    let a = format!(
        "include \"lib/edge.ddir\";\ninclude \"link/edge.ddir\";\ninclude {:?};\nexport e = edge;\n",
        whole.to_str().unwrap()
    );
    write(folder.path().join("a.ddir"), a).unwrap();
    assert_eq!(ddir(folder.path(), &["a.ddir"]), (0, String::new(), String::new()));
}

#[test]
fn a_program_that_says_nothing_is_warned_of() {
    let folder = tempdir().unwrap();
    for text in ["", "-- nothing yet\n", "type Light = Red | Green;\n", "include \"b.ddir\";\n"] {
        write(folder.path().join("a.ddir"), text).unwrap();
        write(folder.path().join("b.ddir"), "source _edge(src: int);\n").unwrap();
        let (status, out, err) = ddir(folder.path(), &["a.ddir"]);
        assert_eq!((status, out.as_str()), (0, ""));
        assert!(err.starts_with("Warning: the program exports nothing\n   ,-[ a.ddir:1:1 ]\n"), "{text:?}: {err}");
    }
}

/// What could move a terminal's cursor, colour it or turn its writing around stays out of messages.
#[test]
fn no_letter_of_a_program_moves_the_cursor() {
    let folder = tempdir().unwrap();
    for wild in ["\u{1b}[2J", "\u{7}", "\u{9b}31m", "\u{7f}", "\u{202e}", "\0"] {
        write(folder.path().join("a.ddir"), format!("let a = \"{wild}\" | wher {wild} {wild}x;\n{wild}")).unwrap();
        let (status, _, err) = ddir(folder.path(), &["a.ddir"]);
        assert_eq!(status, 1);
        let is_wild = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
        assert!(!err.contains(is_wild), "{err:?}");
    }
}
