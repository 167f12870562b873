//! Real inputs of the folder `data`, run by the programs of `examples`, against the answers of `data/expected`, which
//! others computed.

use crate::desk::{Desk, Seen, data, ddir, example};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What is expected of a data set.
fn expected(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(data("expected").join(format!("{name}.json"))).unwrap()).unwrap()
}

/// The lines of a compressed file.
fn lines(name: &str) -> Vec<String> {
    let text = zstd::decode_all(std::fs::File::open(data(name)).unwrap()).unwrap();
    String::from_utf8(text).unwrap().lines().map(String::from).collect()
}

fn text(path: std::path::PathBuf) -> String {
    path.to_str().unwrap().to_string()
}

/// Runs an example with further words, separated by blanks.
fn run(command: &str, program: &str, words: &str) -> Seen {
    let program = text(example(program));
    let words: Vec<&str> = [command, &program].into_iter().chain(words.split_whitespace()).collect();
    ddir(&words)
}

/// The rows of each export, as the changes of a file come to at a time: column by column, as texts.
fn accumulate(changes: &str) -> BTreeMap<String, BTreeMap<Vec<String>, i64>> {
    let mut reader = csv::ReaderBuilder::new().from_reader(changes.as_bytes());
    let (mut all, mut rows) = (BTreeMap::new(), BTreeMap::<Vec<String>, i64>::new());
    let mut last = String::new();
    for record in reader.records().map(Result::unwrap) {
        if record[0] != last {
            all.insert(std::mem::replace(&mut last, record[0].to_string()), rows.clone());
        }
        let row = record.iter().skip(2).map(String::from).collect();
        *rows.entry(row).or_default() += record[1].parse::<i64>().unwrap();
        rows.retain(|_, count| *count != 0);
    }
    all.insert(last, rows);
    all
}

