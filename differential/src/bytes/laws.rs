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

use super::{Malformed, Reader};

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
