//! Pushes and seals in any order against a plain list of updates: each batch is what its interval holds, what is left
//! is held, and memory follows what updates add up to.

use std::collections::BTreeMap;

use super::Batcher;
use crate::batch::Batch;
use crate::diff::OverflowAt;
use crate::layout::Rows;
use crate::time::{Frontier, Point, TimeColumn};
use crate::updates::Keyed;

type L = Rows<u64, u64, Point, i64>;
type Update = (u64, u64, Point, i64);
type Sums = BTreeMap<(u64, u64, Point), i64>;

fn keyed(updates: &[Update]) -> Keyed<L> {
    let mut keyed = Keyed::<L>::empty(&(), &());
    updates.iter().for_each(|(key, val, time, diff)| keyed.push(*key, *val, time, *diff));
    keyed
}

fn batcher() -> Batcher<L> {
    Batcher::new()
}

/// Adds up what arrived, if it is worth it, and seals, in steps of so many rows.
fn seal(batcher: &mut Batcher<L>, upper: &Frontier<Point>, step: usize) -> Result<Option<Batch<L>>, OverflowAt<Point>> {
    while batcher.settle(&mut { step })? {}
    let Some(mut sealing) = batcher.seal(upper)? else { return Ok(None) };
    loop {
        let batch = sealing.batch(&mut { step })?;
        if sealing.is_done() {
            return Ok(batch);
        }
        assert!(batch.is_none(), "a batch before all rows are sorted");
        let mut held = Frontier::empty();
        sealing.holds(&mut held);
        assert!(!held.is_empty(), "rows that nobody holds");
    }
}

fn summed<'a>(updates: impl Iterator<Item = &'a Update>) -> Sums {
    let mut sums = Sums::new();
    updates.for_each(|(key, val, time, diff)| *sums.entry((*key, *val, time.clone())).or_default() += diff);
    sums.retain(|_, sum| *sum != 0);
    sums
}

fn listed(batch: Option<&Batch<L>>) -> Sums {
    let mut sums = Sums::new();
    let Some(batch) = batch else { return sums };
    for key in 0..batch.keys().len() {
        for val in batch.vals_of(key..key + 1) {
            for row in batch.updates_of(val..val + 1) {
                let update = (batch.keys()[key], batch.vals()[val], batch.times().get(row));
                assert_eq!(sums.insert(update, batch.diffs().get(row)), None, "an update twice in one batch");
            }
        }
    }
    sums
}

/// A batcher beside the list of what was pushed and not sealed.
struct Watched {
    batcher: Batcher<L>,
    left: Vec<Update>,
    /// The effort of a step.
    step: usize,
}

impl Watched {
    fn push(&mut self, updates: &[Update]) {
        self.batcher.push(keyed(updates));
        self.left.extend_from_slice(updates);
    }

    fn seal(&mut self, upper: &Frontier<Point>, about: &dyn std::fmt::Debug) {
        let batch = seal(&mut self.batcher, upper, self.step).expect("small sums");
        let sealed: Vec<Update> = self.left.extract_if(.., |(_, _, time, _)| !upper.admits(time)).collect();
        assert_eq!(listed(batch.as_ref()), summed(sealed.iter()), "{about:?}, seal {upper:?}");
        self.check_hold(about);
    }

    /// The hold lies between the lower bound of all that was pushed and that of what it adds up to.
    fn check_hold(&self, about: &dyn std::fmt::Debug) {
        let mut held = Frontier::empty();
        self.batcher.holds(&mut held);
        let pushed: Frontier<Point> = self.left.iter().map(|(_, _, time, _)| time.clone()).collect();
        let net: Frontier<Point> = summed(self.left.iter()).into_keys().map(|(_, _, time)| time).collect();
        assert!(pushed.precedes(&held), "{about:?}: {held:?} is not the bound of any of {pushed:?}");
        assert!(held.precedes(&net), "{about:?}: {held:?} does not hold {net:?}");
        assert!(!net.is_empty() || held.is_empty() || !self.left.is_empty(), "{about:?}: {held:?} holds nothing");
    }
}

