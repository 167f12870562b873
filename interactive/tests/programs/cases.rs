//! Cases from the field: programs that other engines of this kind got wrong, and what they must come to.
//!
//! Each is planned with and without passes, run on one worker and on two, and held against what it means as well.

use crate::running::{History, answers, assert_same, checked, meanings};
use differential::{Config, Error, run_alone};
use interactive::language::report::render;
use interactive::plan::passes::improved;
use interactive::plan::plain;
use interactive::render::{Options, install};
use interactive::value::{Row, Value};
use std::collections::BTreeMap;

fn ints(numbers: &[i64]) -> Row {
    numbers.iter().map(|number| Value::Int(*number)).collect()
}

fn texts(words: &[&str]) -> Row {
    words.iter().map(|word| Value::text(word)).collect()
}

/// A row of a source, which comes or goes.
fn change(source: &str, row: Row, diff: i64) -> (String, Row, i64) {
    (source.to_string(), row, diff)
}

/// The only export, as a set, after each commit.
fn comes_to(text: &str, history: &History, wanted: &[&[Row]]) {
    let (program, files) = checked(text);
    let plain = plain(&program).unwrap();
    let meant = meanings(&program, &files, history, 50);
    let wanted: Vec<BTreeMap<Row, i64>> =
        wanted.iter().map(|rows| rows.iter().map(|row| (row.clone(), 1)).collect()).collect();
    let found = |answers: &[(Vec<BTreeMap<Row, i64>>, _)]| {
        answers.iter().map(|(exports, _): &(Vec<_>, BTreeMap<_, i64>)| exports[0].clone()).collect::<Vec<_>>()
    };
    assert_eq!(found(&meant), wanted, "{text}");
    assert_same(&answers(&plain, &files, history, 50, 1), &meant, text);
    for workers in [1, 2] {
        assert_eq!(found(&answers(&improved(&plain), &files, history, 50, workers)), wanted, "{text}");
    }
}

/// What a person sees of a program that is refused.
fn refused(text: &str) -> String {
    let checked = interactive::language::check("case.ddir".as_ref(), text.to_string(), &|_| unreachable!());
    assert!(checked.program.is_none(), "{text}");
    render(&checked.files, &checked.mistakes, false)
}

#[test]
fn a_constant_beside_a_variable_is_compared() {
    let sources = "source a(x: int); source b(k: int, x: int); ";
    let facts = [[1].as_slice(), &[2], &[3]].map(|row| change("a", ints(row), 1)).into_iter();
    let facts = facts.chain([[42, 1], [7, 2]].map(|row| change("b", ints(&row), 1))).collect();
    let history = vec![facts];
    let without = format!("{sources} export r = a | antijoin b on x == b.x and 42 == k;");
    comes_to(&without, &history, &[&[ints(&[2]), ints(&[3])]]);
    let with = format!("{sources} export s = join {{ a(x), b(42, x) }};");
    comes_to(&with, &history, &[&[ints(&[1])]]);
}

