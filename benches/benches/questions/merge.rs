//! Is merging two sorted batches worth more than sorting their updates again?

use std::sync::Arc;

use benches::workload::{self, Pairs, SEED, Updates};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group};
use differential::batch::{Batch, Merge, Progress};
use differential::time::{Frontier, Point};

fn batch(mut updates: Updates) -> Arc<Batch<Pairs>> {
    updates.consolidate().expect("small sums");
    Arc::new(Batch::new(updates).expect("there are updates"))
}

fn merged(old: &Arc<Batch<Pairs>>, new: &Arc<Batch<Pairs>>) -> Batch<Pairs> {
    let since = Frontier::from(Point::from(1));
    let (mut merge, mut effort) = (Merge::new(old.clone(), new.clone(), since), usize::MAX);
    loop {
        match merge.advance(&mut effort).expect("small sums") {
            Progress::Done(batch) => return batch.expect("nothing cancels"),
            Progress::More(more) => merge = more,
        }
    }
}

fn merge(c: &mut Criterion) {
    for records in workload::sizes() {
        // A batch as large, or a small one: most merges of a trace are of neighbours that differ in size.
        for (shape, newer) in [("equal", records), ("hundredth", records / 100)] {
            let old = workload::pairs(records, u64::MAX, SEED);
            let new = workload::pairs(newer, u64::MAX, SEED + 1);
            let both = workload::updates(&[&old[..], &new[..]].concat());
            let (old, new) = (batch(workload::updates(&old)), batch(workload::updates(&new)));
            assert_eq!(merged(&old, &new).len(), both.len());

            let mut group = c.benchmark_group(format!("merge/{records}"));
            group.throughput(Throughput::Elements(both.len() as u64));
            group.bench_function(BenchmarkId::new("merge", shape), |b| {
                b.iter_with_large_drop(|| merged(&old, &new));
            });
            group.bench_function(BenchmarkId::new("sort again", shape), |b| {
                b.iter_batched(|| both.clone(), batch, BatchSize::LargeInput);
            });
        }
    }
}

criterion_group!(benches, merge);
