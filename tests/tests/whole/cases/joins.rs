//! Faults of joins that other engines met, each restated as a small history with its answer.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use tests::{Arrival, Grid, History, Pair, Random, Way, bag, check, every_way, join, recompute, strong_edges};

use differential::error::Reason;
use differential::operators::ByKey;
use differential::time::Point;
use differential::{Config, Error, algorithms, run, run_alone};

type Updates<D> = Vec<(D, [u64; 2], i64)>;

fn over_two_coordinates<D: Clone>(updates: &Updates<D>) -> History<D> {
    updates.iter().map(|(record, time, diff)| (record.clone(), Point::from(*time), *diff)).collect()
}

/// Joins two histories in every way; each way must make exactly these updates, not only the same sums.
#[track_caller]
fn join_makes(left: &Updates<Pair>, right: &Updates<Pair>, expected: &Updates<(u32, u32, u32)>) {
    let grid = Grid::square(2);
    let inputs = [over_two_coordinates(left), over_two_coordinates(right)];
    for way in every_way(&grid, 1) {
        let mut made = check(
            "join",
            &grid,
            &way,
            &inputs,
            |inputs, _| inputs[0].join_map(&inputs[1], |key, one, other| (key, one, other)),
            recompute(|bags| join(&bags[0], &bags[1])),
        );
        made.sort();
        assert_eq!(made, over_two_coordinates(expected), "{way:?}");
    }
}

/// A1: a lookup cut by the partial order saw neither of two updates at incomparable times, and nothing came out.
#[test]
fn a1_a_pair_of_incomparable_times() {
    join_makes(&vec![((9, 1), [0, 1], 1)], &vec![((9, 2), [1, 0], 1)], &vec![((9, 1, 2), [1, 1], 1)]);
    join_makes(
        &vec![((9, 1), [0, 0], 1), ((9, 1), [1, 0], -1), ((9, 1), [0, 1], 1)],
        &vec![((9, 2), [0, 0], 1), ((9, 2), [0, 1], -1), ((9, 2), [1, 1], 2)],
        &vec![((9, 1, 2), [0, 0], 1), ((9, 1, 2), [0, 1], -1), ((9, 1, 2), [1, 0], -1), ((9, 1, 2), [1, 1], 3)],
    );
}

/// A2: a join was wrong when both of its inputs changed at the same time.
#[test]
fn a2_both_inputs_change_at_the_same_time() {
    let moves = |value| -> Updates<Pair> {
        vec![((1, value), [0, 0], 1), ((1, value), [1, 0], -1), ((1, value + 1), [1, 0], 1)]
    };
    join_makes(
        &moves(10),
        &moves(20),
        &vec![((1, 10, 20), [0, 0], 1), ((1, 10, 20), [1, 0], -1), ((1, 11, 21), [1, 0], 1)],
    );
}

/// Runs an antijoin and answers its changes after each of some steps, which change the right side.
fn antijoin_changes(right_steps: &[&[(Pair, i64)]]) -> Vec<Vec<(Pair, i64)>> {
    let changes = run_alone(Config::default(), |worker| {
        let (mut left, mut right, mut output) = worker.dataflow(|scope| {
            let (left_session, left) = scope.input::<Pair>("left");
            let (right_session, right) = scope.input::<Pair>("right");
            (left_session, right_session, left.antijoin(&right.map(|(key, _)| key)).output())
        })?;
        left.insert((1, 100));
        let mut changes = Vec::new();
        for step in right_steps {
            step.iter().for_each(|(pair, diff)| right.update(*pair, *diff));
            worker.commit((&mut left, &mut right))?;
            changes.push(output.changes().into_iter().map(|(pair, _, diff)| (pair, diff)).collect());
        }
        Ok::<_, Error>(changes)
    });
    changes.expect("nothing in it fails")
}

