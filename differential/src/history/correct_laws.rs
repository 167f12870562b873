//! Engines against recomputing, at every time of a grid, however the history is cut into intervals.

use std::collections::BTreeMap;

use super::{Edits, Engine, KeyWork, Replaying, Textbook};
use crate::diff::Overflow;
use crate::time::small_world::{Random, grid, sets_of_at_most};
use crate::time::{Frontier, Point, Time};

type Row = (u32, Point, i64);
type Collection = BTreeMap<u32, i64>;

/// The collection at a time: the sum of what precedes it.
fn collection_at<'a>(rows: impl IntoIterator<Item = &'a Row>, at: &Point) -> Collection {
    let mut collection = Collection::new();
    for (rank, _, diff) in rows.into_iter().filter(|(_, time, _)| time.precedes(at)) {
        *collection.entry(*rank).or_default() += diff;
    }
    collection.retain(|_, diff| *diff != 0);
    collection
}

/// The functions that outputs are held to.
#[derive(Clone, Copy, Debug)]
enum Function {
    /// The least rank that is present.
    Least,
    /// Every rank that is present, once, in descending order: outputs need not come in the order of ranks.
    Distinct,
    /// A rank that is another for nearly every other input, so that no difference goes unnoticed.
    Fingerprint,
}

const FUNCTIONS: [Function; 3] = [Function::Least, Function::Distinct, Function::Fingerprint];

impl Function {
    fn of(self, input: &Collection) -> Vec<(u32, i64)> {
        let mut present = input.iter().filter(|(_, diff)| **diff > 0).map(|(rank, _)| (*rank, 1));
        match self {
            Function::Least => present.next().into_iter().collect(),
            Function::Distinct => present.rev().collect(),
            Function::Fingerprint if input.is_empty() => Vec::new(),
            Function::Fingerprint => {
                let mixed = input.iter().fold(7u32, |mixed, (rank, diff)| {
                    mixed.wrapping_mul(31).wrapping_add(*rank).wrapping_mul(31).wrapping_add(*diff as u32)
                });
                vec![(mixed, 1)]
            }
        }
    }
}

/// One key of a reduction, as a driver would keep it: histories, what is owed, how far the input is known.
struct Key<'a> {
    rows: &'a [Row],
    compacts: bool,
    input: Vec<Row>,
    output: Vec<Row>,
    owed: Frontier<Point>,
    upper: Frontier<Point>,
    since: Frontier<Point>,
}

fn rows_of(edits: &Edits<Point, i64>) -> Vec<Row> {
    edits.as_slice().iter().map(|edit| (edit.rank, edit.time.clone(), edit.diff)).collect()
}

impl<'a> Key<'a> {
    fn new(rows: &'a [Row], compacts: bool) -> Self {
        let (input, output, owed) = (Vec::new(), Vec::new(), Frontier::empty());
        Key { rows, compacts, input, output, owed, upper: Frontier::minimum(), since: Frontier::minimum() }
    }

    /// Histories as a trace would hold them: the output's too.
    fn compact(&self, rows: &[Row]) -> Edits<Point, i64> {
        let mut edits: Edits<Point, i64> = rows.iter().cloned().collect();
        if self.compacts {
            edits.advance(&self.since);
            edits.consolidate().expect("no overflow");
        }
        edits
    }

