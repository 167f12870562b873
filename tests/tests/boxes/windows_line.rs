//! Windows on event time say what a walk over the epochs says, at every epoch, in every way of running them.
//!
//! A row's event time is its value. The oracle decides epoch by epoch what came on time; the rest are functions of the
//! rows on time and the watermark. First a small world, all of it; then random events of rising times, of which some come
//! late and some are removed; then rows whose counts go below zero.

use tests::{Arrival, Bag, Grid, History, Kept, Pair, Random, Way, bag, check_all, every_way, history, lists, sum};

use differential::collection::Collection;
use differential::column::Data;
use differential::operators::windows::Events;
use differential::prelude::*;

const LATENESS: u64 = 4;

/// What came on time up to an epoch, what came late, and the watermark.
#[derive(Default)]
struct Settled {
    on_time: Bag<Pair>,
    late: Bag<Pair>,
    watermark: u64,
}

fn settled(history: &History<Pair>, epoch: u64) -> Settled {
    let (mut settled, mut greatest) = (Settled::default(), 0);
    for epoch in 0..=epoch {
        let here = history.iter().filter(|(_, time, _)| time.coordinate(0) == epoch);
        let here = bag(here.map(|(row, _, diff)| (*row, *diff)));
        greatest = here.iter().filter(|(_, diff)| **diff > 0).map(|(row, _)| u64::from(row.1)).fold(greatest, u64::max);
        settled.watermark = greatest.saturating_sub(LATENESS);
        let on_time = |row: &Pair| u64::from(row.1) >= settled.watermark;
        settled.late =
            sum(&settled.late, &here.iter().filter(|(row, _)| !on_time(row)).map(|(r, n)| (*r, *n)).collect());
        settled.on_time = sum(&settled.on_time, &here.into_iter().filter(|(row, _)| on_time(row)).collect());
    }
    settled
}

/// The rows on time, each in all of its windows that end past a watermark.
fn in_windows(on_time: &Bag<Pair>, watermark: u64, width: u64, step: u64) -> Bag<(u64, Pair)> {
    let starts = |at: u64| (0..=at).filter(move |start| start % step == 0 && at < start + width);
    let all = on_time.iter().flat_map(|(row, count)| starts(row.1.into()).map(|start| ((start, *row), *count)));
    bag(all.filter(|((start, _), _)| start + width > watermark))
}

/// Key, first and last time of a session, with its rows.
type Session = ((u32, (u64, u64)), Bag<Pair>);

/// The sessions of the rows on time whose last row is at most `gap` before a watermark.
fn sessions(on_time: &Bag<Pair>, watermark: u64, gap: u64) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for (&(key, value), &count) in on_time.iter().filter(|(_, count)| **count > 0) {
        let at = u64::from(value);
        match sessions.last_mut() {
            Some(((of, (_, last)), rows)) if *of == key && at - *last <= gap => {
                *last = at;
                rows.insert((key, value), count);
            }
            _ => sessions.push(((key, (at, at)), Bag::from([((key, value), count)]))),
        }
    }
    sessions.retain(|((_, (_, last)), _)| last + gap >= watermark);
    sessions
}

/// Rows labelled with the start of their session.
fn labelled(sessions: Vec<Session>) -> Bag<((u32, u64), Pair)> {
    let rows =
        |((key, (start, _)), rows): Session| rows.into_iter().map(move |(row, count)| (((key, start), row), count));
    sessions.into_iter().flat_map(rows).collect()
}

/// What is there at an epoch with the watermark of the one before, and not any more.
fn closing<D: Ord + Clone>(history: &History<Pair>, epoch: u64, open: impl Fn(&Bag<Pair>, u64) -> Bag<D>) -> Bag<D> {
    let Some(before) = epoch.checked_sub(1).map(|before| settled(history, before)) else { return Bag::new() };
    let (was, is) = (open(&before.on_time, before.watermark), open(&before.on_time, settled(history, epoch).watermark));
    sum(&was, &is.into_iter().map(|(row, count)| (row, -count)).collect())
}

/// What is made of a program's one input.
type Build<D> = fn(&Events<Pair>) -> Collection<D>;
/// What is expected of it at an epoch.
type Expect<D> = fn(&History<Pair>, u64) -> Bag<D>;

