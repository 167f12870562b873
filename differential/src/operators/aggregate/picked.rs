//! Rows out of a group: the first few, one of them, or a list of all.

use std::cmp::Ordering;

use super::group::{self, listed, there};
use crate::collection::Collection;
use crate::column::{Column, Data, Lent};

impl<K: Data, V: Data> Collection<(K, V)> {
    /// For each key, the `count` records whose values have the greatest keys; of equal keys, the lesser value first.
    ///
    /// `key` makes of a value what it is ordered by: a field, or a tuple of several. [`std::cmp::Reverse`] turns the
    /// order round. A record that is there several times is taken as often, while there is room.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut scores, best) = worker.dataflow(|scope| {
    ///         let (session, scores) = scope.input::<(String, (u32, String))>("team, points and player");
    ///         (session, scores.top(2, |(points, _player)| points).output())
    ///     })?;
    ///     for (points, player) in [(3, "Ada"), (9, "Bob"), (5, "Eve"), (5, "Cas")] {
    ///         scores.insert(("red".to_string(), (points, player.to_string())));
    ///     }
    ///     worker.commit(&mut scores)?;
    ///     Ok::<_, Error>(best.rows()?)
    /// });
    /// let red = |points, player: &str| (("red".to_string(), (points, player.to_string())), 1);
    /// assert_eq!(rows, Ok(vec![red(5, "Cas"), red(9, "Bob")]));
    /// ```
    pub fn top<B: Ord>(&self, count: usize, mut key: impl FnMut(Lent<'_, V>) -> B + 'static) -> Self {
        self.picked("top", move |values, made| pick(group::top::<V, B>(values, count, &mut key), made))
    }

    /// For each key, the first `count` records in the order that `compare` gives; of equal ones, the lesser value
    /// first.
    ///
    /// `compare` must be a total order but for equal ones, as for [`sort_by`](slice::sort_by). Of records that are
    /// there several times as [`top`](Self::top).
    pub fn top_by(
        &self,
        count: usize,
        mut compare: impl FnMut(Lent<'_, V>, Lent<'_, V>) -> Ordering + 'static,
    ) -> Self {
        self.picked("top_by", move |values, made| pick(group::top_by::<V>(values, count, &mut compare), made))
    }

    /// For each key, one of its values. Which one is a function of the group, and nothing else to rely on.
    pub fn any(&self) -> Self {
        self.picked("any", |values, made| {
            made.extend(there::<V>(values).next().map(|(any, _)| (V::Column::owned(any), 1)))
        })
    }

    /// For each key, what `pick` makes of its values: some of them.
    pub(super) fn picked(
        &self,
        name: &str,
        mut pick: impl FnMut(&[(Lent<'_, V>, i64)], &mut Vec<(V, i64)>) + 'static,
    ) -> Self {
        let groups = self.arrange_by_key(&format!("arrange for {name}"));
        groups.reduce_to(name, self.shape.clone(), move |_, values, made| pick(values, made)).pairs()
    }

    /// For each key, all of its values as one list in ascending order, each as often as it is there.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut edges, neighbours) = worker.dataflow(|scope| {
    ///         let (session, edges) = scope.input::<(u32, u32)>("edges");
    ///         (session, edges.collect().output())
    ///     })?;
    ///     for edge in [(1, 5), (1, 3), (2, 3), (1, 3)] {
    ///         edges.insert(edge);
    ///     }
    ///     worker.commit(&mut edges)?;
    ///     Ok::<_, Error>(neighbours.rows()?)
    /// });
    /// assert_eq!(rows, Ok(vec![((1, vec![3, 3, 5]), 1), ((2, vec![3]), 1)]));
    /// ```
    pub fn collect(&self) -> Collection<(K, Vec<V>)> {
        let groups = self.arrange_by_key("arrange for collect");
        let lists = groups.reduce_to("collect", self.shape.clone(), |_, values, made| {
            let list = listed::<V>(there::<V>(values));
            made.extend((!list.is_empty()).then_some((list, 1i64)));
        });
        lists.pairs()
    }
}

/// Owned copies of what was picked.
pub(super) fn pick<'v, V: Data>(picked: impl Iterator<Item = (Lent<'v, V>, i64)>, made: &mut Vec<(V, i64)>) {
    made.extend(picked.map(|(value, often)| (V::Column::owned(value), often)));
}
