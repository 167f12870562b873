//! What comes from outside and is wrong becomes a typed error with the facts in it, and the rest goes on.

use std::cell::Cell;
use std::rc::Rc;

use tests::Pair;

use differential::collection::{Collection, Session};
use differential::error::Reason;
use differential::operators::{Output, Variable};
use differential::time::{Frontier, Point};
use differential::trace::ReadError;
use differential::{Config, Error, Worker, run_alone};

/// A worker with two queries: one that the test puts at risk, and a plain one that must go on.
struct Two {
    risky: Session<Pair>,
    outcome: Output<Pair>,
    plain: Session<u32>,
    doubled: Output<u32>,
}

fn two(worker: &mut Worker<'_>, program: impl FnOnce(&Collection<Pair>) -> Collection<Pair>) -> Result<Two, Error> {
    let (risky, outcome) = worker.dataflow(|scope| {
        let (session, pairs) = scope.input::<Pair>("risky");
        (session, program(&pairs).output())
    })?;
    let (plain, doubled) = worker.dataflow(|scope| {
        let (session, numbers) = scope.input::<u32>("plain");
        (session, numbers.map(|number| 2 * number).output())
    })?;
    Ok(Two { risky, outcome, plain, doubled })
}

/// Feeds something good, then something that stops `program`; then checks that the good is still readable, that the
/// error is told again, and that the other query goes on. Answers the error.
fn stops(program: impl FnOnce(&Collection<Pair>) -> Collection<Pair>, good: (Pair, i64), bad: (Pair, i64)) -> Error {
    run_alone(Config::default(), |worker| {
        let mut two = two(worker, program).expect("it can be built");
        two.risky.update(good.0, good.1);
        two.plain.insert(1);
        let (risky, plain) = (&mut two.risky, &mut two.plain);
        assert_eq!(worker.commit((risky, plain)), Ok(0));
        let before = two.outcome.rows().expect("complete");
        assert!(!before.is_empty(), "the good row has a result");

        two.risky.update(bad.0, bad.1);
        two.plain.insert(2);
        let error = worker.commit((&mut two.risky, &mut two.plain)).expect_err("the bad row stops an operator");
        assert_eq!(two.outcome.rows().expect("what was complete"), before);
        assert_eq!(two.outcome.snapshot(0).map(|rows| rows == before), Ok(true));
        assert_eq!(two.outcome.frontier(), Frontier::from(Point::from(1)), "epoch 1 is not complete");
        assert!(matches!(two.outcome.snapshot(1), Err(ReadError::NotYet { .. })));
        assert_eq!(two.doubled.rows().expect("complete"), vec![(2, 1), (4, 1)]);

        two.plain.insert(3);
        // Nothing is silently lost: the query that stopped says so again, and the other one still goes on.
        let again = worker.commit((&mut two.risky, &mut two.plain)).expect_err("it is still stopped");
        assert_eq!(again, error);
        assert_eq!(two.doubled.rows().expect("complete"), vec![(2, 1), (4, 1), (6, 1)]);
        error
    })
}

fn facts(error: &Error) -> (&str, Option<&Point>, &Reason) {
    match error {
        Error::Operator { operator, time, reason } => (operator, time.as_ref(), reason),
        other => panic!("not an operator's error: {other}"),
    }
}

#[test]
fn an_update_at_a_closed_time_is_refused_and_nothing_changes() {
    run_alone(Config::default(), |worker| {
        let mut two = two(worker, |pairs| pairs.distinct()).expect("it can be built");
        for _ in 0..3 {
            worker.commit(&mut two.risky).expect("nothing fails");
        }
        let refused = two.risky.update_at((1, 1), 2, 1);
        let (time, frontier) = (Point::from(2), Frontier::from(Point::from(3)));
        assert_eq!(refused, Err(Error::Closed { input: "risky".into(), time, frontier }));
        let message = refused.expect_err("as above").to_string();
        assert!(message.contains("risky") && message.contains('2') && message.contains('3'), "{message}");
        two.risky.update_at((2, 2), 3, 1).expect("the present is open");
        two.risky.update_at((3, 3), 5, 1).expect("so is the future");
        assert_eq!(worker.commit(&mut two.risky), Ok(3));
        assert_eq!(two.outcome.rows().expect("complete"), vec![((2, 2), 1)]);
        worker.commit_to(Point::from(6), &mut two.risky).expect("forward");
        assert_eq!(two.outcome.rows().expect("complete"), vec![((2, 2), 1), ((3, 3), 1)]);
    });
}

