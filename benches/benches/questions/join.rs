//! What does a join cost where keys have few updates (the direct path), and where one key has a long history (replay)?
//!
//! The yardsticks: a hash join of the same rows; and all pairs of two histories, whose number replay must not follow.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use benches::workload::{self, SEED};
use criterion::{Criterion, Throughput, criterion_group};
use differential::time::{Frontier, Point};
use differential::{Config, Error, run_alone};

/// An update of a pair at a logical time.
type Edit = ((u64, u64), u64, i64);

/// The sum over all matches of value, value and diff, by the engine.
fn joined(left: &[Edit], right: &[Edit], times: u64) -> Result<u64, Error> {
    run_alone(Config::default(), |worker| {
        let total = Rc::new(Cell::new(0u64));
        let (mut left_session, mut right_session) = worker.dataflow(|scope| {
            let (left_session, left) = scope.input::<(u64, u64)>("left");
            let (right_session, right) = scope.input::<(u64, u64)>("right");
            let total = total.clone();
            left.join_map(&right, |_, a, b| a ^ b)
                .inspect(move |value, _, diff| total.set(total.get().wrapping_add(value.wrapping_mul(*diff as u64))));
            (left_session, right_session)
        })?;
        left.iter().try_for_each(|&(pair, time, diff)| left_session.update_at(pair, time, diff))?;
        right.iter().try_for_each(|&(pair, time, diff)| right_session.update_at(pair, time, diff))?;
        let all = Frontier::from(Point::from(times));
        worker.commit_to(all, (&mut left_session, &mut right_session))?;
        Ok(total.get())
    })
}

/// The same by a hash table, blind to times: what all of it adds up to in the end.
fn hash_joined(left: &[Edit], right: &[Edit]) -> u64 {
    let mut table: HashMap<u64, Vec<(u64, i64)>> = HashMap::new();
    for &((key, value), _, diff) in left {
        table.entry(key).or_default().push((value, diff));
    }
    let mut total = 0u64;
    for &((key, b), _, right_diff) in right {
        for &(a, left_diff) in table.get(&key).into_iter().flatten() {
            total = total.wrapping_add((a ^ b).wrapping_mul((left_diff * right_diff) as u64));
        }
    }
    total
}

fn ask(c: &mut Criterion, question: &str, left: &[Edit], right: &[Edit], times: u64) {
    assert_eq!(joined(left, right, times), Ok(hash_joined(left, right)));
    let mut group = c.benchmark_group(format!("join {question}/{}", left.len()));
    group.throughput(Throughput::Elements((left.len() + right.len()) as u64));
    group.sample_size(10);
    group.bench_function("join", |b| b.iter(|| joined(left, right, times)));
    group.bench_function("hash join", |b| b.iter(|| hash_joined(left, right)));
}

/// Each key once on either side.
fn direct(c: &mut Criterion) {
    for records in workload::sizes() {
        let left: Vec<Edit> = workload::pairs(records, u64::MAX, SEED).iter().map(|&pair| (pair, 0, 1)).collect();
        let right: Vec<Edit> = left.iter().rev().map(|&((key, value), _, _)| ((key, value / 3), 0, 1)).collect();
        ask(c, "direct", &left, &right, 1);
    }
}

/// One key, whose value is replaced over and over on both sides: as many pairs as the square of the edits, hardly any of
/// which is there at any time.
fn replay(c: &mut Criterion) {
    for records in workload::sizes() {
        let edits = records.min(1 << 14) as u64 / 2;
        let side = |tag: u64| -> Vec<Edit> {
            let value = |time: u64| (7, benches::digest::mix(2 * time + tag));
            let replaced = |time: u64| [(value(time), 2 * time + tag, 1), (value(time), 2 * time + tag + 2, -1)];
            (0..edits).flat_map(replaced).collect()
        };
        ask(c, "replay", &side(0), &side(1), 2 * edits + 4);
    }
}

criterion_group!(benches, direct, replay);
