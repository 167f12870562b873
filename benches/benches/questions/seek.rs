//! Is a batch's seek worth more than a binary search over its keys?
//!
//! Sorted probes, as a join makes them: a few far apart, or one for every few keys.

use benches::workload::{self, Pairs, Random, SEED};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use differential::batch::Batch;

fn seek(c: &mut Criterion) {
    for records in workload::sizes() {
        let mut updates = workload::updates(&workload::pairs(records, u64::MAX, SEED));
        updates.consolidate().expect("small sums");
        let keys: Vec<u64> = (0..updates.len()).map(|row| updates.keys[row]).collect();
        let batch = Batch::<Pairs>::new(updates).expect("there are updates");
        for (shape, count) in [("sparse", records / 1000), ("dense", records / 4)] {
            let mut random = Random::new(SEED + 1);
            let mut probes: Vec<u64> = (0..count.max(1)).map(|_| random.below(u64::MAX)).collect();
            probes.sort_unstable();
            let by_seek = || {
                probes.iter().fold((0, 0usize), |(from, sum), &probe| {
                    let row = batch.seek(from, probe);
                    (row, sum.wrapping_add(row))
                })
            };
            let by_search =
                || probes.iter().fold(0usize, |sum, &probe| sum.wrapping_add(keys.partition_point(|&key| key < probe)));
            assert_eq!(by_seek().1, by_search());

            let mut group = c.benchmark_group(format!("seek/{records}"));
            group.throughput(Throughput::Elements(probes.len() as u64));
            group.bench_function(BenchmarkId::new("seek", shape), |b| b.iter(by_seek));
            group.bench_function(BenchmarkId::new("binary search", shape), |b| b.iter(by_search));
        }
    }
}

criterion_group!(benches, seek);