/// SHA-256 of lines.
fn digest(lines: impl IntoIterator<Item = String>) -> String {
    let mut hash = Sha256::new();
    lines.into_iter().for_each(|line| hash.update(line + "\n"));
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Social networks that grow by 20 change sets: the three posts and comments of highest score after each.
#[test]
fn social_media_after_every_change_set() {
    let expected = expected("social-media");
    for size in ["1", "2"] {
        let folder = tempfile::tempdir().unwrap();
        let (q1, q2) = (folder.path().join("q1.csv"), folder.path().join("q2.csv"));
        let feed = data(&format!("social-media/size-{size}.csv.zst"));
        let words = format!(
            "--feed {} --tag 2 --commit by=1 --changes q1={} --changes q2={}",
            feed.display(),
            q1.display(),
            q2.display()
        );
        run("replay", "social_media.ddir", &words).fine();
        for (query, file) in [("Q1", q1), ("Q2", q2)] {
            let states = accumulate(&std::fs::read_to_string(file).unwrap());
            let mut answer = String::new();
            for (number, wanted) in expected["sizes"][size][query].as_array().unwrap().iter().enumerate() {
                // A change set may change nothing.
                if let Some(rows) = states.get(&number.to_string()) {
                    let mut rows: Vec<(i64, &str, &str)> = rows
                        .iter()
                        .inspect(|(_, count)| assert_eq!(**count, 1))
                        .map(|(row, _)| (row[1].parse().unwrap(), row[2].as_str(), row[0].as_str()))
                        .collect();
                    rows.sort_by(|a, b| b.cmp(a));
                    answer = rows.iter().map(|(_, _, id)| *id).collect::<Vec<_>>().join("|");
                }
                assert_eq!(answer, wanted.as_str().unwrap(), "size {size}, {query}, change {number}");
            }
        }
    }
}

/// The counts of `subgraphs.ddir`, by query.
fn counts(rows: &[Value]) -> Map<String, Value> {
    let mut counts: Map<String, Value> = (1..=9).map(|query| (format!("q{query}"), json!(0))).collect();
    for row in rows {
        counts.insert(format!("q{}", row["values"]["query"]), row["values"]["rows"].clone());
    }
    counts
}

#[test]
fn subgraphs_of_the_example() {
    let feed = data("subgraphs/example.csv.zst");
    let seen = run("run", "subgraphs.ddir", &format!("--feed {} --tag 1 --json", feed.display()));
    seen.fine();
    assert_eq!(Value::Object(counts(&seen.json("row"))), expected("subgraphs")["published_example"]);
}

/// The nine counts, and after each step of a plan of deletions and insertions.
#[test]
fn subgraphs_through_updates() {
    let expected = expected("subgraphs");
    let rows = lines("subgraphs/sf0.003.csv.zst");
    let mut index = BTreeMap::<&str, usize>::new();
    let numbered: Vec<(&str, usize, &str)> = rows
        .iter()
        .map(|row| {
            let (relation, rest) = row.split_once('|').unwrap();
            let number = index.entry(relation).or_default();
            *number += 1;
            (relation, *number - 1, rest)
        })
        .collect();
    let gone = |what: &str, of: usize, is: usize| -> BTreeSet<(&str, usize)> {
        let rows = numbered.iter().filter(|(relation, number, _)| relation.ends_with(what) && number % of == is);
        rows.map(|(relation, number, _)| (*relation, *number)).collect()
    };
    let knows = gone("person_knows_person", 4, 0);
    let tags = &gone("comment_has_tag_tag", 5, 1) | &gone("post_has_tag_tag", 5, 1);
    let likes = &gone("person_likes_comment", 3, 0) | &gone("person_likes_post", 3, 0);
    // What lacks after each step.
    let states = [BTreeSet::new(), knows.clone(), &knows | &tags, &(&knows | &tags) | &likes, likes, BTreeSet::new()];
    let mut feed = String::new();
    let mut before: BTreeSet<(&str, usize)> =
        numbered.iter().map(|(relation, number, _)| (*relation, *number)).collect();
    for (step, lacks) in states.iter().enumerate() {
        for (relation, number, rest) in &numbered {
            let key = (*relation, *number);
            let diff = i64::from(before.contains(&key)) - i64::from(lacks.contains(&key));
            if diff != 0 {
                writeln!(feed, "{step}|{diff}|{relation}|{rest}").unwrap();
            }
        }
        before.clone_from(lacks);
    }
    let desk = Desk::with(&[("feed.csv", feed)]);
    let words = format!(
        "replay {} --feed @feed.csv --columns step,diff,relation --tag relation --commit by=step --changes counts=@counts.csv",
        text(example("subgraphs.ddir"))
    );
    desk.ddir(&words).fine();
    let states = accumulate(&desk.text("counts.csv"));
    for (step, wanted) in expected["sf0_003_update_plan"].as_array().unwrap().iter().enumerate() {
        let rows = &states[&step.to_string()];
        for query in 1..=9 {
            let found = rows.keys().find(|row| row[0] == query.to_string()).map_or(0, |row| row[1].parse().unwrap());
            assert_eq!(found, wanted[format!("q{query}")].as_i64().unwrap(), "step {step}, query {query}");
        }
    }
}

/// A text that was edited by several people: its characters in order, of the first quarter of the edits.
#[test]
fn text_edits_and_what_follows_what() {
    let expected = expected("text-edits");
    let (insert, remove) = (lines("text-edits/insert.txt.zst"), lines("text-edits/remove.txt.zst"));
    let step = &expected["steps"][2];
    let size = |name: &str| step[name].as_u64().unwrap() as usize;
    let some =
        |lines: &[String], count: usize| lines[..count].iter().map(|line| format!("{line}\n")).collect::<String>();
    let desk =
        Desk::with(&[("insert.txt", some(&insert, size("inserts"))), ("remove.txt", some(&remove, size("removes")))]);
    let program = text(example("text_edits.ddir"));
    let seen = desk.ddir(&format!(
        "run {program} --source insert=@insert.txt --source remove=@remove.txt --rows 1 --export text=@text.tsv --json"
    ));
    assert_eq!(seen.fine().lines().count(), 3);
    let exports = &seen.json("summary")[0]["exports"];
    assert_eq!((&exports["text"], &exports["follows"]), (&step["result_rows"], &step["next_elem_rows"]));
    let mut rows: Vec<Vec<i64>> = desk
        .text("text.tsv")
        .lines()
        .skip(1)
        .map(|line| line.split('\t').map(|field| field.parse().unwrap()).collect())
        .collect();
    rows.sort();
    let lines = rows.iter().map(|row| row.iter().map(i64::to_string).collect::<Vec<_>>().join("\t"));
    assert_eq!(digest(lines), step["result_digest_sha256"].as_str().unwrap());
}

/// All edits: the whole text, and what it comes to as edits come, are taken back, and come again.
///
/// `cargo test --release -p interactive --test running -- --ignored`
#[test]
#[ignore = "182,000 characters, changed by the ten thousands: half a minute"]
fn text_edits_through_steps() {
    let expected = expected("text-edits");
    let (insert, remove) = (lines("text-edits/insert.txt.zst"), lines("text-edits/remove.txt.zst"));
    let facts = |kind: &'static str, lines: Vec<String>| {
        lines.into_iter().map(move |line| (kind.to_string(), line.replace(' ', "\t")))
    };
    let facts: Vec<_> = facts("insert", insert).chain(facts("remove", remove)).collect();
    let steps_of = expected["steps"].as_array().unwrap();
    let size = |step: &Value, name: &str| step[name].as_u64().unwrap() as usize;
    let every = (size(&steps_of[0], "inserts"), size(&steps_of[0], "removes"));
    let gone: Vec<BTreeSet<usize>> = steps_of
        .iter()
        .map(|step| {
            let (inserts, removes) = (size(step, "inserts"), size(step, "removes"));
            let is_sparse = step["step"].as_str().unwrap().contains("index%7");
            let beyond = chosen(&facts, &["insert"], |index| index >= inserts);
            let removed = chosen(&facts, &["remove"], |index| match is_sparse {
                true => index % 7 == 0,
                false => index >= removes,
            });
            assert!(every.0 - beyond.len() == inserts && every.1 - removed.len() == removes, "{step}");
            beyond.into_iter().chain(removed).collect()
        })
        .collect();
    // The first step is that of all facts, which the feed begins with: there is no change that leads to it.
    let desk = Desk::with(&[("feed.tsv", steps(&facts, &gone))]);
    desk.ddir(&format!(
        "replay {} --feed @feed.tsv --columns step,diff,kind --tag kind --commit by=step --changes text=@text.csv",
        text(example("text_edits.ddir"))
    ))
    .fine();
    let states = accumulate(&desk.text("text.csv"));
    for (step, wanted) in steps_of.iter().enumerate() {
        let rows = &states[&if step == 0 { 0 } else { step + 1 }.to_string()];
        assert_eq!(rows.len() as u64, wanted["result_rows"].as_u64().unwrap(), "{wanted}");
        let mut rows: Vec<Vec<i64>> =
            rows.keys().map(|row| row.iter().map(|field| field.parse().unwrap()).collect()).collect();
        rows.sort();
        let lines = rows.iter().map(|row| row.iter().map(i64::to_string).collect::<Vec<_>>().join("\t"));
        assert_eq!(digest(lines), wanted["result_digest_sha256"].as_str().unwrap(), "{wanted}");
    }
}

