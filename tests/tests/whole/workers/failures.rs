//! What goes wrong on one worker is told on all of them, other queries go on, and nothing waits for ever.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tests::{Pair, in_time};

use differential::collection::{Collection, Session};
use differential::error::Reason;
use differential::operators::Output;
use differential::time::{Frontier, Point};
use differential::trace::ReadError;
use differential::{Config, Error, Worker, run};

/// Two queries, one of which the test puts at risk. Each worker reads its share.
struct Two {
    risky: Session<Pair>,
    outcome: Output<Pair>,
    plain: Session<u32>,
    doubled: Output<u32>,
}

fn two(worker: &mut Worker<'_>, program: impl Fn(&Collection<Pair>) -> Collection<Pair>) -> Result<Two, Error> {
    worker.dataflow(|scope| {
        let (risky, pairs) = scope.input::<Pair>("risky");
        let (plain, numbers) = scope.input::<u32>("plain");
        let doubled = numbers.map(|number| 2 * number).output();
        Two { risky, outcome: program(&pairs).output(), plain, doubled }
    })
}

/// What one worker saw of an operator that stopped.
struct Saw {
    error: Error,
    again: Error,
    before: usize,
    after: Vec<(u32, i64)>,
}

/// Feeds something good on all workers, then on one of them something that stops `program`; checks on every worker that
/// what was complete stays readable and the next epoch is not complete. Then all go on with the other query.
fn stops_everywhere(
    workers: usize,
    program: impl Fn(&Collection<Pair>) -> Collection<Pair> + Sync,
    bad: &[(Pair, i64)],
) -> Vec<Saw> {
    let answers = in_time(format!("{bad:?} among {workers} workers"), || {
        run(Config::workers(workers), |worker| {
            let mut two = two(worker, &program)?;
            let here = worker.index() as u32;
            two.risky.insert((20 + here, 1));
            two.plain.insert(here);
            let first = worker.commit((&mut two.risky, &mut two.plain));
            let before = two.outcome.rows()?;

            if here as usize == workers - 1 {
                bad.iter().for_each(|(pair, diff)| two.risky.update(*pair, *diff));
            }
            two.plain.insert(100 + here);
            let error = worker.commit((&mut two.risky, &mut two.plain)).expect_err("the bad row stops an operator");
            // Another worker may have been through with the first epoch, and have met the bad row of the second, before
            // this one heard that the first was complete; then it hears of both.
            assert!(first == Ok(0) || first.as_ref() == Err(&error), "{first:?}, {error:?}");
            assert_eq!(two.outcome.rows()?, before);
            assert_eq!(two.outcome.snapshot(0), Ok(before.clone()));
            assert_eq!(two.outcome.frontier(), Frontier::from(Point::from(1)), "epoch 1 is not complete");
            assert!(matches!(two.outcome.snapshot(1), Err(ReadError::NotYet { .. })));

            two.plain.insert(200 + here);
            let again = worker.commit((&mut two.risky, &mut two.plain)).expect_err("it is still stopped");
            Ok(Saw { error, again, before: before.len(), after: two.doubled.rows()? })
        })
    });
    let answers = answers.expect("the programs themselves end well");
    assert_eq!(answers.iter().map(|saw| saw.before).sum::<usize>(), workers, "a good row for each worker");
    let mut after: Vec<_> = answers.iter().flat_map(|saw| saw.after.clone()).collect();
    after.sort();
    let expected = [0, 100, 200].into_iter().flat_map(|base| (0..workers as u32).map(move |w| (2 * (base + w), 1)));
    assert_eq!(after, expected.collect::<Vec<_>>(), "the other query is right at every epoch");
    assert!(answers.iter().all(|saw| saw.error == saw.again), "the same error each time");
    answers
}

