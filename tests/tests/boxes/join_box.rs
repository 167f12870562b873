//! Joins say what a cross product says, at every time of a box.
//!
//! First small worlds, all of them: a history of one update and one of at most two, of one key over a 2 x 2 box; and
//! mixed histories in every order of arrival. Then random histories over a 4 x 4 box, some with so many updates of one key that the join replays them.

use tests::{
    Arrival, Bag, Grid, History, Pair, Random, Way, accumulate, antijoin, bag, check, check_all, every_way, history,
    join, keys, permutations, recompute, semijoin,
};

use differential::collection::Collection;
use differential::time::Point;

/// Every history of at most two updates of one pair, out of two diffs and the four times of a 2 x 2 box.
fn tiny_histories(pair: Pair) -> Vec<History<Pair>> {
    let times = Grid::square(2).times();
    let updates: Vec<_> = times.iter().flat_map(|time| [1, -1].map(|diff| (pair, time.clone(), diff))).collect();
    let mut histories = vec![vec![]];
    for (at, first) in updates.iter().enumerate() {
        histories.push(vec![first.clone()]);
        histories.extend(updates[at..].iter().map(|second| vec![first.clone(), second.clone()]));
    }
    histories
}

#[test]
fn joins_of_tiny_histories_in_every_way() {
    let grid = Grid::square(2);
    let ways = [
        Way::new(grid.at_once()),
        Way::new(grid.along(0, 1)).dropping_handles(),
        Way::new(grid.along(1, 1)).feeding(Arrival::Ahead).dropping_handles(),
        Way::new(grid.staircase(&mut Random::new(1), 1)).with_fuel(1),
        Way::new(grid.staircase(&mut Random::new(2), 1)).dropping_handles(),
    ];
    for left in tiny_histories((0, 1)).into_iter().filter(|left| left.len() == 1) {
        for right in tiny_histories((0, 2)) {
            check_all(
                "join_map of tiny histories",
                &grid,
                &ways,
                &[left.clone(), right],
                |inputs, kept| {
                    let by_key = inputs[1].arrange_by_key("right");
                    kept.keep(by_key.clone());
                    inputs[0].join_map(&by_key, |key, one, other| (key, one, other))
                },
                recompute(|bags| join(&bags[0], &bags[1])),
            );
        }
    }
}

#[test]
fn the_order_of_arrival_does_not_matter() {
    let grid = Grid::square(2);
    let update = |pair, time: [u64; 2], diff| (pair, Point::from(time), diff);
    // What each side adds is taken away by itself at times that neither follow nor precede each other.
    let both = [
        (0, update((7, 1), [0, 1], 1)),
        (0, update((7, 1), [1, 0], -1)),
        (1, update((7, 2), [1, 0], 1)),
        (1, update((7, 2), [0, 1], -1)),
        (1, update((7, 3), [0, 0], 2)),
    ];
    for order in permutations(&both) {
        let side = |side| -> History<Pair> {
            order.iter().filter(|(of, _)| *of == side).map(|(_, update)| update.clone()).collect()
        };
        for frontiers in [grid.at_once(), grid.along(0, 1), grid.along(1, 1)] {
            let way = Way::new(frontiers).feeding(Arrival::OneByOne);
            check(
                "arrivals",
                &grid,
                &way,
                &[side(0), side(1)],
                |inputs, _| inputs[0].join_map(&inputs[1], |key, one, other| (key, one, other)),
                recompute(|bags| join(&bags[0], &bags[1])),
            );
        }
    }
}

/// Runs a claim about two inputs on random histories: few updates and many keys, many updates and few keys.
#[track_caller]
fn on_random_histories<D: differential::column::Data + std::fmt::Debug>(
    program: impl Fn(&[Collection<Pair>], &mut tests::Kept) -> Collection<D> + Clone + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<D>,
) {
    let grid = Grid::square(4);
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let (updates, keys, values) = [(6, 2, 2), (25, 5, 3), (60, 2, 8), (150, 1, 40)][seed as usize % 4];
        let inputs = [0, 1].map(|_| history(&mut random, &grid, updates, keys, values));
        check_all(("seed", seed), &grid, &every_way(&grid, seed), &inputs, program.clone(), &oracle);
    }
}

