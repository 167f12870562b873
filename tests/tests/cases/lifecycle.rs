//! Faults of inputs that close, compact or go quiet, as other engines met them, each restated with its answer.

use differential::time::{Frontier, Point};
use differential::{Config, Error, run_alone};

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
