//! Reductions say what recomputing says, at every time of a box: with insertions, deletions and totals below zero.
//!
//! First a small world, all of it: every history of at most three updates of one key with two values over a 2 x 2 box.
//! Then random histories over a 4 x 4 box.

use tests::{
    Arrival, Bag, Grid, History, Kept, Pair, Random, Way, bag, by_group, check_all, every_way, history, join, keys,
    lists, recompute,
};

use differential::collection::Collection;
use differential::column::Data;
use differential::time::Point;

/// The least value with a positive count.
fn least(values: &[(u32, i64)]) -> Vec<(u32, i64)> {
    values.iter().find(|(_, count)| *count > 0).map(|(value, _)| (*value, 1)).into_iter().collect()
}

/// The greatest value with a positive count.
fn greatest(values: &[(u32, i64)]) -> Vec<(u32, i64)> {
    values.iter().rfind(|(_, count)| *count > 0).map(|(value, _)| (*value, 1)).into_iter().collect()
}

#[test]
fn minima_of_tiny_histories_in_every_way() {
    let grid = Grid::square(2);
    let updates: Vec<(Pair, Point, i64)> = grid
        .times()
        .iter()
        .flat_map(|time| [(0, 1), (0, -1), (1, 1), (1, -1)].map(|(value, diff)| ((9, value), time.clone(), diff)))
        .collect();
    let ways = [
        Way::new(grid.at_once()),
        Way::new(grid.along(0, 1)).dropping_handles(),
        Way::new(grid.along(1, 1)).feeding(Arrival::Ahead),
        Way::new(grid.staircase(&mut Random::new(1), 1)).dropping_handles().with_fuel(1),
    ];
    for history in lists(&updates, 3) {
        check_all(
            "min of a tiny history",
            &grid,
            &ways,
            &[history],
            |inputs, _| inputs[0].min(),
            recompute(|bags| by_group(&bags[0], least)),
        );
    }
}

/// Runs a claim on random histories: few updates and many keys, many updates and few keys.
#[track_caller]
fn on_random_histories<D: Data + std::fmt::Debug>(
    program: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Clone + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<D>,
) {
    let grid = Grid::square(4);
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let (updates, keys, values) = [(6, 2, 2), (25, 5, 3), (60, 2, 8), (150, 1, 40)][seed as usize % 4];
        let inputs = [history(&mut random, &grid, updates, keys, values)];
        check_all(("seed", seed), &grid, &every_way(&grid, seed), &inputs, program.clone(), &oracle);
    }
}

#[test]
fn min_and_max() {
    on_random_histories(|inputs, _| inputs[0].min(), recompute(|bags| by_group(&bags[0], least)));
    on_random_histories(|inputs, _| inputs[0].max(), recompute(|bags| by_group(&bags[0], greatest)));
}

#[test]
fn count() {
    on_random_histories(
        |inputs, _| inputs[0].map(|(key, _)| key).count(),
        recompute(|bags| bag(keys(&bags[0]).into_iter().map(|(key, count)| ((key, count), 1)))),
    );
}

#[test]
fn distinct() {
    on_random_histories(
        |inputs, _| inputs[0].distinct(),
        recompute(|bags| bag(bags[0].iter().map(|(pair, count)| (*pair, i64::from(*count > 0))))),
    );
}

#[test]
fn distinct_rows_by_key() {
    on_random_histories(
        |inputs, kept| {
            let rows = inputs[0].arrange_by_key("by key").distinct("rows");
            kept.keep(rows.clone());
            rows.pairs()
        },
        recompute(|bags| bag(bags[0].iter().map(|(pair, count)| (*pair, i64::from(*count > 0))))),
    );
}

#[test]
fn threshold_sees_every_count_but_zero() {
    let thrice = |count: &i64| if count % 2 == 0 { 0 } else { 3 * count };
    on_random_histories(
        move |inputs, _| inputs[0].map(|(key, _)| key).threshold(thrice),
        recompute(move |bags| bag(keys(&bags[0]).into_iter().map(|(key, count)| (key, thrice(&count))))),
    );
}

/// Any number of values out, with any counts: each value's double as often as the value is there, and how many there are.
fn several(values: &[(u32, i64)]) -> Vec<(u64, i64)> {
    let doubled = values.iter().map(|(value, count)| (2 * u64::from(*value), *count));
    doubled.chain([(1000 + values.len() as u64, 1)]).collect()
}

#[test]
fn a_reduction_that_makes_several_values() {
    on_random_histories(
        |inputs, _| inputs[0].reduce("several", |_, values, made| made.extend(several(values))),
        recompute(|bags| by_group(&bags[0], several)),
    );
}

#[test]
fn the_second_least_value_or_nothing() {
    fn second(values: &[(u32, i64)]) -> Vec<(u32, i64)> {
        values.iter().filter(|(_, count)| *count > 0).skip(1).take(1).map(|(value, _)| (*value, 1)).collect()
    }
    on_random_histories(
        |inputs, _| inputs[0].reduce("second", |_, values, made| made.extend(second(values))),
        recompute(|bags| by_group(&bags[0], second)),
    );
}

#[test]
fn a_reduction_of_a_reduction() {
    on_random_histories(
        |inputs, _| inputs[0].map(|(key, _)| key).count().map(|(_, count)| count).count(),
        recompute(|bags| {
            let counts = bag(keys(&bags[0]).into_values().map(|count| (count, 1)));
            bag(counts.into_iter().map(|(count, often)| ((count, often), 1)))
        }),
    );
}

#[test]
fn a_reduction_is_joined_with_what_it_reduced() {
    on_random_histories(
        |inputs, kept| {
            let by_key = inputs[0].arrange_by_key("by key");
            let least = by_key.reduce("least", |_, values, made| made.extend(least(values)));
            kept.keep((by_key.clone(), least.clone()));
            by_key.join(&least, |key, value, least| (key, value, least))
        },
        recompute(|bags| join(&bags[0], &by_group(&bags[0], least))),
    );
}

#[test]
fn expect_counts_changes_nothing_where_no_count_is_negative() {
    let grid = Grid::square(4);
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let mut inputs = [history(&mut random, &grid, 30, 3, 3)];
        inputs[0].iter_mut().for_each(|(_, _, diff)| *diff = diff.abs());
        check_all(
            ("seed", seed),
            &grid,
            &every_way(&grid, seed),
            &inputs,
            |inputs, _| inputs[0].expect_counts("pairs"),
            recompute(|bags| bags[0].clone()),
        );
    }
}
