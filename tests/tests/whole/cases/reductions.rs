//! Faults of reductions that other engines met, each restated as a small history with its answer.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tests::{Grid, History, Pair, Random, bag, check, every_way, recompute};

use differential::column::Float;
use differential::error::Reason;
use differential::time::Point;
use differential::{Config, Error, run_alone};

/// B1: deleting a pair that was never there inserted it, and recursion then derived pairs from it.
#[test]
fn b1_a_deletion_of_what_was_never_there_inserts_nothing() {
    let derived = run_alone(Config::default(), |worker| {
        let (mut pairs, output) = worker.dataflow(|scope| {
            let (session, pairs) = scope.input::<Pair>("pairs");
            let closure = pairs.distinct().iterate(|closure| {
                let turned = closure.map(|(source, target)| (target, source));
                turned.join_map(closure, |_, source, target| (source, target)).concat(&pairs).distinct()
            });
            (session, closure.output())
        })?;
        let mut derived = Vec::new();
        for (pair, diff) in [((1, 2), -1), ((1, 2), -1), ((1, 2), 1), ((1, 2), -1), ((2, 3), 1)] {
            pairs.update(pair, diff);
            worker.commit(&mut pairs)?;
            derived.push(output.rows().expect("complete"));
        }
        Ok::<_, Error>(derived)
    });
    assert_eq!(derived, Ok(vec![vec![], vec![], vec![], vec![], vec![((2, 3), 1)]]));
}

/// B3: collapsing a count of -3 to "is it there" made it +1.
#[test]
fn b3_collapsing_a_negative_count_does_not_flip_its_sign() {
    let rows = run_alone(Config::default(), |worker| {
        let (mut records, distinct, least) = worker.dataflow(|scope| {
            let (session, records) = scope.input::<Pair>("records");
            (session, records.distinct().output(), records.min().output())
        })?;
        records.update((1, 1), -3);
        worker.commit(&mut records)?;
        let negative = (distinct.rows().expect("complete"), least.rows().expect("complete"));
        // Two copies later one is still owed; with the fourth it is there.
        let mut counts = Vec::new();
        for _ in 0..4 {
            records.insert((1, 1));
            worker.commit(&mut records)?;
            counts.push(distinct.rows().expect("complete").len());
        }
        Ok::<_, Error>((negative, counts))
    });
    assert_eq!(rows, Ok(((vec![], vec![]), vec![0, 0, 0, 1])));
}

/// B4: five batches handed to a count in one activation; the frontier it kept was reset inside its loop.
#[test]
fn b4_many_times_in_one_activation() {
    let grid = Grid::line(5);
    let copies = |key: u32| (0..5).map(move |time| ((key, 0), Point::from(time), 1));
    let history: History<Pair> = (0..5).flat_map(copies).collect();
    for way in every_way(&grid, 4) {
        let mut made = check(
            "count",
            &grid,
            &way,
            std::slice::from_ref(&history),
            // The flat_map has a frontier of its own, that may move time by time within one commit.
            |inputs, _| inputs[0].flat_map(|(key, _)| [key]).count(),
            recompute(|bags| bag(bags[0].iter().map(|((key, _), count)| ((*key, *count), 1)))),
        );
        made.sort();
        let mut expected: History<(u32, i64)> = (0..5u32)
            .flat_map(|key| {
                (0..5).flat_map(move |time| {
                    let at = Point::from(time);
                    let count = time as i64;
                    [((key, count + 1), at.clone(), 1)].into_iter().chain((time > 0).then_some(((key, count), at, -1)))
                })
            })
            .collect();
        expected.sort();
        assert_eq!(made, expected, "{way:?}");
    }
}

/// B6: a group was emptied in two steps, and never came back when a row was inserted again.
#[test]
fn b6_a_group_emptied_in_two_steps_comes_back() {
    let seen = run_alone(Config::default(), |worker| {
        let (mut rows, outputs) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<(u32, String)>("rows");
            let by_name = rows.map(|(row, name)| (name.to_string(), row));
            let count = rows.map(|(_, name)| name.to_string()).count().map(|(name, count)| (name.to_string(), count));
            let least = by_name.min().map(|(name, row)| (name.to_string(), i64::from(row)));
            let greatest = by_name.max().map(|(name, row)| (name.to_string(), i64::from(row)));
            let sum = by_name.reduce("sum", |_, rows, made| {
                made.push((rows.iter().map(|(row, count)| i64::from(*row) * count).sum::<i64>(), 1i64));
            });
            (session, [count, least, greatest, sum].map(|answer| answer.output()))
        })?;
        rows.insert((1, "x".into()));
        rows.insert((2, "x".into()));
        worker.commit(&mut rows)?;
        let mut seen = Vec::new();
        for (row, diff) in [(1, -1), (2, -1), (3, 1)] {
            rows.update((row, "x".into()), diff);
            worker.commit(&mut rows)?;
            seen.push(outputs.each_ref().map(|output| {
                let rows = output.rows().expect("complete").into_iter();
                rows.map(|((_, answer), count)| (answer, count)).collect::<Vec<_>>()
            }));
        }
        Ok::<_, Error>(seen)
    });
    let one = |answers: [i64; 4]| answers.map(|answer| vec![(answer, 1)]);
    assert_eq!(seen, Ok(vec![one([1, 2, 2, 2]), [const { vec![] }; 4], one([1, 3, 3, 3])]));
}

