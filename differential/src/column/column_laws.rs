//! The laws of columns, one set for every kind: see the numbered lines of [`Column`].
//!
//! Each law compares a column's own way with the plain one on a `Vec` of owned items. A type is tested on all lists of
//! up to three of its corner values, and then on random lists; a failure names the seed.

use super::hash::{SEED, absorb, absorb_bytes};
use super::{Column, Data, ShapeOf};
use crate::bytes::laws::{Travel, check_travels};
use crate::bytes::{Flaw, Malformed, Reader};

/// Numbers that are equal on every run: Marsaglia's xorshift of 64 bits.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn seeded(seed: u64) -> Random {
        // Small seeds differ in few bits, and zero would stay zero.
        Random(absorb(SEED, seed) | 1)
    }
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// A column of these items, pushed one by one.
pub(super) fn column_of<D: Data>(shape: &ShapeOf<D>, items: &[D]) -> D::Column {
    let mut column = D::Column::empty(shape);
    for item in items {
        column.push(D::Column::lend(item));
    }
    column
}

/// What a column holds, read row by row.
fn items_of<D: Data>(column: &D::Column) -> Vec<D> {
    (0..column.len()).map(|row| D::Column::owned(column.get(row))).collect()
}

/// Checks every law on a column of these items.
pub(super) fn check_laws<D: Data>(shape: &ShapeOf<D>, items: &[D]) {
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
    if D::Column::EXACT_PREFIX {
        let mut again = column.clone();
        again.extend_from_prefixes(&prefixes[1..]);
        assert_eq!(items_of::<D>(&again), [items, items].concat(), "items back from their prefixes");
    }
    if let Some(lane) = column.lane() {
        assert_eq!(lane, &prefixes[1..], "the lane is the prefixes");
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
            if D::Column::EXACT_PREFIX {
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

    let picks: Vec<bool> = (0..items.len().saturating_sub(1)).map(|_| random.below(3) == 0).collect();
    let (mut picked, mut sides) = (column.clone(), [0, 0]);
    picked.extend_picked(column, 0, column, 0, &picks);
    let expected = picks.iter().map(|&pick| {
        let row = &mut sides[usize::from(pick)];
        *row += 1;
        items[*row - 1].clone()
    });
    let expected: Vec<D> = expected.collect();
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
pub(super) fn check_lists_of<D: Data>(shape: &ShapeOf<D>, corners: &[D]) {
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
pub(super) fn check_random<D: Data>(shape: &ShapeOf<D>, seed: u64, mut item: impl FnMut(&mut Random) -> D) {
    let mut random = Random::seeded(seed);
    let length = 20 + random.below(60);
    let items: Vec<D> = (0..length).map(|_| item(&mut random)).collect();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_laws(shape, &items)));
    assert!(outcome.is_ok(), "the laws fail for seed {seed}, as said above, for {items:?}");
}

macro_rules! integers_obey {
    ($($int:ident)*) => { $(
        #[test]
        fn $int() {
            let around = |middle: $int| [middle.wrapping_sub(1), middle, middle.wrapping_add(1)];
            // Both ends and zero, and where the upper half of the bits begins.
            let corners = [around(0), around(<$int>::MIN), around(<$int>::MAX), around(1 << (<$int>::BITS / 2))];
            check_lists_of(&(), &corners.concat());
            for seed in 0..20 {
                check_random(&(), seed, |random| {
                    let (high, low) = (u128::from(random.next()), u128::from(random.next()));
                    ((high << 64) | low) as $int
                });
            }
        }
    )* };
}

mod integers {
    use super::*;
    integers_obey!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
}

#[test]
fn units_and_bools() {
    check_lists_of(&(), &[()]);
    check_lists_of(&(), &[false, true]);
}

/// Strings of up to 30 characters of one, two and four bytes, with many common prefixes and zeros inside.
fn string(random: &mut Random) -> String {
    let length = [0, 3, 7, 8, 9, 17, 30][random.below(7)];
    (0..length)
        .map(|place| if place < 8 { ['a', '\0'] } else { ['z', '\u{e9}'] }[usize::from(random.below(9) == 0)])
        .collect()
}

#[test]
fn strings() {
    let long = "x".repeat(5_000);
    let corners =
        ["", "\0", "\0\0", "a", "a\0", "ab", "abcdefgh", "abcdefgh\0", "abcdefgi", "\u{e9}", "\u{1f980}", &long];
    check_lists_of(&(), &corners.map(String::from));
    for seed in 0..40 {
        check_random(&(), seed, string);
        check_random(&((), ()), seed, |random| (string(random), string(random)));
    }
}

#[test]
fn lists() {
    let corners = [vec![], vec![0u32], vec![0, 0], vec![0, 1], vec![1], vec![u32::MAX, 0], vec![7; 70]];
    check_lists_of(&(), &corners);
    check_lists_of(&(), &[vec![], vec![vec![]], vec![vec![], vec![1u64]], vec![vec![1]], vec![vec![1, 2]]]);
    for seed in 0..20 {
        check_random(&(), seed, |random| (0..random.below(4)).map(|_| string(random)).collect::<Vec<_>>());
        check_random(&((), ((), ())), seed, |random| {
            let list: Vec<(i8, bool)> =
                (0..random.below(3)).map(|_| (random.next() as i8, random.below(2) == 0)).collect();
            (random.below(2) as u8, list)
        });
    }
}

#[test]
fn tuples() {
    let small = [0u32, 1, u32::MAX];
    let pairs = || small.iter().flat_map(|&first| small.map(|second| (first, second)));
    check_lists_of(&((), ()), &pairs().collect::<Vec<_>>());
    check_lists_of(&((), ()), &pairs().map(|(first, second)| (first as i32, second as i32)).collect::<Vec<_>>());
    check_lists_of(&((), ()), &pairs().map(|(first, second)| (first, u64::from(second) << 32)).collect::<Vec<_>>());
    check_lists_of(&((), ()), &pairs().map(|(first, second)| (u64::from(first), second)).collect::<Vec<_>>());
    check_lists_of(&((), ()), &pairs().map(|(first, second)| (first.to_string(), second)).collect::<Vec<_>>());
    check_lists_of(&((), ()), &pairs().map(|(first, second)| (u128::from(first) << 50, second)).collect::<Vec<_>>());
    check_lists_of(&((), ()), &small.map(|item| (u64::from(item), ())));
    check_lists_of(&((), ()), &small.map(|item| ((), u64::from(item))));
    check_lists_of(&((), ()), &[((), ())]);
    for seed in 0..20 {
        check_random(&((), (), ()), seed, |random| (random.below(3) as u8, random.next() as i16, random.below(2) == 0));
        check_random(&((), (), ()), seed, |random| (random.below(3) as u32, random.below(3) as u16, random.next()));
        check_random(&((), (), (), ()), seed, |random| {
            (random.below(2) == 0, string(random), (), random.below(9) as i8)
        });
        check_random(&((), ((), ())), seed, |random| (random.below(3) as u8, (random.below(3) as u8, string(random))));
    }
}

/// Which tuples have exact prefixes, and how many bits those take.
#[test]
fn tuples_pack_their_prefixes_while_they_fit() {
    fn packing<D: Data>() -> (u32, bool) {
        (D::Column::PREFIX_BITS, D::Column::EXACT_PREFIX)
    }
    assert_eq!(packing::<(u32, u32)>(), (64, true));
    assert_eq!(packing::<(u32, i16, bool)>(), (49, true));
    assert_eq!(packing::<(u64, ())>(), (64, true));
    assert_eq!(packing::<((), u64)>(), (64, true));
    assert_eq!(packing::<((), ())>(), (0, true));
    assert_eq!(packing::<(u8, u8, u8, (u32, u8))>(), (64, true));
    assert_eq!(packing::<(u32, u64)>(), (64, false));
    assert_eq!(packing::<(u32, u64, ())>(), (64, false));
    assert_eq!(packing::<(u64, bool)>(), (64, false));
    assert_eq!(packing::<(u8, String)>(), (64, false));
    assert_eq!(packing::<(String, ())>(), (64, false));

    let pairs = column_of(&((), ()), &[(1u32, 2u32)]);
    assert_eq!(pairs.prefix(0), (1 << 32) | 2);
    let keyed = column_of(&((), ()), &[(1u8, "ABCDEFGHI".to_string())]);
    assert_eq!(keyed.prefix(0).to_be_bytes(), *b"\x01ABCDEFG");
}

/// Where a column is its own prefixes, kernels are lent them.
#[test]
fn words_are_lent_as_a_lane() {
    assert_eq!(column_of(&(), &[3u64, 1]).lane(), Some(&[3, 1][..]));
    assert_eq!(column_of(&((), ()), &[(3u64, ()), (1, ())]).lane(), Some(&[3, 1][..]));
    assert_eq!(column_of(&((), ()), &[((), 3u64)]).lane(), Some(&[3][..]));
    assert_eq!(column_of(&((), ()), &[(3u64, 7u8)]).lane(), Some(&[3][..]));
    assert_eq!(column_of(&((), ()), &[(3u32, 7u64)]).lane(), None);
    assert_eq!(column_of(&(), &[3i64]).lane(), None);
    assert_eq!(column_of(&(), &[3usize]).lane(), None);
}

/// Part of the format: keys belong to workers by these. They may never change.
#[test]
fn hashes_are_golden() {
    fn hash<D: Data>(shape: ShapeOf<D>, item: D) -> u64 {
        column_of(&shape, &[item]).hash(0)
    }
    assert_eq!(hash((), ()), SEED);
    assert_eq!(hash((), 0u64), 0xe220_a839_7b1d_cdaf);
    assert_eq!(hash((), 1u64), 0xe4d9_7177_1b65_2c20);
    assert_eq!(hash((), -1i8), hash((), u64::MAX));
    assert_eq!(hash((), 7u8), hash((), 7i64));
    assert_eq!(hash((), true), hash((), 1u64));
    assert_eq!(hash((), 1u128 << 64), hash(((), ()), (0u64, 1u64)));
    assert_eq!(hash(((), ()), (1u64, 2u64)), 0x64b1_7449_5128_d35e);
    assert_eq!(hash(((), ()), (2u64, 1u64)), 0xf282_6f98_653e_9e57);
    assert_eq!(hash(((), ()), (7u64, ())), hash((), 7u64));
    assert_eq!(hash((), String::new()), hash((), 0u64));
    assert_eq!(hash((), "abcdefghi".to_string()), 0x1fd0_e99a_df24_85e0);
    assert_ne!(
        hash(((), ()), ("ab".to_string(), "c".to_string())),
        hash(((), ()), ("a".to_string(), "bc".to_string()))
    );
    assert_eq!(absorb_bytes(SEED, b"abcdefghi"), hash((), "abcdefghi".to_string()));
    assert_eq!(hash((), vec![1u64, 2]), hash(((), (), ()), (2u64, 1u64, 2u64)));
}

/// Part of the format: workers of one release send each other these.
#[test]
fn bytes_are_golden() {
    fn bytes<D: Data>(shape: ShapeOf<D>, items: &[D]) -> Vec<u8> {
        let mut bytes = Vec::new();
        column_of(&shape, items).write_bytes(&mut bytes);
        bytes
    }
    assert_eq!(bytes((), &[0x0102u16, 3]), [2, 1, 3, 0]);
    assert_eq!(bytes((), &[-2isize]), (-2i64).to_le_bytes());
    assert_eq!(bytes((), &[true, false, true]), [5, 0, 0, 0, 0, 0, 0, 0]);
    assert!(bytes((), &[(), ()]).is_empty());
    let strings = ["a".to_string(), String::new(), "bc".to_string()];
    assert_eq!(bytes((), &strings), [&[1u64, 1, 3].map(u64::to_le_bytes).concat()[..], b"abc"].concat());
    assert_eq!(bytes(((), ()), &[(1u8, -1i8), (2, -2)]), [1, 2, 255, 254]);
    assert_eq!(
        bytes((), &[vec![5u8], vec![], vec![6, 7]]),
        [&[1u64, 1, 3].map(u64::to_le_bytes).concat()[..], &[5, 6, 7]].concat()
    );
}

/// Each flaw that a column can have, with its place.
#[test]
fn malformed_columns_are_refused() {
    fn read<D: Data>(rows: usize, bytes: &[u8]) -> Malformed
    where
        ShapeOf<D>: Default,
    {
        let read = D::Column::read_bytes(&Default::default(), rows, &mut Reader::new(bytes));
        read.map(|column| items_of::<D>(&column)).expect_err("malformed")
    }
    let strings = |bounds: &[u64], text: &[u8]| {
        let bounds: Vec<u8> = bounds.iter().flat_map(|bound| bound.to_le_bytes()).collect();
        read::<String>(bounds.len() / 8, &[&bounds, text].concat())
    };
    let flaw = |at, flaw| Malformed { at, flaw };
    assert_eq!(strings(&[2], &[b'a', 0xff]), flaw(9, Flaw::NotUtf8));
    assert_eq!(strings(&[2, 1, 2], b"ab"), flaw(8, Flaw::Bound { row: 1 }));
    assert_eq!(strings(&[1, 2], "\u{e9}".as_bytes()), flaw(0, Flaw::Bound { row: 0 }));
    assert_eq!(read::<Vec<u8>>(3, &[2u64, 1, 2].map(u64::to_le_bytes).concat()), flaw(8, Flaw::Bound { row: 1 }));
    assert_eq!(
        read::<Vec<u8>>(1, &[1 << 60].map(u64::to_le_bytes).concat()),
        flaw(8, Flaw::Cut { wanted: 1 << 60, left: 0 })
    );
    assert_eq!(strings(&[1 << 60, 2], b"ab"), flaw(0, Flaw::Bound { row: 0 }));
    assert_eq!(strings(&[1 << 60], b"ab"), flaw(8, Flaw::Cut { wanted: 1 << 60, left: 2 }));
    assert_eq!(read::<String>(1 << 61, &[0; 8]), flaw(0, Flaw::Cut { wanted: usize::MAX, left: 8 }));
    assert_eq!(read::<bool>(65, &[255; 16]), flaw(8, Flaw::Bits));
    assert_eq!(read::<bool>(1 << 60, &[0; 16]), flaw(0, Flaw::Cut { wanted: 1 << 57, left: 16 }));
    assert_eq!(read::<(u8, u64)>(2, &[0; 17]), flaw(2, Flaw::Cut { wanted: 16, left: 15 }));
}
