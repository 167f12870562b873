//! The laws of bytes, one set for everything that travels: columns, lanes, times, diffs, updates.
//!
//! ```text
//!   as written        reads back; wherever it stands in a buffer, and no further than its end
//!   cut anywhere      is an error, at a byte that is there
//!   one bit flipped   is an error, or else reads as something whose bytes these are
//! ```
//!
//! Each room calls [`check_travels`] with its own columns, and knows how to compare them.

use std::fmt::Debug;

use super::{Flaw, Malformed, Portable, Reader};

/// What a law test needs to know of a type that travels.
pub(crate) struct Travel<C, Read, Write>
where
    Read: Fn(&mut Reader<'_>) -> Result<C, Malformed>,
    Write: Fn(&C) -> Vec<u8>,
{
    /// Reads one, of a shape and a number of rows that are known.
    pub(crate) read: Read,
    /// Its bytes. Checks on the way whatever else must hold of one.
    pub(crate) write: Write,
}

/// Checks the laws for one value.
pub(crate) fn check_travels<C: Debug, Read, Write>(value: &C, same: impl Fn(&C) -> bool, travel: Travel<C, Read, Write>)
where
    Read: Fn(&mut Reader<'_>) -> Result<C, Malformed>,
    Write: Fn(&C) -> Vec<u8>,
{
    let Travel { read, write } = travel;
    let bytes = write(value);

    let mut from = Reader::new(&bytes);
    let back = read(&mut from).unwrap_or_else(|malformed| panic!("{malformed}, in {bytes:?} of {value:?}"));
    assert!(same(&back), "{value:?} came back as {back:?}");
    assert_eq!(write(&back), bytes, "{value:?} is written otherwise when it came back");
    assert_eq!(from.finish(), Ok(()), "{value:?} does not take all of its bytes");

    let between = [&[0xff; 3], &bytes[..], &[0xff; 5]].concat();
    let mut from = Reader::new(&between);
    from.take(3).expect("three bytes stand before");
    let back = read(&mut from).expect("the same bytes, elsewhere");
    assert!(same(&back) && from.at() == 3 + bytes.len(), "{value:?} between other bytes is {back:?}");

    for end in 0..bytes.len() {
        let malformed = read(&mut Reader::new(&bytes[..end])).expect_err("no value is the beginning of another");
        assert!(malformed.at <= end, "{malformed}, in {end} bytes of {bytes:?}");
    }

    // All bits of a short one, and of a long one some in each byte.
    for (at, bit) in (0..bytes.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        if bytes.len() <= 64 || (at * 5 + bit) % 41 == 0 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            let mut from = Reader::new(&flipped);
            match read(&mut from) {
                Ok(other) => assert_eq!(write(&other), flipped[..from.at()], "bit {bit} of byte {at} of {bytes:?}"),
                Err(malformed) => assert!(malformed.at <= bytes.len(), "{malformed}, in {flipped:?}"),
            }
        }
    }
}

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
