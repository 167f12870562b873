//! The boundary, through timely: right answers in both modes, nothing late, and what each mode can't do.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::vec::Map;
use timely::dataflow::operators::{CapabilitySet, Concat, ConnectLoop, Feedback, Input, Probe, ToStream};
use timely::dataflow::{InputHandleVec as InputHandle, ProbeHandle, Stream};
use timely::order::Product;

use super::*;
use crate::cluster::start_laws;
use crate::error::{Error, Reason};
use crate::time::Point;
use crate::time::small_world::Random;

type Update = (u64, u64, i64);
type Updates<'scope> = Stream<'scope, u64, Vec<Update>>;
/// A program of ours, to be held against one of a few plain lines.
type Program = fn(&Collection<u64>) -> Collection<u64>;

/// What updates add up to, record by record and time by time.
fn sums<D: Ord>(updates: impl IntoIterator<Item = (D, u64, i64)>) -> BTreeMap<(u64, D), i64> {
    let mut sums = BTreeMap::new();
    updates.into_iter().for_each(|(record, time, diff)| *sums.entry((time, record)).or_insert(0) += diff);
    sums.retain(|_, sum| *sum != 0);
    sums
}

/// The collection at a time.
fn at(updates: &[Update], time: u64) -> BTreeMap<u64, i64> {
    let mut rows = BTreeMap::new();
    updates
        .iter()
        .filter(|update| update.1 <= time)
        .for_each(|(record, _, diff)| *rows.entry(*record).or_insert(0) += diff);
    rows.retain(|_, count| *count != 0);
    rows
}

/// Keeps what comes and asserts that none of it was complete already.
fn keep<'scope, U: Clone + 'static>(
    stream: Stream<'scope, u64, Vec<U>>,
    time: impl Fn(&U) -> u64 + 'static,
    mut kept: impl FnMut(Vec<U>) + 'static,
) {
    let mut seen = vec![0];
    stream.sink(Pipeline, "keep", move |(input, frontier)| {
        input.for_each(|stamp, updates| {
            for update in updates.iter() {
                let time = time(update);
                assert!(seen.iter().any(|seen| *seen <= time), "{time} came when {seen:?} was to come");
                assert_eq!(stamp.stamp().elements(), [time], "a message for each time");
            }
            kept(std::mem::take(updates));
        });
        seen = frontier.frontier().to_vec();
    });
}

/// Feeds random updates on all workers, at times ahead of the input's as well, and answers what was fed and what left.
fn run(workers: usize, mode: Mode, fuel: u64, seed: u64, program: Program) -> (Vec<Update>, Vec<Update>) {
    run_on((1, workers), mode, fuel, seed, program)
}

/// The same on so many processes, on loopback, of so many threads.
fn run_on(
    (processes, threads): (usize, usize),
    mode: Mode,
    fuel: u64,
    seed: u64,
    program: Program,
) -> (Vec<Update>, Vec<Update>) {
    let fed = Arc::new(Mutex::new(Vec::new()));
    let left = Arc::new(Mutex::new(Vec::new()));
    let (all_fed, all_left) = (Arc::clone(&fed), Arc::clone(&left));
    let outcomes = start_laws::run(processes, threads, move |timely, _| {
        let mut worker = Worker::in_timely(timely, &Config::default().step_fuel(fuel));
        let mut random = Random::new(seed * 8 + timely.index() as u64);
        let left = Arc::clone(&left);
        let (mut input, probe) = timely.dataflow::<u64, _, _>(|outside| {
            let (input, stream) = outside.new_input::<Vec<Update>>();
            let made = worker.dataflow(|scope| {
                let boundary = Boundary::new(scope, outside);
                boundary.leave(&program(&boundary.enter("updates", stream)), mode)
            });
            let made: Updates<'_> = made.expect("nothing to refuse");
            let probe = made.clone().probe().0;
            keep(made, |update| update.1, move |updates| left.lock().unwrap().extend(updates));
            (input, probe)
        });
        for epoch in 0..8 {
            for _ in 0..random.below(6) {
                let update = (random.below(5) as u64, epoch + random.below(3) as u64, [1, 1, -1][random.below(3)]);
                fed.lock().unwrap().push(update);
                input.send(update);
            }
            // Sometimes work is left when the next epoch comes.
            for _ in 0..random.below(4) {
                timely.step();
            }
            input.advance_to(epoch + 1);
            if random.below(3) == 0 {
                while probe.less_than(&(epoch + 1)) {
                    timely.step();
                }
            }
        }
        Ok(())
    });
    outcomes.into_iter().for_each(|outcome| _ = outcome.expect("nothing ends early"));
    (Arc::try_unwrap(all_fed).unwrap().into_inner().unwrap(), Arc::try_unwrap(all_left).unwrap().into_inner().unwrap())
}