#[test]
fn a_self_join_on_a_constant_keeps_reflexive_facts() {
    let text = "source le(x: string, y: string); source eq(x: string, y: string);
        let leq = le + eq | distinct;
        export k = join { leq(\"i0\", x), leq(x, \"i260\") } | select x, x as y | distinct;";
    let facts = [["i0", "i13"], ["i13", "i260"], ["i0", "i260"]].map(|row| change("le", texts(&row), 1));
    let history = vec![facts.into_iter().chain([change("eq", texts(&["i0", "i0"]), 1)]).collect()];
    comes_to(text, &history, &[&[texts(&["i0", "i0"]), texts(&["i13", "i13"])]]);
}

#[test]
fn what_is_only_on_the_negated_side_cannot_be_kept() {
    let sources = "source a(x: int); source b(x: int, y: int); ";
    let said = refused(&format!("{sources} export c = a | antijoin b on x == b.x | where y > 1;"));
    assert!(said.contains("`y`"), "{said}");
    let history = vec![vec![change("a", ints(&[1]), 1), change("a", ints(&[2]), 1), change("b", ints(&[1, 5]), 1)]];
    comes_to(&format!("{sources} export c = a | antijoin b on x == b.x;"), &history, &[&[ints(&[2])]]);
}

#[test]
fn redundant_subgoals_change_nothing() {
    for more in ["", ", pq(z), pq(x)"] {
        let text = format!(
            "source z(v: string);
            let pq  = join {{ z(v), z(_) }} | distinct;
            let pl  = join {{ pq(x), z(o), z(x){} }} | select o as v | distinct;
            let nf  = join {{ z(_), pl(q) }} | distinct;
            export out = join {{ nf(_), pl(_), pl(t) }} | distinct;",
            more.replace("pq(z)", "pq(y)")
        );
        let words = ["a", "b", "c", "d"];
        let history = vec![words.map(|word| change("z", texts(&[word]), 1)).to_vec()];
        comes_to(&text, &history, &[&words.map(|word| texts(&[word]))]);
    }
}

#[test]
fn a_rule_that_never_fires_changes_nothing() {
    for never in ["", " + (one | except one | select x as a, x as b)"] {
        let text = format!(
            "source s(x: int, y: int); source t(x: int, y: int); source one(x: int);
            define closed(of(x: int, y: int)) {{
                loop l {{
                    var same = of + (same | select y as x, x as y)
                             + (same | select x, x as y)
                             + (join {{ same(x, y), same(y, z) }} | select x, z as y)
                             | distinct;
                }}
                return l.same;
            }}
            let s_all = closed(s);
            let t_all = closed(t);
            let u     = join {{ s_all(x, x), s_all(y, y) }} | distinct;
            export a = (join {{ u(j, _), one(a), t_all(a, _) }} | select j as a, j as b){never} | distinct;"
        );
        let facts = [("s", [1, 2]), ("s", [3, 1]), ("s", [6, 10]), ("t", [1, 2]), ("t", [1, 3])];
        let facts = facts.map(|(source, row)| change(source, ints(&row), 1)).into_iter();
        let history = vec![facts.chain([change("one", ints(&[1]), 1)]).collect()];
        comes_to(&text, &history, &[&[1, 2, 3, 6, 10].map(|number| ints(&[number, number]))]);
    }
}

#[test]
fn a_projection_is_a_set_where_that_is_said() {
    let fact = |name, number, diff| change("f", [Value::text(name), Value::Int(number)].into_iter().collect(), diff);
    let history =
        vec![vec![fact("t", 1, 1), fact("t", 2, 1), fact("u", 1, 1)], vec![fact("t", 1, -1)], vec![fact("t", 2, -1)]];
    let (both, one) = ([texts(&["t"]), texts(&["u"])], [texts(&["u"])]);
    let text = "source f(x: string, n: int); export p = f | select x | distinct;";
    comes_to(text, &history, &[&both, &both, &one]);
}

/// Whatever the text: empty, long, with what ends texts elsewhere. None of them is a number.
#[test]
fn texts_are_kept_as_they_are() {
    let long = "x".repeat(1 << 20);
    let words = ["", &long, "a\0b", "\0", "\"'`", "line\nline", "\r", "Grüße 🦀", "3"];
    let mut sorted = words;
    sorted.sort_unstable();
    let history = vec![words.map(|word| change("f", texts(&[word]), 1)).to_vec()];
    comes_to("source f(x: string); export g = f | distinct;", &history, &[&sorted.map(|word| texts(&[word]))]);
    comes_to("source f(x: string); export g = f | where x == to_string(3);", &history, &[&[texts(&["3"])]]);
    let said = refused("source f(x: string); export g = f | where x == 3;");
    assert!(said.contains("string") && said.contains("int"), "{said}");
}

#[test]
fn negation_through_a_cycle_is_refused_with_the_cycle() {
    let text = "source move(x: int, y: int);
        loop game { var win = move | antijoin win on y == x | select x; }
        export w = game.win;";
    let said = refused(text);
    assert!(said.contains("win -> win") && said.contains("antijoin"), "{said}");
    // What asks for the end of a loop follows it both ways.
    let text = "source node(x: int); source edge(x: int, y: int);
        loop reach { var seen = rows (x: int) { (1) } + (join { seen(x), edge(x, y) } | select y as x) | distinct; }
        export unreached = node | except reach.seen;";
    let edge = |x, y, diff| change("edge", ints(&[x, y]), diff);
    let nodes = [1, 2, 3].map(|number| change("node", ints(&[number]), 1)).to_vec();
    let history = vec![nodes, vec![edge(1, 2, 1), edge(2, 3, 1)], vec![edge(1, 2, -1)], vec![edge(1, 3, 1)]];
    let left = |numbers: &[i64]| numbers.iter().map(|number| ints(&[*number])).collect::<Vec<_>>();
    comes_to(text, &history, &[&left(&[2, 3]), &[], &left(&[2, 3]), &left(&[2])]);
}

/// Statements are unordered: what a subprogram returns is known wherever it is called.
#[test]
fn a_subprogram_may_stand_behind_its_calls() {
    let text = "export e = twice(s) | join s as o on b == o.a | select o.b as a;
        define twice(of(a: int, b: int)) { return once(of) + once(of); }
        define once(of(a: int, b: int)) { return of | distinct; }
        source s(a: int, b: int);";
    let (program, files) = checked(text);
    let history = vec![vec![change("s", ints(&[1, 1]), 1)]];
    let found = answers(&improved(&plain(&program).unwrap()), &files, &history, 50, 1);
    assert_eq!(found[0].0[0], BTreeMap::from([(ints(&[1]), 2)]));
    assert_same(&found, &meanings(&program, &files, &history, 50), text);
}

#[test]
fn a_written_row_that_is_not_constant_is_refused_at_its_place() {
    let said = refused("export p = rows (x: int) { (x) };");
    assert!(said.contains("case.ddir:1:29") && said.contains("`x`"), "{said}");
}

/// Nothing is nothing; what is taken away before it comes is there less than not at all, and no row of a set.
#[test]
fn counts_of_nothing_and_below_nothing() {
    let text = "source r(a: int); export e = r | distinct;";
    let row = |diff| vec![change("r", ints(&[1]), diff)];
    let history = vec![row(0), row(-1), row(1), row(1), row(0)];
    let (none, one): (&[Row], [Row; 1]) = (&[], [ints(&[1])]);
    comes_to(text, &history, &[none, none, none, &one, &one]);
}

/// Up to the largest count all is exact; what does not fit is an error of the commit, and no worker's end.
#[test]
fn counts_that_do_not_fit_are_told() {
    let (program, files) =
        checked("source r(a: int, b: int); export e = r | join r as s on a == s.a | select a, r.b as b;");
    let plan = interactive::plan::plan(&program).unwrap();
    let run = |diffs: &[i64]| {
        run_alone(Config::default(), |worker| {
            let mut running = install(worker, &plan, &files, &Options::default()).unwrap();
            let session = &mut running.source("r").unwrap().session;
            diffs.iter().for_each(|diff| session.update(ints(&[1, 2]), *diff));
            running.commit(worker)?;
            Ok::<_, Error>(running.exports[0].output.rows().unwrap())
        })
    };
    assert_eq!(run(&[1 << 31]), Ok(vec![(ints(&[1, 2]), 1 << 62)]));
    for diffs in [&[1 << 32][..], &[i64::MAX, i64::MAX]] {
        assert!(matches!(run(diffs), Err(Error::Operator { .. })), "{diffs:?}");
    }
}
