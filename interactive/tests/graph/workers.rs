//! The same answers from any number of threads and processes; and a process that is missing, killed or asked for
//! something else is an error of all, and never an answer.

use crate::desk::{Desk, ddir};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A cycle with a tail, that is cut and mended.
const EDGES: &str = "0 1\n1 2\n2 0\n2 3\n7 8\n- 1 2\ncommit\n3 4\n1 2\n4 0\n- 7 8\n";
const FLAGS: &str = "--reach 0 7 --components --scc --report commits=1 --json";

/// Addresses on this machine that were free a moment ago, as a host file.
fn hosts(processes: usize) -> (TempDir, PathBuf) {
    let doors: Vec<TcpListener> = (0..processes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let lines: String = doors.iter().map(|door| format!("{}\n", door.local_addr().unwrap())).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hosts.txt");
    std::fs::write(&file, lines).unwrap();
    (folder, file)
}

/// Starts a process of a cluster on the edges of its standard input.
fn start(hosts: &Path, processes: usize, process: usize, flags: &str) -> Child {
    let mut ddir = Command::new(env!("CARGO_BIN_EXE_ddir"));
    ddir.args(["graph", "-", "-n", &processes.to_string(), "-p", &process.to_string(), "-h"]).arg(hosts);
    ddir.args(flags.split_whitespace());
    ddir.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Output without the summary, which tells times.
fn reports(output: &Output) -> Vec<String> {
    text(&output.stdout).lines().filter(|line| line.starts_with("{\"report\"")).map(str::to_string).collect()
}

#[test]
fn threads_change_no_answer() {
    let desk = Desk::with(EDGES);
    let alone: Vec<String> = desk.graph(FLAGS).reports().into_iter().map(str::to_string).collect();
    for threads in [2, 3] {
        assert_eq!(desk.graph(&format!("{FLAGS} -w {threads}")).reports(), alone, "{threads} threads");
    }
}

#[test]
fn a_bad_line_ends_all_workers() {
    let seen = Desk::with("0 1\nx\n").graph("-w 3");
    assert_eq!(seen.status, 1);
    assert!(seen.err.starts_with("error: edges.txt, line 2: "), "{}", seen.err);
}

#[test]
fn processes_change_no_answer_and_only_the_first_speaks() {
    let desk = Desk::with(EDGES);
    let alone = desk.graph(FLAGS);
    for (processes, threads) in [(2, 1), (2, 2), (3, 1)] {
        let (_folder, hosts) = hosts(processes);
        let flags = format!("{FLAGS} -w {threads}");
        let mut running: Vec<Child> = (0..processes).map(|process| start(&hosts, processes, process, &flags)).collect();
        running[0].stdin.take().unwrap().write_all(EDGES.as_bytes()).unwrap();
        let ended: Vec<Output> = running.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        for (process, output) in ended.iter().enumerate() {
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "process {process}");
        }
        assert_eq!(reports(&ended[0]), alone.reports(), "{processes} processes of {threads}");
        assert!(ended[1..].iter().all(|output| output.stdout.is_empty()), "{ended:?}");
    }
}

#[test]
fn processes_that_were_asked_for_other_things_say_so() {
    let (_folder, hosts) = hosts(2);
    let running = [start(&hosts, 2, 0, "--scc --commit rows=2"), start(&hosts, 2, 1, "--scc --commit rows=3")];
    let [zero, one] = running.map(|child| child.wait_with_output().unwrap());
    for (output, here, there, other) in [(zero, 2, 3, 1), (one, 3, 2, 0)] {
        let wanted = format!(
            "error: processes were started differently: an argument is `commit rows={here}` here \
             and `commit rows={there}` at process {other}\n"
        );
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), wanted));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_process_that_is_killed_is_an_error_of_the_others() {
    for killed in [0, 1] {
        let (_folder, hosts) = hosts(2);
        let mut running = [start(&hosts, 2, 0, FLAGS), start(&hosts, 2, 1, FLAGS)];
        let mut input = running[0].stdin.take().unwrap();
        input.write_all(b"0 1\n").unwrap();
        // Once the first report is there, both work; the end of the input is kept away.
        let mut first = [0];
        running[0].stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        running[killed].kill().unwrap();
        running[killed].wait().unwrap();
        if killed == 1 {
            // The first process waits for a line; what it does with it is too late, whatever it is.
            _ = input.write_all(b"1 2\n2 3\n");
            drop(input);
        }
        let ended = running.map(|child| child.wait_with_output().unwrap());
        let survivor = &ended[1 - killed];
        let said = text(&survivor.stderr);
        assert_eq!(survivor.status.code(), Some(1), "{said}");
        assert!(said.starts_with(&format!("error: process {killed} (127.0.0.1:")), "{said}");
        assert!(!text(&survivor.stdout).contains("summary"), "{said}");
    }
}

