//! Joins as users call them.

use super::{FlatPairs, Fresh, JoinLogic, MapPairs, node};
use crate::collection::Collection;
use crate::column::{Column, Data, ShapeOf};
use crate::diff::{Diff, Multiply};
use crate::layout::{Key, Layout, Rows, Val};
use crate::operators::arrange::Arranged;
use crate::time::Point;

/// What can be joined by a key: a collection of pairs, which is arranged for it, or what is arranged already.
pub trait ByKey<K: Data, V: Data, R: Diff> {
    /// The arrangement by key.
    fn by_key(&self) -> Arranged<Rows<K, V, Point, R>>;
}

impl<K: Data, V: Data, R: Diff> ByKey<K, V, R> for Collection<(K, V), R> {
    fn by_key(&self) -> Arranged<Rows<K, V, Point, R>> {
        self.arrange_by_key("arrange for join")
    }
}

impl<K: Data, V: Data, R: Diff> ByKey<K, V, R> for Arranged<Rows<K, V, Point, R>> {
    fn by_key(&self) -> Arranged<Rows<K, V, Point, R>> {
        self.clone()
    }
}

/// The product of two diffs.
type Times<R, R2> = <R as Multiply<R2>>::Output;

impl<A: Layout<Time = Point>> Arranged<A> {
    /// For each pair of updates with equal keys, what `logic` makes of the key and the two values: at the join of their
    /// times, with the product of their diffs.
    ///
    /// `logic` is called once for each pair of values that meet, not once for each pair of updates.
    ///
    /// # Errors
    /// A product or sum of diffs that overflows stops the operator; `commit` reports it.
    pub fn join<B, D: Data>(
        &self,
        other: &Arranged<B>,
        logic: impl FnMut(Key<'_, A>, Val<'_, A>, Val<'_, B>) -> D + 'static,
    ) -> Collection<D, Times<A::Diff, B::Diff>>
    where
        B: Layout<Key = A::Key, Time = Point>,
        A::Diff: Multiply<B::Diff>,
        ShapeOf<D>: Default,
    {
        self.join_with(other, Default::default(), MapPairs::<Fresh<A, B>, _, _>::new(logic))
    }

    /// [`join`](Self::join) with logic that makes any number of records of a pair.
    pub fn join_flat<B, D: Data, I>(
        &self,
        other: &Arranged<B>,
        logic: impl FnMut(Key<'_, A>, Val<'_, A>, Val<'_, B>) -> I + 'static,
    ) -> Collection<D, Times<A::Diff, B::Diff>>
    where
        B: Layout<Key = A::Key, Time = Point>,
        A::Diff: Multiply<B::Diff>,
        I: IntoIterator<Item = D> + 'static,
        ShapeOf<D>: Default,
    {
        self.join_with(other, Default::default(), FlatPairs::<Fresh<A, B>, _, _>::new(logic))
    }

    /// The general form: `logic` appends to a column of a given shape.
    pub fn join_with<B, J>(
        &self,
        other: &Arranged<B>,
        shape: ShapeOf<J::Output>,
        logic: J,
    ) -> Collection<J::Output, Times<A::Diff, B::Diff>>
    where
        B: Layout<Key = A::Key, Time = Point>,
        A::Diff: Multiply<B::Diff>,
        J: JoinLogic<Fresh<A, B>> + 'static,
    {
        node::join(self, other, shape, logic)
    }
}

impl<K: Data, R: Diff> Collection<K, R> {
    /// These *records*, taken whole as keys, joined with an arrangement: for each key that both have, what `logic` makes of
    /// it and each value.
    ///
    /// For a collection of pairs of key and value take [`join_map`](Self::join_map): here a pair as a whole would be the
    /// key. `logic` gets `()` where a value of this side would be.
    pub fn join<B, D: Data>(
        &self,
        other: &Arranged<B>,
        logic: impl FnMut(Key<'_, B>, (), Val<'_, B>) -> D + 'static,
    ) -> Collection<D, Times<R, B::Diff>>
    where
        B: Layout<Key = K, Time = Point>,
        R: Multiply<B::Diff>,
        ShapeOf<D>: Default,
    {
        self.arrange_by_self("arrange for join").join(other, logic)
    }
}

impl<K: Data, V: Data, R: Diff> Collection<(K, V), R> {
    /// Each pair of this collection with each of `other` that has the same key: what `logic` makes of key and values.
    ///
    /// The join to take by default: both sides are pairs of key and value, and `other` may be a collection or an
    /// arrangement. A collection is arranged for this join alone, so what several joins share is better arranged once,
    /// by [`arrange_by_key`](Self::arrange_by_key). For a collection of bare keys there is [`join`](Self::join), for two
    /// arrangements [`Arranged::join`], and where only the presence of a key matters [`semijoin`](Self::semijoin) and
    /// [`antijoin`](Self::antijoin).
    ///
    /// ```
    /// use differential::{Config, run_alone};
    ///
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut ages, mut towns, joined) = worker.dataflow(|scope| {
    ///         let (age_session, ages) = scope.input::<(u32, u8)>("ages");
    ///         let (town_session, towns) = scope.input::<(u32, String)>("towns");
    ///         let joined = ages.join_map(&towns, |_, age, town| (town.to_string(), age));
    ///         (age_session, town_session, joined.output())
    ///     })?;
    ///     ages.insert((7, 41));
    ///     towns.insert((7, "Ghent".to_string()));
    ///     worker.commit((&mut ages, &mut towns))?;
    ///     Ok::<_, differential::Error>(joined.rows().unwrap())
    /// });
    /// assert_eq!(rows, Ok(vec![(("Ghent".to_string(), 41), 1)]));
    /// ```
    pub fn join_map<W: Data, R2: Diff, D: Data>(
        &self,
        other: &impl ByKey<K, W, R2>,
        logic: impl FnMut(Key<'_, Rows<K, V, Point, R>>, Val<'_, Rows<K, V, Point, R>>, Val<'_, Rows<K, W, Point, R2>>) -> D
        + 'static,
    ) -> Collection<D, Times<R, R2>>
    where
        R: Multiply<R2>,
        ShapeOf<D>: Default,
    {
        self.by_key().join(&other.by_key(), logic)
    }

    /// The pairs whose key is in `keys`, their counts multiplied by the keys'.
    pub fn semijoin<R2: Diff>(&self, keys: &Collection<K, R2>) -> Collection<(K, V), Times<R, R2>>
    where
        R: Multiply<R2>,
    {
        let logic = MapPairs::new(|key: Key<'_, Rows<K, V, Point, R>>, value: Val<'_, Rows<K, V, Point, R>>, ()| {
            (K::Column::owned(key), V::Column::owned(value))
        });
        self.by_key().join_with(&keys.arrange_by_self("arrange for semijoin"), self.shape.clone(), logic)
    }

    /// The pairs whose key is not in `keys`. A key is there if its count is positive; how often does not matter.
    pub fn antijoin<R2: Diff>(&self, keys: &Collection<K, R2>) -> Collection<(K, V), R>
    where
        R: Multiply<i64, Output = R>,
    {
        self.concat(&self.semijoin(&keys.distinct()).negate())
    }
}
