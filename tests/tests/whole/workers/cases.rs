//! Faults of many workers that other engines met, each restated with its answer.
//!
//! Some went wrong once in many runs: `WORKERS_RUNS` says how often to run those, and how long the long ones are.

use std::collections::BTreeSet;
use std::sync::Barrier;

use tests::{Pair, Random, bag, in_time, number_from, strong_edges};

use differential::collection::Collection;
use differential::operators::Variable;
use differential::operators::capture::Captured;
use differential::time::{Frontier, Point};
use differential::trace::ReadError;
use differential::{Config, Error, Worker, algorithms, run};

const WORKERS: [usize; 4] = [1, 2, 3, 8];

/// Runs a program on some workers; answers what the first of them does.
fn first_of<T: Send>(
    what: &str,
    config: Config,
    workers: usize,
    program: impl Fn(&mut Worker<'_>) -> Result<T, Error> + Sync,
) -> T {
    let answers = in_time(format!("{what}, {workers} workers"), || run(config, program));
    let answers = answers.unwrap_or_else(|error| panic!("{what}, {workers} workers: {error}"));
    answers.into_iter().next().expect("there is a worker")
}

fn steps(worker: &mut Worker<'_>, count: u64) -> Result<(), Error> {
    (0..count).try_for_each(|_| worker.step().map(|_| ()))
}

/// A3: with 8 workers, the one row of a three-way join came out twice now and then, as its middle table was filled after
/// the view was there.
#[test]
fn a3_a_three_way_join_whose_middle_is_filled_later() {
    for workers in WORKERS {
        for (fuel, all_at_once, turn) in [(1, false, 0), (1, true, 1), (1 << 20, false, 2), (1 << 20, true, 3)] {
            for seed in 0..number_from("WORKERS_RUNS", 5) {
                let rows = first_of("A3", Config::workers(workers).step_fuel(fuel), workers, |worker| {
                    let (mut sessions, output) = worker.dataflow(|scope| {
                        let (lines, line) = scope.input::<(u32, ())>("lines");
                        let (customers, customer) = scope.input::<(u32, ())>("customers");
                        let (orders, order) = scope.input::<Pair>("orders");
                        let of_lines = line.join_map(&order, |order, (), customer| (customer, order));
                        let joined = of_lines.join_map(&customer, |customer, order, ()| (order, customer));
                        ((lines, customers, orders), joined.gather().output())
                    })?;
                    let (lines, customers, orders) = (&mut sessions.0, &mut sessions.1, &mut sessions.2);
                    let mut random = Random::new(seed * 8 + worker.index() as u64);
                    // Each table is fed by another worker.
                    let turn = turn + seed as usize;
                    let feeds = |table: usize| (table + turn) % worker.peers() == worker.index();
                    if feeds(0) {
                        lines.insert((176, ()));
                    }
                    if feeds(1) {
                        [1, 14, 15].into_iter().for_each(|customer| customers.insert((customer, ())));
                    }
                    let orders_here = feeds(2);
                    steps(worker, random.below(5))?;
                    if !all_at_once {
                        worker.commit((&mut *lines, &mut *customers, &mut *orders))?;
                        assert_eq!(output.rows()?, []);
                        steps(worker, random.below(5))?;
                    }
                    if orders_here {
                        orders.insert((176, 14));
                        orders.flush();
                    }
                    steps(worker, random.below(5))?;
                    worker.commit((&mut *lines, &mut *customers, &mut *orders))?;
                    Ok(output.rows()?)
                });
                assert_eq!(rows, [((176, 14), 1)], "{workers} workers, seed {seed}, all at once: {all_at_once}");
            }
        }
    }
}

/// A9: the sizes of strong components, asked for while edges were still coming in, were sometimes those of no edge at
/// all.
#[test]
fn a9_sizes_of_strong_components_installed_while_edges_come() {
    let edges: [Pair; 12] =
        [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 6), (6, 4), (6, 7), (7, 8), (8, 9), (9, 10), (10, 11)];
    for seed in 0..number_from("WORKERS_RUNS", 20) {
        let workers = WORKERS[seed as usize % 4];
        let fuel = [1, 50, 1 << 20][seed as usize % 3];
        let rows = first_of(&format!("A9, seed {seed}"), Config::workers(workers).step_fuel(fuel), workers, |worker| {
            let mut random = Random::new(seed * 8 + worker.index() as u64);
            let (mut session, by_self) = worker.dataflow(|scope| {
                let (session, edges) = scope.input::<Pair>("edges");
                (session, edges.arrange_by_self("edges"))
            })?;
            // All workers build, and close epochs, after the same edges; where each is then, is chance. (One that built
            // before a commit would wait in it for another that builds after, which waits for the first to commit.)
            let mut plan = Random::new(seed);
            let (install, close_every) = (plan.below(edges.len() as u64 + 1) as usize, 1 + plan.below(6) as usize);
            let mut output = None;
            for at in 0..=edges.len() {
                if at == install {
                    output = Some(worker.dataflow(|_| {
                        let components = algorithms::strong_components(&by_self.keys());
                        let sizes = components.map(|(_, least)| least).count().map(|(_, size)| size).count();
                        sizes.gather().output()
                    })?);
                }
                if let Some(edge) = edges.get(at).filter(|_| at % worker.peers() == worker.index()) {
                    session.insert(*edge);
                    session.flush();
                }
                steps(worker, random.below(3))?;
                if at % close_every == 0 {
                    worker.commit(&mut session)?;
                }
            }
            worker.commit(&mut session)?;
            drop(session);
            worker.run()?;
            Ok(output.expect("installed at some edge").rows()?)
        });
        assert_eq!(rows, [((1, 5), 1), ((3, 2), 1)], "{workers} workers, fuel {fuel}, seed {seed}");
    }
}

