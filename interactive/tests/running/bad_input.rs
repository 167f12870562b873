//! Broken files and odd flags: a clear message and a status, and no answer that is none.

use crate::desk::{Desk, Seen};
use difftest::Random;

const PROGRAM: &str = "source edge(src: int, dst: int);\nexport all = edge;\n";

/// Runs the program on a file with these bytes.
fn run(name: &str, bytes: &[u8], flags: &str) -> Seen {
    let desk = Desk::with(&[("p.ddir", PROGRAM.as_bytes()), (name, bytes)]);
    desk.ddir(&format!("run @p.ddir --source edge=@{name} {flags}"))
}

fn said(name: &str, bytes: &[u8], flags: &str) -> String {
    let seen = run(name, bytes, flags);
    assert_eq!((seen.status, seen.out.as_str()), (1, ""), "{seen:?}");
    seen.err
}

#[test]
fn a_bad_line_ends_the_run_with_file_line_and_reason() {
    let hint = "(--skip-bad N leaves out up to N such lines)";
    for (name, bytes, wanted) in [
        ("a.csv", &b"1,2\n3\n"[..], "a.csv, line 2: 1 field where 2 are wanted: src, dst"),
        ("a.csv", b"1,2\n\n3,4,5\n", "a.csv, line 3: 3 fields where 2 are wanted: src, dst"),
        ("a.csv", b"1,2\nx,4\n", "a.csv, line 2: src: \"x\" is no int: wanted a whole number"),
        ("a.csv", b"1,2\r\n1,\r\n", "a.csv, line 2: dst: \"\" is no int: wanted a whole number"),
        ("a.csv", b"1,2\n1,\xff\n", "a.csv, line 2: not UTF-8 text"),
        ("a.csv", b"1,2\n1,2\0\n", "a.csv, line 2: dst: \"2\\0\" is no int: wanted a whole number"),
        ("a.txt", b"1 2\n1 2 3\n", "a.txt, line 2: 3 fields where 2 are wanted: src, dst"),
        ("a.jsonl", b"{\"src\":1,\"dst\":2}\n{\"src\":1}\n", "a.jsonl, line 2: no dst"),
        ("a.jsonl", b"[1,2]\n[1,2\n", "a.jsonl, line 2: not JSON: "),
    ] {
        let said = said(name, bytes, "");
        assert!(said.starts_with(&format!("error: {wanted}")) && said.trim_end().ends_with(hint), "{said}");
    }
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let desk = Desk::with(&[("p.ddir", PROGRAM)]);
    let seen = desk.ddir("run @p.ddir --source edge=@none.csv");
    assert!(seen.status == 1 && seen.err.starts_with("error: none.csv: cannot open: "), "{seen:?}");
    assert!(said("a.zst", b"1,2\n", "").starts_with("error: a.zst, line 1: cannot read: "));
    assert!(said("a.csv.gz", b"", "").contains("empty, and so no compressed file"));
    assert!(
        said("a.csv", b"from,to\n1,2\n", "--header names")
            .starts_with("error: a.csv: no column \"src\": the heading has \"from\", \"to\"")
    );
    assert!(said("a.csv", b"from,to\n1,2\n", "").contains("if this is a heading, say --header skip"));
}

#[test]
fn bad_lines_are_left_out_up_to_a_number() {
    let bytes = b"1,2\nx,2\n3,4\n1\n5,6\n";
    let seen = run("a.csv", bytes, "--skip-bad 2 --json");
    assert_eq!(seen.status, 0, "{seen:?}");
    assert_eq!((seen.json("row").len(), seen.json("summary")[0]["lines_skipped"].as_u64()), (3, Some(2)));
    assert!(
        seen.err.contains("warning: left out: a.csv, line 4: ")
            && seen.err.ends_with("warning: 2 bad lines left out\n"),
        "{seen:?}"
    );
    let seen = run("a.csv", bytes, "--skip-bad 1");
    assert!(seen.status == 1 && seen.err.ends_with("(1 bad line left out before)\n"), "{seen:?}");
}

#[test]
fn empty_files_are_empty() {
    for (name, bytes) in [
        ("a.csv", &b""[..]),
        ("a.csv", b"src,dst\n"),
        ("a.txt", b"# none\n"),
        ("a.json", b"\n"),
        ("a.csv", "\u{feff}".as_bytes()),
    ] {
        let seen = run(name, bytes, "");
        assert!(seen.fine().starts_with("all: 0 rows\n"), "{name}: {seen:?}");
    }
}

