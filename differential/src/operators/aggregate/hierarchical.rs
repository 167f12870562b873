//! The least, the greatest, the first few of huge groups, bucket by bucket.
//!
//! ```text
//!   values       . . . . . . . . . . . . . . . . . . . . .      in buckets by their hash, about 16 in each
//!   level 2      o     o     o     o     o     o     o          the least of each bucket, 16 buckets to the next
//!   level 1            o                 o                      ...
//!   the group                   o                               the least of all
//! ```
//!
//! A reduction reads all values of a group in which something changes. So a group is cut into buckets by a hash of the
//! value, each is reduced by itself, and what comes out is grouped again, 16 buckets to one, until there is one. A
//! change is then felt in one bucket a level, and reaches the next level only if the bucket's answer changed.
//!
//! What makes this right is that the first few of a whole are among the first few of its parts, and that all copies of
//! a value are in one bucket: a count below zero is there to be seen where its value is looked at first.
//!
//! Cost: a change reads about 16 answers a level, in place of the group; each level keeps its input and its answers, so
//! memory is a good twice that of one reduction, and a load is slower. For groups of some thousands one reduction is
//! better. Tested in `tests/tests/boxes/aggregate_box.rs`, and the values that are read are counted there.

use std::cmp::Ordering;

use super::group::{self, there};
use super::picked::pick;
use crate::collection::{Changes, Collection};
use crate::column::{Column, Data, Lent};
use crate::diff::Diff;

/// The binary logarithm of the number of buckets that are one bucket on the next level.
const FAN_IN_BITS: u32 = 4;
/// More levels would need more bits than the number of a bucket has.
const MOST_LEVELS: u32 = u32::BITS / FAN_IN_BITS;

/// A value's bucket within its group.
type Bucket = u32;

/// A collection whose groups are huge: made by [`Collection::hierarchical`].
pub struct Hierarchical<K: Data, V: Data> {
    bucketed: Collection<((K, Bucket), V)>,
    levels: u32,
}

impl<K: Data, V: Data> Collection<(K, V)> {
    /// These pairs, to be reduced in `levels` steps: for few groups of very many values.
    ///
    /// Right for groups of about `16^(levels + 1)` values: three levels for some ten thousand, four for a million. More
    /// levels than needed cost a little each, fewer make the buckets larger. At least one, at most eight.
    ///
    /// For `top` and `top_by`, and in loops. Where times are totally ordered, [`Collection::min`] and [`Collection::max`]
    /// cost the same whatever the size of a group.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut prices, best) = worker.dataflow(|scope| {
    ///         let (session, prices) = scope.input::<((), u32)>("prices");
    ///         (session, prices.hierarchical(3).min().output())
    ///     })?;
    ///     for price in 0..10_000 {
    ///         prices.insert(((), price));
    ///     }
    ///     worker.commit(&mut prices)?;
    ///     prices.remove(((), 0));
    ///     worker.commit(&mut prices)?;
    ///     Ok::<_, Error>(best.rows()?)
    /// });
    /// assert_eq!(rows, Ok(vec![(((), 1), 1)]));
    /// ```
    pub fn hierarchical(&self, levels: u32) -> Hierarchical<K, V> {
        let levels = levels.clamp(1, MOST_LEVELS);
        let shape = ((self.shape.0.clone(), ()), self.shape.1.clone());
        let mut hashes = Vec::new();
        let bucketed = self.rewrite("buckets", shape, move |updates, bucketed: &mut Changes<((K, Bucket), V), i64>| {
            let (keys, vals) = &mut updates.data;
            hashes.clear();
            vals.hashes(0..vals.len(), &mut hashes);
            bucketed.data.0.1.extend(hashes.iter().map(|hash| (hash >> (u64::BITS - levels * FAN_IN_BITS)) as Bucket));
            std::mem::swap(keys, &mut bucketed.data.0.0);
            std::mem::swap(vals, &mut bucketed.data.1);
            std::mem::swap(&mut updates.times, &mut bucketed.times);
            std::mem::swap(&mut updates.diffs, &mut bucketed.diffs);
            Ok(())
        });
        Hierarchical { bucketed, levels }
    }
}

impl<K: Data, V: Data> Hierarchical<K, V> {
    /// As [`Collection::min`].
    pub fn min(&self) -> Collection<(K, V)> {
        self.level_by_level("min", |values, made| pick(there::<V>(values).take(1).map(|(least, _)| (least, 1)), made))
    }

    /// As [`Collection::max`].
    pub fn max(&self) -> Collection<(K, V)> {
        self.level_by_level("max", |values, made| {
            pick(there::<V>(values).rev().take(1).map(|(last, _)| (last, 1)), made)
        })
    }

    /// As [`Collection::top`].
    pub fn top<B: Ord>(
        &self,
        count: usize,
        mut key: impl FnMut(Lent<'_, V>) -> B + Clone + 'static,
    ) -> Collection<(K, V)> {
        self.level_by_level("top", move |values, made| pick(group::top::<V, B>(values, count, &mut key), made))
    }

    /// As [`Collection::top_by`].
    pub fn top_by(
        &self,
        count: usize,
        mut compare: impl FnMut(Lent<'_, V>, Lent<'_, V>) -> Ordering + Clone + 'static,
    ) -> Collection<(K, V)> {
        self.level_by_level("top_by", move |values, made| pick(group::top_by::<V>(values, count, &mut compare), made))
    }

    fn level_by_level(
        &self,
        name: &str,
        pick: impl FnMut(&[(Lent<'_, V>, i64)], &mut Vec<(V, i64)>) + Clone + 'static,
    ) -> Collection<(K, V)> {
        let mut rows = self.bucketed.clone();
        for level in (1..=self.levels).rev() {
            rows = rows.picked(&format!("{name}, level {level}"), pick.clone());
            if level > 1 {
                rows = rows.fanned_in();
            }
        }
        rows.of_whole_groups().picked(name, pick)
    }
}

impl<K: Data, V: Data, R: Diff> Collection<((K, Bucket), V), R> {
    /// The same rows in the buckets of the next level.
    fn fanned_in(&self) -> Self {
        self.rewrite("fan in", self.shape.clone(), |updates, fanned: &mut Changes<((K, Bucket), V), R>| {
            std::mem::swap(updates, fanned);
            fanned.data.0.1.iter_mut().for_each(|bucket| *bucket >>= FAN_IN_BITS);
            Ok(())
        })
    }

    /// The same rows without their buckets.
    fn of_whole_groups(&self) -> Collection<(K, V), R> {
        let shape = (self.shape.0.0.clone(), self.shape.1.clone());
        self.rewrite("whole groups", shape, |updates, whole: &mut Changes<(K, V), R>| {
            std::mem::swap(&mut updates.data.0.0, &mut whole.data.0);
            std::mem::swap(&mut updates.data.1, &mut whole.data.1);
            std::mem::swap(&mut updates.times, &mut whole.times);
            std::mem::swap(&mut updates.diffs, &mut whole.diffs);
            updates.clear();
            Ok(())
        })
    }
}
