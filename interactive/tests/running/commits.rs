//! Replays: which commits close, what they change, and what is reported of them.

use crate::desk::Desk;
use difftest::Random;
use interactive::command::run;
use interactive::stream::console::Console;
use interactive::stream::stop::Stop;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;

const PROGRAM: &str = "\
source edge(src: int, dst: int);
source mark(node: int);
export marked = edge | semijoin mark on src == node;
export degree = edge | group src { edges = count() };
";

/// For each commit that changed something, the changes of an export as a sum of counts by row.
fn changes(text: &str) -> Vec<(String, BTreeMap<String, i64>)> {
    let mut all: Vec<(String, BTreeMap<String, i64>)> = Vec::new();
    for line in text.lines().skip(1) {
        let mut fields = line.splitn(3, ',');
        let (time, diff) = (fields.next().unwrap().to_string(), fields.next().unwrap().parse::<i64>().unwrap());
        if all.last().is_none_or(|(last, _)| *last != time) {
            all.push((time, BTreeMap::new()));
        }
        *all.last_mut().unwrap().1.entry(fields.next().unwrap().to_string()).or_default() += diff;
    }
    all
}

#[test]
fn reports_come_at_their_steps_and_at_the_end() {
    let desk = Desk::with(&[("p.ddir", PROGRAM), ("edge.csv", "1,2\n1,3\n2,3\n3,4\n1,5\n"), ("mark.csv", "1\n")]);
    let words = "replay @p.ddir --load mark=@mark.csv --source edge=@edge.csv --commit rows=2 --report commits=1";
    let seen = desk.ddir(words);
    let wanted = "
              rows   rows of   rows of          
 commits       fed    marked    degree    errors
       1         2         2         1         0
       2         4         2         3         0
       3         5         3         3         0
";
    let wanted = &wanted[1..];
    assert!(seen.fine().starts_with(wanted), "{}", seen.out);
    let rest: Vec<&str> = seen.out[wanted.len()..].lines().collect();
    assert!(
        rest.len() == 4 && rest[2].starts_with(" commits   seconds") && rest[3].starts_with("       3"),
        "{seen:?}"
    );
    let reports = desk.ddir(&format!("{words} --json")).json("report");
    assert_eq!(reports.len(), 3);
    assert_eq!(reports[1], json!({"commits": 2, "rows": 4, "exports": {"marked": 2, "degree": 3}, "errors": 0}));
}

/// Of an export that never has more than one row, a report shows that row: here until nothing is left in the window.
#[test]
fn reports_show_the_values_of_an_only_row() {
    let program = "
        source sale(shop: string, cents: int);
        export total = sale | where cents > 0 | group { cents = sum(cents), mean = avg(cents) };
        export shops = sale | select shop | distinct;
        export best  = sale | group { shop = max(shop) };
    ";
    let desk = Desk::with(&[("p.ddir", program), ("sale.csv", "b,1000\na,2001\nc,0\nd,0\n")]);
    let words = "replay @p.ddir --source sale=@sale.csv --commit rows=1 --window rows=2 --report commits=1";
    let seen = desk.ddir(words);
    let wanted = "
              rows      rows     total     total   rows of      best          
 commits       fed   present     cents      mean     shops      shop    errors
       1         1         1     1,000    1000.0         1         b         0
       2         2         2     3,001    1500.5         2         b         0
       3         3         2     2,001    2001.0         2         c         0
       4         4         2         -         -         2         d         0
";
    assert!(seen.fine().starts_with(&wanted[1..]), "{}", seen.out);
    let reports = desk.ddir(&format!("{words} --json")).json("report");
    let values = json!({"total": {"cents": 1000, "mean": 1000.0}, "best": {"shop": "b"}});
    assert_eq!((&reports[0]["values"], &reports[0]["exports"]["total"]), (&values, &json!(1)));
    assert_eq!((&reports[3]["values"]["total"], &reports[3]["exports"]["total"]), (&json!(null), &json!(0)));
}

