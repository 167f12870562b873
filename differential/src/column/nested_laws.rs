//! The laws of columns, for kinds made of other kinds, and for those that turn their items into others.

use std::fmt::Debug;

use columnation::ColumnStack;

use super::column_laws::{Random, check_lists_of, check_random, column_of};
use super::hash::{SEED, absorb};
use super::kinds_laws::string;
use super::{Column, Data, Float, ShapeOf, Stacked};
use crate::bytes::{Flaw, Malformed, Reader};

/// Checks the laws for some items, and for random ones.
fn check<D: Data>(corners: &[D], seeds: u64, mut item: impl FnMut(&mut Random) -> D)
where
    ShapeOf<D>: Default,
{
    check_lists_of(&Default::default(), corners);
    for seed in 0..seeds {
        check_random(&Default::default(), seed, &mut item);
    }
}

/// Some items, each of a few, most of them none.
fn few<T>(random: &mut Random, item: impl Fn(&mut Random) -> T) -> Vec<T> {
    let length = [0, 1, 2, 3, 9][random.below(5)];
    (0..length).map(|_| item(random)).collect()
}

#[test]
fn floats() {
    let numbers = [0.0, -0.0, 1.5, -1.5, f64::MIN_POSITIVE, -5e-324, f64::MAX, f64::MIN, f64::INFINITY, f64::NAN];
    let corners = numbers.map(Float::from);
    check(&corners, 10, |random| Float::from(f64::from_bits(random.next())));
    for (number, stored) in numbers.into_iter().zip(corners) {
        assert!(stored.get() == number || (number.is_nan() && stored.get().is_nan()), "{number} came back as {stored}");
        for (other, other_stored) in numbers.into_iter().zip(corners) {
            if let Some(order) = number.partial_cmp(&other) {
                assert_eq!(stored.cmp(&other_stored), order, "{number}, {other}");
            }
        }
    }
    assert!(corners.iter().all(|number| *number <= Float::from(-f64::NAN)), "what is no number is last, and is one");
}

#[test]
fn byte_strings() {
    let corners: [&[u8]; 8] = [b"", b"\0", b"a", b"a\0", b"\xff", b"abcdefgh", b"abcdefgh\0", b"abcdefgi"];
    check(&corners.map(Box::from), 20, |random| few(random, |random| [0u8, 7, 0xff][random.below(3)]).into());
}

#[test]
fn options() {
    check(&[None, Some(()), None], 2, |random| Some(()).filter(|()| random.below(2) == 0));
    check(&[None, Some(0u8), Some(255)], 5, |random| Some(random.next() as u8).filter(|_| random.below(3) > 0));
    check(&[None, Some(0u64), Some(1), Some(u64::MAX - 1), Some(u64::MAX)], 5, |random| Some(random.next()));
    check(&[None, Some(0u128), Some(1), Some(u128::MAX)], 5, |random| Some(u128::from(random.next()) << 60));
    check(&[None, Some(None), Some(Some(false)), Some(Some(true))], 2, |random| Some(Some(random.below(2) == 0)));
    check(&["", "\0", "abcdefgh", "abcdefgi", "abcdefghi"].map(|text| Some(text.to_string())), 20, |random| {
        Some(string(random)).filter(|_| random.below(3) > 0)
    });
    check(&[(Some(1u16), None), (None, Some(2u8)), (Some(1), Some(0))], 5, |random| {
        let mut some = |bound| Some(random.below(bound)).filter(|&item| item > 0);
        (some(5).map(|item| item as u16), some(3).map(|item| item as u8))
    });
}

/// Longer than the counts of ones are apart.
#[test]
fn long_columns_of_options_find_their_items() {
    let items: Vec<Option<u32>> = (0..5_000).map(|row| Some(row).filter(|row| row % 7 != 3)).collect();
    let mut column = column_of(&(), &items);
    column.extend_gather(&column.clone(), &[4_999, 10, 3_000]);
    column.extend_repeat(&column.clone(), 4_000, 3_000);
    column.extend_range(&column.clone(), 1_500..2_700);
    let gathered = [4_999, 10, 3_000].map(|row| items[row]);
    let expected = [&items[..], &gathered, &vec![items[4_000]; 3_000], &items[1_500..2_700]].concat();
    assert!((0..expected.len()).all(|row| column.get(row) == expected[row]));
    assert!(column.iter_range(0..expected.len()).eq(expected));
    // Cleared, and filled with others.
    column.clear();
    let others: Vec<Option<u32>> = items.iter().rev().copied().collect();
    column.extend_range(&column_of(&(), &others), 0..others.len());
    assert!((0..others.len()).all(|row| column.get(row) == others[row]));
}

