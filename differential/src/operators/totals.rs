//! Reductions that have a name: count, threshold, distinct, min, max.
//!
//! Each is a reduction whose logic is one line; where times are totally ordered, those of one record's count are
//! accumulations (`accumulate`) of the same logic, and the others searches in what was accumulated. Counts of one record may be negative, since updates may come in any
//! order and removals may lack what they remove. `threshold` hands any count but zero to its closure; `distinct` and
//! `min` take a record as present if its count is positive, and a negative count as absent. Whoever would rather know
//! puts [`expect_counts`](Collection::expect_counts) in front.

use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::diff::Diff;
use crate::error::Reason;
use crate::layout::Rows;
use crate::time::Point;

use super::accumulate::{End, accumulate, extremes};
use super::arrange::Arranged;

impl<D: Data, R: Diff> Collection<D, R> {
    /// Each record once, with its count: `(record, count)`, for counts other than zero.
    pub fn count(&self) -> Collection<(D, R), i64>
    where
        R: Data,
        ShapeOf<R>: Default,
    {
        self.of_counts(
            "count",
            (Default::default(), (self.shape.clone(), Default::default())),
            |_, count| Ok(Some((count.clone(), 1i64))),
            |data, record, count| {
                data.0.push(record);
                data.1.push_owned(count);
            },
            Arranged::pairs,
        )
    }

    /// Each record with the count that `logic` gives it for its present count, which is never zero.
    ///
    /// `logic` must be a function: it is asked again for a count that it was asked for before.
    pub fn threshold<R2: Diff>(&self, mut logic: impl FnMut(&R) -> R2 + 'static) -> Collection<D, R2> {
        self.of_counts(
            "threshold",
            ((), self.shape.clone()),
            move |_, count| Ok(Some(((), logic(count))).filter(|(_, count)| !count.is_zero())),
            |data, record, ()| data.push(record),
            Arranged::keys,
        )
    }

    /// The records whose count is positive, each with count one.
    ///
    /// A negative count is taken as absent: removing a record that was never there does not make it appear, and the
    /// removal stays owed until an insertion meets it.
    pub fn distinct(&self) -> Collection<D, i64> {
        if self.scope.depth() == 1 {
            return self.threshold(|count| i64::from(*count > R::zero()));
        }
        self.arrange_by_self("arrange for distinct").distinct("distinct").keys()
    }

    /// The same collection; a record whose count is negative at some time stops this operator, and `commit` reports the
    /// time, under this name.
    pub fn expect_counts(&self, name: &str) -> Collection<D, R> {
        self.of_counts(
            name,
            ((), self.shape.clone()),
            |record, count| {
                if *count < R::zero() {
                    return Err(Reason::Negative { record: format!("{record:?}"), total: format!("{count:?}") });
                }
                Ok(Some(((), count.clone())))
            },
            |data, record, ()| data.push(record),
            Arranged::keys,
        )
    }

