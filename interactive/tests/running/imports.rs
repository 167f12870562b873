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
    // Programs import from those before them.
    let words = "run @people.ddir --import a=@export.ddir --source knows=@knows.csv";
    assert!(desk.ddir(words).err.contains("there is no program `people` to import from"));
    let words = "run @people.ddir --import a=@people.ddir --import a=@people.ddir --source knows=@knows.csv";
    let seen = desk.ddir(words);
    assert_eq!(seen.status, 2);
    assert!(seen.err.contains("--import a=..: two programs of one name"), "{}", seen.err);
}
