//! What the law tests of times and histories share: a source of numbers from a seed, and all of a small grid.

use super::Point;

/// Numbers that look random and follow from a seed (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound
    }

    /// A point of `coordinates` coordinates below `bound`.
    pub(crate) fn point(&mut self, coordinates: usize, bound: usize) -> Point {
        (0..coordinates).map(|_| self.below(bound) as u64).collect()
    }
}

/// Every point of a grid of `side` by `side`, in the total order.
pub(crate) fn grid(side: u64) -> Vec<Point> {
    (0..side).flat_map(|x| (0..side).map(move |y| Point::from([x, y]))).collect()
}

/// Every set of at most `most` of the items, each in the order of the items.
pub(crate) fn sets_of_at_most<T: Clone>(most: usize, items: &[T]) -> Vec<Vec<T>> {
    let mut sets = vec![Vec::new()];
    for item in items {
        let grown: Vec<Vec<T>> = sets.iter().filter(|set| set.len() < most).cloned().collect();
        sets.extend(grown.into_iter().map(|mut set| {
            set.push(item.clone());
            set
        }));
    }
    sets
}
