//! The whole tactic against a direct product, over each backend: small worlds exhaustively, then random ones.
//!
//! The oracle is two nested loops over rows and a map. Under test, blocks, chunks and replays stop after few rows, so
//! that every place at which work is cut and taken up again is met often. The backends are that of a region, batches, and
//! the one that the documentation shows, sorted vectors. Neither has hashes for proxies, so none can collide.
//!
//! These mutants were run, and each fails at least two of the tests here: the last row of a run dropped, on either side; the
//! meet of a replay taken a step late, and without later steps; two values of a key under one number, in either backend; a
//! lane of times read off by one, in crosses and in zips; a cut that repeats a row, in crosses and in pairs; `lower` not
//! joined, a view not taken; rows of a replay named after they were cut off, or left behind.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::sorted_vectors::SortedVectors;
use super::*;
use crate::batch::Batch;
use crate::column::{Column, Data};
use crate::diff::OverflowAt;
use crate::layout::Rows;
use crate::time::small_world::{Random, grid, sets_of_at_most};
use crate::time::{Frontier, OWNED_EXITS, Point, Time, TimeColumn};
use crate::updates::{Keyed, Updates};

/// An update: key, value, time, diff.
type Row<V, T> = (u64, V, T, i64);
type Layouts<V, T> = Rows<u64, V, T, i64>;
/// What the joins here put out: the key and both values.
type Record<V> = (u64, V, V);
type Sums<V, T> = BTreeMap<(Record<V>, T), i64>;

/// How the tactic is driven.
#[derive(Clone, Debug)]
struct Drive<T> {
    fresh_left: bool,
    lower: T,
    view: JoinView<T>,
    target: usize,
    fuel: usize,
}

impl<T: Time> Drive<T> {
    fn plain(fresh_left: bool) -> Self {
        Drive { fresh_left, lower: T::minimum(), view: JoinView::default(), target: 1000, fuel: 1_000_000 }
    }
}

