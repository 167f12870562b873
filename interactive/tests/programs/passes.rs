//! Passes keep what a plan means, and never make it larger: each alone, all in any order, and as they are done.

use crate::random::{history, program};
use crate::running::{Answers, answers, assert_same, checked, meanings};
use difftest::Random;
use interactive::plan::passes::{PASSES, improved};
use interactive::plan::{Plan, plain};
use interactive::value::{Row, Value};
use std::collections::BTreeMap;

/// Answers without the rows of errors: what of them nothing needs is left out.
fn without_rows(answers: Answers) -> Answers {
    let without = |errors: BTreeMap<_, i64>| {
        let mut counts = BTreeMap::new();
        for ((statement, line, column, reason, _), count) in errors {
            *counts.entry((statement, line, column, reason, String::new())).or_insert(0) += count;
        }
        counts
    };
    answers.into_iter().map(|(exports, errors)| (exports, without(errors))).collect()
}

#[test]
fn passes_keep_what_plans_mean() {
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1_000);
    let count = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(60);
    for seed in first..first + count {
        let (text, history) = (program(seed), history(seed));
        let (program, files) = checked(&text);
        let plain = plain(&program).unwrap();
        let wanted = without_rows(meanings(&program, &files, &history, 50));
        let hold = |plan: &Plan, done: &str| {
            let about = format!("seed {seed}, after {done}\n{text}\n{history:?}\n{plan}");
            assert!(plan.nodes.len() <= plain.nodes.len(), "{about}\nwas\n{plain}");
            assert_same(&without_rows(answers(plan, &files, &history, 50, 1)), &wanted, &about);
        };
        let mut random = Random::new(seed);
        let (name, pass) = random.pick(&PASSES);
        hold(&pass(&plain), name);
        let mut shuffled = plain.clone();
        let mut done = Vec::new();
        for _ in 0..4 {
            let (name, pass) = random.pick(&PASSES);
            shuffled = pass(&shuffled);
            done.push(*name);
        }
        hold(&shuffled, &done.join(", "));
        hold(&improved(&plain), "all");
    }
}

/// What may fail, at places that tell whether it was merged with its like, left out, or done for other rows.
#[test]
fn errors_stay_what_they_were() {
    let row = |a: i64, b: i64| [a, b].map(Value::Int).into_iter().collect::<Row>();
    let rows = [
        ("s", row(1, 0)),
        ("s", row(0, 2)),
        ("s", row(4, 2)),
        ("s", row(i64::MAX, 7)),
        ("s", row(i64::MAX - 1, 7)),
        ("t", row(0, 0)),
        ("t", row(4, 1)),
        ("t", row(9, 0)),
    ];
    let mut changes: Vec<_> = rows.into_iter().map(|(name, row)| (name.to_string(), row, 1)).collect();
    changes.push(("t".to_string(), row(5, 5), -1));
    let history = vec![changes];
    for (bags, errors) in [
        // The same twice: two errors a row.
        (["s | select a / b as a, b", "s | select a / b as a, b"], 2),
        (
            [
                "s | group b { a = sum(a - 9223372036854775807) } | select a, b",
                "s | group b { a = sum(a - 9223372036854775807) } | select a, b",
            ],
            2,
        ),
        (["s | group b { a = sum(a) } | select a, b", "s | group b { a = sum(a) } | select a, b"], 2),
        (["t | top 1 by a per b", "t | top 1 by a per b"], 2),
        // Nobody reads what fails.
        (["s | select a, a / b as b | select a, a as b", "t"], 1),
        (["s | select a, b, a / b as c | join t on a == a | select a, t.b as b", "t"], 1),
        // A filter that fails on the left rows without a match, if it is asked of them.
        (["s | join t on a == a | where 4 / s.b > 1 | select a, s.b as b", "t"], 0),
        (["s | select a as c, b as d | cross join t | where c == a and 2 / b > 0 | select c as a, d as b", "t"], 1),
        // One that holds for no row that fails, below a selection that does.
        (["s | select a / b as a, b | where b > 0", "t"], 1),
    ] {
        let text = format!(
            "source s(a: int, b: int);\nsource t(a: int, b: int);\nexport e = {};\nexport f = {};\n",
            bags[0], bags[1]
        );
        let (program, files) = checked(&text);
        let plain = plain(&program).unwrap();
        let wanted = without_rows(meanings(&program, &files, &history, 50));
        assert_eq!(wanted[0].1.values().sum::<i64>(), errors, "{text}");
        for (name, pass) in PASSES {
            assert_same(&without_rows(answers(&pass(&plain), &files, &history, 50, 1)), &wanted, name);
        }
        let better = improved(&plain);
        let about = format!("{text}\n{better}");
        assert_same(&without_rows(answers(&better, &files, &history, 50, 1)), &wanted, &about);
    }
}

/// Two bags whose difference is as small as it can be: one operator stands for both only if they are the same.
#[test]
fn what_does_the_same_is_there_once() {
    let cases = |arms: &str| format!("s | select case d {{ {arms} }} as x");
    for (one, other, same) in [
        ("s | where a > 1", "s | where a > 1", true),
        ("s | where a > 1", "s | where a > 2", false),
        ("s | where a > 1", "s | where a < 1", false),
        ("s | where a > 1", "t | where a > 1", false),
        ("s | where a > 300", "s | where a > 44", false),
        ("s | where b > 0.0", "s | where b > -0.0", false),
        ("s | where c == \"a\"", "s | where c == \"b\"", false),
        ("s | where a > 1 and b > 2.0", "s | where b > 2.0 and a > 1", false),
        ("s | where a > 1", "s | where not (a > 1)", false),
        ("s | select a, b", "s | select b, a", false),
        ("s | select a, b", "s | select a, b as other", false),
        ("s | select (a, b) as x", "s | select (a, b) as x", true),
        ("s | select a / a as x", "s | select a / a as x", false),
        ("s | select a, d, [a] as x", "s | select a, d, [a] as x", false),
        (&cases("None => 1, Some(x) => x"), &cases("None => 1, Some(x) => x"), true),
        (&cases("None => 1, Some(x) => x"), &cases("None => 1, Some(2) => 2, Some(x) => x"), false),
        (&cases("None => 1, Some(2) => 2, Some(x) => x"), &cases("None => 1, Some(3) => 2, Some(x) => x"), false),
        ("s + t", "t + s", true),
        ("s - t", "t - s", false),
        ("s | distinct", "s | distinct", true),
        ("s | threshold 2", "s | threshold 3", false),
        ("s | join t on a == a | select a, t.b as x", "s | join t on a == a | select a, t.b as x", true),
        ("s | semijoin t on a == a", "t | semijoin s on a == a", false),
        ("s | top 1 by a", "s | top 1 by a", false),
        ("s | group a { n = count() }", "s | group a { n = count() }", false),
        ("rows (a: int) { (1), (2) }", "rows (a: int) { (1), (2) }", true),
        ("rows (a: int) { (1), (2) }", "rows (a: int) { (1), (3) }", false),
    ] {
        let columns = "(a: int, b: float, c: string, d: option<int>)";
        let text = format!("source s{columns};\nsource t{columns};\nexport e = {one};\nexport f = {other};\n");
        let better = improved(&plain(&checked(&text).0).unwrap());
        assert_eq!(better.exports[0].node == better.exports[1].node, same, "{text}\n{better}");
    }
}
