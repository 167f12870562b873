//! Loops say what a plain loop says, at every epoch: while edges come and go, and with several epochs fed ahead.

use std::collections::BTreeSet;

use tests::{
    Bag, Grid, History, Kept, Pair, Random, Way, accumulate, bag, bfs, check, check_all, components, edge_history,
    every_way, reach, recompute, strong_components, strong_edges,
};

use differential::algorithms;
use differential::collection::Collection;
use differential::column::Data;
use differential::operators::Variable;
use differential::time::Point;

const EPOCHS: u64 = 8;

/// The nodes with a positive count as keys: the roots, of an input of pairs.
fn roots(pairs: &Bag<Pair>) -> BTreeSet<u32> {
    bag(pairs.iter().map(|((key, _), count)| (*key, *count)))
        .into_iter()
        .filter(|(_, c)| *c > 0)
        .map(|(k, _)| k)
        .collect()
}

/// Each item once.
fn each<D: Ord>(items: impl IntoIterator<Item = D>) -> Bag<D> {
    bag(items.into_iter().map(|item| (item, 1)))
}

/// Runs a claim on random graphs (input 0) and roots (input 1) that change for some epochs.
#[track_caller]
fn on_random_graphs<D: Data + std::fmt::Debug>(
    seeds: std::ops::Range<u64>,
    program: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Clone + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<D>,
) {
    let grid = Grid::line(EPOCHS);
    for seed in seeds {
        let mut random = Random::new(seed);
        let (nodes, edges, changes) = [(4, 3, 1), (8, 8, 2), (12, 20, 3), (30, 30, 4)][seed as usize % 4];
        let inputs = [
            edge_history(&mut random, EPOCHS, nodes, edges, changes),
            edge_history(&mut random, EPOCHS, nodes, 1, seed as usize % 2),
        ];
        check_all(("seed", seed), &grid, &every_way(&grid, seed), &inputs, program.clone(), &oracle);
    }
}

#[test]
fn reach_on_changing_graphs() {
    on_random_graphs(
        0..16,
        |inputs, _| algorithms::reach(&inputs[0], &inputs[1].map(|(root, _)| root)),
        recompute(|bags| each(reach(&bags[0], &roots(&bags[1])))),
    );
}

#[test]
fn bfs_on_changing_graphs() {
    on_random_graphs(
        0..16,
        |inputs, _| algorithms::bfs(&inputs[0], &inputs[1].map(|(root, _)| root)),
        recompute(|bags| each(bfs(&bags[0], &roots(&bags[1])))),
    );
}

#[test]
fn components_on_changing_graphs() {
    on_random_graphs(
        0..16,
        |inputs, _| algorithms::components(&inputs[0]),
        recompute(|bags| each(components(&bags[0]))),
    );
}

#[test]
fn strong_components_on_changing_graphs() {
    on_random_graphs(
        0..8,
        |inputs, _| algorithms::strong_components(&inputs[0]),
        recompute(|bags| each(strong_components(&bags[0]))),
    );
}

#[test]
fn strong_edges_on_changing_graphs() {
    on_random_graphs(
        0..8,
        |inputs, _| algorithms::strong_edges(&inputs[0].distinct()),
        recompute(|bags| each(strong_edges(&bags[0]))),
    );
}

#[test]
fn strong_edges_keep_their_counts() {
    on_random_graphs(
        0..4,
        |inputs, _| algorithms::strong_edges(&inputs[0]),
        recompute(|bags| {
            let strong = strong_edges(&bags[0]);
            bags[0].iter().filter(|(edge, _)| strong.contains(edge)).map(|(edge, count)| (*edge, *count)).collect()
        }),
    );
}

#[test]
fn a_priority_changes_no_answer() {
    // Labels that enter at rounds far apart, and labels that all enter at once.
    for magnitude in [|_| 0, |label: u32| u32::BITS - label.leading_zeros(), |label| label] {
        on_random_graphs(
            0..8,
            move |inputs, _| {
                let both_ways = inputs[0].concat(&inputs[0].map(|(source, target)| (target, source)));
                let labels = both_ways.map(|(node, _)| (node, node));
                algorithms::propagate(&labels, &both_ways.arrange_by_key("edges"), magnitude)
            },
            recompute(|bags| each(components(&bags[0]))),
        );
    }
}

#[test]
fn reach_on_two_coordinates() {
    // Loops inside a box of input times: histories that no sequence of epochs has.
    let grid = Grid::square(3);
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let inputs = [tests::history(&mut random, &grid, 14, 4, 4), tests::history(&mut random, &grid, 3, 2, 1)];
        check_all(
            ("seed", seed),
            &grid,
            &every_way(&grid, seed),
            &inputs,
            |inputs, _| algorithms::reach(&inputs[0].distinct(), &inputs[1].map(|(root, _)| root).distinct()),
            recompute(|bags| each(reach(&bags[0], &roots(&bags[1])))),
        );
    }
}

