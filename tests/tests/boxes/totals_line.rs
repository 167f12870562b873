//! Functions of a record's count, and the ends of groups, where times are totally ordered, say what recomputing says, at
//! every time.
//!
//! (Where they are not, these functions are reductions: `reduce_box` looks at those.) First a small world, all of it: every
//! history of at most three updates of one record over three epochs. Then random histories over a line of epochs.

use tests::{
    Arrival, Bag, Grid, History, Kept, Pair, Random, Way, bag, by_group, check_all, every_way, history, lists,
    recompute,
};

use differential::collection::Collection;
use differential::column::Data;
use differential::operators::Variable;
use differential::time::Point;

fn counted(bag: &Bag<Pair>) -> Bag<(Pair, i64)> {
    bag.iter().map(|(record, count)| ((*record, *count), 1)).collect()
}

#[test]
fn counts_of_tiny_histories_in_every_way() {
    let grid = Grid::line(3);
    let updates: Vec<(Pair, Point, i64)> =
        grid.times().iter().flat_map(|time| [1, -1, 2].map(|diff| ((9, 1), time.clone(), diff))).collect();
    let ways = [
        Way::new(grid.at_once()),
        Way::new(grid.along(0, 1)).dropping_handles(),
        Way::new(grid.along(0, 1)).feeding(Arrival::Ahead),
        Way::new(grid.along(0, 2)).feeding(Arrival::OneByOne).with_fuel(1),
    ];
    for history in lists(&updates, 3) {
        let (program, oracle) =
            (|inputs: &[Collection<Pair>], _: &mut Kept| inputs[0].count(), recompute(|bags| counted(&bags[0])));
        check_all("count of a tiny history", &grid, &ways, &[history], program, oracle);
    }
}

/// Runs a claim on random histories: few updates and many records, many updates and few records.
#[track_caller]
fn on_random_histories<D: Data + std::fmt::Debug>(
    program: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Clone + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<D>,
) {
    let grid = Grid::line(8);
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let (updates, keys, values) = [(6, 2, 2), (25, 5, 3), (200, 20, 8), (150, 1, 2)][seed as usize % 4];
        let history = history(&mut random, &grid, updates, keys, values);
        let ways = every_way(&grid, seed);
        check_all(("seed", seed), &grid, &ways, &[history], program.clone(), &oracle);
    }
}

#[test]
fn count_says_each_count_at_every_epoch() {
    on_random_histories(|inputs, _| inputs[0].count(), recompute(|bags| counted(&bags[0])));
}

#[test]
fn distinct_takes_a_negative_count_as_absent() {
    on_random_histories(
        |inputs, _| inputs[0].distinct(),
        recompute(|bags| bag(bags[0].iter().filter(|(_, count)| **count > 0).map(|(record, _)| (*record, 1)))),
    );
}

#[test]
fn threshold_may_change_a_count_or_leave_it_out() {
    on_random_histories(
        |inputs, _| inputs[0].threshold(|count| if *count % 2 == 0 { 0 } else { 3 * count }),
        recompute(|bags| {
            bag(bags[0].iter().filter(|(_, count)| **count % 2 != 0).map(|(record, count)| (*record, 3 * count)))
        }),
    );
}

#[test]
fn min_and_max_say_which_is_at_the_end_of_each_group() {
    let once = |value: Option<&(u32, i64)>| value.map(|(value, _)| (*value, 1)).into_iter().collect();
    on_random_histories(
        |inputs, _| inputs[0].min(),
        recompute(|bags| by_group(&bags[0], |values| once(values.iter().find(|(_, count)| *count > 0)))),
    );
    on_random_histories(
        |inputs, _| inputs[0].max(),
        recompute(|bags| by_group(&bags[0], |values| once(values.iter().rfind(|(_, count)| *count > 0)))),
    );
}

#[test]
fn what_depends_on_itself_an_epoch_ago_is_counted() {
    let program = |inputs: &[Collection<Pair>], _: &mut Kept| {
        let before = Variable::new(inputs[0].scope());
        let all = before
            .current()
            .map(|(key, value)| (key + 1, value))
            .concat(&inputs[0])
            .filter(|(key, _)| key < 6)
            .distinct();
        before.set(&all);
        all
    };
    // A record that is there now is there an epoch later with a greater key, while it is below six.
    on_random_histories(program, |histories, at| {
        let mut all = Bag::new();
        for epoch in 0..=at.coordinate(0) {
            let mut sum: Bag<Pair> = tests::accumulate(&histories[0], &Point::from(epoch));
            for ((key, value), _) in all {
                *sum.entry((key + 1, value)).or_default() += 1;
            }
            all = sum
                .into_iter()
                .filter(|((key, _), count)| *key < 6 && *count > 0)
                .map(|(record, _)| (record, 1))
                .collect();
        }
        all
    });
}
