//! Lists of values as bytes: integers and pairs, and whatever else times and diffs are made of.
//!
//! ```text
//!   [1u16, 2]           1 0  2 0                    nothing between: the number of values is known to who reads
//!   [(1i8, 2i8), (3, 4)]    1 3  2 4                all the firsts, then all the seconds
//! ```
//!
//! A whole list at once, so that integers are copied by a loop that the compiler turns into wide moves. A `usize` travels
//! as a `u64`, whatever the machine.
//!
//! Why a block at a time when writing: room in a vector is filled with zeros first, since this crate has no unsafe code;
//! a block that is still in the cache costs that little. Why pairs part by part: value by value is a step a row.
//! Tested in `portable_laws.rs`.

use super::{Flaw, Malformed, Reader};

/// Values whose lists travel as bytes.
///
/// 1. What is written reads back as it was, from as many bytes as `values_len` says.
/// 2. No values are no bytes.
/// 3. Reading allocates in proportion to the bytes that it takes, and never panics.
///
/// ```
/// use differential::bytes::{Portable, Reader};
/// let mut bytes = Vec::new();
/// u16::write_values(&[1, 2], &mut bytes);
/// assert_eq!(bytes, [1, 0, 2, 0]);
/// assert_eq!(u16::read_values(2, &mut Reader::new(&bytes)), Ok(vec![1, 2]));
/// ```
pub trait Portable: Sized {
    /// How many bytes these values are written as, exactly.
    fn values_len<'a>(values: impl ExactSizeIterator<Item = &'a Self> + Clone) -> usize
    where
        Self: 'a;

    /// Appends these values' bytes.
    fn write_values(values: &[Self], into: &mut Vec<u8>);

    /// Reads `count` values.
    ///
    /// # Errors
    /// The bytes are not those of so many values.
    fn read_values(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, Malformed>;
}

/// How many values are written at a time: their bytes stay in the first cache.
const BLOCK: usize = 1 << 10;

/// Appends the bytes of values that all have as many.
fn write_chunks<T: Copy, const SIZE: usize>(values: &[T], into: &mut Vec<u8>, bytes: impl Fn(T) -> [u8; SIZE]) {
    into.reserve(values.len() * SIZE);
    for block in values.chunks(BLOCK) {
        let start = into.len();
        into.resize(start + block.len() * SIZE, 0);
        for (chunk, value) in into[start..].as_chunks_mut().0.iter_mut().zip(block) {
            *chunk = bytes(*value);
        }
    }
}

macro_rules! integers {
    ($($int:ident)*) => { $(
        impl Portable for $int {
            fn values_len<'a>(values: impl ExactSizeIterator<Item = &'a Self> + Clone) -> usize {
                values.len() * size_of::<$int>()
            }
            fn write_values(values: &[Self], into: &mut Vec<u8>) {
                write_chunks(values, into, $int::to_le_bytes);
            }
            fn read_values(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, Malformed> {
                Ok(from.take_chunks(count)?.iter().map(|chunk| $int::from_le_bytes(*chunk)).collect())
            }
        }
    )* };
}

/// Integers of the machine's own width travel in 64 bits.
macro_rules! machine_words {
    ($($int:ident as $wide:ident),*) => { $(
        impl Portable for $int {
            fn values_len<'a>(values: impl ExactSizeIterator<Item = &'a Self> + Clone) -> usize {
                values.len() * size_of::<$wide>()
            }
            fn write_values(values: &[Self], into: &mut Vec<u8>) {
                write_chunks(values, into, |value| (value as $wide).to_le_bytes());
            }
            fn read_values(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, Malformed> {
                let start = from.at();
                let value = |(index, value): (usize, $wide)| {
                    let at = start + index * size_of::<$wide>();
                    $int::try_from(value).map_err(|_| Malformed { at, flaw: Flaw::TooMany(value as u64) })
                };
                $wide::read_values(count, from)?.into_iter().enumerate().map(value).collect()
            }
        }
    )* };
}

integers!(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128);
machine_words!(usize as u64, isize as i64);

impl<A: Portable + Clone, B: Portable + Clone> Portable for (A, B) {
    fn values_len<'a>(values: impl ExactSizeIterator<Item = &'a Self> + Clone) -> usize
    where
        Self: 'a,
    {
        A::values_len(values.clone().map(|(first, _)| first)) + B::values_len(values.map(|(_, second)| second))
    }
    fn write_values(values: &[Self], into: &mut Vec<u8>) {
        let (first, second): (Vec<A>, Vec<B>) = values.iter().cloned().unzip();
        A::write_values(&first, into);
        B::write_values(&second, into);
    }
    fn read_values(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, Malformed> {
        let first = A::read_values(count, from)?;
        Ok(first.into_iter().zip(B::read_values(count, from)?).collect())
    }
}
