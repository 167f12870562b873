//! Rounds of loops: bounds on them, numbers of them past any small type, and what is left of those of finished epochs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tests::{Grid, Kept, Pair, Random, bag, check_all, every_way, history, recompute};

use differential::collection::Collection;
use differential::error::Reason;
use differential::operators::{Rounds, Variable};
use differential::time::Point;
use differential::{Arranged, Config, Error, run_alone};

/// What a loop over numbers comes to for each list of numbers in turn; of the last, what its commit says.
fn numbers_through(
    lists: &[&[u64]],
    rounds: Rounds,
    body: fn(u64) -> u64,
) -> (Vec<Vec<(u64, i64)>>, Result<u64, Error>) {
    run_alone(Config::default(), |worker| {
        let built = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u64>("numbers");
            (session, numbers.iterate_for("stepping", rounds, |numbers| numbers.map(body)).output())
        });
        let (mut session, output) = built.expect("it can be built");
        let (mut answers, mut last) = (Vec::new(), Ok(0));
        for list in lists {
            list.iter().for_each(|number| session.insert(*number));
            last = worker.commit(&mut session);
            answers.push(output.rows().expect("a snapshot of what is complete"));
            list.iter().for_each(|number| session.remove(*number));
        }
        (answers, last)
    })
}

#[test]
fn a_loop_that_has_not_converged_in_time_says_what_still_changes() {
    let down: fn(u64) -> u64 = |number| number.saturating_sub(1);
    // Four rounds bring 4 to 0, and the next one finds nothing to do.
    let (answers, said) = numbers_through(&[&[4, 3], &[2]], Rounds::AtMost(4), down);
    assert_eq!((answers, said), (vec![vec![(0, 2)], vec![(0, 1)]], Ok(1)));
    let (answers, said) = numbers_through(&[&[4], &[14, 5, 3]], Rounds::AtMost(4), down);
    assert_eq!(answers, vec![vec![(0, 1)], vec![(0, 1)]], "what was complete can still be read");
    let changing = ["0", "1", "10", "9"].map(String::from).to_vec();
    let reason = Reason::Rounds { limit: 4, records: 4, changing };
    let operator = "variable of stepping".to_string();
    let error = Error::Operator { operator, time: Some(Point::from([1, 5])), reason };
    assert_eq!(said.as_ref(), Err(&error));
    let words = "it has not converged in 4 rounds; 4 records or more still change: 0, 1, 10, 9";
    assert_eq!(error.to_string(), format!("operator `variable of stepping` stopped at time [1, 5]: {words}"));
}

#[test]
fn an_error_shows_some_of_the_records_that_change() {
    let numbers: Vec<u64> = (100..200).map(|number| 1000 * number).collect();
    let (_, said) = numbers_through(&[&numbers], Rounds::AtMost(1), |number| number + 1);
    let Err(Error::Operator { reason: Reason::Rounds { records, changing, .. }, .. }) = said else {
        panic!("{said:?}")
    };
    assert!(records > 100 && changing.len() == 8, "{records} records, of which {changing:?} are shown");
}

#[test]
fn exactly_so_many_rounds_at_every_time_of_a_box() {
    fn step((a, b): Pair) -> Pair {
        ((a + b) % 5, (2 * b + 1) % 7)
    }
    let grid = Grid::square(3);
    for rounds in 0..4 {
        let inputs = [history(&mut Random::new(rounds), &grid, 20, 4, 4)];
        let program = move |inputs: &[Collection<Pair>], _: &mut Kept| {
            inputs[0].iterate_for("some rounds", Rounds::Exactly(rounds), |pairs| pairs.map(step))
        };
        let oracle = recompute(move |bags| {
            bag(bags[0].iter().map(|(pair, count)| ((0..rounds).fold(*pair, |pair, _| step(pair)), *count)))
        });
        check_all(("rounds", rounds), &grid, &every_way(&grid, rounds), &inputs, program, oracle);
    }
}