#[test]
fn a_commit_that_goes_back_is_refused_and_moves_nobody() {
    run_alone(Config::default(), |worker| {
        let mut two = two(worker, |pairs| pairs.distinct()).expect("it can be built");
        worker.commit_to(Point::from(4), &mut two.risky).expect("forward");
        two.plain.insert(1);
        let back = worker.commit_to(Point::from(2), (&mut two.plain, &mut two.risky));
        let (asked, frontier) = (Frontier::from(Point::from(2)), Frontier::from(Point::from(4)));
        assert_eq!(back, Err(Error::Backwards { input: "risky".into(), asked, frontier }));
        assert_eq!(two.plain.frontier(), Frontier::minimum(), "nobody moved");
        assert_eq!(worker.commit((&mut two.plain, &mut two.risky)), Ok(4), "they meet past the later one");
        assert_eq!(two.doubled.rows().expect("complete"), vec![(2, 1)]);
    });
}

#[test]
fn an_insertion_into_a_closed_input_is_told_by_the_next_commit() {
    run_alone(Config::default(), |worker| {
        let mut two = two(worker, |pairs| pairs.distinct()).expect("it can be built");
        two.risky.insert((1, 1));
        worker.commit_to(Frontier::empty(), &mut two.risky).expect("forward");
        two.risky.insert((2, 2));
        let refused = worker.commit_to(Frontier::empty(), &mut two.risky);
        assert!(matches!(&refused, Err(Error::Closed { input, .. }) if input == "risky"), "{refused:?}");
        drop(two.risky);
        worker.run().expect("nothing that was fed is wrong");
        assert_eq!(two.outcome.rows().expect("complete"), vec![((1, 1), 1)]);
    });
}

#[test]
fn the_last_epoch_there_is_can_be_committed() {
    run_alone(Config::default(), |worker| {
        let mut two = two(worker, |pairs| pairs.distinct()).expect("it can be built");
        worker.commit_to(Point::from(u64::MAX), &mut two.risky).expect("forward");
        two.risky.insert((1, 1));
        assert_eq!(worker.commit(&mut two.risky), Ok(u64::MAX));
        assert!(two.outcome.frontier().is_empty());
        assert_eq!(two.outcome.rows().expect("complete"), vec![((1, 1), 1)]);
    });
}

#[test]
fn a_sum_that_overflows() {
    let error = stops(|pairs| pairs.distinct(), ((1, 1), i64::MAX), ((1, 1), 1));
    let (operator, time, reason) = facts(&error);
    assert_eq!(reason, &Reason::Overflow);
    assert!(["distinct", "threshold", "arrange for threshold"].contains(&operator), "{operator}");
    assert_eq!(time, Some(&Point::from(1)));
    assert!(error.to_string().contains(operator));
}

#[test]
fn a_sum_that_overflows_within_one_commit() {
    run_alone(Config::default(), |worker| {
        let mut two = two(worker, |pairs| pairs.consolidate()).expect("it can be built");
        two.risky.update((1, 1), i64::MAX);
        two.risky.update((1, 1), 1);
        let error = worker.commit(&mut two.risky).expect_err("the sum has no i64");
        assert_eq!(facts(&error).2, &Reason::Overflow);
    });
}

/// Feeds pairs at several epochs, closes all of them in one commit, and answers what stopped, with its time.
fn stopped_at(
    program: impl FnOnce(&Collection<Pair>) -> Collection<Pair>,
    fed: &[(Pair, u64, i64)],
) -> (String, Option<Point>) {
    run_alone(Config::default(), |worker| {
        let mut two = two(worker, program).expect("it can be built");
        for &(pair, epoch, diff) in fed {
            two.risky.update_at(pair, epoch, diff).expect("all is open");
        }
        let error = worker.commit_to(10, &mut two.risky).expect_err("something overflows");
        let (operator, time, _) = facts(&error);
        (operator.to_string(), time.cloned())
    })
}

