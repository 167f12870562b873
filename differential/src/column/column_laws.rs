//! The laws of columns, one set for every kind: see the numbered lines of [`Column`].
//!
//! Each law compares a column's own way with the plain one on a `Vec` of owned items. A type is tested on all lists of
//! up to three of its corner values, and then on random lists; a failure names the seed.
//!
//! The kinds here are in `kinds_laws.rs`, records typed at run time in `records_laws.rs`. Columns of other crates include
//! this file.

use super::hash::{SEED, absorb};
use super::{Column, Data, ShapeOf};
use crate::bytes::Reader;
use crate::bytes::laws::{Travel, check_travels};
use crate::time::Pick;

/// Numbers that are equal on every run: Marsaglia's xorshift of 64 bits.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn seeded(seed: u64) -> Random {
        // Small seeds differ in few bits, and zero would stay zero.
        Random(absorb(SEED, seed) | 1)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// A column of these items, pushed one by one.
pub(crate) fn column_of<D: Data>(shape: &ShapeOf<D>, items: &[D]) -> D::Column {
    let mut column = D::Column::empty(shape);
    for item in items {
        column.push(D::Column::lend(item));
    }
    column
}

/// What a column holds, read row by row.
pub(crate) fn items_of<D: Data>(column: &D::Column) -> Vec<D> {
    (0..column.len()).map(|row| D::Column::owned(column.get(row))).collect()
}

/// Checks every law on a column of these items.
pub(crate) fn check_laws<D: Data>(shape: &ShapeOf<D>, items: &[D]) {
    let column = column_of(shape, items);
    holds_what_was_pushed(shape, items, &column);
    has_one_order(items, &column);
    copies_rows(shape, items, &column);
    hashes_items_alone(shape, items, &column);
    finds_bounds(shape, items);
    travels_as_bytes(shape, items, &column);
}

fn holds_what_was_pushed<D: Data>(shape: &ShapeOf<D>, items: &[D], column: &D::Column) {
    assert_eq!(column.len(), items.len());
    assert_eq!(column.is_empty(), items.is_empty());
    assert_eq!(items_of::<D>(column), items);

    let mut owned = D::Column::empty(&column.shape());
    owned.reserve(items.len());
    items.iter().for_each(|item| owned.push_owned(item.clone()));
    assert_eq!(items_of::<D>(&owned), items, "pushed owned");

    for round in 0..2 {
        owned.clear();
        assert!(owned.is_empty(), "cleared, round {round}");
        owned.extend_range(column, 0..items.len());
        assert_eq!(items_of::<D>(&owned), items, "refilled, round {round}");
    }
    assert_eq!(D::Column::empty(shape).len(), 0);
}

fn has_one_order<D: Data>(items: &[D], column: &D::Column) {
    let bits = D::Column::PREFIX_BITS;
    let mut prefixes = vec![7];
    column.prefixes(0..items.len(), &mut prefixes);
    assert_eq!(prefixes.len(), items.len() + 1, "one prefix a row, behind what was there");
    let exact = column.exact_prefix();
    assert!(exact || !D::Column::EXACT_PREFIX, "what holds for all shapes holds for this one");
    if exact {
        let mut again = column.clone();
        again.extend_from_prefixes(&prefixes[1..]);
        assert_eq!(items_of::<D>(&again), [items, items].concat(), "items back from their prefixes");
    }
    if let Some(lane) = column.lane() {
        assert_eq!(lane, &prefixes[1..], "the lane is the prefixes");
    }
    if let Some(second) = column.second_lane() {
        let deeper: Vec<u64> = (0..items.len()).map(|row| column.deeper(row, 1)).collect();
        assert_eq!(second, deeper, "the second lane is what is deeper by one");
    }
    for (row, item) in items.iter().enumerate() {
        let prefix = prefixes[row + 1];
        assert_eq!(column.prefix(row), prefix);
        assert!(bits == 64 || prefix >> bits == 0, "{item:?}: prefix {prefix:#x} has more than {bits} bits");
        for (other_row, other) in items.iter().enumerate() {
            let order = item.cmp(other);
            let (lent, other_lent) = (D::Column::lend(item), column.get(other_row));
            assert_eq!(D::Column::reborrow(lent).cmp(&D::Column::reborrow(other_lent)), order, "{item:?}, {other:?}");
            assert_eq!(column.compare(row, column, other_row), order, "rows {item:?}, {other:?}");
            assert_eq!(column.compare_item(row, D::Column::lend(other)), order, "row and item {item:?}, {other:?}");
            let by_prefix = prefix.cmp(&prefixes[other_row + 1]);
            if exact {
                assert_eq!(by_prefix, order, "exact prefixes of {item:?}, {other:?}");
            } else {
                assert!(by_prefix.is_eq() || by_prefix == order, "prefixes of {item:?}, {other:?}");
                let deeper = |depth| column.deeper(row, depth).cmp(&column.deeper(other_row, depth));
                let first = by_prefix.then_with(|| (1..64).map(deeper).find(|by| by.is_ne()).unwrap_or(by_prefix));
                assert!(first.is_eq() || first == order, "deeper in {item:?}, {other:?}");
            }
        }
    }
}

