//! `ddir graph` on the real graphs of `data/`, against the answers of `data/expected/`, which others computed.

use crate::desk::{Desk, Seen, data, graph};
use serde_json::{Map, Value};
use std::fmt::Write;

/// What is expected of a data set.
fn expected(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(data("expected").join(format!("{name}.json"))).unwrap()).unwrap()
}

/// The rows of a data set, without line ends.
fn rows(name: &str) -> Vec<String> {
    let text = zstd::decode_all(std::fs::File::open(data(name).with_extension("tsv.zst")).unwrap()).unwrap();
    String::from_utf8(text).unwrap().lines().map(String::from).collect()
}

/// The reports of a run, each reduced to the fields that `expected` has too, under its names for them.
fn reports(seen: &Seen, source: &Value) -> Vec<Map<String, Value>> {
    let read = |line: &&str| match serde_json::from_str::<Value>(line).unwrap()["report"].take() {
        Value::Object(mut report) => {
            report.remove("rows");
            let reached = report.remove("reached").unwrap();
            report.insert("reached_from_source".to_string(), reached[source.to_string()].clone());
            report
        }
        other => panic!("{other} is not a report"),
    };
    seen.reports().iter().map(read).collect()
}

/// Holds reports against checkpoints, field by field.
fn check(reports: &[Map<String, Value>], checkpoints: &[Value]) {
    assert_eq!(reports.len(), checkpoints.len());
    for (report, checkpoint) in reports.iter().zip(checkpoints) {
        assert_eq!(report.len(), 8, "{report:?}");
        for (field, value) in report {
            assert_eq!(*value, checkpoint[field], "{field} at {checkpoint}");
        }
    }
}

/// Rows with a `commit` line after each of the prefixes: one commit for each.
fn with_commits(rows: &[String], prefixes: impl Iterator<Item = usize>) -> String {
    let (mut text, mut from) = (String::new(), 0);
    for to in prefixes {
        rows[from..to].iter().for_each(|row| writeln!(text, "{row}").unwrap());
        text.push_str("commit\n");
        from = to;
    }
    text
}

fn prefixes<'a>(checkpoints: &'a Value, field: &'a str) -> impl Iterator<Item = usize> + 'a {
    checkpoints.as_array().unwrap().iter().map(move |checkpoint| checkpoint[field].as_u64().unwrap() as usize)
}

const QUESTIONS: &str = "--components --scc --json --report commits=1";

#[test]
fn college_messages_prefix_by_prefix() {
    let (expected, rows) = (expected("college-msg"), rows("college-msg"));
    let text = with_commits(&rows, prefixes(&expected["prefixes"], "rows_to_exclusive"));
    let seen = Desk::with(&text).graph(&format!("--reach 9 --commit rows=100000 {QUESTIONS}"));
    check(&reports(&seen, &expected["source_for_reach"]), expected["prefixes"].as_array().unwrap());
}

/// 3,989 rows a commit: three commits make the distance between checkpoints, and the window moves through each.
#[test]
fn college_messages_in_a_window_of_rows() {
    let expected = expected("college-msg");
    let flags = "--reach 9 --components --scc --json --commit rows=3989 --window rows=5000 --report rows=11967";
    let seen = graph(&data("college-msg.tsv.zst"), flags);
    let window = &expected["sliding_window"];
    check(&reports(&seen, &expected["source_for_reach"]), window["checkpoints"].as_array().unwrap());
}

#[test]
fn college_messages_in_a_window_of_time() {
    let (expected, rows) = (expected("college-msg"), rows("college-msg"));
    let window = &expected["time_window"];
    let text = with_commits(&rows, prefixes(&window["checkpoints"], "rows_to_exclusive"));
    let width = &window["width_seconds"];
    let seen = Desk::with(&text).graph(&format!("--reach 9 --commit rows=100000 --window time={width} {QUESTIONS}"));
    check(&reports(&seen, &expected["source_for_reach"]), window["checkpoints"].as_array().unwrap());
}

#[test]
fn college_messages_with_a_tenth_deleted() {
    let (expected, rows) = (expected("college-msg"), rows("college-msg"));
    let part = |tenths: usize| rows.len() * tenths / 10;
    let mut text = rows[..part(5)].join("\n") + "\n";
    rows[part(2)..part(3)].iter().for_each(|row| writeln!(text, "- {row}").unwrap());
    let seen = Desk::with(&text).graph(&format!("--reach 9 --commit rows=10000 {QUESTIONS}"));
    let reports = reports(&seen, &expected["source_for_reach"]);
    check(&reports[reports.len() - 1..], std::slice::from_ref(&expected["deletion"]));
}

/// Follows the plan that each file's `update_plan.text` describes: a step is the rows to keep out of all.
fn follows_its_update_plan(name: &str) {
    let (expected, rows) = (expected(name), rows(name));
    let keeps: [fn(usize) -> bool; 5] =
        [|_| true, |index| index % 10 != 3, |index| index % 10 != 7, |index| index % 2 == 0, |_| true];
    let (mut text, mut present) = (String::new(), vec![false; rows.len()]);
    for keep in keeps {
        for (index, row) in rows.iter().enumerate() {
            match (present[index], keep(index)) {
                (false, true) => writeln!(text, "{row}").unwrap(),
                (true, false) => writeln!(text, "- {row}").unwrap(),
                _ => {}
            }
            present[index] = keep(index);
        }
        text.push_str("commit\n");
    }
    let source = &expected["update_plan"]["source"];
    let seen = Desk::with(&text).graph(&format!("--reach {source} --commit rows=1000000 {QUESTIONS}"));
    check(&reports(&seen, source), expected["update_plan"]["steps"].as_array().unwrap());
}

#[test]
fn wiki_vote_follows_its_update_plan() {
    follows_its_update_plan("wiki-vote");
}

#[test]
fn email_eu_core_follows_its_update_plan() {
    follows_its_update_plan("email-eu-core");
}

#[test]
fn p2p_gnutella08_follows_its_update_plan() {
    follows_its_update_plan("p2p-gnutella08");
}

/// Every line of numbers that the front page has of `ddir graph` is one that it prints for the flags that stand there.
#[test]
fn the_front_page_shows_what_is_printed() {
    let page = std::fs::read_to_string(data("../README.md")).unwrap();
    let window = "--reach 9 --window time=836809";
    assert!(
        page.contains(&format!("{window} --json\n"))
            && page.contains("--reach 9 --scc --window time=836809 --report rows=10000\n")
    );
    let printed: String = [
        "--reach 9 --scc --window time=836809 --commit rows=5000 --report rows=10000",
        "--reach 9 --window time=836809 --commit rows=5000 --json",
    ]
    .iter()
    .map(|flags| graph(&data("college-msg.tsv.zst"), flags).out)
    .collect();
    let numbers = |line: &&str| {
        line.starts_with("  ") && line.ends_with(|c: char| c.is_ascii_digit()) || line.starts_with("{\"report\"")
    };
    let (_, of_graphs) = page.split_once("## A tour of `ddir graph`").unwrap();
    let of_graphs = of_graphs.split("## Programs as text").next().unwrap();
    let shown: Vec<&str> = of_graphs.lines().filter(numbers).collect();
    assert_eq!(shown.len(), 7, "{shown:#?}");
    for line in shown {
        assert!(printed.lines().any(|said| said == line), "the front page shows a line that is not printed:\n{line}");
    }
}
