//! The criterion benches' inputs, each from a seed: the only place that makes data.
//!
//! Small by default, so that every bench also runs as a test; `BENCH_LARGE=1` asks for the sizes at which figures mean
//! something (memory is no longer the cache).

use differential::layout::Rows;
use differential::time::Point;
use differential::updates::Keyed;

use crate::digest::mix;

/// The layout that most benches store.
pub type Pairs = Rows<u64, u64, Point, i64>;

/// Updates of pairs.
pub type Updates = Keyed<Pairs>;

/// The seed of every bench.
pub const SEED: u64 = 7;

/// The numbers of records to ask about.
pub fn sizes() -> Vec<usize> {
    match std::env::var_os("BENCH_LARGE") {
        Some(_) => vec![1 << 14, 1 << 20],
        None => vec![1 << 10],
    }
}

/// Random numbers, the same from the same seed.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub fn new(seed: u64) -> Self {
        Random(mix(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        ((u128::from(mix(self.0)) * u128::from(bound)) >> u64::BITS) as u64
    }
}

/// Pairs of random numbers, keys below `keys`.
pub fn pairs(records: usize, keys: u64, seed: u64) -> Vec<(u64, u64)> {
    let mut random = Random::new(seed);
    (0..records).map(|_| (random.below(keys), random.below(u64::MAX))).collect()
}

/// These pairs as updates, once each, all at one time.
pub fn updates(pairs: &[(u64, u64)]) -> Updates {
    let mut updates = Keyed::empty(&(), &());
    for &(key, value) in pairs {
        updates.push(key, value, &Point::from(1), 1);
    }
    updates
}

/// Random edges, four for each node.
pub fn edges(count: usize, seed: u64) -> Vec<(u32, u32)> {
    let (mut random, nodes) = (Random::new(seed), (count / 4) as u64);
    (0..count).map(|_| (random.below(nodes) as u32, random.below(nodes) as u32)).collect()
}
