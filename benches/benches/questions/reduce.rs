//! What does a change of a group cost, where each key's count is kept up to date?
//!
//! The yardstick is a hash map of counts, changed in place.

use std::collections::HashMap;

use benches::workload::{self, Random, SEED};
use criterion::{Criterion, Throughput, criterion_group};
use differential::{Config, Error, run_alone};

/// Changes made in one commit.
const CHANGES: u64 = 100;

fn count(c: &mut Criterion) {
    for records in workload::sizes() {
        let keys = records as u64 / 10;
        let pairs = workload::pairs(records, keys, SEED);
        let mut group = c.benchmark_group(format!("count/{records}"));
        group.throughput(Throughput::Elements(CHANGES));
        run_alone(Config::default(), |worker| {
            let mut session = worker.dataflow(|scope| {
                let (session, rows) = scope.input::<u64>("rows");
                rows.count();
                session
            })?;
            pairs.iter().for_each(|&(key, _)| session.insert(key));
            worker.commit(&mut session)?;
            let mut random = Random::new(SEED + 1);
            group.bench_function("count", |b| {
                b.iter(|| {
                    (0..CHANGES).for_each(|_| session.insert(random.below(keys)));
                    worker.commit(&mut session).expect("nothing overflows")
                });
            });
            Ok::<_, Error>(())
        })
        .expect("nothing overflows");
        let mut counts: HashMap<u64, i64> = HashMap::new();
        pairs.iter().for_each(|&(key, _)| *counts.entry(key).or_default() += 1);
        let mut random = Random::new(SEED + 1);
        group.bench_function("hash map", |b| {
            b.iter(|| (0..CHANGES).for_each(|_| *counts.entry(random.below(keys)).or_default() += 1));
        });
    }
}

criterion_group!(benches, count);