/// Row by row, a delay at the root, and pauses: no exchange.
fn linear(updates: &Collection<u64>) -> Collection<u64> {
    updates.flat_map(|record| [record, record + 10]).concat(&updates.delay(2).map(|record| record + 20))
}

fn linear_plainly((record, time, diff): Update) -> [Update; 3] {
    [(record, time, diff), (record + 10, time, diff), (record + 20, time + 2, diff)]
}

/// How often each record is there: with several workers there is an exchange.
fn counted(updates: &Collection<u64>) -> Collection<u64> {
    updates.count().map(|(record, count)| record + 100 * (count as u64 & 0xff))
}

/// The numbers from each record down to 0: a loop with a memory.
fn downwards(updates: &Collection<u64>) -> Collection<u64> {
    updates.iterate(|numbers| numbers.filter(|number| number > 0).map(|number| number - 1).concat(numbers).distinct())
}

#[test]
fn linear_programs_cross_in_both_modes_at_one_two_and_three_workers() {
    for seed in 0..12 {
        for workers in 1..=3 {
            for mode in [Mode::Held, Mode::Full] {
                let fuel = [1, 1 << 20][seed as usize % 2];
                let (fed, left) = run(workers, mode, fuel, seed, linear);
                let expected = sums(fed.into_iter().flat_map(linear_plainly));
                assert_eq!(sums(left), expected, "seed {seed}, {workers} workers, {mode:?}");
            }
        }
    }
}

#[test]
fn reductions_cross() {
    for seed in 0..12 {
        for (workers, mode) in [(1, Mode::Held), (1, Mode::Full), (2, Mode::Full), (3, Mode::Full)] {
            let (fed, left) = run(workers, mode, [1, 1 << 20][seed as usize % 2], seed, counted);
            for time in 0..12 {
                let counts =
                    at(&fed, time).into_iter().map(|(record, count)| (record + 100 * (count as u64 & 0xff), 1));
                assert_eq!(at(&left, time), counts.collect(), "seed {seed}, {workers} workers, {mode:?}, at {time}");
            }
        }
    }
}

#[test]
fn programs_cross_between_processes() {
    for seed in 0..2 {
        let fuel = [1, 1 << 20][seed as usize % 2];
        for cluster in [(2, 1), (2, 2), (3, 1)] {
            for mode in [Mode::Held, Mode::Full] {
                let (fed, left) = run_on(cluster, mode, fuel, seed, linear);
                let expected = sums(fed.into_iter().flat_map(linear_plainly));
                assert_eq!(sums(left), expected, "seed {seed}, {cluster:?}, {mode:?}");
            }
            let (fed, left) = run_on(cluster, Mode::Full, fuel, seed, counted);
            for time in 0..12 {
                let counts =
                    at(&fed, time).into_iter().map(|(record, count)| (record + 100 * (count as u64 & 0xff), 1));
                assert_eq!(at(&left, time), counts.collect(), "seed {seed}, {cluster:?}, at {time}");
            }
        }
    }
}

#[test]
fn loops_cross() {
    for seed in 0..12 {
        for (workers, mode) in [(1, Mode::Held), (1, Mode::Full), (2, Mode::Full)] {
            let (fed, left) = run(workers, mode, [3, 1 << 20][seed as usize % 2], seed, |updates| {
                // Counts must not be negative in a set.
                downwards(&updates.map(|record| record).distinct())
            });
            for time in 0..12 {
                // Only records that are there positively count.
                let there = at(&fed, time).into_iter().filter(|(_, count)| *count > 0).map(|(record, _)| record).max();
                let expected = there.into_iter().flat_map(|most| (0..=most).map(|number| (number, 1)));
                assert_eq!(at(&left, time), expected.collect(), "seed {seed}, {workers} workers, {mode:?}, at {time}");
            }
        }
    }
}