/// Facts as a feed: those of all, then for each step the changes that lead to it and back.
fn steps(facts: &[(String, String)], gone: &[BTreeSet<usize>]) -> String {
    let mut feed = String::new();
    let mut put = |step: usize, diff: i64, (relation, rest): &(String, String)| {
        writeln!(feed, "{step}\t{diff}\t{relation}\t{rest}").unwrap();
    };
    facts.iter().for_each(|fact| put(0, 1, fact));
    let mut lacks = BTreeSet::new();
    for (step, gone) in gone.iter().enumerate() {
        lacks.difference(gone).for_each(|at| put(step + 1, 1, &facts[*at]));
        gone.difference(&lacks).for_each(|at| put(step + 1, -1, &facts[*at]));
        lacks.clone_from(gone);
    }
    feed
}

/// Which facts of these relations have an index that is chosen.
fn chosen(facts: &[(String, String)], relations: &[&str], choose: impl Fn(usize) -> bool) -> BTreeSet<usize> {
    let mut index = BTreeMap::<&str, usize>::new();
    let mut found = BTreeSet::new();
    for (at, (relation, _)) in facts.iter().enumerate() {
        let number = index.entry(relation).or_default();
        if relations.contains(&relation.as_str()) && choose(*number) {
            found.insert(at);
        }
        *number += 1;
    }
    found
}

