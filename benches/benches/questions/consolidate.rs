//! Is consolidating columns of updates worth more than sorting rows of them?
//!
//! The yardstick sorts a vector of tuples and adds up neighbours.

use benches::workload::{self, SEED};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group};

/// The laziest right way: rows, sorted whole.
fn sorted_rows(mut rows: Vec<((u64, u64), u64, i64)>) -> Vec<((u64, u64), u64, i64)> {
    rows.sort_unstable();
    rows.dedup_by(|next, sum| {
        let equal = (next.0, next.1) == (sum.0, sum.1);
        sum.2 += if equal { next.2 } else { 0 };
        equal
    });
    rows.retain(|row| row.2 != 0);
    rows
}

fn consolidate(c: &mut Criterion) {
    for records in workload::sizes() {
        // All keys apart, or ten updates a pair.
        for (shape, keys) in [("distinct", u64::MAX), ("repeated", records as u64 / 10)] {
            let mut pairs = workload::pairs(records, keys, SEED);
            if shape == "repeated" {
                pairs.iter_mut().for_each(|pair| pair.1 = 0);
            }
            let updates = workload::updates(&pairs);
            let rows: Vec<_> = pairs.iter().map(|&pair| (pair, 1, 1)).collect();
            let mut columns = updates.clone();
            columns.consolidate().expect("small sums");
            assert_eq!(columns.len(), sorted_rows(rows.clone()).len());

            let mut group = c.benchmark_group(format!("consolidate/{records}"));
            group.throughput(Throughput::Elements(records as u64));
            group.bench_function(BenchmarkId::new("columns", shape), |b| {
                let run = |updates: &mut workload::Updates| updates.consolidate().expect("small sums");
                b.iter_batched_ref(|| updates.clone(), run, BatchSize::LargeInput);
            });
            group.bench_function(BenchmarkId::new("rows", shape), |b| {
                b.iter_batched(|| rows.clone(), sorted_rows, BatchSize::LargeInput);
            });
        }
    }
}

criterion_group!(benches, consolidate);
