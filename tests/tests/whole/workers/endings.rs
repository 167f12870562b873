//! Inputs are closed and sessions dropped in any order, by any worker, fed or not: all ends, and nothing is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tests::{Random, in_time, permutations};

use differential::collection::Session;
use differential::operators::Output;
use differential::time::{Frontier, Point};
use differential::{Config, Error, Probe, Worker, run};

type Query = (Vec<Session<u32>>, Output<(u32, i64)>, Probe);

/// Three inputs, added up and counted.
fn query(worker: &mut Worker<'_>) -> Result<Query, Error> {
    worker.dataflow(|scope| {
        let inputs = (0..3).map(|at| scope.input::<u32>(&format!("input {at}")));
        let (sessions, numbers): (Vec<_>, Vec<_>) = inputs.unzip();
        let counts = numbers[0].concat_all(&numbers[1..]).count();
        (sessions, counts.gather().output(), counts.probe())
    })
}

/// Sessions end in each order on each worker, another on each: dropped, and the last one closed by a commit.
#[test]
fn sessions_end_in_any_order() {
    let orders = permutations(&[0, 1, 2]);
    for workers in [1, 2, 3, 8] {
        for turn in 0..orders.len() {
            let rows = in_time(format!("{workers} workers, order {turn}"), || {
                run(Config::workers(workers), |worker| {
                    let (sessions, output, probe) = query(worker)?;
                    let here = worker.index();
                    let mut sessions: Vec<_> = sessions.into_iter().map(Some).collect();
                    let mut random = Random::new((turn * workers + here) as u64);
                    for (at, input) in orders[(turn + here) % orders.len()].iter().enumerate() {
                        let mut session = sessions[*input].take().expect("each ends once");
                        session.insert(*input as u32);
                        match random.below(2) {
                            // A commit waits until all have closed this input, so only the last one can be closed so:
                            // two workers that each wait for what the other closes next would wait for ever.
                            _ if at == 2 => worker.commit_to(Frontier::empty(), &mut session)?,
                            0 => drop(session),
                            _ => {
                                session.flush();
                                worker.step()?;
                                drop(session);
                            }
                        }
                        for _ in 0..random.below(4) {
                            worker.step()?;
                        }
                    }
                    worker.run()?;
                    assert!(probe.frontier().is_empty());
                    Ok(output.rows()?)
                })
            });
            let rows: Vec<_> = rows.expect("nothing fails").into_iter().flatten().collect();
            let count = workers as i64;
            assert_eq!(rows, [((0, count), 1), ((1, count), 1), ((2, count), 1)], "{workers} workers, order {turn}");
        }
    }
}

/// A session closed by a commit on one worker waits for nobody's other inputs.
#[test]
fn one_input_closed_for_good_while_others_are_fed() {
    for workers in [1, 2, 3, 8] {
        let rows = in_time(format!("{workers} workers"), || {
            run(Config::workers(workers), |worker| {
                let (mut sessions, output, _probe) = query(worker)?;
                worker.commit_to(Frontier::empty(), &mut sessions[1])?;
                let (first, rest) = sessions.split_at_mut(1);
                for epoch in 0..5 {
                    first[0].insert(epoch);
                    rest[1].insert(epoch + 1);
                    worker.commit((&mut first[0], &mut rest[1]))?;
                }
                Ok(output.rows()?)
            })
        });
        let rows: Vec<_> = rows.expect("nothing fails").into_iter().flatten().collect();
        let count = |number| workers as i64 * if number == 0 || number == 5 { 1 } else { 2 };
        assert_eq!(rows, (0..6).map(|number| ((number, count(number)), 1)).collect::<Vec<_>>(), "{workers} workers");
    }
}

/// Who has nothing to say may drop its sessions and go on stepping, or run to the end, or leave: the others go on.
#[test]
fn a_worker_without_data_steps_runs_or_leaves() {
    for workers in [2, 3, 8] {
        for idle in 0..workers {
            for then in ["leave", "run", "step"] {
                let rows = in_time(format!("{workers} workers, {idle} will {then}"), || {
                    run(Config::workers(workers), |worker| {
                        let (mut sessions, output, probe) = query(worker)?;
                        if worker.index() == idle {
                            drop(sessions);
                            match then {
                                "run" => worker.run()?,
                                "step" => {
                                    while !probe.frontier().is_empty() {
                                        worker.step()?;
                                        std::thread::yield_now();
                                    }
                                }
                                _ => return Ok(Vec::new()),
                            }
                            return Ok(output.rows()?);
                        }
                        for epoch in 0..10 {
                            sessions[0].insert(epoch % 2);
                            assert_eq!(worker.commit(sessions.iter_mut().collect::<Vec<_>>())?, u64::from(epoch));
                            assert!(probe.is_complete(u64::from(epoch)));
                        }
                        drop(sessions);
                        worker.run()?;
                        Ok(output.rows()?)
                    })
                });
                let rows: Vec<_> = rows.expect("nothing fails").into_iter().flatten().collect();
                let count = 5 * (workers as i64 - 1);
                let whole = vec![((0, count), 1), ((1, count), 1)];
                let left = idle == 0 && then == "leave";
                assert_eq!(rows, if left { vec![] } else { whole }, "{workers} workers, {idle} will {then}");
            }
        }
    }
}

