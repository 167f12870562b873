//! The order against its definition: every simple cycle of small random graphs, looked at one by one.

use super::order::{Nest, Place, order};
use super::small_world::{Programs, places};
use crate::time::small_world::Random;

/// A graph whose nodes read what is as deep or less deep, except those that leave loops.
fn graph(random: &mut Random) -> Vec<Place> {
    let nodes = 1 + random.below(8);
    let deepest = 1 + random.below(4);
    let mut places: Vec<Place> = Vec::new();
    for _ in 0..nodes {
        let depth = 1 + random.below(deepest);
        let delays_at = (random.below(3) == 0).then(|| random.below(depth));
        places.push(Place { depth, delays_at, inputs: Vec::new() });
    }
    for _ in 0..random.below(2 * nodes + 1) {
        let (from, to) = (random.below(nodes), random.below(nodes));
        let leaves = places[to].delays_at.is_none() && random.below(2) == 0;
        if places[from].depth <= places[to].depth || leaves {
            places[to].inputs.push(from);
        }
    }
    places
}

/// Every simple cycle, in the direction of the edges, from its node of least number.
fn simple_cycles(places: &[Place]) -> Vec<Vec<usize>> {
    fn extend(places: &[Place], path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        let last = path[path.len() - 1];
        for to in (path[0]..places.len()).filter(|&to| places[to].inputs.contains(&last)) {
            if to == path[0] {
                found.push(path.clone());
            } else if !path.contains(&to) {
                path.push(to);
                extend(places, path, found);
                path.pop();
            }
        }
    }
    let mut found = Vec::new();
    for start in 0..places.len() {
        extend(places, &mut vec![start], &mut found);
    }
    found
}

/// Whether going round advances the coordinates that are left at the cycle's shallowest node.
fn advances(places: &[Place], cycle: &[usize]) -> bool {
    let depth = cycle.iter().map(|&node| places[node].depth).min().expect("a cycle has nodes");
    cycle.iter().any(|&node| places[node].delays_at.is_some_and(|coordinate| coordinate < depth))
}

/// Whether a cycle goes through all of an edge list's nodes, one after the other and back.
fn is_cycle(places: &[Place], nodes: &[usize]) -> bool {
    let mut followers = nodes.iter().cycle().skip(1);
    nodes.iter().all(|from| places[*followers.next().expect("a cycle goes on")].inputs.contains(from))
}

fn loops_around(loops: &[Nest], position: usize) -> Vec<usize> {
    (0..loops.len()).filter(|&index| loops[index].range.contains(&position)).collect()
}

fn check(places: &[Place], context: &str) -> bool {
    let cycles = simple_cycles(places);
    let legal = cycles.iter().all(|cycle| advances(places, cycle));
    let found = match order(places) {
        Err(cycle) => {
            assert!(!legal, "refused, but every cycle advances: {context}");
            assert!(is_cycle(places, &cycle), "{cycle:?} is no cycle: {context}");
            assert!(!advances(places, &cycle), "{cycle:?} advances: {context}");
            return false;
        }
        Ok(found) => found,
    };
    assert!(legal, "accepted, but a cycle does not advance: {context}");

    let mut sorted = found.placed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..places.len()).collect::<Vec<_>>(), "every node has one place: {context}");
    let mut positions = vec![0; places.len()];
    found.placed.iter().enumerate().for_each(|(position, &node)| positions[node] = position);

    for (index, nest) in found.loops.iter().enumerate() {
        let nodes = &found.placed[nest.range.clone()];
        let depth = nodes.iter().map(|&node| places[node].depth).min().expect("a loop has nodes");
        for (offset, &node) in nodes.iter().enumerate() {
            let own = places[node].delays_at.is_some_and(|coordinate| coordinate < depth);
            assert_eq!(own, offset < nest.delays, "a loop's own delays are its head, {node}: {context}");
        }
        assert!(nest.delays > 0, "a loop has a delay: {context}");
        let around: Vec<usize> = loops_around(&found.loops, nest.range.start);
        let outer = around.iter().copied().filter(|&other| other < index).collect::<Vec<_>>();
        assert_eq!(nest.parent, outer.last().copied(), "the last loop before it that contains it: {context}");
        if let Some(parent) = nest.parent {
            let outer = &found.loops[parent].range;
            assert!(outer.start < nest.range.start && nest.range.end <= outer.end, "{outer:?} {nest:?}: {context}");
        } else {
            let mut members = nodes.to_vec();
            members.sort_unstable();
            let together = |&a: &usize| {
                nodes.len() == 1
                    || cycles.iter().any(|cycle| cycle.contains(&a) && cycle.iter().all(|n| nodes.contains(n)))
            };
            assert!(members.iter().all(together), "an outermost loop is made of cycles: {context}");
        }
    }
    for cycle in &cycles {
        let outermost = |&node: &usize| loops_around(&found.loops, positions[node]).first().copied();
        let first = outermost(&cycle[0]);
        assert!(first.is_some() && cycle.iter().all(|node| outermost(node) == first), "{cycle:?}: {context}");
    }
    for (to, place) in places.iter().enumerate() {
        for &from in &place.inputs {
            let backward_is_fine = loops_around(&found.loops, positions[to]).into_iter().any(|index| {
                let Nest { range, delays, .. } = &found.loops[index];
                range.contains(&positions[from]) && positions[to] < range.start + delays
            });
            assert!(
                positions[from] < positions[to] || backward_is_fine,
                "the edge {from} -> {to} goes backwards: {found:?} {context}"
            );
        }
    }
    true
}

