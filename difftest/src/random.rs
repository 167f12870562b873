//! Numbers from a seed: the same seed gives the same numbers for ever, so a failing case is a number in a message.
//!
//! ```text
//!   seed ── scattered, so that 1 and 2 begin differently ── xorshift, xorshift, ..     (Marsaglia, 64 bits)
//! ```
//!
//! It shares nothing with the engine's hashes, and no dependency can change what a seed means.

/// A generator.
///
/// ```
/// let mut random = difftest::Random::new(7);
/// assert!((0..100).all(|_| random.below(6) < 6));
/// assert_eq!(difftest::Random::new(7).below(1_000), difftest::Random::new(7).below(1_000));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed, which may be any number.
    pub fn new(seed: u64) -> Self {
        // Seeds that lie close together should not begin alike, and no state may be zero.
        Random((seed.wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`.
    ///
    /// # Panics
    /// If that is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound
    }

    /// The number of one of `count` things.
    ///
    /// # Panics
    /// If there is none.
    pub fn index(&mut self, count: usize) -> usize {
        self.below(count as u64) as usize
    }

    /// One of `items`.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }

    /// Puts `items` in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.index(end + 1));
        }
    }
}
