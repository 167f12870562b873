//! Programs run to their answer.

use crate::desk::Desk;
use serde_json::json;

const REACH: &str = "\
source edge(src: int, dst: int);
source root(node: int);
loop reach {
    var near = (root | select node, 0 as hops) + (near | join edge on node == src | select dst as node, hops + 1 as hops)
             | group node { hops = min(hops) };
}
export reached = reach.near;
export by_hops = reach.near | group hops { nodes = count() };
";

#[test]
fn exports_are_shown_in_tables() {
    let desk =
        Desk::with(&[("p.ddir", REACH), ("edge.csv", "src,dst\n1,2\n2,3\n1,4\n9,1\n"), ("root.txt", "# one\n1\n")]);
    let seen = desk.ddir("run @p.ddir --source edge=@edge.csv --source root=@root.txt --rows 3");
    let wanted = "\
reached: 4 rows
| node | hops |
|------|------|
|    1 |    0 |
|    2 |    1 |
|    3 |    2 |
(3 of 4 different rows; --rows 4 shows all, --export reached=FILE writes them)

by_hops: 3 rows
| hops | nodes |
|------|-------|
|    0 |     1 |
|    1 |     2 |
|    2 |     1 |

";
    assert_eq!((seen.status, seen.tables()), (0, wanted));
}