/// All pairs of rows with one key, at the join of their advanced times and `lower`.
fn direct<V: Data, T: Time>(left: &[Row<V, T>], right: &[Row<V, T>], drive: &Drive<T>) -> Sums<V, T> {
    let advanced = |time: &T, view: &Option<Frontier<T>>| {
        let mut time = time.clone();
        view.iter().for_each(|frontier| frontier.advance(&mut time));
        time
    };
    let mut sums = Sums::new();
    for (key, a, at, d) in left {
        for (other, b, bt, e) in right.iter().filter(|row| row.0 == *key) {
            let time = advanced(at, &drive.view.left).join(&advanced(bt, &drive.view.right)).join(&drive.lower);
            *sums.entry(((*other, a.clone(), b.clone()), time)).or_default() += d * e;
        }
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

/// The batch of some rows.
fn batch<V: Data, T: Time>(rows: &[Row<V, T>]) -> Option<Arc<Batch<Layouts<V, T>>>>
where
    <V::Column as Column>::Shape: Default,
{
    let mut keyed = Keyed::empty(&(), &Default::default());
    for (key, val, time, diff) in rows {
        keyed.push(*key, V::Column::lend(val), time, *diff);
    }
    keyed.consolidate().expect("small sums");
    Batch::new(keyed).map(Arc::new)
}

type Inputs<V, T> = Fresh<Layouts<V, T>, Layouts<V, T>>;

/// Drives a unit of work to its end and adds its output up.
fn run<V: Data, K: JoinBackend<LeftDiff = i64, RightDiff = i64>>(
    inputs: K,
    drive: &Drive<K::Time>,
    buffers: &mut JoinBuffers<K>,
    logic: &mut impl JoinLogic<K, Output = Record<V>>,
) -> Sums<V, K::Time>
where
    <V::Column as Column>::Shape: Default,
{
    let shape = (Default::default(), Default::default(), Default::default());
    let mut out = Updates::empty(&shape);
    let mut sums = Sums::new();
    let mut work = JoinWork::new(inputs, drive.lower.clone(), drive.view.clone());
    for _ in 0..1_000_000 {
        let mut fuel = drive.fuel;
        let progress = work.step(&mut fuel, drive.target, logic, buffers, &mut out).expect("small products");
        assert!(progress == Progress::Done || fuel == 0 || out.len() >= drive.target, "stopped without a reason");
        // Rows of one value are taken together, up to 32 a side.
        assert!(out.len() < drive.target + 1024, "{} rows in a container of {}", out.len(), drive.target);
        assert_eq!((out.data.len(), out.times.len()), (out.len(), out.len()));
        for row in 0..out.len() {
            let record = <<Record<V> as Data>::Column as Column>::owned(out.data.get(row));
            *sums.entry((record, out.times.get(row))).or_default() += out.diffs.get(row);
        }
        out.clear();
        if progress == Progress::Done {
            sums.retain(|_, sum| *sum != 0);
            return sums;
        }
    }
    panic!("no end of steps");
}

fn pair<V: Data>() -> impl FnMut(u64, <V::Column as Column>::Ref<'_>, <V::Column as Column>::Ref<'_>) -> Record<V> {
    |key, a, b| (key, <V::Column as Column>::owned(a), <V::Column as Column>::owned(b))
}

/// The same two sides as plain vectors.
type Vectors<V, T> = SortedVectors<u64, V, V, T, i64>;

fn run_vectors<V: Data, T: Time>(
    left: &[Row<V, T>],
    right: &[Row<V, T>],
    drive: &Drive<T>,
    buffers: &mut JoinBuffers<Vectors<V, T>>,
) -> Sums<V, T>
where
    <V::Column as Column>::Shape: Default,
{
    let mut logic = MapPairs::<Vectors<V, T>, _, _>::new(|key: &u64, a: &V, b: &V| (*key, a.clone(), b.clone()));
    run(SortedVectors::new(left.to_vec(), right.to_vec()), drive, buffers, &mut logic)
}

fn mapped<V, T, F>(function: F) -> MapPairs<Inputs<V, T>, F, Record<V>>
where
    V: Data,
    T: Time,
    F: FnMut(u64, <V::Column as Column>::Ref<'_>, <V::Column as Column>::Ref<'_>) -> Record<V>,
{
    MapPairs::<Inputs<V, T>, F, Record<V>>::new(function)
}

/// One side is fresh and the other accepted.
fn inputs<V: Data, T: Time>(
    fresh_left: bool,
    fresh: Arc<Batch<Layouts<V, T>>>,
    accepted: Vec<Arc<Batch<Layouts<V, T>>>>,
) -> Inputs<V, T> {
    if fresh_left { Fresh::Left(fresh, accepted) } else { Fresh::Right(fresh, accepted) }
}

/// Rows over two keys, two values and a grid of two by two times.
fn small_world() -> Vec<Row<u64, Point>> {
    let mut universe = Vec::new();
    for (index, time) in grid(2).into_iter().enumerate() {
        for key in 0..2 {
            for val in 0..2u64 {
                // Diffs that differ, and cancel in some sets once times fall together.
                let diff = [1, -1, 2][(index + val as usize) % 3];
                universe.push((key, val, time.clone(), diff));
            }
        }
    }
    universe
}

/// How the `number`th pair of small sides is joined.
fn small_drive(number: usize) -> Drive<Point> {
    let (lowers, mut drive) = (grid(2), Drive::plain(number.is_multiple_of(2)));
    drive.lower = lowers[number / 2 % lowers.len()].clone();
    drive.target = [1, 3, 1000][number % 3];
    drive
}

/// Every pair of sets of at most three rows.
#[test]
fn join_matches_direct_cross_product() {
    let sets = sets_of_at_most(3, &small_world());
    let batches: Vec<_> = sets.iter().map(|set| batch(set)).collect();
    let mut buffers = JoinBuffers::default();
    let mut logic = mapped::<u64, Point, _>(pair::<u64>());
    for (a, left) in sets.iter().enumerate() {
        for (b, right) in sets.iter().enumerate() {
            let (Some(x), Some(y)) = (&batches[a], &batches[b]) else { continue };
            let drive = small_drive(7 * a + b + b / 3);
            let (fresh, accepted) = if drive.fresh_left { (x, y) } else { (y, x) };
            let made =
                run(inputs(drive.fresh_left, fresh.clone(), vec![accepted.clone()]), &drive, &mut buffers, &mut logic);
            assert_eq!(made, direct(left, right, &drive), "left {left:?}, right {right:?}, {drive:?}");
        }
    }
}

/// Every pair of sets of at most two rows, as plain vectors.
#[test]
fn join_of_vectors_matches_direct_cross_product() {
    let sets = sets_of_at_most(2, &small_world());
    let mut buffers = JoinBuffers::default();
    for (a, left) in sets.iter().enumerate() {
        for (b, right) in sets.iter().enumerate() {
            let drive = small_drive(7 * a + b + b / 3);
            let made = run_vectors(left, right, &drive, &mut buffers);
            assert_eq!(made, direct(left, right, &drive), "left {left:?}, right {right:?}, {drive:?}");
        }
    }
}

/// A side's rows: for each key some number of them, random or as edits that replace a value by the next.
fn random_rows<V: Data, T: Time>(
    random: &mut Random,
    keys: usize,
    longest: usize,
    value: impl Fn(u64) -> V,
    time: impl Fn(&mut Random) -> T,
) -> Vec<Row<V, T>> {
    let mut rows = Vec::new();
    for key in 0..keys as u64 {
        let length = [0, 1, 1, 2, 5, longest, longest][random.below(7)];
        let values = [1, 2, 4, 1 + longest][random.below(4)];
        let edits = random.below(2) == 0;
        let mut times: Vec<T> = (0..length).map(|_| time(random)).collect();
        if edits {
            times.sort();
        }
        let mut held = None;
        for at in times {
            let val = random.below(values) as u64;
            if edits {
                held.replace(val).into_iter().for_each(|old| rows.push((500 + key, value(old), at.clone(), -1)));
                rows.push((500 + key, value(val), at, 1));
            } else {
                rows.push((500 + key, value(val), at, [1, 1, -1, 3][random.below(4)]));
            }
        }
    }
    rows
}

/// Rows that make a batch a trie, of keys that the other side lacks: before and after all others.
fn padding<V: Data, T: Time>(left: bool, value: &impl Fn(u64) -> V) -> impl Iterator<Item = Row<V, T>> {
    (0..80u64).map(move |row| (20 * row + u64::from(left), value(row), T::minimum(), 1))
}

/// A random world, joined in one of many ways.
fn random_join<V: Data, T: Time>(seed: u64, value: impl Fn(u64) -> V, time: impl Fn(&mut Random) -> T)
where
    <V::Column as Column>::Shape: Default,
{
    let mut random = Random::new(seed);
    let keys = [1, 3, 30][random.below(3)];
    let longest = [3, 20, 60][random.below(3)] / if keys == 30 { 3 } else { 1 };
    let mut sides = [true, false].map(|left| {
        let mut rows = random_rows(&mut random, keys, longest, &value, &time);
        if random.below(2) == 0 {
            rows.extend(padding(left, &value));
        }
        rows
    });
    let fresh_left = random.below(2) == 0;
    let frontier = |random: &mut Random| {
        (random.below(3) == 0).then(|| (0..1 + random.below(2)).map(|_| time(random)).collect::<Frontier<T>>())
    };
    let drive = Drive {
        fresh_left,
        lower: if random.below(2) == 0 { T::minimum() } else { time(&mut random) },
        view: JoinView { left: frontier(&mut random), right: frontier(&mut random) },
        target: [1, 3, 1000][random.below(3)],
        fuel: [1, 50, 1_000_000][random.below(3)],
    };
    let expected = direct(&sides[0], &sides[1], &drive);
    let made = run_vectors(&sides[0], &sides[1], &drive, &mut JoinBuffers::default());
    assert_eq!(made, expected, "vectors, seed {seed}, {drive:?}");
    let [left, right] = &mut sides;
    let (fresh, accepted) = if fresh_left { (left, right) } else { (right, left) };
    // The accepted side in several batches; the same (value, time) may be in more than one, and cancel.
    let parts = 1 + random.below(4);
    let mut groups = vec![Vec::new(); parts];
    for row in accepted.drain(..) {
        groups[random.below(parts)].push(row);
    }
    let accepted = groups.iter().filter_map(|rows| batch(rows)).collect();
    let Some(fresh) = batch(fresh) else { return };
    let mut buffers = JoinBuffers::default();
    let made =
        run(inputs(drive.fresh_left, fresh, accepted), &drive, &mut buffers, &mut mapped::<V, T, _>(pair::<V>()));
    assert_eq!(made, expected, "batches, seed {seed}, {drive:?}");
}

#[test]
fn random_joins_are_the_direct_product_at_points() {
    for seed in 0..1500 {
        let coordinates = 1 + seed as usize % 4;
        random_join(seed, |val| val, |random| random.point(coordinates, [3, 40][seed as usize / 4 % 2]));
    }
}

#[test]
fn random_joins_are_the_direct_product_at_u64() {
    for seed in 0..600 {
        random_join(seed, |val| val, |random| random.below([3, 40][seed as usize % 2]) as u64);
    }
}

#[test]
fn random_joins_are_the_direct_product_of_compound_values() {
    // Values of one prefix, so that order and equality are not decided by it.
    let value = |val| (format!("a long prefix {}", val / 3), Some(val).filter(|val| val % 3 > 0));
    for seed in 0..300 {
        random_join(seed, value, |random| random.point(2, 4));
    }
}

/// What nobody can tell apart any more is added up before anything is multiplied, within a batch and between batches.
#[test]
fn history_collapses_while_it_is_staged() {
    let toggled = |from: u64, to: u64, last: i64| -> Vec<Row<u64, u64>> {
        (from..to).map(|at| (7, 1, at, if at % 2 == 0 { 1 } else { -1 })).chain([(7, 2, to, last)]).collect()
    };
    // Value 1 is held at the end of the first batch and retracted at the start of the second; of value 2, one is left.
    let accepted: Vec<_> =
        [toggled(0, 101, 1), toggled(101, 200, 1), toggled(300, 302, -1)].iter().map(|rows| batch(rows)).collect();
    let accepted: Vec<_> = accepted.into_iter().flatten().collect();
    let fresh: Vec<Row<u64, u64>> = (0..100).map(|val| (7, val, 500, 1)).collect();
    let mut work = JoinWork::new(Fresh::Left(batch(&fresh).expect("rows"), accepted), 400, JoinView::default());
    let mut out = Updates::empty(&((), (), ()));
    let mut logic = mapped::<u64, u64, _>(|key, a, b| (key, a, b));
    let progress = work.step(&mut 1_000_000, 10_000, &mut logic, &mut JoinBuffers::default(), &mut out);
    assert_eq!((progress, out.len()), (Ok(Progress::Done), 100));
    assert!(out.data.2.iter().all(|&val| val == 2), "{:?}", out.data);
}

/// Times of a direct join are formed a lane at a time: no row becomes an owned point.
#[test]
fn a_direct_join_takes_no_owned_times() {
    let rows = |vals: u64, time: fn(u64) -> Point| (0..vals).map(move |val| (val % 9, val, time(val), 1)).collect();
    let left: Vec<Row<u64, Point>> = rows(500, |val| Point::from([val % 5, val % 3]));
    let right: Vec<Row<u64, Point>> = rows(200, |val| Point::from([3, val % 4]));
    let (left, right) = (batch(&left).expect("rows"), batch(&right).expect("rows"));
    let mut work = JoinWork::new(Fresh::Left(left, vec![right]), Point::from([2, 1]), JoinView::default());
    let mut out = Updates::empty(&((), (), ()));
    let mut logic = mapped::<u64, Point, _>(|key, a, b| (key, a, b));
    let before = OWNED_EXITS.get();
    while work.step(&mut 100, 50, &mut logic, &mut JoinBuffers::default(), &mut out) == Ok(Progress::More) {
        out.clear();
    }
    assert_eq!(OWNED_EXITS.get() - before, 0);
}

/// Long histories net to little: what comes out of a replay follows the net sizes, not the product of lengths.
#[test]
fn a_replay_makes_few_rows() {
    let edits = 300;
    let history = |values: u64| -> Vec<Row<u64, u64>> {
        (0..edits).flat_map(|at| [(7, at % values, at, 1), (7, at % values, at + 1, -1)]).collect()
    };
    let (left, right) = (history(5), history(7));
    let (rows, drive) = (Cell::new(0usize), Drive::plain(true));
    let mut count = mapped::<u64, u64, _>(|key, a, b| {
        rows.set(rows.get() + 1);
        (key, a, b)
    });
    let inputs = Fresh::Left(batch(&left).expect("rows"), vec![batch(&right).expect("rows")]);
    let mut buffers = JoinBuffers::default();
    let made = run(inputs, &drive, &mut buffers, &mut count);
    assert_eq!(made, direct(&left, &right, &drive));
    assert!(!buffers.are_kept(), "the buffers of a long history are given back");
    assert!(rows.get() <= 4 * edits as usize, "{} pairs of values for {edits} edits a side", rows.get());
}

/// Outside replays, the function is called once for each pair of values, however many updates those have.
#[test]
fn the_function_is_called_once_for_a_pair_of_values() {
    let times = |key, val, count: u64| (0..count).map(move |at| (key, val, at, 1i64));
    // Values of one update, so that neither side nets to half of its rows.
    let once = |from: u64| (from..from + 6).map(|val| (1, val, 3, 1i64));
    let left: Vec<Row<u64, u64>> = times(1, 1, 5).chain(once(20)).chain(times(1, 30, 1)).collect();
    let right: Vec<Row<u64, u64>> = once(2).chain(times(1, 9, 6)).chain(times(2, 9, 6)).collect();
    for target in [1, 3, 1000] {
        let mut calls = Vec::new();
        let mut drive = Drive::plain(true);
        drive.target = target;
        let mut logic = mapped::<u64, u64, _>(|key, a, b| {
            calls.push((a, b));
            (key, a, b)
        });
        let inputs = Fresh::Left(batch(&left).expect("rows"), vec![batch(&right).expect("rows")]);
        let made = run(inputs, &drive, &mut JoinBuffers::default(), &mut logic);
        assert_eq!(made, direct(&left, &right, &drive), "containers of {target}");
        let pairs: BTreeSet<(u64, u64)> = calls.iter().copied().collect();
        assert_eq!((calls.len(), pairs.len()), (56, 56), "containers of {target}: {calls:?}");
    }
}

/// A function that yields no record, one, or two, in crosses and in zips.
#[test]
fn a_function_may_yield_any_number_of_records() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let keys = [2, 40][random.below(2)];
        let mut side = || random_rows(&mut random, keys, 12, |val| val, |random| random.point(2, 3));
        let (left, right) = (side(), side());
        let (Some(x), Some(y)) = (batch(&left), batch(&right)) else { continue };
        let mut drive = Drive::plain(true);
        drive.target = [1, 3, 1000][seed as usize % 3];
        let count = |a: u64, b: u64| (a + 2 * b) % 3;
        let mut logic = FlatPairs::<Inputs<u64, Point>, _, _>::new(|key: u64, a: u64, b: u64| {
            (0..count(a, b)).map(move |_| (key, a, b))
        });
        let made = run(Fresh::Left(x, vec![y]), &drive, &mut JoinBuffers::default(), &mut logic);
        let mut expected = direct(&left, &right, &drive);
        expected.iter_mut().for_each(|(((_, a, b), _), sum)| *sum *= count(*a, *b) as i64);
        expected.retain(|_, sum| *sum != 0);
        assert_eq!(made, expected, "seed {seed}");
    }
}

/// One product out of range is an error that names its time, not a wrapped diff.
#[test]
fn an_overflow_is_an_error() {
    let rows = |val: u64, diff: i64| -> Vec<Row<u64, Point>> {
        vec![(1, val, Point::from(0), 1), (1, val + 1, Point::from(7), diff)]
    };
    let (left, right) = (batch(&rows(0, i64::MAX)).expect("rows"), batch(&rows(0, 2)).expect("rows"));
    let mut work = JoinWork::new(Fresh::Left(left, vec![right]), Point::default(), JoinView::default());
    let mut out = Updates::empty(&((), (), ()));
    let mut logic = mapped::<u64, Point, _>(|key, a, b| (key, a, b));
    let result = work.step(&mut 1000, 1000, &mut logic, &mut JoinBuffers::default(), &mut out);
    assert_eq!(result, Err(OverflowAt::new(Point::from(7))));
}
