//! Plain answers about graphs, by going round until nothing changes.
//!
//! An edge is there if its count is positive. Everything is a set or a map of the standard library; nothing is fast.

use std::collections::{BTreeMap, BTreeSet};

use crate::bags::{Bag, Pair};

fn present(edges: &Bag<Pair>) -> Vec<Pair> {
    edges.iter().filter(|(_, count)| **count > 0).map(|(edge, _)| *edge).collect()
}

fn nodes(edges: &Bag<Pair>) -> BTreeSet<u32> {
    present(edges).into_iter().flat_map(|(source, target)| [source, target]).collect()
}

/// The nodes reached from `roots`, each with its least number of hops.
pub fn bfs(edges: &Bag<Pair>, roots: &BTreeSet<u32>) -> BTreeMap<u32, u32> {
    let mut hops: BTreeMap<u32, u32> = roots.iter().map(|root| (*root, 0)).collect();
    for distance in 0.. {
        let last: Vec<u32> = hops.iter().filter(|(_, hops)| **hops == distance).map(|(node, _)| *node).collect();
        if last.is_empty() {
            return hops;
        }
        for (source, target) in present(edges) {
            if last.contains(&source) {
                hops.entry(target).or_insert(distance + 1);
            }
        }
    }
    unreachable!("some distance has no nodes")
}

/// The nodes reached from `roots`, the roots included.
pub fn reach(edges: &Bag<Pair>, roots: &BTreeSet<u32>) -> BTreeSet<u32> {
    bfs(edges, roots).into_keys().collect()
}

/// Each end of an edge, with the least node connected to it.
pub fn components(edges: &Bag<Pair>) -> BTreeMap<u32, u32> {
    let both_ways =
        edges.iter().filter(|(_, count)| **count > 0).flat_map(|((a, b), _)| [((*a, *b), 1), ((*b, *a), 1)]);
    let both_ways: Bag<Pair> = both_ways.collect();
    let least = |node| reach(&both_ways, &BTreeSet::from([node])).into_iter().next().expect("a node reaches itself");
    nodes(edges).into_iter().map(|node| (node, least(node))).collect()
}

/// Each end of an edge, with the least node that reaches it and that it reaches.
pub fn strong_components(edges: &Bag<Pair>) -> BTreeMap<u32, u32> {
    let reached: BTreeMap<u32, BTreeSet<u32>> =
        nodes(edges).into_iter().map(|node| (node, reach(edges, &BTreeSet::from([node])))).collect();
    let least =
        |node: &u32| reached[node].iter().find(|other| reached[other].contains(node)).expect("itself, if no other");
    reached.keys().map(|node| (*node, *least(node))).collect()
}

/// The edges whose two ends are in one strongly connected component.
pub fn strong_edges(edges: &Bag<Pair>) -> BTreeSet<Pair> {
    let components = strong_components(edges);
    present(edges).into_iter().filter(|(source, target)| components[source] == components[target]).collect()
}

/// The nodes reached from `roots`, each with the least sum of `weight` of the edges of a path.
pub fn shortest_paths(edges: &Bag<Pair>, roots: &BTreeSet<u32>, weight: fn(Pair) -> u32) -> BTreeMap<u32, u64> {
    let mut sums: BTreeMap<u32, u64> = roots.iter().map(|root| (*root, 0)).collect();
    loop {
        let before = sums.clone();
        for edge in present(edges) {
            if let Some(sum) = sums.get(&edge.0).map(|sum| sum + u64::from(weight(edge))) {
                sums.entry(edge.1).and_modify(|least| *least = sum.min(*least)).or_insert(sum);
            }
        }
        if sums == before {
            return sums;
        }
    }
}

/// Each root, or each source of an edge, with every node that a path from it leads to; of roots the path may be empty.
pub fn paths(edges: &Bag<Pair>, roots: Option<&BTreeSet<u32>>) -> BTreeSet<Pair> {
    let from = |starts: BTreeSet<u32>| reach(edges, &starts);
    let targets = |source: u32| present(edges).into_iter().filter(move |edge| edge.0 == source).map(|edge| edge.1);
    match roots {
        Some(roots) => {
            roots.iter().flat_map(|root| from([*root].into()).into_iter().map(|node| (*root, node))).collect()
        }
        None => {
            let all = nodes(edges).into_iter();
            all.flat_map(|source| from(targets(source).collect()).into_iter().map(move |node| (source, node))).collect()
        }
    }
}

/// Pairs of different children of one node, and of children of two that are such a pair.
pub fn same_generation(edges: &Bag<Pair>) -> BTreeSet<Pair> {
    let mut same = BTreeSet::new();
    loop {
        let before = same.len();
        for (parent, one) in present(edges) {
            for (other_parent, other) in present(edges) {
                if one != other && parent == other_parent || same.contains(&(parent, other_parent)) {
                    same.insert((one, other));
                }
            }
        }
        if same.len() == before {
            return same;
        }
    }
}

