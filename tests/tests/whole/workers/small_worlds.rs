//! Every tiny history, at any number of workers: small worlds in full.
//!
//! ```text
//!   history 0: +a at (0,0)                      under key 0   ──> worker 1
//!   history 1: +a at (0,1), -a at (1,0)         under key 1   ──> worker 0     one dataflow, one check
//!   ...                                         ...
//! ```
//!
//! Histories of different keys do not touch each other, so one run checks thousands of them; the keys spread over the
//! workers. Graphs are worlds of three nodes each, up to renaming.

use std::collections::{BTreeMap, BTreeSet};

use tests::{
    Arrival, Bag, Cell, Feeders, Grid, History, Pair, Way, antijoin, bag, by_group, check_all, components, join, keys,
    lists, permutations, recompute, semijoin, strong_edges,
};

use differential::algorithms;
use differential::collection::Collection;
use differential::time::Point;

/// Ways over a grid for each number of workers: close all at once, each coordinate in turn, and a staircase.
fn ways(grid: &Grid, fuel: u64) -> Vec<Way> {
    let last = grid.coordinates() - 1;
    let mut ways = Vec::new();
    for workers in [1, 2, 3, 8] {
        let seed = workers as u64;
        let staircase = grid.staircase(&mut tests::Random::new(seed), 1);
        ways.extend([
            Way::new(grid.at_once()).fed_by(Feeders::One(workers - 1)).on_workers(workers),
            Way::new(grid.along(0, 1)).dropping_handles().stepping(seed).on_workers(workers),
            Way::new(grid.along(last, 1)).feeding(Arrival::Ahead).fed_by(Feeders::WithoutLast).on_workers(workers),
            Way::new(staircase).feeding(Arrival::Scattered(seed)).fed_by(Feeders::Any(seed)).on_workers(workers),
            Way::new(grid.along(0, 1)).with_fuel(fuel).stepping(seed).dropping_handles().on_workers(workers),
        ]);
    }
    ways
}

/// Updates of one of `values` at one time of a box of four, up or down.
fn updates(values: u32) -> Vec<(u32, Point, i64)> {
    let times = Grid::square(2).times();
    let at = |value| times.iter().flat_map(move |time| [1, -1].map(|diff| (value, time.clone(), diff)));
    (0..values).flat_map(at).collect()
}

/// Each history under a key of its own.
fn keyed<'a>(histories: impl IntoIterator<Item = (usize, &'a Vec<(u32, Point, i64)>)>) -> History<Pair> {
    let under = |(key, history): (usize, &'a Vec<(u32, Point, i64)>)| {
        history.iter().map(move |(value, time, diff)| ((key as u32, *value), time.clone(), *diff))
    };
    histories.into_iter().flat_map(under).collect()
}

/// One input's histories: at most three updates of two values. 969 of them.
fn alone() -> [History<Pair>; 1] {
    [keyed(lists(&updates(2), 3).iter().enumerate())]
}

/// Two inputs' histories: at most two updates of one value on one side, at most one on the other, and the other way
/// round. 729 of them.
fn together() -> [History<Pair>; 2] {
    let (long, short) = (lists(&updates(1), 2), lists(&updates(1), 1));
    let pairs = long.iter().flat_map(|left| short.iter().map(move |right| (left, right)));
    let turned = short.iter().flat_map(|left| long.iter().map(move |right| (left, right)));
    let (left, right): (Vec<_>, Vec<_>) = pairs.chain(turned).unzip();
    [keyed(left.into_iter().enumerate()), keyed(right.into_iter().enumerate())]
}

#[test]
fn minima_and_counts() {
    let grid = Grid::square(2);
    assert_eq!(lists(&updates(2), 3).len(), 969);
    let least = |values: &[(u32, i64)]| {
        values.iter().find(|(_, count)| *count > 0).map(|(value, _)| (*value, 1)).into_iter().collect::<Vec<_>>()
    };
    let ways = ways(&grid, 500);
    check_all("min", &grid, &ways, &alone(), |inputs, _| inputs[0].min(), recompute(|bags| by_group(&bags[0], least)));
    check_all(
        "count",
        &grid,
        &ways,
        &alone(),
        |inputs, _| inputs[0].map(|(key, _)| key).count(),
        recompute(|bags| bag(keys(&bags[0]).into_iter().map(|counted| (counted, 1)))),
    );
}

