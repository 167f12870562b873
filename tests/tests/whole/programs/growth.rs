//! Dataflows come and go while others run, with any number of workers, and no answer changes by it.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use tests::{Bag, Pair, Random, bag, reach, sum};

use differential::layout::Rows;
use differential::prelude::*;

type ByKey = Arranged<Rows<u32, u32, Point, i64>>;

/// What a query computes from two collections of pairs.
#[derive(Clone, Copy, Debug)]
enum Program {
    Swap,
    Join,
    DistinctOfBoth,
    Reach,
}

const PROGRAMS: [Program; 4] = [Program::Swap, Program::Join, Program::DistinctOfBoth, Program::Reach];

impl Program {
    fn build(self, a: &ByKey, b: &ByKey) -> Collection<Pair> {
        match self {
            Program::Swap => a.as_collection(|key, value| (value, key)),
            Program::Join => a.join(b, |_, left, right| (left, right)),
            Program::DistinctOfBoth => {
                let [a, b] = [a, b].map(|pairs| pairs.as_collection(|key, value| (key, value)));
                a.concat(&b).distinct()
            }
            Program::Reach => {
                let roots = b.as_collection(|key, _| key).distinct();
                let near = roots.iterate(|near| near.join(a, |_, _, target| target).concat(&roots).distinct());
                near.map(|node| (node, node))
            }
        }
    }

    /// The same, recomputed.
    fn recompute(self, a: &Bag<Pair>, b: &Bag<Pair>) -> Bag<Pair> {
        match self {
            Program::Swap => bag(a.iter().map(|(&(key, value), &count)| ((value, key), count))),
            Program::Join => bag(a.iter().flat_map(|(left, count)| {
                let met = b.iter().filter(|(right, _)| right.0 == left.0);
                met.map(move |(right, other)| ((left.1, right.1), count * other))
            })),
            Program::DistinctOfBoth => {
                bag(sum(a, b).into_iter().filter(|(_, count)| *count > 0).map(|(pair, _)| (pair, 1)))
            }
            Program::Reach => {
                let roots: BTreeSet<u32> = b.keys().map(|pair| pair.0).collect();
                bag(reach(a, &roots).into_iter().map(|node| ((node, node), 1)))
            }
        }
    }
}

/// What all workers do at one point. Dataflows are named by the order in which they were built.
#[derive(Clone, Debug)]
enum Step {
    Input,
    /// A dataflow with an output that reads two earlier ones; its result can be read by later ones.
    Query(Program, usize, usize),
    Remove(usize),
    /// The input, the pair, the change, and a number that names the worker who feeds it.
    Feed(Vec<(usize, Pair, i64, usize)>),
    /// Hands over what was fed and does some work, but closes nothing.
    Work(usize),
    Commit,
    Run,
}

/// A script that keeps counts at or above zero, and names only what is there.
fn script(seed: u64) -> Vec<Step> {
    let random = &mut Random::new(seed);
    let mut steps = vec![Step::Input];
    // By dataflow: what is in it if it is an input, and whether it is still to be read from.
    let mut flows: Vec<(Option<Bag<Pair>>, bool)> = vec![(Some(Bag::new()), true)];
    for _ in 0..30 {
        let there: Vec<usize> = (0..flows.len()).filter(|&flow| flows[flow].1).collect();
        steps.push(match random.below(12) {
            0 => {
                flows.push((Some(Bag::new()), true));
                Step::Input
            }
            1..=3 if !there.is_empty() => {
                flows.push((None, true));
                Step::Query(*random.pick(&PROGRAMS), *random.pick(&there), *random.pick(&there))
            }
            4 if !there.is_empty() => {
                let gone = *random.pick(&there);
                flows[gone].1 = false;
                Step::Remove(gone)
            }
            5..=7 => {
                let inputs: Vec<usize> = (0..flows.len()).filter(|&flow| flows[flow].0.is_some()).collect();
                let mut fed = Vec::new();
                for _ in 0..1 + random.below(12) {
                    let input = *random.pick(&inputs);
                    let counts = flows[input].0.as_mut().expect("it is an input");
                    let pair = (random.below(6) as u32, random.below(6) as u32);
                    let count = counts.entry(pair).or_insert(0);
                    let diff = if *count > 0 && random.below(3) > 0 { -1 } else { 1 };
                    *count += diff;
                    fed.push((input, pair, diff, random.below(6) as usize));
                }
                Step::Feed(fed)
            }
            8 => Step::Work(random.below(4) as usize),
            9 => Step::Run,
            _ => Step::Commit,
        });
    }
    steps.extend([Step::Commit, Step::Commit]);
    steps
}