#[test]
fn json_has_all_rows_in_order() {
    let desk = Desk::with(&[("p.ddir", REACH), ("edge.csv", "1,2\n2,3\n1,4\n9,1\n"), ("root.txt", "1\n")]);
    for workers in ["", "-w 2", "-w 3"] {
        let seen = desk.ddir(&format!("run @p.ddir --source edge=@edge.csv --source root=@root.txt --json {workers}"));
        let rows = seen.json("row");
        assert_eq!(rows.len(), 7, "{seen:?}");
        assert_eq!(rows[2], json!({"of": "reached", "values": {"node": 3, "hops": 2}, "count": 1}));
        let summary = &seen.json("summary")[0];
        assert_eq!(summary["exports"], json!({"reached": 4, "by_hops": 3}));
        assert_eq!((&summary["rows_read"], &summary["errors"]), (&json!(5), &json!(0)));
        assert!(seen.fine().starts_with(r#"{"row":{"of":"reached","values":{"node":1,"hops":0},"count":1}}"#));
    }
}

/// What one run writes another reads, whatever the format and the types.
#[test]
fn exports_are_written_and_read_back() {
    let program = "\
type Shape = Dot | Circle float | Box (float, float);
source thing(id: int, name: string, shape: Shape, tags: list<string>, at: option<(int, bool)>, weight: float);
export all = thing;
";
    let rows = "id,name,shape,tags,at,weight
1,\"a, \"\"b\"\"\",Dot,[],,1
2,,\"Box(1.5, 2)\",\"[\"\"x\"\", \"\"y,z\"\"]\",\"Some((1, true))\",-inf
2,,\"Box(1.5, 2)\",\"[\"\"x\"\", \"\"y,z\"\"]\",\"(1, true)\",-inf
3,ä,Circle(0.25),\"[\"\"\"\"]\",None,NaN
";
    let desk = Desk::with(&[("p.ddir", program), ("thing.csv", rows)]);
    let first = desk.ddir("run @p.ddir --source thing=@thing.csv --export all=@0.csv --json");
    for (from, to) in [
        ("0.csv", "1.tsv"),
        ("1.tsv", "2.jsonl"),
        ("2.jsonl", "3.csv.gz"),
        ("3.csv.gz", "4.json.zst"),
        ("4.json.zst", "5.csv"),
    ] {
        let again = desk.ddir(&format!("run @p.ddir --source thing=@{from} --export all=@{to} --json"));
        assert_eq!(again.json("row"), first.json("row"), "{from}");
        assert_eq!(first.json("row").len(), 3);
        again.fine();
    }
    assert_eq!(desk.text("0.csv"), desk.text("5.csv"));
    assert_eq!(desk.text("0.csv").lines().filter(|line| line.starts_with("2,")).count(), 2);
}

#[test]
fn counts_are_added_up_from_a_file_of_changes() {
    let program = "source edge(src: int, dst: int); export all = edge;";
    let desk = Desk::with(&[
        ("p.ddir", program),
        ("edge.csv", "time,src,dst,diff\n1,1,2,3\n2,1,2,-1\n2,5,6,1\n3,5,6,-1\n4,7,8,-1\n"),
    ]);
    let seen = desk.ddir("run @p.ddir --source edge=@edge.csv --export all=@all.csv");
    let wanted = "\
all: 1 row
| src | dst | (count) |
|-----|-----|---------|
|   1 |   2 |       2 |
|   7 |   8 |      -1 |

";
    let warning = "warning: all: 1 row there less than not at all, and not in the file\n";
    assert_eq!((seen.status, seen.err.as_str()), (0, warning), "{seen:?}");
    assert_eq!(seen.tables(), wanted);
    assert_eq!(desk.text("all.csv"), "src,dst\n1,2\n1,2\n");
}

#[test]
fn rows_that_fail_are_told_of_and_make_the_status_3() {
    let program = "source n(a: int, b: int);\nexport q = n | select a, a / b as q;\n";
    let desk = Desk::with(&[("p.ddir", program), ("n.csv", "6,3\n1,0\n9,0\n")]);
    let seen = desk.ddir("run @p.ddir --source n=@n.csv");
    assert_eq!((seen.status, seen.err.as_str()), (3, ""), "{seen:?}");
    assert!(seen.out.contains("|   6 |   2 |") || seen.out.contains("| 6 | 2 |"), "{seen:?}");
    assert!(seen.out.contains("errors: 2 rows failed and are left out\n"), "{seen:?}");
    assert!(seen.out.contains("p.ddir:2:") && seen.out.contains("a: 1, b: 0"), "{seen:?}");
    // However few rows of exports are wanted.
    let seen = desk.ddir("run @p.ddir --source n=@n.csv --rows 0");
    assert!(!seen.out.contains("|   6 |") && seen.out.contains("a: 1, b: 0"), "{seen:?}");
    let seen = desk.ddir("run @p.ddir --source n=@n.csv --json");
    assert_eq!((seen.status, seen.json("error").len(), &seen.json("summary")[0]["errors"]), (3, 2, &json!(2)));
}

#[test]
fn a_feed_fills_several_sources() {
    let feed = "kind,a,b\nedge,1,2\nroot,1,\nEDGE,2,3\nnote,x,y\n";
    let desk = Desk::with(&[("p.ddir", REACH), ("feed.csv", feed)]);
    let seen = desk.ddir("run @p.ddir --feed @feed.csv --tag kind:note=- --header names --json");
    assert_eq!(seen.json("summary")[0]["exports"]["reached"], json!(3), "{seen:?}");
    let seen = desk.ddir("run @p.ddir --feed @feed.csv --tag kind");
    assert_eq!(seen.status, 1);
    assert!(
        seen.err.starts_with("error: feed.csv, line 5: no source for the tag \"note\": there are edge, root"),
        "{seen:?}"
    );
}

/// A file says which tag is whose and which fields are its columns; of tags that it does not have, names do.
#[test]
fn a_map_says_which_fields_of_a_feed_are_whose() {
    let program = "source post(id: int, by: string); source like(by: string, post: int); source tag(name: string);
        export posts = post; export likes = like; export tags = tag;";
    let map = "# tag, source, fields\nP, post, what, who\n\"L, l\",like,who,what\ntag,tag,1\nx,-\n";
    let numbers = "P,post,3,4\n\"L, l\",like,4,3\ntag,tag,1\nx,-\n";
    let csv = "when,kind,what,who\n1,P,7,ann\n2,\"L, l\",7,bob\n3,x,?,?\nred,tag\n";
    let json = r#"{"kind": "P", "what": 7, "who": "ann"}
        {"who": "bob", "what": 7, "kind": "L, l"}
        {"kind": "x"}
        ["red", "tag"]"#;
    let json = json.lines().map(|line| line.trim().to_string() + "\n").collect::<String>();
    let desk = Desk::with(&[
        ("p.ddir", program),
        ("map.csv", map),
        ("numbers.csv", numbers),
        ("feed.csv", csv),
        ("feed.jsonl", &json),
    ]);
    let rows = |words: &str| {
        let seen = desk.ddir(&format!("run @p.ddir {words} --json"));
        assert_eq!(seen.status, 0, "{words}: {seen:?}");
        seen.json("row")
    };
    let wanted = [
        json!({"of": "posts", "values": {"id": 7, "by": "ann"}, "count": 1}),
        json!({"of": "likes", "values": {"by": "bob", "post": 7}, "count": 1}),
        json!({"of": "tags", "values": {"name": "red"}, "count": 1}),
    ];
    for words in [
        "--feed @feed.csv --tag kind --map @map.csv",
        "--feed @feed.csv --tag 2 --header skip --map @numbers.csv",
        "--feed @feed.csv --tag kind --header skip --columns when,kind,what,who --map @map.csv",
    ] {
        assert_eq!(rows(words), wanted, "{words}");
    }
    let words = "--feed @feed.jsonl --tag kind --columns when,kind,what,who --map @map.csv";
    let told = desk.ddir(&format!("run @p.ddir {words} --json"));
    assert_eq!((told.status, told.json("row")), (0, wanted.to_vec()), "{told:?}");
    // A row without the field, and a feed without the column.
    let desk = Desk::with(&[
        ("p.ddir", program),
        ("map.csv", map),
        ("short.csv", "kind,what,who\nP,1\n"),
        ("a.csv", "kind,what\n"),
    ]);
    let said = |feed: &str| desk.ddir(&format!("run @p.ddir --feed @{feed} --tag kind --map @map.csv")).err;
    assert_eq!(said("short.csv"), "error: short.csv, line 2: no by (--skip-bad N leaves out up to N such lines)\n");
    assert_eq!(said("a.csv"), "error: a.csv: no column \"who\": the heading has \"kind\", \"what\"\n");
}

#[test]
fn a_map_that_has_no_sense_is_told_with_its_line() {
    let program =
        "source post(id: int, by: string); source like(by: string, post: int); export all = post; export l = like;";
    for (map, reason) in [
        ("P\n", "line 1: wanted TAG,SOURCE or TAG,SOURCE,FIELD,FIELD,.."),
        ("# so\nP,post\n,like\n", "line 3: wanted TAG,SOURCE or"),
        ("P,post,1,\n", "line 1: wanted TAG,SOURCE or"),
        ("P,pots\n", "line 1: the program has no source \"pots\"; did you mean \"post\"?"),
        ("P,what\n", "line 1: the program has no source \"what\"; there are post, like, or - for nobody"),
        ("P,post,1\n", "line 1: 1 field for the 2 columns of post: id, by"),
        ("P,-,1\n", "line 1: 1 for -, which has no columns"),
        ("P,post\nL,like\nP,like\n", "line 3: the tag \"P\" has a line before"),
    ] {
        let desk = Desk::with(&[("p.ddir", program), ("map.csv", map), ("feed.csv", "P,1,a\n")]);
        let seen = desk.ddir("run @p.ddir --feed @feed.csv --tag 1 --map @map.csv");
        let wanted = format!("error: map.csv, {reason}");
        assert!(seen.status == 1 && seen.err.starts_with(&wanted), "{map:?}: {seen:?}");
    }
    let desk = Desk::with(&[("p.ddir", program), ("feed.csv", "P,1,a\n")]);
    let seen = desk.ddir("run @p.ddir --feed @feed.csv --tag 1 --map @none.csv");
    assert!(seen.status == 1 && seen.err.starts_with("error: none.csv: cannot read: "), "{seen:?}");
    let seen = desk.ddir("run @p.ddir --feed @feed.csv --tag 1:P=post --map @none.csv");
    assert!(seen.status == 2 && seen.err.contains("said by --tag and by --map"), "{seen:?}");
    assert_eq!(desk.ddir("run @p.ddir --source post=@feed.csv --map @none.csv").status, 2);
}

/// A source that nothing depends on needs no file; one that is read does, and its lines are looked at all the same.
#[test]
fn sources_without_a_file() {
    let program = "source a(n: int); source _b(n: int); export all = a;";
    let desk = Desk::with(&[("p.ddir", program), ("a.csv", "1\n"), ("bad.csv", "x\n")]);
    desk.ddir("run @p.ddir --source a=@a.csv").fine();
    let seen = desk.ddir("run @p.ddir --source _b=@a.csv");
    assert_eq!((seen.status, seen.err.as_str()), (1, "error: no file for the source `a`: say --source a=FILE\n"));
    let seen = desk.ddir("run @p.ddir --source a=@a.csv --source _b=@bad.csv");
    assert_eq!(seen.status, 1, "{seen:?}");
    // A name that is spelled otherwise is told of first, and else all that is missing.
    let seen = desk.ddir("run @p.ddir --source aa=@a.csv");
    assert!(seen.status == 1 && seen.err.contains("no source \"aa\"; did you mean \"a\"?"), "{seen:?}");
    let both = "source a(n: int); source b(n: int); export all = a + b;";
    let desk = Desk::with(&[("p.ddir", both)]);
    let seen = desk.ddir("run @p.ddir");
    let told = "error: no file for the sources `a`, `b`: say --source a=FILE --source b=FILE\n";
    assert_eq!((seen.status, seen.err.as_str()), (1, told));
}

/// Removals were insertions where a feed's diffs had no name, and one of them was a column where it stood behind the tag.
#[test]
fn a_diff_of_a_feed_has_a_name_and_a_place() {
    let program = "source a(n: int); export all = a;";
    let feed = "1,1,a,5\n1,1,a,6\n2,-1,a,5\n";
    let behind = "step,table,diff\n1,a,1\n";
    let desk = Desk::with(&[("p.ddir", program), ("feed.csv", feed), ("behind.csv", behind)]);
    let seen = desk.ddir("replay @p.ddir --feed @feed.csv --tag 3 --commit by=1");
    assert!(seen.status == 1 && seen.err.contains("feed.csv: nothing says what field 2 is"), "{seen:?}");
    desk.ddir("run @p.ddir --feed @feed.csv --tag table --columns step,diff,table --export all=@all.csv").fine();
    assert_eq!(desk.text("all.csv"), "n\n6\n");
    let seen = desk.ddir("run @p.ddir --feed @behind.csv --tag table");
    assert!(seen.status == 1 && seen.err.contains("\"diff\" stands behind the tag \"table\""), "{seen:?}");
}

#[test]
fn rows_below_nothing_are_told_of_where_a_file_cannot_have_them() {
    let desk = Desk::with(&[("p.ddir", "source n(a: int); export all = n;"), ("n.csv", "a,diff\n1,-1\n2,1\n")]);
    for command in ["run", "replay"] {
        let seen = desk.ddir(&format!("{command} @p.ddir --source n=@n.csv --export all=@all.csv"));
        assert_eq!((seen.status, desk.text("all.csv").as_str()), (0, "a\n2\n"), "{seen:?}");
        assert!(seen.err.contains("all: 1 row there less than not at all, and not in the file"), "{seen:?}");
    }
}