fn copies_rows<D: Data>(shape: &ShapeOf<D>, items: &[D], column: &D::Column) {
    for start in 0..=items.len() {
        for end in start..=items.len() {
            // Twice: into an empty column, and behind what is there.
            let mut copy = D::Column::empty(shape);
            copy.extend_range(column, start..end);
            assert_eq!(items_of::<D>(&copy), &items[start..end], "range {start}..{end}");
            copy.extend_range(column, start..end);
            assert_eq!(items_of::<D>(&copy), [&items[start..end], &items[start..end]].concat(), "range {start}..{end}");

            let lent = || column.iter_range(start..end).map(D::Column::owned);
            assert_eq!(lent().collect::<Vec<D>>(), &items[start..end], "lent {start}..{end}");
            copy.extend_owned(lent());
            assert_eq!(items_of::<D>(&copy), [&items[start..end]; 3].concat(), "owned {start}..{end}");
        }
    }

    let mut random = Random::seeded(items.len() as u64);
    let picks = if items.is_empty() { 0 } else { 2 * items.len() };
    let rows: Vec<u32> = (0..picks).map(|_| random.below(items.len()) as u32).collect();
    let mut gathered = column.clone();
    gathered.extend_gather(column, &rows);
    let expected: Vec<D> = rows.iter().map(|&row| items[row as usize].clone()).collect();
    assert_eq!(items_of::<D>(&gathered), [items, &expected].concat(), "gathered {rows:?}");

    // Until one side ends.
    let (mut picked, mut picks, mut expected, mut rows) = (column.clone(), Vec::new(), Vec::new(), [0, 0]);
    while rows.iter().all(|&row| row < items.len()) {
        // Both have it only where they do.
        let pick = match random.below(3) {
            0 => Pick::Left,
            1 if rows[0] == rows[1] => Pick::Both,
            _ => Pick::Right,
        };
        picks.push(pick);
        expected.push(items[rows[usize::from(pick == Pick::Right)]].clone());
        rows[0] += usize::from(pick != Pick::Right);
        rows[1] += usize::from(pick != Pick::Left);
    }
    picked.extend_picked(column, 0, column, 0, &picks);
    assert_eq!(items_of::<D>(&picked), [items, &expected].concat(), "picked {picks:?}");

    // Before one row, before another or the same, at the end; then those are removed again.
    for places in [[0, 0, 1], [0, 1, 1], [1, 2, 2], [1, 1, 3]].map(|places| places.map(|at| at * items.len() / 3)) {
        let rows = [0, items.len() / 2, items.len().saturating_sub(1)];
        let places: Vec<_> = places.into_iter().zip(rows).filter(|_| !items.is_empty()).collect();
        let (mut column, mut expected) = (column.clone(), items.to_vec());
        places.iter().rev().for_each(|&(at, row)| expected.insert(at, items[row].clone()));
        column
            .insert_rows(&column.clone(), &places.iter().map(|&(at, row)| (at as u32, row as u32)).collect::<Vec<_>>());
        assert_eq!(items_of::<D>(&column), expected, "inserted {places:?}");
        let inserted: Vec<u32> = places.iter().enumerate().map(|(before, &(at, _))| (at + before) as u32).collect();
        column.remove_rows(&inserted);
        assert_eq!(items_of::<D>(&column), items, "inserted {places:?} and removed {inserted:?}");
    }

    for (row, item) in items.iter().enumerate() {
        for count in [0, 1, 2, 63, 130] {
            let mut repeated = column.clone();
            repeated.extend_repeat(column, row, count);
            assert_eq!(items_of::<D>(&repeated), [items, &vec![item.clone(); count]].concat(), "row {row} x {count}");
        }
    }
}

