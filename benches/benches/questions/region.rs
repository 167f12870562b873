//! Does a commit cost more because the region holds much else? And what does it cost to build much?
//!
//! A query of ten operators is committed to, alone and beside a thousand others that have nothing to do. Each query has an
//! input of its own, and nine operators behind it.

use benches::workload;
use criterion::{Criterion, criterion_group};
use differential::collection::Session;
use differential::{Config, Error, Worker, run_alone};

/// Nodes of one query.
const NODES: usize = 10;

fn query(worker: &mut Worker<'_>) -> Result<Session<u64>, Error> {
    worker.dataflow(|scope| {
        let (session, numbers) = scope.input::<u64>("numbers");
        let even = numbers.map(|n| n / 2).filter(|n| n % 2 == 0).map(|n| n + 1);
        even.count().map(|(n, count)| n + count as u64).filter(|n| n > 0).map(|n| n * 3).probe();
        session
    })
}

fn beside_others(c: &mut Criterion) {
    let many = if workload::sizes().iter().any(|&records| records >= 100_000) { 10_000 } else { 1_000 };
    let mut group = c.benchmark_group("a commit to a query of ten nodes");
    for nodes in [NODES, many] {
        run_alone(Config::default(), |worker| {
            let mut sessions = (0..nodes / NODES).map(|_| query(worker)).collect::<Result<Vec<_>, _>>()?;
            for session in &mut sessions {
                worker.commit(session)?;
            }
            let mut record = 0;
            group.bench_function(format!("in a region of {nodes}"), |b| {
                b.iter(|| {
                    record += 1;
                    sessions[0].insert(record % 100);
                    worker.commit(&mut sessions[0]).expect("nothing overflows")
                });
            });
            Ok::<_, Error>(())
        })
        .expect("nothing overflows");
    }
    group.finish();
}

fn building(c: &mut Criterion) {
    let many = if workload::sizes().iter().any(|&records| records >= 100_000) { 10_000 } else { 1_000 };
    c.bench_function(&format!("build {many} nodes, ten at a time"), |b| {
        b.iter(|| {
            run_alone(Config::default(), |worker| {
                (0..many / NODES).map(|_| query(worker)).collect::<Result<Vec<_>, _>>().expect("no cycles").len()
            })
        });
    });
}

criterion_group!(benches, beside_others, building);
