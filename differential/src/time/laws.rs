//! The laws of times, on every pair and triple of small grids: lattice, points, paths, frontiers.

use serde::Deserialize;
use serde::de::value::{Error, SeqDeserializer};
use timely::order::PartialOrder;
use timely::progress::{PathSummary, Timestamp};

use super::small_world::{Random, grid, sets_of_at_most};
use super::{Frontier, Lattice, Path, Point, Time};

/// Points of no, one, two, three and six coordinates.
fn points() -> Vec<Point> {
    let mut points = grid(3);
    points.extend([[0, 0, 1], [1, 0, 2], [2, 2, 1]].map(Point::from));
    points.extend([Point::from([0, 1, 0, 0, 0, 7]), Point::from([2, 0, 1, 0, 3, 1])]);
    points
}

/// The partial order by its definition.
fn at_or_before(a: &Point, b: &Point) -> bool {
    (0..8).all(|index| a.coordinate(index) <= b.coordinate(index))
}

/// The laws of the two orders and of the lattice, where `at_or_before` defines the partial order.
fn lattice_laws<T: Time>(times: &[T], at_or_before: impl Fn(&T, &T) -> bool) {
    for a in times {
        assert!(T::minimum().precedes(a), "{a:?}");
        for b in times {
            let (join, meet) = (a.join(b), a.meet(b));
            assert_eq!(a.precedes(b), at_or_before(a, b), "{a:?}, {b:?}");
            assert_eq!(a.precedes(b), PartialOrder::less_equal(a, b), "{a:?}, {b:?}: timely's word for it");
            assert!(!a.precedes(b) || a.cmp(b).is_le(), "{a:?}, {b:?}: the total order extends the partial one");
            assert!(a != b || (join == *a && meet == *a), "{a:?}: idempotent");
            assert_eq!((&join, &meet), (&b.join(a), &b.meet(a)), "{a:?}, {b:?}: commutative");
            assert_eq!((&a.join(&meet), &a.meet(&join)), (a, a), "{a:?}, {b:?}: absorbing");
            let (mut join_here, mut meet_here) = (a.clone(), a.clone());
            join_here.join_assign(b);
            meet_here.meet_assign(b);
            assert_eq!((&join_here, &meet_here), (&join, &meet), "{a:?}, {b:?}: in place");
            for c in times {
                let (after_both, before_both) = (a.precedes(c) && b.precedes(c), c.precedes(a) && c.precedes(b));
                assert_eq!(join.precedes(c), after_both, "{a:?}, {b:?}, {c:?}: least upper bound");
                assert_eq!(c.precedes(&meet), before_both, "{a:?}, {b:?}, {c:?}: greatest lower bound");
                assert_eq!(join.join(c), a.join(&b.join(c)), "{a:?}, {b:?}, {c:?}: associative");
                assert_eq!(meet.meet(c), a.meet(&b.meet(c)), "{a:?}, {b:?}, {c:?}: associative");
                assert_eq!(join.meet(c), a.meet(c).join(&b.meet(c)), "{a:?}, {b:?}, {c:?}: distributive");
            }
        }
    }
}

#[test]
fn times_are_lattices() {
    lattice_laws(&points(), at_or_before);
    lattice_laws(&[0, 1, 2, 3, u64::MAX], |a, b| a <= b);
}

#[test]
fn a_point_has_one_representation() {
    for coordinates in [&[][..], &[0], &[0, 0, 0], &[3], &[3, 0], &[0, 3], &[3, 0, 0, 0, 0, 0], &[0, 0, 0, 0, 0, 1, 0]]
    {
        let point = Point::new(coordinates);
        assert_ne!(point.coordinates().last(), Some(&0));
        for depth in 0..8 {
            let read: Vec<u64> = (0..depth).map(|index| point.coordinate(index)).collect();
            let given = (0..depth).map(|index| coordinates.get(index).copied().unwrap_or(0));
            assert!(read.iter().copied().eq(given), "{coordinates:?}");
            let mut cut: Vec<u64> = coordinates.to_vec();
            cut.truncate(depth);
            assert_eq!(point.truncated(depth), Point::new(&cut));
        }
        let mut longer = coordinates.to_vec();
        longer.extend([0; 5]);
        assert_eq!(Point::new(&longer), point);
        assert_eq!(longer.iter().copied().collect::<Point>(), point);
        let decoder: SeqDeserializer<_, Error> = SeqDeserializer::new(longer.iter().copied());
        assert_eq!(Point::deserialize(decoder).as_ref(), Ok(&point), "decoding trims");
    }
    assert_eq!(Point::minimum(), Point::new(&[0, 0]));
}

