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

use super::backend::JoinBackend;
use crate::column::{Column, Data};

/// What a join makes of a pair of values.
pub trait JoinLogic<K: JoinBackend> {
    /// The records that come out.
    type Output: Data;

    /// Whether every pair makes exactly one record.
    const ONE: bool = false;

    /// Appends the records of a pair, each of them `copies` times in a row; the number of records, copies not counted.
    fn pair(
        &mut self,
        key: K::Key<'_>,
        left: K::Left<'_>,
        right: K::Right<'_>,
        copies: usize,
        into: &mut <Self::Output as Data>::Column,
    ) -> usize;

    /// Appends the records of a left value with each of some right ones, as [`pair`](Self::pair) would.
    #[inline]
    fn row<'a>(
        &mut self,
        key: K::Key<'_>,
        left: K::Left<'_>,
        rights: impl Iterator<Item = K::Right<'a>>,
        into: &mut <Self::Output as Data>::Column,
    ) {
        for right in rights {
            self.pair(key, left, right, 1, into);
        }
    }
}

/// One record for each pair.
pub struct MapPairs<K, F, D>(F, PhantomData<fn(K) -> D>);

impl<K, F, D> MapPairs<K, F, D>
where
    K: JoinBackend,
    F: FnMut(K::Key<'_>, K::Left<'_>, K::Right<'_>) -> D,
{
    /// The logic that makes `function(key, left, right)` of each pair.
    pub fn new(function: F) -> Self {
        MapPairs(function, PhantomData)
    }
}

impl<K, D, F> JoinLogic<K> for MapPairs<K, F, D>
where
    K: JoinBackend,
    D: Data,
    F: FnMut(K::Key<'_>, K::Left<'_>, K::Right<'_>) -> D,
{
    type Output = D;
    const ONE: bool = true;

    #[inline]
    fn pair(
        &mut self,
        key: K::Key<'_>,
        left: K::Left<'_>,
        right: K::Right<'_>,
        copies: usize,
        into: &mut D::Column,
    ) -> usize {
        push_copies(into, (self.0)(key, left, right), copies);
        1
    }

    #[inline]
    fn row<'a>(
        &mut self,
        key: K::Key<'_>,
        left: K::Left<'_>,
        rights: impl Iterator<Item = K::Right<'a>>,
        into: &mut D::Column,
    ) {
        into.extend_owned(rights.map(|right| (self.0)(key, left, right)));
    }
}

/// Any number of records for each pair.
pub struct FlatPairs<K, F, I>(F, PhantomData<fn(K) -> I>);

impl<K, F, I> FlatPairs<K, F, I>
where
    K: JoinBackend,
    F: FnMut(K::Key<'_>, K::Left<'_>, K::Right<'_>) -> I,
{
    /// The logic that makes the items of `function(key, left, right)` of each pair.
    pub fn new(function: F) -> Self {
        FlatPairs(function, PhantomData)
    }
}

impl<K, D, I, F> JoinLogic<K> for FlatPairs<K, F, I>
where
    K: JoinBackend,
    D: Data,
    I: IntoIterator<Item = D>,
    F: FnMut(K::Key<'_>, K::Left<'_>, K::Right<'_>) -> I,
{
    type Output = D;

    #[inline]
    fn pair(
        &mut self,
        key: K::Key<'_>,
        left: K::Left<'_>,
        right: K::Right<'_>,
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