/// The neighbours of each node that has one: ends of edges in either direction, but for the node itself.
fn neighbours(edges: &Bag<Pair>) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut neighbours: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (source, target) in present(edges).into_iter().filter(|(source, target)| source != target) {
        neighbours.entry(source).or_default().insert(target);
        neighbours.entry(target).or_default().insert(source);
    }
    neighbours
}

/// The nodes of the core of nodes with at least `k` neighbours.
pub fn k_core(edges: &Bag<Pair>, k: usize) -> BTreeSet<u32> {
    let mut left = neighbours(edges);
    while let Some(node) = left.iter().find(|(_, others)| others.len() < k).map(|(node, _)| *node) {
        left.remove(&node);
        left.values_mut().for_each(|others| _ = others.remove(&node));
    }
    left.into_keys().collect()
}

/// Each node that is on no cycle and behind none, with the length of the longest path to it.
pub fn levels(edges: &Bag<Pair>) -> BTreeMap<u32, u32> {
    let mut levels: BTreeMap<u32, u32> = BTreeMap::new();
    loop {
        let known = levels.len();
        for node in nodes(edges).into_iter().filter(|node| !levels.contains_key(node)).collect::<Vec<_>>() {
            let before = present(edges).into_iter().filter(|(_, target)| *target == node);
            if let Some(before) = before.map(|(source, _)| levels.get(&source).copied()).collect::<Option<Vec<_>>>() {
                levels.insert(node, before.into_iter().max().map_or(0, |greatest| greatest + 1));
            }
        }
        if levels.len() == known {
            return levels;
        }
    }
}

/// The nodes taken in ascending order that are no neighbour of one taken before.
pub fn independent_set(edges: &Bag<Pair>) -> BTreeSet<u32> {
    let mut taken = BTreeSet::new();
    for (node, others) in neighbours(edges) {
        if others.is_disjoint(&taken) {
            taken.insert(node);
        }
    }
    taken
}

/// Three nodes, in ascending order, of which any two are neighbours.
pub fn triangles(edges: &Bag<Pair>) -> BTreeSet<(u32, u32, u32)> {
    let neighbours = neighbours(edges);
    let mut found = BTreeSet::new();
    for (a, of_a) in &neighbours {
        for b in of_a.range(a + 1..) {
            found.extend(neighbours[b].range(b + 1..).filter(|c| of_a.contains(c)).map(|c| (*a, *b, *c)));
        }
    }
    found
}

/// Each node with its label after some rounds of taking the one that most neighbours have, of several the least.
pub fn communities(edges: &Bag<Pair>, rounds: u32) -> BTreeMap<u32, u32> {
    let mut labels: BTreeMap<u32, u32> = nodes(edges).into_iter().map(|node| (node, node)).collect();
    for _ in 0..rounds {
        let mut heard: BTreeMap<u32, BTreeMap<u32, i64>> = BTreeMap::new();
        for ((source, target), count) in edges.iter().filter(|(_, count)| **count > 0) {
            *heard.entry(*source).or_default().entry(labels[target]).or_default() += count;
            *heard.entry(*target).or_default().entry(labels[source]).or_default() += count;
        }
        let most = |counts: &BTreeMap<u32, i64>| *counts.iter().rev().max_by_key(|(_, count)| **count).expect("one").0;
        labels = heard.iter().map(|(node, counts)| (*node, most(counts))).collect();
    }
    labels
}

/// Each node with its rank, where an average one is `one`, in whole numbers rounded down at each step.
pub fn pagerank(edges: &Bag<Pair>, rounds: u64, percent: i64, one: i64, spread: bool) -> BTreeMap<u32, i64> {
    let nodes = nodes(edges);
    let from = |node: u32| edges.iter().filter(move |(edge, _)| edge.0 == node).map(|(_, count)| *count).sum::<i64>();
    let mut ranks: BTreeMap<u32, i64> = nodes.iter().map(|node| (*node, one)).collect();
    for _ in 0..rounds {
        let mut next: BTreeMap<u32, i64> = nodes.iter().map(|node| (*node, one - one * percent / 100)).collect();
        for ((source, target), count) in edges {
            *next.get_mut(target).expect("a node") += count * (ranks[source] * percent / (100 * from(*source)));
        }
        let stranded: i64 = nodes.iter().filter(|node| from(**node) == 0).map(|node| ranks[node]).sum();
        if spread {
            next.values_mut().for_each(|rank| *rank += stranded * percent / (100 * nodes.len() as i64));
        }
        ranks = next;
    }
    ranks
}
