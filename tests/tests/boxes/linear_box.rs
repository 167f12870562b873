//! Row by row operators do to a sum what they do to each update, at every time of a box.

use std::sync::{Arc, Mutex};

use tests::{
    Bag, Grid, History, Kept, Pair, Random, Way, accumulate, bag, check, check_all, every_way, history, recompute, sum,
};

use differential::collection::{Collection, Made};
use differential::column::{Column, Data};
use differential::time::Point;

#[track_caller]
fn on_random_histories<D: Data + std::fmt::Debug>(
    program: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Clone + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<D>,
) {
    let grid = Grid::square(4);
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let updates = [5, 40, 300][seed as usize % 3];
        let inputs = [0, 1].map(|_| history(&mut random, &grid, updates, 5, 5));
        check_all(("seed", seed), &grid, &every_way(&grid, seed), &inputs, program.clone(), &oracle);
    }
}

/// A bag with each record replaced.
fn mapped<D: Ord>(records: &Bag<Pair>, logic: impl Fn(Pair) -> D) -> Bag<D> {
    bag(records.iter().map(|(pair, count)| (logic(*pair), *count)))
}

#[test]
fn map_to_numbers_and_to_strings() {
    on_random_histories(
        |inputs, _| inputs[0].map(|(key, value)| key + value),
        recompute(|bags| mapped(&bags[0], |(key, value)| key + value)),
    );
    on_random_histories(
        |inputs, _| {
            inputs[0].map(|(key, value)| (format!("{key}"), value)).map(|(key, value)| format!("{key}.{value}"))
        },
        recompute(|bags| mapped(&bags[0], |(key, value)| format!("{key}.{value}"))),
    );
}

#[test]
fn filter() {
    on_random_histories(
        |inputs, _| inputs[0].filter(|(key, value)| key < value),
        recompute(|bags| {
            bag(bags[0].iter().filter(|((key, value), _)| key < value).map(|(pair, count)| (*pair, *count)))
        }),
    );
}

#[test]
fn flat_map_to_none_one_and_many() {
    on_random_histories(
        |inputs, _| inputs[0].flat_map(|(key, value)| (0..value).map(move |at| (key, at))),
        recompute(|bags| {
            let each = bags[0].iter();
            bag(each.flat_map(|((key, value), count)| (0..*value).map(move |at| ((*key, at), *count))))
        }),
    );
}

/// Pairs in order are what is made, and all others fail; small containers are of one sort, and taken as they are.
#[test]
fn columns_to_columns_and_failures() {
    fn in_order(pair: Pair) -> bool {
        pair.0 < pair.1
    }
    let logic = |pairs: &mut (Vec<u32>, Vec<u32>), made: &mut Made<Pair>, failed: &mut Made<Pair>| {
        let all: Vec<Pair> = pairs.iter_range(0..pairs.len()).collect();
        (made.each, failed.each) = (all.iter().all(|pair| in_order(*pair)), !all.iter().any(|pair| in_order(*pair)));
        if made.each {
            std::mem::swap(pairs, &mut made.data);
        } else if failed.each {
            std::mem::swap(pairs, &mut failed.data);
        } else {
            // The last first.
            let rows = (0..all.len() as u32).rev();
            (made.rows, failed.rows) = rows.partition(|row| in_order(all[*row as usize]));
            made.data.extend_gather(pairs, &made.rows);
            failed.data.extend_gather(pairs, &failed.rows);
        }
    };
    for wanted in [true, false] {
        let program = move |inputs: &[Collection<Pair>], _: &mut Kept| {
            let (made, failed) = inputs[0].try_map_columns::<Pair, Pair>("in order", ((), ()), ((), ()), logic);
            if wanted { made } else { failed }
        };
        let fits = move |(pair, _): &(&Pair, &i64)| in_order(**pair) == wanted;
        let counted = |(pair, count): (&Pair, &i64)| (*pair, *count);
        on_random_histories(program, recompute(move |bags| bag(bags[0].iter().filter(fits).map(counted))));
    }
}

#[test]
fn columns_to_none_one_and_many() {
    on_random_histories(
        |inputs, _| {
            inputs[0].map_columns::<u32>("repeated", (), |(keys, values), made| {
                for (row, (key, value)) in (0..).zip(keys.iter().zip(values)) {
                    made.data.extend_repeat(&vec![*key], 0, *value as usize);
                    made.rows.extend(std::iter::repeat_n(row, *value as usize));
                }
            })
        },
        recompute(|bags| bag(bags[0].iter().map(|((key, value), count)| (*key, i64::from(*value) * count)))),
    );
}

