//! Hashes of plain keys give each worker about as much as the others. No timing: only where rows go.

use differential::column::{Column, Data, ShapeOf};
use differential::updates::part_of;

const KEYS: u64 = 1_000_000;

/// How many of the keys fall to each of some workers.
fn shares<D: Data>(workers: usize, key: impl Fn(u64) -> D) -> Vec<u64>
where
    ShapeOf<D>: Default,
{
    let mut column = D::Column::empty(&ShapeOf::<D>::default());
    (0..KEYS).for_each(|at| column.push_owned(key(at)));
    let mut hashes = Vec::new();
    column.hashes(0..column.len(), &mut hashes);
    let mut shares = vec![0; workers];
    hashes.into_iter().for_each(|hash| shares[part_of(hash, workers)] += 1);
    shares
}

#[track_caller]
fn balanced<D: Data>(what: &str, key: impl Fn(u64) -> D + Copy)
where
    ShapeOf<D>: Default,
{
    for workers in [2, 3, 8] {
        let shares = shares(workers, key);
        assert_eq!(shares.iter().sum::<u64>(), KEYS);
        let mean = KEYS / workers as u64;
        let close = shares.iter().all(|share| share.abs_diff(mean) * 10 <= mean);
        assert!(close, "{what}: {shares:?}, not within a tenth of {mean}");
    }
}

#[test]
fn numbers_in_a_row() {
    balanced("u64", |at| at);
    balanced("u32", |at| at as u32);
    balanced("i64 below zero", |at| -(at as i64));
}

#[test]
fn numbers_far_apart() {
    balanced("multiples of 1,000", |at| at * 1_000);
    balanced("in the upper half", |at| at << 40);
}

#[test]
fn pairs_and_strings() {
    balanced("edges of one node", |at| (7u32, at as u32));
    balanced("edges of a grid", |at| ((at / 1_000) as u32, (at % 1_000) as u32));
    balanced("names", |at| format!("customer {at}"));
}
