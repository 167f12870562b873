//! Laws of traces: merging and compaction never show, whatever is held, released, appended and merged in between.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Observer, Position, ReadError, TraceHandle, TraceWriter};
use crate::batch::{Batch, Span};
use crate::diff::OverflowAt;
use crate::layout::Rows;
use crate::time::small_world::{Random, grid};
use crate::time::{Frontier, Point, Time, TimeColumn};
use crate::updates::Keyed;

type Numbers = Rows<u64, u64, Point, i64>;
type Row = (u64, u64, Point, i64);

fn batch_of(updates: &[Row]) -> Option<Arc<Batch<Numbers>>> {
    let mut rows = Keyed::empty(&(), &());
    updates.iter().for_each(|(key, val, time, diff)| rows.push(*key, *val, time, *diff));
    rows.consolidate().expect("small sums");
    Batch::new(rows).map(Arc::new)
}

/// The collection at a time, from the definition.
fn accumulated<'a>(updates: impl Iterator<Item = &'a Row>, at: &Point) -> BTreeMap<(u64, u64), i64> {
    let mut sums = BTreeMap::new();
    for (key, val, _, diff) in updates.filter(|row| row.2.precedes(at)) {
        *sums.entry((*key, *val)).or_insert(0) += diff;
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

fn updates_in(batches: &[Arc<Batch<Numbers>>]) -> Vec<Row> {
    let mut rows = Vec::new();
    for batch in batches {
        for key in 0..batch.keys().len() {
            for val in batch.vals_of(key..key + 1) {
                for update in batch.updates_of(val..val + 1) {
                    let (time, diff) = (batch.times().get(update), batch.diffs().get(update));
                    rows.push((batch.keys()[key], batch.vals()[val], time, diff));
                }
            }
        }
    }
    rows
}

/// A trace on plain times: a span for each epoch.
struct Epochs {
    writer: TraceWriter<Numbers>,
    epoch: u64,
}

impl Epochs {
    fn new() -> (Self, TraceHandle<Numbers>) {
        let writer = TraceWriter::new();
        let handle = writer.handle();
        (Epochs { writer, epoch: 0 }, handle)
    }

    /// Appends a span with these keys, each inserted or removed once.
    fn append(&mut self, keys: impl IntoIterator<Item = u64>, diff: i64) -> Position {
        let time = Point::from(self.epoch);
        let rows: Vec<Row> = keys.into_iter().map(|key| (key, 0, time.clone(), diff)).collect();
        self.epoch += 1;
        let (lower, upper) = (Frontier::from(time), Frontier::from(Point::from(self.epoch)));
        self.writer.append(Span { lower, upper, batch: batch_of(&rows) }).expect("small sums")
    }

    /// Offers idle effort until nothing is left to do; how often.
    fn rest(&mut self, effort: usize) -> usize {
        (1..).find(|_| !self.writer.maintain(effort).expect("small sums")).expect("it ends")
    }
}

/// A handle and what it should hold.
struct Model {
    handle: TraceHandle<Numbers>,
    times: Frontier<Point>,
    position: Position,
}

#[test]
fn at_every_time_past_since_a_held_position_reads_as_what_was_appended_before_it() {
    for seed in 0..250 {
        let mut random = Random::new(seed);
        let (side, most) = (4, [3, 20, 120][random.below(3)]);
        let (keys, vals) = ([2, 40][random.below(2)], 1 + random.below(3));
        let times = grid(side as u64);

        // All that will ever happen, and the frontiers at which it is cut into spans.
        let mut frontiers = vec![Frontier::minimum()];
        for _ in 0..random.below(12) {
            let next = Frontier::from_iter([random.point(2, side), random.point(2, side)]);
            frontiers.push(frontiers.last().expect("there is one").join(&next));
        }
        frontiers.push(Frontier::empty());
        let mut all: Vec<(Position, Row)> = Vec::new();

        let mut writer = TraceWriter::<Numbers>::new();
        let mut readers = vec![Model { handle: writer.handle(), times: Frontier::minimum(), position: 0 }];
        for (number, bounds) in (1..).zip(frontiers.windows(2)) {
            let open: Vec<&Point> =
                times.iter().filter(|time| bounds[0].admits(time) && !bounds[1].admits(time)).collect();
            let count = if open.is_empty() { 0 } else { random.below(most) };
            let rows: Vec<Row> = (0..count)
                .map(|_| {
                    let (key, val) = (random.below(keys) as u64, random.below(vals) as u64);
                    (key, val, open[random.below(open.len())].clone(), [1, -1, 2][random.below(3)])
                })
                .collect();
            all.extend(rows.iter().cloned().map(|row| (number, row)));
            let span = Span { lower: bounds[0].clone(), upper: bounds[1].clone(), batch: batch_of(&rows) };
            assert_eq!(writer.append(span), Ok(number), "seed {seed}");

            for _ in 0..random.below(5) {
                let which = random.below(readers.len());
                let Model { handle, times, position } = &mut readers[which];
                match random.below(7) {
                    0 | 1 => {
                        let frontier = Frontier::from(random.point(2, side));
                        handle.hold_times(&frontier);
                        *times = times.join(&frontier);
                    }
                    2 | 3 => {
                        let asked = if random.below(4) == 0 { random.below(number as usize) as u64 } else { number };
                        if asked == number || asked <= *position {
                            handle.hold_position(asked);
                            *position = asked.max(*position);
                        }
                    }
                    4 => {
                        let (handle, times, position) = (handle.clone(), times.clone(), *position);
                        readers.push(Model { handle, times, position });
                    }
                    5 if readers.len() > 1 => drop(readers.remove(which)),
                    _ => _ = writer.maintain([1, 10, 1000, usize::MAX][random.below(4)]).expect("small sums"),
                }
            }

            let mut since = Frontier::empty();
            readers.iter().for_each(|reader| since.extend(&reader.times));
            for Model { handle, position, .. } in &readers {
                assert_eq!(handle.since(), since, "seed {seed}, span {number}");
                assert_eq!((handle.upper(), handle.newest()), (bounds[1].clone(), number), "seed {seed}");
                let batches = handle.read(*position).expect("a held position can be read");
                batches.iter().for_each(|batch| batch.check());
                let found = updates_in(&batches);
                for at in times.iter().filter(|at| since.admits(at)) {
                    let expected = all.iter().filter(|(span, _)| span <= position).map(|(_, row)| row);
                    assert_eq!(
                        accumulated(found.iter(), at),
                        accumulated(expected, at),
                        "seed {seed}, span {number}, position {position}, at {at:?}, since {since:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_million_spans_without_batches_are_one_number() {
    let (mut epochs, handle) = Epochs::new();
    epochs.append(0..10, 1);
    handle.hold_position(1);
    for _ in 0..1_000_000 {
        epochs.append([], 1);
    }
    epochs.append(0..10, 1);
    assert_eq!((handle.newest(), handle.batches()), (1_000_002, 2));
    assert_eq!(handle.upper(), Frontier::from(Point::from(1_000_002)));
    for position in [1, 2, 500_000, 1_000_001] {
        let batches = handle.read(position).expect("nothing was merged across it");
        assert_eq!(updates_in(&batches).len(), 10, "position {position}");
    }
}

#[test]
fn the_number_of_batches_is_logarithmic_and_idle_effort_leaves_one() {
    let (mut epochs, handle) = Epochs::new();
    let mut most = 0;
    for epoch in 0..4000 {
        epochs.append((0..10).map(|key| 10 * epoch + key), 1);
        handle.hold_times(&Frontier::from(Point::from(epoch)));
        handle.hold_position(epoch + 1);
        most = most.max(handle.batches());
    }
    // Forty thousand updates make six levels, of three batches at most and mostly one.
    assert!(most <= 18, "{most} batches");
    let before = handle.read(4000).expect("the newest position is held");
    assert!(epochs.rest(1000) > 8, "a pause is not a rest");
    assert_eq!((handle.batches(), handle.updates()), (1, 40_000));
    assert_eq!(updates_in(&before).len(), 40_000, "what was read stays as it was");
    assert!(handle.read(4000).expect("held")[0].times().uniform().is_some(), "all times are advanced to one");
}

#[test]
fn a_batch_alone_is_rewritten_once_when_since_makes_it_smaller() {
    let (mut epochs, handle) = Epochs::new();
    epochs.append(0..1000, 1);
    epochs.append(0..1000, -1);
    epochs.append(0..100, 1);
    epochs.rest(10_000);
    assert_eq!((handle.batches(), handle.updates()), (1, 2100), "all three times are still held");

    handle.hold_times(&Frontier::from(Point::from(1)));
    epochs.rest(10_000);
    assert_eq!((handle.batches(), handle.updates()), (1, 100), "what was inserted and removed has vanished");

    // Now nothing can become smaller: no rest at all, and the batch stays the same one.
    let batch = handle.read(3).expect("held").remove(0);
    handle.hold_times(&Frontier::from(Point::from(2)));
    assert!(!epochs.writer.maintain(10_000).expect("small sums"));
    assert!(Arc::ptr_eq(&batch, &handle.read(3).expect("held")[0]));
}

#[test]
fn a_batch_that_came_with_a_past_is_rewritten_and_one_that_merged_is_not() {
    // Both happened before what is held when they come.
    let mut writer = TraceWriter::<Numbers>::new();
    let handle = writer.handle();
    handle.hold_times(&Frontier::from(Point::from(5)));
    let rows = [(1, 1, Point::from(1), 1), (1, 1, Point::from(2), -1), (2, 2, Point::from(1), 1)];
    let (lower, upper) = (Frontier::minimum(), Frontier::from(Point::from(9)));
    writer.append(Span { lower, upper, batch: batch_of(&rows) }).expect("small sums");
    while writer.maintain(1000).expect("small sums") {}
    assert_eq!(updates_in(&handle.read(1).expect("nothing is behind it")), [(2, 2, Point::from(5), 1)]);

    // Two updates a pair, which a merge has advanced as far as they go.
    let (mut epochs, handle) = Epochs::new();
    epochs.append(0..10, 1);
    epochs.append(0..10, 1);
    let merged = handle.read(2).expect("nothing is behind it").remove(0);
    assert_eq!(merged.len(), 20);
    epochs.rest(1000);
    assert!(Arc::ptr_eq(&merged, &handle.read(2).expect("nothing is behind it")[0]));
}

#[test]
fn rewriting_in_vain_waits_twice_as_long_each_time() {
    // Two updates of each pair, which no since will ever bring together: rounds of a loop.
    let mut writer = TraceWriter::<Numbers>::new();
    let handle = writer.handle();
    let rows: Vec<Row> =
        (0..100).flat_map(|key| [(key, 0, Point::from([0, 1]), 1), (key, 0, Point::from([0, 2]), 1)]).collect();
    let (lower, upper) = (Frontier::minimum(), Frontier::from(Point::from(1)));
    writer.append(Span { lower, upper, batch: batch_of(&rows) }).expect("small sums");
    let mut rewritten = 0;
    let mut batch = handle.read(1).expect("nothing is behind it").remove(0);
    for epoch in 1..1000 {
        handle.hold_times(&Frontier::from(Point::from(epoch)));
        while writer.maintain(1000).expect("small sums") {}
        let now = handle.read(1).expect("nothing is behind it").remove(0);
        rewritten += usize::from(!Arc::ptr_eq(&batch, &now));
        batch = now;
    }
    assert_eq!(batch.len(), 200);
    assert!((8..=11).contains(&rewritten), "{rewritten} times in 1000 epochs");
}

/// Case C3: a reader that announces an older frontier than it has.
#[test]
fn holds_never_go_back() {
    let (mut epochs, handle) = Epochs::new();
    for _ in 0..10 {
        epochs.append(0..3, 1);
    }
    handle.hold_times(&Frontier::from(Point::from(5)));
    for (asked, since) in [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5), (6, 6), (7, 7), (2, 7)] {
        handle.hold_times(&Frontier::from(Point::from(asked)));
        assert_eq!(handle.since(), Frontier::from(Point::from(since)), "asked for {asked}");
        epochs.rest(usize::MAX);
        for at in since..10 {
            assert_eq!(handle.check(&Point::from(at)), Ok(()));
            let found = updates_in(&handle.read(10).expect("nothing is behind it"));
            let expected: BTreeMap<_, _> = (0..3).map(|key| ((key, 0), at as i64 + 1)).collect();
            assert_eq!(accumulated(found.iter(), &Point::from(at)), expected, "asked for {asked}, at {at}");
        }
    }
    handle.hold_position(8);
    handle.hold_position(3);
    epochs.append(0..3, 1);
    assert!(handle.read(3).is_err(), "position 3 was given up, and could be again only by luck");
}

#[test]
fn frontiers_that_do_not_compare_are_joined() {
    let writer = TraceWriter::<Numbers>::new();
    let handle = writer.handle();
    handle.hold_times(&Frontier::from(Point::from([0, 2])));
    handle.hold_times(&Frontier::from(Point::from([1, 0])));
    assert_eq!(handle.since(), Frontier::from(Point::from([1, 2])));
    let other = handle.clone();
    handle.hold_times(&Frontier::from(Point::from([5, 2])));
    other.hold_times(&Frontier::from(Point::from([1, 6])));
    assert_eq!(handle.since(), Frontier::from_iter([Point::from([1, 6]), Point::from([5, 2])]));
}

#[test]
fn what_cannot_be_read_is_said_with_the_facts() {
    let (mut epochs, handle) = Epochs::new();
    for _ in 0..6 {
        epochs.append(0..3, 1);
    }
    handle.hold_times(&Frontier::from(Point::from(4)));
    let since = Frontier::from(Point::from(4));
    let upper = Frontier::from(Point::from(6));
    assert_eq!(handle.check(&Point::from(3)), Err(ReadError::Compacted { asked: Point::from(3), since }));
    assert_eq!(handle.check(&Point::from(4)), Ok(()));
    assert_eq!(handle.check(&Point::from(6)), Err(ReadError::NotYet { asked: Point::from(6), upper }));
    assert_eq!(handle.read(7).map(drop), Err(ReadError::NotAppended { asked: 7, newest: 6 }));
    let merged = handle.read(2).expect_err("nobody held position 2");
    assert_eq!(merged, ReadError::Merged { asked: 2, first: 1, last: 6 });
    assert_eq!(merged.to_string(), "position 2 was not held: spans 1 to 6 have become one batch");
}

#[test]
fn a_few_rows_are_taken_in_by_the_batch_before_and_it_says_so() {
    let (mut epochs, handle) = Epochs::new();
    let oldest = || Arc::as_ptr(&handle.read(handle.newest()).expect("the newest can be read")[0]);
    epochs.append(0..3, 1);
    let first = oldest();
    epochs.append(3..6, 1);
    assert_eq!(handle.read(1).map(drop), Err(ReadError::Merged { asked: 1, first: 1, last: 2 }));
    for epoch in 2..12 {
        // Readers have not seen what comes next, so it stays apart; what they have is taken in.
        handle.hold_position(epoch);
        epochs.append(3 * epoch..3 * epoch + 3, 1);
        assert_eq!((oldest(), handle.batches()), (first, 2), "epoch {epoch}: no merge made another batch");
    }
    assert_eq!(handle.read(10).map(drop), Err(ReadError::Merged { asked: 10, first: 1, last: 11 }));
    assert_eq!(updates_in(&handle.read(11).expect("it is held")).len(), 33);
}

#[test]
fn holding_the_empty_frontier_keeps_the_contents_and_releasing_does_not() {
    let (mut epochs, handle) = Epochs::new();
    epochs.append(0..100, 1);
    handle.hold_times(&Frontier::from(Point::from(1)));
    assert_eq!(handle.since(), Frontier::from(Point::from(1)));
    let other = handle.clone();
    handle.hold_times(&Frontier::empty());
    assert_eq!(handle.since(), Frontier::from(Point::from(1)), "the other one still tells times apart");
    other.hold_times(&Frontier::empty());
    epochs.append(100..200, 1);
    epochs.rest(usize::MAX);
    assert_eq!((handle.since(), handle.updates()), (Frontier::from(Point::from(1)), 200));
    handle.hold_times(&Frontier::from(Point::from(3)));
    assert_eq!(handle.since(), Frontier::from(Point::from(1)), "the empty frontier is where a hold ends");

    handle.release_times();
    assert_eq!(handle.updates(), 200, "the other one has not released its times");
    drop(other);
    assert_eq!((handle.since(), handle.updates()), (Frontier::empty(), 0));
    assert_eq!(handle.read(2).map(drop), Err(ReadError::Released));
    epochs.append(0..100, 1);
    let late = epochs.writer.handle();
    epochs.append(0..100, 1);
    assert_eq!((late.updates(), late.newest()), (0, 4), "what has gone does not come back in part");
    assert_eq!(late.check(&Point::from(3)), Err(ReadError::Released));
}

#[test]
fn dropping_a_handle_lets_compaction_and_merging_go_on() {
    let (mut epochs, handle) = Epochs::new();
    epochs.append(0..100, 1);
    let slow = handle.clone();
    slow.hold_position(1);
    handle.hold_position(1);
    for _ in 0..20 {
        epochs.append(0..100, -1);
        epochs.append(0..100, 1);
    }
    handle.hold_position(41);
    handle.hold_times(&Frontier::from(Point::from(40)));
    epochs.rest(usize::MAX);
    assert_eq!((handle.batches(), handle.updates()), (2, 4100), "the slow one holds the cut and all times");
    drop(slow);
    epochs.rest(usize::MAX);
    assert_eq!((handle.batches(), handle.updates()), (1, 100));
    assert_eq!(handle.read(41).expect("held").len(), 1);
}

#[test]
fn a_late_reader_starts_from_everything_as_of_since() {
    let (mut epochs, handle) = Epochs::new();
    for epoch in 0..50 {
        epochs.append(0..epoch, 1);
    }
    handle.hold_times(&Frontier::from(Point::from(45)));
    epochs.rest(usize::MAX);
    let late = epochs.writer.handle();
    assert_eq!(late.since(), Frontier::from(Point::from(45)));
    let start = late.read(late.newest()).expect("a new handle holds the newest position");
    epochs.append(0..60, 1);
    handle.hold_position(51);
    epochs.append(0..60, 1);
    let again = late.read(50).expect("the late reader holds the cut where it started");
    for at in 45..50 {
        let expected: BTreeMap<_, _> = (0..at).map(|key| ((key, 0), (at - key) as i64)).collect();
        for batches in [&start, &again] {
            assert_eq!(accumulated(updates_in(batches).iter(), &Point::from(at)), expected, "at {at}");
        }
    }
}

#[test]
fn a_merge_that_overflows_says_so_and_leaves_everything_readable() {
    let mut writer = TraceWriter::<Numbers>::new();
    let handle = writer.handle();
    handle.hold_times(&Frontier::from(Point::from(9)));
    let mut append = |epoch: u64| {
        let rows: Vec<Row> = (0..3).map(|key| (key, 0, Point::from(epoch), i64::MAX)).collect();
        let (lower, upper) = (Frontier::from(Point::from(epoch)), Frontier::from(Point::from(epoch + 1)));
        writer.append(Span { lower, upper, batch: batch_of(&rows) })
    };
    assert_eq!(append(0), Ok(1));
    for epoch in 1..5 {
        assert_eq!(append(epoch), Err(OverflowAt::new(Point::from(9))), "epoch {epoch}");
        assert_eq!(updates_in(&handle.read(epoch + 1).expect("it was appended")).len(), 3 * (epoch as usize + 1));
    }
    assert_eq!(updates_in(&handle.read(1).expect("nothing has merged")).len(), 3);
}

#[test]
#[should_panic(expected = "spans must abut")]
fn a_span_that_does_not_abut_is_refused() {
    let mut writer = TraceWriter::<Numbers>::new();
    let later = Frontier::from(Point::from(1));
    _ = writer.append(Span { lower: later.clone(), upper: later, batch: None });
}

#[test]
fn what_readers_take_out_goes_between_threads() {
    let (mut epochs, handle) = Epochs::new();
    epochs.append(0..100, 1);
    let batches = handle.read(1).expect("nothing is behind it");
    let counted = std::thread::spawn(move || updates_in(&batches).len());
    epochs.append(0..100, 1);
    assert_eq!(counted.join().expect("it only counts"), 100);
}

/// How many batches there are, and how many updates in them, by what an observer is told.
#[derive(Default)]
struct Tally(std::cell::Cell<(i64, i64)>);

impl Tally {
    fn add(&self, batches: i64, updates: i64) {
        let (all, updates_in_all) = self.0.get();
        self.0.set((all + batches, updates_in_all + updates));
    }
}

impl Observer for Tally {
    fn added(&self, updates: usize) {
        self.add(1, updates as i64);
    }

    fn merged(&self, older: usize, newer: Option<usize>, made: usize) {
        let gone = older + newer.unwrap_or(0);
        self.add(i64::from(made > 0) - 1 - i64::from(newer.is_some()), made as i64 - gone as i64);
    }

    fn dropped(&self, updates: usize) {
        self.add(-1, -(updates as i64));
    }
}

#[test]
fn an_observer_can_tell_how_much_there_is() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let tally = std::rc::Rc::new(Tally::default());
        let writer = TraceWriter::observed(Some(tally.clone()));
        let handle = writer.handle();
        let mut epochs = Epochs { writer, epoch: 0 };
        for _ in 0..80 {
            let keys = (0..random.below(30) as u64).collect::<Vec<_>>();
            epochs.append(keys, [1, -1][random.below(2)]);
            match random.below(4) {
                0 => handle.hold_times(&Frontier::from(Point::from(epochs.epoch))),
                1 => handle.hold_position(handle.newest()),
                2 => _ = epochs.writer.maintain([1, 1_000][random.below(2)]).expect("small sums"),
                _ => {}
            }
            let there = (handle.batches() as i64, handle.updates() as i64);
            assert_eq!(tally.0.get(), there, "seed {seed}");
        }
        match seed % 3 {
            0 => handle.release_times(),
            1 => drop((epochs, handle)),
            _ => drop((handle, epochs)),
        }
        assert_eq!(tally.0.get(), (0, 0), "seed {seed}: all are let go");
    }
}
