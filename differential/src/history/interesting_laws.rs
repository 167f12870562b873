//! Interesting times are the joins of subsets that use a seed.

use super::interesting_times;
use crate::time::small_world::{Random, grid, sets_of_at_most};
use crate::time::{Point, Time};

/// The joins of every non-empty set of times that has a seed in it, by going through the sets.
fn joins_by_subsets<T: Time>(seeds: &[T], stored: &[T]) -> Vec<T> {
    let all: Vec<&T> = seeds.iter().chain(stored).collect();
    let mut joins: Vec<T> = (1..1usize << all.len())
        .filter(|subset| subset & ((1 << seeds.len()) - 1) != 0)
        .map(|subset| {
            let members = all.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
            members.map(|(_, time)| (*time).clone()).reduce(|a, b| a.join(&b)).expect("not empty")
        })
        .collect();
    joins.sort();
    joins.dedup();
    joins
}

/// Every set of at most three times out of a 3 x 3 grid: 130 sets, so 16,900 pairs.
#[test]
fn interesting_times_are_the_joins_that_use_a_seed() {
    let sets = sets_of_at_most(3, &grid(3));
    assert_eq!(sets.len(), 130);
    for seeds in &sets {
        for stored in &sets {
            let expected = joins_by_subsets(seeds, stored);
            assert_eq!(interesting_times(seeds, stored), expected, "seeds {seeds:?}, stored {stored:?}");
        }
    }
}

#[test]
fn interesting_times_of_larger_worlds() {
    for seed in 0..1_000 {
        let random = &mut Random::new(seed);
        let (coordinates, bound) = (1 + random.below(4), 2 + random.below(4));
        let mut times =
            |most| (0..random.below(most)).map(|_| random.point(coordinates, bound)).collect::<Vec<Point>>();
        let (seeds, stored) = (times(4), times(6));
        assert_eq!(interesting_times(&seeds, &stored), joins_by_subsets(&seeds, &stored), "seed {seed}");
    }
}

/// A quadratic sweep would take minutes here.
#[test]
fn totally_ordered_times_cost_their_number() {
    let seeds: Vec<u64> = (100_000..200_000).step_by(2).collect();
    let stored: Vec<u64> = (0..200_000).step_by(3).collect();
    let expected = seeds.iter().copied().chain(stored.iter().copied().filter(|&time| time >= 100_000));
    let expected: std::collections::BTreeSet<u64> = expected.collect();
    assert!(interesting_times(&seeds, &stored).into_iter().eq(expected));
}
