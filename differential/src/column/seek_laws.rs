//! Whatever way [`find_all`] goes, it finds what counting finds.

use super::column_laws::{Random, column_of};
use super::key_index::BLOCK;
use super::{Column, Data, KeyIndex, ShapeOf, find_all};

/// The least row at or past an item, by counting those before it.
fn expected<D: Data>(column: &[D], wanted: &[D]) -> Vec<u32> {
    wanted.iter().map(|item| column.iter().filter(|stored| *stored < item).count() as u32).collect()
}

/// Finds these in that, with and without an index and in parts of all ratios, and compares with counting.
fn check<D: Data>(shape: &ShapeOf<D>, mut items: Vec<D>, mut wanted: Vec<D>) {
    items.sort();
    wanted.sort();
    let expected = expected(&items, &wanted);
    let (column, sought) = (column_of(shape, &items), column_of(shape, &wanted));
    let index = (items.len() >= BLOCK).then(|| KeyIndex::over(&column));
    // Few at a time are searched, many walked.
    for part in [1, 8, wanted.len()] {
        for index in [None, index.as_ref()] {
            let mut found = vec![7];
            for start in (0..wanted.len()).step_by(part) {
                let rows = start..wanted.len().min(start + part);
                // All rows, or from the one before the least to the one after the greatest that can be found.
                let (least, greatest) = (expected[start] as usize, expected[rows.end - 1] as usize);
                let within = if start % 2 == 0 { 0..items.len() } else { least..items.len().min(greatest + 1) };
                find_all(&column, within, index, &sought, rows, &mut found);
            }
            let with = if index.is_some() { "an" } else { "no" };
            assert_eq!(found[1..], expected, "{part} at a time, {with} index: {wanted:?} in {items:?}");
        }
    }
    if let Some(index) = index {
        let (mut prefixes, mut found) = (Vec::new(), Vec::new());
        sought.prefixes(0..wanted.len(), &mut prefixes);
        index.seek(&column, &prefixes, &mut found);
        let bounds =
            prefixes.iter().map(|wanted| (0..items.len()).filter(|row| column.prefix(*row) < *wanted).count() as u32);
        assert_eq!(found, bounds.collect::<Vec<_>>(), "prefixes of {wanted:?} in {items:?}");
    }
}

/// Every length up to a few blocks, dense, with gaps and with repeats; every key, and those between and outside.
#[test]
fn every_key_of_every_short_column_is_found() {
    for length in 0..=3 * BLOCK as u64 + 1 {
        for (step, repeat) in [(1, 1), (2, 1), (3, 2), (2, 70)] {
            let items: Vec<u64> = (0..length).map(|row| 1 + row / repeat * step).collect();
            let wanted = (0..=2 + length / repeat * step).chain([u64::MAX - 1, u64::MAX]).collect();
            check(&(), items, wanted);
        }
    }
}

#[test]
fn columns_that_hold_the_greatest_key_are_searched_rightly() {
    for greatest in [1, 2, 63, 64, 65, 200] {
        let items = (0..130).chain(vec![u64::MAX; greatest]).collect();
        check(&(), items, vec![0, 129, 130, u64::MAX - 1, u64::MAX]);
    }
}

#[test]
fn random_keys_of_every_kind_are_found() {
    for seed in 0..40 {
        let mut random = Random::seeded(seed);
        let (length, count) = (random.below(2_000), 1 + random.below(60));
        let range = [50, 1_000, 1 << 40][random.below(3)];
        let mut keys = |count| (0..count).map(|_| random.below(range) as u64).collect::<Vec<_>>();
        let (items, wanted) = (keys(length), keys(count));
        check(&(), items.clone(), wanted.clone());
        check_as(&(), &items, &wanted, |key| key as i64 - 500);
        check_as(&(), &items, &wanted, |key| u128::from(key) << 58);
        check_as(&(), &items, &wanted, |key| format!("key {key}"));
        check_as(&(), &items, &wanted, |key| format!("a common prefix {key}"));
        check_as(&((), ()), &items, &wanted, |key| (key as u32 / 7, key as u16));
        check_as(&((), ()), &items, &wanted, |key| (key / 7, key.to_string()));
        check_as(&(), &items, &wanted, |_| ());
        check_as(&(), &items, &wanted, |key| key % 2 == 0);
    }
}

fn check_as<D: Data>(shape: &ShapeOf<D>, items: &[u64], wanted: &[u64], item: impl Fn(u64) -> D) {
    check(shape, items.iter().map(|key| item(*key)).collect(), wanted.iter().map(|key| item(*key)).collect());
}