/// Whenever a commit or a run is over: by query, what its output says.
type Answers = Vec<Vec<(usize, Vec<(Pair, i64)>)>>;

fn perform(worker: &mut Worker<'_>, steps: &[Step]) -> Result<Answers, Error> {
    let (mut sessions, mut arranged, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut installed, mut answers, mut gone) = (Vec::new(), Answers::new(), Vec::new());
    for step in steps {
        match step {
            Step::Input => {
                let ((session, pairs), flow) = worker.install(|scope| {
                    let (session, pairs) = scope.input::<Pair>("pairs");
                    (session, pairs.arrange_by_key("pairs"))
                })?;
                sessions.push((installed.len(), session));
                arranged.push(pairs);
                outputs.push(None);
                installed.push(Some(flow));
            }
            Step::Query(program, a, b) => {
                let (a, b) = (&arranged[*a], &arranged[*b]);
                let ((pairs, output), flow) = worker.install(|_| {
                    let result = program.build(a, b);
                    (result.arrange_by_key("result"), result.output())
                })?;
                arranged.push(pairs);
                outputs.push(Some(output));
                installed.push(Some(flow));
            }
            Step::Remove(flow) => {
                installed[*flow].take().expect("it is removed once").remove();
                // Its output says what it said, from now on.
                if let Some(output) = outputs[*flow].take() {
                    let rows = output.rows().expect("what is complete can be read");
                    gone.push((output, rows));
                }
            }
            Step::Feed(fed) => {
                for (input, pair, diff, _) in fed.iter().filter(|fed| fed.3 % worker.peers() == worker.index()) {
                    let (_, session) = sessions.iter_mut().find(|(flow, _)| flow == input).expect("it is an input");
                    session.update(*pair, *diff);
                }
            }
            Step::Work(times) => {
                sessions.iter_mut().for_each(|(_, session)| session.flush());
                for _ in 0..*times {
                    worker.step()?;
                }
            }
            Step::Commit => _ = worker.commit(sessions.iter_mut().map(|(_, session)| session).collect::<Vec<_>>())?,
            Step::Run => worker.run()?,
        }
        if matches!(step, Step::Commit | Step::Run) {
            let said = outputs.iter().enumerate().filter_map(|(flow, output)| {
                output.as_ref().map(|output| (flow, output.rows().expect("what is complete can be read")))
            });
            answers.push(said.collect());
            gone.iter().for_each(|(output, rows)| assert_eq!(output.rows().as_ref(), Ok(rows), "what has gone stays"));
        }
    }
    Ok(answers)
}

/// What the answers must be, by recomputation.
fn expected(steps: &[Step]) -> Vec<Vec<(usize, Bag<Pair>)>> {
    enum Flow {
        Input { fed: Bag<Pair>, committed: Bag<Pair> },
        Query { program: Program, reads: [usize; 2], removed: bool },
    }
    fn value(flows: &[Flow], at: usize) -> Bag<Pair> {
        match &flows[at] {
            Flow::Input { committed, .. } => committed.clone(),
            Flow::Query { program, reads, .. } => program.recompute(&value(flows, reads[0]), &value(flows, reads[1])),
        }
    }
    let (mut flows, mut answers) = (Vec::new(), Vec::new());
    for step in steps {
        match step {
            Step::Input => flows.push(Flow::Input { fed: Bag::new(), committed: Bag::new() }),
            Step::Query(program, a, b) => {
                flows.push(Flow::Query { program: *program, reads: [*a, *b], removed: false });
            }
            Step::Remove(flow) => {
                if let Flow::Query { removed, .. } = &mut flows[*flow] {
                    *removed = true;
                }
            }
            Step::Feed(changes) => {
                for (input, pair, diff, _) in changes {
                    let Flow::Input { fed, .. } = &mut flows[*input] else { unreachable!("only inputs are fed") };
                    *fed = sum(fed, &Bag::from([(*pair, *diff)]));
                }
            }
            Step::Work(_) => {}
            Step::Commit | Step::Run => {
                for flow in &mut flows {
                    if let (Flow::Input { fed, committed }, Step::Commit) = (flow, step) {
                        committed.clone_from(fed);
                    }
                }
                let there = |at: &usize| matches!(flows[*at], Flow::Query { removed: false, .. });
                answers.push((0..flows.len()).filter(there).map(|at| (at, value(&flows, at))).collect());
            }
        }
    }
    answers
}

