//! Consolidation says what summing in a tree says: on every small multiset of updates, then on large random ones.

use std::collections::BTreeMap;
use std::fmt::Debug;

use super::consolidate::consolidated;
use super::few::{FEW, is_consolidated};
use super::{Keyed, Sorting, Updates};
use crate::column::{Column, Data};
use crate::diff::OverflowAt;
use crate::layout::Rows;
use crate::time::{Point, Time, TimeColumn};

type Row<K, V, T> = ((K, V, T), i64);

/// The oracle: a sum for each (key, value, time), or the time of the first that is too large.
fn summed<K: Data, V: Data, T: Time>(rows: &[Row<K, V, T>]) -> Result<Vec<Row<K, V, T>>, OverflowAt<T>> {
    let mut sums = BTreeMap::new();
    for (update, diff) in rows {
        *sums.entry(update.clone()).or_insert(0i128) += i128::from(*diff);
    }
    let sums = sums.into_iter().filter(|(_, sum)| *sum != 0);
    let fits = |(update, sum): ((K, V, T), i128)| match i64::try_from(sum) {
        Ok(sum) => Ok((update, sum)),
        Err(_) => Err(OverflowAt::new(update.2)),
    };
    sums.map(fits).collect()
}

fn keyed<K: Data, V: Data, T: Time>(rows: &[Row<K, V, T>]) -> Keyed<Rows<K, V, T, i64>>
where
    <K::Column as Column>::Shape: Default,
    <V::Column as Column>::Shape: Default,
{
    let mut keyed = Keyed::<Rows<K, V, T, i64>>::empty(&Default::default(), &Default::default());
    for ((key, val, time), diff) in rows {
        keyed.push(K::Column::lend(key), V::Column::lend(val), time, *diff);
    }
    keyed
}

fn listed<K: Data, V: Data, T: Time>(keyed: &Keyed<Rows<K, V, T, i64>>) -> Vec<Row<K, V, T>> {
    let row = |row| {
        let (key, val) = (keyed.keys.get(row), keyed.vals.get(row));
        ((K::Column::owned(key), V::Column::owned(val), keyed.times.get(row)), keyed.diffs.get(row))
    };
    (0..keyed.len()).map(row).collect()
}

/// Consolidates rows in both forms, and as chunks; holds each against the oracle.
fn check<K: Data, V: Data, T: Time>(rows: &[Row<K, V, T>], about: impl Debug)
where
    <K::Column as Column>::Shape: Default,
    <V::Column as Column>::Shape: Default,
{
    let expected = summed(rows);
    let mut whole = keyed(rows);
    let result = whole.consolidate().map(|()| listed(&whole));
    assert_eq!(result, expected, "{about:?}");
    if result.is_ok() {
        assert!(is_consolidated(&whole), "{about:?}");
    }

    let chunks = rows.chunks(rows.len().div_ceil(3).max(1)).map(keyed).collect::<Vec<_>>();
    if !chunks.is_empty() {
        let result = consolidated(chunks).map(|keyed| listed(&keyed));
        assert_eq!(result, expected, "in chunks, {about:?}");
        let chunks = rows.chunks(rows.len().div_ceil(3)).map(keyed).collect::<Vec<_>>();
        assert_eq!(in_steps(chunks), expected, "in steps, {about:?}");
    }

    // In order already; and in order but for one update, which ends a chunk and begins the next.
    if let Ok(sorted) = &expected
        && sorted.len() > FEW
    {
        let chunks = sorted.chunks(sorted.len().div_ceil(3)).map(keyed).collect::<Vec<_>>();
        assert_eq!(in_steps(chunks), expected, "in order, {about:?}");
        let (before, behind) = (&sorted[..=FEW], &sorted[FEW..]);
        let wanted = summed(&[before, behind].concat());
        assert_eq!(in_steps(vec![keyed(before), keyed(behind)]), wanted, "an update in two chunks, {about:?}");
    }

    let mut updates = Updates::<(K, V), T, i64>::empty(&Default::default());
    for ((key, val, time), diff) in rows {
        updates.push((key.clone(), val.clone()), time, *diff);
    }
    let result = updates.consolidate().map(|()| {
        let row = |row| {
            let (key, val) = <(K, V) as Data>::Column::owned(updates.data.get(row));
            ((key, val, updates.times.get(row)), updates.diffs.get(row))
        };
        (0..updates.len()).map(row).collect::<Vec<_>>()
    });
    assert_eq!(result, expected, "as records, {about:?}");
}