/// Runs what `sum` says of the values of one key, commit by commit; each is a list of values with changes of their
/// counts.
fn sums_of(commits: &[&[(i64, i64)]]) -> Result<Vec<Vec<i64>>, Error> {
    run_alone(Config::default(), |worker| {
        let (mut values, sum) = worker.dataflow(|scope| {
            let (session, values) = scope.input::<(u8, i64)>("values");
            (session, values.sum(|value| value).output())
        })?;
        let mut sums = Vec::new();
        for changes in commits {
            changes.iter().for_each(|(value, diff)| values.update((1, *value), *diff));
            worker.commit(&mut values)?;
            sums.push(sum.rows()?.into_iter().map(|((_, sum), _)| sum).collect());
        }
        Ok(sums)
    })
}

/// B9: a sum out of range was a small number. Here it is an error that says when, and only if the sum itself is out of
/// range.
#[test]
fn b9_a_sum_out_of_range_is_an_error_and_what_comes_up_on_the_way_is_not() {
    let most = i64::MAX;
    assert_eq!(sums_of(&[&[(most, 2), (-most, 1)], &[(1, 1), (most, 1), (most, -2)]]), Ok(vec![vec![most], vec![1]]));
    let out_of_range = |time: u64| {
        Err(Error::Operator { operator: "sum".into(), time: Some(Point::from(time)), reason: Reason::Overflow })
    };
    assert_eq!(sums_of(&[&[(most, 1)], &[], &[(1, 1)]]), out_of_range(2));
    assert_eq!(sums_of(&[&[(i64::MIN, 1)], &[(-1, 1)]]), out_of_range(1));
}

/// B10: where integers and fractions were mixed, the sum was that of the integers, and the least was one of the kind that is
/// stored first. Here a column has one type, so who mixes them says which.
#[test]
fn b10_integers_among_fractions_are_numbers_like_others() {
    let rows = run_alone(Config::default(), |worker| {
        let (mut integers, mut fractions, summary, ends) = worker.dataflow(|scope| {
            let (integers, some) = scope.input::<(u32, i32)>("integers");
            let (fractions, others) = scope.input::<(u32, Float)>("fractions");
            let numbers = some.map(|(group, number)| (group, Float::from(f64::from(number)))).concat(&others);
            let summary = numbers.aggregate("summary", |group| {
                let sum: f64 = group.values().map(|(number, count)| number.get() * count as f64).sum();
                Ok((Float::from(sum), group.min(), group.max()))
            });
            (integers, fractions, summary.output(), numbers.min().concat(&numbers.max()).output())
        })?;
        [(1, 1), (2, 10)].into_iter().for_each(|row| integers.insert(row));
        worker.commit(&mut integers)?;
        [(1, 2.5), (2, 1.0)].into_iter().for_each(|(group, number)| fractions.insert((group, Float::from(number))));
        worker.commit(&mut fractions)?;
        Ok::<_, Error>((summary.rows()?, ends.rows()?))
    });
    let [one, two_and_a_half, three_and_a_half, ten, eleven] = [1.0, 2.5, 3.5, 10.0, 11.0].map(Float::from);
    let summary = vec![((1, (three_and_a_half, one, two_and_a_half)), 1), ((2, (eleven, one, ten)), 1)];
    let ends = [(1, one), (1, two_and_a_half), (2, one), (2, ten)].map(|row| (row, 1)).to_vec();
    assert_eq!(rows, Ok((summary, ends)));
}