/// A dataflow of timely with an input, a program of ours, and a probe behind it; and the updates that came there.
struct Bench {
    worker: Worker<'static>,
    input: InputHandle<u64, Update>,
    probe: ProbeHandle<u64>,
    left: Arc<Mutex<Vec<Update>>>,
}

fn bench(
    timely: &mut timely::worker::Worker,
    build: impl for<'s> FnOnce(&Boundary<'s, u64>, Updates<'s>, &Scope) -> Updates<'s>,
) -> Result<Bench, Error> {
    let mut worker = Worker::in_timely(timely, &Config::default());
    let left = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&left);
    let built = timely.dataflow::<u64, _, _>(|outside| {
        let (input, stream) = outside.new_input::<Vec<Update>>();
        let made = worker.dataflow(|scope| build(&Boundary::new(scope, outside), stream, scope));
        made.map(|made| {
            let probe = made.clone().probe().0;
            keep(made, |update| update.1, move |updates| kept.lock().unwrap().extend(updates));
            (input, probe)
        })
    });
    built.map(|(input, probe)| Bench { worker, input, probe, left })
}

fn steps(timely: &mut timely::worker::Worker, count: usize) {
    (0..count).for_each(|_| _ = timely.step());
}

#[test]
fn held_with_an_exchange_on_the_way_is_refused_and_timely_still_ends() {
    let program = |timely: &mut timely::worker::Worker| {
        let bench = bench(timely, |boundary, stream, _| {
            let updates = boundary.enter("updates", stream);
            boundary.leave(&updates.map(|record| record + 1).count().map(|(record, _)| record), Mode::Held)
        });
        bench.map(|_| ())
    };
    let alone = timely::execute(timely::Config::process(1), program).expect("threads").join();
    assert_eq!(alone.into_iter().collect::<Result<Vec<_>, _>>(), Ok(vec![Ok(())]));
    for outcome in timely::execute(timely::Config::process(2), program).expect("threads").join() {
        let error = outcome.expect("no panic").expect_err("others may get some of it");
        let Error::Held { output, exchange } = &error else { panic!("{error}") };
        assert_eq!(output, "leave to timely");
        assert!(error.to_string().contains(exchange), "{error}");
    }
}

#[test]
fn held_is_fine_where_only_what_does_not_enter_is_exchanged() {
    let program = |timely: &mut timely::worker::Worker| {
        let Bench { mut worker, mut input, probe, left } = bench(timely, |boundary, stream, scope| {
            let (mut session, own) = scope.input::<u64>("own");
            session.insert(5);
            let own = own.exchange();
            drop(session);
            boundary.leave(&boundary.enter("updates", stream).concat(&own), Mode::Held)
        })
        .expect("the exchange is elsewhere");
        input.send((1, 0, 1));
        drop(input);
        while !probe.done() {
            timely.step();
            worker.step().expect("nothing fails");
        }
        left
    };
    let left = timely::execute(timely::Config::process(2), program).expect("threads").join();
    let left = left.into_iter().flat_map(|left| left.expect("no panic").lock().unwrap().clone());
    assert_eq!(sums(left), sums([(1, 0, 2), (5, 0, 2)]));
}

/// Each number goes round until it is 0, a time later each round.
fn round(timely: &mut timely::worker::Worker, mode: Mode) -> Bench {
    bench(timely, |boundary, stream, _| {
        let (handle, cycle) = stream.scope().feedback::<Vec<Update>>(1);
        let numbers = boundary.enter::<u64, i64>("numbers", stream.concat(cycle));
        let made = boundary.leave(&numbers.filter(|number| number > 0).map(|number| number - 1), mode);
        made.clone().map(|(number, time, diff)| (number, time + 1, diff)).connect_loop(handle);
        made
    })
    .expect("nothing to refuse")
}