#[test]
fn an_overflow_is_told_with_its_time_whoever_met_it() {
    let fed = [((1, 1), 2, 1), ((2, 2), 3, i64::MIN), ((3, 3), 6, i64::MIN)];
    let named = |operator: &str, epoch: u64| (operator.to_string(), Some(Point::from(epoch)));
    assert_eq!(stopped_at(|pairs| pairs.negate(), &fed), named("negate", 3));
    assert_eq!(stopped_at(|pairs| pairs.negate(), &fed[1..2]), named("negate", 3), "one time for all");
    assert_eq!(stopped_at(|pairs| pairs.explode(|pair| [(pair, -1i64)]), &fed), named("explode", 3));
    assert_eq!(stopped_at(|pairs| pairs.delay(u64::MAX - 4), &fed), ("delay".to_string(), Some(Point::from(6))));
    let fed = [((1, 1), 2, i64::MAX), ((1, 1), 5, i64::MAX), ((1, 1), 5, 1)];
    assert_eq!(stopped_at(|pairs| pairs.consolidate(), &fed), named("consolidate", 5));
    let arranged = |pairs: &Collection<Pair>| pairs.arrange_by_key("by key").as_collection(|key, value| (key, value));
    assert_eq!(stopped_at(arranged, &fed), named("by key", 5));
    let crossed = |pairs: &Collection<Pair>| {
        let (small, large) = (pairs.filter(|(key, _)| key == 1), pairs.map(|(_, value)| (1, value)));
        small.arrange_by_key("small").join(&large.arrange_by_key("large"), |key, _, value| (key, value))
    };
    let fed = [((1, 1), 2, 1 << 40), ((2, 2), 4, 1), ((2, 3), 7, 1 << 40), ((2, 4), 8, 1 << 40)];
    assert_eq!(stopped_at(crossed, &fed[..1]), named("join", 2));
    let fed = [&[((1, 1), 2, 3)], &fed[1..], &[((2, 5), 7, i64::MAX)]].concat();
    assert_eq!(stopped_at(crossed, &fed), named("join", 7));
}

#[test]
fn a_product_that_overflows() {
    let squared = |pairs: &Collection<Pair>| {
        let by_key = pairs.arrange_by_key("pairs");
        by_key.join(&by_key, |key, one, _| (key, one))
    };
    let error = stops(squared, ((1, 1), 1 << 31), ((2, 2), 1 << 32));
    assert_eq!(facts(&error), ("join", Some(&Point::from(1)), &Reason::Overflow));
    // Halfway, it is exact.
    let rows = run_alone(Config::default(), |worker| {
        let mut two = two(worker, squared).expect("it can be built");
        two.risky.update((1, 1), 1 << 31);
        worker.commit(&mut two.risky).expect("it fits");
        two.outcome.rows().expect("complete")
    });
    assert_eq!(rows, vec![((1, 1), 1 << 62)]);
}

#[test]
fn a_negation_that_overflows() {
    let error = stops(|pairs| pairs.negate(), ((1, 1), 1), ((2, 2), i64::MIN));
    assert_eq!(facts(&error), ("negate", Some(&Point::from(1)), &Reason::Overflow));
}

#[test]
fn a_delay_past_the_end_of_time() {
    let error =
        stops(|pairs| pairs.filter(|(key, _)| key == 2).delay(u64::MAX).concat(pairs), ((1, 1), 1), ((2, 2), 1));
    assert_eq!(facts(&error), ("delay", Some(&Point::from(1)), &Reason::LateTime));
}

#[test]
fn a_closure_that_panics() {
    let error = stops(
        |pairs| pairs.map(|(key, value)| if key == 13 { panic!("thirteen, of all numbers") } else { (key, value) }),
        ((1, 1), 1),
        ((13, 1), 1),
    );
    assert_eq!((facts(&error).0, facts(&error).2), ("map", &Reason::Panic("thirteen, of all numbers".into())));
    let error = stops(
        |pairs| pairs.reduce("picky", |key, _, made| made.push((100 / (key - 13), 1i64))),
        ((14, 1), 1),
        ((13, 1), 1),
    );
    let (operator, _, reason) = facts(&error);
    assert_eq!(operator, "picky");
    assert!(matches!(reason, Reason::Panic(message) if message.contains("divide by zero")), "{reason:?}");
    let error = stops(
        |pairs| pairs.join_map(pairs, |key, one, _| if key == 13 { panic!("again") } else { (key, one) }),
        ((1, 1), 1),
        ((13, 1), 1),
    );
    assert_eq!((facts(&error).0, facts(&error).2), ("join", &Reason::Panic("again".into())));
}