/// Checks that one worker says what its operator met, and all others name that worker and what it said.
#[track_caller]
fn met_by_one(answers: &[Saw], operator: &str, reason: impl Fn(&Reason) -> bool) {
    let met = |saw: &Saw| matches!(&saw.error, Error::Operator { .. });
    let who: Vec<usize> = (0..answers.len()).filter(|&worker| met(&answers[worker])).collect();
    let [who] = who[..] else {
        panic!("{who:?} met it: {:?}", answers.iter().map(|saw| &saw.error).collect::<Vec<_>>())
    };
    match &answers[who].error {
        Error::Operator { operator: name, reason: met, .. } => {
            assert!(name == operator && reason(met), "{name}: {met}")
        }
        other => panic!("{other}"),
    }
    for (at, saw) in answers.iter().enumerate().filter(|(at, _)| *at != who) {
        let Error::Elsewhere { worker, error } = &saw.error else { panic!("on {at}: {}", saw.error) };
        assert_eq!((*worker, error), (who, &answers[who].error.to_string()), "on {at}");
        assert!(saw.error.to_string().contains(&format!("worker {who}")), "{}", saw.error);
    }
}

#[test]
fn a_closure_that_panics_before_any_exchange() {
    for workers in [2, 3, 8] {
        let picky = |pairs: &Collection<Pair>| {
            pairs.map(|(key, value)| if key == 13 { panic!("thirteen") } else { (key, value) })
        };
        let answers = stops_everywhere(workers, picky, &[((13, 1), 1)]);
        met_by_one(&answers, "map", |reason| *reason == Reason::Panic("thirteen".into()));
        assert!(matches!(answers[workers - 1].error, Error::Operator { .. }), "who was fed it met it");
    }
}

#[test]
fn a_closure_that_panics_where_the_key_lives() {
    for workers in [2, 3, 8] {
        for key in 0..6 {
            let picky = move |pairs: &Collection<Pair>| {
                pairs.reduce("picky", move |at, _, made| {
                    assert!(at != key, "no such key");
                    made.push((at, 1i64));
                })
            };
            let answers = stops_everywhere(workers, picky, &[((key, 1), 1)]);
            met_by_one(&answers, "picky", |reason| *reason == Reason::Panic("no such key".into()));
        }
    }
}

#[test]
fn a_closure_that_panics_in_a_loop() {
    for workers in [2, 3, 8] {
        let picky = |pairs: &Collection<Pair>| {
            pairs.iterate(|pairs| {
                let next = pairs.filter(|(key, _)| key < 20).map(|(key, value)| {
                    assert!(key != 13, "thirteen");
                    (key + 1, value)
                });
                next.concat(pairs).distinct()
            })
        };
        let answers = stops_everywhere(workers, picky, &[((3, 1), 1)]);
        met_by_one(&answers, "map", |reason| *reason == Reason::Panic("thirteen".into()));
    }
}

#[test]
fn a_sum_that_overflows() {
    for workers in [2, 3, 8] {
        let answers = stops_everywhere(workers, |pairs| pairs.consolidate(), &[((1, 1), i64::MAX), ((1, 1), 1)]);
        met_by_one(&answers, "consolidate", |reason| *reason == Reason::Overflow);
    }
}

/// Several workers meet something of their own at once: each says its own, or what it heard first.
#[test]
fn several_workers_that_fail_at_once() {
    for workers in [2, 3, 8] {
        let errors = in_time("all fail at once", || {
            run(Config::workers(workers), |worker| {
                let mut two =
                    two(worker, |pairs| pairs.map(|(key, _)| -> Pair { panic!("{key} is wrong") }).distinct())?;
                two.risky.insert((worker.index() as u32, 0));
                two.plain.insert(worker.index() as u32);
                let error = worker.commit((&mut two.risky, &mut two.plain)).expect_err("all is wrong");
                Ok((error.to_string(), two.doubled.rows()?.len()))
            })
        });
        let errors = errors.expect("the programs themselves end well");
        assert!(errors.iter().all(|(error, _)| error.contains("is wrong")), "{errors:?}");
        assert_eq!(errors.iter().map(|(_, rows)| rows).sum::<usize>(), workers);
    }
}

/// How a program ends early on one worker.
#[derive(Clone, Copy, Debug)]
enum Ends {
    WithAnError,
    WithAPanic,
}

