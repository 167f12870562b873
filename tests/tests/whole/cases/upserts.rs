//! Inputs with one value a key: faults that others met, and any mix of changes against a map.

use std::collections::BTreeMap;

use tests::{Random, bag};

use differential::time::Point;
use differential::{Config, Error, run_alone};

/// C1: a deletion and an insertion of one key, fed in two buffers of one step, were applied in reverse, and the key was
/// lost.
#[test]
fn c1_a_key_that_is_unset_and_then_set_in_one_commit_has_the_later_value() {
    let changes = run_alone(Config::default(), |worker| {
        let (mut upserts, mut output) = worker.dataflow(|scope| {
            let (upserts, values) = scope.upserts::<u32, u32>("values");
            (upserts, values.output())
        })?;
        upserts.set(7, 1);
        worker.commit(&mut upserts)?;
        upserts.unset(7);
        worker.step()?;
        upserts.set(7, 2);
        worker.commit(&mut upserts)?;
        Ok::<_, Error>(output.changes())
    });
    let at = Point::from(1);
    assert_eq!(changes, Ok(vec![((7, 1), at.clone(), -1), ((7, 2), at, 1)]));
}

/// C2: to take back a value that was never set stopped the server. Here it changes nothing, and the next command works.
#[test]
fn c2_unsetting_what_was_never_set_changes_nothing() {
    let seen = run_alone(Config::default(), |worker| {
        let (mut upserts, mut output) = worker.dataflow(|scope| {
            let (upserts, values) = scope.upserts::<u32, u32>("values");
            (upserts, values.output())
        })?;
        upserts.unset(4);
        worker.commit(&mut upserts)?;
        let nothing = output.changes();
        upserts.set(4, 1);
        worker.commit(&mut upserts)?;
        Ok::<_, Error>((nothing, output.rows()?))
    });
    assert_eq!(seen, Ok((vec![], vec![((4, 1), 1)])));
}

/// Any changes of few keys, several of one key in a commit: after each commit the rows are those of a map, and only
/// what differs from the map before is told.
#[test]
fn upserts_are_a_map() {
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let outcome = run_alone(Config::default(), |worker| {
            let (mut upserts, mut output) = worker.dataflow(|scope| {
                let (upserts, values) = scope.upserts::<u32, String>("values");
                (upserts, values.output())
            })?;
            let (mut model, mut overwritten) = (BTreeMap::<u32, String>::new(), 0);
            for commit in 0..12 {
                let (before, mut spoken) = (model.clone(), BTreeMap::<u32, u64>::new());
                for _ in 0..random.below(8) {
                    let (key, value) = (random.below(4) as u32, random.below(3).to_string());
                    *spoken.entry(key).or_default() += 1;
                    match random.below(4) {
                        0 => {
                            upserts.unset(key);
                            model.remove(&key);
                        }
                        1 => {
                            upserts.change(key, |present| present.map(|present| format!("{present}{value}")));
                            model.entry(key).and_modify(|present| present.push_str(&value));
                        }
                        _ => {
                            upserts.set(key, value.clone());
                            model.insert(key, value);
                        }
                    }
                    assert_eq!(upserts.get(&key), model.get(&key), "seed {seed}, commit {commit}");
                }
                worker.commit(&mut upserts)?;
                overwritten += spoken.values().map(|times| times - 1).sum::<u64>();
                assert_eq!(upserts.overwritten(), overwritten, "seed {seed}, commit {commit}");
                let rows: Vec<_> = model.clone().into_iter().map(|row| (row, 1)).collect();
                assert_eq!(output.rows()?, rows, "seed {seed}, commit {commit}");
                let gone = before.into_iter().map(|row| (row, -1));
                let told = bag(output.changes().into_iter().map(|(row, _, diff)| (row, diff)));
                assert_eq!(told, bag(gone.chain(rows)), "seed {seed}, commit {commit}");
            }
            Ok::<_, Error>(())
        });
        outcome.expect("nothing in it fails");
    }
}

#[test]
fn upserts_that_are_dropped_hand_over_what_they_were_told() {
    let rows = run_alone(Config::default(), |worker| {
        let (mut upserts, output) = worker.dataflow(|scope| {
            let (upserts, values) = scope.upserts::<u32, u32>("values");
            (upserts, values.output())
        })?;
        upserts.set(1, 2);
        drop(upserts);
        worker.run()?;
        Ok::<_, Error>((output.rows()?, output.frontier().is_empty()))
    });
    assert_eq!(rows, Ok((vec![((1, 2), 1)], true)));
}
