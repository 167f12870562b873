//! Which things depend on which: cycles, and an order in which to look at them.
//!
//! Tarjan's algorithm with a stack of its own, so that a chain of a million definitions is no deep recursion. Linear in
//! edges.

use std::collections::{HashMap, VecDeque};

/// Groups of nodes that reach each other, a group after all that it has edges to. `edges[n]` lists where node `n` goes.
pub(super) fn groups(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut found = Vec::new();
    // When a node was first seen, and the earliest node still open that it is known to reach.
    let mut seen = vec![UNSEEN; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut is_open = vec![false; edges.len()];
    let mut open = Vec::new();
    let mut clock = 0;
    for root in 0..edges.len() {
        if seen[root] != UNSEEN {
            continue;
        }
        // Nodes under way, each with the number of its edges that were followed.
        let mut path = vec![(root, 0)];
        while let Some((node, followed)) = path.last_mut() {
            let node = *node;
            if *followed == 0 {
                seen[node] = clock;
                low[node] = clock;
                clock += 1;
                open.push(node);
                is_open[node] = true;
            }
            if let Some(&next) = edges[node].get(*followed) {
                *followed += 1;
                if seen[next] == UNSEEN {
                    path.push((next, 0));
                } else if is_open[next] {
                    low[node] = low[node].min(seen[next]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == seen[node] {
                let from = open.iter().rposition(|other| *other == node).expect("an open node");
                let group = open.split_off(from);
                group.iter().for_each(|member| is_open[*member] = false);
                found.push(group);
            }
        }
    }
    found
}

/// The shortest way from `from` to `to` along edges within `allowed`, both ends included; of a node to itself, a cycle.
pub(super) fn way(edges: &[Vec<usize>], from: usize, to: usize, allowed: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    // Only what is looked at has an entry: the way is short, or the group small, where there are many nodes.
    let mut before: HashMap<usize, usize> = HashMap::new();
    let mut waiting = VecDeque::from([from]);
    while let Some(node) = waiting.pop_front() {
        for &next in &edges[node] {
            if next == to {
                let mut way = vec![to, node];
                while way[way.len() - 1] != from {
                    way.push(before[&way[way.len() - 1]]);
                }
                way.reverse();
                return Some(way);
            }
            if allowed(next) && next != from && !before.contains_key(&next) {
                before.insert(next, node);
                waiting.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{groups, way};

    /// All graphs of four nodes, against reachability by trying again until nothing changes.
    #[test]
    fn groups_are_what_reaches_each_other_in_order() {
        let pairs = || (0..4).flat_map(|from| (0..4).map(move |to| (from, to)));
        for graph in 0..1_u32 << 16 {
            let edge = |from: usize, to: usize| graph >> (4 * from + to) & 1 == 1;
            let edges: Vec<Vec<usize>> = (0..4).map(|from| (0..4).filter(|to| edge(from, *to)).collect()).collect();
            let mut reach = [[false; 4]; 4];
            for (from, to) in pairs().chain(pairs()).chain(pairs()) {
                reach[from][to] |=
                    from == to || edge(from, to) || (0..4).any(|between| reach[from][between] && reach[between][to]);
            }
            let groups = groups(&edges);
            let of = |node| groups.iter().position(|group| group.contains(&node)).unwrap();
            for (from, to) in pairs() {
                assert_eq!(of(from) == of(to), reach[from][to] && reach[to][from], "{edges:?} {groups:?}");
                assert!(!reach[from][to] || of(to) <= of(from), "{edges:?} {groups:?}");
            }
        }
    }

    #[test]
    fn a_way_is_shortest_and_a_cycle_comes_back() {
        let edges = [vec![1, 2], vec![3], vec![3], vec![0]];
        assert_eq!(way(&edges, 0, 3, |_| true), Some(vec![0, 1, 3]));
        assert_eq!(way(&edges, 0, 3, |node| node != 1), Some(vec![0, 2, 3]));
        assert_eq!(way(&edges, 3, 3, |_| true), Some(vec![3, 0, 1, 3]));
        assert_eq!(way(&edges, 1, 2, |node| node != 0), None);
    }
}
