//! Replays and products against the edits as they were.

use std::collections::BTreeMap;

use super::{Edits, Product, Replay};
use crate::diff::Overflow;
use crate::time::small_world::{Random, grid, sets_of_at_most};
use crate::time::{Lattice, Point, Time};

type Row = (u32, Point, i64);
type Consolidated = BTreeMap<(u32, u32, Point), i64>;

fn direct_product(left: &[Row], right: &[Row]) -> Consolidated {
    let mut product = Consolidated::new();
    for (a, at, diff) in left {
        for (b, bt, other) in right {
            *product.entry((*a, *b, at.join(bt))).or_default() += diff * other;
        }
    }
    product.retain(|_, diff| *diff != 0);
    product
}

fn replayed_product(product: &mut Product<Point, i64, i64>, left: &[Row], right: &[Row]) -> (usize, Consolidated) {
    let (mut rows, mut result) = (0, Consolidated::new());
    let (mut left, mut right) = (left.iter().cloned().collect(), right.iter().cloned().collect());
    let emit = |a, b, time, diff| {
        rows += 1;
        *result.entry((a, b, time)).or_default() += diff;
    };
    product.multiply(&mut left, &mut right, emit).expect("no overflow");
    result.retain(|_, diff| *diff != 0);
    (rows, result)
}

/// Every pair of sets of at most three times of a 3 x 3 grid, with alternating signs.
#[test]
fn products_of_the_small_world() {
    let sets = sets_of_at_most(3, &grid(3));
    let signed = |set: &Vec<Point>| -> Vec<Row> {
        let signed = set.iter().enumerate().map(|(at, time)| (0, time.clone(), if at % 2 == 0 { 1 } else { -1 }));
        signed.collect()
    };
    let product = &mut Product::default();
    for left in sets.iter().map(signed) {
        for right in sets.iter().map(signed) {
            let (_, replayed) = replayed_product(product, &left, &right);
            assert_eq!(replayed, direct_product(&left, &right), "{left:?} x {right:?}");
        }
    }
}

#[test]
fn products_of_larger_worlds() {
    let product = &mut Product::default();
    for seed in 0..4_000 {
        let random = &mut Random::new(seed);
        let (coordinates, bound, ranks) = (1 + random.below(3), 2 + random.below(4), 1 + random.below(3));
        let mut rows = || -> Vec<Row> {
            let count = random.below(25);
            let mut row = || (random.below(ranks) as u32, random.point(coordinates, bound), random.below(5) as i64 - 2);
            (0..count).map(|_| row()).collect()
        };
        let (left, right) = (rows(), rows());
        let (_, replayed) = replayed_product(product, &left, &right);
        assert_eq!(replayed, direct_product(&left, &right), "seed {seed}: {left:?} x {right:?}");
    }
}

/// Values replaced again and again: a direct product would make four million rows.
#[test]
fn work_follows_the_net_size() {
    let replaced = |offset: u64| -> Vec<Row> {
        let replace = |step: u64| [(step as u32, step, 1), (step as u32, step + 1, -1)];
        (0..1_000).flat_map(replace).map(|(rank, time, diff)| (rank, Point::from(2 * time + offset), diff)).collect()
    };
    let (left, right) = (replaced(0), replaced(1));
    let (rows, replayed) = replayed_product(&mut Product::default(), &left, &right);
    assert!(rows <= 4 * left.len(), "{rows} rows of {} and {} edits", left.len(), right.len());
    let last = Point::from(2_000);
    let open: i64 = replayed.iter().filter(|((.., time), _)| time.precedes(&last)).map(|(_, diff)| diff).sum();
    assert_eq!(open, 0, "the left side's last value is removed at the last of its times");
}

#[test]
fn a_product_that_overflows_is_an_error() {
    let mut left = Edits::from_iter([(0, 1u64, i64::MAX)]);
    let mut right = Edits::from_iter([(0, 2u64, 2i64)]);
    let result = Product::default().multiply(&mut left, &mut right, |_, _, _, _| ());
    assert_eq!(result, Err(Overflow));
}

/// A replay accumulates, at every time at or past its floors, to what was played.
#[test]
fn a_replay_is_the_edits_it_played() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        let rows: Vec<Row> = (0..random.below(12))
            .map(|_| (random.below(2) as u32, random.point(2, 4), random.below(3) as i64 - 1))
            .collect();
        let mut replay = Replay::default();
        replay.load(&mut rows.iter().cloned().collect());
        let mut floors = Vec::new();
        while let Some(time) = replay.next_time().cloned() {
            let ahead = rows.iter().map(|(_, ahead, _)| ahead).filter(|ahead| **ahead >= time).cloned();
            assert_eq!(replay.meet_ahead().cloned(), ahead.reduce(|a, b| a.meet(&b)), "seed {seed}");
            let played = replay.play_until(&time);
            assert_eq!(played, rows.iter().filter(|(_, at, _)| *at == time).count(), "seed {seed}");
            if random.below(2) == 0 {
                let floor = random.point(2, 3);
                replay.raise_floor(&floor).expect("no overflow");
                floors.push(floor);
            }
            let played: Edits<Point, i64> = rows.iter().filter(|(_, at, _)| *at <= time).cloned().collect();
            for at in grid(4).into_iter().filter(|at| floors.iter().all(|floor| floor.precedes(at))) {
                let (mut netted, mut expected) = (Vec::new(), Vec::new());
                replay.accumulate(&at, &mut netted).expect("no overflow");
                played.accumulate(&at, &mut expected).expect("no overflow");
                assert_eq!(netted, expected, "seed {seed}: at {at:?} of {rows:?}, floors {floors:?}");
            }
        }
        assert_eq!(replay.meet_ahead(), None);
    }
}

/// Accumulation is the sum of what precedes; consolidation keeps every sum and no row that could go.
#[test]
fn consolidated_edits_accumulate_as_before() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        let rows: Vec<Row> = (0..random.below(10))
            .map(|_| (random.below(3) as u32, random.point(2, 3), random.below(3) as i64 - 1))
            .collect();
        let edits: Edits<Point, i64> = rows.iter().cloned().collect();
        let mut consolidated = edits.clone();
        consolidated.consolidate().expect("no overflow");
        let list = consolidated.as_slice();
        let in_order = list.windows(2).all(|pair| (pair[0].rank, &pair[0].time) < (pair[1].rank, &pair[1].time));
        assert!(in_order && list.iter().all(|edit| edit.diff != 0), "seed {seed}: {list:?}");
        for at in grid(3) {
            let mut expected = BTreeMap::new();
            for (rank, _, diff) in rows.iter().filter(|(_, time, _)| time.precedes(&at)) {
                *expected.entry(*rank).or_insert(0) += diff;
            }
            expected.retain(|_, diff| *diff != 0);
            for edits in [&edits, &consolidated] {
                let mut accumulated = Vec::new();
                edits.accumulate(&at, &mut accumulated).expect("no overflow");
                assert!(accumulated.into_iter().eq(expected.clone()), "seed {seed}: at {at:?} of {rows:?}");
            }
        }
    }
}