#[test]
fn concat_and_negate() {
    on_random_histories(|inputs, _| inputs[0].concat(&inputs[1]), recompute(|bags| sum(&bags[0], &bags[1])));
    on_random_histories(
        |inputs, _| inputs[0].concat(&inputs[1].negate()),
        recompute(|bags| sum(&bags[0], &bag(bags[1].iter().map(|(pair, count)| (*pair, -count))))),
    );
    // The same collection used twice, and a collection less itself.
    on_random_histories(|inputs, _| inputs[0].concat(&inputs[0]), recompute(|bags| sum(&bags[0], &bags[0])));
    on_random_histories(|inputs, _| inputs[0].concat(&inputs[0].negate()), |_, _| Bag::new());
}

#[test]
fn explode_multiplies_counts() {
    on_random_histories(
        |inputs, _| inputs[0].explode(|(key, value)| [(key, i64::from(value)), (key + 1, -2)]),
        recompute(|bags| {
            let each = bags[0].iter();
            bag(each.flat_map(|((key, value), count)| [(*key, i64::from(*value) * count), (*key + 1, -2 * count)]))
        }),
    );
}

#[test]
fn delay_moves_the_last_coordinate() {
    for rounds in [0, 1, 2] {
        on_random_histories(
            move |inputs, _| inputs[0].delay(rounds),
            move |histories, at| {
                at.coordinate(1)
                    .checked_sub(rounds)
                    .map_or(Bag::new(), |then| accumulate(&histories[0], &Point::from([at.coordinate(0), then])))
            },
        );
    }
}

#[test]
fn consolidate_says_each_thing_once() {
    let grid = Grid::square(4);
    for seed in 0..6 {
        let inputs = [history(&mut Random::new(seed), &grid, 60, 2, 2)];
        for way in every_way(&grid, seed) {
            let oracle = recompute(|bags| bags[0].clone());
            let updates = check(("seed", seed), &grid, &way, &inputs, |inputs, _| inputs[0].consolidate(), oracle);
            let said: Bag<(Pair, Point)> = bag(updates.iter().map(|(pair, time, diff)| ((*pair, time.clone()), *diff)));
            assert_eq!(said.len(), updates.len(), "seed {seed}, {way:?}: some of {updates:?} belong together");
        }
    }
}

#[test]
fn inspect_sees_what_passes_and_changes_nothing() {
    let grid = Grid::square(4);
    let inputs = [history(&mut Random::new(7), &grid, 60, 3, 3)];
    for way in every_way(&grid, 7) {
        let seen = Arc::new(Mutex::new(History::<Pair>::new()));
        let sees = seen.clone();
        let program = move |inputs: &[Collection<Pair>], _: &mut Kept| {
            let seen = sees.clone();
            inputs[0].inspect(move |pair, time, diff| seen.lock().expect("no panic").push((pair, time.clone(), *diff)))
        };
        check("inspect", &grid, &way, &inputs, program, recompute(|bags| bags[0].clone()));
        for time in grid.times() {
            assert_eq!(accumulate(&seen.lock().expect("no panic"), &time), accumulate(&inputs[0], &time), "{way:?}");
        }
    }
}

#[test]
fn a_chain_of_everything() {
    on_random_histories(
        |inputs, _| {
            let small = inputs[0].filter(|(key, _)| key < 3).map(|(key, value)| (value, key));
            let more = inputs[1].flat_map(|(key, value)| [(key, value), (key + 1, value)]).consolidate();
            small.concat_all([&more, &inputs[1].negate()]).map(|(key, _)| key)
        },
        recompute(|bags| {
            let small = bags[0].iter().filter(|((key, _), _)| *key < 3).map(|((_, value), count)| (*value, *count));
            let more =
                bags[1].iter().flat_map(|((key, _), count)| [(*key, *count), (*key + 1, *count), (*key, -*count)]);
            bag(small.chain(more))
        }),
    );
}

#[test]
fn an_empty_input_passes_time_on() {
    let grid = Grid::square(4);
    for way in every_way(&grid, 11) {
        let made: History<Pair> = check(
            "nothing",
            &grid,
            &Way { ..way },
            &[vec![]],
            |inputs, _| inputs[0].map(|pair| pair),
            |_, _| Bag::new(),
        );
        assert_eq!(made, vec![]);
    }
}