#[test]
fn held_goes_round_a_cycle_of_timely_and_ends() {
    let left = timely::execute_directly(move |timely| {
        let Bench { worker: _worker, mut input, probe, left } = round(timely, Mode::Held);
        input.send((3, 2, 1));
        drop(input);
        steps(timely, 100);
        assert!(probe.done(), "it goes round for ever");
        left
    });
    assert_eq!(sums(left.lock().unwrap().clone()), sums([(2, 2, 1), (1, 3, 1), (0, 4, 1)]));
}

#[test]
fn full_on_a_cycle_of_timely_never_ends_its_frontier_goes_round() {
    timely::execute_directly(move |timely| {
        let Bench { mut worker, mut input, probe, left } = round(timely, Mode::Full);
        input.send((3, 2, 1));
        drop(input);
        let mut reached = Vec::new();
        for _ in 0..4 {
            steps(timely, 100);
            reached.push(probe.with_frontier(|frontier| frontier[0]));
        }
        assert!(reached.windows(2).all(|pair| pair[0] < pair[1]), "it stands still at {reached:?}");
        assert!(reached[0] > 4, "everything is out, and still it goes on");
        assert_eq!(sums(left.lock().unwrap().clone()), sums([(2, 2, 1), (1, 3, 1), (0, 4, 1)]));
        // So that the test ends; which is not the regular end for what entered.
        assert_eq!(worker.step(), Ok(false));
        let dataflow = timely.installed_dataflows().into_iter().max().expect("it goes on");
        timely.drop_dataflow(dataflow);
        let error = worker.step().expect_err("more might have come");
        assert!(error.to_string().contains("`numbers`"), "{error}");
        assert!(error.to_string().contains("dropped before its end"), "{error}");
    });
}

#[test]
fn timely_knows_of_a_delay_on_the_way() {
    // A cycle of timely that advances by our delay alone: with less of a summary timely would refuse it.
    let left = timely::execute_directly(move |timely| {
        let bench = bench(timely, |boundary, stream, _| {
            let (handle, cycle) = stream.scope().feedback::<Vec<Update>>(0);
            let numbers = boundary.enter::<u64, i64>("numbers", stream.concat(cycle));
            let made = numbers.filter(|number| number > 0).map(|number| number - 1).delay(1);
            let made = boundary.leave(&made, Mode::Held);
            made.clone().connect_loop(handle);
            made
        });
        let Bench { worker: _worker, mut input, left, .. } = bench.expect("nothing to refuse");
        input.send((3, 2, 1));
        left
    });
    assert_eq!(sums(left.lock().unwrap().clone()), sums([(2, 3, 1), (1, 4, 1), (0, 5, 1)]));
}

#[test]
fn an_input_of_ours_holds_what_leaves() {
    for mode in [Mode::Held, Mode::Full] {
        timely::execute_directly(move |timely| {
            let mut session = None;
            let own = &mut session;
            let bench = bench(timely, move |boundary, stream, scope| {
                let (session, numbers) = scope.input::<u64>("own");
                *own = Some(session);
                boundary.leave(&boundary.enter("updates", stream).concat(&numbers), mode)
            });
            let Bench { mut worker, mut input, probe, left } = bench.expect("nothing to refuse");
            let mut session = session.expect("it was built");
            input.advance_to(9);
            steps(timely, 10);
            assert!(probe.less_equal(&0), "ours may still speak at 0");
            session.insert(4);
            worker.commit(&mut session).expect("nothing fails");
            steps(timely, 10);
            assert!(!probe.less_equal(&0) && probe.less_equal(&1), "{mode:?}");
            drop(session);
            steps(timely, 10);
            assert!(!probe.less_equal(&8) && probe.less_equal(&9), "{mode:?}");
            assert_eq!(*left.lock().unwrap(), [(4, 0, 1)]);
        });
    }
}

