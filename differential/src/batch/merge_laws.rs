//! Laws of merging: whatever the split of the effort, the result is the batch that one sort of all updates, advanced,
//! would give, down to the form in which it is stored.

use std::sync::Arc;

use super::batch_laws::{Numbers, Row, random_updates, rows_of, summed};
use super::{Batch, Merge, Progress};
use crate::column::{Column, Data};
use crate::diff::OverflowAt;
use crate::layout::{Layout, Rows};
use crate::time::small_world::{Random, grid, sets_of_at_most};
use crate::time::{Frontier, Point, TimeColumn};

/// Runs a merge to its end, spending what `effort` says at each call, and checks what was spent.
fn run<L: Layout>(
    mut merge: Merge<L>,
    mut effort: impl FnMut() -> usize,
) -> Result<Option<Batch<L>>, OverflowAt<L::Time>> {
    let (cost, mut spent) = (merge.cost(), 0);
    loop {
        let given = effort();
        let mut left = given;
        let progress = merge.advance(&mut left)?;
        spent += given - left;
        match progress {
            Progress::Done(batch) => {
                assert!(spent <= cost, "spent {spent} of {cost}");
                assert!(given < usize::MAX || spent == cost, "spent {spent} of {cost} in one go");
                return Ok(batch);
            }
            Progress::More(more) => merge = more,
        }
        assert!(given == 0 || left < given || spent == cost, "an effort of {given} did nothing");
    }
}

/// The updates advanced, by the definition.
fn advanced<K: Data, V: Data>(
    updates: &[Row<Rows<K, V, Point, i64>>],
    since: &Frontier<Point>,
) -> Vec<Row<Rows<K, V, Point, i64>>> {
    let advance = |row: &Row<Rows<K, V, Point, i64>>| {
        let (key, val, mut time, diff) = row.clone();
        since.advance(&mut time);
        (key, val, time, diff)
    };
    updates.iter().map(advance).collect()
}

/// Asserts that two batches are equal in every column and every form.
fn assert_same<L: Layout>(found: &Option<Batch<L>>, expected: &Option<Batch<L>>, context: &str) {
    let (Some(found), Some(expected)) = (found, expected) else {
        let both = (found.is_none(), expected.is_none());
        assert_eq!(both, (true, true), "{context}: found {found:?}, expected {expected:?}");
        return;
    };
    found.check();
    assert_eq!(rows_of(found), rows_of(expected), "{context}");
    assert_eq!((&found.values, &found.updates), (&expected.values, &expected.updates), "{context}: offsets");
    assert_eq!(found.keys.len(), expected.keys.len(), "{context}: keys");
    assert_eq!(found.diffs.uniform(), expected.diffs.uniform(), "{context}: uniform diffs");
    assert_eq!(found.times.uniform(), expected.times.uniform(), "{context}: uniform times");
}

/// The batch of some updates, with layers whatever their number if `layered`: so that small worlds reach all of the
/// merge.
fn batch_of(updates: &[Row<Numbers>], layered: bool) -> Option<Arc<Batch<Numbers>>> {
    let rows = summed(updates.iter().cloned());
    if layered && !rows.is_empty() { Some(Arc::new(Batch::layered(rows))) } else { Batch::new(rows).map(Arc::new) }
}

#[test]
fn every_small_merge_is_what_one_sort_gives() {
    // Two keys, one of them with two values; times of a 2 x 2 grid; three signs of interest.
    let universe: Vec<Row<Numbers>> = [(1, 1), (1, 2), (2, 1)]
        .into_iter()
        .flat_map(|(key, val)| grid(2).into_iter().map(move |time| (key, val, time, 1)))
        .collect();
    let sinces = [
        Frontier::minimum(),
        Frontier::from(Point::from([1, 0])),
        Frontier::from_iter([Point::from([0, 1]), Point::from([1, 0])]),
        Frontier::from(Point::from([1, 1])),
    ];
    let sides = sets_of_at_most(2, &universe);
    for older in &sides {
        for (number, newer) in sides.iter().enumerate() {
            // Every other newer side takes away, so that pairs cancel.
            let sign = if number % 2 == 0 { -1 } else { 1 };
            let newer: Vec<_> = newer.iter().map(|row| (row.0, row.1, row.2.clone(), sign * row.3)).collect();
            for since in &sinces {
                let all: Vec<_> = older.iter().chain(&newer).cloned().collect();
                let expected = Batch::new(summed(advanced(&all, since)));
                for (layered, effort) in [(false, usize::MAX), (true, usize::MAX), (true, 1)] {
                    let merge = match (batch_of(older, layered), batch_of(&newer, layered)) {
                        (Some(older), Some(newer)) => Merge::new(older, newer, since.clone()),
                        (Some(only), None) | (None, Some(only)) => Merge::rewrite(only, since.clone()),
                        (None, None) => continue,
                    };
                    let context = format!("{older:?} and {newer:?} since {since:?}, layered {layered}");
                    assert_same(&run(merge, || effort).expect("small sums"), &expected, &context);
                }
            }
        }
    }
}