/// Ctrl-C on the process that reads ends all of them in good order; on one that follows, as if it had been killed.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_processes_that_read_and_those_that_follow() {
    for interrupted in [0, 1] {
        let (_folder, hosts) = hosts(2);
        let mut running = [start(&hosts, 2, 0, FLAGS), start(&hosts, 2, 1, FLAGS)];
        let mut input = running[0].stdin.take().unwrap();
        input.write_all(b"0 1\n").unwrap();
        let mut first = [0];
        running[0].stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        let kill = Command::new("kill").args(["-INT", &running[interrupted].id().to_string()]).status().unwrap();
        assert!(kill.success());
        if interrupted == 1 {
            assert_eq!(running[1].wait().unwrap().code(), Some(130));
        }
        // The first process waits for a line, and looks when none will come.
        std::thread::sleep(std::time::Duration::from_millis(50));
        drop(input);
        let [reading, following] = running.map(|child| child.wait_with_output().unwrap());
        let wanted = [(Some(130), Some(1)), (Some(1), Some(130))][interrupted];
        assert_eq!((reading.status.code(), following.status.code()), wanted, "{reading:?} {following:?}");
        // All that had come was answered.
        assert!(text(&reading.stdout).contains("summary"), "{reading:?}");
    }
}

/// The others have closed their inputs long before, and follow: what they say is that the first has failed.
#[test]
fn a_bad_line_is_an_error_of_all_processes() {
    for (processes, threads) in [(2, 1), (3, 2)] {
        let (_folder, hosts) = hosts(processes);
        let flags = format!("{FLAGS} -w {threads}");
        let mut running: Vec<Child> = (0..processes).map(|process| start(&hosts, processes, process, &flags)).collect();
        running[0].stdin.take().unwrap().write_all(b"0 1\ncommit\n1 2\nx\n").unwrap();
        let ended: Vec<Output> = running.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        let first = text(&ended[0].stderr);
        assert!(first.starts_with("error: standard input, line 4: "), "{first}");
        for (process, output) in ended.iter().enumerate() {
            assert_eq!(output.status.code(), Some(1), "process {process}: {output:?}");
        }
        for output in &ended[1..] {
            assert_eq!(text(&output.stderr), first.replace("error: ", "error: worker 0: "));
            assert!(output.stdout.is_empty());
        }
    }
}

/// Process 0 refuses process 1; process 2 was asked for the same as process 0, and need not wait for the other one.
#[test]
fn a_refusal_ends_the_processes_that_fit_too() {
    let (_folder, hosts) = hosts(3);
    let flags = ["--scc --commit rows=2", "--scc --commit rows=3", "--scc --commit rows=2"];
    let running: Vec<Child> = (0..3).map(|process| start(&hosts, 3, process, flags[process])).collect();
    for (process, child) in running.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        let wanted = ["started differently", "started differently", "process 0 (127.0.0.1:"][process];
        assert!(text(&output.stderr).contains(wanted), "process {process}: {output:?}");
        assert!(process != 2 || text(&output.stderr).contains("gave up"), "{output:?}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn host_files_that_cannot_be_used_are_named() {
    let desk = Desk::with("0 1\n");
    let seen = desk.graph("-n 2 -h no/such/hosts.txt");
    assert_eq!(seen.status, 1);
    assert!(seen.err.starts_with("error: no/such/hosts.txt: cannot be read: "), "{}", seen.err);
    let hosts = Desk::with_bytes("hosts.txt", b"here:1\n# there:2\nthere\n");
    let seen = desk.graph(&format!("-n 2 -h {}", hosts.file().display()));
    assert_eq!(seen.status, 1);
    let wanted = "hosts.txt, line 3: \"there\" is not an address: wanted host:port\n";
    assert!(seen.err.ends_with(wanted), "{}", seen.err);
}

#[test]
fn help_is_not_the_host_file() {
    for arguments in [&["--help"][..], &["graph", "--help"]] {
        let seen = ddir(arguments);
        assert_eq!((seen.status, seen.err.as_str()), (0, ""));
        assert!(seen.out.contains("--help") && !seen.out.contains("-h, --help"), "{}", seen.out);
    }
    assert!(ddir(&["graph", "--help"]).out.contains("-h, --hostfile <HOSTFILE>"));
}