/// Every frontier of at most two elements of a 3 x 3 grid, and that of nothing more to come.
fn frontiers() -> Vec<Frontier<Point>> {
    let times: Vec<Point> = (0..9).map(|at| Point::from([at / 3, at % 3])).collect();
    let mut frontiers = vec![Frontier::empty()];
    for a in &times {
        for b in &times {
            let frontier = Frontier::from_iter([a.clone(), b.clone()]);
            if !frontiers.contains(&frontier) {
                frontiers.push(frontier);
            }
        }
    }
    frontiers
}

/// Three updates in every arrangement over the grid's corners, sealed at every pair of frontiers that advances.
#[test]
fn every_two_seals_part_updates_by_time() {
    let times = [[0, 0], [0, 2], [1, 1], [2, 0]].map(Point::from);
    for choice in 0..4 * 4 * 4 * 2 {
        let time = |place: usize| times[choice >> (2 * place) & 3].clone();
        let together = choice >> 6 == 1;
        let updates = [(1, 1, time(0), 1), (1, 1, time(1), -1), (2, 1, time(2), 1)];
        for first in frontiers() {
            for second in frontiers().into_iter().filter(|second| first.precedes(second)) {
                let mut watched = Watched { batcher: batcher(), left: vec![], step: 1 };
                if together {
                    watched.push(&updates);
                } else {
                    updates.iter().for_each(|update| watched.push(std::slice::from_ref(update)));
                }
                let about = (&updates, together, &first, &second);
                watched.check_hold(&about);
                watched.seal(&first, &about);
                watched.seal(&second, &about);
                watched.seal(&Frontier::empty(), &about);
                assert!(watched.left.is_empty());
            }
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % bound
    }
}

/// Long histories: chunks of one to hundreds of updates, at one time or many, near the frontier or far ahead.
#[test]
fn random_pushes_and_seals_lose_nothing() {
    for seed in 1..=30 {
        let mut random = Random(seed);
        let mut watched = Watched { batcher: batcher(), left: vec![], step: 1 << (seed % 12) };
        let (mut upper, keys) = (Frontier::<Point>::minimum(), 1 + random.below(300));
        for step in 0..60 {
            for _ in 0..random.below(4) {
                let (count, spread) = (1 + random.below(400) / (1 + random.below(100)), 1 + random.below(40));
                let base = upper.elements()[random.below(upper.elements().len() as u64) as usize].clone();
                let mut time = base.clone();
                let updates: Vec<Update> = (0..count)
                    .map(|_| {
                        if spread > 2 {
                            time = later(&base, random.below(spread), random.below(spread));
                        }
                        (random.below(keys), random.below(3), time.clone(), random.below(3) as i64 - 1)
                    })
                    .collect();
                watched.push(&updates);
                watched.check_hold(&(seed, step));
            }
            let mut next = Frontier::empty();
            for element in upper.elements() {
                next.insert(later(element, random.below(3), random.below(3)));
                next.insert(later(element, random.below(3), random.below(3)));
            }
            // An upper of its own join with the last one never goes back; two elements are enough to be incomparable.
            upper = Frontier::from_iter(upper.join(&next).elements().iter().take(2).cloned());
            watched.seal(&upper, &(seed, step));
        }
        watched.seal(&Frontier::empty(), &seed);
    }
}

/// A time so much later in each of two coordinates.
fn later(time: &Point, first: u64, second: u64) -> Point {
    time.plus(0, first).and_then(|time| time.plus(1, second)).expect("small times")
}

/// One key inserted and removed again in the far future, a million times: it is held as one update, not a million.
#[test]
fn updates_that_return_to_one_future_time_do_not_pile_up() {
    let mut batcher = batcher();
    for epoch in 0..20_000u64 {
        let future = Point::from(1 << 40);
        batcher.push(keyed(&[(1, 1, future.clone(), 1), (2, epoch, Point::from(epoch), 1)]));
        batcher.push(keyed(&[(3, 1, future.clone(), 1)]));
        batcher.push(keyed(&[(3, 1, future, -1)]));
        let batch =
            seal(&mut batcher, &Frontier::from(Point::from(epoch + 1)), 10_000).unwrap().expect("this epoch's update");
        assert_eq!(batch.len(), 1);
        assert!(batcher.rows_left() <= 4, "epoch {epoch}: {} rows", batcher.rows_left());
    }
    let batch = seal(&mut batcher, &Frontier::empty(), 10_000).unwrap().expect("the far future's update");
    assert_eq!((batch.len(), batch.diffs().get(0)), (1, 20_000));
}

#[test]
fn arrivals_that_repeat_are_added_up_before_they_are_sealed() {
    let (mut batcher, mut random) = (batcher(), Random(5));
    let mut most = 0;
    for _ in 0..1_000 {
        let chunk: Vec<Update> = (0..1_000).map(|_| (random.below(10_000), 7, Point::from(3), 1)).collect();
        batcher.push(keyed(&chunk));
        batcher.settle(&mut { 8 * chunk.len() }).unwrap();
        most = most.max(batcher.rows_left());
    }
    // Three quarters as many again arrive before they are added up, and half as many while that is done.
    assert!(most < 30_000, "{most} rows for 10,000 records");
    let batch = seal(&mut batcher, &Frontier::empty(), 10_000).unwrap().unwrap();
    assert_eq!(batch.len(), 10_000);
    assert_eq!((0..10_000).map(|row| batch.diffs().get(row)).sum::<i64>(), 1_000_000);
}

#[test]
fn a_few_rows_that_are_sealed_at_once_are_counted_no_more() {
    let mut batcher = batcher();
    for epoch in 0..3 {
        batcher.push(keyed(&[(1, 7, Point::from(epoch), 1), (2, 7, Point::from(epoch), 1)]));
        assert_eq!(batcher.rows_left(), 2, "epoch {epoch}");
        let batch = seal(&mut batcher, &Frontier::from(Point::from(epoch + 1)), 100).unwrap().unwrap();
        assert_eq!((batch.len(), batcher.rows_left()), (2, 0), "epoch {epoch}");
    }
}

/// A history given in advance and sealed a time at a time costs no more than a logarithm of reads an update.
#[test]
fn a_long_future_is_not_read_at_every_seal() {
    let mut batcher = batcher();
    let count = 50_000;
    batcher.push(keyed(&(0..count).map(|at| (at % 7, at, Point::from(at * 7919 % count), 1)).collect::<Vec<_>>()));
    for time in 0..count {
        let batch =
            seal(&mut batcher, &Frontier::from(Point::from(time + 1)), 10_000).unwrap().expect("one update a time");
        assert_eq!((batch.len(), batch.times().get(0)), (1, Point::from(time)));
    }
    assert_eq!(batcher.rows_left(), 0);
}

#[test]
fn a_total_that_does_not_fit_is_told_at_the_seal() {
    let mut batcher = batcher();
    batcher.push(keyed(&[(1, 1, Point::from(1), i64::MAX), (1, 1, Point::from(1), 1)]));
    assert_eq!(
        seal(&mut batcher, &Frontier::from(Point::from(2)), 10_000).unwrap_err(),
        OverflowAt::new(Point::from(1))
    );

    let mut batcher = self::batcher();
    let repeated = vec![(1, 1, Point::from(1), i64::MAX / 1_000); 5_000];
    batcher.push(keyed(&repeated));
    assert_eq!(
        seal(&mut batcher, &Frontier::from(Point::from(1)), 10_000).unwrap_err(),
        OverflowAt::new(Point::from(1))
    );
}