#[test]
fn join_map_says_what_a_cross_product_says() {
    on_random_histories(
        |inputs, kept| {
            let arranged = [0, 1].map(|input: usize| inputs[input].arrange_by_key("by key"));
            kept.keep(arranged.clone());
            arranged[0].join(&arranged[1], |key, one, other| (key, one, other))
        },
        recompute(|bags| join(&bags[0], &bags[1])),
    );
}

#[test]
fn join_looks_keys_up() {
    on_random_histories(
        |inputs, kept| {
            let by_key = inputs[1].arrange_by_key("right");
            kept.keep(by_key.clone());
            inputs[0].map(|(key, _)| key).join(&by_key, |key, (), value| (key, value))
        },
        recompute(|bags| {
            let left = bag(bags[0].iter().map(|((key, _), count)| ((*key, 0), *count)));
            bag(join(&left, &bags[1]).into_iter().map(|((key, _, value), count)| ((key, value), count)))
        }),
    );
}

#[test]
fn a_collection_joined_with_itself() {
    on_random_histories(
        |inputs, kept| {
            let by_key = inputs[0].arrange_by_key("by key");
            kept.keep(by_key.clone());
            by_key.join(&by_key, |key, one, other| (key, one, other))
        },
        recompute(|bags| join(&bags[0], &bags[0])),
    );
}

#[test]
fn a_join_of_a_join() {
    on_random_histories(
        |inputs, _| {
            let both = inputs[0].join_map(&inputs[1], |key, one, other| (other, (key, one)));
            both.join_map(&inputs[0], |other, (key, one), third| (key, one, other, third))
        },
        recompute(|bags| {
            let both = join(&bags[0], &bags[1]);
            let all = both.iter().flat_map(|l| bags[0].iter().map(move |r| (l, r)));
            let same = all.filter(|(((_, _, other), _), ((key, _), _))| other == key);
            bag(same.map(|(((key, one, other), l), ((_, third), r))| ((*key, *one, *other, *third), l * r)))
        }),
    );
}

#[test]
fn semijoin_keeps_pairs_whose_key_is_there() {
    on_random_histories(
        |inputs, _| inputs[0].semijoin(&inputs[1].map(|(key, _)| key)),
        recompute(|bags| semijoin(&bags[0], &keys(&bags[1]))),
    );
}

#[test]
fn antijoin_keeps_pairs_whose_key_is_not_there() {
    on_random_histories(
        |inputs, _| inputs[0].antijoin(&inputs[1].map(|(key, _)| key)),
        recompute(|bags| antijoin(&bags[0], &keys(&bags[1]))),
    );
}

#[test]
fn a_join_restricted_to_what_changed_is_made_at_the_join_of_times() {
    let grid = Grid::square(4);
    // Not only what adds up to the right thing: each pair of updates makes one update, at the join of their times.
    for (one, other) in [([0, 3], [3, 0]), ([1, 2], [2, 1]), ([2, 2], [2, 2]), ([0, 0], [3, 1])] {
        let inputs = [vec![((5, 1), Point::from(one), 1)], vec![((5, 2), Point::from(other), 1)]];
        for way in every_way(&grid, 3) {
            let made = check(
                "one pair",
                &grid,
                &way,
                &inputs,
                |inputs, _| inputs[0].join_map(&inputs[1], |key, one, other| (key, one, other)),
                recompute(|bags| join(&bags[0], &bags[1])),
            );
            let at = Point::from([one[0].max(other[0]), one[1].max(other[1])]);
            assert_eq!(made, vec![((5, 1, 2), at.clone(), 1)], "{way:?}");
            assert_eq!(accumulate(&made, &at).len(), 1);
        }
    }
}