/// The events of rising times: in each epoch some a little before or after, some removed again.
fn events(random: &mut Random, epochs: u64, each: u64, keys: u64, spread: u64) -> History<Pair> {
    let (mut present, mut history) = (Vec::<Pair>::new(), Vec::new());
    for epoch in 0..epochs {
        for _ in 0..random.below(2 * each) {
            let goes = !present.is_empty() && random.below(3) == 0;
            let (row, diff) = if goes {
                (present.swap_remove(random.below(present.len() as u64) as usize), -1)
            } else {
                let row = (random.below(keys) as u32, (2 * epoch + random.below(spread)) as u32);
                present.push(row);
                (row, 1)
            };
            history.push((row, Point::from(epoch), diff));
        }
    }
    history
}

/// Checks a program on every tiny history, on rising events, and on any pairs.
#[track_caller]
fn say_the_same<D: Data + std::fmt::Debug>(build: Build<D>, expect: Expect<D>) {
    let program = move |inputs: &[Collection<Pair>], _: &mut Kept| {
        build(&inputs[0].event_time("events", LATENESS, |(_, value)| value.into()))
    };
    let oracle = |histories: &[History<Pair>], at: &Point| expect(&histories[0], at.coordinate(0));
    let small = Grid::line(3);
    let updates: Vec<(Pair, Point, i64)> =
        [((1, 2), 0, 1), ((1, 2), 1, -1), ((1, 5), 1, 1), ((1, 8), 1, 1), ((1, 8), 2, -1)]
            .into_iter()
            .chain([((1, 12), 2, 1), ((2, 3), 2, 1), ((1, 3), 0, -1)])
            .map(|(row, time, diff)| (row, Point::from(time), diff))
            .collect();
    let way = Way::new(small.along(0, 1)).feeding(Arrival::Ahead);
    for history in lists(&updates, 3) {
        check_all("events of a tiny history", &small, std::slice::from_ref(&way), &[history], program, oracle);
    }
    let grid = Grid::line(10);
    for seed in 0..5 {
        let mut random = Random::new(seed);
        let (each, keys, spread) = [(2, 1, 6), (4, 2, 8), (8, 3, 4), (3, 1, 12)][seed as usize % 4];
        let history = match seed {
            4 => history(&mut random, &grid, 60, 2, 24),
            _ => events(&mut random, 10, each, keys, spread),
        };
        check_all(("seed", seed), &grid, &every_way(&grid, seed), &[history], program, oracle);
    }
}

#[test]
fn changes_on_time_and_changes_that_are_late() {
    say_the_same(|events| events.on_time().clone(), |history, epoch| settled(history, epoch).on_time);
    say_the_same(|events| events.late().clone(), |history, epoch| settled(history, epoch).late);
}

#[test]
fn the_last_rows() {
    fn open(on_time: &Bag<Pair>, watermark: u64) -> Bag<Pair> {
        on_time.iter().filter(|(row, _)| u64::from(row.1) + 3 >= watermark).map(|(row, count)| (*row, *count)).collect()
    }
    say_the_same(
        |events| events.last(3).open(),
        |history, epoch| {
            let Settled { on_time, watermark, .. } = settled(history, epoch);
            open(&on_time, watermark)
        },
    );
    say_the_same(|events| events.last(3).closing(), |history, epoch| closing(history, epoch, open));
}

#[test]
fn sliding_windows() {
    say_the_same(
        |events| events.sliding(6, 2).open(),
        |history, epoch| {
            let Settled { on_time, watermark, .. } = settled(history, epoch);
            in_windows(&on_time, watermark, 6, 2)
        },
    );
    say_the_same(
        |events| events.sliding(2, 3).closing(),
        |history, epoch| closing(history, epoch, |on_time, watermark| in_windows(on_time, watermark, 2, 3)),
    );
}