fn hashes_items_alone<D: Data>(shape: &ShapeOf<D>, items: &[D], column: &D::Column) {
    let mut hashes = vec![7];
    column.hashes(0..items.len(), &mut hashes);
    assert_eq!(hashes.len(), items.len() + 1, "one hash a row, behind what was there");
    for (row, item) in items.iter().enumerate() {
        let alone = column_of(shape, std::slice::from_ref(item));
        assert_eq!(alone.hash(0), column.hash(row), "{item:?} alone and in row {row}");
        assert_eq!(hashes[row + 1], column.hash(row), "{item:?} in bulk");
        assert_eq!(column.hash(row), column.absorb(row, SEED), "{item:?}");
        for (other_row, other) in items.iter().enumerate() {
            assert_eq!(hashes[row + 1] == hashes[other_row + 1], item == other, "hashes of {item:?} and {other:?}");
        }
    }
}

fn finds_bounds<D: Data>(shape: &ShapeOf<D>, items: &[D]) {
    let mut sorted = items.to_vec();
    sorted.sort();
    let column = column_of(shape, &sorted);
    for start in [0, sorted.len() / 3] {
        for end in [start, sorted.len() / 2 + 1, sorted.len()] {
            let (start, end) = (start.min(sorted.len()), end.clamp(start, sorted.len()));
            for item in items {
                let expected = start + sorted[start..end].partition_point(|stored| stored < item);
                let found = column.lower_bound(start..end, D::Column::lend(item));
                assert_eq!(found, expected, "{item:?} in {start}..{end} of {sorted:?}");
            }
        }
    }
}

fn travels_as_bytes<D: Data>(shape: &ShapeOf<D>, items: &[D], column: &D::Column) {
    let travel = Travel {
        read: |from: &mut Reader<'_>| D::Column::read_bytes(shape, items.len(), from),
        write: |other: &D::Column| {
            // Whatever was read, each of its items can be lent.
            assert_eq!(items_of::<D>(other).len(), items.len());
            let mut bytes = Vec::new();
            other.write_bytes(&mut bytes);
            assert_eq!(bytes.len(), other.bytes_len());
            bytes
        },
    };
    check_travels(column, |back| items_of::<D>(back) == items, travel);
}

/// Checks the laws on every list of at most two of these items, on all of them, and on random lists of them.
pub(crate) fn check_lists_of<D: Data>(shape: &ShapeOf<D>, corners: &[D]) {
    check_laws::<D>(shape, &[]);
    check_laws(shape, corners);
    for one in corners {
        check_laws(shape, std::slice::from_ref(one));
        for two in corners {
            check_laws(shape, &[one.clone(), two.clone()]);
        }
    }
    for seed in 0..4 {
        check_random(shape, seed, |random| corners[random.below(corners.len())].clone());
    }
}

/// Checks the laws on a random list, long enough for a word of bools and more.
pub(crate) fn check_random<D: Data>(shape: &ShapeOf<D>, seed: u64, mut item: impl FnMut(&mut Random) -> D) {
    let mut random = Random::seeded(seed);
    let length = 20 + random.below(60);
    let items: Vec<D> = (0..length).map(|_| item(&mut random)).collect();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_laws(shape, &items)));
    assert!(outcome.is_ok(), "the laws fail for seed {seed}, as said above, for {items:?}");
}
