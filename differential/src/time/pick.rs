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
pub enum Pick {
    /// The left one only.
    Left,
    /// The right one only.
    Right,
    /// Both have it.
    Both,
}

impl Pick {
    /// How the next items compare, the left one to the right one.
    #[inline]
    pub fn by(order: Ordering) -> Self {
        match order {
            Ordering::Less => Pick::Left,
            Ordering::Greater => Pick::Right,
            Ordering::Equal => Pick::Both,
        }
    }

    /// Whether the left side, and whether the right side has it.
    #[inline]
    pub fn sides(self) -> [bool; 2] {
        [self != Pick::Right, self != Pick::Left]
    }

    /// Goes past it on each side that has it.
    #[inline]
    pub fn pass(self, left: &mut usize, right: &mut usize) {
        *left += usize::from(self != Pick::Right);
        *right += usize::from(self != Pick::Left);
    }
}