/// Takes `newer` into `older` in place, where that can be done; what came of it.
fn absorbed(older: &[Row<Numbers>], newer: &[Row<Numbers>], since: &Frontier<Point>) -> Option<Option<Batch<Numbers>>> {
    let [older, newer] = [older, newer].map(|side| batch_of(side, false).and_then(Arc::into_inner));
    let mut batch = older?;
    // What it knows of itself may change.
    batch.inserts_only();
    let absorbed = batch.absorb(&newer?, since).expect("small sums");
    absorbed.then(|| (!batch.diffs.is_empty()).then_some(batch))
}

#[test]
fn what_is_absorbed_is_what_one_sort_gives() {
    let mut count = 0;
    for seed in 0..6000 {
        let mut random = Random::new(seed);
        // Now and then all pairs are distinct, or at one time after `since`, as where commits are small.
        let (keys, vals, side) = (1 + random.below(40), 1 + random.below(3), 1 + random.below(2));
        let sizes = [1 + random.below(60), 1 + random.below(6)];
        let [older, newer] = sizes.map(|count| random_updates(&mut random, count, keys, vals, side));
        let since = Frontier::from([random.point(2, side), Point::from([9, 9])][random.below(2)].clone());
        let all: Vec<_> = older.iter().chain(&newer).cloned().collect();
        if let Some(found) = absorbed(&older, &newer, &since) {
            let expected = Batch::new(summed(advanced(&all, &since)));
            let context = format!("seed {seed}: {older:?} and {newer:?} since {since:?}");
            found.iter().for_each(Batch::check);
            assert_eq!(found.as_ref().map(rows_of), expected.as_ref().map(rows_of), "{context}");
            count += 1;
        }
    }
    assert!(count > 1000, "{count} were absorbed");
}

#[test]
fn an_overflow_leaves_the_batch_that_was_to_absorb() {
    let updates = |diffs: [i64; 2]| -> Vec<Row<Numbers>> {
        [3, 5].into_iter().zip(diffs).map(|(key, diff)| (key, 0, Point::from(0), diff)).collect()
    };
    let [older, newer] = [updates([1, i64::MAX]), updates([-1, 1])].map(|side| batch_of(&side, false));
    let mut batch = older.and_then(Arc::into_inner).expect("nobody else has it");
    let absorbed = batch.absorb(&newer.expect("there are rows"), &Frontier::from(Point::from(0)));
    assert_eq!(absorbed, Err(OverflowAt::new(Point::from(0))));
    assert_eq!(rows_of(&batch), updates([1, i64::MAX]));
}

#[test]
fn any_split_of_the_effort_gives_the_batch_that_one_sort_would() {
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let (keys, vals, side) = (1 + random.below(150), 1 + random.below(12), 1 + random.below(4));
        let most = [8, 300][random.below(2)];
        let sizes = [1 + random.below(300), 1 + random.below(most)];
        let [older, newer] = sizes.map(|count| random_updates(&mut random, count, keys, vals, side));
        let since = match random.below(5) {
            0 => Frontier::minimum(),
            1 => Frontier::from_iter([random.point(2, side), random.point(2, side)]),
            2 => Frontier::from(Point::from([9, 9])),
            _ => Frontier::from(random.point(2, side)),
        };
        let all: Vec<_> = older.iter().chain(&newer).cloned().collect();
        let expected = Batch::new(summed(advanced(&all, &since)));
        let merge = || match (batch_of(&older, false), batch_of(&newer, false)) {
            (Some(older), Some(newer)) => Some(Merge::new(older, newer, since.clone())),
            (Some(only), None) | (None, Some(only)) => Some(Merge::rewrite(only, since.clone())),
            (None, None) => None,
        };
        let efforts = [1, 2, 7, 64, usize::MAX];
        for effort in efforts {
            if let Some(merge) = merge() {
                let merged = run(merge, || effort).expect("small sums");
                assert_same(&merged, &expected, &format!("seed {seed}, effort {effort}"));
            }
        }
        if let Some(merge) = merge() {
            let merged = run(merge, || random.below(40)).expect("small sums");
            assert_same(&merged, &expected, &format!("seed {seed}, random efforts"));
        }
    }
}

#[test]
fn uniform_times_stay_uniform_and_different_ones_do_not_mix() {
    for (older_time, newer_time, since) in [(3, 3, 0), (3, 5, 0), (3, 5, 4), (3, 5, 9)] {
        let updates = |time: u64, keys: std::ops::Range<u64>| -> Vec<Row<Numbers>> {
            keys.map(|key| (key, key % 3, Point::from(time), 1)).collect()
        };
        let (older, newer) = (updates(older_time, 0..300), updates(newer_time, 200..450));
        let since = Frontier::from(Point::from(since));
        let all: Vec<_> = older.iter().chain(&newer).cloned().collect();
        let expected = Batch::new(summed(advanced(&all, &since)));
        let sides = [older, newer].map(|side| batch_of(&side, false).expect("there are rows"));
        let [older, newer] = sides;
        let merged = run(Merge::new(older, newer, since), || 10).expect("small sums");
        assert_same(&merged, &expected, &format!("times {older_time} and {newer_time}"));
    }
}