/// The ontology of a university, and what it comes to after a deletion.
#[test]
fn university_through_a_deletion() {
    university(1);
}

/// And after each of all.
///
/// `cargo test --release -p interactive --test running -- --ignored`
#[test]
#[ignore = "five states of 120,000 derived rows: some ten seconds"]
fn university_through_deletions() {
    university(5);
}

fn university(steps_taken: usize) {
    let expected = expected("university");
    let fact = |line: &String| {
        let (relation, rest) = line.split_once('\t').unwrap();
        (relation.to_string(), rest.to_string())
    };
    let classes: Vec<_> = lines("university/classes.tsv.zst").iter().map(fact).collect();
    let relations: Vec<_> = lines("university/relations.tsv.zst").iter().map(fact).collect();
    let facts: Vec<_> = classes.into_iter().chain(relations).collect();
    let gone = [
        chosen(&facts, &["takesCourse"], |index| index % 2 == 0),
        chosen(&facts, &["Department"], |_| true),
        chosen(&facts, &["worksFor", "memberOf"], |index| index % 3 == 1),
        chosen(&facts, &["subOrganizationOf"], |index| index % 5 == 0),
        chosen(&facts, &["emailAddress", "telephone", "advisor", "publicationAuthor"], |_| true),
    ];
    let gone = &gone[..steps_taken];
    // A class's facts have one column beside the name, and a relation's have two.
    let tagged: Vec<_> = facts
        .iter()
        .map(|(name, rest)| {
            let kind = if rest.contains('\t') { "relation" } else { "class" };
            (kind.to_string(), format!("{name}\t{rest}"))
        })
        .collect();
    let desk = Desk::with(&[("feed.tsv", steps(&tagged, gone))]);
    desk.ddir(&format!(
        "replay {} --feed @feed.tsv --columns step,diff,kind --tag kind --quotes no --commit by=step \
         --changes things=@things.csv --changes relations=@relations.csv",
        text(example("university.ddir"))
    ))
    .fine();
    let mut states = BTreeMap::<String, BTreeMap<String, BTreeSet<String>>>::new();
    for file in ["things.csv", "relations.csv"] {
        let changed = accumulate(&desk.text(file));
        let mut rows = &BTreeMap::new();
        for step in 0..=gone.len() {
            rows = changed.get(&step.to_string()).unwrap_or(rows);
            let state = states.entry(step.to_string()).or_default();
            for row in rows.keys() {
                state.entry(row[0].clone()).or_default().insert(row[1..].join("\t"));
            }
        }
    }
    for (name, output) in expected["outputs"].as_object().unwrap() {
        let rows = &states["0"][name];
        assert_eq!(rows.len() as u64, output["rows"].as_u64().unwrap(), "{name}");
        assert_eq!(digest(rows.iter().cloned()), output["digest_sha256"].as_str().unwrap(), "{name}");
    }
    for (step, wanted) in expected["update_plan"]["steps"].as_array().unwrap().iter().take(steps_taken).enumerate() {
        let state = &states[&(step + 1).to_string()];
        for (name, rows) in wanted["rows"].as_object().unwrap() {
            let found = state.get(name).map_or(0, BTreeSet::len);
            assert_eq!(found as u64, rows.as_u64().unwrap(), "{}: {name}", wanted["step"]);
        }
        for (name, wanted) in wanted["digests"].as_object().into_iter().flatten() {
            let rows = state.get(name).into_iter().flatten().cloned();
            assert_eq!(digest(rows), wanted.as_str().unwrap(), "{name}");
        }
    }
}