/// A15, as it was met: strong components of a small graph that gains an edge a round and loses an old one, by three
/// workers on a busy machine. One run in three was wrong, or never ended. Here more workers than the machine has cores
/// share it, each with little fuel in every other run.
#[test]
fn a15_strong_components_round_after_round_on_three_workers() {
    let (nodes, edges) = (10, 20);
    let rounds = 40 * number_from("WORKERS_RUNS", 1).min(25);
    for (workers, fuel) in [(3, 1 << 20), (3, 1), (2, 7), (8, 20)] {
        let wrong = first_of("A15", Config::workers(workers).step_fuel(fuel), workers, |worker| {
            let (mut session, output) = worker.dataflow(|scope| {
                let (session, edges) = scope.input::<Pair>("edges");
                (session, algorithms::strong_edges(&edges.distinct()).gather().output())
            })?;
            let mut random = Random::new(15);
            let mut present: Vec<Pair> = Vec::new();
            let mut wrong = None;
            let mut fed = 0;
            for round in 0..rounds {
                let mut changes = Vec::new();
                while present.len() <= edges {
                    let edge = (random.below(nodes) as u32, random.below(nodes) as u32);
                    present.push(edge);
                    changes.push((edge, 1));
                }
                changes.push((present.remove(0), -1));
                // Each change by another worker.
                for (edge, diff) in changes {
                    fed += 1;
                    if fed % worker.peers() == worker.index() {
                        session.update(edge, diff);
                    }
                }
                worker.commit(&mut session)?;
                if worker.index() == 0 && wrong.is_none() {
                    let rows: BTreeSet<Pair> = output.rows()?.into_iter().map(|(edge, _)| edge).collect();
                    let right = strong_edges(&bag(present.iter().map(|edge| (*edge, 1))));
                    wrong = (rows != right).then_some(round);
                }
            }
            Ok(wrong)
        });
        assert_eq!(wrong, None, "{workers} workers, fuel {fuel}: the first round that was wrong");
    }
}