fn check_growth(seed: u64, workers: usize) {
    let steps = script(seed);
    let fuel = [1, 30, 1 << 20][seed as usize % 3];
    let config = Config::workers(workers).step_fuel(fuel);
    let answers = run(config, |worker| perform(worker, &steps));
    let answers = answers.unwrap_or_else(|error| panic!("seed {seed}, {workers} workers: {error}\n{steps:?}"));
    for (at, expected) in expected(&steps).into_iter().enumerate() {
        for (which, (flow, expected)) in expected.into_iter().enumerate() {
            let mut all = Bag::new();
            for worker in &answers {
                let (said_of, said) = &worker[at][which];
                assert_eq!(*said_of, flow);
                all = sum(&all, &bag(said.iter().copied()));
            }
            assert_eq!(all, expected, "seed {seed}, {workers} workers, answer {at}, dataflow {flow} of {steps:?}");
        }
    }
}

/// Inputs and queries are built, fed, taken out in any order, also with work left; after every commit each output says
/// what recomputing says, and what was taken out says what it said before.
#[test]
fn dataflows_come_and_go_and_no_answer_changes() {
    for workers in 1..=3 {
        for seed in 0..40 {
            check_growth(seed, workers);
        }
    }
}

/// With nothing fed since the last commit there is nothing to do, but the others are asked all the same.
#[test]
fn a_run_with_nothing_to_do_ends() {
    for workers in 1..=3 {
        let done = run(Config::workers(workers), |worker| {
            let mut session = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                numbers.distinct().output();
                session
            })?;
            worker.run()?;
            worker.commit(&mut session)?;
            worker.run()?;
            worker.run()
        });
        assert_eq!(done, Ok(vec![(); workers]));
    }
}

/// Says when an operator has been dropped: its closure holds this.
fn token() -> (Rc<()>, impl FnMut(u32) -> u32 + use<>) {
    let token = Rc::new(());
    let held = token.clone();
    (token, move |number| {
        _ = &held;
        number
    })
}

#[test]
fn what_is_read_stays_until_its_readers_are_gone() {
    for workers in 1..=3 {
        let answers = run(Config::workers(workers), |worker| {
            let ((mut session, numbers, other, used, unused), base) = worker.install(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                let ((used, logic), (unused, more)) = (token(), token());
                let output = numbers.map(more).output();
                (session, numbers.map(logic).arrange_by_self("numbers"), output, used, unused)
            })?;
            let (output, query) = worker.install(|_| numbers.as_collection(|number, ()| number + 1).output())?;
            session.insert(1);
            worker.commit(&mut session)?;
            let all = base.operators();
            let left = base.remove();
            assert!(0 < left && left < all, "{left} of {all} are read by the query");
            assert_eq!((Rc::strong_count(&used), Rc::strong_count(&unused)), (2, 1), "the output's map has gone");
            session.insert(2);
            worker.commit(&mut session)?;
            assert_eq!(query.remove(), 0);
            assert_eq!(Rc::strong_count(&used), 1, "with its last reader it has gone");
            let refused = worker.dataflow(|_| numbers.as_collection(|number, ()| number).output());
            assert!(matches!(refused, Err(Error::Removed { .. })), "{:?}", refused.err());
            session.insert(3);
            worker.commit(&mut session)?;
            Ok((output.rows()?, other.rows()?))
        });
        let answers = answers.unwrap_or_else(|error| panic!("{workers} workers: {error}"));
        let (late, early): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
        let workers = workers as i64;
        assert_eq!(bag(late.concat()), bag([(2, workers), (3, workers)]), "it went on after its input was unwanted");
        assert_eq!(bag(early.concat()), bag([(1, workers)]), "it says what was complete when it was taken out");
    }
}

