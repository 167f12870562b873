//! Algorithms say what plain code says, at every epoch, while edges come and go.
//!
//! One program a claim, as a plain function from inputs to pairs: so the check is compiled once for all of them.

use std::collections::BTreeSet;

use tests::{
    Bag, Grid, Kept, Pair, Random, bag, check_all, communities, edge_history, every_way, independent_set, k_core,
    levels, pagerank, paths, recompute, same_generation, shortest_paths, triangles,
};

use differential::algorithms::{self, Dangling, PageRank, RANK_UNITS};
use differential::collection::Collection;

const EPOCHS: u64 = 6;

type Program = fn(&[Collection<Pair>], &mut Kept) -> Collection<Pair>;

/// Each item once.
fn each(items: impl IntoIterator<Item = Pair>) -> Bag<Pair> {
    bag(items.into_iter().map(|item| (item, 1)))
}

/// The nodes with a positive count as keys: the roots, of an input of pairs.
fn roots(pairs: &Bag<Pair>) -> BTreeSet<u32> {
    let keys = bag(pairs.iter().map(|((key, _), count)| (*key, *count)));
    keys.into_iter().filter(|(_, count)| *count > 0).map(|(key, _)| key).collect()
}

/// Runs a claim on random graphs (input 0) and roots (input 1).
#[track_caller]
fn on_random_graphs(program: Program, oracle: fn(&[Bag<Pair>]) -> Bag<Pair>) {
    let grid = Grid::line(EPOCHS);
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let (nodes, edges, changes) = [(4, 3, 1), (8, 14, 2), (14, 30, 3)][seed as usize % 3];
        let inputs = [
            edge_history(&mut random, EPOCHS, nodes, edges, changes),
            edge_history(&mut random, EPOCHS, nodes, 2, seed as usize % 2),
        ];
        check_all(("seed", seed), &grid, &every_way(&grid, seed), &inputs, program, recompute(oracle));
    }
}

fn weight((source, target): Pair) -> u32 {
    (7 * source + 3 * target) % 11
}

#[test]
fn shortest_paths_on_changing_graphs() {
    on_random_graphs(
        |inputs, _| {
            let edges = inputs[0].map(|(source, target)| (source, (target, weight((source, target)))));
            algorithms::shortest_paths(&edges, &inputs[1].map(|(root, _)| root)).map(|(node, sum)| (node, sum as u32))
        },
        |bags| {
            let sums = shortest_paths(&bags[0], &roots(&bags[1]), weight);
            each(sums.into_iter().map(|(node, sum)| (node, sum as u32)))
        },
    );
}

#[test]
fn reach_each_and_transitive_closure_on_changing_graphs() {
    on_random_graphs(
        |inputs, _| algorithms::reach_each(&inputs[0], &inputs[1].map(|(root, _)| root)),
        |bags| each(paths(&bags[0], Some(&roots(&bags[1])))),
    );
    on_random_graphs(|inputs, _| algorithms::transitive_closure(&inputs[0]), |bags| each(paths(&bags[0], None)));
}

#[test]
fn same_generation_on_changing_graphs() {
    on_random_graphs(|inputs, _| algorithms::same_generation(&inputs[0]), |bags| each(same_generation(&bags[0])));
}

#[test]
fn k_core_on_changing_graphs() {
    on_random_graphs(
        |inputs, _| algorithms::k_core(&inputs[0], 3).map(|node| (node, 0)),
        |bags| each(k_core(&bags[0], 3).into_iter().map(|node| (node, 0))),
    );
}

#[test]
fn levels_on_changing_graphs() {
    on_random_graphs(
        // Most edges lead upward, so that there are levels; what lies behind a cycle has none.
        |inputs, _| {
            let edges = inputs[0].map(|(a, b)| if (a + b) % 5 > 0 { (a.min(b), a.max(b)) } else { (a, b) });
            algorithms::levels(&edges).map(|(node, level)| (node, level as u32))
        },
        |bags| {
            let turned = |&(a, b): &Pair| if (a + b) % 5 > 0 { (a.min(b), a.max(b)) } else { (a, b) };
            each(levels(&bag(bags[0].iter().map(|(edge, count)| (turned(edge), *count)))))
        },
    );
}

#[test]
fn independent_set_on_changing_graphs() {
    on_random_graphs(
        |inputs, _| algorithms::independent_set(&inputs[0]).map(|node| (node, 0)),
        |bags| each(independent_set(&bags[0]).into_iter().map(|node| (node, 0))),
    );
}

#[test]
fn triangles_on_changing_graphs() {
    on_random_graphs(
        |inputs, _| algorithms::triangles(&inputs[0]).map(|(a, b, c)| (1000 * a + b, c)),
        |bags| each(triangles(&bags[0]).into_iter().map(|(a, b, c)| (1000 * a + b, c))),
    );
}

#[test]
fn communities_on_changing_graphs() {
    on_random_graphs(|inputs, _| algorithms::communities(&inputs[0], 4), |bags| each(communities(&bags[0], 4)));
    on_random_graphs(|inputs, _| algorithms::communities(&inputs[0], 0), |bags| each(communities(&bags[0], 0)));
}

#[test]
fn pagerank_on_changing_graphs() {
    // The lower half of a rank: what is wrong at all is wrong there.
    fn shown((node, rank): (u32, i64)) -> Pair {
        (node, rank as u32)
    }
    on_random_graphs(
        |inputs, _| algorithms::pagerank(&inputs[0], PageRank { rounds: 3, ..PageRank::default() }).map(shown),
        |bags| each(pagerank(&bags[0], 3, 85, RANK_UNITS, false).into_iter().map(shown)),
    );
    on_random_graphs(
        |inputs, _| {
            let options = PageRank { rounds: 2, damping_percent: 60, dangling: Dangling::Spread };
            algorithms::pagerank(&inputs[0], options).map(shown)
        },
        |bags| each(pagerank(&bags[0], 2, 60, RANK_UNITS, true).into_iter().map(shown)),
    );
}