    /// Lets the input advance to `upper`, and asks the engine for what the output needs; checks all it promises.
    fn advance_to(
        &mut self,
        upper: &Frontier<Point>,
        engine: &mut impl Engine<Point, i64, i64>,
        function: Function,
        times: &[Point],
    ) {
        let what = format!("{function:?} of {:?}, compacting: {}, to {upper:?}", self.rows, self.compacts);
        let (rows, lower) = (self.rows, self.upper.clone());
        let fresh = rows.iter().filter(|(_, time, _)| lower.admits(time) && !upper.admits(time));
        let mut due = self.owed.clone();
        for row in fresh {
            due.insert(row.1.clone());
            self.input.push(row.clone());
        }
        self.since = lower;
        self.since.extend(&self.owed);

        let (mut input, mut output) = (self.compact(&self.input), self.compact(&self.output));
        // What may be compacted is kept compacted, as a trace would.
        (self.input, self.output) = (rows_of(&input), rows_of(&output));
        if let Some(floor) = due.meet().filter(|_| self.compacts) {
            // What is read for one round only may be joined with all that is due.
            input.join(&floor);
            output.join(&floor);
        }
        let (mut corrections, mut owed) = (Edits::default(), Frontier::empty());
        let mut textbook = (Edits::default(), Frontier::empty());
        let mut evaluated: Vec<Collection> = Vec::new();
        let mut evaluate = |_: &Point, present: &[(u32, i64)], should: &mut Vec<(u32, i64)>| {
            assert!(
                present.is_sorted_by(|a, b| a.0 < b.0) && present.iter().all(|(_, diff)| *diff != 0),
                "{present:?}"
            );
            let present: Collection = present.iter().copied().collect();
            should.extend(function.of(&present));
            evaluated.push(present);
            Ok(())
        };
        let (due, upper_now) = (&due, upper);
        let work = KeyWork { input: &mut input.clone(), output: &mut output.clone(), due, upper: upper_now };
        Textbook.correct(work, &mut evaluate, &mut textbook.0, &mut textbook.1).expect("no overflow");
        let work = KeyWork { input: &mut input, output: &mut output, due, upper: upper_now };
        engine.correct(work, &mut evaluate, &mut corrections, &mut owed).expect("no overflow");
        assert_eq!(corrections, textbook.0, "{what}: corrections, and the textbook's");
        assert!(textbook.1.precedes(&owed), "{what}: owes {owed:?}, and the textbook {:?}", textbook.1);

        let corrections = rows_of(&corrections);
        assert!(corrections.is_sorted_by(|a, b| (&a.1, a.0) < (&b.1, b.0)), "{what}: {corrections:?}");
        assert!(corrections.iter().all(|row| row.2 != 0 && !upper.admits(&row.1)), "{what}: {corrections:?}");
        assert!(owed.elements().iter().all(|time| upper.admits(time)), "{what}: owes {owed:?}");
        self.output.extend(corrections);
        (self.owed, self.upper) = (owed, upper.clone());

        for at in times.iter().filter(|at| self.since.admits(at)) {
            let known = rows.iter().filter(|(_, time, _)| !upper.admits(time));
            let should: Collection = function.of(&collection_at(known, at)).into_iter().collect();
            let is = collection_at(&self.output, at);
            let admitted = if upper.admits(at) { self.owed.admits(at) } else { false };
            assert!(is == should || admitted, "{what}: at {at:?} is {is:?}, should be {should:?}");
        }
    }
}

fn histories_are_right(
    engine: &mut impl Engine<Point, i64, i64>,
    rows: &[Row],
    uppers: &[Frontier<Point>],
    times: &[Point],
) {
    for function in FUNCTIONS {
        for compacts in [false, true] {
            let mut key = Key::new(rows, compacts);
            for upper in uppers {
                key.advance_to(upper, engine, function, times);
            }
            key.advance_to(&Frontier::empty(), engine, function, times);
            assert!(key.owed.is_empty(), "all is complete, so nothing is owed: {:?}", key.owed);
        }
    }
}

/// All frontiers of a grid.
fn frontiers(times: &[Point]) -> Vec<Frontier<Point>> {
    let mut frontiers: Vec<Frontier<Point>> =
        sets_of_at_most(3, times).into_iter().map(|set| set.into_iter().collect()).collect();
    frontiers.sort_by(|a, b| a.elements().cmp(b.elements()));
    frontiers.dedup();
    frontiers
}