#[test]
fn keys_that_alternate_are_picked_from_both_sides() {
    for seed in 0..120 {
        let mut random = Random::new(seed);
        // Few keys on both sides, so that long blocks are picked; one time, two that `since` makes one, or several.
        let since = Frontier::from([Point::from(3), Point::from([1, 2])][random.below(2)].clone());
        let rounds = [1, 5][random.below(2)];
        let diffs = [[1, 1], [1, -1], [2, 0]][random.below(3)];
        let sides = [0, 1].map(|side| -> Vec<Row<Numbers>> {
            let mut keys: Vec<u64> = (0..100 + random.below(3000)).map(|_| random.below(100_000) as u64).collect();
            keys.sort_unstable();
            keys.dedup();
            let diff = |random: &mut Random| if diffs[side] == 0 { 1 + random.below(2) as i64 } else { diffs[side] };
            let time = |key: u64| Point::from([side as u64, key / 7 % rounds]);
            keys.into_iter().map(|key| (key, key % 7, time(key), diff(&mut random))).collect()
        });
        let all: Vec<_> = sides.iter().flatten().cloned().collect();
        let expected = Batch::new(summed(advanced(&all, &since)));
        let [older, newer] = sides.map(|side| batch_of(&side, false).expect("there are rows"));
        for most in [1, 40, 5000] {
            let merge = Merge::new(Arc::clone(&older), Arc::clone(&newer), since.clone());
            let merged = run(merge, || 1 + random.below(most)).expect("small sums");
            assert_same(&merged, &expected, &format!("seed {seed}, efforts up to {most}"));
        }
    }
}

#[test]
fn a_key_longer_than_the_effort_is_copied_in_pieces() {
    let updates = |key: u64| -> Vec<Row<Numbers>> { (0..500).map(|val| (key, val, Point::from(1), 1)).collect() };
    let [older, newer] = [1, 2].map(|key| batch_of(&updates(key), false).expect("there are rows"));
    let mut merge = Merge::new(older, newer, Frontier::minimum());
    let mut calls = 0;
    let merged = loop {
        calls += 1;
        let mut effort = 10;
        match merge.advance(&mut effort).expect("nothing is added") {
            Progress::Done(batch) => break batch.expect("nothing cancels"),
            Progress::More(more) => merge = more,
        }
        assert_eq!(effort, 0, "call {calls} stopped early");
    };
    assert!((100..=102).contains(&calls), "{calls} calls for 1000 updates");
    assert_eq!((merged.len(), merged.keys().len()), (1000, 2));
}

#[test]
fn a_batch_that_cancels_is_none_and_costs_no_memory() {
    let updates = |sign: i64, count: u64| -> Vec<Row<Numbers>> {
        (0..count).map(|key| (key, key, Point::from(1), sign)).collect()
    };
    let merged = |count: u64| {
        let [older, newer] =
            [updates(1, 5000), updates(-1, count)].map(|side| batch_of(&side, false).expect("there are rows"));
        run(Merge::new(older, newer, Frontier::minimum()), || 100).expect("small sums")
    };
    assert!(merged(5000).is_none());
    let rest = merged(4900).expect("a hundred are left");
    assert_eq!(rest.len(), 100);
    assert!(rest.heap_bytes() < 100 * 64, "{} bytes for 100 updates", rest.heap_bytes());
}

#[test]
fn with_nobody_left_to_read_nothing_is_left() {
    let updates: Vec<Row<Numbers>> = (0..100).map(|key| (key, key, Point::from(1), 1)).collect();
    let batch = batch_of(&updates, false).expect("there are rows");
    assert!(run(Merge::rewrite(batch, Frontier::empty()), || 0).expect("nothing is added").is_none());
}

#[test]
fn a_sum_that_overflows_is_an_error() {
    for count in [1, 100] {
        let updates: Vec<Row<Numbers>> = (0..count).map(|key| (key, 0, Point::from(key), i64::MAX)).collect();
        let batch = batch_of(&updates, false).expect("there are rows");
        let merge = Merge::new(Arc::clone(&batch), batch, Frontier::minimum());
        assert_eq!(run(merge, || 7).map(|_| ()), Err(OverflowAt::new(Point::from(0))), "{count} updates a side");
    }
}

#[test]
fn strings_are_merged_like_numbers() {
    type Words = Rows<String, (u32, String), Point, i64>;
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let sides = [200, 40].map(|count| -> Vec<Row<Words>> {
            let word = |random: &mut Random| format!("{:x}", random.below(300) * 77);
            (0..count).map(|_| (word(&mut random), (7, word(&mut random)), random.point(2, 2), 1)).collect()
        });
        let since = Frontier::from(random.point(2, 2));
        let all: Vec<_> = sides.iter().flatten().cloned().collect();
        let expected = Batch::new(summed(advanced(&all, &since)));
        let [older, newer] = sides.map(|side| Arc::new(Batch::new(summed(side)).expect("there are rows")));
        let merged = run(Merge::<Words>::new(older, newer, since), || 33).expect("small sums");
        assert_same(&merged, &expected, &format!("seed {seed}"));
    }
}
