//! Which of two sorted columns has the next item.

use std::cmp::Ordering;

/// Which side of two that are merged has the next item.
///
/// ```
/// use differential::{column::{Column, Data}, time::Pick};
/// let (left, right) = (vec![1u64, 5, 7], vec![2, 5]);
/// let mut merged = <u64 as Data>::Column::empty(&());
/// merged.extend_picked(&left, 0, &right, 0, &[Pick::Left, Pick::Right, Pick::Both, Pick::Left]);
/// assert_eq!(merged, [1, 2, 5, 7]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Pick {
    /// The left one only.
    Left = LEFT,
    /// The right one only.
    Right = RIGHT,
    /// Both have it.
    Both = LEFT | RIGHT,
}

/// A bit for each side that has it: so that going past it is arithmetic, and nothing to be guessed.
const LEFT: u8 = 1;
const RIGHT: u8 = 2;

impl Pick {
    /// How the next items compare, the left one to the right one.
    #[inline]
    pub fn by(order: Ordering) -> Self {
        const BY_ORDER: [Pick; 3] = [Pick::Left, Pick::Both, Pick::Right];
        BY_ORDER[(order as i8 + 1) as usize]
    }

    /// Goes past it on each side that has it.
    #[inline]
    pub fn pass(self, left: &mut usize, right: &mut usize) {
        *left += usize::from(self as u8 & LEFT);
        *right += usize::from(self as u8 >> 1);
    }
}