#[test]
fn programs_that_cannot_run_are_told() {
    let desk = Desk::with(&[
        ("wrong.ddir", "export all = nowhere;"),
        ("imports.ddir", "import a(n: int) from other.a; export all = a;"),
        ("p.ddir", PROGRAM),
        ("a.csv", "1,2\n"),
    ]);
    let said = |words: &str| {
        let seen = desk.ddir(words);
        assert_eq!((seen.status, seen.out.as_str()), (1, ""), "{seen:?}");
        seen.err
    };
    assert!(said("run @wrong.ddir").starts_with("Error: there is no collection `nowhere`"));
    assert!(said("run @missing.ddir").starts_with("error: missing.ddir: cannot read: "));
    let told = said("run @imports.ddir");
    assert!(told.starts_with("Error: there is no program `other` to import from"), "{told}");
    assert!(told.contains("imports.ddir:1:8") && told.contains("say `--import other=FILE`"), "{told}");
    assert!(
        said("run @p.ddir --source egde=@a.csv --source edge=@a.csv")
            .ends_with("no source \"egde\"; did you mean \"edge\"?\n")
    );
    assert!(
        said("run @p.ddir --source edge=@a.csv --export al=@b.csv")
            .ends_with("no export \"al\"; did you mean \"all\"?\n")
    );
    assert!(said("run @p.ddir --source edge=@a.csv --export all=@b.txt").contains("cannot tell how to write it"));
    assert!(!desk.path("b.txt").exists() && !desk.path("b.txt.part").exists());
}

#[test]
fn odd_flags_are_refused_before_anything_is_opened() {
    let desk = Desk::with(&[("p.ddir", PROGRAM)]);
    for (words, reason) in [
        ("run", "required"),
        ("run p --source edge", "wanted NAME=FILE"),
        ("run p --source edge=- --source edge=-", "standard input (`-`) is asked for twice"),
        ("run - --source edge=-", "standard input (`-`) is asked for twice"),
        ("run p --feed a", "--tag"),
        ("run p --source edge=a --header maybe", "wanted names, skip or none"),
        ("run p --source edge=a --header egde=skip", "egde=..: neither a source with a file nor a file that is given"),
        ("run p --source edge=a --delimiter ab", "wanted one sign"),
        ("run p --source edge=a -w x", "wanted a whole number"),
        ("run p --source edge=a --rows 99999999999999999999", "99999999999999999999 is out of range"),
        ("run p --source edge=a --export all=b.csv --export x=b.csv", "b.csv is to be written twice"),
        ("run p --source edge=a.csv --export all=a.csv", "a.csv is read, and would be written over"),
        ("replay @p.ddir --source edge=a --changes all=@./p.ddir", "p.ddir is read, and would be written over"),
        ("replay p --source edge=a --changes all=b.csv --export all=b.csv", "b.csv is to be written twice"),
        ("replay p --source edge=a --commit rows=0", "wanted a number of at least 1"),
        ("replay p --source edge=a --commit every", "wanted rows=N, by=COLUMN or files"),
        ("replay p --source edge=a --window by=time", "wanted rows=N or by=COLUMN:SPAN"),
        ("replay p --source edge=a --window by=time:0", "wanted more than no time"),
        ("replay p --source edge=a --window rows=5 --commit rows=10", "rows would come and go within a commit"),
        ("replay p --source edge=a --commit by=x --merge y", "contradicts --commit by=x"),
        ("replay p --source edge=a --commit files --merge y", "contradicts --commit files"),
    ] {
        let seen = desk.ddir(words);
        assert_eq!(seen.status, 2, "{words}: {seen:?}");
        assert!(seen.err.contains(reason), "{words}: {seen:?}");
    }
}

