//! What does it cost to keep reachability up to date when an edge comes or goes?
//!
//! The yardstick is to search the whole graph again.

use benches::workload::{self, Random, SEED};
use criterion::{Criterion, criterion_group};
use differential::algorithms::reach;
use differential::{Config, Error, run_alone};

/// The nodes that node 0 reaches, itself included.
fn searched(targets: &[Vec<u32>]) -> usize {
    let mut seen = vec![false; targets.len()];
    let mut waiting = vec![0u32];
    seen[0] = true;
    let mut count = 0;
    while let Some(node) = waiting.pop() {
        count += 1;
        for &target in &targets[node as usize] {
            if !std::mem::replace(&mut seen[target as usize], true) {
                waiting.push(target);
            }
        }
    }
    count
}

fn reachable(c: &mut Criterion) {
    for records in workload::sizes() {
        let edges = workload::edges(records, SEED);
        let mut group = c.benchmark_group(format!("reach, an edge out and in again/{records}"));
        run_alone(Config::default(), |worker| {
            let (mut session, mut reached) = worker.dataflow(|scope| {
                let (session, edges) = scope.input::<(u32, u32)>("edges");
                let (mut root, roots) = scope.input::<u32>("roots");
                root.insert(0);
                (session, reach(&edges, &roots).output())
            })?;
            edges.iter().for_each(|&edge| session.insert(edge));
            worker.commit(&mut session)?;
            let mut targets = vec![Vec::new(); records / 4];
            edges.iter().for_each(|&(source, target)| targets[source as usize].push(target));
            assert_eq!(reached.changes().len(), searched(&targets));
            let mut random = Random::new(SEED + 1);
            group.bench_function("reach", |b| {
                b.iter(|| {
                    let edge = edges[random.below(edges.len() as u64) as usize];
                    session.remove(edge);
                    worker.commit(&mut session).expect("nothing overflows");
                    session.insert(edge);
                    worker.commit(&mut session).expect("nothing overflows")
                });
            });
            group.bench_function("search twice", |b| b.iter(|| searched(&targets) + searched(&targets)));
            Ok::<_, Error>(())
        })
        .expect("nothing overflows");
    }
}

criterion_group!(benches, reachable);