/// A loop that never ends is taken out in the middle, on all workers; others were answered before, and are after.
#[test]
fn a_loop_that_never_ends_can_be_taken_out() {
    for workers in 1..=3 {
        let rows = run(Config::workers(workers).step_fuel(50), |worker| {
            let (mut plain, output) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("plain");
                (session, numbers.distinct().gather().output())
            })?;
            let ((mut endless, count), query) = worker.install(|scope| {
                let (session, numbers) = scope.input::<u64>("endless");
                let rounds = Rc::new(Cell::new(0));
                let counted = rounds.clone();
                let grow = move |number: u64| {
                    counted.set(counted.get() + 1);
                    number.wrapping_add(1)
                };
                numbers.iterate(|numbers| numbers.exchange().map(grow)).output();
                (session, rounds)
            })?;
            endless.insert(worker.index() as u64);
            drop(endless);
            plain.insert(1);
            worker.commit(&mut plain)?;
            // Somebody's worker has it by now, and goes round.
            for _ in 0..20 {
                worker.step()?;
            }
            plain.insert(2);
            worker.commit(&mut plain)?;
            query.remove();
            let so_far = count.get();
            plain.insert(3);
            worker.commit(&mut plain)?;
            assert_eq!(count.get(), so_far, "it does not run any more");
            Ok((output.rows()?, so_far))
        });
        let answers = rows.unwrap_or_else(|error| panic!("{workers} workers: {error}"));
        assert!(answers.iter().map(|(_, rounds)| rounds).sum::<u64>() > 5, "it went round");
        assert_eq!(answers[0].0, vec![(1, 1), (2, 1), (3, 1)], "{workers} workers");
    }
}

/// A query is taken out with updates fed and not closed, some of them on their way to other workers.
#[test]
fn a_query_with_work_left_can_be_taken_out() {
    for workers in 1..=3 {
        let rows = run(Config::workers(workers).step_fuel(1), |worker| {
            let mut said = Vec::new();
            for round in 0..10 {
                let ((mut session, output), query) = worker.install(|scope| {
                    let (session, pairs) = scope.input::<Pair>("pairs");
                    let by_key = pairs.arrange_by_key("pairs");
                    let result = by_key.join(&by_key, |_, left, right| (left, right)).distinct();
                    (session, result.gather().output())
                })?;
                (0..40).for_each(|at| session.insert((at % 4, at)));
                session.flush();
                for _ in 0..round {
                    worker.step()?;
                }
                if round % 2 == 0 {
                    drop(session);
                }
                query.remove();
                said.push(output.rows()?.len());
            }
            Ok(said)
        });
        let rows = rows.unwrap_or_else(|error| panic!("{workers} workers: {error}"));
        assert!(rows.iter().all(|said| said.len() == 10));
    }
}

/// A cycle that does not advance time is named, and nothing has changed: neither answers nor what can be built later.
#[test]
fn a_refused_cycle_is_named_and_changes_nothing() {
    for workers in 1..=3 {
        let rows = run(Config::workers(workers), |worker| {
            let (mut session, numbers, output) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                let kept = numbers.arrange_by_self("numbers");
                (session, kept, numbers.distinct().gather().output())
            })?;
            session.insert(1);
            worker.commit(&mut session)?;
            let refused = worker.dataflow(|scope| {
                let inner = scope.inner("inner");
                let variable = Variable::from(&inner, &numbers.as_collection(|number, ()| number));
                // Leaving and entering again goes round without a delay that the outside sees.
                let outside = variable.current().map(|number| number + 1).leave();
                variable.set(&outside.distinct().enter(&inner));
            });
            let Err(Error::Cycle { operators }) = refused else { panic!("it was accepted") };
            assert!(operators.iter().any(|name| name == "variable of inner"), "{operators:?}");
            assert!(operators.iter().any(|name| name == "leave"), "{operators:?}");
            assert_eq!(worker.failures(), []);
            let late = worker.dataflow(|_| numbers.as_collection(|number, ()| 10 * number).gather().output())?;
            session.insert(2);
            worker.commit(&mut session)?;
            Ok((output.rows()?, late.rows()?))
        });
        let rows = rows.unwrap_or_else(|error| panic!("{workers} workers: {error}"));
        let all = workers as i64;
        assert_eq!(rows[0], (vec![(1, 1), (2, 1)], vec![(10, all), (20, all)]), "{workers} workers");
    }
}

