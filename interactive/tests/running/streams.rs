//! The built command between pipes, and an interrupt.

use crate::desk::Desk;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

const PROGRAM: &str = "source n(a: int); export all = n;";

fn command(desk: &Desk, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddir"));
    command.args(words.split_whitespace()).current_dir(desk.path(""));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn standard_input_is_a_file_and_no_bar_is_drawn_in_a_pipe() {
    let desk = Desk::with(&[("p.ddir", PROGRAM)]);
    let mut child = command(&desk, "run p.ddir --source n=- --export all=all.csv").spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"1\n2\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("all: 2 rows\n"));
    assert_eq!(desk.text("all.csv"), "a\n1\n2\n");
}

/// Who interrupts a replay sees what the last commit came to, and the status says that it was interrupted.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_tells_what_is_known() {
    for workers in ["", "-w 2"] {
        let desk = Desk::with(&[("p.ddir", PROGRAM)]);
        let words = format!("replay p.ddir --source n=- --report rows=1 --rows 2 --changes all=all.csv {workers}");
        let mut child = command(&desk, &words).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"1\n2\n3\n").unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen: Vec<String> = Vec::new();
        while seen.last().is_none_or(|line| line.split_whitespace().next() != Some("3")) {
            seen.push(lines.next().expect("a report of each commit").unwrap());
        }
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        // Whoever waits for a line looks when it comes.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let _ = stdin.write_all(b"4\n");
        drop(stdin);
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(130), "{rest:?}");
        assert!(rest.iter().any(|line| line.starts_with(" commits   seconds")), "{rest:?}");
        // Rows may be of the commit that did not complete.
        assert!(!rest.iter().any(|line| line.starts_with("all: ")), "{rest:?}");
        assert!(desk.text("all.csv").starts_with("time,diff,a\n1,1,1\n2,1,2\n3,1,3\n"));
    }
}