/// B12: the greatest row was replaced by one with the same key at one time, and the old one stayed.
#[test]
fn b12_the_first_is_replaced_by_one_with_the_same_key() {
    let (old, new) = ((7, (5, "old".to_string())), (7, (5, "new".to_string())));
    for turned in [false, true] {
        let changes = run_alone(Config::default(), |worker| {
            let (mut rows, mut top) = worker.dataflow(|scope| {
                let (session, rows) = scope.input::<(u32, (i64, String))>("rows");
                (session, rows.top(1, |(score, _)| score).output())
            })?;
            rows.insert(old.clone());
            worker.commit(&mut rows)?;
            let mut replacing = [(&old, -1), (&new, 1)];
            if turned {
                replacing.reverse();
            }
            replacing.into_iter().for_each(|(row, diff)| rows.update(row.clone(), diff));
            worker.commit(&mut rows)?;
            Ok::<_, Error>(top.changes())
        });
        let at = Point::from(1);
        assert_eq!(changes, Ok(vec![(old.clone(), at.clone(), -1), (new.clone(), at, 1)]), "turned round: {turned}");
    }
}

/// B2: two aggregates over a key whose counts cancel. Here the key is absent in both, until a record is more than owed.
#[test]
fn b2_a_key_whose_counts_cancel_is_absent() {
    let seen = run_alone(Config::default(), |worker| {
        let (mut rows, counts, summary) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<Pair>("rows");
            let summary = rows.aggregate("summary", |group| Ok((group.count(), group.sum(i64::from)?, group.min())));
            (session, rows.map(|(key, _)| key).count().output(), summary.output())
        })?;
        let mut seen = Vec::new();
        for changes in [&[((1, 13), -1), ((1, 26), 1)][..], &[((1, 13), 2)]] {
            changes.iter().for_each(|(pair, diff)| rows.update(*pair, *diff));
            worker.commit(&mut rows)?;
            seen.push((counts.rows()?, summary.rows()?));
        }
        Ok::<_, Error>(seen)
    });
    assert_eq!(seen, Ok(vec![(vec![], vec![]), (vec![((1, 2), 1)], vec![((1, (2, 39, 13)), 1)])]));
}

/// B7: an aggregate over all rows of an empty input. Here there is no group, and no row; it comes and goes with its
/// rows.
#[test]
fn b7_an_aggregate_over_nothing_has_no_row() {
    assert_eq!(sums_of(&[&[], &[(5, 1)], &[(5, -1)]]), Ok(vec![vec![], vec![5], vec![]]));
}

/// B11: negative integers were compared as unsigned ones.
#[test]
fn b11_negative_integers_are_less_than_others() {
    let rows = run_alone(Config::default(), |worker| {
        let (mut numbers, negative, summary) = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<((), i32)>("numbers");
            let summary = numbers.aggregate("summary", |group| Ok((group.min(), group.max(), group.collect())));
            (session, numbers.filter(|(_, number)| number < 0).output(), summary.output())
        })?;
        [0, -1, 1, -2].into_iter().for_each(|number| numbers.insert(((), number)));
        worker.commit(&mut numbers)?;
        Ok::<_, Error>((negative.rows()?, summary.rows()?))
    });
    let negative = [-2, -1].map(|number| (((), number), 1)).to_vec();
    assert_eq!(rows, Ok((negative, vec![(((), (-2, 1, vec![-2, -1, 0, 1])), 1)])));
}

/// B5: a count of an imported trace that had been compacted asked for a cut that was there no more.
#[test]
fn b5_a_count_of_an_arrangement_that_is_past_its_first_times() {
    let seen = run_alone(Config::default(), |worker| {
        let (mut letters, arranged) = worker.dataflow(|scope| {
            let (session, letters) = scope.input::<String>("letters");
            (session, letters.arrange_by_self("letters"))
        })?;
        for letter in ["a", "", "b", "", "a"] {
            if !letter.is_empty() {
                letters.insert(letter.to_string());
            }
            worker.commit(&mut letters)?;
        }
        (0..50).try_for_each(|_| worker.step().map(|_| ()))?;
        let mut counts = worker.dataflow(|_| {
            let counts = arranged.reduce("count", |_, values: &[((), i64)], made| made.push((values[0].1, 1i64)));
            counts.pairs().output()
        })?;
        worker.commit(&mut letters)?;
        let first = counts.rows()?;
        letters.insert("b".to_string());
        worker.commit(&mut letters)?;
        let changes = counts.changes().into_iter().map(|(row, _, diff)| (row, diff)).collect::<Vec<_>>();
        Ok::<_, Error>((first, changes))
    });
    let row = |letter: &str, count: i64, diff: i64| ((letter.to_string(), count), diff);
    assert_eq!(seen, Ok((vec![row("a", 2, 1), row("b", 1, 1)], vec![row("b", 1, -1), row("b", 2, 1)])));
}