#[test]
fn joins_and_antijoins() {
    let grid = Grid::square(2);
    let ways = ways(&grid, 500);
    check_all(
        "join",
        &grid,
        &ways,
        &together(),
        |inputs, _| inputs[0].join_map(&inputs[1], |key, one, other| (key, one, other)),
        recompute(|bags| join(&bags[0], &bags[1])),
    );
    check_all(
        "semijoin and antijoin",
        &grid,
        &ways,
        &together(),
        |inputs, _| {
            let keys = inputs[1].map(|(key, _)| key);
            let with = inputs[0].semijoin(&keys).map(|pair| (pair, true));
            with.concat(&inputs[0].antijoin(&keys).map(|pair| (pair, false)))
        },
        recompute(|bags| {
            let keys = keys(&bags[1]);
            let with = semijoin(&bags[0], &keys).into_iter().map(|(pair, count)| ((pair, true), count));
            bag(with.chain(antijoin(&bags[0], &keys).into_iter().map(|(pair, count)| ((pair, false), count))))
        }),
    );
}

/// An edge of a world over two epochs: never there, at first only, from the second on, always.
type World = BTreeMap<Pair, u8>;

/// Every history over two epochs of a graph of three nodes, up to renaming the nodes.
fn worlds() -> Vec<World> {
    let edges: Vec<Pair> = (0..3).flat_map(|from| (0..3).map(move |to| (from, to))).filter(|(a, b)| a != b).collect();
    let renamings = permutations(&[0u32, 1, 2]);
    let all = (0..4u32.pow(6)).map(|number| -> World {
        edges.iter().enumerate().map(|(at, edge)| (*edge, (number >> (2 * at) & 3) as u8)).collect()
    });
    let renamed = |world: &World, names: &[u32]| -> World {
        world.iter().map(|((from, to), state)| ((names[*from as usize], names[*to as usize]), *state)).collect()
    };
    all.filter(|world| renamings.iter().all(|names| *world <= renamed(world, names))).collect()
}

fn edges_of(worlds: &[World]) -> History<Pair> {
    let mut history = History::new();
    for (number, world) in worlds.iter().enumerate() {
        let first = 3 * number as u32;
        for ((from, to), state) in world {
            let edge = (first + from, first + to);
            let changes: &[(u64, i64)] = [&[][..], &[(0, 1), (1, -1)], &[(1, 1)], &[(0, 1)]][usize::from(*state)];
            history.extend(changes.iter().map(|(epoch, diff)| (edge, Point::from(*epoch), *diff)));
        }
    }
    history
}

/// What a plain function says of each world by itself, all together.
fn by_world<D: Ord>(edges: &Bag<Pair>, answer: impl Fn(&Bag<Pair>) -> BTreeSet<D>) -> Bag<D> {
    let mut worlds: BTreeMap<u32, Bag<Pair>> = BTreeMap::new();
    for (edge, count) in edges {
        worlds.entry(edge.0 / 3).or_default().insert(*edge, *count);
    }
    bag(worlds.values().flat_map(answer).map(|record| (record, 1)))
}

#[track_caller]
fn on_worlds<D: differential::column::Data + std::fmt::Debug>(
    what: &str,
    program: impl Fn(&Collection<Pair>) -> Collection<D> + Send + Sync + 'static,
    answer: impl Fn(&Bag<Pair>) -> BTreeSet<D>,
) {
    let worlds = worlds();
    assert_eq!(worlds.len(), 720);
    let (grid, inputs) = (Grid::line(2), [edges_of(&worlds)]);
    let ways = ways(&grid, 2_000);
    let oracle = recompute(|bags: &[Bag<Pair>]| by_world(&bags[0], &answer));
    check_all(what, &grid, &ways, &inputs, move |inputs, _| program(&inputs[0]), oracle);
}

#[test]
fn components_of_three_nodes() {
    on_worlds("components", algorithms::components, |edges| components(edges).into_iter().collect());
}

#[test]
fn strong_edges_of_three_nodes() {
    on_worlds("strong edges", algorithms::strong_edges, strong_edges);
}

/// The cells of the sample name no worker that there is not; here, so that the suite's own plan is looked at once.
#[test]
fn every_cell_has_a_way() {
    for seed in 0..100 {
        for workers in [1, 2, 3, 8] {
            let cell = Cell { workers, fuel: Some(1), commits: 10, seed };
            assert_eq!(cell.way().workers, workers);
            assert!(cell.way().frontiers.len() > 2);
        }
    }
}