/// What escapes from a C program, and what does after each of some deletions.
///
/// `cargo test --release -p interactive --test running -- --ignored`
#[test]
#[ignore = "400,000 derived rows, five times over: half a minute"]
fn escape_through_deletions() {
    let expected = expected("escape");
    let facts: Vec<(String, String)> = lines("escape/facts.tsv.zst")
        .iter()
        .map(|line| {
            let (relation, rest) = line.split_once('\t').unwrap();
            (relation.to_string(), rest.to_string())
        })
        .collect();
    let gone = [
        chosen(&facts, &["escape_ptr"], |index| index % 2 != 0),
        chosen(&facts, &["direct_flow"], |index| index % 10 == 0),
        chosen(&facts, &["ext_return"], |_| true),
        chosen(&facts, &["stack_alloc"], |index| index % 3 == 0),
    ];
    let desk = Desk::with(&[("feed.tsv", steps(&facts, &gone))]);
    desk.ddir(&format!(
        "replay {} --feed @feed.tsv --columns step,diff,kind --tag kind --quotes no --commit by=step \
         --changes loads=@loads.csv --changes stores=@stores.csv --changes sizes=@sizes.csv",
        text(example("escape.ddir"))
    ))
    .fine();
    let [loads, stores, sizes] = ["loads.csv", "stores.csv", "sizes.csv"].map(|file| accumulate(&desk.text(file)));
    let steps = [&expected["all_facts"]].into_iter().chain(expected["update_plan"]["steps"].as_array().unwrap());
    let (mut load, mut store, mut size) = (&BTreeMap::new(), &BTreeMap::new(), &BTreeMap::new());
    for (step, wanted) in steps.enumerate() {
        let at = step.to_string();
        load = loads.get(&at).unwrap_or(load);
        store = stores.get(&at).unwrap_or(store);
        size = sizes.get(&at).unwrap_or(size);
        for (name, rows) in [("CPtrLoad", load), ("CPtrStore", store)] {
            assert_eq!(rows.len() as u64, wanted[name].as_u64().unwrap(), "step {step}: {name}");
            let found = digest(rows.keys().map(|row| row.join("\t")));
            assert_eq!(found, wanted[format!("{name}_digest")].as_str().unwrap(), "step {step}: {name}");
        }
        for (name, wanted) in [
            ("pointers", &wanted["pointer_variables"]),
            ("points", &wanted["points_to"]),
            ("memory", &wanted["memory"]),
            ("escaping", &wanted["escaping_objects"]),
        ] {
            let found = size.keys().find(|row| row[0] == name).map_or(0, |row| row[1].parse().unwrap());
            assert_eq!(found, wanted.as_i64().unwrap(), "step {step}: {name}");
        }
    }
}

/// The programs of the small cases; the names of their sources and exports are those of the cases, in small letters.
const CASES: [(&str, &str); 12] = [
    (
        "agg_delta",
        "source sale(dept: int, amount: int); export depttotal = sale | group dept { amount = sum(amount) };",
    ),
    ("delete", "source edge(src: int, dst: int); export out = edge | distinct;"),
    ("empty_delta", "source a(x: int); source b(x: int); export out = a | intersect b | distinct;"),
    ("file_delete", "source data(id: int, val: int); export out = data | distinct;"),
    (
        "join_delta",
        "source employee(id: int, dept: int); source dept(id: int, budget: int); \
         export empbudget = employee | join dept on dept == dept.id | select employee.id as id, budget | distinct;",
    ),
    (
        "multi_relation",
        "source edge(src: int, dst: int); source weight(src: int, dst: int, w: int); \
         export weightededge = edge | join weight on src == src and dst == dst | distinct;",
    ),
    (
        "neg_delta",
        "source person(id: int); source blocked(id: int); export active = person | antijoin blocked on id == id | distinct;",
    ),
    ("preload", CLOSURE),
    (
        "recursive_min_delta",
        "source source(node: int); source edge(src: int, dst: int, weight: int); \
         loop way { var near = (source | select node, 0 as metres) \
           + (near | join edge on node == src | select dst as node, metres + weight as metres) \
           | group node { metres = min(metres) }; } \
         export mindist = way.near;",
    ),
    (
        "recursive_neg_delta",
        "source seed(node: int); source edge(src: int, dst: int); source blocked(node: int); \
         loop way { var seen = seed + (seen | join edge on node == src | select dst as node | antijoin blocked on node == node) \
           | distinct; } \
         export reach = way.seen;",
    ),
    ("recursive_nullary_delta", CLOSURE),
    ("recursive_tc_delta", CLOSURE),
];

const CLOSURE: &str = "source edge(src: int, dst: int); \
    loop way { var all = edge + (all | join edge as next on dst == next.src | select all.src as src, next.dst as dst) | distinct; } \
    export reach = way.all; \
    export hascycle = way.all | where src == dst | select 1 as holds | distinct;";

