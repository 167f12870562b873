//! Faults of inputs that close, compact or go quiet, as other engines met them, each restated with its answer.

use tests::Pair;

use differential::layout::Rows;
use differential::operators::Arranged;
use differential::time::{Frontier, Point};
use differential::{Config, Error, Worker, run_alone};

/// F1: a reduction of a trace that was closed and compacted failed on its first read.
#[test]
fn f1_a_reduction_of_a_closed_and_compacted_trace() {
    let rows = run_alone(Config::default(), |worker| {
        let (mut session, arranged) = worker.dataflow(|scope| {
            let (session, records) = scope.input::<String>("records");
            (session, records.arrange_by_self("records"))
        })?;
        // Written over several epochs, with something that cancels, so that there is something to compact.
        for (record, diff) in [("a", 2), ("b", 1), ("a", -1), ("b", 1), ("c", 1), ("c", -1)] {
            session.update(record.to_string(), diff);
            worker.commit(&mut session)?;
        }
        worker.commit_to(Frontier::empty(), &mut session)?;
        drop(session);
        while worker.step()? {}
        let (output, probe) = worker.dataflow(|_| {
            let counts = arranged.reduce("count", |_, values, made| made.push((values[0].1, 1i64)));
            let counts = counts.as_collection(|record, count| (record.to_string(), count));
            (counts.output(), counts.probe())
        })?;
        worker.run()?;
        Ok::<_, Error>((output.rows().expect("complete"), probe.frontier()))
    });
    let expected = vec![(("a".to_string(), 1), 1), (("b".to_string(), 2), 1)];
    assert_eq!(rows, Ok((expected, Frontier::empty())));
}

/// A worker whose inputs had all been closed, or that had stepped before anything was built, never ran again: the next
/// commit waited for ever.
#[test]
fn a_worker_goes_on_after_its_region_was_complete() {
    let rounds = run_alone(Config::default(), |worker| {
        worker.run()?;
        let mut rounds = Vec::new();
        for round in 0..3 {
            let (mut session, output) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                (session, numbers.distinct().output())
            })?;
            session.insert(round);
            worker.commit(&mut session)?;
            session.insert(round + 10);
            drop(session);
            worker.run()?;
            for _ in 0..10 {
                worker.step()?;
            }
            rounds.push((output.rows()?, output.frontier()));
        }
        Ok::<_, Error>(rounds)
    });
    let expected = |round| (vec![(round, 1), (round + 10, 1)], Frontier::<Point>::empty());
    assert_eq!(rounds, Ok((0..3).map(expected).collect()));
}

/// F3: with many inputs of which only one advances while the others are dropped, everybody waited for everybody.
///
/// (The case has 100 workers; with one worker, a hundred inputs of one dataflow stand for them.)
#[test]
fn f3_one_input_advances_while_all_others_are_dropped() {
    let rounds = 10_000;
    let end = run_alone(Config::default(), |worker| {
        let (mut sessions, probes) = worker.dataflow(|scope| {
            let inputs = (0..100).map(|at| scope.input::<u32>(&format!("input {at}")));
            let copies = inputs.map(|(session, numbers)| (session, numbers.map(|number| number).probe()));
            copies.unzip::<_, _, Vec<_>, Vec<_>>()
        })?;
        let mut first = sessions.swap_remove(0);
        drop(sessions);
        for round in 0..rounds {
            assert_eq!(worker.commit(&mut first)?, round);
            assert!(probes[0].is_complete(round), "round {round}");
        }
        Ok::<_, Error>((first.epoch(), probes[1..].iter().all(|probe| probe.frontier().is_empty())))
    });
    assert_eq!(end, Ok((rounds, true)));
}

/// How many updates an arrangement holds.
fn held(arranged: &Arranged<Rows<u32, u32, Point, i64>>) -> usize {
    let mut held = 0;
    arranged.for_each(|_, _, _, _| held += 1);
    held
}

/// Steps without anything to do, in which traces are tidied up.
fn rest(worker: &mut Worker<'_>) -> Result<(), Error> {
    (0..100).try_for_each(|_| worker.step().map(drop))
}

/// F12: after all that was inserted had been deleted, arrangements kept rows for ever.
#[test]
fn f12_what_was_deleted_leaves_no_rows_behind() {
    let rows = 5_000;
    let left_over = run_alone(Config::default(), |worker| {
        let (mut left, mut right, arranged, output) = worker.dataflow(|scope| {
            let (left_session, left) = scope.input::<Pair>("left");
            let (right_session, right) = scope.input::<Pair>("right");
            let arranged = [left, right].map(|pairs| pairs.arrange_by_key("held"));
            let joined = arranged[0].join(&arranged[1], |key, _, _| key % 100);
            (left_session, right_session, arranged, joined.count().output())
        })?;
        for diff in [1, -1] {
            for row in 0..rows {
                left.update((row, 1), diff);
                right.update((row, 2), diff);
            }
            worker.commit((&mut left, &mut right))?;
            assert_eq!(output.rows().expect("complete").len(), if diff > 0 { 100 } else { 0 });
        }
        // Time goes on without data.
        worker.commit((&mut left, &mut right))?;
        worker.commit((&mut left, &mut right))?;
        rest(worker)?;
        Ok::<_, Error>(arranged.each_ref().map(held))
    });
    assert_eq!(left_over, Ok([0, 0]));
}

/// F13: a value that came in one batch and went in the next was kept until the same value came again.
#[test]
fn f13_values_that_come_once_are_forgotten() {
    let rests = run_alone(Config::default(), |worker| {
        let (mut session, arranged) = worker.dataflow(|scope| {
            let (session, pairs) = scope.input::<Pair>("pairs");
            (session, pairs.arrange_by_key("held"))
        })?;
        let mut rests = Vec::new();
        for number in 0..2_000 {
            for diff in [1, -1] {
                session.update((number, 0), diff);
                worker.commit(&mut session)?;
            }
            if number % 500 == 499 {
                rest(worker)?;
                rests.push(held(&arranged));
            }
        }
        Ok::<_, Error>(rests)
    });
    // The last commit's own deletion can still be told from what it deletes.
    assert_eq!(rests, Ok(vec![2; 4]));
}

/// F14: what reads a table late, whose every row was replaced ten times, took memory for all of that past.
#[test]
fn f14_a_late_reader_of_a_long_past_takes_what_is_left_of_it() {
    let rows = 2_000;
    let outcome = run_alone(Config::default(), |worker| {
        let (mut session, arranged) = worker.dataflow(|scope| {
            let (session, pairs) = scope.input::<Pair>("table");
            (session, pairs.arrange_by_key("held"))
        })?;
        for version in 0..=10 {
            for row in 0..rows {
                session.insert((row, version));
                if version > 0 {
                    session.remove((row, version - 1));
                }
            }
            worker.commit(&mut session)?;
        }
        worker.commit(&mut session)?;
        let output = worker.dataflow(|_| arranged.as_collection(|_, version| version).count().output())?;
        worker.commit(&mut session)?;
        Ok::<_, Error>((output.rows().expect("complete"), held(&arranged)))
    });
    let (counts, held) = outcome.expect("nothing in it fails");
    assert_eq!(counts, [((10, i64::from(rows)), 1)]);
    assert!(held <= 3 * rows as usize, "{held} updates are held for {rows} rows");
}
