//! Updates obey the laws of bytes, and are cut into parts as their hashes say: each against the obvious loop.

use super::{Updates, part_of};
use crate::bytes::laws::{Travel, check_travels};
use crate::bytes::{Flaw, Malformed, Reader};
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diff;
use crate::time::small_world::{Random, grid};
use crate::time::{Point, Side, Time, TimeColumn};

/// What some updates hold, row by row.
fn rows<D: Data, T: Time, R: Diff>(updates: &Updates<D, T, R>) -> Vec<(D, T, R)> {
    let row = |row| (D::Column::owned(updates.data.get(row)), updates.times.get(row), updates.diffs.get(row).clone());
    (0..updates.len()).map(row).collect()
}

/// These updates, pushed one by one.
fn updates<D: Data, T: Time, R: Diff>(shape: &ShapeOf<D>, rows: &[(D, T, R)]) -> Updates<D, T, R> {
    let mut updates = Updates::empty(shape);
    rows.iter().for_each(|(record, time, diff)| updates.push(record.clone(), time, diff.clone()));
    updates
}

fn bytes<D: Data, T: Time, R: Diff>(updates: &Updates<D, T, R>) -> Vec<u8> {
    let mut bytes = Vec::new();
    updates.write_bytes(&mut bytes);
    assert_eq!(bytes.len(), updates.bytes_len());
    bytes
}

/// Whether times and diffs are stored as one value each.
fn uniform<D: Data, T: Time, R: Diff>(updates: &Updates<D, T, R>) -> (bool, bool) {
    (updates.times.uniform().is_some(), updates.diffs.uniform().is_some())
}

/// Checks both: these updates travel, and are cut by their records' hashes.
fn check<D: Data, T: Time, R: Diff>(shape: &ShapeOf<D>, list: &[(D, T, R)]) {
    let whole = updates(shape, list);
    let same = |back: &Updates<D, T, R>| rows(back) == list && uniform(back) == uniform(&whole);
    let travel = Travel {
        read: |from: &mut Reader<'_>| Updates::read_bytes(shape, from),
        write: |updates: &Updates<D, T, R>| {
            assert_eq!((updates.data.len(), updates.times.len()), (updates.len(), updates.len()));
            bytes(updates)
        },
    };
    check_travels(&whole, same, travel);

    for parts in 1..5 {
        let split = whole.clone().split(parts, |data, hashes| data.hashes(0..data.len(), hashes));
        assert_eq!(split.len(), parts);
        for (part, split) in split.iter().enumerate() {
            let mut expected = list.to_vec();
            let mut row = 0..;
            expected.retain(|_| row.next().is_some_and(|row| place(whole.data.hash(row), parts) == part));
            assert_eq!(rows(split), expected, "part {part} of {parts} of {list:?}");
            let (times, diffs) = uniform(&whole);
            let (part_times, part_diffs) = uniform(split);
            assert!(split.is_empty() || part_times >= times && part_diffs >= diffs, "part {part} is spread out");
        }
    }
}

/// The part of a hash, by looking for it: parts begin where their number times 2^64, over the number of them, does.
fn place(hash: u64, parts: usize) -> usize {
    let begins = |part: usize| ((part as u128) << 64).div_ceil(parts as u128);
    (0..parts).rev().find(|&part| begins(part) <= u128::from(hash)).expect("the first begins at 0")
}

#[test]
fn updates_of_a_small_world_travel_and_split() {
    let times = grid(2);
    let record = |number: usize| ("ab".repeat(number), number as u64 % 2);
    let shape = ((), ());
    check::<_, Point, i64>(&shape, &[] as &[((String, u64), Point, i64)]);
    for first in &times {
        for second in &times {
            for (a, b) in [(0, 0), (0, 1), (1, 2), (2, 1)] {
                for diffs in [[1i64, 1, 1], [1, -1, 1]] {
                    let list = [
                        (record(a), first.clone(), diffs[0]),
                        (record(b), second.clone(), diffs[1]),
                        (record(a), first.clone(), diffs[2]),
                    ];
                    (1..=3).for_each(|rows| check(&shape, &list[..rows]));
                }
            }
        }
    }
}

#[test]
fn random_updates_travel_and_split() {
    for seed in 0..150 {
        let random = &mut Random::new(seed);
        let (count, records, bound) = (random.below(60), 1 + random.below(20), 1 + random.below(3));
        let depth = random.below(4);
        let list: Vec<(u64, Point, (i64, i32))> = (0..count)
            .map(|_| (random.below(records) as u64, random.point(depth, bound), (random.below(bound) as i64, 7)))
            .collect();
        check(&(), &list);
        let sets: Vec<((), u64, i64)> =
            list.iter().map(|(_, time, diff)| ((), time.coordinate(0), diff.0 - 1)).collect();
        check(&(), &sets);
        let bools: Vec<((bool, i8), u64, i32)> =
            list.iter().map(|(record, ..)| ((record % 2 == 0, *record as i8), 3, 1)).collect();
        check(&((), ()), &bools);
    }
}