/// Transactions of insertions and deletions, and exactly what each changes.
#[test]
fn small_cases_change_what_they_should() {
    let expected = expected("incremental-datalog");
    let cases = expected["cases"].as_object().unwrap();
    assert_eq!(cases.len(), CASES.len());
    for (name, program) in CASES {
        let case = &cases[name];
        let mut feed = "step,diff,kind\n".to_string();
        // One that must leave no trace is not fed.
        let committed = case["transactions"].as_array().unwrap().iter().filter(|transaction| transaction.is_array());
        for (step, transaction) in committed.enumerate() {
            for change in transaction.as_array().unwrap() {
                let fields: Vec<String> = change[1].as_array().unwrap().iter().map(Value::to_string).collect();
                writeln!(feed, "{},{},{},{}", step + 1, change[2], change[0].as_str().unwrap(), fields.join(","))
                    .unwrap();
            }
        }
        let outputs = case["expected_changes"].as_object().unwrap();
        let changes: String =
            outputs.keys().map(|output| format!(" --changes {}=@{output}.csv", output.to_lowercase())).collect();
        let desk = Desk::with(&[("p.ddir", program), ("feed.csv", feed.as_str())]);
        let seen =
            desk.ddir(&format!("replay @p.ddir --feed @feed.csv --header names --tag kind --commit by=step {changes}"));
        assert_eq!(seen.status, 0, "{name}: {seen:?}");
        for (output, wanted) in outputs {
            let mut found = BTreeMap::<String, BTreeMap<String, i64>>::new();
            for line in desk.text(&format!("{output}.csv")).lines().skip(1) {
                let mut fields = line.splitn(3, ',');
                let [step, diff, row] = [(); 3].map(|()| fields.next().unwrap());
                found.entry(format!("t{step}")).or_default().insert(row.to_string(), diff.parse().unwrap());
            }
            for (step, wanted) in wanted.as_object().unwrap() {
                let found = found.get(step).cloned().unwrap_or_default();
                let wanted = wanted.as_array().unwrap();
                if wanted.iter().any(|change| change == "changed") {
                    assert_eq!(found.len(), 1, "{name}: {output} at {step}");
                    continue;
                }
                let wanted = wanted.iter().map(|change| {
                    let fields: Vec<String> = change[0].as_array().unwrap().iter().map(Value::to_string).collect();
                    (fields.join(","), change[1].as_i64().unwrap())
                });
                assert_eq!(found, wanted.collect(), "{name}: {output} at {step}");
            }
        }
    }
}

/// What the front page begins with is what the program comes to; here in commits of 5,000, as all that it shows would take
/// a while in commits of one.
#[test]
fn the_front_page_begins_with_what_messages_come_to() {
    let page = std::fs::read_to_string(data("../README.md")).unwrap();
    let (_, page) = page.split_once("## What you will see").unwrap();
    let (_, page) = page.split_once("```text\n").unwrap();
    let (shown, page) = page.split_once("```").unwrap();
    let shown: Vec<&str> = shown.lines().filter(|line| !line.ends_with("...")).collect();
    let file = text(data("college-msg.tsv.zst"));
    let seen =
        run("replay", "messages.ddir", &format!("--source message={file} --commit rows=5000 --report rows=5000"));
    let printed: Vec<&str> = seen.fine().lines().collect();
    // The first column is how many commits there were.
    let behind = |line: &str| line.get(8..).map(str::trim_end).unwrap_or_default().to_string();
    let printed: Vec<String> = printed.iter().map(|line| behind(line)).collect();
    assert!(shown.len() >= 6 && shown.len() <= printed.len(), "{shown:#?}");
    for line in shown {
        assert!(
            printed.contains(&behind(line)),
            "the front page shows a line that is not printed:\n{line}\n{printed:#?}"
        );
    }
    // So is the part of the program that it shows.
    let (_, page) = page.split_once("```ddir\n").unwrap();
    let program = std::fs::read_to_string(example("messages.ddir")).unwrap();
    for part in page.split_once("```").unwrap().0.split("\n\n") {
        assert!(program.contains(part.trim_end()), "the front page shows what is not in the program:\n{part}");
    }
}
