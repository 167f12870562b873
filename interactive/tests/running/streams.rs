//! The built command between pipes, as several processes, and an interrupt.

use crate::desk::Desk;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};

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
    for (workers, last) in [("", "4\n"), ("-w 2", "4\n"), ("", "")] {
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
        // Whoever waits for a line looks when it comes, or when none will.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let _ = stdin.write_all(last.as_bytes());
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

/// Runs a command as several processes, at addresses of this machine that were free a moment ago.
fn together(desk: &Desk, words: &str, processes: usize) -> Vec<Output> {
    let doors: Vec<TcpListener> = (0..processes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let lines: String = doors.iter().map(|door| format!("{}\n", door.local_addr().unwrap())).collect();
    std::fs::write(desk.path("hosts.txt"), lines).unwrap();
    drop(doors);
    let start = |process| command(desk, &format!("{words} -n {processes} -p {process} -h hosts.txt")).spawn().unwrap();
    let running: Vec<Child> = (0..processes).map(start).collect();
    running.into_iter().map(|child| child.wait_with_output().unwrap()).collect()
}

/// Programs run and replayed by several processes come to what one comes to: rows, reports, files, errors and status. The
/// first reads and writes; the others say nothing, but what an `inspect` saw there.
#[test]
fn processes_change_no_answer_and_only_the_first_speaks() {
    let base = "source edge(src: int, dst: int); export edges = edge | where src != dst;";
    let program = "
        import edge(src: int, dst: int) from base.edges;
        loop reach { var seen = edge + (seen | join edge as next on dst == next.src | select seen.src as src, next.dst as dst) | distinct; }
        export reached = reach.seen | group src { nodes = count() };
        export inverse = edge | select 12 / dst as inverse;
    ";
    let edges = "time,diff,src,dst\n1,1,1,2\n1,1,2,3\n2,1,3,1\n2,1,3,4\n3,-1,2,3\n3,1,5,5\n4,1,4,0\n";
    let desk = Desk::with(&[("base.ddir", base), ("p.ddir", program), ("edge.csv", edges)]);
    let rest = "p.ddir --import base=base.ddir --source edge=edge.csv --export reached=reached.csv --json";
    for words in [
        format!("run {rest}"),
        format!("replay {rest} --commit by=time --report commits=1 --changes inverse=inverse.csv"),
    ] {
        // But for the summary, which tells times.
        let lines = |output: &Output| {
            let text = String::from_utf8(output.stdout.clone()).unwrap();
            text.lines().filter(|line| !line.starts_with("{\"summary\"")).map(String::from).collect::<Vec<_>>()
        };
        let files =
            || ["reached.csv", "inverse.csv"].map(|name| std::fs::read_to_string(desk.path(name)).unwrap_or_default());
        let alone = command(&desk, &words).output().unwrap();
        assert_eq!((alone.status.code(), lines(&alone).is_empty()), (Some(3), false), "{alone:?}");
        let alone = (lines(&alone), files());
        for (processes, threads) in [(2, 1), (2, 2), (3, 1)] {
            let ended = together(&desk, &format!("{words} -w {threads}"), processes);
            let story = format!("{processes} processes of {threads}: {words}");
            assert_eq!((lines(&ended[0]), files()), alone, "{story}");
            assert_eq!(ended[0].status.code(), Some(3), "{story}");
            for output in &ended[1..] {
                assert_eq!(
                    (output.status.code(), &output.stdout[..], &output.stderr[..]),
                    (Some(0), &b""[..], &b""[..]),
                    "{story}"
                );
            }
        }
    }
}

/// A process whose program or flags are others is refused, and so is the first; a bad line ends all.
#[test]
fn processes_end_together() {
    let desk = Desk::with(&[("p.ddir", PROGRAM), ("bad.csv", "1\nx\n")]);
    for command in ["run", "replay"] {
        let ended = together(&desk, &format!("{command} p.ddir --source n=bad.csv"), 2);
        let said: Vec<String> =
            ended.iter().map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).collect();
        assert!(ended.iter().all(|output| output.status.code() == Some(1) && output.stdout.is_empty()), "{ended:?}");
        assert!(said[0].starts_with("error: bad.csv, line 2: ") && said[1].contains("bad.csv, line 2: "), "{said:?}");
    }
}