#[test]
fn after_a_failure_timely_is_not_told_that_anything_is_complete() {
    for mode in [Mode::Held, Mode::Full] {
        timely::execute_directly(move |timely| {
            let bench = bench(timely, |boundary, stream, _| {
                let updates = boundary.enter::<u64, i64>("updates", stream);
                boundary.leave(&updates.map(|number| 10 / number), mode)
            });
            let Bench { mut worker, mut input, probe, left } = bench.expect("nothing to refuse");
            input.send((5, 0, 1));
            input.advance_to(1);
            steps(timely, 10);
            assert!(!probe.less_equal(&0));
            input.send((0, 1, 1));
            input.advance_to(2);
            input.send((2, 2, 1));
            drop(input);
            steps(timely, 50);
            assert!(probe.less_equal(&1), "{mode:?}: 1 is not complete");
            assert!(worker.step().expect_err("division by zero").to_string().contains("zero"));
            assert_eq!(*left.lock().unwrap(), [(2, 0, 1)]);
        });
    }
}

#[test]
fn what_is_late_is_refused_with_its_time() {
    timely::execute_directly(move |timely| {
        let bench = bench(timely, |boundary, stream, _| {
            boundary.leave(&boundary.enter::<u64, i64>("updates", stream), Mode::Full)
        });
        let Bench { mut worker, mut input, .. } = bench.expect("nothing to refuse");
        input.advance_to(3);
        steps(timely, 5);
        input.send((7, 2, 1));
        input.flush();
        steps(timely, 5);
        let error = worker.step().expect_err("2 is over");
        let Error::Operator { operator, time, reason: Reason::Other(words) } = &error else { panic!("{error}") };
        assert_eq!((&**operator, time), ("updates", &Some(Point::from(2))));
        assert!(words.contains("[3]"), "{words}");
    });
}

#[test]
fn a_time_that_timely_does_not_have_is_refused() {
    timely::execute_directly(move |timely| {
        let mut worker = Worker::in_timely(timely, &Config::default());
        timely.dataflow::<u32, _, _>(|outside| {
            let built = worker.dataflow(|scope| {
                let boundary = Boundary::new(scope, outside);
                let far =
                    boundary.enter::<u64, i64>("updates", [(1, 1, 1)].to_stream(outside)).delay(u64::from(u32::MAX));
                _ = boundary.leave(&far, Mode::Full);
            });
            built.expect("nothing to refuse");
        });
        let mut stepped = Ok(false);
        for _ in 0..10 {
            stepped = worker.step();
        }
        let error = stepped.expect_err("there is no such u32").to_string();
        assert!(error.contains("[4294967296]"), "{error}");
    });
}

#[test]
fn times_come_from_the_data_where_a_stamp_has_several() {
    type Two = Product<u64, u64>;
    let left = timely::execute_directly(move |timely| {
        let mut worker = Worker::in_timely(timely, &Config::default().input_coordinates(2));
        let left = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&left);
        timely.dataflow::<u64, _, _>(|root| {
            root.iterative::<u64, _, _>(|outside| {
                let none = Vec::<(u64, Two, i64)>::new().to_stream(outside).container::<Vec<_>>();
                let updates: Stream<'_, _, Vec<(u64, Two, i64)>> = none.unary_frontier(Pipeline, "say", |least, _| {
                    let mut once = Some(CapabilitySet::from_elem(least.delayed(&Two::new(0, 1))));
                    once.as_mut().expect("it was put there").insert(least.delayed(&Two::new(1, 0)));
                    move |_, output| {
                        if let Some(set) = once.take() {
                            let times = [Two::new(0, 1), Two::new(1, 0), Two::new(1, 1)];
                            output
                                .session(&set)
                                .give_iterator(times.into_iter().zip(7..).map(|(time, at)| (at, time, 1)));
                        }
                    }
                });
                let left = worker.dataflow(|scope| {
                    let boundary = Boundary::new(scope, outside);
                    boundary.leave(&boundary.enter("updates", updates).map(|record| 10 * record), Mode::Held)
                });
                left.expect("nothing to refuse").sink(Pipeline, "keep", move |(input, _)| {
                    input.for_each(|stamp, updates| {
                        assert_eq!(stamp.stamp().elements(), [updates[0].1]);
                        kept.lock().unwrap().extend(updates.drain(..));
                    });
                });
            });
        });
        left
    });
    let mut left = left.lock().unwrap().clone();
    left.sort();
    assert_eq!(left, [(70, Two::new(0, 1), 1), (80, Two::new(1, 0), 1), (90, Two::new(1, 1), 1)]);
}