#[test]
fn a_closure_that_panics_in_a_loop() {
    let error = stops(
        |pairs| {
            pairs.iterate(|pairs| {
                let next = pairs.filter(|(key, _)| key < 20).map(|(key, value)| {
                    assert!(key != 13, "thirteen");
                    (key + 1, value)
                });
                next.concat(pairs).distinct()
            })
        },
        ((15, 1), 1),
        ((3, 1), 1),
    );
    assert_eq!(facts(&error).2, &Reason::Panic("thirteen".into()));
}

#[test]
fn expect_counts_names_the_operator_and_the_time() {
    let error = stops(|pairs| pairs.expect_counts("rows of the ledger").distinct(), ((1, 1), 1), ((2, 5), -1));
    let (operator, time, reason) = facts(&error);
    assert_eq!((operator, time), ("rows of the ledger", Some(&Point::from(1))));
    assert!(matches!(reason, Reason::Negative { .. }), "{reason:?}");
    assert!(error.to_string().contains("rows of the ledger"), "{error}");
}

#[test]
fn collections_of_unrelated_scopes_are_refused() {
    run_alone(Config::default(), |worker| {
        let refused = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            let (near, far) = (scope.inner("near"), scope.inner("far"));
            let _ = numbers.enter(&near).concat(&numbers.enter(&far));
            session
        });
        match refused.map(|_| ()) {
            Err(Error::Scopes { left, right }) => assert_eq!((&*left, &*right), ("near", "far")),
            other => panic!("{other:?}"),
        }
        // A refused dataflow leaves nothing behind, and the next one works.
        let two = two(worker, |pairs| pairs.distinct()).expect("it can be built");
        let Two { mut risky, outcome, .. } = two;
        risky.insert((1, 1));
        worker.commit(&mut risky).expect("nothing fails");
        assert_eq!(outcome.rows().expect("complete"), vec![((1, 1), 1)]);
    });
}

#[test]
fn a_loop_in_a_loop_beside_is_refused_too() {
    run_alone(Config::default(), |worker| {
        for turned in [false, true] {
            let refused = worker.dataflow(|scope| {
                let (_, numbers) = scope.input::<u32>("numbers");
                let (near, deep) = (scope.inner("near"), scope.inner("far").inner("deep"));
                let (one, other) = (numbers.enter(&near), numbers.enter(&deep).distinct());
                let _ = if turned { other.concat(&one) } else { one.concat(&other) };
            });
            assert!(matches!(refused, Err(Error::Scopes { .. })), "{refused:?}");
        }
    });
}

#[test]
fn one_refusal_is_not_told_of_the_next_dataflow() {
    run_alone(Config::default(), |worker| {
        // Two mistakes in one: a cycle that does not advance, and scopes that are not nested.
        let refused = worker.dataflow(|scope| {
            let (_, numbers) = scope.input::<u32>("numbers");
            let variable = Variable::from(&scope.inner("near"), &numbers);
            let _ = variable.current().concat(&numbers.enter(&scope.inner("far")));
            let next = variable.current().leave();
            variable.set(&next.enter(numbers.scope()));
        });
        assert!(refused.is_err());
        two(worker, |pairs| pairs.distinct()).expect("there is nothing wrong with this one");
    });
}

#[test]
fn a_loop_used_from_outside_without_leaving_is_refused() {
    run_alone(Config::default(), |worker| {
        let refused = worker.dataflow(|scope| {
            let (_, numbers) = scope.input::<u32>("numbers");
            let inner = numbers.enter(&scope.inner("one loop")).distinct();
            let _ = numbers.iterate(|others| others.concat(&inner));
        });
        assert!(matches!(refused, Err(Error::Scopes { .. })), "{refused:?}");
        let refused = worker.dataflow(|scope| {
            let (_, numbers) = scope.input::<u32>("numbers");
            let _ = numbers.leave();
        });
        assert!(matches!(refused, Err(Error::Scopes { .. })), "{refused:?}");
    });
}

