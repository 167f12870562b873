//! A sum of hashes that two engines can compare.
//!
//! The digest of a collection is the sum, modulo 2 to the 64, of each record's count times the record's hash. It does
//! not depend on the order of records, and an update `(record, diff)` changes it by `diff * hash(record)`: so it is kept
//! up to date as updates pass, and nothing of the result is stored.

use interactive::value::{Row, Value};

/// The output step of the splitmix64 generator: a bijection that scatters its input.
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// A record with a hash that is the same in every engine.
pub trait Digest {
    /// The record's hash.
    fn digest(&self) -> u64;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Digest for $integer {
            fn digest(&self) -> u64 {
                mix(*self as u64)
            }
        }
    )*};
}

integers!(u32 u64 i64);

/// One, so that the digest of many is their count.
impl Digest for () {
    fn digest(&self) -> u64 {
        1
    }
}

impl Digest for &str {
    fn digest(&self) -> u64 {
        self.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
    }
}

impl<A: Digest, B: Digest> Digest for (A, B) {
    fn digest(&self) -> u64 {
        mix(fold(self.0.digest(), self.1.digest()))
    }
}

impl<A: Digest, B: Digest, C: Digest> Digest for (A, B, C) {
    fn digest(&self) -> u64 {
        mix(fold(fold(self.0.digest(), self.1.digest()), self.2.digest()))
    }
}

/// A text program's row of one to three whole numbers: as the number, the pair or the triple.
impl Digest for Row {
    fn digest(&self) -> u64 {
        let int = |value: &Value| match value {
            Value::Int(number) => *number,
            other => panic!("{other:?} has no digest"),
        };
        match &self.0[..] {
            [a] => int(a).digest(),
            [a, b] => (int(a), int(b)).digest(),
            [a, b, c] => (int(a), int(b), int(c)).digest(),
            other => panic!("{other:?} has no digest"),
        }
    }
}

fn fold(before: u64, next: u64) -> u64 {
    before.wrapping_mul(3).wrapping_add(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        assert_ne!((1u32, 2u32).digest(), (2u32, 1u32).digest());
        assert_ne!((1u32, 2u32, 3u32).digest(), (1u32, 3u32, 2u32).digest());
        assert_ne!("ab".digest(), "ba".digest());
        // A number's width is no part of it.
        assert_eq!((7u32, 9u64).digest(), (7u64, 9i64).digest());
        assert_eq!([7, 9].map(Value::Int).into_iter().collect::<Row>().digest(), (7u32, 9u64).digest());
    }

    #[test]
    fn golden_values() {
        // Of the published generator seeded with 0: its first output.
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(().digest(), 1);
        assert_eq!("".digest(), 0);
    }
}
