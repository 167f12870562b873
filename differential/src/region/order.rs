//! The order of visits, the nest of loops, and which cycles are refused: one recursion on plain data.
//!
//! ```text
//!     a -> [ D -> b -> [ d -> c -> c' ] -> l ] -> e      D: a delay of the outer loop, d: of the inner, l: leave
//!            ^           ^---------'      |
//!            '----------------------------'
//!
//!     positions  a  D b d c c' l  e
//!     loops         [-----------]           range, and how many of its delays stand at its head
//!                       [----]
//! ```
//!
//! Strongly connected components come in topological order. A component with more than one node is a loop, broken up
//! further: take away the edges into its delays, find components again, recurse. So each loop is a contiguous range
//! with its inner loops inside, its own delays first, and within it only edges into those delays go backwards.
//!
//! *Its* delays are those that still delay when seen from the loop's shallowest node, at depth `d`: they add at a
//! coordinate before `d`. If no such edge is left to take away, going round does not advance the time that the
//! shallowest node sees: the cycle is refused. (An inner delay, leave, and enter again is such a cycle.)
//!
//! Invariants: an edge that is not into a delay of a loop around both ends goes forward. Loops are listed outermost
//! first, and in order. Among components that could come next, the one built first does.
//! Cost: a pass over nodes and edges for each level of nesting. Tarjan's algorithm with a stack of its own, since a
//! chain of a hundred thousand nodes must not overflow ours.
//!
//! Why not one flat range a component: every round of an inner loop would then settle all frontiers of the outer one.
//! Tested in `order_laws.rs` against the definition: every simple cycle of a small random graph.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

/// A node as the order sees it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// How many coordinates its output's times have at most.
    pub(super) depth: usize,
    /// The coordinate at which it delays, if it does.
    pub(super) delays_at: Option<usize>,
    /// The nodes that it reads.
    pub(super) inputs: Vec<usize>,
}

impl Place {
    /// Whether edges into this node are taken away inside a loop whose shallowest node is `cut` deep.
    fn is_cut(&self, cut: usize) -> bool {
        self.delays_at.is_some_and(|coordinate| coordinate < cut)
    }
}

/// A loop of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nest {
    /// The positions of its nodes, inner loops included.
    pub(super) range: Range<usize>,
    /// How many of them, at the head, are its own delays.
    pub(super) delays: usize,
    /// The loop around it, as an index into the order's loops.
    pub(super) parent: Option<usize>,
}

/// In which order nodes are visited, and which ranges of it are loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// By position, the node.
    pub(super) placed: Vec<usize>,
    pub(super) loops: Vec<Nest>,
}

/// Orders `places`, or answers with the nodes of a cycle that does not advance time, in the direction of its edges.
pub(super) fn order(places: &[Place]) -> Result<Order, Vec<usize>> {
    let mut sorter = Sorter { places, local: vec![OUTSIDE; places.len()], order: Order::default() };
    sorter.sort(&(0..places.len()).collect::<Vec<_>>(), 0, None)?;
    Ok(sorter.order)
}

/// Not in the set that is being looked at.
const OUTSIDE: usize = usize::MAX;

struct Sorter<'a> {
    places: &'a [Place],
    /// By node, its index in the set that is being looked at.
    local: Vec<usize>,
    order: Order,
}