/// Counts at the rim of 64 bits: whatever is told of many rows together has room for their sum.
#[test]
fn rows_that_are_there_very_often_are_counted_right() {
    let rows = "src,dst,diff\n1,1,9223372036854775807\n2,1,9223372036854775807\n3,1,9223372036854775807\n";
    let fails = "source edge(src: int, dst: int);\nexport all = edge | select src / (dst - 1) as x;\n";
    let desk = Desk::with(&[("p.ddir", PROGRAM), ("fails.ddir", fails), ("a.csv", rows)]);
    let sum = "27,670,116,110,564,327,421";
    let seen = desk.ddir("run @p.ddir --source edge=@a.csv");
    assert!(seen.status == 0 && seen.out.starts_with(&format!("all: {sum} rows\n")), "{seen:?}");
    let seen = desk.ddir("run @fails.ddir --source edge=@a.csv");
    assert!(seen.status == 3 && seen.out.contains(&format!("errors: {sum} rows failed")), "{seen:?}");
    let seen = desk.ddir("replay @fails.ddir --source edge=@a.csv --commit files");
    assert!(seen.status == 3 && seen.out.contains(&format!("         0  {sum}\n")), "{seen:?}");
    for command in ["run", "replay"] {
        let seen = desk.ddir(&format!("{command} @p.ddir --source edge=@a.csv --json"));
        assert!(seen.out.contains(r#""exports":{"all":"27670116110564327421"}"#), "{seen:?}");
    }
    // A line for each would fill the disk, and a window.
    let seen = desk.ddir("run @p.ddir --source edge=@a.csv --export all=@b.csv");
    assert!(seen.status == 1 && seen.err.contains("b.csv: a row is there 9223372036854775807 times"), "{seen:?}");
    let seen = desk.ddir("replay @p.ddir --source edge=@a.csv --window rows=2");
    assert!(seen.status == 1, "{seen:?}");
    assert!(seen.err.starts_with("error: a.csv, line 2: 9223372036854775807 copies of a row at once"), "{seen:?}");
}

/// A row that is there less than not at all fails as well, and does not make up for another one.
#[test]
fn failures_do_not_cancel_each_other() {
    let fails = "source edge(src: int, dst: int);\nexport all = edge | select src / (dst - 1) as x;\n";
    let desk = Desk::with(&[("p.ddir", fails), ("a.csv", "src,dst,diff\n1,1,1\n2,1,-1\n")]);
    for command in ["run", "replay"] {
        let seen = desk.ddir(&format!("{command} @p.ddir --source edge=@a.csv"));
        assert!(seen.status == 3 && seen.out.contains("errors: 2 rows failed"), "{seen:?}");
    }
}

#[test]
fn programs_that_are_no_text_or_have_no_end_are_refused() {
    let desk = Desk::with(&[("p.ddir", &b"source edge(src: int, dst: int);\nexport all = edge; -- \xff\n"[..])]);
    for command in ["check", "plan", "run"] {
        let seen = desk.ddir(&format!("{command} @p.ddir"));
        assert_eq!((seen.status, seen.out.as_str()), (1, ""), "{seen:?}");
        assert_eq!(seen.err, "error: p.ddir: cannot read: line 2 is not UTF-8 text\n");
    }
    for command in ["check", "plan", "run"] {
        let seen = desk.ddir(&format!("{command} no\u{1b}[31m"));
        assert!(seen.err.starts_with("error: no?[31m: cannot read: "), "{seen:?}");
    }
    if cfg!(target_os = "linux") {
        let desk = Desk::with(&[("p.ddir", "include \"/dev/zero\";\nexport all = none;\n")]);
        let seen = desk.ddir("check @p.ddir");
        assert!(seen.status == 1 && seen.err.contains("longer than 67108864 bytes"), "{seen:?}");
    }
}

/// Bytes at random are rows or an error of a line, whatever the format, and the run ends by itself.
#[test]
fn no_bytes_take_it_down() {
    let letters = b"1,2;|\t \"\n\r#{}[]:a\0\xff-src,dst";
    for seed in 1..=60_u64 {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| *random.pick(letters)).collect();
        let name = random.pick(&["a.csv", "a.tsv", "a.txt", "a.jsonl"]);
        let seen = run(name, &bytes, "--skip-bad 100");
        assert!(seen.status == 0 || seen.err.starts_with("error: a."), "seed {seed}: {bytes:?}: {seen:?}");
    }
}

/// What is constant is worked out once, but a long list is not written into the plan item by item.
#[test]
fn a_long_list_stays_the_call_that_makes_it() {
    let desk = Desk::with(&[
        (
            "long.ddir",
            "source n(x: int) = iota(1);\nexport a = n | select length(range(0, 100000)) as y, range(1, 3) as z;\n",
        ),
        ("items.ddir", "source n(x: int) = iota(1);\nexport a = n | unnest range(0, 100000) as y;\n"),
    ]);
    let seen = desk.ddir("plan @long.ddir");
    assert!(seen.status == 0 && seen.out.contains("100000") && seen.out.contains("[1, 2]"), "{seen:?}");
    let seen = desk.ddir("plan @items.ddir");
    assert!(seen.status == 0 && seen.out.contains("range(0, 100000)") && seen.out.len() < 1_000, "{seen:?}");
    let seen = desk.ddir("run @items.ddir --rows 1");
    assert!(seen.status == 0 && seen.out.starts_with("a: 100,000 rows\n"), "{seen:?}");
}
