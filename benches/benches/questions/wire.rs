//! What does it cost to send updates: to cut them into a part for each worker, to write them as bytes, to read those?
//!
//! The yardstick is a copy of the same columns, which is the least that crossing a process takes. Everything is written
//! to fresh memory, as a copy is; "written again" uses a buffer that has been filled before.

use benches::workload::{self, Random, SEED};
use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use differential::bytes::Reader;
use differential::column::{Column, Data, ShapeOf};
use differential::time::Point;
use differential::updates::Updates;

type Sent<D> = Updates<D, Point, i64>;

/// These records, once each, all at one time.
fn updates<D: Data>(shape: &ShapeOf<D>, records: impl Iterator<Item = D>) -> Sent<D> {
    let mut updates = Updates::empty(shape);
    records.for_each(|record| updates.push(record, &Point::from(1), 1));
    updates
}

fn ask<D: Data>(c: &mut Criterion, name: &str, sent: &Sent<D>) {
    let shape = sent.data.shape();
    let mut bytes = Vec::new();
    sent.write_bytes(&mut bytes);

    let mut group = c.benchmark_group(format!("wire/{name}/{}", sent.len()));
    group.throughput(Throughput::Elements(sent.len() as u64));
    group.bench_function("copied", |b| b.iter_with_large_drop(|| sent.clone()));
    group.bench_function("written", |b| {
        b.iter_with_large_drop(|| {
            let mut bytes = Vec::new();
            sent.write_bytes(&mut bytes);
            bytes
        })
    });
    group.bench_function("written again", |b| {
        let mut bytes = bytes.clone();
        b.iter(|| {
            bytes.clear();
            sent.write_bytes(&mut bytes);
        });
    });
    group.bench_function("read", |b| {
        b.iter_with_large_drop(|| Sent::<D>::read_bytes(&shape, &mut Reader::new(&bytes)).expect("as written"))
    });
    group.bench_function("hashed", |b| {
        b.iter_with_large_drop(|| {
            let mut hashes = Vec::new();
            sent.data.hashes(0..sent.len(), &mut hashes);
            hashes
        })
    });
    for parts in [2, 8] {
        group.bench_function(format!("split in {parts}"), |b| {
            let run = |sent: Sent<D>| sent.split(parts, |data, hashes| data.hashes(0..data.len(), hashes));
            b.iter_batched(|| sent.clone(), run, BatchSize::LargeInput);
        });
    }
}

fn wire(c: &mut Criterion) {
    for records in workload::sizes() {
        let pairs = workload::pairs(records, u64::MAX, SEED);
        ask(c, "pairs", &updates(&((), ()), pairs.into_iter()));
        // Eight to 32 letters, in ASCII as most names are.
        let mut random = Random::new(SEED);
        let names = (0..records).map(|_| format!("{:01$x}", random.below(1 << 32), 8 + random.below(25) as usize));
        ask(c, "strings", &updates(&(), names.collect::<Vec<_>>().into_iter()));
    }
}

criterion_group!(benches, wire);
