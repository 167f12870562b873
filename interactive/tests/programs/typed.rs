//! `ddir plan`, as a person types it: what goes where, and the exit status.

use interactive::command::run;
use interactive::stream::console::Console;
use std::ffi::OsString;
use std::path::Path;
use tempfile::tempdir;

/// Exit status, first stream, second stream.
fn ddir(folder: &Path, arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console { out: &mut out, err: &mut err, progress: false, stop: Default::default() };
    let file = folder.join("a.ddir").into_os_string();
    let arguments = ["ddir", "plan"].iter().chain(arguments).map(OsString::from).chain([file]);
    let status = run(arguments, &mut console, |_, _, _| unreachable!("nothing is replayed"));
    let folder = format!("{}/", folder.display());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&folder, "");
    (status, text(out), text(err))
}

#[test]
fn a_plan_is_shown_in_three_ways() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("a.ddir"), "source s(a: int);\nexport e = s | where a > 1;\n").unwrap();
    let (status, out, err) = ddir(folder.path(), &[]);
    assert_eq!((status, err.as_str()), (0, ""));
    let words: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    let line = |text: &'static str| text.split(' ').collect::<Vec<&str>>();
    assert_eq!(words, [line("#0 source s (a: int) s"), line("#1 #0 | where a > 1 (a: int) e"), line("export e = #1")]);
    let (status, out, _) = ddir(folder.path(), &["--dot"]);
    assert!(status == 0 && out.starts_with("digraph plan {\n") && out.contains("n0 -> n1;"), "{out}");
    let (status, out, _) = ddir(folder.path(), &["--json"]);
    let plan: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, plan["exports"][0]["name"].as_str()), (0, Some("e")));
}

#[test]
fn what_cannot_be_planned_is_told() {
    let folder = tempdir().unwrap();
    assert_eq!(ddir(folder.path(), &[]).0, 1);
    std::fs::write(folder.path().join("a.ddir"), "export e = nowhere;\n").unwrap();
    assert_eq!(ddir(folder.path(), &[]).0, 1);
    std::fs::write(folder.path().join("a.ddir"), "source s(a: int);\nexport e = s | threshold 1 - 1;\n").unwrap();
    let (status, out, err) = ddir(folder.path(), &[]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("a.ddir:2:26"), "{err}");
}