#[test]
fn programs_of_nested_loops_are_ordered_or_refused_by_definition() {
    let (mut accepted, mut nested) = (0, 0);
    let programs = 10_000;
    for seed in 0..programs {
        let random = &mut Random::new(seed);
        let mut places = places(&Programs::random(random));
        if places.len() > 14 {
            continue;
        }
        for _ in 0..random.below(3) {
            let (from, to) = (random.below(places.len()), random.below(places.len()));
            if places[from].depth <= places[to].depth {
                places[to].inputs.push(from);
            }
        }
        if check(&places, &format!("seed {seed}, {places:?}")) {
            accepted += 1;
            nested += u32::from(order(&places).is_ok_and(|found| found.loops.iter().any(|l| l.parent.is_some())));
        }
    }
    assert!(accepted > 3_000 && nested > 200, "accepted {accepted}, nested {nested}");
}

#[test]
fn random_graphs_are_ordered_or_refused_by_definition() {
    let graphs = 30_000;
    let ordered = |&seed: &u64| {
        let places = graph(&mut Random::new(seed));
        check(&places, &format!("seed {seed}, {places:?}"))
    };
    let accepted = (0..graphs).filter(ordered).count();
    assert!((10_000..28_000).contains(&accepted), "accepted {accepted}");
}

#[test]
fn what_is_built_in_order_stays_in_order() {
    for seed in 0..1_000 {
        let random = &mut Random::new(seed);
        let mut places = graph(random);
        for (node, place) in places.iter_mut().enumerate() {
            place.inputs.retain(|&input| input < node);
        }
        let placed = order(&places).expect("there is no cycle").placed;
        assert_eq!(placed, (0..places.len()).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn an_inner_delay_does_not_make_an_outer_cycle_advance() {
    let place = |depth, delays_at, inputs: &[usize]| Place { depth, delays_at, inputs: inputs.to_vec() };
    // variable (inner) -> map (inner) -> leave -> variable (inner)
    let through_leave = [place(2, Some(1), &[2]), place(2, None, &[0]), place(1, None, &[1])];
    assert_eq!(order(&through_leave), Err(vec![2, 0, 1]));
    // The same with a delay that adds at the outer coordinate, which survives the leave.
    let outer = [place(2, Some(0), &[2]), place(2, None, &[0]), place(1, None, &[1])];
    assert!(order(&outer).is_ok());
}

#[test]
fn long_chains_and_long_cycles_do_not_overflow_the_stack() {
    let length = 100_000;
    let mut places: Vec<Place> = (0..length)
        .map(|node: usize| Place { depth: 1, delays_at: None, inputs: node.checked_sub(1).into_iter().collect() })
        .collect();
    assert_eq!(order(&places).expect("a chain").placed.len(), length);
    places[0] = Place { depth: 1, delays_at: Some(0), inputs: vec![length - 1] };
    assert_eq!(order(&places).expect("a cycle with a delay").loops.len(), 1);
    places[0].delays_at = None;
    assert_eq!(order(&places).map_err(|cycle| cycle.len()), Err(length));
}