/// Rows that are written in the program, or made up, are of the first commit; of what was loaded, if something was; and
/// there if no commit ever closes.
#[test]
fn rows_of_the_program_are_reported_from_the_first_commit_on() {
    let program = "
        source s(t: int);
        source n(value: int) = iota(3);
        export one   = rows (a: int, b: string) { (1, \"x\"), (2, \"y\") };
        export total = n | group { sum = sum(value) };
        export half  = n | select 6 / value as half;
        export both  = s + (n | select value as t);
    ";
    // Many rows, so that the engine works before the first commit.
    let many: String = (0..20_000).map(|row| format!("{row}\n")).collect();
    let files = [("p.ddir", program), ("none.csv", ""), ("two.csv", "7\n8\n"), ("many.csv", &many)];
    let desk = Desk::with(&files);
    for workers in ["", "-w 2"] {
        for (rows, fed) in [
            ("--source s=@two.csv", 2),
            ("--load s=@two.csv --source s=@none.csv", 2),
            ("--source s=@none.csv", 0),
            ("--source s=@many.csv --commit files", 20_000),
            ("--load s=@many.csv --source s=@two.csv", 20_002),
        ] {
            let words = format!("replay @p.ddir {rows} --report commits=1 --json --changes half=@half.csv {workers}");
            let seen = desk.ddir(&words);
            let reports = seen.json("report");
            let wanted = |both: i64| json!({"one": 2, "total": 1, "half": 2, "both": both});
            let last = reports.last().unwrap();
            assert_eq!((&last["exports"], &last["errors"]), (&wanted(fed + 3), &json!(1)), "{words}: {seen:?}");
            assert_eq!(last["values"], json!({"total": {"sum": 3}}), "{words}");
            assert_eq!(reports[0]["exports"]["one"], json!(2), "{words}");
            assert_eq!(desk.text("half.csv").lines().count(), 3, "{words}");
            assert_eq!(seen.status, 3);
        }
    }
}

#[test]
fn each_file_may_be_a_commit_be_it_empty() {
    let files = [("p.ddir", PROGRAM), ("a.csv", "edge,1,2\nmark,1\n"), ("b.csv", ""), ("c.csv", "edge,1,3\n")];
    let desk = Desk::with(&files);
    let words = "replay @p.ddir --feed @a.csv --feed @b.csv --feed @c.csv --feed @b.csv --tag 1 --commit files --report commits=1 --json";
    let marked = |report: &Value| report["exports"]["marked"].as_i64().unwrap();
    let reports = desk.ddir(words).json("report");
    assert_eq!(reports.iter().map(marked).collect::<Vec<_>>(), [1, 1, 2, 2]);
}

#[test]
fn files_are_merged_by_a_column_and_of_equal_times_the_first_flags_come_first() {
    let desk = Desk::with(&[
        ("p.ddir", "source a(n: int); source b(n: int); export all = a + b;"),
        ("a.csv", "time,n\n1,10\n3,11\n3,12\n"),
        ("b.jsonl", "{\"time\":2,\"n\":20}\n{\"time\":3,\"n\":21}\n{\"time\":10,\"n\":22}\n"),
    ]);
    let words = "replay @p.ddir --source a=@a.csv --source b=@b.jsonl --changes all=@all.csv";
    desk.ddir(&format!("{words} --commit by=time")).fine();
    assert_eq!(desk.text("all.csv"), "time,diff,n\n1,1,10\n2,1,20\n3,1,11\n3,1,12\n3,1,21\n10,1,22\n");
    desk.ddir(&format!("{words} --commit rows=1 --merge time")).fine();
    assert_eq!(desk.text("all.csv"), "time,diff,n\n1,1,10\n2,1,20\n3,1,11\n4,1,12\n5,1,21\n6,1,22\n");
    desk.ddir(words).fine();
    assert_eq!(desk.text("all.csv"), "time,diff,n\n1,1,10\n2,1,11\n3,1,12\n4,1,20\n5,1,21\n6,1,22\n");
    // What was written can be replayed itself.
    let again = "replay @p.ddir --source a=@all.csv --load b=@none.csv --commit by=time --changes all=@again.csv";
    std::fs::write(desk.path("none.csv"), "").unwrap();
    desk.ddir(again).fine();
    assert_eq!(desk.text("again.csv"), desk.text("all.csv"));
}

#[test]
fn rows_that_are_not_there_cannot_leave_a_window() {
    let desk = Desk::with(&[
        ("p.ddir", PROGRAM),
        ("mark.csv", "1\n"),
        ("edge.csv", "src,dst,diff\n1,2,1\n1,3,1\n1,2,-1\n1,2,-1\n"),
    ]);
    let words = "replay @p.ddir --load mark=@mark.csv --source edge=@edge.csv";
    let seen = desk.ddir(&format!("{words} --window rows=5"));
    assert_eq!(seen.status, 1);
    assert_eq!(
        seen.err,
        "error: edge.csv, line 5: cannot take the row away: it is not present, or has left the window\n"
    );
    // Without one a count may be negative.
    assert_eq!(desk.ddir(&format!("{words} --json")).json("report")[0]["exports"]["marked"], json!(0));
}

#[test]
fn a_window_by_a_column_wants_numbers_that_never_go_back() {
    let said = |rows: &str| {
        let text = format!("at,src,dst\n{rows}");
        let desk = Desk::with(&[("p.ddir", PROGRAM), ("mark.csv", ""), ("edge.csv", text.as_str())]);
        let seen = desk.ddir("replay @p.ddir --load mark=@mark.csv --source edge=@edge.csv --window by=at:5");
        assert_eq!(seen.status, 1);
        seen.err
    };
    assert!(said("1,1,2\nnoon,1,2\n").starts_with("error: edge.csv, line 3: \"noon\" is not a number"));
    assert!(said("2,1,2\n1.5,1,2\n").starts_with("error: edge.csv, line 3: time went back: 1.5 after 2"));
}

#[test]
fn rows_that_fail_in_the_end_make_the_status_3() {
    let program = "source n(a: int, b: int); export q = n | select a / b as q;";
    let desk = Desk::with(&[("p.ddir", program), ("n.csv", "a,b,diff\n1,0,1\n1,1,1\n1,0,-1\n2,0,1\n")]);
    let seen = desk.ddir("replay @p.ddir --source n=@n.csv --report rows=1 --json");
    let errors: Vec<i64> = seen.json("report").iter().map(|report| report["errors"].as_i64().unwrap()).collect();
    assert_eq!((seen.status, errors), (3, vec![1, 1, 0, 1]));
    assert_eq!(seen.json("error")[0]["row"], json!("(a: 2, b: 0)"));
}

/// A row of the stream: its time, source and destination, and whether it is fed or taken away.
type Event = (u64, i64, i64, i64);

/// What is present after each commit, by filtering everything fed: when it closed, and how often each row is there.
fn present(events: &[Event], commit: &str, window: &str) -> Vec<BTreeMap<(i64, i64), i64>> {
    let mut after = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let closes = match commit.split_once('=').unwrap() {
            ("rows", rows) => (at + 1).is_multiple_of(rows.parse().unwrap()),
            _ => events.get(at + 1).is_some_and(|next| next.0 != event.0),
        };
        if !closes && at + 1 < events.len() {
            continue;
        }
        let kept = |&(from, &(time, ..)): &(usize, &Event)| match window.split_once('=') {
            None => true,
            Some(("rows", rows)) => from + rows.parse::<usize>().unwrap() > at,
            Some((_, width)) => time + width.rsplit_once(':').unwrap().1.parse::<u64>().unwrap() > event.0,
        };
        let mut counts = BTreeMap::new();
        for (_, &(_, src, dst, diff)) in events[..=at].iter().enumerate().filter(kept) {
            *counts.entry((src, dst)).or_default() += diff;
        }
        counts.retain(|_, count| *count != 0);
        after.push(counts);
    }
    after
}

#[test]
fn replays_at_random_have_after_every_commit_what_filtering_leaves() {
    for seed in 1..=12_u64 {
        let mut random = Random::new(seed);
        let mut below = |bound| random.below(bound);
        let window = ["", "rows=7", "by=time:4"][(seed % 3) as usize];
        let commit = ["rows=1", "rows=3", "by=time", "rows=7"][(seed % 4) as usize];
        let mut time = 0;
        let events: Vec<Event> = (0..40)
            .map(|_| {
                time += below(2);
                // With a window, rows leave by it alone.
                let diff = if window.is_empty() && below(3) == 0 { -1 } else { 1 };
                (time, below(4) as i64, below(3) as i64, diff)
            })
            .collect();
        let mut text = "time,diff,src,dst\n".to_string();
        events.iter().for_each(|(time, src, dst, diff)| writeln!(text, "{time},{diff},{src},{dst}").unwrap());
        let desk = Desk::with(&[
            ("p.ddir", "source edge(src: int, dst: int); export all = edge;"),
            ("edge.csv", text.as_str()),
        ]);
        let window_flag = if window.is_empty() { String::new() } else { format!("--window {window}") };
        let words = format!(
            "replay @p.ddir --source edge=@edge.csv --commit {commit} {window_flag} --changes all=@all.csv --report commits=1 --json -w {}",
            1 + seed % 2
        );
        let seen = desk.ddir(&words);
        let wanted = present(&events, commit, window);
        let story = || format!("seed {seed}: {words}\n{text}");
        let totals: Vec<i64> = wanted.iter().map(|counts| counts.values().sum()).collect();
        let reports = seen.json("report");
        let reported: Vec<i64> = reports.iter().map(|report| report["exports"]["all"].as_i64().unwrap()).collect();
        assert_eq!(reported, totals, "{}", story());
        // The changes of each commit add up to the same.
        let mut changes = changes(&desk.text("all.csv")).into_iter().peekable();
        let mut counts = BTreeMap::<String, i64>::new();
        for (number, (wanted, report)) in wanted.iter().zip(&reports).enumerate() {
            let time = report["at"].as_str().map_or_else(|| (number + 1).to_string(), str::to_string);
            if let Some((_, changed)) = changes.next_if(|(at, _)| *at == time) {
                changed.into_iter().for_each(|(row, diff)| *counts.entry(row).or_default() += diff);
            }
            counts.retain(|_, count| *count != 0);
            let wanted: BTreeMap<String, i64> =
                wanted.iter().map(|((src, dst), count)| (format!("{src},{dst}"), *count)).collect();
            assert_eq!(counts, wanted, "commit {}, {}", number + 1, story());
        }
        assert_eq!(changes.next(), None, "{}", story());
    }
}

/// The second stream; a person presses Ctrl-C when something is written to it.
struct Presses {
    text: String,
    stop: Stop,
}

impl std::io::Write for Presses {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.text.push_str(std::str::from_utf8(bytes).unwrap());
        self.stop.tell();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A commit that closes when the next row comes is reported with its own rows and its own moment, and not with those of
/// the commit that this row opened.
#[test]
fn an_interrupt_reports_the_last_commit_with_its_own_rows_and_moment() {
    let program = "source n(a: int, at: int); export all = n | inspect \"seen\";";
    let desk = Desk::with(&[("p.ddir", program), ("n.csv", "a,at\n1,10\n2,10\n3,20\n4,30\n")]);
    for (window, present) in [("rows=9", 2), ("rows=2", 2)] {
        let (mut out, stop) = (Vec::new(), Stop::default());
        let mut err = Presses { text: String::new(), stop: stop.clone() };
        let mut console = Console { out: &mut out, err: &mut err, progress: false, stop };
        let words = format!("ddir replay @p.ddir --source n=@n.csv --commit by=at --window {window} --json");
        let folder = format!("{}/", desk.path("").display());
        let words: Vec<OsString> = words.split(' ').map(|word| word.replace('@', &folder).into()).collect();
        let status = run(words, &mut console, |_, _, _| unreachable!("no graph is replayed"));
        assert_eq!(
            (status, err.text.as_str()),
            (130, "seen: (a: 1, at: 10) +1 at [0]\nseen: (a: 2, at: 10) +1 at [0]\n")
        );
        let first: Value = serde_json::from_slice(out.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
        let wanted =
            json!({"commits": 1, "rows": 2, "rows_present": present, "at": "10", "exports": {"all": 2}, "errors": 0});
        assert_eq!(first["report"], wanted, "--window {window}");
    }
}

/// What an `inspect` sees is told, whichever worker sees it, and stands beside the answer and not in it.
#[test]
fn what_an_inspect_sees_is_told() {
    let program = "source n(a: int); export all = n | inspect \"n\" | where a > 1;";
    let desk = Desk::with(&[("p.ddir", program), ("n.csv", "a,diff\n1,1\n2,2\n1,-1\n3,1\n")]);
    for workers in ["", "-w 3"] {
        let seen = desk.ddir(&format!("run @p.ddir --source n=@n.csv {workers}"));
        let mut lines: Vec<&str> = seen.err.lines().collect();
        lines.sort();
        assert_eq!((seen.status, lines), (0, vec!["n: (a: 2) +2 at [0]", "n: (a: 3) +1 at [0]"]));
        let seen = desk.ddir(&format!("replay @p.ddir --source n=@n.csv {workers}"));
        let lines: Vec<&str> = seen.err.lines().collect();
        let wanted = ["n: (a: 1) +1 at [0]", "n: (a: 2) +2 at [1]", "n: (a: 1) -1 at [2]", "n: (a: 3) +1 at [3]"];
        assert_eq!((seen.status, lines), (0, wanted.to_vec()));
    }
}
