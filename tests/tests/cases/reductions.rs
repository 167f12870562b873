//! Faults of reductions that other engines met, each restated as a small history with its answer.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tests::{Grid, History, Pair, Random, bag, check, every_way, recompute};

use differential::time::Point;
use differential::{Config, Error, run_alone};

/// B1: deleting a pair that was never there inserted it, and recursion then derived pairs from it.
#[test]
fn b1_a_deletion_of_what_was_never_there_inserts_nothing() {
    let derived = run_alone(Config::default(), |worker| {
        let (mut pairs, output) = worker.dataflow(|scope| {
            let (session, pairs) = scope.input::<Pair>("pairs");
            let closure = pairs.distinct().iterate(|closure| {
                let turned = closure.map(|(source, target)| (target, source));
                turned.join_map(closure, |_, source, target| (source, target)).concat(&pairs).distinct()
            });
            (session, closure.output())
        })?;
        let mut derived = Vec::new();
        for (pair, diff) in [((1, 2), -1), ((1, 2), -1), ((1, 2), 1), ((1, 2), -1), ((2, 3), 1)] {
            pairs.update(pair, diff);
            worker.commit(&mut pairs)?;
            derived.push(output.rows().expect("complete"));
        }
        Ok::<_, Error>(derived)
    });
    assert_eq!(derived, Ok(vec![vec![], vec![], vec![], vec![], vec![((2, 3), 1)]]));
}

/// B3: collapsing a count of -3 to "is it there" made it +1.
#[test]
fn b3_collapsing_a_negative_count_does_not_flip_its_sign() {
    let rows = run_alone(Config::default(), |worker| {
        let (mut records, distinct, least) = worker.dataflow(|scope| {
            let (session, records) = scope.input::<Pair>("records");
            (session, records.distinct().output(), records.min().output())
        })?;
        records.update((1, 1), -3);
        worker.commit(&mut records)?;
        let negative = (distinct.rows().expect("complete"), least.rows().expect("complete"));
        // Two copies later one is still owed; with the fourth it is there.
        let mut counts = Vec::new();
        for _ in 0..4 {
            records.insert((1, 1));
            worker.commit(&mut records)?;
            counts.push(distinct.rows().expect("complete").len());
        }
        Ok::<_, Error>((negative, counts))
    });
    assert_eq!(rows, Ok(((vec![], vec![]), vec![0, 0, 0, 1])));
}

/// B4: five batches handed to a count in one activation; the frontier it kept was reset inside its loop.
#[test]
fn b4_many_times_in_one_activation() {
    let grid = Grid::line(5);
    let copies = |key: u32| (0..5).map(move |time| ((key, 0), Point::from(time), 1));
    let history: History<Pair> = (0..5).flat_map(copies).collect();
    for way in every_way(&grid, 4) {
        let mut made = check(
            "count",
            &grid,
            &way,
            std::slice::from_ref(&history),
            // The flat_map has a frontier of its own, that may move time by time within one commit.
            |inputs, _| inputs[0].flat_map(|(key, _)| [key]).count(),
            recompute(|bags| bag(bags[0].iter().map(|((key, _), count)| ((*key, *count), 1)))),
        );
        made.sort();
        let mut expected: History<(u32, i64)> = (0..5u32)
            .flat_map(|key| {
                (0..5).flat_map(move |time| {
                    let at = Point::from(time);
                    let count = time as i64;
                    [((key, count + 1), at.clone(), 1)].into_iter().chain((time > 0).then_some(((key, count), at, -1)))
                })
            })
            .collect();
        expected.sort();
        assert_eq!(made, expected, "{way:?}");
    }
}

/// B6: a group was emptied in two steps, and never came back when a row was inserted again.
#[test]
fn b6_a_group_emptied_in_two_steps_comes_back() {
    let seen = run_alone(Config::default(), |worker| {
        let (mut rows, outputs) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<(u32, String)>("rows");
            let by_name = rows.map(|(row, name)| (name.to_string(), row));
            let count = rows.map(|(_, name)| name.to_string()).count().map(|(name, count)| (name.to_string(), count));
            let least = by_name.min().map(|(name, row)| (name.to_string(), i64::from(row)));
            let greatest = by_name.max().map(|(name, row)| (name.to_string(), i64::from(row)));
            let sum = by_name.reduce("sum", |_, rows, made| {
                made.push((rows.iter().map(|(row, count)| i64::from(*row) * count).sum::<i64>(), 1i64));
            });
            (session, [count, least, greatest, sum].map(|answer| answer.output()))
        })?;
        rows.insert((1, "x".into()));
        rows.insert((2, "x".into()));
        worker.commit(&mut rows)?;
        let mut seen = Vec::new();
        for (row, diff) in [(1, -1), (2, -1), (3, 1)] {
            rows.update((row, "x".into()), diff);
            worker.commit(&mut rows)?;
            seen.push(outputs.each_ref().map(|output| {
                let rows = output.rows().expect("complete").into_iter();
                rows.map(|((_, answer), count)| (answer, count)).collect::<Vec<_>>()
            }));
        }
        Ok::<_, Error>(seen)
    });
    let one = |answers: [i64; 4]| answers.map(|answer| vec![(answer, 1)]);
    assert_eq!(seen, Ok(vec![one([1, 2, 2, 2]), [const { vec![] }; 4], one([1, 3, 3, 3])]));
}