/// B8: one of two uses of the same input was dropped.
#[test]
fn b8_the_same_input_used_twice() {
    let seen = run_alone(Config::default(), |worker| {
        let (mut session, outputs) = worker.dataflow(|scope| {
            let (session, pairs) = scope.input::<Pair>("pairs");
            let [twice, none] = [pairs.concat(&pairs), pairs.concat(&pairs.negate())];
            (session, [twice, none, pairs.join_map(&pairs, |key, one, _| (key, one))].map(|pairs| pairs.output()))
        })?;
        (1..4).for_each(|key| session.insert((key, 0)));
        worker.commit(&mut session)?;
        let rows = outputs.each_ref().map(|output| output.rows());
        Ok::<_, Error>(rows.into_iter().collect::<Result<Vec<_>, _>>()?)
    });
    let each = |count| [1, 2, 3].map(|key| ((key, 0), count)).to_vec();
    assert_eq!(seen, Ok(vec![each(2), vec![], each(1)]));
}

/// B13: in a histogram of degrees, many rounds in one batch took work quadratic in the times of a key.
#[test]
fn b13_a_histogram_of_degrees_costs_the_same_in_batches_of_any_size() {
    let (nodes, edges, rounds) = (100, 500, 400);
    let mut random = Random::new(13);
    let mut edge = || (random.below(nodes) as u32, random.below(nodes) as u32);
    let mut present: Vec<Pair> = (0..edges).map(|_| edge()).collect();
    let first = present.clone();
    // Each round one edge comes and the oldest goes.
    let changes: Vec<(Pair, Pair)> = (0..rounds)
        .map(|_| edge())
        .map(|new| {
            present.push(new);
            (new, present.remove(0))
        })
        .collect();
    let mut degrees = BTreeMap::new();
    present.iter().for_each(|(source, _)| *degrees.entry(source).or_insert(0i64) += 1);
    let mut expected = BTreeMap::new();
    degrees.values().for_each(|degree| *expected.entry(*degree).or_insert(0i64) += 1);
    let expected: Vec<((i64, i64), i64)> = expected.into_iter().map(|row| (row, 1)).collect();

    let run_in_batches_of = |size: usize| {
        let calls = Rc::new(Cell::new(0u64));
        let counted = Rc::clone(&calls);
        let rows = run_alone(Config::default(), |worker| {
            let (mut session, output) = worker.dataflow(|scope| {
                let (session, edges) = scope.input::<Pair>("edges");
                let degrees = edges.arrange_by_key("edges").reduce("degree", move |_, targets, made| {
                    counted.set(counted.get() + 1);
                    made.push((targets.iter().map(|target| target.1).sum::<i64>(), 1i64));
                });
                (session, degrees.as_collection(|_, degree| degree).count().output())
            })?;
            first.iter().for_each(|edge| session.insert(*edge));
            worker.commit(&mut session)?;
            let before = calls.get();
            for (batch, changes) in changes.chunks(size).enumerate() {
                let start = 1 + (batch * size) as u64;
                for (time, (new, old)) in (start..).zip(changes) {
                    session.update_at(*new, time, 1)?;
                    session.update_at(*old, time, -1)?;
                }
                worker.commit_to(start + changes.len() as u64, &mut session)?;
            }
            Ok::<_, Error>((output.rows().expect("complete"), calls.get() - before))
        });
        rows.expect("nothing in it fails")
    };
    let (rows, alone) = run_in_batches_of(1);
    assert_eq!(rows, expected);
    for size in [10, 100, 400] {
        let (rows, calls) = run_in_batches_of(size);
        assert_eq!(rows, expected, "batches of {size}");
        assert!(calls <= alone, "{calls} calls in batches of {size}, {alone} one by one");
    }
}

/// B14: a fact lost one support and won another at one time; who took each raw diff for a yes or no saw it go.
#[test]
fn b14_a_fact_that_changes_its_support_does_not_change() {
    let changes = run_alone(Config::default(), |worker| {
        let (mut one, mut other, mut output) = worker.dataflow(|scope| {
            let (one_session, one) = scope.input::<u32>("one rule");
            let (other_session, other) = scope.input::<u32>("another rule");
            (one_session, other_session, one.map(|_| 7).concat(&other.map(|_| 7)).distinct().output())
        })?;
        let mut changes = Vec::new();
        for (diff, other_diff) in [(1, 0), (-1, 1), (1, 0), (-1, -1)] {
            one.update(1, diff);
            other.update(2, other_diff);
            worker.commit((&mut one, &mut other))?;
            changes.push(output.changes().into_iter().map(|(fact, _, diff)| (fact, diff)).collect::<Vec<_>>());
        }
        Ok::<_, Error>(changes)
    });
    assert_eq!(changes, Ok(vec![vec![(7u32, 1i64)], vec![], vec![], vec![(7, -1)]]));
}
