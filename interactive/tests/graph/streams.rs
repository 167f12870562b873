//! The built command with the streams that a shell gives it: standard input as the file, and readers that go away.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

fn start(arguments: &[&str]) -> Child {
    let mut ddir = Command::new(env!("CARGO_BIN_EXE_ddir"));
    ddir.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs the command with `input` on its standard input.
fn fed(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = start(arguments);
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn standard_input_is_a_file_too() {
    let seen = fed(&["graph", "-", "--json", "--reach", "1"], b"1 2\n2 3\n");
    assert_eq!((seen.status.code(), seen.stderr.as_slice()), (Some(0), &b""[..]));
    let report = r#"{"report":{"rows":2,"rows_present":2,"nodes":3,"distinct_directed_edges":2,"reached":{"1":3}}}"#;
    assert_eq!(String::from_utf8(seen.stdout).unwrap().lines().next(), Some(report));

    // After `--reach`, where the file's name may stand as well.
    let seen = fed(&["graph", "--json", "--reach", "1", "-"], b"1 2\n2\n");
    let message =
        "error: standard input, line 2: no target: wanted a source and a target, separated by TABs or blanks\n";
    assert_eq!((seen.status.code(), String::from_utf8(seen.stderr).unwrap().as_str()), (Some(1), message));
}

/// As under `| head -1`: what could not be written any more is nobody's error, and no reason to panic.
#[test]
fn a_reader_who_goes_away_ends_the_run_quietly() {
    for form in [&["--json"][..], &[]] {
        let mut child = start(&[&["graph", "-", "--report", "rows=1"], form].concat());
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"1 2\n").unwrap();
        let mut first = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut first).unwrap();
        assert!(!first.is_empty());
        drop(output);
        // The command may have ended at the first of these; then nobody takes the rest.
        _ = input.write_all(&b"2 3\n".repeat(1_000));
        drop(input);
        let seen = child.wait_with_output().unwrap();
        assert_eq!((seen.status.code(), seen.stderr.as_slice()), (Some(141), &b""[..]), "{form:?}");
    }
}
