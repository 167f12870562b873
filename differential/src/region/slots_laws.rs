//! Frontiers against what could result, by brute force: random programs of nested loops, any fuel, any pauses.
//!
//! The nodes of [`small_world`](super::small_world) check on the way that nothing is late: what arrives was not promised
//! to be over, and neither was what is sent. Activations are bounded, so a region that never ends fails too.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::order::order;
use super::small_world::{Plan, Program, Programs, places};
use super::{Activity, Fuel, Region};
use crate::error::Fault;
use crate::time::small_world::Random;

/// Activates once; what an assert says is told with the case.
fn activate(region: &Region, fuel: u64, context: &dyn Fn() -> String) -> Activity {
    match catch_unwind(AssertUnwindSafe(|| region.activate(Fuel::new(fuel)))) {
        Ok(Ok(activity)) => activity,
        Ok(Err(error)) => panic!("{error}: {}", context()),
        Err(payload) => panic!("{:?}: {}", Fault::from_panic(&*payload), context()),
    }
}

/// Activates until quiet.
fn run(region: &Region, fuel: u64, context: &dyn Fn() -> String) {
    for _ in 0..100_000 {
        if activate(region, fuel, context) == Activity::Quiet {
            return;
        }
    }
    panic!("it does not end: {}", context());
}

fn check(plans: Vec<Plan>, random: &mut Random, fuel: u64, rounds: u32, context: &dyn Fn() -> String) -> bool {
    let region = Region::new(1);
    region.set_rounds(rounds);
    let Ok(program) = Program::build(&region, plans) else { return false };
    for step in 0..8 {
        program.feed(random);
        if random.below(2) == 0 {
            // Go on feeding before it is quiet, now and then.
            for _ in 0..random.below(4) {
                activate(&region, fuel, context);
            }
            continue;
        }
        run(&region, fuel, context);
        assert_eq!(program.frontiers(&region), program.could_result(&region), "step {step}: {}", context());
    }
    program.close();
    run(&region, fuel, context);
    assert!(region.is_complete(), "all is closed and quiet: {:?} {}", program.frontiers(&region), context());
    true
}

#[test]
fn frontiers_are_what_could_result() {
    let (mut accepted, mut nested) = (0, 0);
    for seed in 0..4_000 {
        let random = &mut Random::new(seed);
        let plans = Programs::random(random);
        let loops = order(&places(&plans)).map_or(0, |order| order.loops.iter().filter(|l| l.parent.is_some()).count());
        let (fuel, rounds) = ([1, 3, 50, u64::MAX][random.below(4)], [1, 2, 16][random.below(3)]);
        let shown = plans.clone();
        let context = || format!("seed {seed}, fuel {fuel}, rounds {rounds}, {shown:?}");
        accepted += usize::from(check(plans, random, fuel, rounds, &context));
        nested += usize::from(loops > 0);
    }
    assert!(accepted > 3_000 && nested > 600, "of {accepted} programs {nested} have loops in loops");
}
