//! What commits promise when sessions are committed apart, and when dataflows come later.

use differential::time::{Frontier, Point};
use differential::trace::ReadError;
use differential::{Config, Error, run_alone};

#[test]
fn what_one_session_completed_is_readable_while_others_commit() {
    run_alone(Config::default(), |worker| {
        let (mut one, mut other, output) = worker.dataflow(|scope| {
            let (one_session, one) = scope.input::<u32>("one");
            let (other_session, other) = scope.input::<u32>("other");
            (one_session, other_session, (one.distinct().output(), other.distinct().output()))
        })?;
        // Five epochs of the other one must not give up times of the first that are not even complete.
        for _ in 0..5 {
            worker.commit(&mut other)?;
        }
        assert!(matches!(output.0.snapshot(0), Err(ReadError::NotYet { .. })));
        one.insert(7);
        assert_eq!(worker.commit(&mut one)?, 0);
        assert_eq!(output.0.snapshot(0), Ok(vec![(7, 1)]));
        for _ in 0..5 {
            worker.commit(&mut other)?;
        }
        assert_eq!(output.0.snapshot(0), Ok(vec![(7, 1)]));
        one.insert(8);
        worker.commit(&mut one)?;
        assert_eq!(output.0.snapshot(10), Err(ReadError::NotYet { asked: 10.into(), upper: output.0.frontier() }));
        assert_eq!(output.0.snapshot(1), Ok(vec![(7, 1), (8, 1)]));
        // Closed for good, it stays readable, whoever commits later.
        worker.commit_to(Frontier::empty(), &mut one)?;
        drop(one);
        for _ in 0..5 {
            worker.commit(&mut other)?;
        }
        assert_eq!(output.0.snapshot(100), Ok(vec![(7, 1), (8, 1)]));
        assert_eq!(output.0.rows(), Ok(vec![(7, 1), (8, 1)]));
        Ok::<_, Error>(())
    })
    .expect("nothing in it fails");
}

/// A11: a join of two arrangements with a past that was not merged yet counted twice, or missed, what lay before the
/// time it was installed as of.
#[test]
fn a_late_join_starts_from_what_is_there_now() {
    for merged_first in [false, true] {
        let outcome = run_alone(Config::default(), |worker| {
            let (mut left, mut right, arranged) = worker.dataflow(|scope| {
                let (left_session, left) = scope.input::<(u32, u32)>("left");
                let (right_session, right) = scope.input::<(u32, u32)>("right");
                let arranged = (left.arrange_by_key("left"), right.arrange_by_key("right"));
                (left_session, right_session, arranged)
            })?;
            for (time, diff) in [(1, 1), (3, -1), (4, 1)] {
                left.update_at((9, 1), time, diff)?;
            }
            right.update_at((9, 2), 2, 1)?;
            for _ in 0..6 {
                worker.commit((&mut left, &mut right))?;
            }
            if merged_first {
                for _ in 0..100 {
                    worker.step()?;
                }
            }
            let (mut output, counts) = worker.dataflow(|_| {
                let joined = arranged.0.join(&arranged.1, |key, one, other| (key, one, other));
                (joined.output(), joined.count().output())
            })?;
            worker.run()?;
            let start = output.changes();
            assert_eq!(output.rows(), Ok(vec![((9, 1, 2), 1)]));
            assert_eq!(counts.rows(), Ok(vec![(((9, 1, 2), 1), 1)]));
            // From here on it follows like everyone else.
            left.insert((9, 5));
            right.remove((9, 2));
            right.insert((9, 6));
            worker.commit((&mut left, &mut right))?;
            let now = output.changes();
            Ok::<_, Error>((start, now))
        });
        let (start, now) = outcome.expect("nothing in it fails");
        let records: Vec<_> = start.iter().map(|(record, _, diff)| (*record, *diff)).collect();
        assert_eq!(records, [((9, 1, 2), 1)], "merged first: {merged_first}, {start:?}");
        let at = Point::from(6);
        let expected = [((9, 1, 2), at.clone(), -1), ((9, 1, 6), at.clone(), 1), ((9, 5, 6), at, 1)];
        assert_eq!(now, expected, "merged first: {merged_first}");
    }
}

#[test]
fn a_late_input_begins_at_the_present_epoch() {
    run_alone(Config::default(), |worker| {
        let (mut early, numbers) = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("early");
            (session, numbers)
        })?;
        for _ in 0..10 {
            worker.commit(&mut early)?;
        }
        let (mut late, mut output) = worker.dataflow(|scope| {
            let (session, late) = scope.input::<u32>("late");
            (session, numbers.concat(&late).output())
        })?;
        assert_eq!((early.epoch(), late.epoch()), (10, 10));
        late.insert(3);
        assert_eq!(worker.commit((&mut early, &mut late))?, 10);
        assert_eq!(output.changes(), vec![(3, Point::from(10), 1)]);
        Ok::<_, Error>(())
    })
    .expect("nothing in it fails");
}

#[test]
fn a_late_output_says_what_is_there_and_not_how_it_came() {
    run_alone(Config::default(), |worker| {
        let (mut session, arranged) = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            (session, numbers.arrange_by_self("numbers"))
        })?;
        for epoch in 0..6 {
            session.insert(1);
            session.update(2, if epoch % 2 == 0 { 1 } else { -1 });
            worker.commit(&mut session)?;
        }
        let mut output = worker.dataflow(|_| arranged.output())?;
        worker.run()?;
        assert_eq!(output.rows(), Ok(vec![(1, 6)]));
        // Epochs up to the last one can't be told apart any more.
        assert_eq!(output.changes(), vec![(1, Point::from(5), 6)]);
        Ok::<_, Error>(())
    })
    .expect("nothing in it fails");
}

/// An empty frontier closes the sessions it was committed with, and not those of inputs still to be built.
#[test]
fn an_input_built_after_another_was_closed_for_good_is_open() {
    let rows = run_alone(Config::default(), |worker| {
        let build = |worker: &mut differential::Worker<'_>| {
            worker.dataflow(|scope| {
                let (session, numbers) = scope.input::<u64>("numbers");
                (session, numbers.output())
            })
        };
        let (mut first, _) = build(worker)?;
        worker.commit_to(5, &mut first)?;
        worker.commit_to(Frontier::empty(), &mut first)?;
        let (mut second, output) = build(worker)?;
        assert_eq!(second.frontier(), Frontier::from(Point::from(5)), "where the last epoch ended");
        second.insert(7);
        assert_eq!(worker.commit(&mut second)?, 5);
        Ok::<_, Error>(output.rows())
    });
    assert_eq!(rows.expect("nothing fails"), Ok(vec![(7, 1)]));
}
