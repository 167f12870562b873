//! What does it cost to give a collection a memory: loading one, and keeping it up to date?
//!
//! The yardstick for a load is sorting the same rows once; for a commit, changing an ordered map.

use std::collections::BTreeMap;

use benches::workload::{self, Random, SEED};
use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use differential::{Config, Error, run_alone};

fn loaded(pairs: &[(u64, u64)]) -> Result<(), Error> {
    run_alone(Config::default(), |worker| {
        let (mut session, _arranged) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<(u64, u64)>("rows");
            (session, rows.arrange_by_key("rows by key"))
        })?;
        pairs.iter().for_each(|&pair| session.insert(pair));
        worker.commit(&mut session)?;
        Ok(())
    })
}

fn load(c: &mut Criterion) {
    for records in workload::sizes() {
        let pairs = workload::pairs(records, u64::MAX, SEED);
        let mut group = c.benchmark_group(format!("arrange load/{records}"));
        group.throughput(Throughput::Elements(records as u64));
        group.bench_function("arrange", |b| b.iter(|| loaded(&pairs).expect("nothing overflows")));
        group.bench_function("sort", |b| {
            b.iter_batched_ref(|| pairs.clone(), |pairs| pairs.sort_unstable(), BatchSize::LargeInput);
        });
    }
}

fn commit(c: &mut Criterion) {
    for records in workload::sizes() {
        let pairs = workload::pairs(records, u64::MAX, SEED);
        let mut group = c.benchmark_group(format!("arrange commit/{records}"));
        group.throughput(Throughput::Elements(100));
        run_alone(Config::default(), |worker| {
            let (mut session, _arranged) = worker.dataflow(|scope| {
                let (session, rows) = scope.input::<(u64, u64)>("rows");
                (session, rows.arrange_by_key("rows by key"))
            })?;
            pairs.iter().for_each(|&pair| session.insert(pair));
            worker.commit(&mut session)?;
            let mut random = Random::new(SEED + 1);
            group.bench_function("arrange", |b| {
                b.iter(|| {
                    (0..100).for_each(|_| session.insert((random.below(u64::MAX), 0)));
                    worker.commit(&mut session).expect("nothing overflows")
                });
            });
            Ok::<_, Error>(())
        })
        .expect("nothing overflows");
        let mut map: BTreeMap<(u64, u64), i64> = pairs.iter().map(|&pair| (pair, 1)).collect();
        let mut random = Random::new(SEED + 1);
        group.bench_function("ordered map", |b| {
            b.iter(|| (0..100).for_each(|_| *map.entry((random.below(u64::MAX), 0)).or_default() += 1));
        });
    }
}

criterion_group!(benches, load, commit);
