//! Laws of batches: what readers see is what went in, in both forms, and the check finds what is broken.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Batch, Layers, Offsets, Span};
use crate::column::{Column, Data};
use crate::layout::{Layout, Rows};
use crate::time::small_world::Random;
use crate::time::{Point, TimeColumn};
use crate::updates::Keyed;

pub(super) type Numbers = Rows<u64, u64, Point, i64>;
pub(super) type Row<L> = (<L as Layout>::Key, <L as Layout>::Val, <L as Layout>::Time, <L as Layout>::Diff);

/// The updates of a batch, read the way operators do: by keys, then their values, then their updates.
pub(super) fn rows_of<L: Layout>(batch: &Batch<L>) -> Vec<Row<L>> {
    let mut rows = Vec::new();
    let mut key = 0;
    while key < batch.keys().len() {
        let run = batch.run(key);
        for val in batch.vals_of(run.clone()) {
            for update in batch.updates_of(val..val + 1) {
                let (key, val) = (batch.keys().get(run.start), batch.vals().get(val));
                let (time, diff) = (batch.times().get(update), batch.diffs().get(update).clone());
                rows.push((<L::Key as Data>::Column::owned(key), <L::Val as Data>::Column::owned(val), time, diff));
            }
        }
        key = run.end;
    }
    rows
}

/// The sums of updates, in order, without zeros.
pub(super) fn summed<K: Data, V: Data>(
    updates: impl IntoIterator<Item = Row<Rows<K, V, Point, i64>>>,
) -> Keyed<Rows<K, V, Point, i64>>
where
    <K::Column as Column>::Shape: Default,
    <V::Column as Column>::Shape: Default,
{
    let mut sums = BTreeMap::new();
    for (key, val, time, diff) in updates {
        *sums.entry((key, val, time)).or_insert(0) += diff;
    }
    let mut rows = Keyed::empty(&Default::default(), &Default::default());
    for ((key, val, time), diff) in sums.into_iter().filter(|(_, diff)| *diff != 0) {
        rows.push(K::Column::lend(&key), V::Column::lend(&val), &time, diff);
    }
    rows
}

/// Random updates: `count` of them, over `keys` keys and `vals` values, at times of a square of this side.
pub(super) fn random_updates(
    random: &mut Random,
    count: usize,
    keys: usize,
    vals: usize,
    side: usize,
) -> Vec<Row<Numbers>> {
    let update = |_| {
        let (key, val) = (random.below(keys) as u64, random.below(vals) as u64);
        (key, val, random.point(2, side), [1, -1, 1, 2][random.below(4)])
    };
    (0..count).map(update).collect()
}

fn rows_in<K: Data, V: Data>(rows: &Keyed<Rows<K, V, Point, i64>>) -> Vec<Row<Rows<K, V, Point, i64>>> {
    (0..rows.len())
        .map(|row| {
            let (key, val) = (K::Column::owned(rows.keys.get(row)), V::Column::owned(rows.vals.get(row)));
            (key, val, rows.times.get(row), rows.diffs.get(row))
        })
        .collect()
}

/// However sorted rows are cut into blocks, in the middle of a key or of a pair too, the batch is the same.
#[test]
fn any_cuts_into_blocks_make_the_batch_that_one_block_would() {
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let (count, keys, vals) = (1 + random.below(300), 1 + random.below(40), 1 + random.below(5));
        let side = 1 + random.below(3);
        let rows = summed(random_updates(&mut random, count, keys, vals, side));
        let mut layers = Layers::<Numbers>::empty(&(), &(), random.below(400));
        let mut start = 0;
        while start < rows.len() {
            let end = rows.len().min(start + 1 + random.below(1 + 2 * rows.len() / (1 + seed as usize % 9)));
            let mut block = Keyed::empty(&(), &());
            block.extend_range(&rows, start..end);
            layers.push(&mut block);
            assert!(block.is_empty(), "seed {seed}: a block was not taken");
            start = end;
        }
        let batch = layers.finish();
        assert_eq!(batch.is_none(), rows.is_empty(), "seed {seed}");
        if let Some(batch) = batch {
            batch.check();
            assert_eq!(rows_of(&batch), rows_in(&rows), "seed {seed}");
        }
    }
}

#[test]
fn a_batch_reads_as_the_rows_it_was_made_of() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let (count, keys) = (1 + random.below(300), 1 + random.below(200));
        let (vals, side) = (1 + random.below(20), 1 + random.below(3));
        let rows = summed(random_updates(&mut random, count, keys, vals, side));
        let expected = rows_in(&rows);
        let Some(batch) = Batch::new(rows) else {
            assert!(expected.is_empty(), "seed {seed}");
            continue;
        };
        batch.check();
        assert_eq!(batch.is_flat(), expected.len() < Batch::<Numbers>::FLAT_UPDATES, "seed {seed}");
        assert_eq!(rows_of(&batch), expected, "seed {seed}");
        let mut pairs: Vec<_> = expected.iter().map(|row| (row.0, row.1)).collect();
        pairs.dedup();
        assert_eq!(batch.is_net(), pairs.len() == expected.len(), "seed {seed}");
    }
}

#[test]
fn strings_and_units_make_batches_too() {
    for count in [5, 63, 64, 200] {
        let rows = |row: usize| (format!("key {:03}", row / 3), (), Point::from(row as u64), 1);
        let rows = summed((0..count).map(rows));
        let expected = rows_in(&rows);
        let batch = Batch::new(rows).expect("there are rows");
        assert_eq!(rows_of(&batch), expected, "{count} rows");
    }
}

