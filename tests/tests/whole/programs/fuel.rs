//! Little fuel: a step is bounded, nobody starves, and the answer is the same.
//!
//! (That every program gives the same answers with little fuel is checked where the programs are: `tests::every_way` has
//! ways with 1 and 50 units a step.)

use std::collections::BTreeSet;

use tests::Pair;

use differential::operators::Variable;
use differential::{Config, Error, run_alone};

#[test]
fn a_long_join_takes_many_steps() {
    let outcome = run_alone(Config::default().step_fuel(50), |worker| {
        let (mut pairs, output) = worker.dataflow(|scope| {
            let (session, pairs) = scope.input::<Pair>("pairs");
            (session, pairs.join_map(&pairs, |_, one, other| (one, other)).output())
        })?;
        for value in 0..100 {
            pairs.insert((0, value));
        }
        // Closed by being dropped: a commit would run to the end.
        drop(pairs);
        let mut steps = 0;
        while !output.frontier().is_empty() {
            let more = worker.step()?;
            assert!(more || output.frontier().is_empty(), "the join is not done");
            steps += 1;
        }
        Ok::<_, Error>((output.rows().expect("complete").len(), steps))
    });
    let (rows, steps) = outcome.expect("nothing in it fails");
    assert_eq!(rows, 10_000);
    assert!(steps > 10, "{steps} steps of 50 units for 10,000 rows");
}

#[test]
fn a_loop_without_end_starves_nobody() {
    let outcome = run_alone(Config::default().step_fuel(200), |worker| {
        let (mut endless, mut numbers, output) = worker.dataflow(|scope| {
            let (endless_session, start) = scope.input::<u64>("endless");
            let variable = Variable::from(&scope.inner("endless"), &start);
            // One more of everything, each round: it never converges.
            let next = variable.current().map(|number| number + 1);
            variable.set(&next);
            let (session, numbers) = scope.input::<u32>("numbers");
            (endless_session, session, numbers.count().output())
        })?;
        endless.insert(0);
        drop(endless);
        for _ in 0..10 {
            assert!(worker.step()?, "the loop has always work left");
        }
        numbers.insert(7);
        drop(numbers);
        for _ in 0..1_000 {
            assert!(worker.step()?, "the loop has always work left");
            if output.frontier().is_empty() {
                return Ok(output.rows().expect("complete"));
            }
        }
        Ok::<_, Error>(vec![])
    });
    assert_eq!(outcome, Ok(vec![((7, 1), 1)]));
}

/// What the output says to be complete is what it can be asked for, and the rows are what its changes come to, whenever
/// that is: its arrangement may be a step ahead.
#[test]
fn an_output_says_one_thing_between_any_two_steps() {
    let outcome = run_alone(Config::default().step_fuel(1), |worker| {
        let (mut numbers, mut output) = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u64>("numbers");
            (session, numbers.output())
        })?;
        (0..8).try_for_each(|time| numbers.update_at(time, time, 1))?;
        drop(numbers);
        let mut seen = BTreeSet::new();
        loop {
            let more = worker.step()?;
            seen.extend(output.changes().into_iter().map(|(number, _, diff)| (number, diff)));
            assert_eq!(output.rows().expect("no count overflows"), seen.iter().copied().collect::<Vec<_>>());
            let frontier = output.frontier();
            for time in 0..8u64 {
                let complete = !frontier.admits(&time.into());
                assert_eq!(output.snapshot(time).is_ok(), complete, "at {time}, with the output at {frontier:?}");
            }
            if !more {
                assert!(frontier.is_empty() && seen.len() == 8);
                return Ok::<_, Error>(());
            }
        }
    });
    assert_eq!(outcome, Ok(()));
}