/// What comes out of a sort that stops whenever it can, each time taken away.
fn in_steps<K: Data, V: Data, T: Time>(
    chunks: Vec<Keyed<Rows<K, V, T, i64>>>,
) -> Result<Vec<Row<K, V, T>>, OverflowAt<T>> {
    let (keys, vals) = chunks[0].shapes();
    let (mut sorting, mut all) = (Sorting::new(chunks), Vec::new());
    while !sorting.is_done() {
        let (mut effort, mut rows) = (1, Keyed::empty(&keys, &vals));
        sorting.step(&mut effort, &mut rows)?;
        assert!(effort == 0 || sorting.is_done(), "it stopped before its effort was spent");
        all.extend(listed(&rows));
    }
    Ok(all)
}

/// Every multiset of up to four updates of 2 keys x 2 values x 2 times x diffs of 1 and -1: 4,845 lists, and each
/// again repeated past the length up to which rows are sorted by comparison.
#[test]
fn every_small_multiset_adds_up() {
    let all: Vec<Row<u64, u64, Point>> = (0..16u64)
        .map(|bits| ((bits & 1, bits >> 1 & 1, Point::from([1, bits >> 2 & 1])), if bits < 8 { 1 } else { -1 }))
        .collect();
    let mut multisets: Vec<Vec<usize>> = vec![vec![]];
    let mut start = 0;
    for _ in 0..4 {
        let end = multisets.len();
        for at in start..end {
            for member in multisets[at].last().copied().unwrap_or(0)..all.len() {
                let mut larger = multisets[at].clone();
                larger.push(member);
                multisets.push(larger);
            }
        }
        start = end;
    }
    assert_eq!(multisets.len(), 4_845);
    for members in &multisets {
        // From the back: the multisets are made in ascending order.
        let rows: Vec<_> = members.iter().rev().map(|&member| all[member].clone()).collect();
        check(&rows, &rows);
        let strings: Vec<_> = rows
            .iter()
            .map(|((key, val, time), diff)| {
                ((format!("a key of {key}"), format!("a value of {val}"), time.clone()), *diff)
            })
            .collect();
        check(&strings, &rows);
        let repeated = vec![rows.clone(); 70].concat();
        check(&repeated, &rows);
    }
}

/// A generator of our own: a failure's message holds all that is needed to see it again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// How keys or values are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spread {
    Dense,
    Full,
    Skewed,
    Ascending,
    Descending,
    Equal,
    Outlier,
    Strided,
}

const SPREADS: [Spread; 8] = [
    Spread::Dense,
    Spread::Full,
    Spread::Skewed,
    Spread::Ascending,
    Spread::Descending,
    Spread::Equal,
    Spread::Outlier,
    Spread::Strided,
];

impl Spread {
    fn word(self, row: u64, rows: u64, random: &mut Random) -> u64 {
        match self {
            Spread::Dense => random.below(rows / 4 + 1),
            Spread::Full => random.next(),
            Spread::Skewed => random.below(1 << 16).pow(4) >> random.below(64),
            Spread::Ascending => row / 3,
            Spread::Descending => (rows - row) / 3,
            Spread::Equal => 77,
            Spread::Outlier => {
                if row == rows / 2 {
                    u64::MAX
                } else {
                    random.below(1000)
                }
            }
            Spread::Strided => random.below(500) << 40,
        }
    }
}

/// How times and diffs are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    OnceOne,
    OnceBoth,
    Often,
}

fn random_rows(
    count: u64,
    keys: Spread,
    vals: Spread,
    when: When,
    random: &mut Random,
) -> Vec<((u64, u64, Point), i64)> {
    let row = |row| {
        let (time, diff) = match when {
            When::OnceOne => (Point::from([7, 3]), 2),
            When::OnceBoth => (Point::from([7, 3]), random.below(5) as i64 - 2),
            When::Often => {
                (Point::from([random.below(3), random.below(1 << 20) >> random.below(30)]), random.below(3) as i64 - 1)
            }
        };
        ((keys.word(row, count, random), vals.word(row, count, random), time), diff)
    };
    (0..count).map(row).collect()
}

/// The same rows with keys and values turned into others.
fn mapped<K, V>(
    rows: &[Row<u64, u64, Point>],
    key: impl Fn(u64) -> K,
    val: impl Fn(u64) -> V,
) -> Vec<Row<K, V, Point>> {
    rows.iter().map(|((k, v, time), diff)| ((key(*k), val(*v), time.clone()), *diff)).collect()
}

/// A string that shares its first bytes with the others of a list; some are the beginning of others, or end in zeros.
fn named(word: u64) -> String {
    match word % 8 {
        0 => "a prefix in common".into(),
        1 => format!("a prefix in common{}", "\0".repeat(word as usize / 8 % 20)),
        _ => format!("a prefix in common, then {word:x}"),
    }
}