/// The error that each worker's commit answers, where they built what `build` says. What a worker that has returned can't
/// hear any more is told by `run`.
fn plans(build: impl Fn(&mut Worker<'_>) -> Result<Option<Session<u32>>, Error> + Sync) -> Vec<Option<String>> {
    let heard = std::sync::Mutex::new(vec![None; 2]);
    let ended = run(Config::workers(2), |worker| {
        let Some(mut session) = build(worker)? else { return Ok(()) };
        session.insert(1);
        for _ in 0..5 {
            if let Err(error) = worker.commit(&mut session) {
                heard.lock().expect("nobody panics")[worker.index()].get_or_insert(error.to_string());
            }
        }
        Ok(())
    });
    if let Err(error) = ended {
        assert_names_both(&Some(error.to_string()));
    }
    heard.into_inner().expect("nobody panics")
}

fn assert_names_both(error: &Option<String>) {
    let error = error.as_ref().expect("the plans differ");
    assert!(error.contains("different dataflows"), "{error}");
    assert!(error.contains("worker 0 ") && error.contains("worker 1 "), "{error}");
}

#[test]
fn workers_that_build_different_dataflows_are_told_so() {
    let differ = plans(|worker| {
        let more = worker.index() == 1;
        worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            let numbers = if more { numbers.map(|number| number) } else { numbers };
            numbers.distinct().output();
            Some(session)
        })
    });
    differ.iter().for_each(assert_names_both);
}

#[test]
fn a_worker_that_builds_nothing_is_named() {
    for idle in 0..2 {
        let heard = plans(|worker| {
            if worker.index() == idle {
                return Ok(None);
            }
            worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                numbers.distinct().output();
                Some(session)
            })
        });
        assert_names_both(&heard[1 - idle]);
    }
}

#[test]
fn a_worker_that_leaves_a_dataflow_out_is_named() {
    let heard = plans(|worker| {
        let numbers = |worker: &mut Worker<'_>| {
            worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                numbers.distinct().output();
                session
            })
        };
        let mut first = numbers(worker)?;
        worker.commit(&mut first)?;
        let second = if worker.index() == 0 { Some(numbers(worker)?) } else { None };
        Ok(second)
    });
    assert_names_both(&heard[0]);
}

/// A dataflow that one worker refuses, as its loop would not advance time there, and the other does not.
#[test]
fn a_worker_that_refuses_a_dataflow_is_named() {
    let heard = plans(|worker| {
        let wrong = worker.index() == 1;
        let built = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            let variable = Variable::from(&scope.inner("inner"), &numbers);
            let (current, outside) = (variable.current().clone(), variable.current().leave());
            variable.set(if wrong { &outside } else { &current });
            outside.output();
            session
        });
        assert_eq!(built.as_ref().err().is_some(), wrong);
        Ok(built.ok())
    });
    assert_names_both(&heard[0]);
}

/// An operator fails on the worker that has the record; all build on it all the same, and all hear of the failure.
#[test]
fn a_dataflow_built_on_one_that_failed_elsewhere() {
    for workers in 2..=3 {
        let answers = run(Config::workers(workers), |worker| {
            let (mut session, risky, plain) = worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                let refuse = |number| if number == 13 { panic!("not that one") } else { number };
                let risky = numbers.exchange().map(refuse).arrange_by_self("risky");
                (session, risky, numbers.distinct().gather().output())
            })?;
            session.insert(1 + worker.index() as u32);
            // Another worker may be ahead, and have failed already.
            _ = worker.commit(&mut session);
            session.insert(13);
            let first = worker.commit(&mut session).expect_err("one worker has the record");
            let late = worker.dataflow(|_| risky.as_collection(|number, ()| number).gather().output())?;
            session.insert(20);
            let second = worker.commit(&mut session).expect_err("it has not recovered");
            assert!([&first, &second].iter().all(|error| error.to_string().contains("not that one")), "{second}");
            Ok((plain.rows()?, late.frontier()))
        });
        let answers = answers.unwrap_or_else(|error| panic!("{workers} workers: {error}"));
        let mut expected: Vec<(u32, i64)> = (1..=workers as u32).map(|number| (number, 1)).collect();
        expected.extend([(13, 1), (20, 1)]);
        assert_eq!(answers[0].0, expected, "the other query went on");
        assert!(answers.iter().all(|(_, late)| *late == Frontier::minimum()), "what was built late is stopped");
    }
}