impl Sorter<'_> {
    fn sort(&mut self, set: &[usize], cut: usize, parent: Option<usize>) -> Result<(), Vec<usize>> {
        for component in self.components(set, cut) {
            let [first, ..] = component[..] else { unreachable!("a component has nodes") };
            if component.len() == 1 && (self.places[first].is_cut(cut) || !self.places[first].inputs.contains(&first)) {
                self.order.placed.push(first);
                continue;
            }
            let depth = component.iter().map(|&node| self.places[node].depth).min().unwrap_or(0);
            if depth <= cut {
                return Err(self.cycle(&component, cut, depth));
            }
            let index = self.order.loops.len();
            let start = self.order.placed.len();
            let delays = component.iter().filter(|&&node| self.places[node].is_cut(depth)).count();
            self.order.loops.push(Nest { range: start..start + component.len(), delays, parent });
            self.sort(&component, depth, Some(index))?;
        }
        Ok(())
    }

    /// The strongly connected components of `set` without the edges that `cut` takes away, in topological order. Among
    /// those that may come next, cut delays come first, and then the one with the node that was built first.
    fn components(&mut self, set: &[usize], cut: usize) -> Vec<Vec<usize>> {
        let readers = self.readers(set, cut);
        let component_of = strong_components(&readers);
        let count = component_of.iter().max().map_or(0, |last| last + 1);

        let mut components = vec![Vec::new(); count];
        for (local, &node) in set.iter().enumerate() {
            components[component_of[local]].push(node);
        }
        let mut unmet = vec![0_usize; count];
        let between = |from: usize, to: &usize| component_of[from] != component_of[*to];
        for (from, to) in readers.iter().enumerate() {
            to.iter().filter(|to| between(from, to)).for_each(|&to| unmet[component_of[to]] += 1);
        }

        let rank = |index: usize| {
            let first = components[index][0];
            Reverse((!self.places[first].is_cut(cut), first, index))
        };
        let mut ready: BinaryHeap<_> = (0..count).filter(|&index| unmet[index] == 0).map(rank).collect();
        let mut sorted = Vec::with_capacity(count);
        while let Some(Reverse((_, _, index))) = ready.pop() {
            for &node in &components[index] {
                let from = self.local[node];
                for &to in readers[from].iter().filter(|to| between(from, to)) {
                    unmet[component_of[to]] -= 1;
                    if unmet[component_of[to]] == 0 {
                        ready.push(rank(component_of[to]));
                    }
                }
            }
            sorted.push(index);
        }
        assert_eq!(sorted.len(), count, "components must have a topological order");
        set.iter().for_each(|&node| self.local[node] = OUTSIDE);
        sorted.into_iter().map(|index| std::mem::take(&mut components[index])).collect()
    }

    /// The edges inside `set` that `cut` leaves, by local index: for each node its readers. Fills `local`.
    fn readers(&mut self, set: &[usize], cut: usize) -> Vec<Vec<usize>> {
        for (local, &node) in set.iter().enumerate() {
            self.local[node] = local;
        }
        let mut readers = vec![Vec::new(); set.len()];
        for &node in set.iter().filter(|&&node| !self.places[node].is_cut(cut)) {
            for &input in self.places[node].inputs.iter().filter(|&&input| self.local[input] != OUTSIDE) {
                readers[self.local[input]].push(self.local[node]);
            }
        }
        readers
    }

    /// A shortest cycle of `component` through its first node at `depth`.
    fn cycle(&mut self, component: &[usize], cut: usize, depth: usize) -> Vec<usize> {
        let readers = self.readers(component, cut);
        let start = component.iter().position(|&node| self.places[node].depth == depth).unwrap_or(0);
        let mut reached_from = vec![OUTSIDE; component.len()];
        let mut todo = VecDeque::from([start]);
        while let Some(from) = todo.pop_front()
            && reached_from[start] == OUTSIDE
        {
            for &to in &readers[from] {
                if reached_from[to] == OUTSIDE {
                    reached_from[to] = from;
                    todo.push_back(to);
                }
            }
        }
        let backwards = std::iter::successors(Some(start), |&at| Some(reached_from[at]).filter(|&from| from != start));
        let mut nodes: Vec<usize> = backwards.map(|local| component[local]).collect();
        // From the start's predecessor back to its first reader, with the start in front: turn round all but the start.
        nodes[1..].reverse();
        nodes
    }
}

/// The strongly connected component of each node, given its readers: Tarjan's algorithm without recursion.
fn strong_components(readers: &[Vec<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let mut number = vec![UNSEEN; readers.len()];
    // The least number reached; once the component is known, numbers past all others, so that nobody lowers to them.
    let mut low = vec![UNSEEN; readers.len()];
    let mut component_of = vec![0; readers.len()];
    let (mut seen, mut components) = (0, 0);
    let (mut open, mut calls) = (Vec::new(), Vec::new());
    for root in 0..readers.len() {
        if number[root] == UNSEEN {
            calls.push((root, 0));
        }
        while let Some((node, next)) = calls.pop() {
            if next == 0 {
                number[node] = seen;
                low[node] = seen;
                seen += 1;
                open.push(node);
            } else {
                low[node] = low[node].min(low[readers[node][next - 1]]);
            }
            match readers[node].get(next) {
                Some(&reader) => {
                    calls.push((node, next + 1));
                    if number[reader] == UNSEEN {
                        calls.push((reader, 0));
                    }
                }
                None if low[node] == number[node] => {
                    while let Some(member) = open.pop() {
                        low[member] = UNSEEN;
                        component_of[member] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
                None => {}
            }
        }
    }
    component_of
}
