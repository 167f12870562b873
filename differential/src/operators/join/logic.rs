//! What a join makes of a pair of values: the user's function, called once for each pair.
//!
//! ```text
//!   MapPairs   (key, left, right) -> one record               every output row is known before it is made
//!   FlatPairs  (key, left, right) -> any number of records    filters, and joins that yield several
//! ```
//!
//! One trait serves both. It appends to a column and answers how many records those were: a constant in the first
//! case, so that once inlined nothing is left of the bookkeeping that the second needs.
//! A value of one side often meets many of the other that lie in a row: those are made all together, so that what the
//! function does not look at, and what a record does not store, costs nothing.
//!
//! Invariant: what is appended depends on the three items only, not on when the pair is met. Cost: that of the function,
//! and a push a record.

use std::marker::PhantomData;
use std::ops::Range;

use crate::column::{Column, Data};
use crate::layout::{Key, Layout, Val, Vals};

/// What a join of layouts `A` and `B` makes of a pair of values.
pub trait JoinLogic<A: Layout, B: Layout<Key = A::Key>> {
    /// The records that come out.
    type Output: Data;

    /// Whether every pair makes exactly one record.
    const ONE: bool = false;

    /// Appends the records of a pair, each of them `copies` times in a row; the number of records, copies not counted.
    fn pair(
        &mut self,
        key: Key<'_, A>,
        left: Val<'_, A>,
        right: Val<'_, B>,
        copies: usize,
        into: &mut <Self::Output as Data>::Column,
    ) -> usize;

    /// Appends the records of a left value with each value of a range of rows of `rights`, as [`pair`](Self::pair)
    /// would.
    #[inline]
    fn row(
        &mut self,
        key: Key<'_, A>,
        left: Val<'_, A>,
        (rights, rows): (&Vals<B>, Range<usize>),
        into: &mut <Self::Output as Data>::Column,
    ) {
        for right in rights.iter_range(rows) {
            self.pair(key, left, right, 1, into);
        }
    }
}

/// One record for each pair.
pub struct MapPairs<A, B, F, D>(F, PhantomData<fn(A, B) -> D>);

impl<A, B, F, D> MapPairs<A, B, F, D>
where
    A: Layout,
    B: Layout<Key = A::Key>,
    F: FnMut(Key<'_, A>, Val<'_, A>, Val<'_, B>) -> D,
{
    /// The logic that makes `function(key, left, right)` of each pair.
    pub fn new(function: F) -> Self {
        MapPairs(function, PhantomData)
    }
}

impl<A, B, D, F> JoinLogic<A, B> for MapPairs<A, B, F, D>
where
    A: Layout,
    B: Layout<Key = A::Key>,
    D: Data,
    F: FnMut(Key<'_, A>, Val<'_, A>, Val<'_, B>) -> D,
{
    type Output = D;
    const ONE: bool = true;

    #[inline]
    fn pair(
        &mut self,
        key: Key<'_, A>,
        left: Val<'_, A>,
        right: Val<'_, B>,
        copies: usize,
        into: &mut D::Column,
    ) -> usize {
        push_copies(into, (self.0)(key, left, right), copies);
        1
    }

    #[inline]
    fn row(
        &mut self,
        key: Key<'_, A>,
        left: Val<'_, A>,
        (rights, rows): (&Vals<B>, Range<usize>),
        into: &mut D::Column,
    ) {
        into.extend_owned(rights.iter_range(rows).map(|right| (self.0)(key, left, right)));
    }
}

/// Any number of records for each pair.
pub struct FlatPairs<A, B, F, I>(F, PhantomData<fn(A, B) -> I>);

impl<A, B, F, I> FlatPairs<A, B, F, I>
where
    A: Layout,
    B: Layout<Key = A::Key>,
    F: FnMut(Key<'_, A>, Val<'_, A>, Val<'_, B>) -> I,
{
    /// The logic that makes the items of `function(key, left, right)` of each pair.
    pub fn new(function: F) -> Self {
        FlatPairs(function, PhantomData)
    }
}

impl<A, B, D, I, F> JoinLogic<A, B> for FlatPairs<A, B, F, I>
where
    A: Layout,
    B: Layout<Key = A::Key>,
    D: Data,
    I: IntoIterator<Item = D>,
    F: FnMut(Key<'_, A>, Val<'_, A>, Val<'_, B>) -> I,
{
    type Output = D;

    #[inline]
    fn pair(
        &mut self,
        key: Key<'_, A>,
        left: Val<'_, A>,
        right: Val<'_, B>,
        copies: usize,
        into: &mut D::Column,
    ) -> usize {
        (self.0)(key, left, right).into_iter().map(|record| push_copies(into, record, copies)).count()
    }
}

#[inline]
fn push_copies<C: Column>(into: &mut C, record: C::Owned, copies: usize) {
    for _ in 1..copies {
        into.push(C::lend(&record));
    }
    into.push_owned(record);
}
