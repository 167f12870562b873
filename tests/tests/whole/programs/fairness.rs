//! A query with work for long, or for ever, does not keep others of its region waiting.
//!
//! Waiting is counted in activations of the region, each of which spends a fixed amount of fuel: no clock is looked at.
//! With several workers how often one is activated depends on when the others' messages come; there only the answers
//! are checked, and that they come.

use differential::prelude::*;
use tests::Random;

/// Units of fuel of one activation: some records, and not all of a round's.
const FUEL: u64 = 500;

/// A small query beside another, committed again and again; answers the most activations that a commit took.
fn commits_beside(
    worker: &mut Worker<'_>,
    other: impl FnOnce(&mut Worker<'_>) -> Result<(), Error>,
) -> Result<u64, Error> {
    let (mut words, mut counts) = worker.dataflow(|scope| {
        let (session, words) = scope.input::<u64>("words");
        (session, words.count().gather().output())
    })?;
    other(worker)?;
    for _ in 0..5 {
        worker.step()?;
    }
    let mut most = 0;
    for turn in 0..20 {
        words.insert(turn % 3);
        let before = worker.work().activations;
        let epoch = worker.commit(&mut words)?;
        most = most.max(worker.work().activations - before);
        if worker.index() == 0 {
            let each = worker.peers() as i64;
            let count = (turn as i64 / 3 + 1) * each;
            let expected = (turn % 3, count);
            let changes = counts.changes();
            assert!(changes.contains(&(expected, Point::from(epoch), 1)), "after turn {turn}: {changes:?}");
        }
    }
    Ok(most)
}

/// Starts a loop that never ends: its input is fed and closed, and nobody waits for it.
fn never_ends(worker: &mut Worker<'_>) -> Result<(), Error> {
    let mut numbers = worker.dataflow(|scope| {
        let (session, numbers) = scope.input::<u64>("numbers");
        numbers.iterate(|numbers| numbers.map(|n| n + 1)).probe();
        session
    })?;
    (0..10).for_each(|number| numbers.insert(number));
    drop(numbers);
    Ok(())
}

/// Starts a join of one key with many values on both sides.
fn takes_long(worker: &mut Worker<'_>) -> Result<(), Error> {
    let (mut left, mut right) = worker.dataflow(|scope| {
        let (left_session, left) = scope.input::<(u64, u64)>("left");
        let (right_session, right) = scope.input::<(u64, u64)>("right");
        left.join_map(&right, |_, a, b| a + b).map(|sum| sum % 7).consolidate().probe();
        (left_session, right_session)
    })?;
    for value in 0..2_000 {
        left.insert((1, value));
        right.insert((1, value));
    }
    drop((left, right));
    Ok(())
}

#[test]
fn a_loop_that_never_ends_delays_a_commit_by_a_few_activations() {
    let most = run_alone(Config::default().step_fuel(FUEL), |worker| commits_beside(worker, never_ends));
    let most = most.expect("nothing fails");
    assert!(most <= 6, "a commit took {most} activations");
}

#[test]
fn a_long_join_delays_a_commit_by_a_few_activations() {
    let most = run_alone(Config::default().step_fuel(FUEL), |worker| commits_beside(worker, takes_long));
    let most = most.expect("nothing fails");
    assert!(most <= 6, "a commit took {most} activations");
}

/// Starts a load that takes long to sort: into an arrangement, and added up as it is.
fn loads_much(worker: &mut Worker<'_>) -> Result<(), Error> {
    let mut pairs = worker.dataflow(|scope| {
        let (session, pairs) = scope.input::<(u64, u64)>("pairs");
        pairs.count().probe();
        pairs.consolidate().probe();
        session
    })?;
    let mut random = Random::new(1);
    for _ in 0..200_000 {
        pairs.insert((random.below(1 << 31), random.below(1 << 4)));
    }
    drop(pairs);
    Ok(())
}

#[test]
fn a_large_load_takes_many_activations_and_delays_a_commit_by_a_few() {
    let alone = |worker: &mut Worker<'_>| {
        loads_much(worker)?;
        worker.run()?;
        Ok::<_, Error>(worker.work().activations)
    };
    let config = || Config::default().step_fuel(100_000);
    let all = run_alone(config(), alone).expect("nothing fails");
    // The fuel of an activation is good for some ten thousand rows, and each of two times two hundred thousand is read,
    // written and sorted.
    assert!(all > 30, "the load took {all} activations");
    let most = run_alone(config(), |worker| commits_beside(worker, loads_much)).expect("nothing fails");
    assert!(most <= 6, "a commit took {most} activations");
}

#[test]
fn several_workers_commit_beside_a_long_join() {
    let answers = run(Config::workers(2).step_fuel(FUEL), |worker| commits_beside(worker, takes_long));
    assert_eq!(answers.expect("nothing fails").len(), 2);
}