/// D8: an arrangement of an earlier dataflow that was used inside a loop lowered a hold for ever, and no probe moved.
#[test]
fn d8_an_arrangement_of_an_earlier_dataflow_in_a_loop() {
    for workers in WORKERS {
        let seen = first_of("D8", Config::workers(workers), workers, |worker| {
            let (mut edges, by_source) = worker.dataflow(|scope| {
                let (session, edges) = scope.input::<Pair>("edges");
                (session, edges.arrange_by_key("edges by source"))
            })?;
            if worker.index() == 0 {
                edges.insert((1, 2));
                edges.insert((2, 3));
            }
            worker.commit(&mut edges)?;
            let (mut roots, output, probe) = worker.dataflow(|scope| {
                let (session, roots) = scope.input::<u32>("roots");
                let inside = roots.scope().inner("reach");
                let by_source = by_source.enter(&inside);
                let near = Variable::from(&inside, &roots);
                let next = near.current().join(&by_source, |_, (), target| target).concat(&roots).distinct();
                near.set(&next);
                let reached = next.leave().gather();
                (session, reached.output(), reached.probe())
            })?;
            if worker.index() + 1 == worker.peers() {
                roots.insert(1);
            }
            let mut seen = Vec::new();
            for round in 0..4u32 {
                let epoch = worker.commit((&mut edges, &mut roots))?;
                assert!(probe.is_complete(epoch), "epoch {epoch}");
                seen.push(output.rows()?.into_iter().map(|(node, _)| node).collect::<Vec<_>>());
                if worker.index() == round as usize % worker.peers() {
                    edges.insert((3 + round, 4 + round));
                }
            }
            Ok(seen)
        });
        let upto = |last| (1..=last).collect::<Vec<u32>>();
        assert_eq!(seen, [upto(3), upto(4), upto(5), upto(6)], "{workers} workers");
    }
}

/// F3: many workers copy an input; the first one advances, the others have dropped theirs; all meet after each round.
/// Everybody waited for everybody within a few thousand rounds.
#[test]
fn f3_one_worker_advances_and_all_others_have_dropped_their_input() {
    let runs = number_from("WORKERS_RUNS", 1);
    for (workers, rounds) in [(2, 300 * runs), (20, 30 * runs)] {
        let barrier = Barrier::new(workers);
        first_of("F3", Config::workers(workers), workers, |worker| {
            let (mut session, probe) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u64>("numbers");
                (Some(session), numbers.map(|number| number).probe())
            })?;
            if worker.index() > 0 {
                session = None;
            }
            for round in 0..rounds {
                if let Some(session) = &mut session {
                    assert_eq!(worker.commit(session)?, round);
                }
                while !probe.is_complete(round) {
                    worker.step()?;
                    std::thread::yield_now();
                }
                barrier.wait();
            }
            Ok(())
        });
    }
}

/// F4: an update and what takes it back, in one message to another worker: the message came to nothing, was not sent,
/// and its time never ended.
#[test]
fn f4_what_goes_to_another_worker_cancels() {
    for workers in WORKERS {
        for record in 0..8u32 {
            first_of("F4", Config::workers(workers), workers, |worker| {
                let (mut session, exchanged, counted, probe) = worker.dataflow(|scope| {
                    let (session, numbers) = scope.input::<u32>("numbers");
                    let exchanged = numbers.exchange();
                    (session, exchanged.output(), numbers.count().output(), exchanged.probe())
                })?;
                if worker.index() == 0 {
                    session.insert(record);
                    session.remove(record);
                }
                let epoch = worker.commit(&mut session)?;
                assert!(probe.is_complete(epoch));
                assert_eq!((exchanged.rows()?, counted.rows()?), (vec![], vec![]));
                Ok(())
            });
        }
    }
}