/// B13: in a histogram of degrees, many rounds in one batch took work quadratic in the times of a key.
#[test]
fn b13_a_histogram_of_degrees_costs_the_same_in_batches_of_any_size() {
    let (nodes, edges, rounds) = (100, 500, 400);
    let mut random = Random::new(13);
    let mut edge = || (random.below(nodes) as u32, random.below(nodes) as u32);
    let mut present: Vec<Pair> = (0..edges).map(|_| edge()).collect();
    let first = present.clone();
    // Each round one edge comes and the oldest goes.
    let changes: Vec<(Pair, Pair)> = (0..rounds)
        .map(|_| edge())
        .map(|new| {
            present.push(new);
            (new, present.remove(0))
        })
        .collect();
    let mut degrees = BTreeMap::new();
    present.iter().for_each(|(source, _)| *degrees.entry(source).or_insert(0i64) += 1);
    let mut expected = BTreeMap::new();
    degrees.values().for_each(|degree| *expected.entry(*degree).or_insert(0i64) += 1);
    let expected: Vec<((i64, i64), i64)> = expected.into_iter().map(|row| (row, 1)).collect();

    let run_in_batches_of = |size: usize| {
        let calls = Rc::new(Cell::new(0u64));
        let counted = Rc::clone(&calls);
        let rows = run_alone(Config::default(), |worker| {
            let (mut session, output) = worker.dataflow(|scope| {
                let (session, edges) = scope.input::<Pair>("edges");
                let degrees = edges.arrange_by_key("edges").reduce("degree", move |_, targets, made| {
                    counted.set(counted.get() + 1);
                    made.push((targets.iter().map(|target| target.1).sum::<i64>(), 1i64));
                });
                (session, degrees.as_collection(|_, degree| degree).count().output())
            })?;
            first.iter().for_each(|edge| session.insert(*edge));
            worker.commit(&mut session)?;
            let before = calls.get();
            for (batch, changes) in changes.chunks(size).enumerate() {
                let start = 1 + (batch * size) as u64;
                for (time, (new, old)) in (start..).zip(changes) {
                    session.update_at(*new, time, 1)?;
                    session.update_at(*old, time, -1)?;
                }
                worker.commit_to(start + changes.len() as u64, &mut session)?;
            }
            Ok::<_, Error>((output.rows().expect("complete"), calls.get() - before))
        });
        rows.expect("nothing in it fails")
    };
    let (rows, alone) = run_in_batches_of(1);
    assert_eq!(rows, expected);
    for size in [10, 100, 400] {
        let (rows, calls) = run_in_batches_of(size);
        assert_eq!(rows, expected, "batches of {size}");
        assert!(calls <= alone, "{calls} calls in batches of {size}, {alone} one by one");
    }
}

/// B14: a fact lost one support and won another at one time; who took each raw diff for a yes or no saw it go.
#[test]
fn b14_a_fact_that_changes_its_support_does_not_change() {
    let changes = run_alone(Config::default(), |worker| {
        let (mut one, mut other, mut output) = worker.dataflow(|scope| {
            let (one_session, one) = scope.input::<u32>("one rule");
            let (other_session, other) = scope.input::<u32>("another rule");
            (one_session, other_session, one.map(|_| 7).concat(&other.map(|_| 7)).distinct().output())
        })?;
        let mut changes = Vec::new();
        for (diff, other_diff) in [(1, 0), (-1, 1), (1, 0), (-1, -1)] {
            one.update(1, diff);
            other.update(2, other_diff);
            worker.commit((&mut one, &mut other))?;
            changes.push(output.changes().into_iter().map(|(fact, _, diff)| (fact, diff)).collect::<Vec<_>>());
        }
        Ok::<_, Error>(changes)
    });
    assert_eq!(changes, Ok(vec![vec![(7u32, 1i64)], vec![], vec![], vec![(7, -1)]]));
}