/// What a join of two arrangements emits that is built after six epochs, which changed both; and from when on they were
/// read. Before that the worker rests, until traces are in their smallest form, or does not.
fn late_join(
    workers: usize,
    rests: bool,
    left: &[(u64, i64)],
    right: &[(u64, i64)],
) -> Vec<((u32, u32, u32), Point, i64)> {
    let changes = run(Config::workers(workers), |worker| {
        let (mut sessions, arranged) = worker.dataflow(|scope| {
            let inputs = ["left", "right"].map(|name| scope.input::<Pair>(name));
            let arranged = inputs.each_ref().map(|(_, pairs)| pairs.arrange_by_key("held"));
            (inputs.map(|(session, _)| session), arranged)
        })?;
        for epoch in 0..=5 {
            if worker.index() == 0 {
                for (session, (value, changes)) in sessions.iter_mut().zip([(1, left), (2, right)]) {
                    changes
                        .iter()
                        .filter(|change| change.0 == epoch)
                        .for_each(|(_, diff)| session.update((9, value), *diff));
                }
            }
            let [left, right] = &mut sessions;
            worker.commit((left, right))?;
        }
        if rests {
            (0..100).try_for_each(|_| worker.step().map(drop))?;
        }
        let mut joined =
            worker.dataflow(|_| arranged[0].join(&arranged[1], |key, one, other| (key, one, other)).output())?;
        let [left, right] = &mut sessions;
        worker.commit((left, right))?;
        Ok::<_, Error>(joined.changes())
    });
    changes.expect("nothing in it fails").concat()
}

/// A11: arrangements that may forget, but have not merged yet, were read by a later join, which counted twice or missed,
/// with several workers only.
#[test]
fn a11_a_later_join_of_arrangements_with_a_past() {
    for (workers, rests) in [(1, false), (1, true), (2, false), (2, true), (3, false)] {
        let made = late_join(workers, rests, &[(1, 1), (3, -1), (4, 1)], &[(2, 1)]);
        assert_eq!(made, [((9, 1, 2), Point::from(5), 1)], "{workers} workers, rests: {rests}");
    }
}

/// A12: two traces that had moved on and merged were joined by asking for a cut at the least time, which panicked.
#[test]
fn a12_a_later_join_of_traces_that_moved_on() {
    for rests in [false, true] {
        assert_eq!(late_join(1, rests, &[(0, 1)], &[(0, 1)]), [((9, 1, 2), Point::from(5), 1)], "rests: {rests}");
    }
}

/// One key with a tenth of all rows on both sides is a million pairs. They are met a step at a time, and other queries'
/// commits don't wait for them.
#[test]
fn a_key_with_a_tenth_of_all_rows_lets_others_go_on() {
    let (rows, heavy) = (10_000u32, 1_000u32);
    let met = Rc::new(Cell::new(0u64));
    let counted = Rc::clone(&met);
    let outcome = run_alone(Config::default().step_fuel(10_000), |worker| {
        let (mut left, mut right, mut numbers, output) = worker.dataflow(|scope| {
            let (left_session, left) = scope.input::<Pair>("left");
            let (right_session, right) = scope.input::<Pair>("right");
            let (number_session, numbers) = scope.input::<u32>("numbers");
            let none = left.by_key().join_flat(&right.by_key(), move |_, _, _| {
                counted.set(counted.get() + 1);
                None::<u32>
            });
            none.probe();
            (left_session, right_session, number_session, numbers.distinct().output())
        })?;
        for row in 0..rows {
            left.insert((row.saturating_sub(heavy), row));
            right.insert((row.saturating_sub(heavy), row));
        }
        drop((left, right));
        while met.get() == 0 {
            worker.step()?;
        }
        for number in 0..10 {
            numbers.insert(number);
            worker.commit(&mut numbers)?;
            assert_eq!(output.rows().expect("complete").len() as u32, number + 1);
        }
        let meanwhile = met.get();
        while worker.step()? {}
        Ok::<_, Error>((meanwhile, met.get()))
    });
    let (meanwhile, all) = outcome.expect("nothing in it fails");
    // Row `heavy` has key zero as well.
    assert_eq!(all, u64::from(heavy + 1).pow(2) + u64::from(rows - heavy - 1));
    assert!(meanwhile < all / 2, "ten commits of another query waited for {meanwhile} of {all} pairs");
}

/// A13: with two values for one key on the right, the left pair came out with count -1.
#[test]
fn a13_antijoin_against_several_values_of_one_key() {
    let steps: [&[(Pair, i64)]; 3] = [&[((1, 7), 1), ((1, 8), 1)], &[((1, 7), -1)], &[((1, 8), -1)]];
    assert_eq!(antijoin_changes(&steps), [vec![], vec![], vec![((1, 100), 1)]]);
}

/// A14: with the key counted twice on the right, "the left less the semijoin" gave -1.
#[test]
fn a14_antijoin_against_a_key_counted_twice() {
    let steps: [&[(Pair, i64)]; 3] = [&[((1, 7), 2)], &[((1, 7), -1)], &[((1, 7), -1)]];
    assert_eq!(antijoin_changes(&steps), [vec![], vec![], vec![((1, 100), 1)]]);
}