/// Part of the format: workers of one release send each other these.
#[test]
fn bytes_are_golden() {
    let list = [((7u64, "a".to_string()), Point::from([3, 1]), 1i64), ((8, "bc".to_string()), Point::from([3, 2]), 1)];
    #[rustfmt::skip]
    let golden = [
        2, 0, 0, 0, 0, 0, 0, 0,                                 // rows
        7, 0, 0, 0, 0, 0, 0, 0,  8, 0, 0, 0, 0, 0, 0, 0,        // numbers
        1, 0, 0, 0, 0, 0, 0, 0,  3, 0, 0, 0, 0, 0, 0, 0,        // where strings end
        b'a', b'b', b'c',                                       // strings
        2, 0, 0, 0, 0, 0, 0, 0,                                 // lanes of times
        1,  3, 0, 0, 0, 0, 0, 0, 0,                             // epoch: one value
        2,  1, 0,  2, 0,                                        // round: two bytes a row, as they fit
        1,  1, 0, 0, 0, 0, 0, 0, 0,                             // diffs: one value
    ];
    assert_eq!(bytes(&updates(&((), ()), &list)), golden);
    assert_eq!(bytes(&Updates::<u64, u64, i64>::empty(&())), [0; 8]);
}

#[test]
fn a_number_of_rows_that_was_garbled_is_refused() {
    let read = |count: u64| {
        let bytes = [count, 1, 2].map(u64::to_le_bytes).concat();
        Updates::<u64, u64, i64>::read_bytes(&(), &mut Reader::new(&bytes)).map(|_| ()).expect_err("garbled")
    };
    assert_eq!(read(1 << 60), Malformed { at: 0, flaw: Flaw::TooMany(1 << 60) });
    assert_eq!(read(3), Malformed { at: 8, flaw: Flaw::Cut { wanted: 24, left: 16 } });
    // Two rows of data, and then a lane of times that is not there.
    assert_eq!(read(2), Malformed { at: 24, flaw: Flaw::Cut { wanted: 1, left: 0 } });
}

/// Part of the format: rows belong to workers by these. They may never change.
#[test]
fn parts_are_golden() {
    let (third, half) = (u64::MAX / 3, 1 << 63);
    assert_eq!(
        [0, third, third + 1, 2 * third, 2 * third + 1, u64::MAX].map(|hash| part_of(hash, 3)),
        [0, 0, 1, 1, 2, 2]
    );
    assert_eq!([0, half - 1, half, u64::MAX].map(|hash| part_of(hash, 2)), [0, 0, 1, 1]);
    assert_eq!([0, half, u64::MAX].map(|hash| part_of(hash, 1)), [0, 0, 0]);

    let mut numbers = <u64 as Data>::Column::empty(&());
    (0..12).for_each(|number| numbers.push(number));
    let parts = |of: usize| -> Vec<usize> { (0..12).map(|row| part_of(Column::hash(&numbers, row), of)).collect() };
    assert_eq!(parts(2), [1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1]);
    assert_eq!(parts(8), [7, 7, 4, 4, 6, 0, 7, 7, 4, 3, 0, 5]);
}

/// Nothing is looked at, or copied, where there is nothing to cut.
#[test]
fn what_is_not_cut_moves_whole() {
    let mut whole = Updates::<u64, u64, i64>::empty(&());
    (0..100).for_each(|_| whole.push(7, &3, 1));
    let stored = whole.data.as_ptr();
    let split = whole.split(1, |_, _| panic!("one part needs no hashes"));
    let split = split.into_iter().next().expect("one part").split(4, |data, hashes| data.hashes(0..data.len(), hashes));
    let part = split.iter().position(|part| part.len() == 100).expect("all rows in one part");
    assert_eq!((split.len(), split[part].data.as_ptr()), (4, stored));
    assert!(matches!(split[part].diffs.side(), Side::Same(1)));
}

/// Long enough for several blocks of rows, the last of them not full.
#[test]
fn many_rows_split_block_by_block() {
    let (random, mut whole) = (&mut Random::new(7), Updates::<u64, u64, i64>::empty(&()));
    (0..20_000).for_each(|row| whole.push(random.next(), &(row / 9_000), [1, -1][random.below(2)]));
    let mut expected: [Vec<_>; 3] = Default::default();
    for (row, update) in rows(&whole).into_iter().enumerate() {
        expected[place(Column::hash(&whole.data, row), 3)].push(update);
    }
    let split = whole.split(3, |data, hashes| data.hashes(0..data.len(), hashes));
    for (part, expected) in split.iter().zip(&expected) {
        assert!(rows(part) == *expected, "{} rows", expected.len());
    }
}
