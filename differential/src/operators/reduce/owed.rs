//! Times at which keys must be looked at later.
//!
//! Kept by time first: a visit takes whole times that came due and touches nothing else. Cost: logarithmic in the number
//! of distinct times owed and of keys owed at one. The same key may be owed the same time again and again; it is kept
//! once.

use std::collections::{BTreeMap, BTreeSet};

use crate::time::{Frontier, Point};

/// For each time in advance of the frontier, the keys owed a look then.
pub(super) struct Owed<K> {
    by_time: BTreeMap<Point, BTreeSet<K>>,
}

impl<K: Ord + Clone> Owed<K> {
    pub(super) fn new() -> Self {
        Owed { by_time: BTreeMap::new() }
    }

    /// Remembers that `key` must be looked at, at `time`.
    pub(super) fn owe(&mut self, key: impl FnOnce() -> K, time: Point) {
        self.by_time.entry(time).or_default().insert(key());
    }

    /// Whether anything came due.
    pub(super) fn is_due(&self, frontier: &Frontier<Point>) -> bool {
        self.by_time.keys().any(|time| !frontier.admits(time))
    }

    /// Takes what came due: keys in order, each with its times in order.
    pub(super) fn take_due(&mut self, frontier: &Frontier<Point>) -> BTreeMap<K, Vec<Point>> {
        let mut due: BTreeMap<K, Vec<Point>> = BTreeMap::new();
        for (time, keys) in self.by_time.extract_if(.., |time, _| !frontier.admits(time)) {
            for key in keys {
                due.entry(key).or_default().push(time.clone());
            }
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
