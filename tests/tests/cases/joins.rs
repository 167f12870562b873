//! Faults of joins that other engines met, each restated as a small history with its answer.

use std::cell::Cell;
use std::collections::BTreeSet;

use tests::{Arrival, Grid, History, Pair, Random, Way, bag, check, every_way, join, recompute, strong_edges};

use differential::time::Point;
use differential::{Config, Error, algorithms, run_alone};

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