#[test]
fn lists() {
    let bytes: [&[u8]; 8] = [&[], &[0], &[0, 0], &[1], &[255], &[1; 7], &[1; 8], &[1; 20]];
    check(&bytes.map(|list| list.to_vec()), 3, |random| few(random, |random| random.below(2) as u8));
    let words: [&[u64]; 6] = [&[], &[0], &[1], &[0, 7], &[u64::MAX], &[u64::MAX, 0]];
    check(&words.map(|list| list.to_vec()), 3, |random| few(random, |random| random.below(3) as u64));
    let texts = [vec![], vec![""], vec!["", ""], vec!["abcdefgh", "b"], vec!["abcdefghi", "a"], vec!["abcdefgh"]];
    let owned = |list: Vec<&str>| list.into_iter().map(String::from).collect::<Vec<String>>();
    check(&texts.map(owned), 3, |random| few(random, string));
    check(&[vec![], vec![vec![]], vec![vec![1u16], vec![]], vec![vec![1, 2]]], 3, |random| {
        few(random, |random| few(random, |random| random.below(3) as u16))
    });
    let wide: [&[u128]; 5] = [&[], &[1], &[1, 9], &[2, 0], &[u128::MAX, 1]];
    check(&wide.map(|list| list.to_vec()), 1, |random| few(random, |random| random.below(3) as u128));
    // Three to a word but for a byte.
    let mixed: [&[u16]; 6] = [&[0, 1], &[0, 0, 0x7f], &[0, 0, 0x80, 0x80], &[0, 0, 0x80, 0x7f], &[0, 0, 0x180], &[0]];
    check(&mixed.map(|list| list.iter().map(|&item| (0u8, item)).collect()), 2, |random| {
        few(random, |random| (random.below(2) as u8, [0, 0x7f, 0x80][random.below(3)]))
    });
    check(&[vec![None], vec![Some((1u8, true))], vec![]], 3, |random| {
        few(random, |random| Some((random.below(2) as u8, true)).filter(|_| random.below(2) == 0))
    });
}

crate::columns! {
    /// A struct of several kinds of fields.
    #[derive(Hash)]
    pub(crate) struct Road {
        /// Where it begins.
        pub(crate) from: u32,
        toll: Option<u16>,
        names: Vec<String>,
        one_way: bool,
    }
    /// What a column lends of it.
    #[allow(dead_code)]
    pub(crate) struct LentRoad;

    /// A struct with one field.
    struct Alone {
        number: u64,
    }
    /// What a column lends of it.
    struct LentAlone;
}

#[test]
fn structs() {
    let road = |from, toll, names: &[&str], one_way| {
        let names = names.iter().map(|name| name.to_string()).collect();
        Road { from, toll, names, one_way }
    };
    let corners = [
        road(0, None, &[], false),
        road(0, None, &[], true),
        road(0, Some(0), &["a"], false),
        road(1, None, &["a", "b"], true),
    ];
    check(&corners, 4, |random| {
        let toll = Some(random.below(2) as u16).filter(|_| random.below(2) == 0);
        Road { from: random.below(2) as u32, toll, names: few(random, string), one_way: random.below(2) == 0 }
    });
    check(&[Alone { number: 0 }, Alone { number: 7 }], 2, |random| Alone { number: random.next() });

    let column = column_of(&Default::default(), &corners);
    let lent: LentRoad<'_> = column.get(3);
    assert_eq!((lent.from, lent.toll, lent.names.get(1), lent.one_way), (1, None, "b", true));
    assert_eq!(column_of(&((),), &[Alone { number: 7 }]).lane(), Some(&[7][..]), "stored as its field is");
}

/// A type that has a region and no column.
type Outcome = Result<String, u64>;

impl Data for Outcome {
    type Column = ColumnStack<Outcome>;
}

