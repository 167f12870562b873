//! Two programs that a newcomer writes from the documentation alone, held against a few plain lines at every epoch.
//!
//! Strings that come, go and are corrected, through a join, a sum, a greatest and an absence; and shortest paths by
//! weight, with parallel edges and edges that weigh nothing, so that a deletion may leave a cycle that supports itself.

use std::collections::BTreeMap;

use tests::Random;

use differential::prelude::*;

/// A pair is there as often as it was put in and not taken out.
type Counts<D> = BTreeMap<D, i64>;

/// Puts a record in or, if it is there, perhaps takes it out; says which.
fn change<D: Ord + Clone>(random: &mut Random, counts: &mut Counts<D>, record: &D) -> i64 {
    let count = counts.entry(record.clone()).or_default();
    let diff = if *count > 0 && random.below(2) == 0 { -1 } else { 1 };
    *count += diff;
    counts.retain(|_, count| *count != 0);
    diff
}

fn once<D>(records: impl IntoIterator<Item = D>) -> Vec<(D, i64)> {
    records.into_iter().map(|record| (record, 1)).collect()
}

#[test]
fn orders_of_customers() {
    let towns = ["Ghent", "", "Zürich", "a town with a name of more than eight bytes"];
    let outcome = run_alone(Config::default(), |worker| {
        let (mut customers, mut orders, lines, totals, dearest, idle) = worker.dataflow(|scope| {
            let (customer_session, customers) = scope.input::<(String, String)>("customers");
            let (order_session, orders) = scope.input::<(String, (String, i64))>("orders");
            let lines = orders.join_map(&customers, |customer, (article, price), town| {
                (customer.to_string(), (town.to_string(), article.to_string(), price))
            });
            let prices = lines.map(|(_, (town, article, price))| (town.to_string(), (price, article.to_string())));
            let totals = prices.reduce("totals", |_town, prices, made| {
                made.push((prices.iter().map(|((price, _), count)| price * count).sum::<i64>(), 1i64));
            });
            let idle = customers.antijoin(&orders.map(|(customer, _)| customer.to_string()));
            let outputs = (lines.output(), totals.output(), prices.max().output(), idle.output());
            (customer_session, order_session, outputs.0, outputs.1, outputs.2, outputs.3)
        })?;
        let mut random = Random::new(7);
        let mut living = Counts::<(String, String)>::new();
        let mut ordered = Counts::<(String, (String, i64))>::new();
        for epoch in 0..200 {
            for _ in 0..random.below(4) {
                let record = (format!("c{}", random.below(4)), random.pick(&towns).to_string());
                let diff = change(&mut random, &mut living, &record);
                customers.update(record, diff);
            }
            for _ in 0..random.below(4) {
                let article = (format!("article {}", random.below(3)), random.below(5) as i64);
                let record = (format!("c{}", random.below(4)), article);
                let diff = change(&mut random, &mut ordered, &record);
                orders.update(record, diff);
            }
            assert_eq!(worker.commit((&mut customers, &mut orders))?, epoch);

            let (mut wanted_lines, mut sums, mut greatest) = (Counts::new(), Counts::new(), BTreeMap::new());
            for ((customer, town), copies) in &living {
                for ((by, (article, price)), times) in ordered.iter().filter(|((by, _), _)| by == customer) {
                    *wanted_lines.entry((by.clone(), (town.clone(), article.clone(), *price))).or_default() +=
                        copies * times;
                    *sums.entry(town.clone()).or_default() += price * copies * times;
                    let seen = greatest.entry(town.clone()).or_insert((*price, article.clone()));
                    *seen = seen.clone().max((*price, article.clone()));
                }
            }
            let mut without = living.clone();
            without.retain(|(customer, _), _| !ordered.keys().any(|(by, _)| by == customer));
            assert_eq!(lines.snapshot(epoch)?, Vec::from_iter(wanted_lines), "lines at {epoch}");
            assert_eq!(totals.snapshot(epoch)?, once(sums), "totals at {epoch}");
            assert_eq!(dearest.snapshot(epoch)?, once(greatest), "dearest at {epoch}");
            assert_eq!(idle.snapshot(epoch)?, Vec::from_iter(without), "idle at {epoch}");
        }
        Ok::<_, Error>(())
    });
    assert_eq!(outcome, Ok(()));
}

/// The least weight of a path from a root to each node: rounds of Bellman and Ford until nothing changes.
fn distances(edges: &Counts<(u32, (u32, u64))>, roots: &Counts<u32>) -> BTreeMap<u32, u64> {
    let mut least: BTreeMap<u32, u64> = roots.keys().map(|root| (*root, 0)).collect();
    loop {
        let before = least.clone();
        for (source, (target, weight)) in edges.keys() {
            if let Some(so_far) = least.get(source).copied() {
                let known = least.entry(*target).or_insert(u64::MAX);
                *known = (*known).min(so_far + weight);
            }
        }
        if least == before {
            return least;
        }
    }
}

#[test]
fn shortest_paths_by_weight() {
    for seed in 0..20 {
        let outcome = run_alone(Config::default(), |worker| {
            let (mut edges, mut roots, paths) = worker.dataflow(|scope| {
                let (edge_session, edges) = scope.input::<(u32, (u32, u64))>("edges");
                let (root_session, roots) = scope.input::<u32>("roots");
                let by_source = edges.arrange_by_key("edges by source");
                let start = roots.map(|root| (root, 0u64));
                let paths = start.iterate(|paths| {
                    let longer = paths.join_map(&by_source, |_, so_far, (target, weight)| (target, so_far + weight));
                    longer.concat(&start).min()
                });
                (edge_session, root_session, paths.output())
            })?;
            let mut random = Random::new(seed);
            let nodes = 2 + random.below(10);
            let (mut all_edges, mut all_roots) = (Counts::new(), Counts::new());
            for epoch in 0..40 {
                for _ in 0..random.below(6) {
                    let ends = (random.below(nodes) as u32, random.below(nodes) as u32);
                    let mut edge = (ends.0, (ends.1, random.below(4)));
                    // Rather one that is there than any, so that many go.
                    if random.below(2) == 0 && !all_edges.is_empty() {
                        edge = *random.pick(&Vec::from_iter(all_edges.keys().copied()));
                    }
                    edges.update(edge, change(&mut random, &mut all_edges, &edge));
                }
                if random.below(4) == 0 {
                    let root = random.below(nodes) as u32;
                    roots.update(root, change(&mut random, &mut all_roots, &root));
                }
                worker.commit((&mut edges, &mut roots))?;
                let wanted = once(distances(&all_edges, &all_roots));
                assert_eq!(paths.snapshot(epoch)?, wanted, "seed {seed}, epoch {epoch}");
            }
            Ok::<_, Error>(())
        });
        assert_eq!(outcome, Ok(()), "seed {seed}");
    }
}