/// A15: an insertion and its deletion, both on their way to a join, were merged to nothing in the trace before the join
/// took them. It trusted the trace, skipped both, and readers at the finer times never saw the pair.
///
/// Here a `flat_map` of little fuel lets its output's frontier move between its containers, so that the arrangement
/// seals, and may merge, batch after batch before the join has fuel.
#[test]
fn a15_batches_in_flight_that_cancel_in_the_trace_are_still_owed() {
    let grid = Grid::line(2);
    let left: History<Pair> = vec![((9, 1), Point::from(0), 1), ((9, 1), Point::from(1), -1)];
    let right: History<Pair> = vec![((9, 2), Point::from(0), 1)];
    for fuel in [1, 2, 3, 5, 10, 100] {
        for arrival in [Arrival::InTime, Arrival::Ahead, Arrival::OneByOne] {
            for frontiers in [grid.at_once(), grid.along(0, 1)] {
                let way = Way::new(frontiers).feeding(arrival).with_fuel(fuel).dropping_handles();
                let mut made = check(
                    "join",
                    &grid,
                    &way,
                    &[left.clone(), right.clone()],
                    |inputs, _| {
                        let slow = inputs[0].flat_map(|pair| [pair]).flat_map(|pair| [pair]);
                        slow.join_map(&inputs[1], |key, one, other| (key, one, other))
                    },
                    recompute(|bags| join(&bags[0], &bags[1])),
                );
                made.sort();
                let expected = vec![((9, 1, 2), Point::from(0), 1), ((9, 1, 2), Point::from(1), -1)];
                assert_eq!(made, expected, "{way:?}");
            }
        }
    }
}

/// A15, as it was met: strong components of a small graph that gains a random edge a round and loses an old one. One run
/// in three was wrong, or never ended.
#[test]
fn a15_strong_components_round_after_round() {
    let wrong = Cell::new(None);
    let rounds = 150;
    let (nodes, edges) = (10, 20);
    let result = run_alone(Config::default(), |worker| {
        let (mut session, output) = worker.dataflow(|scope| {
            let (session, edges) = scope.input::<Pair>("edges");
            (session, algorithms::strong_edges(&edges.distinct()).output())
        })?;
        let mut random = Random::new(15);
        let mut present: Vec<Pair> = Vec::new();
        for round in 0..rounds {
            while present.len() <= edges {
                let edge = (random.below(nodes) as u32, random.below(nodes) as u32);
                present.push(edge);
                session.insert(edge);
            }
            session.remove(present.remove(0));
            worker.commit(&mut session)?;
            let rows: BTreeSet<Pair> = output.rows().expect("complete").into_iter().map(|(edge, _)| edge).collect();
            if rows != strong_edges(&bag(present.iter().map(|edge| (*edge, 1)))) && wrong.get().is_none() {
                wrong.set(Some(round));
            }
        }
        Ok::<_, Error>(())
    });
    assert_eq!((result, wrong.get()), (Ok(()), None), "the error, and the first round that was wrong");
}

/// B9: a record that is there 2^32 times, joined with itself, was there 0 times. Here that is an error that says when, and
/// half way the count is exact.
#[test]
fn b9_a_product_of_counts_is_exact_or_an_error() {
    let squared = |changes: &'static [i64]| {
        run_alone(Config::default(), move |worker| {
            let (mut pairs, squares) = worker.dataflow(|scope| {
                let (session, pairs) = scope.input::<Pair>("pairs");
                (session, pairs.join_map(&pairs, |key, one, other| (key, one, other)).output())
            })?;
            let mut epoch = 0;
            for change in changes {
                pairs.update((7, 1), *change);
                epoch = worker.commit(&mut pairs)?;
            }
            Ok::<_, Error>(squares.snapshot(epoch).expect("it is complete"))
        })
    };
    assert_eq!(squared(&[1 << 31]), Ok(vec![((7, 1, 1), 1 << 62)]));
    // Grown to that in two commits, of which each is multiplied with the other.
    assert_eq!(squared(&[1 << 30, 1 << 30]), Ok(vec![((7, 1, 1), 1 << 62)]));
    let overflow = |time: u64| {
        Err(Error::Operator { operator: "join".into(), time: Some(Point::from(time)), reason: Reason::Overflow })
    };
    assert_eq!(squared(&[1 << 32]), overflow(0));
    assert_eq!(squared(&[1 << 31, 1 << 31]), overflow(1));
}
