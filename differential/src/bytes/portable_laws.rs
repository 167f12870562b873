//! Lists of integers and pairs obey the laws of bytes, and what is wrong with bytes is said.

use std::fmt::Debug;

use super::laws::{Travel, check_travels};
use super::{Flaw, Malformed, Portable, Reader};

/// Checks the laws for a list of values.
fn check_values<V: Portable + Debug + Eq>(values: Vec<V>) {
    let travel = Travel {
        read: |from: &mut Reader<'_>| V::read_values(values.len(), from),
        write: |values: &Vec<V>| {
            let mut bytes = Vec::new();
            V::write_values(values, &mut bytes);
            assert_eq!(V::values_len(values.iter()), bytes.len(), "{values:?}");
            bytes
        },
    };
    check_travels(&values, |back| *back == values, travel);
}

#[test]
fn integers_and_pairs_travel() {
    macro_rules! ends {
        ($($int:ident)*) => { $(
            check_values::<$int>(vec![]);
            check_values(vec![<$int>::MIN, 0, 1, <$int>::MAX]);
            check_values::<$int>((0..3_000u16).map(|value| value as $int).collect());
        )* };
    }
    ends!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
    check_values::<(i64, u8)>(vec![]);
    check_values(vec![(i64::MIN, 1u8), (7, 2)]);
    check_values(vec![((1u8, 2i16), (3i64, 4u128)), ((5, 6), (7, 8))]);
}

/// All values around the ends of what fits in two bytes, and at the ends of each type.
#[test]
fn a_short_form_is_of_one_value() {
    macro_rules! around {
        ($least:expr, $greatest:expr; $($int:ident)*) => { $(
            let (least, greatest) = ($least as $int, $greatest as $int);
            let around = [<$int>::MIN, least.saturating_sub(1), least, 0, 1, greatest, greatest + 1, <$int>::MAX];
            for value in around {
                assert_eq!(value.short().is_some(), (least..=greatest).contains(&value), "{value}");
                assert!(value.short().is_none_or(|short| <$int>::of_short(short) == value), "{value}");
            }
            assert!(<$int>::HAS_SHORT);
        )* };
    }
    around!(0, u16::MAX; u32 u64 u128 usize);
    around!(i16::MIN, i16::MAX; i32 i64 i128 isize);
    assert!((7u8.short(), 7i16.short(), (7u64, 8u64).short()) == (None, None, None) && !u8::HAS_SHORT);
}

#[test]
fn a_number_that_was_garbled_makes_no_room() {
    let bytes = [0xff; 40];
    let cut = |wanted| Malformed { at: 0, flaw: Flaw::Cut { wanted, left: 40 } };
    assert_eq!(u64::read_values(1 << 61, &mut Reader::new(&bytes)), Err(cut(usize::MAX)));
    assert_eq!(u8::read_values(1 << 60, &mut Reader::new(&bytes)), Err(cut(1 << 60)));
    assert_eq!(<(u8, u64)>::read_values(1 << 60, &mut Reader::new(&bytes)), Err(cut(1 << 60)));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cut = Malformed { at: 8, flaw: Flaw::Cut { wanted: 16, left: 3 } };
    assert_eq!(cut.to_string(), "malformed bytes at 8: 16 are wanted and 3 are left");
    assert_eq!(Reader::new(&[1]).finish(), Err(Malformed { at: 0, flaw: Flaw::Left(1) }));
}