/// A loop entered three rounds before 2^32: a counter of 32 bits would go round.
#[test]
fn rounds_pass_the_range_of_32_bits() {
    const ENTERED: u64 = (1 << 32) - 3;
    let seen = Rc::new(RefCell::new(BTreeSet::new()));
    let rounds = Rc::clone(&seen);
    let rows = run_alone(Config::default(), |worker| {
        let (mut edges, mut roots, output) = worker.dataflow(|scope| {
            let (edge_session, edges) = scope.input::<Pair>("edges");
            let (root_session, roots) = scope.input::<u32>("roots");
            let by_source = edges.arrange_by_key("edges by source");
            let inner = scope.inner("late");
            let late = roots.enter_at(&inner, |_| ENTERED);
            let near = Variable::new(&inner);
            let next = near.current().join(&by_source, |_, (), target| target).concat(&late).distinct();
            near.set(&next.inspect(move |node, time, _| _ = rounds.borrow_mut().insert((node, time.coordinate(1)))));
            (edge_session, root_session, next.leave().output())
        })?;
        (0..6).for_each(|node| edges.insert((node, node + 1)));
        roots.insert(0);
        worker.commit((&mut edges, &mut roots))?;
        let before = output.rows()?;
        edges.remove((1, 2));
        edges.insert((1, 5));
        worker.commit((&mut edges, &mut roots))?;
        Ok::<_, Error>((before, output.rows()?))
    });
    let once = |nodes: &[u32]| nodes.iter().map(|node| (*node, 1)).collect::<Vec<_>>();
    assert_eq!(rows, Ok((once(&[0, 1, 2, 3, 4, 5, 6]), once(&[0, 1, 5, 6]))));
    let seen = seen.borrow();
    assert!((0..=6).all(|node| seen.contains(&(node, ENTERED + u64::from(node)))), "each a round later: {seen:?}");
}

/// D11: a loop without a fixed point could not be stopped. Here it ends at its bound, and other dataflows go on.
#[test]
fn d11_a_loop_without_a_fixed_point_is_stopped_and_others_go_on() {
    run_alone(Config::default(), |worker| {
        let (mut start, output) = worker.dataflow(|scope| {
            let (session, start) = scope.input::<u32>("start");
            let spinning = start.iterate_for("spinning", Rounds::AtMost(50), |r| r.map(|n| if n == 5 { 0 } else { 5 }));
            (session, spinning.output())
        })?;
        let (mut other, doubled) = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            (session, numbers.map(|n| 2 * n).output())
        })?;
        start.insert(5);
        let Err(Error::Operator { operator, reason: Reason::Rounds { limit, .. }, .. }) = worker.commit(&mut start)
        else {
            panic!("it has no fixed point")
        };
        assert_eq!((&operator[..], limit, output.rows()?), ("variable of spinning", 50, vec![]));
        other.insert(4);
        // The worker says again what has failed, and the rest is done all the same.
        assert!(worker.commit(&mut other).is_err());
        assert_eq!(doubled.rows()?, vec![(8, 1)]);
        Ok::<_, Error>(())
    })
    .expect("all else works");
}

/// The updates that an arrangement holds, by epoch.
fn rows_by_epoch(arranged: &Arranged<differential::layout::Rows<u32, (), Point, i64>>) -> BTreeMap<u64, usize> {
    let mut rows = BTreeMap::new();
    arranged.for_each(|_, (), time, _| *rows.entry(time.coordinate(0)).or_default() += 1);
    rows
}

/// Past epochs fall together: what a loop keeps is one history over rounds, and nothing of the epochs that made it.
#[test]
fn finished_epochs_leave_nothing_in_a_loop() {
    let at_rest = run_alone(Config::default(), |worker| {
        let (mut edges, mut roots, (near, output)) = worker.dataflow(|scope| {
            let (edge_session, edges) = scope.input::<Pair>("edges");
            let (root_session, roots) = scope.input::<u32>("roots");
            let mut kept = None;
            let by_source = edges.arrange_by_key("edges by source");
            let reached = roots.iterate(|near| {
                let near = near.arrange_by_self("near");
                kept = Some(near.clone());
                near.join(&by_source, |_, (), target| target).concat(&roots).distinct()
            });
            (edge_session, root_session, (kept.expect("the body was built"), reached.output()))
        })?;
        // A ring of 40 nodes, and now and then a way across it, that brings its other half nearer.
        (0..40).for_each(|node| edges.insert((node, (node + 1) % 40)));
        roots.insert(0);
        let mut at_rest = Vec::new();
        for epoch in 0..201 {
            match epoch % 2 {
                1 => edges.insert((0, 3 + epoch as u32 % 30)),
                _ if epoch > 0 => edges.remove((0, 3 + (epoch - 1) as u32 % 30)),
                _ => {}
            }
            worker.commit((&mut edges, &mut roots))?;
            assert_eq!(output.rows()?.len(), 40);
            if epoch == 0 || epoch == 200 {
                // Commits without changes, so that the one before is past; then steps in which traces find their
                // smallest form.
                worker.commit((&mut edges, &mut roots))?;
                worker.commit((&mut edges, &mut roots))?;
                for _ in 0..100 {
                    worker.step()?;
                }
                at_rest.push(rows_by_epoch(&near));
            }
        }
        Ok::<_, Error>(at_rest)
    });
    let at_rest = at_rest.expect("nothing in it fails");
    let rows = |at: usize| at_rest[at].values().sum::<usize>();
    assert_eq!(rows(1), rows(0), "rows by epoch: {at_rest:?}");
    assert_eq!(at_rest[1].len(), 1, "rows by epoch: {at_rest:?}");
}
