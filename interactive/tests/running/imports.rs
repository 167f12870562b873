//! Programs that import from others: what they come to, and how they are refused where they don't go together.

use crate::desk::Desk;
use serde_json::json;

const PEOPLE: &str = "
    type Kind = Friend | Rival int;
    source knows(a: string, b: string, kind: Kind);
    export friends = knows | where case kind { Friend => true, Rival(_) => false } | select a, b | distinct;
    export rivals = knows | where case kind { Rival(n) => n > 0, Friend => false };
";

const CIRCLES: &str = "
    type Colour = Red | Green;
    type Kind = Friend | Rival int;
    source knows(a: string, b: string, kind: Kind);
    source paint(a: string, colour: Colour);
    import friend(a: string, b: string) from people.friends;
    import rival(a: string, b: string, kind: Kind) from people.rivals;
    export popular = friend | group b { friends = count() };
    export strife = rival | join paint on a == a | select b, colour, kind;
    export all = knows | group { rows = count() };
";

const KNOWS: &str = "a,b,kind\nann,bob,Friend\ncid,bob,Friend\nann,cid,Rival(3)\nbob,ann,Rival(0)\n";

#[test]
fn a_program_imports_what_another_exports() {
    let desk = Desk::with(&[
        ("people.ddir", PEOPLE),
        ("circles.ddir", CIRCLES),
        (
            "last.ddir",
            "import p(b: string, friends: int) from c.popular; export most = p | group { most = max(friends) };",
        ),
        ("knows.csv", KNOWS),
        ("paint.csv", "a,colour\nann,Green\n"),
    ]);
    let files = "--source knows=@knows.csv --source paint=@paint.csv";
    for workers in ["", "-w 2"] {
        let seen = desk.ddir(&format!("run @circles.ddir --import people=@people.ddir {files} --json {workers}"));
        let rows: Vec<_> = seen.json("row").into_iter().map(|row| (row["of"].clone(), row["values"].clone())).collect();
        let wanted = [
            (json!("popular"), json!({"b": "bob", "friends": 2})),
            (json!("strife"), json!({"b": "cid", "colour": "Green", "kind": {"Rival": 3}})),
            (json!("all"), json!({"rows": 4})),
        ];
        assert_eq!((seen.status, rows), (0, wanted.to_vec()), "{}", seen.err);
    }
    let words =
        format!("replay @last.ddir --import people=@people.ddir --import c=@circles.ddir {files} --report rows=1");
    let most = |report: &serde_json::Value| report["values"]["most"]["most"].clone();
    let reports = desk.ddir(&format!("{words} --json")).json("report");
    assert_eq!(reports.iter().map(most).collect::<Vec<_>>(), [json!(1), json!(2), json!(2), json!(2), json!(2)]);
}

#[test]
fn programs_that_do_not_go_together_are_refused_at_their_place() {
    let desk = Desk::with(&[
        ("people.ddir", PEOPLE),
        ("export.ddir", "import f(a: string, b: string) from people.friend; export all = f;"),
        ("program.ddir", "import f(a: string, b: string) from peeple.friends; export all = f;"),
        ("order.ddir", "import f(b: string, a: string) from people.friends; export all = f;"),
        (
            "type.ddir",
            "type Kind = Friend | Rival float;\nimport r(a: string, b: string, kind: Kind) from people.rivals; export all = r;",
        ),
        (
            "source.ddir",
            "import f(a: string, b: string) from people.friends;\nsource knows(a: string, b: string); export all = knows + f;",
        ),
        ("knows.csv", KNOWS),
    ]);
    let said = |program: &str| {
        let seen = desk.ddir(&format!("run @{program} --import people=@people.ddir --source knows=@knows.csv"));
        assert_eq!((seen.status, seen.out.as_str()), (1, ""), "{seen:?}");
        seen.err
    };
    for (program, place, parts) in [
        ("export.ddir", "1:8", ["the program `people` exports no `friend`", "did you mean `friends`?"]),
        ("program.ddir", "1:8", ["there is no program `peeple` to import from", "did you mean `people`?"]),
        ("order.ddir", "1:8", ["`people.friends` has other columns", "it is exported as (a: string, b: string)"]),
        ("type.ddir", "2:8", ["`people.rivals` has other columns", "a type of that name is declared otherwise there"]),
        (
            "source.ddir",
            "2:8",
            ["the source `knows` has other columns", "in `people` they are (a: string, b: string, kind: Kind)"],
        ),
    ] {
        let told = said(program);
        assert!(told.contains(&format!("{program}:{place}")) && parts.iter().all(|part| told.contains(part)), "{told}");
    }
    // Nothing imports from the program that is run.
    let words = "run @people.ddir --import a=@export.ddir --source knows=@knows.csv";
    assert!(desk.ddir(words).err.contains("there is no program `people` to import from"));
    let words = "run @people.ddir --import a=@people.ddir --import a=@people.ddir --source knows=@knows.csv";
    let seen = desk.ddir(words);
    assert_eq!(seen.status, 2);
    assert!(seen.err.contains("--import a=..: two programs of one name"), "{}", seen.err);
}

