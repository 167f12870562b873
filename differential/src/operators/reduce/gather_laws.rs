//! Laws of reading one key's history: both ways of reading it come to what all updates add up to.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::layout::Rows;
use crate::time::small_world::Random;
use crate::time::{Lattice, Time};
use crate::updates::Keyed;

type Numbers = Rows<u64, u64, Point, i64>;

/// A batch of random updates of two keys: of few updates, which are held flat, or of many.
fn batch(random: &mut Random, all: &mut Vec<(u64, u64, Point, i64)>) -> Option<Arc<Batch<Numbers>>> {
    let mut sums = BTreeMap::new();
    for _ in 0..[3, 8, 300][random.below(3)] {
        let update = (random.below(2) as u64, random.below(5) as u64, random.point(2, 3));
        *sums.entry(update).or_insert(0) += [1, -1, 1, 2][random.below(4)];
    }
    let mut rows = Keyed::<Numbers>::empty(&(), &());
    for ((key, value, time), diff) in sums.into_iter().filter(|(_, diff)| *diff != 0) {
        rows.push(key, value, &time, diff);
        all.push((key, value, time, diff));
    }
    Batch::new(rows).map(Arc::new)
}

#[test]
fn a_history_is_read_as_what_its_updates_add_up_to() {
    let (mut at_once, mut in_part) = (0, 0);
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let mut all = Vec::new();
        let batches = (0..1 + random.below(4)).filter_map(|_| batch(&mut random, &mut all)).collect();
        let mut history = History::<Numbers>::new(batches);
        // Keys, or rows: the second one is of a value that is there or not.
        let by_row = random.below(2) == 0;
        let (keys, vals) = match by_row {
            false => (vec![0, 1, 2], vec![0; 3]),
            true => (vec![0, 0, 0, 1, 2], vec![0, 2, 5, random.below(6) as u64, 3]),
        };
        history.find(&keys, by_row.then_some(&vals), 0..keys.len());
        let time = [random.point(2, 3), Point::from([2, 2])][random.below(2)].clone();
        for (at, (key, val)) in keys.into_iter().zip(vals).enumerate() {
            let subject @ (key, val) = (key, by_row.then_some(val));
            let of_key = || all.iter().filter(|(of, value, ..)| *of == key && val.is_none_or(|val| *value == val));
            let (mut values, mut present) = (Few::new(), Vec::new());
            let mut later = Frontier::empty();
            let edits = gather_at(&history, at, subject, &time, &mut values, &mut present, &mut later);
            assert_eq!(edits, Ok(of_key().count()), "seed {seed}");
            let (past, rest): (Vec<_>, Vec<_>) = of_key().partition(|(_, _, of, _)| of.precedes(&time));
            let mut wanted = BTreeMap::<u64, i64>::new();
            past.iter().for_each(|(_, value, _, diff)| *wanted.entry(*value).or_default() += diff);
            wanted.retain(|_, sum| *sum != 0);
            let mut found = BTreeMap::<u64, i64>::new();
            present.iter().for_each(|(rank, diff)| *found.entry(values[*rank as usize]).or_default() += diff);
            found.retain(|_, sum| *sum != 0);
            assert_eq!(found, wanted, "seed {seed}");
            assert_eq!(later, rest.iter().map(|(_, _, of, _)| of.join(&time)).collect(), "seed {seed}");
            // A value has one rank, and is there for a reason.
            assert!(values.is_sorted_by(|a, b| a < b), "seed {seed}: {values:?}");
            assert_eq!(present.iter().map(|(rank, _)| *rank).collect::<BTreeSet<_>>().len(), values.len());
            *if later.is_empty() { &mut at_once } else { &mut in_part } += 1;

            let (floor, mut edits) = (random.point(2, 3), Edits::default());
            gather(&history, at, subject, &floor, &mut values, &mut edits);
            let sums = |edits: &mut dyn Iterator<Item = (u64, Point, i64)>| {
                let mut sums = BTreeMap::new();
                edits.for_each(|(value, time, diff)| *sums.entry((value, time)).or_insert(0) += diff);
                sums.retain(|_, sum| *sum != 0);
                sums
            };
            let found = sums(
                &mut edits.as_slice().iter().map(|edit| (values[edit.rank as usize], edit.time.clone(), edit.diff)),
            );
            let wanted = sums(&mut of_key().map(|(_, value, of, diff)| (*value, of.join(&floor), *diff)));
            assert_eq!(found, wanted, "seed {seed}");
            assert!(values.is_sorted_by(|a, b| a < b), "seed {seed}: {values:?}");
        }
    }
    assert!(at_once > 1_000 && in_part > 1_000, "{at_once} {in_part}");
}
