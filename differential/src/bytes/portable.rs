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

    /// Whether values of this type may have a [short form](Self::short).
    const HAS_SHORT: bool = false;

    /// The value in two bytes, if it fits: columns keep it so. `None` for every value of a type that has no such form.
    /// [`of_short`](Self::of_short) makes the value of it again, and takes any two bytes.
    #[inline]
    fn short(&self) -> Option<u16> {
        None
    }

    /// The value whose [`short`](Self::short) form this is. Panics for a type that has none.
    #[inline]
    fn of_short(short: u16) -> Self {
        unreachable!("{short} is no short form: the type has none")
    }
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

/// The short form of integers that have more than two bytes.
macro_rules! shorts {
    ($int:ident as $short:ident) => {
        const HAS_SHORT: bool = true;
        #[inline]
        fn short(&self) -> Option<u16> {
            let short = *self as $short;
            (short as $int == *self).then_some(short as u16)
        }
        #[inline]
        fn of_short(short: u16) -> Self {
            short as $short as $int
        }
    };
}

macro_rules! integers {
    ($($int:ident $(short as $short:ident)?),*) => { $(
        impl Portable for $int {
            $(shorts!($int as $short);)?
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
    ($($int:ident as $wide:ident short as $short:ident),*) => { $(
        impl Portable for $int {
            shorts!($int as $short);
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

integers!(u8, u16, u32 short as u16, u64 short as u16, u128 short as u16);
integers!(i8, i16, i32 short as i16, i64 short as i16, i128 short as i16);
machine_words!(usize as u64 short as u16, isize as i64 short as i16);

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
