//! The oracle: keeps the edges in a map, and recomputes every answer from nothing when it is read.
//!
//! Breadth-first search for what is reached, union-find for weak components, Tarjan's algorithm (with its own stack)
//! for strong ones. No code in common with the engine.

use interactive::graph::answers::{Answer, Answers, Components, Questions};
use interactive::graph::errors::AnswersError;
use interactive::graph::rows::Edge;
use std::collections::BTreeMap;

pub(crate) struct Plain {
    questions: Questions,
    open: BTreeMap<Edge, i64>,
    copies: BTreeMap<Edge, i64>,
}

impl Plain {
    pub(crate) fn new(questions: &Questions) -> Plain {
        Plain { questions: questions.clone(), open: BTreeMap::new(), copies: BTreeMap::new() }
    }
}

impl Answers for Plain {
    fn change(&mut self, edge: Edge, diff: i64) -> Result<(), AnswersError> {
        *self.open.entry(edge).or_default() += diff;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), AnswersError> {
        for (edge, diff) in std::mem::take(&mut self.open) {
            *self.copies.entry(edge).or_default() += diff;
        }
        self.copies.retain(|_, copies| *copies != 0);
        assert!(self.copies.values().all(|&copies| copies > 0), "a row left that had not come");
        Ok(())
    }

    fn read(&mut self) -> Result<Answer, AnswersError> {
        let edges: Vec<Edge> = self.copies.keys().copied().collect();
        let mut nodes: Vec<u64> = edges.iter().flat_map(|&(source, target)| [source, target]).collect();
        nodes.sort();
        nodes.dedup();
        let rank = |node: u64| nodes.binary_search(&node);
        let mut out = vec![Vec::new(); nodes.len()];
        for &(source, target) in &edges {
            out[rank(source).unwrap()].push(rank(target).unwrap());
        }
        let reached = |&root: &u64| (root, rank(root).map_or(0, |root| reached(&out, root)));
        Ok(Answer {
            nodes: nodes.len() as u64,
            distinct_directed_edges: edges.len() as u64,
            reached: self.questions.roots.iter().map(reached).collect(),
            weak: self.questions.components.then(|| sizes(&weak(&out))),
            strong: self.questions.scc.then(|| sizes(&strong(&out))),
        })
    }
}

/// How many nodes are reached from `root`, itself included.
fn reached(out: &[Vec<usize>], root: usize) -> u64 {
    let (mut seen, mut list) = (vec![false; out.len()], vec![root]);
    seen[root] = true;
    let mut at = 0;
    while at < list.len() {
        for &target in &out[list[at]] {
            if !std::mem::replace(&mut seen[target], true) {
                list.push(target);
            }
        }
        at += 1;
    }
    list.len() as u64
}

/// A name for each node's weak component.
fn weak(out: &[Vec<usize>]) -> Vec<usize> {
    fn find(parents: &mut [usize], mut node: usize) -> usize {
        while parents[node] != node {
            parents[node] = parents[parents[node]];
            node = parents[node];
        }
        node
    }
    let mut parents: Vec<usize> = (0..out.len()).collect();
    for (source, targets) in out.iter().enumerate() {
        for &target in targets {
            let (source, target) = (find(&mut parents, source), find(&mut parents, target));
            parents[source] = target;
        }
    }
    (0..out.len()).map(|node| find(&mut parents, node)).collect()
}

/// A name for each node's strong component.
fn strong(out: &[Vec<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let (mut names, mut numbers, mut lows) = (vec![UNSEEN; out.len()], vec![UNSEEN; out.len()], vec![0; out.len()]);
    let (mut pending, mut count) = (Vec::new(), 0);
    for root in 0..out.len() {
        let mut path = if numbers[root] == UNSEEN { vec![(root, 0)] } else { vec![] };
        while let Some((node, next)) = path.pop() {
            if next == 0 {
                (numbers[node], lows[node]) = (count, count);
                count += 1;
                pending.push(node);
            } else {
                // Back from the child before this one, or past an edge to a node seen earlier.
                let child = out[node][next - 1];
                if names[child] == UNSEEN {
                    lows[node] = lows[node].min(lows[child]);
                }
            }
            if let Some(&child) = out[node].get(next) {
                path.push((node, next + 1));
                if numbers[child] == UNSEEN {
                    path.push((child, 0));
                }
            } else if lows[node] == numbers[node] {
                while let Some(member) = pending.pop() {
                    names[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    names
}

fn sizes(names: &[usize]) -> Components {
    let mut sizes = BTreeMap::<usize, u64>::new();
    names.iter().for_each(|&name| *sizes.entry(name).or_default() += 1);
    Components { count: sizes.len() as u64, largest: sizes.into_values().max().unwrap_or(0) }
}
