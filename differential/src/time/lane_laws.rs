//! A lane is a vector that may be stored as one value, or in two bytes a row.

use super::small_world::Random;
use super::{Block, Lane, Side, pairs_in};

/// A lane stays uniform as long as its rows do, however they were appended.
fn assert_same(lane: &Lane<u64>, rows: &[u64], what: &str) {
    assert_eq!(lane.iter().collect::<Vec<_>>(), rows, "{what}");
    assert_eq!(lane.len(), rows.len(), "{what}");
    match lane.side() {
        Side::Same(value) => assert!(rows.iter().all(|row| row == value), "{what}"),
        Side::Short(each) => assert!(each.iter().map(|&short| u64::from(short)).eq(rows.iter().copied()), "{what}"),
        Side::Each(each) => assert_eq!(each, rows, "{what}"),
    }
}

/// A value as a lane may hold it: the last that is short, and the first ones that are not, are among them.
fn value(random: &mut Random, values: usize, base: u64) -> u64 {
    base + random.below(values) as u64
}

/// Small values; values of which some are short; values of which none is.
const BASES: [u64; 3] = [0, u16::MAX as u64 - 1, u64::MAX - 20];

#[test]
fn every_operation_is_a_vectors() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let (values, base) = (1 + random.below(3), BASES[seed as usize % 3]);
        let (mut lane, mut rows) = (Lane::default(), Vec::new());
        let (mut other, mut other_rows) = (Lane::default(), Vec::new());
        for _ in 0..random.below(6) {
            let (value, count) = (value(&mut random, values, base), random.below(4));
            other.push_repeat(value, count);
            other_rows.extend(std::iter::repeat_n(value, count));
        }
        for step in 0..12 {
            let value = value(&mut random, values, base);
            let start = random.below(other_rows.len() + 1);
            let range = start..start + random.below(other_rows.len() - start + 1);
            let operation = random.below(13);
            match operation {
                0 => {
                    lane.push(value);
                    rows.push(value);
                }
                1 => {
                    lane.extend_range(&other, range.clone());
                    rows.extend_from_slice(&other_rows[range]);
                }
                2 if !other_rows.is_empty() => {
                    let picks: Vec<u32> = (0..random.below(5)).map(|_| random.below(other_rows.len()) as u32).collect();
                    lane.extend_gather(&other, &picks);
                    rows.extend(picks.iter().map(|&row| other_rows[row as usize]));
                }
                3 if !other_rows.is_empty() => {
                    let (row, count) = (random.below(other_rows.len()), random.below(4));
                    lane.extend_repeat(&other, row, count);
                    rows.extend(std::iter::repeat_n(other_rows[row], count));
                }
                4 => {
                    let len = random.below(rows.len() + 2);
                    lane.truncate(len);
                    rows.truncate(len);
                }
                5 if !rows.is_empty() => {
                    let row = random.below(rows.len());
                    lane.set(row, value);
                    rows[row] = value;
                }
                6 => {
                    lane.update(|row| *row += 1);
                    rows.iter_mut().for_each(|row| *row += 1);
                }
                7 if random.below(4) == 0 => {
                    lane.clear();
                    rows.clear();
                }
                8 => {
                    lane.extend_from_slice(&other_rows);
                    rows.extend_from_slice(&other_rows);
                }
                9 => lane.fit(),
                10 => {
                    let base = random.below(rows.len() + 1);
                    let mut places: Vec<(u32, u32)> = (0..random.below(3) * usize::from(!other_rows.is_empty()))
                        .map(|_| {
                            ((base + random.below(rows.len() - base + 1)) as u32, random.below(other_rows.len()) as u32)
                        })
                        .collect();
                    places.sort();
                    lane.insert_rows(&other, &places);
                    places.iter().rev().for_each(|&(at, row)| rows.insert(at as usize, other_rows[row as usize]));
                }
                11 => {
                    let gone: Vec<u32> = (0..rows.len() as u32).filter(|_| random.below(3) == 0).collect();
                    lane.remove_rows(&gone);
                    gone.iter().rev().for_each(|&row| _ = rows.remove(row as usize));
                }
                _ => {
                    lane.push_repeat(value, 2);
                    rows.extend([value; 2]);
                }
            }
            assert_same(&lane, &rows, &format!("seed {seed}, step {step}, operation {operation}"));
            for (row, value) in rows.iter().enumerate() {
                assert_eq!(lane.get(row), *value, "seed {seed}, step {step}");
            }
        }
    }
}

#[test]
fn rows_that_agree_stay_one_value() {
    let spread = Lane::from_iter([7u64, 7, 8, 7]);
    assert_eq!(spread.uniform(), None);
    let mut lane = Lane::repeat(7, 3);
    lane.extend_range(&spread, 0..2);
    lane.extend_gather(&spread, &[3, 0, 1]);
    lane.extend_from_slice(&[7, 7]);
    lane.extend_repeat(&spread, 3, 5);
    assert_eq!((lane.uniform(), lane.len()), (Some(&7), 15));
    lane.extend_gather(&spread, &[0, 2]);
    assert_eq!((lane.uniform(), lane.len()), (None, 17));
}

