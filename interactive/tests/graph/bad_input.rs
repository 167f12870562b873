//! Broken files and odd flags: a clear message, a status, and no answer that isn't one.

use crate::desk::{Desk, ddir};
use crate::plain::Plain;
use interactive::command::run;
use interactive::graph::answers::{Answer, Answers};
use interactive::graph::errors::AnswersError;
use interactive::graph::replay::replay;
use interactive::graph::rows::Edge;
use interactive::stream::console::Console;
use interactive::stream::stop::Stop;
use std::io::{self, Write};

/// A bad line after two good ones, reported one by one: what was complete stays, and nothing else is said.
#[track_caller]
fn refuses_line(flags: &str, line: &str, reason: &str) {
    let file = format!("0 1 5\n# a comment\n0 2 6\n{line}\n0 3 7\n");
    let seen = Desk::with(&file).graph(&format!("{flags} --json --report commits=1"));
    assert_eq!(seen.status, 1, "{line:?}: {seen:?}");
    assert_eq!(seen.err, format!("error: edges.txt, line 4: {reason}\n"), "{line:?}");
    let rows: Vec<bool> = seen.out.lines().map(|line| line.starts_with(r#"{"report":{"rows":"#)).collect();
    assert_eq!(rows, [true, true], "{line:?}: {seen:?}");
}

#[test]
fn malformed_lines_are_refused_with_their_number() {
    refuses_line("", "1", "no target: wanted a source and a target, separated by TABs or blanks");
    refuses_line("", "-", "no source: wanted a source and a target, separated by TABs or blanks");
    refuses_line("", "source target", r#""source" is not a source: wanted a number (and a blank after + or -)"#);
    refuses_line("", "1 2.5", r#""2.5" is not a target: wanted a number (and a blank after + or -)"#);
    refuses_line("", "-1 2", r#""-1" is not a source: wanted a number (and a blank after + or -)"#);
    refuses_line(
        "",
        "1 99999999999999999999",
        "99999999999999999999 is out of range for a target: at most 18446744073709551615",
    );
    refuses_line("", "commit now", r#"found "now" after `commit`, which stands alone"#);
    refuses_line("", "1 2\r2 3", "a carriage return within the line; lines end with LF, or CR and LF");
    refuses_line("", &"9".repeat(70_000), "longer than 65536 bytes; is this an edge list?");
}

#[test]
fn removals_of_what_is_not_there_are_refused() {
    refuses_line("", "- 0 3", "cannot remove 0 3: no such row is present");
    refuses_line("", "- 0 1 6", "cannot remove 0 1 6: no such row is present");
    refuses_line("", "- 0 1 5 x", "cannot remove 0 1 5 x: no such row is present");
    refuses_line("", "- 1 0", "cannot remove 1 0: no such row is present");
    refuses_line("--window rows=1", "- 0 1", "cannot remove 0 1: no such row is present");
    refuses_line("--window time=1", "- 0 1", "cannot remove 0 1: no such row is present");
}

#[test]
fn a_window_by_time_wants_times_in_order() {
    let window = "--window time=3";
    refuses_line(window, "0 9 5.9", "time went back: 5.9 after 6; a window by time wants rows in order of time");
    refuses_line(window, "0 9", "no time: a window by time wants seconds in the third column");
    refuses_line(window, "0 9 noon", r#""noon" is not a time: wanted seconds such as 1082040961 or 0.25"#);
    refuses_line(window, "0 9 1e3", r#""1e3" is not a time: wanted seconds such as 1082040961 or 0.25"#);
    refuses_line(
        window,
        "0 9 9223372036854775808",
        r#""9223372036854775808" is not a time: more seconds than fit in 64 bits"#,
    );
    // Without one, the third column is anybody's.
    let seen = Desk::with("0 1 5\n0 2 noon\n0 3 4\n0 4\n").graph("--json");
    assert_eq!((seen.status, seen.reports().len()), (0, 1));
}

#[test]
fn the_commit_that_was_open_is_not_answered() {
    let seen = Desk::with("1 2\n2 3\n3 4\n4 5\n5 oops\n").graph("--json --commit rows=3 --report rows=1");
    assert_eq!(seen.status, 1);
    assert_eq!(seen.out, "{\"report\":{\"rows\":3,\"rows_present\":3,\"nodes\":4,\"distinct_directed_edges\":3}}\n");
    let seen = Desk::with("1 2\nx\n").graph("");
    assert_eq!((seen.status, seen.out.as_str()), (1, ""));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let seen = ddir(&["graph", "no/such/file.tsv"]);
    assert_eq!((seen.status, seen.out.as_str()), (1, ""));
    assert!(seen.err.starts_with("error: no/such/file.tsv: cannot open: "), "{}", seen.err);

    let folder = env!("CARGO_MANIFEST_DIR");
    let seen = ddir(&["graph", folder]);
    assert_eq!((seen.status, seen.out.as_str()), (1, ""));
    assert_eq!(seen.err, format!("error: {folder}: cannot open: is a directory\n"));

    let seen = Desk::with_bytes("edges.zst", b"").graph("");
    assert_eq!((seen.status, seen.out.as_str()), (1, ""));
    assert_eq!(seen.err, "error: edges.zst: cannot open: empty, and so no compressed file\n");

    let seen = Desk::with_bytes("edges.zst", b"1 2\n2 3\n").graph("");
    assert_eq!((seen.status, seen.out.as_str()), (1, ""));
    assert!(seen.err.starts_with("error: edges.zst, line 1: cannot read: "), "{}", seen.err);

    let seen = Desk::with_bytes("binary", &[0x28, 0xb5, 0x2f, 0xfd, b'\n']).graph("");
    assert_eq!(seen.status, 1);
    assert!(seen.err.starts_with("error: binary, line 1: not UTF-8 text"), "{}", seen.err);

    // A compressed file under another name may have any bytes, line ends too.
    let seen = Desk::with_bytes("packed", &[0x1f, 0x8b, 8, 0, 0, 0, b'\r', 0, 2, 3]).graph("");
    assert_eq!(seen.status, 1);
    assert!(seen.err.starts_with("error: packed, line 1: not UTF-8 text") && seen.err.contains(".gz"), "{}", seen.err);
}

/// Flags are refused before the file is looked at: it does not exist here.
#[track_caller]
fn refuses_flags(flags: &str, reason: &str) {
    let arguments: Vec<&str> = ["graph", "no-such-file"].into_iter().chain(flags.split_whitespace()).collect();
    let seen = ddir(&arguments);
    assert_eq!((seen.status, seen.out.as_str()), (2, ""), "{flags}: {seen:?}");
    assert!(seen.err.starts_with("error: ") && seen.err.contains(reason), "{flags}: {}", seen.err);
}

#[test]
fn odd_flags_are_refused_with_the_reason() {
    refuses_flags("--commit 5", "wanted rows=N");
    refuses_flags("--commit rows=", "wanted a number of at least 1");
    refuses_flags("--commit rows=0", "wanted a number of at least 1");
    refuses_flags("--commit rows=-1", "wanted a number of at least 1");
    refuses_flags("--commit rows=+1", "wanted a number of at least 1");
    refuses_flags("--commit rows=1.5", "wanted a number of at least 1");
    refuses_flags("--commit rows=18446744073709551616", "18446744073709551616 is out of range");
    refuses_flags("--commit time=5", "wanted rows=N");
    refuses_flags("--window 5", "wanted rows=N or time=SECONDS");
    refuses_flags("--window rows=0", "wanted a number of at least 1");
    refuses_flags("--window time=0", "wanted more than no time");
    refuses_flags("--window time=-1", "wanted more than no time");
    refuses_flags("--window time=1h", "wanted seconds such as");
    refuses_flags("--window days=1", "wanted rows=N or time=SECONDS");
    refuses_flags("--window rows=5 --window rows=6", "cannot be used multiple times");
    refuses_flags("-w 99999999999999999999", "99999999999999999999 is out of range");
    refuses_flags("-w few", "wanted a whole number");
    refuses_flags("--report 5", "wanted rows=N or commits=N");
    refuses_flags("--report time=5", "wanted rows=N or commits=N");
    refuses_flags("--report commits=0", "wanted a number of at least 1");
    refuses_flags("--reach", "--reach");
    refuses_flags("--reach nine", "--reach nine: wanted a node, a whole number of at most 18446744073709551615");
    refuses_flags("--reach 1 x 2", "--reach x: wanted a node");
    refuses_flags("--reach 18446744073709551616", "--reach 18446744073709551616: wanted a node");
    refuses_flags("--reach -1", "--reach -1: wanted a node");
    refuses_flags("--triangles", "--triangles");
    refuses_flags("another-file", "another-file");
    refuses_flags("--reach 1 another-file", "--reach another-file: wanted a node");
    refuses_flags("--reach 1 another-file", "the FILE to read is no-such-file");
    refuses_flags("-w 0", "--threads: 0 is out of range: from 1 to 512");
    refuses_flags("-w two", "invalid value 'two' for '--threads <N>'");
    refuses_flags("-n 2 -p 2", "--process: 2 is out of range: 2 processes have the numbers 0 to 1");
    refuses_flags("-p 1", "--process: 1 is out of range: there is one process, number 0");
    refuses_flags("-n 0", "--processes: 0 is out of range");
    refuses_flags("-h", "a value is required for '--hostfile <HOSTFILE>'");
    refuses_flags("--window rows=4 --commit rows=5", "--window rows=4 is smaller than --commit rows=5");
}

#[test]
fn unknown_flags_get_no_tip_that_would_not_work() {
    for flag in ["--nosuch", "-x", "--version"] {
        let seen = ddir(&["graph", "no-such-file", flag]);
        assert_eq!(seen.status, 2);
        assert!(seen.err.starts_with(&format!("error: unexpected argument '{flag}'")), "{}", seen.err);
        assert!(!seen.err.contains("tip:"), "{}", seen.err);
    }
    let seen = ddir(&["graph", "no-such-file", "--reech", "1"]);
    assert!(seen.err.contains("tip: a similar argument exists: '--reach'"), "{}", seen.err);
}

#[test]
fn a_file_is_needed() {
    for arguments in [vec!["graph"], vec!["graph", "--scc"], vec!["graph", "--reach", "1"]] {
        let seen = ddir(&arguments);
        assert_eq!((seen.status, seen.out.as_str()), (2, ""), "{arguments:?}");
        assert!(seen.err.contains("no FILE to read"), "{}", seen.err);
    }
    let seen = ddir(&["grahp"]);
    assert_eq!(seen.status, 2);
    assert!(seen.err.contains("graph"), "{}", seen.err);
}

/// Whoever answers fails at the second commit.
struct Fails {
    commits: u64,
}

impl Answers for Fails {
    fn change(&mut self, _: Edge, _: i64) -> Result<(), AnswersError> {
        Ok(())
    }

    fn commit(&mut self) -> Result<(), AnswersError> {
        self.commits += 1;
        if self.commits == 2 { Err("the count of `edges` overflowed".into()) } else { Ok(()) }
    }

    fn read(&mut self) -> Result<Answer, AnswersError> {
        Ok(Answer::default())
    }
}

#[test]
fn a_commit_that_failed_is_not_reported() {
    let desk = Desk::with("1 2\n2 3\n3 4\n");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console { out: &mut out, err: &mut err, progress: false, stop: Default::default() };
    let arguments = ["ddir", "graph", desk.file().to_str().unwrap(), "--json", "--report", "rows=1"];
    let status = run(arguments.map(Into::into), &mut console, |options, _, console| {
        replay(options, &mut Fails { commits: 0 }, console)
    });
    assert_eq!(status, 1);
    assert_eq!(String::from_utf8(err).unwrap(), "error: commit 2 failed: the count of `edges` overflowed\n");
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 1);
}

/// The plain answers; a person presses Ctrl-C when so many rows have been fed.
struct Interrupts {
    plain: Plain,
    rows_left: usize,
    stop: Stop,
}

impl Answers for Interrupts {
    fn change(&mut self, edge: Edge, diff: i64) -> Result<(), AnswersError> {
        self.rows_left -= 1;
        if self.rows_left == 0 {
            self.stop.tell();
        }
        self.plain.change(edge, diff)
    }

    fn commit(&mut self) -> Result<(), AnswersError> {
        self.plain.commit()
    }

    fn read(&mut self) -> Result<Answer, AnswersError> {
        self.plain.read()
    }
}

/// Rows of the commit that was open are in no answer, and so in no report, whenever the interrupt comes.
#[test]
fn an_interrupt_reports_the_last_commit_with_its_own_rows() {
    let desk = Desk::with("1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 8\n8 9\n9 10\n");
    for rows in 1..9 {
        let stop = Stop::default();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console { out: &mut out, err: &mut err, progress: false, stop: stop.clone() };
        let arguments = ["ddir", "graph", desk.file().to_str().unwrap(), "--json", "--commit", "rows=3"];
        let status = run(arguments.map(Into::into), &mut console, |options, _, console| {
            let plain = Plain::new(&options.questions);
            replay(options, &mut Interrupts { plain, rows_left: rows, stop }, console)
        });
        let out = String::from_utf8(out).unwrap();
        let closed = rows / 3 * 3;
        let report = match closed {
            0 => String::new(),
            _ => format!(
                r#"{{"report":{{"rows":{closed},"rows_present":{closed},"nodes":{},"distinct_directed_edges":{closed}}}}}"#,
                closed + 1
            ),
        };
        assert!(status == 130 && out.starts_with(&report) && out.lines().count() == 1 + closed.min(1), "{rows}: {out}");
    }
}

/// The plain answers; a person presses Ctrl-C during a commit, which then does not complete.
struct InterruptedCommit {
    plain: Plain,
    commits_left: usize,
    stop: Stop,
}

impl Answers for InterruptedCommit {
    fn change(&mut self, edge: Edge, diff: i64) -> Result<(), AnswersError> {
        self.plain.change(edge, diff)
    }

    fn commit(&mut self) -> Result<(), AnswersError> {
        if self.commits_left == 0 {
            self.stop.tell();
            return Err("told to stop".into());
        }
        self.commits_left -= 1;
        self.plain.commit()
    }

    fn read(&mut self) -> Result<Answer, AnswersError> {
        self.plain.read()
    }
}

/// Whichever commit it is, the one at the end of the file too, that closes because nothing comes any more.
#[test]
fn an_interrupt_during_a_commit_is_one() {
    let desk = Desk::with("1 2\n2 3\n3 4\n4 5\n5 6\n");
    for commits in 0..3 {
        let stop = Stop::default();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console { out: &mut out, err: &mut err, progress: false, stop: stop.clone() };
        let arguments = ["ddir", "graph", desk.file().to_str().unwrap(), "--json", "--commit", "rows=2"];
        let status = run(arguments.map(Into::into), &mut console, |options, _, console| {
            let plain = Plain::new(&options.questions);
            replay(options, &mut InterruptedCommit { plain, commits_left: commits, stop }, console)
        });
        let (out, err) = (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap());
        assert_eq!((status, err.as_str(), out.lines().count()), (130, "", 1 + commits.min(1)), "{commits}: {out}");
    }
}

/// A stream that takes so many lines and then fails.
struct Fills {
    lines_left: usize,
    error: io::ErrorKind,
}

impl Write for Fills {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lines_left = self.lines_left.checked_sub(1).ok_or(self.error)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn output_that_cannot_be_written_ends_the_run() {
    let desk = Desk::with("1 2\n2 3\n3 4\n");
    let arguments = ["ddir", "graph", desk.file().to_str().unwrap(), "--json", "--report", "rows=1"];
    for (error, status, message) in [
        (io::ErrorKind::StorageFull, 1, "error: cannot write a report: no storage space\n"),
        (io::ErrorKind::BrokenPipe, 141, ""),
    ] {
        for lines_left in 0..4 {
            let (mut out, mut err) = (Fills { lines_left, error }, Vec::new());
            let mut console = Console { out: &mut out, err: &mut err, progress: false, stop: Default::default() };
            let said = run(arguments.map(Into::into), &mut console, |options, _, console| {
                replay(options, &mut crate::plain::Plain::new(&options.questions), console)
            });
            assert_eq!((said, String::from_utf8(err).unwrap().as_str()), (status, message), "{lines_left} lines");
        }
    }
}

#[test]
fn a_file_in_the_place_of_a_node_does_not_drop_the_question() {
    let seen = ddir(&["graph", "--reach", "edges.txt"]);
    assert_eq!((seen.status, seen.out.as_str()), (2, ""), "{seen:?}");
    assert!(seen.err.contains("--reach: wanted a node before FILE"), "{seen:?}");
    let seen = ddir(&["graph", "edges.txt", "--reach", "-1"]);
    assert_eq!(seen.status, 2, "{seen:?}");
    assert!(seen.err.contains("--reach -1: wanted a node"), "{seen:?}");
}
