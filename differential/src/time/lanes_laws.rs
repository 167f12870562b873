//! A column of lanes is a vector of times; bulk operations never make an owned one.

use std::ops::Range;

use super::lanes::OWNED_EXITS;
use super::small_world::{Random, grid, sets_of_at_most};
use super::{Block, Frontier, Lanes, LateTime, Origin, Pick, Point, Time, TimeColumn};

/// A bulk operation on a column, which may read two others.
#[derive(Debug)]
enum Bulk<T> {
    Truncate(usize),
    PushRepeat(T, usize),
    Range(Range<usize>),
    Joined(Range<usize>, T),
    Picked(usize, usize, Vec<Pick>, T),
    Gather(Vec<u32>),
    Repeat(usize, usize),
    Insert(Vec<(u32, u32)>),
    Remove(Vec<u32>),
    Join(Range<usize>, T),
    Advance(Range<usize>, Frontier<T>),
    Cross(Vec<Block>),
    Zip(Range<usize>, Range<usize>),
    Origins(Vec<Origin>),
}

fn apply<T: Time, C: TimeColumn<T>>(bulk: &Bulk<T>, column: &mut C, left: &C, right: &C) {
    match bulk {
        Bulk::Truncate(len) => column.truncate(*len),
        Bulk::PushRepeat(time, count) => column.push_repeat(time, *count),
        Bulk::Range(rows) => column.extend_range(left, rows.clone()),
        Bulk::Joined(rows, floor) => column.extend_joined(left, rows.clone(), floor),
        Bulk::Picked(at, other, picks, floor) => column.extend_picked((left, *at), (right, *other), picks, floor),
        Bulk::Gather(rows) => column.extend_gather(left, rows),
        Bulk::Repeat(row, count) => column.extend_repeat(left, *row, *count),
        Bulk::Insert(places) => column.insert_rows(left, places),
        Bulk::Remove(rows) => column.remove_rows(rows),
        Bulk::Join(rows, time) => column.join_rows(rows.clone(), time),
        Bulk::Advance(rows, frontier) => column.advance_rows(rows.clone(), frontier),
        Bulk::Cross(blocks) => column.extend_cross_join(left, right, blocks),
        Bulk::Zip(left_rows, right_rows) => column.extend_zip_join(left, left_rows.clone(), right, right_rows.clone()),
        Bulk::Origins(origins) => column.extend_origins([left, right], origins),
    }
}

/// The column of these times.
fn column<T: Time, C: TimeColumn<T>>(times: &[T]) -> C {
    let mut column = C::default();
    times.iter().for_each(|time| column.push(time));
    column
}

/// Asserts that `bulk` takes no owned point out of lanes and pushes none.
fn without_owned_exits<R>(bulk: impl FnOnce() -> R) -> R {
    let before = OWNED_EXITS.get();
    let result = bulk();
    assert_eq!(OWNED_EXITS.get(), before, "a bulk operation took an owned exit");
    result
}

fn assert_same<T: Time>(column: &T::Column, rows: &Vec<T>, what: &str) {
    assert_eq!(column.len(), rows.len(), "{what}");
    for (row, time) in rows.iter().enumerate() {
        assert_eq!(&column.get(row), time, "row {row}: {what}");
        for (other_row, other) in rows.iter().enumerate() {
            assert_eq!(column.compare(row, column, other_row), time.cmp(other), "rows {row}, {other_row}: {what}");
            assert!(time != other || column.hash(row) == column.hash(other_row), "rows {row}, {other_row}: {what}");
        }
    }
    let mut again = T::Column::default();
    rows.iter().rev().for_each(|time| again.push(time));
    for row in 0..rows.len() {
        assert_eq!(column.hash(row), again.hash(rows.len() - 1 - row), "row {row}, in another column: {what}");
    }
    if let Some(time) = column.uniform() {
        assert!(!rows.is_empty() && rows.iter().all(|row| *row == time), "uniform {time:?} of {rows:?}: {what}");
    }
}

fn range(random: &mut Random, len: usize) -> Range<usize> {
    let start = random.below(len + 1);
    start..start + random.below(len - start + 1)
}

