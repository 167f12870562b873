//! What changes at a time is told there, and gone one time later.

use tests::{Grid, Pair, Random, accumulate, bag, check_all, every_way, history};

use differential::time::Point;

#[test]
fn delta_is_the_difference_to_one_time_before() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let grid = if seed % 2 == 0 { Grid::line(8) } else { Grid::square(3) };
        let last = grid.coordinates() - 1;
        let inputs = [history(&mut random, &grid, 30, 3, 2)];
        check_all(
            ("seed", seed),
            &grid,
            &every_way(&grid, seed),
            &inputs,
            |inputs, _| inputs[0].delta(),
            // Added up over all but the last coordinate, in which only the updates at the time itself count.
            |histories, at| {
                let here = histories[0].iter().filter(|(_, time, _)| time.coordinate(last) == at.coordinate(last));
                let by_time = here.map(|(pair, time, diff)| ((*pair, time.clone()), *diff));
                let told = bag(by_time).into_iter().map(|((pair, time), diff)| ((pair, diff), time, 1));
                accumulate::<(Pair, i64)>(&told.collect::<Vec<((Pair, i64), Point, i64)>>(), at)
            },
        );
    }
}