/// What is imported is built before, however the flags are ordered; what comes round to itself is refused.
#[test]
fn programs_are_put_in_order_and_cycles_are_told() {
    let desk = Desk::with(&[
        ("base.ddir", "source n(a: int); export one = n | where a > 0;"),
        ("next.ddir", "import o(a: int) from base.one; export two = o | select a * 2 as a;"),
        ("last.ddir", "import t(a: int) from next.two; import o(a: int) from base.one; export all = t + o;"),
        ("there.ddir", "import b(a: int) from back.x; export x = b;"),
        ("back.ddir", "import o(a: int) from base.one;\nimport t(a: int) from there.x; export x = t + o;"),
        ("self.ddir", "import s(a: int) from own.x; export x = s;"),
        ("main.ddir", "import t(a: int) from there.x; export all = t;"),
        ("n.csv", "1\n3\n"),
    ]);
    for imports in [["next", "base"], ["base", "next"]] {
        let imports = imports.map(|name| format!("--import {name}=@{name}.ddir")).join(" ");
        let seen = desk.ddir(&format!("run @last.ddir {imports} --source n=@n.csv --json"));
        assert_eq!((seen.status, seen.json("row").len()), (0, 4), "{seen:?}");
    }
    let imports = "--import there=@there.ddir --import back=@back.ddir --import base=@base.ddir";
    for command in ["run @main.ddir --source n=@n.csv", "check @main.ddir", "plan @main.ddir"] {
        let seen = desk.ddir(&format!("{command} {imports}"));
        assert_eq!((seen.status, seen.out.as_str()), (1, ""), "{seen:?}");
        let wanted = "programs import from each other in a cycle: `there` from `back` from `there`";
        assert!(seen.err.contains(wanted) && seen.err.contains("back.ddir:2:8"), "{}", seen.err);
    }
    let seen = desk.ddir("run @self.ddir --import own=@self.ddir --source n=@n.csv");
    assert!(seen.err.contains("in a cycle: `own` from `own`") && seen.err.contains("self.ddir:1:8"), "{}", seen.err);
}

#[test]
fn names_of_programs_are_names() {
    let desk = Desk::with(&[("p.ddir", "source n(a: int); export all = n;")]);
    for command in
        ["run @p.ddir --source n=@n.csv", "replay @p.ddir --source n=@n.csv", "check @p.ddir", "plan @p.ddir"]
    {
        for (name, reason) in [
            ("1st=@p.ddir", "\"1st\" is no name that a program can import from: wanted a small letter"),
            ("let=@p.ddir", "\"let\" is no name"),
            ("Big=@p.ddir", "\"Big\" is no name"),
            ("a.b=@p.ddir", "\"a.b\" is no name"),
            ("a", "wanted NAME=PROGRAM"),
            ("=@p.ddir", "wanted NAME=PROGRAM"),
            ("a=@p.ddir --import a=@p.ddir", "--import a=..: two programs of one name"),
        ] {
            let seen = desk.ddir(&format!("{command} --import {name}"));
            assert_eq!((seen.status, seen.out.as_str()), (2, ""), "{command} {name}: {seen:?}");
            assert!(seen.err.contains(reason), "{command} {name}: {}", seen.err);
        }
    }
}

/// Programs are checked and planned alone, or with what they import from.
#[test]
fn imports_are_checked_and_planned_too() {
    let wrong = "import f(b: string, a: string) from people.friends; export all = f;";
    let desk = Desk::with(&[("people.ddir", PEOPLE), ("circles.ddir", CIRCLES), ("wrong.ddir", wrong)]);
    desk.ddir("check @circles.ddir @wrong.ddir").fine();
    let seen = desk.ddir("check @circles.ddir @wrong.ddir --import people=@people.ddir --types");
    assert_eq!(seen.status, 1);
    assert!(seen.out.contains("circles.ddir\n") && !seen.out.contains("wrong.ddir"), "{}", seen.out);
    assert_eq!(seen.err.matches("Error: ").count(), 1, "{}", seen.err);
    assert!(seen.err.contains("wrong.ddir:1:8") && seen.err.contains("`people.friends` has other columns"));
    // What is imported from is checked, and told once; the others are checked alone then.
    let seen = desk.ddir("check @circles.ddir @wrong.ddir --import people=@wrong.ddir --import gone=@gone.ddir");
    assert_eq!((seen.status, seen.err.starts_with("error: gone.ddir: cannot read: ")), (1, true), "{}", seen.err);
    let alone = desk.ddir("plan @circles.ddir");
    assert_eq!(desk.ddir("plan @circles.ddir --import people=@people.ddir").fine(), alone.fine());
    let seen = desk.ddir("plan @wrong.ddir --import people=@people.ddir");
    assert_eq!((seen.status, seen.out.as_str()), (1, ""));
    assert!(seen.err.contains("`people.friends` has other columns"), "{}", seen.err);
}

/// What another program exports and nobody imports is not computed: it needs no files, and no row of it fails.
#[test]
fn exports_that_nobody_imports_are_left_out() {
    let base = "source n(a: int); source m(a: int);
        export sums = n | group { sum = sum(a) }; export inverse = m | select 1 / a as a; export other = inverse;";
    let desk = Desk::with(&[
        ("base.ddir", base),
        ("some.ddir", "import s(sum: int) from base.sums; export all = s;"),
        (
            "more.ddir",
            "import s(sum: int) from base.sums; import i(a: int) from base.other; export all = s; export i2 = i;",
        ),
        ("n.csv", "1\n2\n"),
        ("m.csv", "1\n0\n"),
    ]);
    let words = "--import base=@base.ddir --source n=@n.csv";
    assert!(desk.ddir(&format!("run @some.ddir {words}")).fine().starts_with("all: 1 row\n"));
    let seen = desk.ddir(&format!("run @more.ddir {words}"));
    assert_eq!((seen.status, seen.err.as_str()), (1, "error: no file for the source `m`: say --source m=FILE\n"));
    assert_eq!(desk.ddir(&format!("run @more.ddir {words} --source m=@m.csv")).status, 3);
}
