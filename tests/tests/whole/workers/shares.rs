//! Shares add up to the whole: what each worker reads of an output is the records that its hash names, and together they
//! are what one worker reads of the gathered collection.

use std::fmt::Debug;

use tests::{Bag, Cell, History, Kept, Pair, accumulate, bag, cells, in_time};

use differential::collection::{Collection, Session};
use differential::column::hash::{SEED, absorb};
use differential::column::{Column, Data, ShapeOf};
use differential::operators::capture::{Capture, Captured};
use differential::time::Point;
use differential::updates::part_of;
use differential::{Config, Error, run};

use super::suite;

/// What a worker has read after a commit, and captured by then.
struct Seen<D> {
    share: Bag<D>,
    captured: Bag<D>,
    whole: Bag<D>,
    gathered: Bag<D>,
}

/// Adds what a capture has to a history, and answers what it comes to.
fn take<D: Data>(capture: &mut Capture<D>, into: &mut History<D>) -> Bag<D> {
    for event in capture.take() {
        if let Captured::Updates(updates) = event {
            into.extend(updates);
        }
    }
    accumulate(into, &Point::from(u64::MAX))
}

/// The worker that owns a record.
fn owner<D: Data>(record: &D, workers: usize) -> usize
where
    ShapeOf<D>: Default,
{
    let mut column = D::Column::empty(&ShapeOf::<D>::default());
    column.push_owned(record.clone());
    let mut hashes = Vec::new();
    column.hashes(0..1, &mut hashes);
    part_of(hashes[0], workers)
}

/// Runs a program at a cell, epoch after epoch, and compares what the workers have.
pub(crate) fn add_up<D: Data + Debug>(
    name: &str,
    cell: &Cell,
    inputs: &[History<Pair>],
    program: &(impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Sync),
) where
    ShapeOf<D>: Default,
{
    let config = cell.fuel.into_iter().fold(Config::workers(cell.workers), Config::step_fuel);
    let last = cell.grid().times().len() as u64;
    let ends: Vec<u64> =
        (1..).map(|commit| commit * cell.commits).take_while(|end| *end < last).chain([last]).collect();
    let answers = in_time(format!("{name} at {cell:?}"), || {
        run(config, |worker| {
            let (mut sessions, mut ends_of) = worker.dataflow(|scope| {
                let (sessions, collections): (Vec<Session<Pair>>, Vec<Collection<Pair>>) =
                    (0..inputs.len()).map(|input| scope.input(&format!("input {input}"))).unzip();
                let result = program(&collections, &mut Kept::none());
                let whole = result.gather();
                (sessions, (result.output(), result.capture(), whole.output(), whole.capture()))
            })?;
            let (mut mine, mut all) = (History::new(), History::new());
            let mut seen = Vec::new();
            let mut fed = 0;
            for end in &ends {
                for (input, history) in inputs.iter().enumerate() {
                    let due = |time: &Point| (fed..*end).contains(&time.coordinate(0));
                    for (at, (pair, time, diff)) in history.iter().enumerate().filter(|(_, (_, time, _))| due(time)) {
                        if at % worker.peers() == worker.index() {
                            sessions[input].update_at(*pair, time.clone(), *diff)?;
                        }
                    }
                }
                fed = *end;
                worker.commit_to(Point::from(*end), sessions.iter_mut().collect::<Vec<_>>())?;
                let (share, captured, whole, gathered) = &mut ends_of;
                seen.push(Seen {
                    share: share.rows()?.into_iter().collect(),
                    captured: take(captured, &mut mine),
                    whole: whole.rows()?.into_iter().collect(),
                    gathered: take(gathered, &mut all),
                });
            }
            Ok::<_, Error>(seen)
        })
    });
    let answers = answers.unwrap_or_else(|error| panic!("{name} at {cell:?}: {error}"));
    for (commit, end) in ends.iter().enumerate() {
        let first = &answers[0][commit];
        let context = || format!("{name} at {cell:?}, after the commit to {end}");
        assert_eq!(first.gathered, first.whole, "{}: captured and read, gathered", context());
        for (worker, seen) in answers.iter().map(|seen| &seen[commit]).enumerate() {
            let other = seen.share.keys().find(|record| owner(*record, cell.workers) != worker);
            assert_eq!(other, None, "{}: a record of another worker is on {worker}", context());
            assert!(worker == 0 || seen.whole.is_empty(), "{}: gathered, and yet on {worker}", context());
        }
        // What is captured stays where it was added up, and that need not be where its hash names; but it is one place.
        let captured: Vec<_> = answers.iter().flat_map(|seen| seen[commit].captured.clone()).collect();
        assert_eq!(bag(captured.clone()).len(), captured.len(), "{}: captured on two workers", context());
        assert_eq!(bag(captured), first.whole, "{}: what is captured everywhere, and the whole", context());
        let shares = bag(answers.iter().flat_map(|seen| seen[commit].share.clone()));
        assert_eq!(shares, first.whole, "{}: the shares' sum and the whole", context());
    }
}

fn at_cells(programs: Vec<suite::Program>) {
    for program in programs {
        let among = cells(program.name, usize::MAX).into_iter().filter(|cell| cell.workers > 1);
        let most = if tests::whole_matrix() { usize::MAX } else { 2 };
        among.take(most).for_each(|cell| (program.shares)(&cell));
    }
}

#[test]
fn shares_of_every_operator() {
    at_cells(suite::row_by_row());
    at_cells(suite::joins());
    at_cells(suite::reductions());
}

#[test]
fn shares_of_every_loop_and_algorithm() {
    at_cells(suite::loops());
    at_cells(suite::algorithms());
}

/// The owner, spelt out as the page of the hash has it: a pair's words are its two numbers, and a hash's worker is its
/// place in the range of all hashes.
#[test]
fn the_hash_of_a_pair_is_that_of_its_words() {
    for key in 0..50u32 {
        for value in 0..50u32 {
            let hash = absorb(absorb(SEED, u64::from(key)), u64::from(value));
            for workers in [1usize, 2, 3, 8] {
                let place = (u128::from(hash) * workers as u128) >> 64;
                assert_eq!(owner(&(key, value), workers) as u128, place, "({key}, {value}) of {workers}");
            }
        }
    }
}