#[test]
fn a_cross_is_two_nested_loops_and_a_zip_is_one() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let mut side = || -> Vec<u64> {
            let (values, base) = (1 + random.below(2), [0, 6_553, 65_535][random.below(3)]);
            (0..1 + random.below(6)).map(|_| value(&mut random, values, base)).collect()
        };
        let (left_rows, right_rows) = (side(), side());
        let left: Lane<u64> = left_rows.iter().copied().collect();
        let right: Lane<u64> = right_rows.iter().copied().collect();
        let mut range = |len: usize| {
            let start = random.below(len + 1);
            start as u32..(start + random.below(len - start + 1)) as u32
        };
        let blocks: Vec<Block> = (0..3).map(|_| (range(left_rows.len()), range(right_rows.len()))).collect();
        // Not commutative, so that sides exchanged would show.
        let combine = |a: &u64, b: &u64| 10 * a + b;

        let mut crossed = Lane::repeat(3, seed as usize % 2);
        let mut expected: Vec<u64> = crossed.iter().collect();
        for (left_range, right_range) in &blocks {
            for a in left_range.clone() {
                for b in right_range.clone() {
                    expected.push(combine(&left_rows[a as usize], &right_rows[b as usize]));
                }
            }
        }
        let before = crossed.len();
        crossed.extend_cross(left.side(), right.side(), &blocks, combine);
        assert_same(&crossed, &expected, &format!("seed {seed}"));
        assert_eq!(crossed.len() - before, pairs_in(&blocks), "seed {seed}");
        let uniform = before == 0 && left.uniform().is_some() && right.uniform().is_some();
        assert!(
            !uniform || crossed.uniform().is_some() || crossed.is_empty(),
            "seed {seed}: two uniform sides give a uniform run"
        );

        let len = left_rows.len().min(right_rows.len());
        let mut zipped = Lane::default();
        zipped.extend_zip((left.side(), 0..len), (right.side(), right_rows.len() - len..right_rows.len()), combine);
        let tail = &right_rows[right_rows.len() - len..];
        let expected: Vec<u64> = left_rows.iter().zip(tail).map(|(a, b)| combine(a, b)).collect();
        assert_same(&zipped, &expected, &format!("seed {seed}"));
    }
}

/// Every lane of up to three values out of two, as a list.
fn lists() -> Vec<Vec<u8>> {
    let of_length = |length: u32| (0..1 << length).map(move |bits| (0..length).map(|at| bits >> at & 1).collect());
    (0..=3).flat_map(of_length).collect()
}

#[test]
fn a_lane_of_the_small_world_is_the_list_of_its_values() {
    for first in lists() {
        for second in lists() {
            let lane = |values: &[u8]| values.iter().copied().collect::<Lane<u8>>();
            let values = |lane: &Lane<u8>| lane.iter().collect::<Vec<_>>();
            for start in 0..=second.len() {
                let mut grown = lane(&first);
                grown.extend_range(&lane(&second), start..second.len());
                assert_eq!(values(&grown), [&first[..], &second[start..]].concat(), "{first:?} {second:?} {start}");

                let rows: Vec<u32> = (start as u32..second.len() as u32).rev().collect();
                let mut gathered = lane(&first);
                gathered.extend_gather(&lane(&second), &rows);
                let reversed: Vec<u8> = second[start..].iter().rev().copied().collect();
                assert_eq!(values(&gathered), [&first[..], &reversed].concat(), "{first:?} {second:?} {start}");

                let mut cut = lane(&second);
                cut.truncate(start);
                cut.extend_range(&lane(&first), 0..first.len());
                assert_eq!(values(&cut), [&second[..start], &first].concat(), "{first:?} {second:?} {start}");
            }
        }
    }
}

#[test]
fn a_lane_is_as_wide_as_its_widest_value_once_it_is_fitted() {
    let form = |lane: &Lane<u64>| match lane.side() {
        Side::Same(_) => "same",
        Side::Short(_) => "short",
        Side::Each(_) => "each",
    };
    let mut lane = Lane::from_iter([1u64, 65_535]);
    assert_eq!((form(&lane), lane.heap_bytes() < 2 * size_of::<u64>()), ("short", true));
    lane.push(65_536);
    assert_eq!(form(&lane), "each");
    lane.truncate(2);
    assert_eq!(form(&lane), "each");
    lane.fit();
    assert_eq!((form(&lane), lane.heap_bytes()), ("short", 4));
    let mut signed = Lane::from_iter([i64::from(i16::MIN), -1, i64::from(i16::MAX)]);
    assert!(matches!(signed.side(), Side::Short(_)));
    assert_eq!(signed.iter().collect::<Vec<_>>(), [-32_768, -1, 32_767]);
    signed.push(32_768);
    signed.update(|value| *value -= 1);
    signed.fit();
    assert!(matches!(signed.side(), Side::Each([-32_769, -2, 32_766, 32_767])));
}