#[test]
fn session_windows() {
    say_the_same(
        |events| events.sessions(2, |(key, _)| key).open().clone(),
        |history, epoch| {
            let Settled { on_time, watermark, .. } = settled(history, epoch);
            labelled(sessions(&on_time, watermark, 2))
        },
    );
    say_the_same(
        |events| events.sessions(2, |(key, _)| key).closing().clone(),
        |history, epoch| closing(history, epoch, |on_time, watermark| labelled(sessions(on_time, watermark, 2))),
    );
    say_the_same(
        |events| events.sessions(1, |(key, _)| key).spans().clone(),
        |history, epoch| {
            let Settled { on_time, watermark, .. } = settled(history, epoch);
            sessions(&on_time, watermark, 1).into_iter().map(|(session, _)| (session, 1)).collect()
        },
    );
}

/// Windows of which the last never ends: nothing wraps, and nothing closes that should not.
#[test]
fn windows_at_the_end_of_time() {
    let last = u64::MAX;
    let rows = run_alone(Config::default(), |worker| {
        let (mut rows, ends) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<Pair>("keys, and times from the end back");
            let events =
                rows.event_time("events", 0, move |(_, back)| if back == 99 { 0 } else { last - u64::from(back) });
            let ends = (
                events.sliding(6, 3).open().output(),
                events.last(1).open().output(),
                events.sessions(2, |(key, _)| key).spans().output(),
                events.sessions(last, |(key, _)| key).spans().output(),
                events.late().output(),
            );
            (session, ends)
        })?;
        for back in [99, 9, 0, 1] {
            rows.insert((7, back));
            worker.commit(&mut rows)?;
        }
        let (sliding, recent, short, long, late) = ends;
        let starts: Vec<u64> = sliding.rows()?.into_iter().map(|((start, _), _)| start).collect();
        Ok::<_, Error>((starts, recent.rows()?, short.rows()?, long.rows()?, late.rows()?))
    });
    let (starts, recent, short, long, late) = rows.expect("nothing fails");
    // The greatest number is a multiple of three, and the window that starts three before it ends past it.
    assert_eq!(starts, [last - 3, last]);
    assert_eq!((recent, late), (vec![((7, 0), 1)], vec![((7, 1), 1)]));
    assert_eq!((short, long), (vec![((7, (last, last)), 1)], vec![((7, (0, last)), 1)]));
}

/// Two epochs that close at once come sorted by row, piece by piece: what rose at the later one first says nothing of the
/// earlier one.
#[test]
fn a_rise_that_comes_out_behind_that_of_a_later_time() {
    let late = run_alone(Config::default().step_fuel(1), |worker| {
        let (mut rows, late) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<Pair>("keys and times");
            (session, rows.event_time("events", LATENESS, |(_, at)| at.into()).late().output())
        })?;
        // More than are sorted at once.
        (0..50_000).try_for_each(|key| rows.update_at((key, 100), 1, 1))?;
        [(60_000, 45), (60_001, 50)].into_iter().try_for_each(|row| rows.update_at(row, 0, 1))?;
        worker.commit_to(Point::from(2), &mut rows)?;
        Ok::<_, Error>(late.rows()?)
    });
    assert_eq!(late, Ok(vec![((60_000, 45), 1)]));
}

#[test]
fn event_time_is_refused_where_times_are_not_totally_ordered() {
    let refused = |config: Config, inner: bool, step: u64| {
        run_alone(config, |worker| {
            let built = worker.dataflow(|scope| {
                let (session, rows) = scope.input::<Pair>("keys and times");
                let rows = if inner { rows.enter(&scope.inner("loop")) } else { rows };
                let events = rows.event_time("events", 0, |(_, at)| at.into());
                let _ = (events.sliding(6, step).open(), events.sessions(2, |(key, _)| key).open().clone());
                session
            });
            match built.map(|_| ()) {
                Err(Error::Refused { operator, reason }) => Some((operator, reason)),
                Err(other) => panic!("{other}"),
                Ok(()) => None,
            }
        })
    };
    assert_eq!(refused(Config::default(), false, 1), None);
    let (operator, reason) = refused(Config::default(), true, 1).expect("a loop");
    assert_eq!((&*operator, reason.contains("one coordinate")), ("events", true), "{reason}");
    assert!(refused(Config::default().input_coordinates(2), false, 1).is_some());
    let (operator, reason) = refused(Config::default(), false, 0).expect("a step of zero");
    assert_eq!((&*operator, reason.contains("zero")), ("sliding windows", true), "{reason}");
}
