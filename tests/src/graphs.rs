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