#[test]
fn two_variables_recur_through_each_other() {
    on_random_graphs(
        0..8,
        |inputs, _| {
            // Nodes at an even number of steps from a root, and nodes at an odd one.
            let roots = inputs[1].map(|(root, _)| root).distinct();
            let by_source = inputs[0].arrange_by_key("edges by source");
            let scope = roots.scope().inner("even and odd");
            let even = Variable::from(&scope, &roots);
            let odd = Variable::new(&scope);
            let step = |nodes: &Collection<u32>| nodes.join(&by_source, |_, (), target| target);
            let next_even = step(odd.current()).concat(&roots).distinct();
            let next_odd = step(even.current()).distinct();
            even.set(&next_even);
            odd.set(&next_odd);
            next_even.leave().map(|node| (node, 0)).concat(&next_odd.leave().map(|node| (node, 1)))
        },
        recompute(|bags| {
            let (mut found, mut before) = (BTreeSet::<(u32, u32)>::new(), None);
            found.extend(roots(&bags[1]).into_iter().map(|root| (root, 0)));
            while before != Some(found.len()) {
                before = Some(found.len());
                for ((source, target), _) in bags[0].iter().filter(|(_, count)| **count > 0) {
                    for side in [0, 1] {
                        if found.contains(&(*source, side)) {
                            found.insert((*target, 1 - side));
                        }
                    }
                }
            }
            each(found)
        }),
    );
}

#[test]
fn a_loop_within_a_loop() {
    // Inner: all paths along the edges that are left. Outer: an edge stays while some path leads from its end to its start.
    on_random_graphs(
        0..8,
        |inputs, _| {
            let edges = inputs[0].distinct();
            edges.iterate(|edges| {
                let closure = edges.iterate(|paths| {
                    let onward = paths.map(|(source, target)| (target, source));
                    onward.join_map(edges, |_, source, target| (source, target)).concat(edges).distinct()
                });
                edges
                    .map(|edge| (edge, ()))
                    .semijoin(&closure.map(|(source, target)| (target, source)))
                    .map(|(edge, ())| edge)
            })
        },
        recompute(|bags| each(strong_edges(&bags[0]))),
    );
}

#[test]
fn a_loop_starts_from_its_collection_and_forgets_it() {
    // x(0) = c, x(n + 1) = the halves of x(n): the start is not part of the result unless the body keeps it.
    let grid = Grid::line(6);
    for seed in 0..8 {
        let inputs = [tests::history(&mut Random::new(seed), &grid, 20, 8, 1)];
        let halve = |number: u32| if number.is_multiple_of(2) { number / 2 } else { number };
        check_all(
            ("seed", seed),
            &grid,
            &every_way(&grid, seed),
            &inputs,
            move |inputs, _| inputs[0].map(|(key, _)| key).iterate(|numbers| numbers.map(halve)),
            recompute(move |bags| {
                bag(bags[0].iter().map(|((key, _), count)| ((0..40).fold(*key, |number, _| halve(number)), *count)))
            }),
        );
    }
}

#[test]
fn epochs_fed_ahead_make_no_other_updates_than_epochs_fed_in_turn() {
    let grid = Grid::line(EPOCHS);
    for seed in 0..6 {
        let inputs = [edge_history(&mut Random::new(seed), EPOCHS, 8, 10, 2)];
        let mut made = every_way(&grid, seed).into_iter().map(|way| {
            let oracle = recompute(|bags| each(components(&bags[0])));
            let program = |inputs: &[Collection<Pair>], _: &mut Kept| algorithms::components(&inputs[0]).consolidate();
            let mut updates = check(("seed", seed), &grid, &way, &inputs, program, oracle);
            updates.sort();
            updates
        });
        let first = made.next().expect("there are ways");
        assert!(made.all(|other| other == first), "seed {seed}");
        assert!(accumulate(&first, &Point::from(EPOCHS)).values().all(|count| *count == 1));
    }
}

#[test]
fn a_way_with_one_epoch_is_a_plain_computation() {
    let grid = Grid::line(1);
    let edges = edge_history(&mut Random::new(5), 1, 60, 150, 0);
    let made = check(
        "one epoch",
        &grid,
        &Way::new(grid.at_once()),
        &[edges],
        |inputs, _| algorithms::strong_components(&inputs[0]),
        recompute(|bags| each(strong_components(&bags[0]))),
    );
    assert!(made.len() > 30, "the graph has nodes");
}
