//! The ends of groups are those of a map, at every epoch, however many close at once and however little is sorted a visit.
//!
//! Leaves hold at most eight records here, and a hundred rows are sorted at once: so groups lie across leaves, and an
//! interval's pieces are cut within keys.

use std::collections::BTreeMap;

use crate::collection::{Config, run_alone};
use crate::error::Error;
use crate::time::Point;
use crate::time::small_world::Random;

type Pair = (u64, u64);

/// The first and the last value of each key whose count is positive.
fn ends(counts: &BTreeMap<Pair, i64>) -> [Vec<(Pair, i64)>; 2] {
    let mut groups = BTreeMap::<u64, Vec<u64>>::new();
    let present = counts.iter().filter(|(_, count)| **count > 0);
    present.for_each(|((key, value), _)| groups.entry(*key).or_default().push(*value));
    let of = |end: fn(&Vec<u64>) -> u64| groups.iter().map(|(key, values)| ((*key, end(values)), 1)).collect();
    [of(|values| values[0]), of(|values| values[values.len() - 1])]
}

/// The changes of an epoch: a load, or few, maybe of keys that were not there; and maybe what is at the ends goes.
fn changes(random: &mut Random, counts: &BTreeMap<Pair, i64>, newest: usize) -> Vec<(Pair, i64)> {
    let number = if random.below(2) == 0 { random.below(900) } else { random.below(6) };
    let mut pair = || ((3 * newest + random.below(4)) as u64, random.below(150) as u64);
    let pairs: Vec<Pair> = (0..number).map(|_| pair()).collect();
    let mut changes: Vec<_> = pairs.into_iter().map(|pair| (pair, [1, 1, 2, -1][random.below(4)])).collect();
    if random.below(2) == 0 {
        changes.extend(ends(counts).into_iter().flatten().map(|(pair, _)| (pair, -counts[&pair])));
    }
    changes
}

#[test]
fn ends_are_those_of_a_map_at_every_epoch() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let config = if seed % 2 == 0 { Config::default() } else { Config::default().step_fuel(1) };
        let done = run_alone(config, |worker| {
            let (mut pairs, least, greatest) = worker.dataflow(|scope| {
                let (session, pairs) = scope.input::<Pair>("pairs");
                (session, pairs.min().output(), pairs.max().output())
            })?;
            let mut counts = BTreeMap::new();
            let mut epoch = 0;
            for commit in 0..8 {
                let mut expected = Vec::new();
                for _ in 0..1 + random.below(3) {
                    for (pair, diff) in changes(&mut random, &counts, commit) {
                        pairs.update_at(pair, epoch, diff)?;
                        *counts.entry(pair).or_default() += diff;
                    }
                    expected.push((epoch, ends(&counts)));
                    epoch += 1;
                }
                worker.commit_to(Point::from(epoch), &mut pairs)?;
                for (at, ends) in expected {
                    let said = [&least, &greatest].map(|output| output.snapshot(at).expect("it is complete"));
                    assert_eq!(said, ends, "seed {seed}, commit {commit}, at {at}");
                }
            }
            Ok::<_, Error>(())
        });
        assert_eq!(done, Ok(()), "seed {seed}");
    }
}
