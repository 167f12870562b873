//! Presence against a list of everything fed, filtered anew at each step.

use super::*;
use difftest::Random;

/// A row: its key, and its further columns, of which the first is its time.
#[derive(Clone, Debug)]
struct Row {
    key: u64,
    columns: Box<str>,
}

impl Row {
    fn time(&self) -> Seconds {
        self.columns.split('\t').next().unwrap().parse().unwrap()
    }
}

/// One event: feed a row (its time rides as first further column) or remove one.
#[derive(Clone, Debug)]
enum Event {
    Insert(Row),
    Remove(Row),
}

/// Every row ever fed, with what became of it. A dozen lines, no queue, no copies.
#[derive(Default)]
struct Ledger {
    rows: Vec<(Row, bool)>,
}

impl Ledger {
    fn present(&self, window: Window) -> Vec<&Row> {
        let newest = self.rows.last().map(|(row, _)| row.time());
        let inside = |(at, (row, _)): &(usize, &(Row, bool))| match window {
            Window::All => true,
            Window::Rows(rows) => at + rows as usize >= self.rows.len(),
            Window::Time(width) => newest.unwrap().before(width) < row.time(),
        };
        self.rows
            .iter()
            .enumerate()
            .filter(inside)
            .filter(|(_, (_, removed))| !removed)
            .map(|(_, (row, _))| row)
            .collect()
    }

    fn remove(&mut self, window: Window, wanted: &Row) -> bool {
        let named: Vec<&str> = wanted.columns.split('\t').filter(|column| !column.is_empty()).collect();
        let inside: Vec<*const Row> = self.present(window).into_iter().map(|row| row as *const Row).collect();
        let matching = |(row, _): &&mut (Row, bool)| {
            row.key == wanted.key
                && inside.contains(&(row as *const Row))
                && row.columns.split('\t').take(named.len()).eq(named.iter().copied())
        };
        self.rows.iter_mut().rev().find(matching).map(|(_, removed)| *removed = true).is_some()
    }
}

/// Runs the events both ways, comparing which rows are present after each.
fn check(window: Window, events: &[Event]) {
    let (mut presence, mut ledger, mut sums) = (Presence::new(window), Ledger::default(), HashMap::<u64, i64>::new());
    for (at, event) in events.iter().enumerate() {
        let mut changes = Vec::new();
        let story = || format!("{window:?}, after event {at} of {events:?}");
        match event {
            Event::Insert(row) => {
                let Row { key, columns } = row.clone();
                let fed = presence.insert(key, columns, row.time(), &mut changes);
                fed.unwrap_or_else(|error| panic!("{error}; {}", story()));
                ledger.rows.push((row.clone(), false));
            }
            Event::Remove(row) => {
                let removed = presence.remove(row.key, &row.columns, &mut changes);
                assert_eq!(removed, ledger.remove(window, row), "{}", story());
                assert_eq!(removed, changes.len() == 1, "{}", story());
            }
        }
        for (key, diff) in changes {
            *sums.entry(key).or_default() += diff;
        }
        sums.retain(|_, sum| *sum != 0);
        let mut wanted = HashMap::<u64, i64>::new();
        ledger.present(window).into_iter().for_each(|row| *wanted.entry(row.key).or_default() += 1);
        assert_eq!(sums, wanted, "{}", story());
        let mut columns: Vec<_> = ledger.present(window).into_iter().map(|row| (row.key, &*row.columns)).collect();
        let kept =
            presence.copies.iter().flat_map(|(&key, copies)| copies.iter().map(move |copy| (key, &*copy.columns)));
        let mut kept: Vec<_> = kept.collect();
        columns.sort();
        kept.sort();
        assert_eq!(kept, columns, "{}", story());
        assert_eq!(presence.rows_present(), kept.len() as u64, "{}", story());
        assert_eq!(presence.rows_fed(), ledger.rows.len() as u64, "{}", story());
    }
}

fn row(key: u64, columns: String) -> Row {
    Row { key, columns: columns.into_boxed_str() }
}

fn windows() -> [Window; 5] {
    let seconds = |text: &str| Window::Time(text.parse().unwrap());
    [Window::All, Window::Rows(1), Window::Rows(3), seconds("1"), seconds("2.5")]
}

/// Every sequence of five events out of six: two keys, equal and different copies, removals by key and by time.
#[test]
fn every_short_history_leaves_the_rows_that_filtering_leaves() {
    for window in windows() {
        for code in 0..6_usize.pow(5) {
            let mut time = 0;
            let events: Vec<Event> = (0..5)
                .map(|at| match code / 6_usize.pow(at) % 6 {
                    0 => Event::Insert(row(1, format!("{time}"))),
                    1 => Event::Insert(row(2, format!("{time}"))),
                    2 => {
                        time += 1;
                        Event::Insert(row(1, format!("{time}\ta")))
                    }
                    3 => Event::Remove(row(1, String::new())),
                    4 => Event::Remove(row(1, format!("{}", time.max(1) - 1))),
                    _ => Event::Remove(row(2, format!("{time}"))),
                })
                .collect();
            check(window, &events);
        }
    }
}

#[test]
fn long_random_histories_too() {
    for seed in 1..=200_u64 {
        let mut random = Random::new(seed);
        let mut below = |bound| random.below(bound);
        let mut time = 0;
        let events: Vec<Event> = (0..60)
            .map(|_| {
                time += below(2);
                let columns = match below(3) {
                    0 => format!("{time}"),
                    1 => format!("{time}\t{}", below(2)),
                    _ => format!("{time}.5\tx"),
                };
                match below(5) {
                    0 => Event::Remove(row(below(3), String::new())),
                    1 => Event::Remove(row(below(3), columns)),
                    _ => Event::Insert(row(below(3), columns.replace(".5", ""))),
                }
            })
            .collect();
        for window in windows().into_iter().chain([Window::Rows(7), Window::Rows(20)]) {
            check(window, &events);
        }
    }
}

#[test]
fn columns_named_match_whole_columns_only() {
    assert!(begins_with("", ""));
    assert!(begins_with("12\tx", "") && begins_with("12\tx", "12") && begins_with("12\tx", "12\tx"));
    assert!(!begins_with("12\tx", "1") && !begins_with("12\tx", "12\tx\ty") && !begins_with("12\tx", "x"));
}

#[test]
fn a_refused_row_leaves_everything_as_it_was() {
    let mut presence = Presence::new(Window::Time("10".parse().unwrap()));
    let mut changes = Vec::new();
    let mut insert = |presence: &mut Presence<u64>, time: &str| {
        presence.insert(1, "".into(), time.parse().unwrap(), &mut changes).map_err(|error| error.to_string())
    };
    insert(&mut presence, "5").unwrap();
    let refused = "time went back: 4.9 after 5; a window by time wants rows in order of time";
    assert_eq!(insert(&mut presence, "4.9"), Err(refused.to_string()));
    assert_eq!((presence.rows_fed(), presence.rows_present()), (1, 1));
    insert(&mut presence, "5").unwrap();
    assert_eq!((presence.rows_fed(), changes.len()), (2, 2));
}