/// Sent as a pair of which one part is there.
impl Stacked for Outcome {
    type Sent = (Option<String>, Option<u64>);
    fn send(&self) -> Self::Sent {
        (self.clone().ok(), self.clone().err())
    }
    fn receive(sent: Self::Sent) -> Option<Self> {
        match sent {
            (Some(text), None) => Some(Ok(text)),
            (None, Some(number)) => Some(Err(number)),
            _ => None,
        }
    }
    fn prefix(&self) -> u64 {
        u64::from(self.is_err())
    }
}

#[test]
fn stacks_of_regions() {
    let corners = [Ok(String::new()), Ok("a".to_string()), Ok("x".repeat(3_000)), Err(0), Err(u64::MAX)];
    check::<Outcome>(&corners, 10, |random| if random.below(2) == 0 { Ok(string(random)) } else { Err(random.next()) });
    // Inside a struct of other kinds, as a key's part may be.
    check::<(u8, Outcome)>(&[(0, Err(1)), (0, Ok("b".to_string()))], 2, |random| (1, Ok(string(random))));

    let mut column = column_of(&(), &corners);
    column.fit();
    assert_eq!(column.iter_range(0..5).cloned().collect::<Vec<_>>(), corners);
    let neither = column_of(&Default::default(), &[(Some("a".to_string()), None), (None, None::<u64>)]);
    let mut bytes = Vec::new();
    neither.write_bytes(&mut bytes);
    let read = <Outcome as Data>::Column::read_bytes(&(), 2, &mut Reader::new(&bytes));
    assert_eq!(read.err(), Some(Malformed { at: 0, flaw: Flaw::Value { row: 1 } }));
}

/// Part of the format: keys belong to workers by these, and workers send each other these. They may never change.
#[test]
fn hashes_and_bytes_are_golden() {
    fn hash<D: Data<Column: Column<Shape: Default>> + Debug>(item: D) -> u64 {
        column_of(&Default::default(), &[item]).hash(0)
    }
    fn bytes<D: Data<Column: Column<Shape: Default>>>(items: &[D]) -> Vec<u8> {
        let mut bytes = Vec::new();
        column_of(&Default::default(), items).write_bytes(&mut bytes);
        bytes
    }
    assert_eq!(hash(None::<u64>), hash(0u64));
    assert_eq!(hash(Some(7u64)), hash((1u64, 7u64)));
    assert_eq!(hash(vec![7u64, 8]), hash((2u64, 7u64, 8u64)));
    assert_eq!(hash(Box::<[u8]>::from(*b"abc")), hash("abc".to_string()));
    assert_eq!(hash(Alone { number: 7 }), hash(7u64));
    assert_eq!(hash(Outcome::Err(7)), absorb(absorb(absorb(SEED, 0), 1), 7));
    assert_eq!(hash(Float::from(0.0)), hash(1u64 << 63));

    assert_eq!(bytes(&[Some(7u8), None, Some(9)]), [5, 0, 0, 0, 0, 0, 0, 0, 7, 9]);
    assert_eq!(
        bytes(&[vec![7u8], vec![], vec![8, 9]]),
        [&[1u64, 1, 3].map(u64::to_le_bytes).concat()[..], &[7, 8, 9]].concat()
    );
    assert_eq!(bytes(&[Box::<[u8]>::from(*b"a\xff")]), [&2u64.to_le_bytes()[..], b"a\xff"].concat());
    assert_eq!(bytes(&[Float::from(1.0)]), 0xbff0_0000_0000_0000u64.to_le_bytes());
}

#[test]
fn lists_that_end_before_they_begin_are_refused() {
    let bounds = |bounds: &[u64]| -> Vec<u8> { bounds.iter().flat_map(|bound| bound.to_le_bytes()).collect() };
    let read = |rows, bytes: &[u8]| <Vec<u8> as Data>::Column::read_bytes(&(), rows, &mut Reader::new(bytes)).err();
    let flaw = |at, flaw| Some(Malformed { at, flaw });
    assert_eq!(read(2, &[bounds(&[2, 1]), vec![1, 2]].concat()), flaw(8, Flaw::Bound { row: 1 }));
    assert_eq!(read(2, &[bounds(&[0, 9]), vec![1, 2]].concat()), flaw(16, Flaw::Cut { wanted: 9, left: 2 }));
    assert_eq!(read(1, &bounds(&[u64::MAX])), flaw(8, Flaw::Cut { wanted: usize::MAX, left: 0 }));
}