fn narrow(rows: Range<usize>) -> Range<u32> {
    rows.start as u32..rows.end as u32
}

fn any_bulk<T: Time>(
    random: &mut Random,
    (own, left, right): (usize, usize, usize),
    time: impl Fn(&mut Random) -> T,
) -> Bulk<T> {
    match random.below(18) {
        0 => Bulk::Truncate(random.below(own + 2)),
        1 => Bulk::PushRepeat(time(random), random.below(3)),
        2 => Bulk::Range(range(random, left)),
        3 if left > 0 => Bulk::Gather((0..random.below(6)).map(|_| random.below(left) as u32).collect()),
        4 if left > 0 => Bulk::Repeat(random.below(left), random.below(3)),
        5 => Bulk::Join(range(random, own), time(random)),
        6 => Bulk::Join(0..own, time(random)),
        7 => Bulk::Advance(range(random, own), (0..random.below(4)).map(|_| time(random)).collect()),
        8 => {
            let len = random.below(left.min(right) + 1);
            Bulk::Zip(left - len..left, 0..len)
        }
        14 => Bulk::Joined(range(random, left), time(random)),
        15 => {
            let (some, others) = (range(random, left), range(random, right));
            let mut picks = vec![Pick::Left; some.len()];
            others.clone().for_each(|_| picks.insert(random.below(picks.len() + 1), Pick::Right));
            Bulk::Picked(some.start, others.start, picks, time(random))
        }
        16 | 17 => {
            // Some neighbours, some not.
            let some = |random: &mut Random| {
                let side = random.below(2);
                range(random, [left, right][side]).map(move |row| Origin::new(side, row))
            };
            Bulk::Origins((0..random.below(5)).flat_map(|_| some(random)).collect())
        }
        9 => Bulk::Remove((0..own as u32).filter(|_| random.below(3) == 0).collect()),
        10 if left > 0 => {
            let mut at: Vec<u32> = (0..random.below(4)).map(|_| random.below(own + 1) as u32).collect();
            at.sort_unstable();
            Bulk::Insert(at.into_iter().map(|at| (at, random.below(left) as u32)).collect())
        }
        _ => {
            Bulk::Cross((0..3).map(|_| (narrow(range(random, left)), narrow(range(random, right)))).collect::<Vec<_>>())
        }
    }
}

/// Histories of bulk operations on a column and on a vector of times.
fn bulk_operations_are_a_vectors<T: Time>(seed: u64, time: impl Fn(&mut Random) -> T + Copy) {
    let random = &mut Random::new(seed);
    let times = |random: &mut Random, most: usize| -> Vec<T> {
        let (count, first) = (random.below(most + 1), time(random));
        let agree = random.below(3) == 0;
        (0..count).map(|_| if agree { first.clone() } else { time(random) }).collect()
    };
    let mut rows = times(random, 5);
    let mut lanes: T::Column = column(&rows);
    for step in 0..8 {
        let (left, right) = (times(random, 5), times(random, 5));
        let bulk = any_bulk(random, (rows.len(), left.len(), right.len()), time);
        let what = format!("seed {seed}, step {step}: {bulk:?} of {rows:?}, left {left:?}, right {right:?}");
        let (left_lanes, right_lanes) = (column(&left), column(&right));
        without_owned_exits(|| apply(&bulk, &mut lanes, &left_lanes, &right_lanes));
        apply(&bulk, &mut rows, &left, &right);
        assert_same(&lanes, &rows, &what);

        let some = range(random, rows.len());
        let start: Frontier<T> = times(random, 3).into_iter().collect();
        let (mut lowered, mut expected) = (start.clone(), start.clone());
        without_owned_exits(|| lanes.lower_into(some.clone(), &mut lowered));
        rows.lower_into(some.clone(), &mut expected);
        assert_eq!(lowered, expected, "rows {some:?} into {start:?}; {what}");
        let bound = time(random);
        let preceding = without_owned_exits(|| lanes.precede(some.clone(), &bound));
        assert_eq!(preceding, rows.precede(some.clone(), &bound), "rows {some:?} before {bound:?}; {what}");
        let past = without_owned_exits(|| lanes.are_past(some.clone(), &bound));
        assert_eq!(past, rows.are_past(some.clone(), &bound), "rows {some:?} past {bound:?}; {what}");
        let [mut rises, mut expected] = [vec![true], Vec::new()];
        without_owned_exits(|| lanes.rises(&mut rises));
        rows.rises(&mut expected);
        assert_eq!(rises, expected, "{what}");
        for row in some {
            let (admitted, expected) = (lanes.admitted(row, &start), start.admits(&rows[row]));
            assert_eq!(admitted, expected, "row {row} in advance of {start:?}; {what}");
            let floor = time(random);
            assert_eq!(lanes.get_joined(row, &floor), rows[row].join(&floor), "row {row}, {floor:?}; {what}");
            let (mut joins, mut expected) = (start.clone(), start.clone());
            let precedes = lanes.precedes_or_joins(row, &floor, &mut joins);
            assert_eq!(precedes, rows[row].precedes(&floor), "row {row}, {floor:?}; {what}");
            if !precedes {
                expected.insert(rows[row].join(&floor));
            }
            assert_eq!(joins, expected, "row {row}, {floor:?} into {start:?}; {what}");
        }
        let cleared = random.below(8) == 0;
        if cleared {
            lanes.clear();
            rows.clear();
        }
    }
}

