//! Every kind of column obeys the laws of columns: see `column_laws.rs`.

use super::column_laws::{Random, check_lists_of, check_random, column_of, items_of};
use super::hash::{SEED, absorb_bytes};
use super::{Column, Data, ShapeOf};
use crate::bytes::{Flaw, Malformed, Reader};

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
pub(super) fn string(random: &mut Random) -> String {
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
        check_random(&((),), seed, |random| (string(random),));
        check_random(&((), (), (), (), (), (), (), ()), seed, |random| {
            let mut bit = || random.below(2) == 0;
            (bit(), bit(), u8::from(bit()), bit(), bit(), u64::from(bit()), bit(), bit())
        });
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
    assert_eq!(strings(&[1 << 60, 2], b"ab"), flaw(0, Flaw::Bound { row: 0 }));
    assert_eq!(strings(&[1 << 60], b"ab"), flaw(8, Flaw::Cut { wanted: 1 << 60, left: 2 }));
    assert_eq!(read::<String>(1 << 61, &[0; 8]), flaw(0, Flaw::Cut { wanted: usize::MAX, left: 8 }));
    assert_eq!(read::<bool>(65, &[255; 16]), flaw(8, Flaw::Bits));
    assert_eq!(read::<bool>(1 << 60, &[0; 16]), flaw(0, Flaw::Cut { wanted: 1 << 57, left: 16 }));
    assert_eq!(read::<(u8, u64)>(2, &[0; 17]), flaw(2, Flaw::Cut { wanted: 16, left: 15 }));
}
