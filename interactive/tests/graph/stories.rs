//! Small files whose answers can be seen by looking.

use crate::desk::{Desk, ddir};

/// Runs with `--json` and compares the reports, written short: `rows present nodes edges | reached | weak | strong`.
#[track_caller]
fn check(flags: &str, file: &str, wanted: &[&str]) {
    let seen = Desk::with(file).graph(&format!("{flags} --json"));
    assert_eq!(seen.reports().into_iter().map(short).collect::<Vec<_>>(), wanted, "{flags} on {file:?}");
}

/// A report, in few characters.
fn short(line: &str) -> String {
    let report = serde_json::from_str::<serde_json::Value>(line).unwrap()["report"].take();
    let group = |fields: &[&str]| {
        let values: Vec<String> =
            fields.iter().filter_map(|field| report.get(field)).map(|value| value.to_string()).collect();
        values.join(" ")
    };
    let groups = [
        group(&["rows", "rows_present", "nodes", "distinct_directed_edges"]),
        group(&["reached"]),
        group(&["wcc_count", "wcc_largest"]),
        group(&["scc_count", "scc_largest"]),
    ];
    groups.iter().filter(|group| !group.is_empty()).cloned().collect::<Vec<_>>().join(" | ")
}

const ALL: &str = "--reach 1 --components --scc --report commits=1";

#[test]
fn edges_join_components_and_a_cycle_closes_one() {
    let file = "1 2\n3 4\n2 3\n4 1\n";
    let wanted = [
        r#"1 1 2 1 | {"1":2} | 1 2 | 2 1"#,
        r#"2 2 4 2 | {"1":2} | 2 2 | 4 1"#,
        r#"3 3 4 3 | {"1":4} | 1 4 | 4 1"#,
        r#"4 4 4 4 | {"1":4} | 1 4 | 1 4"#,
    ];
    check(ALL, file, &wanted);
}

#[test]
fn removing_the_last_road_unreaches_the_town() {
    let file = "1 2\n2 3\n3 2\n- 1 2\ncommit\n- 3 2\n- 2 3\n";
    let wanted = [
        r#"1 1 2 1 | {"1":2} | 1 2 | 2 1"#,
        r#"2 2 3 2 | {"1":3} | 1 3 | 3 1"#,
        r#"3 3 3 3 | {"1":3} | 1 3 | 2 2"#,
        // 1 is no node any more, so nothing is reached from it.
        r#"3 2 2 2 | {"1":0} | 1 2 | 1 2"#,
        r#"3 0 0 0 | {"1":0} | 0 0 | 0 0"#,
    ];
    check(ALL, file, &wanted);
}