#[test]
fn lanes_do_what_a_vector_of_points_does() {
    for seed in 0..4_000 {
        let (coordinates, bound) = (1 + seed as usize % 4, 2 + seed as usize / 4 % 3);
        // Shallower points than the deepest come by themselves: their last coordinates are zero.
        bulk_operations_are_a_vectors(seed, |random| {
            let near = random.point(coordinates, bound);
            near.coordinates().iter().map(|coordinate| coordinate * step(seed)).collect::<Point>()
        });
    }
}

#[test]
fn a_lane_does_what_a_vector_of_integers_does() {
    for seed in 0..4_000 {
        bulk_operations_are_a_vectors(seed, |random| random.below(4) as u64 * step(seed));
    }
}

/// How far apart coordinates are: all of them short, or only the lesser ones.
fn step(seed: u64) -> u64 {
    [1, 40_000][(seed / 12 % 2) as usize]
}

/// Every pair of lists of at most two points of a 2 x 2 grid, and the rows of each but the first: numbers on a line are
/// there if all but one coordinate agree, and compare as the times do.
#[test]
fn lines_of_the_small_world() {
    let lists: Vec<Vec<Point>> = sets_of_at_most(3, &grid(2));
    for (left, right) in lists.iter().flat_map(|left| lists.iter().map(move |right| (left, right))) {
        for (left_start, right_start) in [(0, 0), (0, 1), (1, 1)] {
            let (left_rows, right_rows) = (left_start..left.len(), right_start..right.len());
            if left_rows.is_empty() || right_rows.is_empty() {
                continue;
            }
            let what = format!("{left:?} {left_rows:?}, {right:?} {right_rows:?}");
            let (left_lanes, right_lanes): (Lanes, Lanes) = (column(left), column(right));
            let line = without_owned_exits(|| left_lanes.line(left_rows.clone(), &right_lanes, right_rows.clone()));
            let times = || left[left_rows.clone()].iter().chain(&right[right_rows.clone()]);
            let agree = |index| times().all(|time| time.coordinate(index) == times().next().unwrap().coordinate(index));
            assert_eq!(line.is_some(), agree(0) || agree(1), "{what}");
            let Some((left_line, right_line)) = line else { continue };
            let left_numbers = left_rows.clone().map(|row| left_line.get(row));
            let numbers: Vec<u64> = left_numbers.chain(right_rows.clone().map(|row| right_line.get(row))).collect();
            for (a, x) in times().zip(&numbers) {
                for (b, y) in times().zip(&numbers) {
                    assert_eq!(a.precedes(b), x <= y, "{a:?} {b:?} of {what}");
                }
            }
        }
    }
}