/// Every history of at most two edits on a 3 x 3 grid cut at every two frontiers, and every one of three at each one.
#[test]
fn outputs_are_right_at_every_time_of_the_small_world() {
    let times = grid(3);
    let engine = &mut Replaying::default();
    let cuts = frontiers(&times);
    assert_eq!(cuts.len(), 20);
    let edits: Vec<Row> = times.iter().flat_map(|time| [1, -1].map(|diff| (0, time.clone(), diff))).collect();
    for rows in sets_of_at_most(3, &edits) {
        for first in &cuts {
            histories_are_right(engine, &rows, std::slice::from_ref(first), &times);
            for second in cuts.iter().filter(|second| rows.len() < 3 && first.precedes(second)) {
                histories_are_right(engine, &rows, &[first.clone(), second.clone()], &times);
            }
        }
    }
}

#[test]
fn outputs_are_right_at_every_time_of_larger_worlds() {
    let engine = &mut Replaying::default();
    for seed in 0..4_000 {
        let random = &mut Random::new(seed);
        // Two coordinates on a 4 x 4 grid; one; or three on a cube.
        let (coordinates, side) = [(2, 4), (1, 8), (3, 3)][random.below(3)];
        let mut times = vec![Vec::new()];
        for _ in 0..coordinates {
            times = times.iter().flat_map(|t: &Vec<u64>| (0..side).map(move |x| [&t[..], &[x]].concat())).collect();
        }
        let times: Vec<Point> = times.iter().map(|coordinates| Point::new(coordinates)).collect();
        let ranks = 1 + random.below(3);
        let rows: Vec<Row> = (0..random.below(14))
            .map(|_| {
                let diff = [1, 1, -1, 2][random.below(4)];
                (random.below(ranks) as u32, random.point(coordinates, side as usize), diff)
            })
            .collect();
        let mut upper = Frontier::<Point>::minimum();
        let uppers: Vec<Frontier<Point>> = (0..random.below(6))
            .map(|_| {
                let step = (0..1 + random.below(3)).map(|_| random.point(coordinates, side as usize + 1)).collect();
                upper = upper.join(&step);
                upper.clone()
            })
            .collect();
        histories_are_right(engine, &rows, &uppers, &times);
    }
}

/// Engines that are kept see no trace of the key before.
#[test]
fn a_failed_key_leaves_nothing_behind() {
    let mut engine = Replaying::<u64, i64, i64>::default();
    let correct = |engine: &mut Replaying<u64, i64, i64>, diffs: [i64; 3]| {
        let mut input: Edits<u64, i64> = (1..).zip(diffs).map(|(time, diff)| (0, time, diff)).collect();
        let mut count = |_: &u64, present: &[(u32, i64)], should: &mut Vec<(u32, i64)>| {
            should.extend(present);
            Ok(())
        };
        let (mut corrections, mut owed) = (Edits::default(), Frontier::empty());
        let (due, upper) = (&Frontier::from(1), &Frontier::from(3));
        let work = KeyWork { input: &mut input, output: &mut Edits::default(), due, upper };
        engine.correct(work, &mut count, &mut corrections, &mut owed)?;
        Ok((corrections, owed))
    };
    assert_eq!(correct(&mut engine, [i64::MAX, 1, 1]), Err(Overflow));
    let expected = (Edits::from_iter([(0, 1, 5), (0, 2, 1)]), Frontier::from(3));
    assert_eq!(correct(&mut engine, [5, 1, 1]), Ok(expected));
}

/// A key whose value is replaced ten thousand times: evaluating from scratch each time would take minutes.
#[test]
fn a_long_history_costs_what_it_nets_to() {
    let mut input = Edits::default();
    for step in 0..10_000 {
        input.push(step as u32, step, 1i64);
        input.push(step as u32, step + 1, -1);
    }
    let mut least = |_: &u64, present: &[(u32, i64)], should: &mut Vec<(u32, i64)>| {
        assert!(present.len() <= 1);
        should.extend(present);
        Ok(())
    };
    let (mut corrections, mut owed) = (Edits::default(), Frontier::empty());
    let (due, upper) = (&Frontier::from(0u64), &Frontier::from(20_000));
    let work = KeyWork { input: &mut input, output: &mut Edits::default(), due, upper };
    Replaying::default().correct(work, &mut least, &mut corrections, &mut owed).expect("no overflow");
    assert_eq!((corrections.len(), owed), (20_000, Frontier::empty()));
}
