//! Times at which keys must be looked at later.
//!
//! Kept by time first: a visit takes whole times that came due and touches nothing else. A time's keys are a list, sorted
//! when they are taken. The same key may be owed the same time again and again; a list that has doubled since it was
//! last rid of repetitions is rid of them.
//!
//! Invariant: a list is at most twice as long as it has keys, and a few. Cost: logarithmic in the number of distinct times
//! owed and of keys owed at one. Why not a tree of keys: most are owed once, and a tree costs an allocation and a walk
//! for each.

use std::collections::BTreeMap;

use crate::time::{Frontier, Point};

/// For each time in advance of the frontier, the keys owed a look then.
pub(super) struct Owed<K> {
    by_time: BTreeMap<Point, List<K>>,
}

/// Keys, some of them perhaps repeatedly.
struct List<K> {
    keys: Vec<K>,
    /// How many there were when they were last each there once.
    once: usize,
}

impl<K: Ord> List<K> {
    /// Up to this many keys may be repetitions.
    const FEW: usize = 16;

    fn push(&mut self, key: K) {
        self.keys.push(key);
        if self.keys.len() > 2 * self.once + Self::FEW {
            self.sort();
            self.once = self.keys.len();
        }
    }

    /// Puts keys in order, each once.
    fn sort(&mut self) {
        self.keys.sort_unstable();
        self.keys.dedup();
    }
}

impl<K: Ord> Owed<K> {
    pub(super) fn new() -> Self {
        Owed { by_time: BTreeMap::new() }
    }

    /// Remembers that `key` must be looked at, at `time`.
    pub(super) fn owe(&mut self, key: K, time: &Point) {
        match self.by_time.get_mut(time) {
            Some(list) => list.push(key),
            None => _ = self.by_time.insert(time.clone(), List { keys: vec![key], once: 1 }),
        }
    }

    /// Whether anything came due.
    pub(super) fn is_due(&self, frontier: &Frontier<Point>) -> bool {
        self.by_time.keys().any(|time| !frontier.admits(time))
    }

    /// Takes what came due: keys in order, each with its times, one after the other.
    pub(super) fn take_due(&mut self, frontier: &Frontier<Point>) -> Vec<(K, Point)> {
        let mut due = Vec::new();
        let mut times = 0;
        for (time, mut list) in self.by_time.extract_if(.., |time, _| !frontier.admits(time)) {
            times += 1;
            list.sort();
            due.extend(list.keys.into_iter().map(|key| (key, time.clone())));
        }
        if times > 1 {
            // Each time's keys are in order already.
            due.sort_unstable();
        }
        due
    }

    /// Lowers `holds` to the times owed.
    pub(super) fn holds(&self, holds: &mut Frontier<Point>) {
        for time in self.by_time.keys() {
            if !holds.admits(time) {
                holds.insert(time.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_owed_a_time_once_however_often_it_is_said() {
        let (early, late) = (Point::from([1, 2]), Point::from([2, 3]));
        let mut owed = Owed::new();
        for round in 0..1_000 {
            owed.owe(round % 3, &early);
            owed.owe(9 - round % 3, &late);
            let longest = owed.by_time.values().map(|list| list.keys.len()).max();
            assert!(longest.is_some_and(|longest| longest <= 2 * 3 + List::<u64>::FEW), "round {round}: {longest:?}");
        }
        owed.owe(1, &late);
        assert!(!owed.is_due(&Frontier::from(early.clone())) && owed.is_due(&Frontier::from(late.clone())));
        assert_eq!(owed.take_due(&Frontier::from(late.clone())), [0, 1, 2].map(|key| (key, early.clone())));
        owed.owe(7, &early);
        let both = [(1, late.clone()), (7, early), (7, late.clone()), (8, late.clone()), (9, late)];
        assert_eq!(owed.take_due(&Frontier::empty()), both);
        assert!(!owed.is_due(&Frontier::empty()));
    }
}