/// One worker ends after some commits; all others go on committing until they are told. Answers what each was told.
fn one_ends(workers: usize, who: usize, commits: u64, ends: Ends) -> (Error, Vec<Error>) {
    let told = Mutex::new(Vec::new());
    let committed = AtomicUsize::new(0);
    let outcome = in_time(format!("worker {who} of {workers} {ends:?} after {commits} commits"), || {
        run(Config::workers(workers), |worker| {
            let (mut session, _output) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u64>("numbers");
                (session, numbers.count().gather().output())
            })?;
            for epoch in 0.. {
                if worker.index() == who && epoch == commits {
                    match ends {
                        Ends::WithAnError => return Err(Error::Unreadable("the disk is full".into())),
                        Ends::WithAPanic => panic!("the disk is full"),
                    }
                }
                session.insert(epoch % 3);
                let outcome = worker.commit(&mut session);
                if let Err(error) = outcome {
                    // The last commit before may have been complete on that worker first, and the news come together.
                    assert!([epoch, epoch + 1].contains(&commits), "told after {epoch} epochs");
                    told.lock().expect("nobody panics here").push(error.clone());
                    let again = worker.commit(&mut session);
                    assert_eq!(again.as_ref(), Err(&error), "and at each after");
                    return Err(error);
                }
                committed.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        })
    });
    let (committed, all) = (committed.into_inner() as u64, workers as u64 * commits);
    assert!(committed <= all && committed + workers as u64 > all, "{committed} commits of {all} were complete");
    (outcome.expect_err("one ended early"), told.into_inner().expect("nobody panics here"))
}

#[test]
fn a_program_that_ends_early_on_one_worker() {
    for workers in [2, 3, 8] {
        for who in [0, workers - 1] {
            for commits in [0, 3] {
                for ends in [Ends::WithAnError, Ends::WithAPanic] {
                    let (answer, told) = one_ends(workers, who, commits, ends);
                    let what = format!("worker {who} of {workers}, {ends:?}, {commits} commits: {answer:?}, {told:?}");
                    assert_eq!(told.len(), workers - 1, "{what}");
                    assert!(told.iter().all(|error| error.to_string().contains("the disk is full")), "{what}");
                    assert!(told.iter().all(|error| error.to_string().contains(&format!("worker {who}"))), "{what}");
                    assert!(answer.to_string().contains("the disk is full"), "{what}");
                }
            }
        }
    }
}

/// The others are told even while they only step.
#[test]
fn who_only_steps_is_told_too() {
    for workers in [2, 3] {
        let outcome = in_time("one ends, the others step", || {
            run(Config::workers(workers), |worker| {
                let _session = worker.dataflow(|scope| {
                    let (session, numbers) = scope.input::<u64>("numbers");
                    (session, numbers.count().output())
                })?;
                if worker.index() == 0 {
                    return Err(Error::Unreadable("the disk is full".into()));
                }
                loop {
                    worker.step()?;
                    std::thread::yield_now();
                }
                #[allow(unreachable_code)]
                Ok(())
            })
        });
        assert!(outcome.expect_err("one ended early").to_string().contains("the disk is full"));
    }
}

/// Workers that build different things say so on all of them, and none waits.
#[test]
fn different_dataflows_are_told_on_all() {
    for workers in [2, 3] {
        let answers = in_time("different plans", || {
            run(Config::workers(workers), |worker| {
                let odd = worker.index() == 1;
                let (mut session, _output) = worker.dataflow(|scope| {
                    let (session, numbers) = scope.input::<u64>("numbers");
                    let numbers = if odd { numbers.filter(|n| n > 1) } else { numbers.map(|n| n + 1) };
                    (session, numbers.distinct().output())
                })?;
                session.insert(worker.index() as u64);
                Ok(worker.commit(&mut session).expect_err("they differ").to_string())
            })
        });
        let answers = answers.expect("the programs themselves end well");
        assert!(answers.iter().all(|error| error.contains("different dataflows")), "{answers:?}");
    }
}

/// A program that has returned hears of nothing; `run` does, on each worker, whatever the programs answered.
#[test]
fn what_goes_wrong_after_a_program_has_returned() {
    for workers in [1, 2, 3] {
        for who in 0..workers {
            let outcome = in_time(format!("{workers} workers, {who} fails late"), || {
                run(Config::workers(workers), |worker| {
                    let mut session = worker.dataflow(|scope| {
                        let (session, numbers) = scope.input::<u64>("numbers");
                        let numbers = numbers.map(|number| if number == 13 { panic!("thirteen") } else { number });
                        numbers.count().output();
                        session
                    })?;
                    if worker.index() == who {
                        session.insert(13);
                    }
                    Ok(())
                })
            });
            let error = outcome.expect_err("an operator failed").to_string();
            assert!(error.contains("thirteen"), "{error}");
        }
    }
}
