//! Keyed inputs: a session that is told what keys are, in place of what comes and goes.
//!
//! ```text
//!   set k 1   set k 2   unset j   set j 7   change k by +1          since the last commit: k is 3, j is 7
//!        └── overwritten                                             before: k was 1, j was 7
//!   commit:   (k, 1) -1   (k, 3) +1                                  nothing for j
//! ```
//!
//! The last word on a key wins, in the order of calls, and only what it comes to is told to the dataflow, when it is
//! committed: so it makes no difference how the changes of a commit were arranged.
//!
//! The present value of each key is kept here, beside what arrangements hold: that is what lets a partial update see
//! what it changes, at once. Cost: a search in an ordered map for each change, and a copy of each key and value held.
//! Why not an operator that looks into its own arrangement: between workers there is no order of calls that could say
//! which is the last, and a closure can't travel to the worker that owns a key.

use std::collections::BTreeMap;

use super::scope::Scope;
use super::session::{Session, Sessions};
use crate::collection::Collection;
use crate::column::{Data, ShapeOf};
use crate::error::Error;
use crate::region::NodeId;
use crate::time::{Frontier, Point};

/// Feeds an input that has one value a key, or none.
///
/// It is committed as any [`Session`]; changes are seen by nobody before. With several workers, each keeps the keys
/// that were fed to it, so a key is best fed to one of them only: fed to two, it has two values.
///
/// ```
/// use differential::prelude::*;
///
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut stock, mut rows) = worker.dataflow(|scope| {
///         let (upserts, stock) = scope.upserts::<String, i64>("stock");
///         (upserts, stock.output())
///     })?;
///     stock.set("apples".to_string(), 3);
///     stock.set("apples".to_string(), 5);
///     worker.commit(&mut stock)?;
///     assert_eq!(stock.overwritten(), 1);
///     stock.change("apples".to_string(), |apples| apples.map(|apples| apples - 2));
///     let now = Point::from(worker.commit(&mut stock)?);
///     let apples = |count| ("apples".to_string(), count);
///     assert_eq!(rows.changes(), [(apples(5), now.clone(), -1), (apples(3), now, 1)]);
///     stock.unset("apples".to_string());
///     worker.commit(&mut stock)?;
///     Ok::<_, Error>(rows.rows()?)
/// });
/// assert_eq!(rows, Ok(vec![]));
/// ```
pub struct Upserts<K: Data, V: Data> {
    session: Session<(K, V)>,
    /// What keys were at the last commit.
    committed: BTreeMap<K, V>,
    /// What those keys are that were spoken of since.
    since: BTreeMap<K, Option<V>>,
    overwritten: u64,
}

impl<K: Data, V: Data> Upserts<K, V> {
    /// Lets a key have this value, whatever it had.
    pub fn set(&mut self, key: K, value: V) {
        self.now(key, Some(value));
    }

    /// Lets a key have no value. If it has none, nothing changes.
    pub fn unset(&mut self, key: K) {
        self.now(key, None);
    }

    /// Lets a key have the value that `logic` makes of its present one; either may be none.
    pub fn change(&mut self, key: K, logic: impl FnOnce(Option<&V>) -> Option<V>) {
        let value = logic(self.get(&key));
        self.now(key, value);
    }

    /// The present value of a key, with all that was said since the last commit.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.since.get(key).map_or_else(|| self.committed.get(key), Option::as_ref)
    }

    /// How many changes were overwritten so far: a later one in the same commit spoke of the same key, so nobody will
    /// see them. Those that were made by [`change`](Self::change) live on in what came of them, and count all the same.
    pub fn overwritten(&self) -> u64 {
        self.overwritten
    }

    fn now(&mut self, key: K, value: Option<V>) {
        self.overwritten += u64::from(self.since.insert(key, value).is_some());
    }

    /// Feeds what the changes since the last commit come to.
    fn settle(&mut self) {
        for (key, value) in std::mem::take(&mut self.since) {
            let before = match &value {
                Some(value) => self.committed.insert(key.clone(), value.clone()),
                None => self.committed.remove(&key),
            };
            if before == value {
                continue;
            }
            before.into_iter().for_each(|before| self.session.remove((key.clone(), before)));
            value.into_iter().for_each(|value| self.session.insert((key.clone(), value)));
        }
    }
}

impl<K: Data, V: Data> Drop for Upserts<K, V> {
    /// As a session: what was said is fed, and the input closed.
    fn drop(&mut self) {
        self.settle();
    }
}

impl<K: Data, V: Data> Sessions for Upserts<K, V> {
    fn epoch(&self) -> u64 {
        self.session.epoch()
    }

    fn check(&self, frontier: &Frontier<Point>) -> Result<(), Error> {
        self.session.check(frontier)
    }

    fn sources(&self, into: &mut Vec<NodeId>) {
        self.session.sources(into);
    }

    fn advance(&mut self, frontier: &Frontier<Point>, present: &Point) {
        self.settle();
        self.session.advance(frontier, present);
    }
}

impl Scope {
    /// An input of this scope's region that has one value a key, and what feeds it.
    pub fn upserts<K: Data, V: Data>(&self, name: &str) -> (Upserts<K, V>, Collection<(K, V)>)
    where
        ShapeOf<(K, V)>: Default,
    {
        let (session, collection) = self.input(name);
        (Upserts { session, committed: BTreeMap::new(), since: BTreeMap::new(), overwritten: 0 }, collection)
    }
}