    /// For each record whose count is not zero, what `logic` makes of that: a value with a count, or nothing.
    ///
    /// Where times are totally ordered this is an accumulation, and `push` makes records of what comes out; elsewhere it is
    /// a reduction, and `collect` does. `shapes` are those of the values and of the records that are made.
    pub(super) fn of_counts<V: Data, D2: Data, R2: Diff>(
        &self,
        name: &str,
        shapes: (ShapeOf<V>, ShapeOf<D2>),
        mut logic: impl FnMut(Lent<'_, D>, &R) -> Result<Option<(V, R2)>, Reason> + 'static,
        push: impl Fn(&mut D2::Column, Lent<'_, D>, V) + 'static,
        collect: impl FnOnce(&Arranged<Rows<D, V, Point, R2>>) -> Collection<D2, R2>,
    ) -> Collection<D2, R2> {
        if self.scope.depth() == 1 {
            return accumulate(self, name, shapes.1, logic, push);
        }
        let values = self.arrange_by_self(&format!("arrange for {name}")).try_reduce_to(
            name,
            (self.shape.clone(), shapes.0),
            move |record, counts: &[((), R)], output| {
                output.extend(logic(record, &counts[0].1)?);
                Ok(())
            },
        );
        collect(&values)
    }
}

impl<K: Data, V: Data, R: Diff> Collection<(K, V), R> {
    /// For each key, the least value whose count is positive.
    ///
    /// Where times are totally ordered, a change costs the same whatever the size of its group.
    pub fn min(&self) -> Collection<(K, V), i64> {
        if self.scope.depth() == 1 {
            return extremes(self, "min", End::Least);
        }
        self.arrange_by_key("arrange for min").min("min").pairs()
    }

    /// For each key, the greatest value whose count is positive. Cost: as [`min`](Self::min).
    pub fn max(&self) -> Collection<(K, V), i64> {
        if self.scope.depth() == 1 {
            return extremes(self, "max", End::Greatest);
        }
        self.arrange_by_key("arrange for max").max("max").pairs()
    }
}

impl<K: Data, V: Data, R: Diff> Arranged<Rows<K, V, Point, R>> {
    /// For each key, the least value whose count is positive: what [`Collection::min`] does, with the result arranged, as a
    /// join of it in a loop wants it.
    pub fn min(&self, name: &str) -> Arranged<Rows<K, V, Point, i64>> {
        self.end(name, |least, new| least <= new, |counts| counts.iter().position(|(_, count)| *count > R::zero()))
    }

    /// For each key, the greatest value whose count is positive, arranged.
    pub fn max(&self, name: &str) -> Arranged<Rows<K, V, Point, i64>> {
        self.end(
            name,
            |greatest, new| greatest >= new,
            |counts| counts.iter().rposition(|(_, count)| *count > R::zero()),
        )
    }

    fn end(
        &self,
        name: &str,
        absorbs: for<'a> fn(Lent<'a, V>, Lent<'a, V>) -> bool,
        pick: impl Fn(&[(Lent<'_, V>, R)]) -> Option<usize> + 'static,
    ) -> Arranged<Rows<K, V, Point, i64>> {
        self.reduce_absorbing(name, self.shapes.clone(), absorbs, move |_, counts: &[(Lent<'_, V>, R)], output| {
            if let Some(at) = pick(counts) {
                output.push((V::Column::owned(counts[at].0), 1i64));
            }
            Ok(())
        })
    }
}

impl<K: Data, R: Diff> Arranged<Rows<K, (), Point, R>> {
    /// The keys, as a collection.
    pub fn keys(&self) -> Collection<K, R> {
        self.flatten(self.shapes.0.clone(), |batch| {
            let mut data = K::Column::empty(&batch.keys().shape());
            if batch.keys().len() == batch.len() {
                data.extend_range(batch.keys(), 0..batch.len());
                return data;
            }
            for key in 0..batch.keys().len() {
                data.extend_repeat(batch.keys(), key, batch.updates_of(batch.vals_of(key..key + 1)).len());
            }
            data
        })
    }
}

impl<K: Data, V: Data, R: Diff> Arranged<Rows<K, V, Point, R>> {
    /// The pairs of key and value, as a collection.
    pub fn pairs(&self) -> Collection<(K, V), R> {
        self.flatten(self.shapes.clone(), |batch| {
            let (keys, vals) = (batch.keys(), batch.vals());
            let mut data = (K::Column::empty(&keys.shape()), V::Column::empty(&vals.shape()));
            for key in 0..keys.len() {
                let mut updates = 0;
                for val in batch.vals_of(key..key + 1) {
                    let count = batch.updates_of(val..val + 1).len();
                    data.1.extend_repeat(vals, val, count);
                    updates += count;
                }
                data.0.extend_repeat(keys, key, updates);
            }
            data
        })
    }
}