#[test]
fn a_variable_that_is_never_set_is_refused() {
    run_alone(Config::default(), |worker| {
        let refused = worker.dataflow(|scope| {
            let (_, numbers) = scope.input::<u32>("numbers");
            let variable = Variable::from(&scope.inner("unfinished"), &numbers);
            let _ = variable.current().leave();
        });
        assert_eq!(refused, Err(Error::Unset { operator: "variable of unfinished".into() }));
    });
}

#[test]
fn times_that_can_not_be_read_say_why() {
    run_alone(Config::default(), |worker| {
        let mut two = two(worker, |pairs| pairs.distinct()).expect("it can be built");
        for key in 0..4 {
            two.risky.insert((key, 0));
            worker.commit(&mut two.risky).expect("nothing fails");
        }
        assert_eq!(two.outcome.snapshot(3).map(|rows| rows.len()), Ok(4));
        assert!(matches!(two.outcome.snapshot(4), Err(ReadError::NotYet { .. })));
        assert!(matches!(two.outcome.snapshot(0), Err(ReadError::Compacted { .. })));
    });
}

#[test]
fn a_session_that_is_dropped_closes_its_input() {
    let calls = Rc::new(Cell::new(0));
    let seen = calls.clone();
    run_alone(Config::default(), |worker| {
        let (mut session, probe) = worker
            .dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                (session, numbers.inspect(move |_, _, _| seen.set(seen.get() + 1)).count().probe())
            })
            .expect("it can be built");
        session.insert(1);
        drop(session);
        worker.run().expect("nothing fails");
        assert!(probe.frontier().is_empty());
    });
    assert_eq!(calls.get(), 1, "what was fed before it was dropped was not lost");
}

/// A time with more coordinates than inputs have would be a round of a loop that nobody is in.
#[test]
fn an_update_deeper_than_the_inputs_is_refused_and_nothing_changes() {
    let outcome = run_alone(Config::default(), |worker| {
        let (mut numbers, output) = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            (session, numbers.output())
        })?;
        let refused = numbers.update_at(7, Point::from([3, 1]), 1);
        let expected = Error::TooDeep { input: "numbers".into(), time: Point::from([3, 1]), coordinates: 1 };
        assert_eq!(refused, Err(expected));
        worker.commit(&mut numbers)?;
        Ok::<_, Error>(output.rows()?)
    });
    assert_eq!(outcome, Ok(vec![]));
}

#[test]
fn a_session_of_two_coordinates_counts_epochs_by_the_last() {
    let outcome = run_alone(Config::default().input_coordinates(2), |worker| {
        let mut numbers = worker.dataflow(|scope| scope.input::<u32>("numbers").0)?;
        worker.commit_to(Frontier::from(Point::from([3, 0])), &mut numbers)?;
        Ok::<_, Error>(numbers.epoch())
    });
    assert_eq!(outcome, Ok(0));
}

#[test]
fn all_that_failed_can_be_listed_while_commits_tell_the_first() {
    run_alone(Config::default(), |worker| {
        let mut one = two(worker, |pairs| pairs.negate()).expect("it can be built");
        let mut other = two(worker, |pairs| pairs.consolidate()).expect("it can be built");
        assert_eq!(worker.failures(), []);
        one.risky.update((1, 1), i64::MIN);
        let first = worker.commit(&mut one.risky).expect_err("it has no negation");
        other.risky.update((1, 1), i64::MAX);
        other.risky.update((1, 1), 1);
        assert_eq!(worker.commit(&mut other.risky).as_ref(), Err(&first), "the first is told, whoever commits");
        let failures = worker.failures();
        assert_eq!((failures.len(), &failures[0], facts(&failures[1]).0), (2, &first, "consolidate"));
    });
}

#[test]
fn an_operator_outside_of_a_dataflow_says_where_it_belongs() {
    let panic = std::panic::catch_unwind(|| {
        run_alone(Config::default(), |worker| {
            let (_session, pairs) = worker.dataflow(|scope| scope.input::<Pair>("pairs")).expect("it can be built");
            pairs.negate();
        });
    });
    let message = *panic.expect_err("it belongs in a dataflow").downcast::<String>().expect("a text");
    assert!(message.contains("`Worker::dataflow`"), "{message}");
}