/// F5: an operator in a loop that is fed from outside only saw the empty frontier first, while the outer input was open.
#[test]
fn f5_the_first_frontier_in_a_loop_is_not_the_end() {
    for workers in WORKERS {
        first_of("F5", Config::workers(workers), workers, |worker| {
            let (session, mut captures, probes) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                let inside = numbers.enter(&scope.inner("loop"));
                let spread = inside.exchange();
                let ends = [inside.clone(), spread.clone(), spread.distinct()];
                (session, ends.each_ref().map(Collection::capture), ends.each_ref().map(Collection::probe))
            })?;
            let mut last = [0; 3].map(|_| Frontier::<Point>::minimum());
            for _ in 0..20 {
                worker.step()?;
                for (capture, last) in captures.iter_mut().zip(&mut last) {
                    for event in capture.take() {
                        let Captured::Frontier(frontier) = event else { panic!("{event:?} where nothing was fed") };
                        assert!(!frontier.is_empty() && last.precedes(&frontier), "{frontier:?} after {last:?}");
                        *last = frontier;
                    }
                }
                assert!(probes.iter().all(|probe| !probe.frontier().is_empty()));
            }
            drop(session);
            worker.run()?;
            assert!(probes.iter().all(|probe| probe.frontier().is_empty()));
            Ok(())
        });
    }
}

/// F6: an input that had been advanced before its dataflow was there began at the beginning.
///
/// (Inputs here are made in dataflows; what can come before is the advance of all that is there.)
#[test]
fn f6_an_input_begins_where_its_region_is() {
    for workers in WORKERS {
        first_of("F6", Config::workers(workers), workers, |worker| {
            let mut early = worker.dataflow(|scope| scope.input::<u32>("early").0)?;
            worker.commit_to(Point::from(10), &mut early)?;
            let (mut late, mut output, probe) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("late");
                let whole = numbers.distinct().gather();
                (session, whole.output(), whole.probe())
            })?;
            assert_eq!((late.epoch(), late.frontier()), (10, Frontier::from(Point::from(10))));
            assert!(late.update_at(1, 9, 1).is_err(), "before it began");
            late.insert(7);
            worker.commit((&mut early, &mut late))?;
            assert!(probe.is_complete(10) && !probe.is_complete(11));
            let changes = if worker.index() == 0 { vec![(7, Point::from(10), 1)] } else { vec![] };
            assert_eq!(output.changes(), changes);
            Ok(())
        });
    }
}

/// F8: what is fed for a later epoch is not there before; what is fed for a closed one is refused, and changes nothing.
#[test]
fn f8_feeds_ahead_of_time_and_too_late() {
    for workers in WORKERS {
        first_of("F8", Config::workers(workers), workers, |worker| {
            let (mut session, output) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                (session, numbers.distinct().gather().output())
            })?;
            worker.commit(&mut session)?;
            worker.commit(&mut session)?;
            session.update_at(1, 5, 1)?;
            let refused = session.update_at(2, 1, 1);
            let (time, frontier) = (Point::from(1), Frontier::from(Point::from(2)));
            assert_eq!(refused, Err(Error::Closed { input: "numbers".into(), time, frontier }));
            for epoch in 2..=6 {
                assert_eq!(worker.commit(&mut session)?, epoch);
                let rows = if epoch >= 5 && worker.index() == 0 { vec![(1, 1)] } else { vec![] };
                assert_eq!(output.rows()?, rows, "after epoch {epoch}");
                assert_eq!(output.snapshot(epoch), Ok(rows));
                assert!(matches!(output.snapshot(epoch + 1), Err(ReadError::NotYet { .. })));
            }
            Ok(())
        });
    }
}