#[test]
fn ours_around_timelys_and_ports_in_several_dataflows() {
    for mode in [Mode::Held, Mode::Full] {
        let left = timely::execute_directly(move |timely| {
            let mut worker = Worker::in_timely(timely, &Config::default());
            let left = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&left);
            let mut handle = timely.clone();
            let built = worker.dataflow(|scope| {
                handle.dataflow::<u64, _, _>(|outside| {
                    let boundary = Boundary::new(scope, outside);
                    let numbers = boundary.enter("numbers", vec![(3, 0, 1), (4, 6, 1)].to_stream(outside));
                    keep(
                        boundary.leave(&numbers, mode),
                        |update| update.1,
                        move |some| kept.lock().unwrap().extend(some),
                    );
                });
            });
            built.expect("nothing to refuse");
            let kept = Arc::clone(&left);
            timely.dataflow::<u64, _, _>(|outside| {
                let first = worker.dataflow(|scope| {
                    let boundary = Boundary::new(scope, outside);
                    let numbers = boundary.enter("numbers", vec![(5, 1, 1)].to_stream(outside));
                    (boundary, numbers)
                });
                let (boundary, numbers) = first.expect("nothing to refuse");
                let second = worker.dataflow(|_| boundary.leave(&numbers.map(|number| number + 1), mode));
                keep(
                    second.expect("nothing to refuse"),
                    |update| update.1,
                    move |some| {
                        kept.lock().unwrap().extend(some);
                    },
                );
            });
            left
        });
        assert_eq!(sums(left.lock().unwrap().clone()), sums([(3, 0, 1), (4, 6, 1), (6, 1, 1)]), "{mode:?}");
    }
}

#[test]
fn what_does_not_fit_is_refused_when_built() {
    timely::execute_directly(move |timely| {
        let mut worker = Worker::in_timely(timely, &Config::default().input_coordinates(2));
        timely.dataflow::<u64, _, _>(|outside| {
            let built = worker.dataflow(|scope| _ = Boundary::new(scope, outside));
            assert_eq!(built, Err(Error::Coordinates { outside: 1, inside: 2 }));
        });
        let mut worker = Worker::in_timely(timely, &Config::default());
        timely.dataflow::<u64, _, _>(|outside| {
            let built = worker.dataflow(|scope| {
                let boundary = Boundary::new(scope, outside);
                let numbers = boundary.enter::<u64, i64>("numbers", [(1, 0, 1)].to_stream(outside));
                _ = boundary.leave(&numbers.enter(&scope.inner("a loop")), Mode::Held);
            });
            assert!(matches!(built, Err(Error::Scopes { left, .. }) if left == "a loop"));
        });
    });
}

#[test]
fn what_is_taken_out_lets_timely_go_on() {
    for mode in [Mode::Held, Mode::Full] {
        timely::execute_directly(move |timely| {
            let mut worker = Worker::in_timely(timely, &Config::default());
            let (mut input, probe, installed) = timely.dataflow::<u64, _, _>(|outside| {
                let (input, stream) = outside.new_input::<Vec<Update>>();
                let built = worker.install(|scope| {
                    let boundary = Boundary::new(scope, outside);
                    boundary.leave(&boundary.enter::<u64, i64>("updates", stream).consolidate(), mode)
                });
                let (left, installed) = built.expect("nothing to refuse");
                (input, left.probe().0, installed)
            });
            input.send((1, 5, 1));
            steps(timely, 10);
            assert!(probe.less_equal(&0));
            installed.remove();
            steps(timely, 10);
            // Held, what is still to enter may still leave, as far as timely knows.
            assert_eq!(probe.done(), mode == Mode::Full, "{mode:?}");
            input.send((2, 5, 1));
            drop(input);
            steps(timely, 10);
            assert!(probe.done(), "{mode:?}");
            assert_eq!(worker.step(), Ok(false));
        });
    }
}
