//! Passes keep what a plan means, and never make it larger: each alone, all in any order, and as they are done.

use crate::random::{Dice, history, program};
use crate::running::{Answers, answers, assert_same, checked, meanings};
use interactive::plan::passes::{PASSES, improved};
use interactive::plan::{Plan, plain};
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
        let mut dice = Dice(seed);
        let (name, pass) = PASSES[dice.roll(PASSES.len())];
        hold(&pass(&plain), name);
        let mut shuffled = plain.clone();
        let mut done = Vec::new();
        for _ in 0..4 {
            let (name, pass) = PASSES[dice.roll(PASSES.len())];
            shuffled = pass(&shuffled);
            done.push(name);
        }
        hold(&shuffled, &done.join(", "));
        hold(&improved(&plain), "all");
    }
}