#[test]
fn random_updates_add_up_however_they_are_spread() {
    let mut random = Random(1);
    for keys in SPREADS {
        for vals in SPREADS {
            for when in [When::OnceOne, When::OnceBoth, When::Often] {
                for count in [65, 700, 3_000] {
                    let (seed, about) = (random.0, (keys, vals, when, count));
                    let rows = random_rows(count, keys, vals, when, &mut random);
                    check(&rows, (seed, about, "u64, u64"));
                    if count == 700 {
                        check(&mapped(&rows, |k| k as u32, |v| v as i32), (seed, about, "u32, i32"));
                        check(&mapped(&rows, |k| k as i64, |_| ()), (seed, about, "i64, ()"));
                        check(&mapped(&rows, |_| (), |v| v as u8), (seed, about, "(), u8"));
                        check(&mapped(&rows, |k| (k as u32, k), |v| v as u16), (seed, about, "(u32, u64), u16"));
                        check(&mapped(&rows, |k| u128::from(k) << 60, |v| v), (seed, about, "u128, u64"));
                        check(&mapped(&rows, |k| k, named), (seed, about, "u64, String"));
                        check(&mapped(&rows, named, |v| v), (seed, about, "String, u64"));
                        check(&mapped(&rows, |k| named(k % 16), named), (seed, about, "String, String"));
                    }
                }
            }
        }
    }
}

#[test]
fn more_updates_than_one_bucket_add_up() {
    let mut random = Random(2);
    for spread in SPREADS {
        for when in [When::OnceOne, When::Often] {
            let seed = random.0;
            let rows = random_rows(100_000, spread, spread, when, &mut random);
            check(&rows, (seed, spread, when));
        }
    }
}

#[test]
fn a_sum_that_does_not_fit_is_an_error_and_one_that_fits_is_not_whatever_the_order() {
    let sum = |diffs: &[i64], padding: u64| {
        let mut rows: Vec<Row<u64, u64, u64>> = diffs.iter().map(|&diff| ((5, 5, 0), diff)).collect();
        rows.extend((0..padding).map(|key| ((key, 9, 0), 1)));
        let mut keyed = keyed(&rows);
        keyed.consolidate().map(|()| listed(&keyed))
    };
    for padding in [0, 1_000] {
        for diffs in [[i64::MAX, 1, 1], [i64::MIN, -1, 0], [i64::MAX, i64::MAX, 0]] {
            assert_eq!(sum(&diffs, padding), Err(OverflowAt::new(0)), "{diffs:?}, {padding}");
        }
        for diffs in
            [[i64::MAX, 1, -1], [1, i64::MAX, -1], [i64::MIN, -1, i64::MAX], [i64::MIN, i64::MIN / 2, i64::MAX]]
        {
            let fits = diffs.iter().map(|&diff| i128::from(diff)).sum::<i128>();
            match i64::try_from(fits) {
                Ok(fits) => {
                    let rows = sum(&diffs, padding).unwrap();
                    assert!(rows.contains(&((5, 5, 0), fits)), "{diffs:?}, {padding}");
                }
                Err(_) => assert_eq!(sum(&diffs, padding), Err(OverflowAt::new(0)), "{diffs:?}, {padding}"),
            }
        }
    }
    let one_diff = |diff, count| {
        let mut keyed = keyed(&vec![((5u64, 5u64, 0u64), diff); count]);
        keyed.consolidate().map(|()| listed(&keyed))
    };
    assert_eq!(one_diff(i64::MAX / 100, 100), Ok(vec![((5, 5, 0), i64::MAX / 100 * 100)]));
    assert_eq!(one_diff(i64::MAX / 100 + 1, 100), Err(OverflowAt::new(0)));
    assert_eq!(one_diff(i64::MIN / 128, 128), Ok(vec![((5, 5, 0), i64::MIN)]));
    assert_eq!(one_diff(i64::MIN / 128, 129), Err(OverflowAt::new(0)));
}

/// However rows are sorted (compared, spelled, numbered), the time named is that of the first sum that does not fit.
#[test]
fn a_sum_that_does_not_fit_is_told_with_its_time() {
    for padding in [0, 1_000] {
        let of_padding = |key: u64| ((key, 9, Point::from([key % 7, key % 3])), 1);
        let mut rows: Vec<Row<u64, u64, Point>> = (0..padding).map(of_padding).collect();
        for (key, time) in [(900, [5, 2]), (300, [6, 1]), (300, [6, 2])] {
            rows.extend(std::iter::repeat_n(((key, 9, Point::from(time)), i64::MAX), 2));
        }
        check(&rows, padding);
        let in_words: Vec<Row<String, u64, Point>> = rows
            .iter()
            .map(|((key, val, time), diff)| ((format!("a long key {key:04}"), *val, time.clone()), *diff))
            .collect();
        check(&in_words, padding);
    }
}