/// Every pair of lists of at most two points of a 2 x 2 grid: all joins, and every way to advance them.
#[test]
fn joins_and_advances_of_the_small_world() {
    let lists: Vec<Vec<Point>> = sets_of_at_most(2, &grid(2));
    for left in &lists {
        let left_lanes: Lanes = column(left);
        for right in &lists {
            let right_lanes: Lanes = column(right);
            let what = format!("left {left:?}, right {right:?}");
            let blocks = [(narrow(0..left.len()), narrow(0..right.len()))];
            let (mut lanes, mut rows) = (Lanes::default(), Vec::new());
            lanes.extend_cross_join(&left_lanes, &right_lanes, &blocks);
            rows.extend_cross_join(left, right, &blocks);
            assert_same(&lanes, &rows, &what);

            let frontier: Frontier<Point> = right.iter().cloned().collect();
            let (mut lanes, mut rows) = (left_lanes.clone(), left.clone());
            lanes.advance_rows(0..left.len(), &frontier);
            rows.advance_rows(0..left.len(), &frontier);
            assert_same(&lanes, &rows, &what);
        }
    }
}

/// The lanes that are one value stay so through every operation that does not bring in another.
#[test]
fn uniform_lanes_stay_uniform() {
    let epoch = |round: u64| Point::from([3, round]);
    let fresh: Lanes = column(&[epoch(1), epoch(2), epoch(4)]);
    let stored: Lanes = column(&[Point::from([2, 4]), Point::from([3, 4])]);
    let uniform = |lanes: &Lanes| lanes.lanes().iter().map(|lane| lane.uniform().copied()).collect::<Vec<_>>();
    let mut lanes = Lanes::default();
    lanes.extend_range(&fresh, 0..3);
    lanes.extend_gather(&fresh, &[2, 0]);
    lanes.extend_repeat(&fresh, 1, 2);
    assert_eq!(uniform(&lanes), [Some(3), None]);
    lanes.extend_zip_join(&fresh, 0..2, &stored, 0..2);
    lanes.advance_rows(0..9, &Frontier::from_iter([Point::from([5, 2]), Point::from([4, 3])]));
    assert_eq!(uniform(&lanes), [Some(4), None], "the epochs were 2 and 3, the rounds 1 to 4");
    lanes.join_rows(0..9, &epoch(4));
    assert_eq!(uniform(&lanes), [Some(4), Some(4)]);

    // Nothing of one side exceeds anything of the other, so the join is a copy of the greater side.
    let mut crossed = Lanes::default();
    crossed.extend_cross_join(&fresh, &stored, &[(0..3, 0..2)]);
    assert_eq!(uniform(&crossed), [Some(3), Some(4)]);
}

/// What loops do: one coordinate of every row at once.
#[test]
fn shifts_change_one_coordinate_of_every_row() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        let points: Vec<Point> = (0..random.below(5)).map(|_| random.point(3, 3)).collect();
        let (index, amount) = (random.below(5), random.below(3) as u64);
        let least: Vec<u64> = points.iter().map(|_| random.below(4) as u64).collect();
        let what = format!("seed {seed}: {points:?}, coordinate {index}");

        let mut lanes: Lanes = column(&points);
        without_owned_exits(|| lanes.add(index, amount)).expect("no overflow");
        let mut rows: Vec<Point> = points.iter().map(|point| point.plus(index, amount).expect("no overflow")).collect();
        assert_same(&lanes, &rows, &what);

        without_owned_exits(|| lanes.raise(index, &least));
        for (row, &least) in rows.iter_mut().zip(&least) {
            *row = row.plus(index, least.saturating_sub(row.coordinate(index))).expect("no overflow");
        }
        assert_same(&lanes, &rows, &what);

        without_owned_exits(|| lanes.truncate_to(index));
        rows.iter_mut().for_each(|row| *row = row.truncated(index));
        assert_same(&lanes, &rows, &what);
    }
    let mut lanes: Lanes = column(&[Point::from([1, 2]), Point::from([1, u64::MAX])]);
    assert_eq!(lanes.add(1, 1), Err(LateTime));
}
