//! What a history adds up to, and what operators make of bags, said in the plainest way.
//!
//! A bag maps records to counts, and never to zero. Counts may be negative. Nothing here knows of batches, frontiers or
//! cursors, or even of the engine's order of times.

use std::collections::BTreeMap;

use differential::time::Point;

/// Records and their counts; none is zero.
pub type Bag<D> = BTreeMap<D, i64>;

/// Updates in any order.
pub type History<D> = Vec<(D, Point, i64)>;

/// The records that all inputs of these tests hold: a key and a value, or an edge.
pub type Pair = (u32, u32);

/// The bag at `at`: the sum of all updates whose every coordinate is at most that of `at`.
pub fn accumulate<D: Ord + Clone>(updates: &[(D, Point, i64)], at: &Point) -> Bag<D> {
    let counts = |time: &Point| (0..8).all(|index| time.coordinate(index) <= at.coordinate(index));
    bag(updates.iter().filter(|(_, time, _)| counts(time)).map(|(record, _, diff)| (record.clone(), *diff)))
}

/// Adds up counts.
pub fn bag<D: Ord>(counts: impl IntoIterator<Item = (D, i64)>) -> Bag<D> {
    let mut bag = Bag::new();
    for (record, count) in counts {
        *bag.entry(record).or_insert(0) += count;
    }
    bag.retain(|_, count| *count != 0);
    bag
}

/// The sum of two bags.
pub fn sum<D: Ord + Clone>(left: &Bag<D>, right: &Bag<D>) -> Bag<D> {
    bag(left.iter().chain(right).map(|(record, count)| (record.clone(), *count)))
}

/// Every pair of one bag with every pair of the other that has the same key; counts multiply.
pub fn join(left: &Bag<Pair>, right: &Bag<Pair>) -> Bag<(u32, u32, u32)> {
    let all = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
    bag(all.filter(|(l, r)| l.0.0 == r.0.0).map(|(l, r)| ((l.0.0, l.0.1, r.0.1), l.1 * r.1)))
}

/// The key of each pair with the count of the pair.
pub fn keys(pairs: &Bag<Pair>) -> Bag<u32> {
    bag(pairs.iter().map(|((key, _), count)| (*key, *count)))
}

/// The pairs whose key is in `keys`, times its count there.
pub fn semijoin(pairs: &Bag<Pair>, keys: &Bag<u32>) -> Bag<Pair> {
    bag(pairs.iter().map(|(pair, count)| (*pair, count * keys.get(&pair.0).copied().unwrap_or(0))))
}

/// The pairs whose key has no positive count in `keys`.
pub fn antijoin(pairs: &Bag<Pair>, keys: &Bag<u32>) -> Bag<Pair> {
    let present = |key: &u32| keys.get(key).is_some_and(|count| *count > 0);
    pairs.iter().filter(|(pair, _)| !present(&pair.0)).map(|(pair, count)| (*pair, *count)).collect()
}

/// For each key, what `logic` makes of its values in order with their counts; each result once.
pub fn by_group<V: Ord>(pairs: &Bag<Pair>, logic: impl Fn(&[(u32, i64)]) -> Vec<(V, i64)>) -> Bag<(u32, V)> {
    let mut groups: BTreeMap<u32, Vec<(u32, i64)>> = BTreeMap::new();
    for ((key, value), count) in pairs {
        groups.entry(*key).or_default().push((*value, *count));
    }
    bag(groups.iter().flat_map(|(key, values)| logic(values).into_iter().map(|(value, count)| ((*key, value), count))))
}