#[test]
fn points_are_sorted_by_their_zero_extended_coordinates() {
    for a in points() {
        for b in points() {
            let extended = |point: &Point| (0..8).map(|index| point.coordinate(index)).collect::<Vec<_>>();
            assert_eq!(a.cmp(&b), extended(&a).cmp(&extended(&b)), "{a:?}, {b:?}");
        }
    }
}

#[test]
fn adding_at_a_coordinate_is_checked() {
    for point in points() {
        for index in 0..7 {
            let sum = point.plus(index, 2).expect("no overflow");
            for other in 0..8 {
                let expected = point.coordinate(other) + if other == index { 2 } else { 0 };
                assert_eq!(sum.coordinate(other), expected, "{point:?} + 2 at {index}");
            }
            assert_eq!(point.plus(index, 0).as_ref(), Some(&point));
            assert_eq!(point.plus(index, u64::MAX).is_some(), point.coordinate(index) == 0);
        }
    }
}

/// A step of a path: how many coordinates it keeps, and where it adds how much.
type Step = (Option<usize>, Option<(usize, u64)>);

fn path_of((keep, add): &Step) -> Path {
    let kept = keep.map_or_else(Path::default, Path::keep);
    add.map_or_else(|| kept.clone(), |(index, amount)| Path::add(index, amount))
}

/// Ways of at most three different steps, each forwards and backwards.
fn ways() -> Vec<Vec<Step>> {
    let keeps = [0, 1, 2].map(|depth| (Some(depth), None));
    let adds = [(0, 1), (1, 2), (2, 1), (1, u64::MAX)].map(|add| (None, Some(add)));
    let steps = [&keeps[..], &adds[..], &[(None, None)]].concat();
    sets_of_at_most(3, &steps).into_iter().flat_map(|set| [set.iter().rev().copied().collect(), set]).collect()
}

fn summary(way: &[Step]) -> Option<Path> {
    way.iter().try_fold(Path::default(), |summary, step| summary.followed_by(&path_of(step)))
}

#[test]
fn a_summary_never_promises_more_than_its_path() {
    for way in ways() {
        // To leave a loop and add inside another is more than a summary can say: it says less.
        let reenters = way.iter().enumerate().any(|(at, (keep, _))| {
            way[at..].iter().any(|(_, add)| keep.zip(*add).is_some_and(|(depth, (index, _))| depth <= index))
        });
        for time in points() {
            let end = way.iter().try_fold(time.clone(), |time, step| path_of(step).results_in(&time));
            let Some(end) = end else { continue };
            let promised = summary(&way).and_then(|summary| summary.results_in(&time));
            let promised = promised.unwrap_or_else(|| panic!("{way:?} from {time:?} is {end:?}, the summary ends"));
            assert!(promised.precedes(&end), "{way:?} from {time:?} is {end:?}, promised {promised:?}");
            assert!(reenters || promised == end, "{way:?} from {time:?} is {end:?}, promised {promised:?}");
        }
    }
}

#[test]
fn in_and_out_again_is_the_identity() {
    for depth in 0..6 {
        let round_trip = Path::add(depth, 3).followed_by(&Path::keep(depth)).expect("no overflow");
        assert_eq!(round_trip, Path::keep(depth));
        for time in points().iter().map(|time| time.truncated(depth)) {
            assert_eq!(round_trip.results_in(&time), Some(time));
        }
    }
}

#[test]
fn an_increment_that_overflows_ends_the_path() {
    let far = Path::add(1, u64::MAX);
    assert_eq!(far.followed_by(&Path::add(1, 1)), None);
    assert_eq!(far.results_in(&Point::from([4, 1])), None);
    assert_eq!(far.followed_by(&Path::keep(1)), Some(Path::keep(1)), "what is cut off later is forgotten");
}

#[test]
fn a_lesser_path_ends_earlier() {
    let paths: Vec<Path> = ways().iter().filter_map(|way| summary(way)).collect();
    for lesser in &paths {
        for greater in paths.iter().filter(|greater| lesser.less_equal(greater)) {
            assert!(!greater.less_equal(lesser) || lesser == greater, "{lesser:?}, {greater:?}");
            for time in points() {
                if let Some(end) = greater.results_in(&time) {
                    let earlier = lesser.results_in(&time).expect("adds no more");
                    assert!(earlier.precedes(&end), "{lesser:?} and {greater:?} from {time:?}");
                }
            }
        }
    }
}