/// F9: a left join was dropped half way, and rows that had no match *yet* got out as rows without one.
///
/// Here it is taken out half way on all workers, each at a step of its own: no row without a match may have been
/// captured by then or later, and a query beside it goes on. Again and again in one region, so that what leaks is seen.
#[test]
fn f9_work_in_flight_is_dropped() {
    let (rows, rounds) = (200, 5 * number_from("WORKERS_RUNS", 1));
    for workers in WORKERS {
        first_of("F9", Config::workers(workers).step_fuel(20), workers, |worker| {
            let (mut plain, doubled) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u64>("numbers");
                (session, numbers.map(|number| 2 * number).gather().output())
            })?;
            let mut random = Random::new(worker.index() as u64);
            for round in 0..rounds {
                let ((mut left, mut right, mut capture), query) = worker.install(|scope| {
                    let (left_session, left) = scope.input::<Pair>("left");
                    let (right_session, right) = scope.input::<Pair>("right");
                    let matched = left.join_map(&right, |key, one, other| (key, one, other));
                    let unmatched = left.antijoin(&right.map(|(key, _)| key)).map(|(key, one)| (key, one, u32::MAX));
                    (left_session, right_session, matched.concat(&unmatched).capture())
                })?;
                for key in (0..rows).filter(|key| *key as usize % worker.peers() == worker.index()) {
                    left.insert((key, 1));
                    right.insert((key, 2));
                }
                left.flush();
                right.flush();
                steps(worker, random.below(10))?;
                // Half of the rounds close the inputs before the query goes.
                let open = (round % 2 == 0).then_some((left, right));
                steps(worker, random.below(40))?;
                query.remove();
                drop(open);
                plain.insert(round);
                worker.commit(&mut plain)?;
                let expected = if worker.index() == 0 { (0..=round).collect() } else { vec![] };
                let peers = worker.peers() as i64;
                assert_eq!(doubled.rows()?, expected.iter().map(|at| (2 * at, peers)).collect::<Vec<_>>());
                for event in capture.take() {
                    let Captured::Updates(updates) = event else { continue };
                    let unmatched = updates.iter().find(|((_, _, other), _, _)| *other == u32::MAX);
                    assert_eq!(unmatched, None, "round {round}");
                }
            }
            Ok(())
        });
    }
}

/// F10: the only handle of an input was dropped while all was idle, and nobody noticed.
#[test]
fn f10_an_input_dropped_while_all_is_idle() {
    for workers in WORKERS {
        let barrier = Barrier::new(workers);
        first_of("F10", Config::workers(workers), workers, |worker| {
            let (mut session, probe) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                (session, numbers.count().probe())
            })?;
            worker.commit(&mut session)?;
            while worker.step()? {}
            barrier.wait();
            drop(session);
            // Nobody commits or runs: steps alone must do.
            while !probe.frontier().is_empty() {
                worker.step()?;
                std::thread::yield_now();
            }
            Ok(())
        });
    }
}

/// F11: a trace outlived its dataflow, and stayed as it was for ever, a row for each of a thousand changes.
#[test]
fn f11_a_trace_that_outlives_its_inputs_shrinks() {
    for workers in WORKERS {
        let answers = in_time(format!("F11, {workers} workers"), || {
            run(Config::workers(workers), |worker| {
                let (mut session, arranged) = worker.dataflow(|scope| {
                    let (session, numbers) = scope.input::<u32>("numbers");
                    (session, numbers.arrange_by_self("numbers"))
                })?;
                for change in 0..1_000 {
                    if change % worker.peers() == worker.index() {
                        session.insert(change as u32 % 10);
                    }
                    worker.commit(&mut session)?;
                }
                worker.commit_to(Frontier::empty(), &mut session)?;
                drop(session);
                worker.run()?;
                for _ in 0..2_000 {
                    worker.step()?;
                }
                let (mut rows, mut total) = (0, 0);
                arranged.for_each(|_, (), _, diff| {
                    rows += 1;
                    total += diff;
                });
                Ok((rows, total))
            })
        });
        let answers: Vec<(u32, i64)> = answers.expect("nothing fails");
        let sum = answers.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        assert_eq!(sum, (10, 1_000), "{workers} workers: rows, and what they count");
    }
}