#[test]
fn seek_finds_the_least_key_at_or_past_the_one_asked_for() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let count = 1 + random.below(200);
        let Some(batch) = Batch::new(summed(random_updates(&mut random, count, 60, 3, 2))) else { continue };
        let keys = batch.keys().clone();
        for from in 0..=keys.len() {
            for key in 0..62 {
                let expected = (from..keys.len()).find(|&row| keys[row] >= key).unwrap_or(keys.len());
                assert_eq!(batch.seek(from, key), expected, "seed {seed}, from {from}, key {key} in {keys:?}");
            }
        }
    }
}

#[test]
fn seeking_many_keys_finds_what_seeking_each_finds() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        // Flat, with layers, and with an index; few are wanted, or so many that both are walked.
        let mut batch = |counts: [usize; 3]| {
            let count = counts[random.below(3)];
            let rows = (0..count).map(|row| (random.below(20_000) as u64, row as u64, Point::from(0), 1));
            Batch::new(summed(rows)).expect("there are rows")
        };
        let (batch, wanted) = (batch([20, 300, 9_000]), batch([1, 40, 5_000]));
        let chunk = 1 + random.below(wanted.keys().len());
        let (mut from, mut found) = (0, Vec::new());
        for start in (0..wanted.keys().len()).step_by(chunk) {
            let rows = start..wanted.keys().len().min(start + chunk);
            batch.seek_all(from, wanted.keys(), rows, &mut found);
            from = found[found.len() - 1] as usize;
        }
        let expected: Vec<u32> = wanted.keys().iter().map(|&key| batch.seek(0, key) as u32).collect();
        assert_eq!(found, expected, "seed {seed}, {chunk} at a time");
    }
}

#[test]
fn what_is_all_distinct_at_one_time_takes_no_offsets_and_no_lanes() {
    let rows = |key: fn(u64) -> u64| summed((0..1000).map(|row| (key(row), row, Point::from(3), 1)));
    let batch = Batch::new(rows(|row| row)).expect("there are rows");
    assert_eq!((&batch.values, &batch.updates), (&Offsets::Identity(1000), &Offsets::Identity(1000)));
    assert_eq!((batch.times.uniform(), batch.diffs.uniform()), (Some(Point::from(3)), Some(&1)));
    let batch = Batch::new(rows(|row| row / 2)).expect("there are rows");
    assert_eq!((batch.values.len(), &batch.updates), (500, &Offsets::Identity(1000)));
    assert_eq!(batch.values.heap_bytes(), 501 * 4);
}

#[test]
fn offsets_say_what_a_list_of_lengths_says() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let longest = 1 + random.below(3);
        let mut lists = Vec::new();
        for _ in 0..4 {
            let lengths: Vec<usize> = (0..random.below(6)).map(|_| 1 + random.below(longest)).collect();
            let mut offsets = if random.below(2) == 0 { Offsets::default() } else { Offsets::with_room(3) };
            lengths.iter().for_each(|&length| offsets.push(length));
            lists.push((lengths, offsets));
        }
        let (mut lengths, mut offsets) = (Vec::new(), Offsets::default());
        for (more_lengths, more) in &lists {
            let start = random.below(more.len() + 1);
            let rows = start..start + random.below(more.len() - start + 1);
            lengths.extend_from_slice(&more_lengths[rows.clone()]);
            offsets.extend_range(more, rows);
        }
        let starts: Vec<usize> = (0..=lengths.len()).map(|row| lengths[..row].iter().sum()).collect();
        for offsets in [offsets.clone(), offsets.settled()] {
            assert_eq!((offsets.len(), offsets.total()), (lengths.len(), starts[lengths.len()]), "seed {seed}");
            for start in 0..=lengths.len() {
                for end in start..=lengths.len() {
                    let below: Range<usize> = starts[start]..starts[end];
                    assert_eq!(offsets.below(start..end), below, "seed {seed}, rows {start}..{end} of {lengths:?}");
                }
            }
        }
    }
}

#[test]
fn the_check_finds_what_is_broken() {
    type Breakage = fn(&mut Batch<Numbers>);
    let cases: [(&str, usize, Breakage); 9] = [
        ("1: a batch without", 10, |batch| batch.diffs.clear()),
        ("1: a diff of zero", 100, |batch| batch.diffs.set(3, 0)),
        ("2: the form", 10, |batch| batch.flat = false),
        ("3: rows of", 100, |batch| batch.times.push(&Point::from(9))),
        ("3: what the offsets", 100, |batch| {
            batch.values = Offsets::Wide((0..=50).map(|key| 2 * key - key / 50).collect());
        }),
        ("4: offsets stored", 100, |batch| batch.updates = Offsets::Wide((0..=100).collect())),
        ("5: rows 3 and 4", 10, |batch| batch.keys[4] = 0),
        ("5: keys 6 and 7", 100, |batch| batch.keys[7] = 0),
        ("5: values 2 and 3", 100, |batch| batch.vals[3] = 0),
    ];
    for (message, count, breakage) in cases {
        let rows = summed((0..count as u64).map(|row| (row / 2, row, Point::from(1), 1)));
        let mut batch = Batch::<Numbers>::new(rows).expect("there are rows");
        batch.check();
        breakage(&mut batch);
        let panic = std::panic::catch_unwind(move || {
            // Only the columns: what is being checked does not matter to unwinding.
            let batch = batch;
            batch.check();
        });
        let found = panic.expect_err(message);
        let found = found.downcast_ref::<String>().cloned().or(found.downcast_ref::<&str>().map(|s| s.to_string()));
        assert!(found.as_ref().is_some_and(|found| found.contains(message)), "wanted {message}, found {found:?}");
    }
}

#[test]
fn batches_go_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Batch<Numbers>>();
    shared::<Span<Rows<String, (), u64, i64>>>();
}
