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
