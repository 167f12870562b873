//! The check of all these claims would be worth little if it passed whatever a program says.
//!
//! So each thing that it promises to compare is made wrong once, and it must complain of that.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tests::{Bag, Grid, History, Kept, Pair, Random, Way, accumulate, check, every_way, history};

use differential::collection::Collection;
use differential::time::Point;

/// What the check says of a program that claims to be its first input, over a random history.
fn complaint(
    way: &Way,
    program: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<Pair> + Clone + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<Pair>,
) -> Option<String> {
    let grid = Grid::square(3);
    let inputs = [history(&mut Random::new(1), &grid, 12, 3, 3)];
    let outcome = catch_unwind(AssertUnwindSafe(|| check("a lie", &grid, way, &inputs, program, oracle)));
    outcome.err().map(|panic| panic.downcast_ref::<String>().expect("a message").clone())
}

#[test]
fn a_program_that_is_right_passes() {
    for way in every_way(&Grid::square(3), 1) {
        assert_eq!(complaint(&way, |inputs, _| inputs[0].clone(), |inputs, at| accumulate(&inputs[0], at)), None);
    }
}

#[test]
fn a_row_too_many_a_row_too_few_and_a_count_too_high() {
    for way in every_way(&Grid::square(3), 1) {
        let truth = |inputs: &[History<Pair>], at: &Point| accumulate(&inputs[0], at);
        let less = complaint(&way, |inputs, _| inputs[0].filter(|(key, _)| key != 1), truth);
        let more = complaint(&way, |inputs, _| inputs[0].flat_map(|(key, value)| [(key, value), (9, value)]), truth);
        let twice = complaint(&way, |inputs, _| inputs[0].concat(&inputs[0]), truth);
        for said in [less, more, twice] {
            let said = said.expect("it is wrong");
            assert!(said.contains("expected"), "{said}");
        }
    }
}

#[test]
fn a_row_that_comes_too_late() {
    // Wrong at one time only, in the middle of the box, and in the end all is well.
    let middle = Point::from([1, 1]);
    for way in every_way(&Grid::square(3), 1) {
        let late = complaint(
            &way,
            |inputs, _| inputs[0].clone(),
            |inputs, at| if *at == middle { Bag::new() } else { accumulate(&inputs[0], at) },
        );
        assert!(late.expect("it is wrong").contains("[1, 1]"));
    }
}