/// Without any sessions there is nothing to wait for, and a worker that feeds nothing may commit all the same.
#[test]
fn a_commit_of_no_sessions_and_of_idle_ones() {
    for workers in [1, 2, 3, 8] {
        let counts = in_time(format!("{workers} workers"), || {
            run(Config::workers(workers), |worker| {
                let (mut sessions, output, _probe) = query(worker)?;
                worker.commit(Vec::<&mut Session<u32>>::new())?;
                for epoch in 0..3 {
                    if worker.index() + 1 == workers {
                        sessions[2].insert(epoch);
                    }
                    worker.commit_to(Point::from(u64::from(epoch) + 1), sessions.iter_mut().collect::<Vec<_>>())?;
                }
                Ok(output.rows()?.len())
            })
        });
        assert_eq!(counts.expect("nothing fails").iter().sum::<usize>(), 3);
    }
}

/// A dataflow that is built where some workers have heard that an input is closed and others have not: what it is made of
/// must not depend on that.
#[test]
fn a_late_reader_where_workers_are_not_equally_far() {
    for workers in [2, 3, 8] {
        for seed in 0..20 {
            let rows = in_time(format!("{workers} workers, seed {seed}"), || {
                run(Config::workers(workers), |worker| {
                    let (mut session, by_self, by_key) = worker.dataflow(|scope| {
                        let (session, pairs) = scope.input::<(u32, u32)>("pairs");
                        (session, pairs.arrange_by_self("by self"), pairs.arrange_by_key("by key"))
                    })?;
                    session.insert((worker.index() as u32, 7));
                    drop(session);
                    let mut random = Random::new(seed * 8 + worker.index() as u64);
                    for _ in 0..random.below(6) {
                        worker.step()?;
                    }
                    let output = worker.dataflow(|_| {
                        let all = by_self.keys().concat(&by_key.pairs()).consolidate();
                        let joined = by_key.join(&by_key, |key, one, _| (key, one));
                        let counted = by_key.reduce("count", |_, values, made| made.push((values[0].0, values[0].1)));
                        all.concat(&by_self.keys().distinct())
                            .concat(&joined)
                            .concat(&counted.pairs())
                            .gather()
                            .output()
                    })?;
                    worker.run()?;
                    Ok(output.rows()?)
                })
            });
            let rows: Vec<_> = rows.expect("nothing fails").into_iter().flatten().collect();
            assert_eq!(rows, (0..workers as u32).map(|key| ((key, 7), 5)).collect::<Vec<_>>(), "seed {seed}");
        }
    }
}

/// A question to others that a quiet worker asks was not sent, as nothing else was to be done: all waited for all.
#[test]
fn runs_where_everything_is_complete_already() {
    for workers in [1, 2, 3, 8] {
        let rows = in_time(format!("{workers} workers"), || {
            run(Config::workers(workers), |worker| {
                let (mut sessions, output, _probe) = query(worker)?;
                sessions[0].insert(worker.index() as u32);
                worker.commit_to(Frontier::empty(), sessions.iter_mut().collect::<Vec<_>>())?;
                drop(sessions);
                for _ in 0..3 {
                    worker.run()?;
                }
                while worker.step()? {}
                worker.run()?;
                Ok(output.rows()?.len())
            })
        });
        assert_eq!(rows.expect("nothing fails").iter().sum::<usize>(), workers);
    }
}

/// A worker alone, told to stop, went on with what was left to do before it returned: here for ever.
#[test]
fn a_program_told_to_stop_ends_though_its_loop_does_not() {
    for workers in [1, 2, 3] {
        let told = Arc::new(AtomicBool::new(false));
        let outcome = in_time(format!("{workers} workers"), || {
            run(Config::workers(workers).stop_when(told.clone()), |worker| {
                let told = told.clone();
                let next = move |number: u64| {
                    told.fetch_or(number > 100, Ordering::Relaxed);
                    number + 1
                };
                let (mut numbers, _output) = worker.dataflow(|scope| {
                    let (session, numbers) = scope.input::<u64>("numbers");
                    (session, numbers.iterate(|numbers| numbers.map(next)).output())
                })?;
                numbers.insert(0);
                worker.commit(&mut numbers)
            })
        });
        assert!(matches!(outcome, Err(Error::Stopped | Error::Elsewhere { .. })), "{workers} workers: {outcome:?}");
    }
}
