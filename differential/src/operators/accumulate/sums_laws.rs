//! Sums are what a map from records to sums is, and what is told of each change is what the map was and is.
//!
//! Leaves hold at most eight records here. First a small world, all of it: every list of at most four changes of three
//! records. Then long random ones, of which many insert, split, come to zero and go.

use std::collections::BTreeMap;
use std::fmt::Debug;

use super::sums::Sums;
use crate::column::{Column, Data, ShapeOf};
use crate::diff::{Diffs, Overflow};
use crate::error::{Fault, Reason};

/// Adds changes, in order of records, and checks all that can be seen.
fn add<D: Data>(sums: &mut Sums<D, i64>, map: &mut BTreeMap<D, i64>, changes: &[(D, i64)], shape: &ShapeOf<D>) {
    let mut records = D::Column::empty(shape);
    let mut diffs = Diffs::default();
    let mut expected = Vec::new();
    for (record, diff) in changes {
        records.push_owned(record.clone());
        diffs.push(*diff);
        let sum = map.entry(record.clone()).or_default();
        expected.push((*sum, *sum + diff));
        *sum += diff;
    }
    let mut told = Vec::new();
    let tell = |row: usize, before: &i64, after: &i64| {
        assert_eq!(row, told.len(), "rows are told of in order");
        told.push((*before, *after));
        Ok(())
    };
    assert_eq!(sums.add(&records, &diffs, tell), Ok(()));
    assert_eq!(told, expected, "after {changes:?}");
    map.retain(|_, sum| *sum != 0);
    let all: Vec<_> = sums.checked().into_iter().filter(|(_, sum)| *sum != 0).collect();
    assert_eq!(all, map.clone().into_iter().collect::<Vec<_>>(), "after {changes:?}");
}

#[test]
fn every_small_list_of_changes_adds_up() {
    let changes: Vec<(u64, i64)> = (0..3).flat_map(|record| [(record, 1), (record, -1)]).collect();
    for number in 0..changes.len().pow(4) {
        let list: Vec<_> = (0..4).map(|place| changes[number / changes.len().pow(place) % changes.len()]).collect();
        // Cut anywhere: what is before the cut is one call, the rest another.
        for cut in 0..=list.len() {
            let (mut sums, mut map) = (Sums::new(&()), BTreeMap::new());
            for part in [&list[..cut], &list[cut..]] {
                let mut part = part.to_vec();
                part.sort_by_key(|(record, _)| *record);
                add(&mut sums, &mut map, &part, &());
            }
        }
    }
}

/// Random changes of records that `record` makes from numbers: loads, single ones, removals of all there is.
fn on_random_changes<D: Data + Debug>(shape: &ShapeOf<D>, record: impl Fn(u64) -> D) {
    for seed in 0..40u64 {
        let mut state = seed;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let (mut sums, mut map) = (Sums::new(shape), BTreeMap::new());
        for _ in 0..60 {
            let width = [10, 100, 1000][seed as usize % 3];
            let mut changes: Vec<(D, i64)> = match random(8) {
                // Some neighbours go, maybe all of the first leaves, of the last ones, or of all.
                0 => {
                    let (from, to) = (random(map.len() as u64 + 1), random(2 * map.len() as u64 + 1));
                    let gone = map.iter().skip(from as usize).take(to as usize);
                    gone.map(|(record, sum): (&D, &i64)| (record.clone(), -sum)).collect()
                }
                7 => map.iter().map(|(record, sum)| (record.clone(), -sum)).collect(),
                1 => (0..random(100)).map(|_| (record(random(width)), 1)).collect(),
                // In order, as a load comes.
                2 => (0..random(40)).map(|at| (record(width + at), 1)).collect(),
                _ => (0..random(5)).map(|_| (record(random(width)), random(3) as i64 - 1)).collect(),
            };
            changes.sort_by(|a, b| a.0.cmp(&b.0));
            add(&mut sums, &mut map, &changes, shape);
        }
    }
}

#[test]
fn random_changes_of_numbers_add_up() {
    on_random_changes::<u64>(&(), |number| number * 3);
}

#[test]
fn random_changes_of_strings_add_up() {
    // Longer than a prefix, and alike in it.
    on_random_changes::<(String, u32)>(&((), ()), |number| {
        (format!("a long prefix {}", number / 3), number as u32 % 3)
    });
}

#[test]
fn what_goes_wrong_says_its_row() {
    let mut sums = Sums::<u64, i64>::new(&());
    let (records, mut diffs) = (vec![3, 4, 4], Diffs::default());
    [1, i64::MAX, 1].into_iter().for_each(|diff| diffs.push(diff));
    assert_eq!(sums.add(&records, &diffs, |_, _, _| Ok(())), Err((2, Fault::from(Overflow))));
    let mut sums = Sums::<u64, i64>::new(&());
    let refuse = |row, _: &i64, _: &i64| if row == 1 { Err(Reason::LateTime.into()) } else { Ok(()) };
    assert_eq!(sums.add(&records, &diffs, refuse), Err((1, Fault::from(Reason::LateTime))));
}