#[test]
fn a_repeated_row_counts_once_and_leaves_its_edge_behind() {
    let wanted =
        [r#"1 1 2 1 | {"1":2} | 1 2 | 2 1"#, r#"2 2 2 1 | {"1":2} | 1 2 | 2 1"#, r#"2 1 2 1 | {"1":2} | 1 2 | 2 1"#];
    check(ALL, "1 2\n1 2\n- 1 2\n", &wanted);
}

#[test]
fn a_loop_makes_a_node_and_a_component_of_one() {
    check(ALL, "1 1\n7 7\n", &[r#"1 1 1 1 | {"1":1} | 1 1 | 1 1"#, r#"2 2 2 2 | {"1":1} | 2 1 | 2 1"#]);
}

#[test]
fn an_edge_back_and_forth_within_a_commit_changes_nothing() {
    check(ALL, "1 2\n- 1 2\n3 4\n", &[r#"1 1 2 1 | {"1":2} | 1 2 | 2 1"#, r#"2 1 2 1 | {"1":0} | 1 2 | 2 1"#]);
    check("--commit rows=9", "1 2\n- 1 2\n1 2\n- 1 2\n3 4\n", &["3 1 2 1"]);
}

#[test]
fn an_empty_file_is_an_empty_graph() {
    for file in ["", "\n\n", "# nothing\n", "commit\ncommit\n"] {
        check("--components --scc", file, &["0 0 0 0 | 0 0 | 0 0"]);
        check("", file, &["0 0 0 0"]);
    }
}

#[test]
fn only_what_was_asked_appears() {
    check("", "1 2\n", &["1 1 2 1"]);
    check("--scc", "1 2\n", &["1 1 2 1 | 2 1"]);
    check("--components", "1 2\n", &["1 1 2 1 | 1 2"]);
    check("--reach 2", "1 2\n", &[r#"1 1 2 1 | {"2":1}"#]);
}

#[test]
fn several_roots_in_any_spelling() {
    let file = "1 2\n2 3\n8 1\n";
    let wanted = [r#"3 3 4 3 | {"1":3,"2":2,"8":4}"#];
    for flags in ["--reach 8 1 2", "--reach 2 --reach 1 --reach 8", "--reach=2 --reach 8 1", "--reach 1 2 --reach 8 2"]
    {
        check(flags, file, &wanted);
    }
}

#[test]
fn the_file_may_stand_after_the_roots() {
    let desk = Desk::with("1 2\n2 3\n");
    let file = desk.file().to_str().unwrap();
    for arguments in [vec!["graph", "--reach", "2", file, "--json"], vec!["graph", "--json", "--reach", "2", "2", file]]
    {
        let seen = ddir(&arguments);
        assert_eq!(
            seen.reports().into_iter().map(short).collect::<Vec<_>>(),
            [r#"2 2 3 2 | {"2":2}"#],
            "{arguments:?}"
        );
    }
}

/// Six rows, and the rows present after each, by their targets.
#[test]
fn a_window_of_rows_drops_the_oldest() {
    let file = "0 1\n0 2\n0 3\n0 1\n0 4\n0 5\n";
    let wanted = ["1 1 2 1", "2 2 3 2", "3 3 4 3", "4 3 4 3", "5 3 4 3", "6 3 4 3"];
    check("--window rows=3 --report rows=1", file, &wanted);
}

#[test]
fn a_window_may_be_as_small_as_a_commit() {
    check("--window rows=2 --commit rows=2 --report rows=2", "1 2\n2 3\n4 4\n4 4\n", &["2 2 3 2", "4 2 1 1"]);
}

/// The window is of rows *fed*: a removed row keeps its place, and when that place is passed, nothing happens.
#[test]
fn a_removed_row_neither_comes_back_nor_makes_room() {
    let file = "0 1\n0 2\n- 0 2\ncommit\n0 3\n0 4\n0 5\n";
    let wanted = [
        "1 1 2 1", // 1
        "2 2 3 2", // 1 2
        "2 1 2 1", // 1 -
        "3 1 2 1", // - 3
        "4 2 3 2", // 3 4
        "5 2 3 2", // 4 5
    ];
    check("--window rows=2 --report commits=1", file, &wanted);
}

#[test]
fn a_row_dropped_while_an_equal_one_stays_keeps_the_edge() {
    check("--window rows=2 --report rows=1", "1 2\n1 2\n1 2\n", &["1 1 2 1", "2 2 2 1", "3 2 2 1"]);
}

/// T - 2 < time <= T: a row two seconds old is out, one a hair younger is in.
#[test]
fn a_window_of_time_is_open_at_its_old_end() {
    let file = "0 1 100.0\n0 2 100.000000000000000001\n0 3 102\n0 4 102\n0 5 1000\n";
    let wanted = ["1 1 2 1", "2 2 3 2", "3 2 3 2", "4 3 4 3", "5 1 2 1"];
    check("--window time=2 --report rows=1", file, &wanted);
    // With decimals that binary fractions only come near: 0.3 - 0.1 is 0.2.
    check("--window time=0.1 --report rows=1", "0 1 0.2\n0 2 0.3\n", &["1 1 2 1", "2 1 2 1"]);
    check("--window time=0.5 --report rows=1", "0 1 -0.4\n0 2 0\n0 3 0.1\n", &["1 1 2 1", "2 2 3 2", "3 2 3 2"]);
}

/// A removal names a row by its time; it feeds nothing, so its time may be any, and T stays.
#[test]
fn a_removal_does_not_move_the_window() {
    let file = "0 1 10\n0 2 11\n- 0 1 10\n0 3 11\n- 0 2\n0 4 12\n";
    check("--window time=5 --report rows=1", file, &["1 1 2 1", "2 2 3 2", "3 2 3 2", "4 2 3 2"]);
}

/// Two copies at times 1 and 5: with a window of 5, the one left says when the edge goes.
#[test]
fn a_removal_takes_the_newest_copy_or_the_one_it_names() {
    let file = |removal: &str| format!("0 1 1\n0 1 5\n{removal}\ncommit\n0 2 6\n");
    let flags = "--window time=5 --commit rows=9 --report commits=1";
    check(flags, &file("- 0 1"), &["2 1 2 1", "3 1 2 1"]);
    check(flags, &file("- 0 1 5"), &["2 1 2 1", "3 1 2 1"]);
    check(flags, &file("- 0 1 1"), &["2 1 2 1", "3 2 3 2"]);
}

#[test]
fn further_columns_are_carried_and_matched() {
    check("", "1 2 a b\n1 2 a c\n- 1 2 a\n- 1 2 a b\n", &["2 0 0 0"]);
    check("", "1\t2  a \t b\n-  1 2\ta b\n", &["1 0 0 0"]);
}

#[test]
fn a_commit_line_closes_a_commit_at_once() {
    check(
        "--commit rows=3 --report commits=1",
        "1 2\ncommit\n2 3\n3 4\n4 5\n5 6\ncommit\ncommit\n6 7\n",
        &["1 1 2 1", "4 4 5 4", "5 5 6 5", "6 6 7 6"],
    );
}

#[test]
fn reports_come_at_the_first_commit_at_or_after_each_step_and_at_the_end() {
    let file: String = (0..10).map(|node| format!("{node} {}\n", node + 1)).collect();
    let rows_reported = |flags: &str| -> Vec<String> {
        let seen = Desk::with(&file).graph(&format!("{flags} --json"));
        seen.reports().iter().map(|line| short(line).split(' ').next().unwrap().to_string()).collect()
    };
    assert_eq!(rows_reported(""), ["10"]);
    assert_eq!(rows_reported("--report rows=5"), ["5", "10"]);
    assert_eq!(rows_reported("--report rows=4"), ["4", "8", "10"]);
    assert_eq!(rows_reported("--report rows=4 --commit rows=3"), ["6", "9", "10"]);
    assert_eq!(rows_reported("--report commits=2 --commit rows=3"), ["6", "10"]);
    assert_eq!(rows_reported("--report commits=99"), ["10"]);
}

#[test]
fn the_summary_counts_commits() {
    let seen = Desk::with("1 2\n2 3\ncommit\n3 4\n").graph("--commit rows=9 --json");
    let summary: serde_json::Value = serde_json::from_str(seen.out.lines().last().unwrap()).unwrap();
    let summary = &summary["summary"];
    assert_eq!(summary["commits"], 2);
    let fields =
        ["commits", "seconds", "commits_per_second", "p50_us", "p90_us", "p99_us", "max_us", "peak_memory_bytes"];
    assert_eq!(summary.as_object().unwrap().len(), fields.len());
    assert!(fields.iter().all(|field| summary[field].is_number()), "{summary}");
}

#[test]
fn the_table_says_the_same() {
    let seen = Desk::with("1 2\n2 1\n3 4\n").graph("--reach 1 --components --scc --report rows=2");
    assert_eq!((seen.status, seen.err.as_str()), (0, ""));
    let wanted = "
    rows      rows            distinct   reached        weak  nodes in      strong  nodes in
     fed   present     nodes     edges    from 1  components   largest  components   largest
       2         2         2         2         2           1         2           1         2
       3         3         4         3         2           2         2           3         2
";
    let (table, summary) = seen.out.split_once("\n\n").unwrap();
    assert_eq!(table, wanted.trim_matches('\n'));
    assert!(summary.lines().nth(2).unwrap().starts_with("       3"), "{summary}");
}

#[test]
fn a_root_that_never_appeared_is_warned_about() {
    let seen = Desk::with("1 2\n- 1 2\n").graph("--reach 1 2 3 --json");
    assert_eq!(seen.status, 0);
    assert_eq!(seen.err, "warning: root 3 never appeared in edges.txt\n");
    assert!(seen.out.starts_with(
        r#"{"report":{"rows":1,"rows_present":0,"nodes":0,"distinct_directed_edges":0,"reached":{"1":0,"2":0,"3":0}}}"#
    ));
}

#[test]
fn compressed_files_are_read_by_their_name() {
    let bytes = zstd::encode_all(&b"1 2\n2 3\n"[..], 3).unwrap();
    let seen = Desk::with_bytes("edges.tsv.zst", &bytes).graph("--json");
    assert_eq!(seen.reports().into_iter().map(short).collect::<Vec<_>>(), ["2 2 3 2"]);
}

#[test]
fn help_is_printed_where_it_is_asked_for_and_where_nothing_is() {
    let (bare, help, graph) = (ddir(&[]), ddir(&["--help"]), ddir(&["graph", "--help"]));
    for seen in [&bare, &help, &graph] {
        assert_eq!((seen.status, seen.err.as_str()), (0, ""));
    }
    assert!(bare.out.contains("Usage: ddir") && bare.out.contains("graph"), "{}", bare.out);
    for flag in ["FILE", "--reach", "--components", "--scc", "--commit", "--window", "--report", "--json"] {
        assert!(graph.out.contains(flag), "{flag} in {}", graph.out);
    }
}