/// Every frontier of a 4 x 4 grid: 70 of them.
fn frontiers() -> Vec<Frontier<Point>> {
    let mut frontiers: Vec<Frontier<Point>> =
        sets_of_at_most(4, &grid(4)).into_iter().map(Frontier::from_iter).collect();
    frontiers.sort_by(|a, b| a.elements().cmp(b.elements()));
    frontiers.dedup();
    assert_eq!(frontiers.len(), 70);
    frontiers
}

/// What is in advance of a frontier, of a grid larger than that of its elements.
fn admitted(frontier: &Frontier<Point>) -> Vec<bool> {
    grid(5).iter().map(|time| frontier.elements().iter().any(|element| at_or_before(element, time))).collect()
}

#[test]
fn frontiers_are_what_they_admit() {
    for frontier in frontiers() {
        let (elements, inside) = (frontier.elements(), admitted(&frontier));
        assert!(elements.is_sorted_by(|a, b| a < b), "{frontier:?}");
        let incomparable = |a: &Point| elements.iter().all(|b| a == b || !at_or_before(a, b));
        assert!(elements.iter().all(incomparable), "{frontier:?}");
        assert_eq!(frontier.is_empty(), !inside.contains(&true));
        assert_eq!(frontier.meet(), elements.iter().cloned().reduce(|a, b| a.meet(&b)));
        for (time, &inside) in grid(5).iter().zip(&inside) {
            assert_eq!(frontier.admits(time), inside, "{frontier:?}, {time:?}");
            let mut lowered = frontier.clone();
            assert_eq!(lowered.insert(time.clone()), !inside, "{frontier:?}, {time:?}");
            let expected: Vec<bool> = grid(5).iter().map(|at| frontier.admits(at) || at_or_before(time, at)).collect();
            assert_eq!(admitted(&lowered), expected, "{frontier:?} with {time:?}");
        }
        let mut rest = frontier.clone();
        let taken: Vec<Point> = std::iter::from_fn(|| rest.take_first()).collect();
        assert_eq!(taken, elements);
    }
}

#[test]
fn frontiers_meet_and_join() {
    for a in frontiers() {
        let in_a = admitted(&a);
        for b in frontiers() {
            let in_b = admitted(&b);
            let mut meet = a.clone();
            meet.extend(&b);
            let (either, both): (Vec<bool>, Vec<bool>) =
                in_a.iter().zip(&in_b).map(|(&a, &b)| (a || b, a && b)).unzip();
            assert_eq!((admitted(&meet), admitted(&a.join(&b))), (either, both), "{a:?}, {b:?}");
            let contains = in_a.iter().zip(&in_b).all(|(&a, &b)| a || !b);
            assert_eq!(a.precedes(&b), contains, "{a:?}, {b:?}");
        }
    }
}

/// Advancing goes to the latest time that no reader at or past the frontier can tell from the time itself.
#[test]
fn advanced_times_are_indistinguishable_and_equal_if_they_can_be() {
    for frontier in frontiers().iter().filter(|frontier| !frontier.is_empty()) {
        let seen = |time: &Point| -> Vec<bool> {
            grid(5).iter().filter(|at| frontier.admits(at)).map(|at| at_or_before(time, at)).collect()
        };
        for time in grid(4) {
            let mut advanced = time.clone();
            frontier.advance(&mut advanced);
            assert_eq!(seen(&advanced), seen(&time), "{time:?} to {advanced:?} by {frontier:?}");
            for other in grid(4).iter().filter(|other| seen(other) == seen(&time)) {
                assert!(at_or_before(other, &advanced), "{other:?} reads as {time:?} at {frontier:?}");
            }
        }
    }
    let mut time = Point::from([2, 1]);
    Frontier::empty().advance(&mut time);
    assert_eq!(time, Point::from([2, 1]), "nobody reads any more");
}

/// In coordinates, advancing is one join: with the meet of the frontier's elements.
#[test]
fn advancing_is_a_join_with_the_meet() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        let frontier: Frontier<Point> = (0..1 + random.below(4)).map(|_| random.point(3, 4)).collect();
        let time = random.point(4, 4);
        let mut advanced = time.clone();
        frontier.advance(&mut advanced);
        assert_eq!(advanced, time.join(&frontier.meet().expect("not empty")), "seed {seed}");
    }
}
