//! `sum` and `avg`: diffs that carry an amount.
//!
//! ```text
//!   ((k, 20), +1)                 (k, (+20, +1))
//!   ((k, 5),  +2)     weigh       (k, (+10, +2))      what k's diffs come to: (25, 2)     sum 25, avg 13
//!   ((k, 5),  -1)    ──────>      (k, (-5,  -1))
//! ```
//!
//! A sum is a sum of diffs, so the values need not be kept: a group is one record, whose count is a pair of how much
//! and how many. What remains is a function of a record's count, as `count` is.
//!
//! Amounts are added up in 128 bits, so what comes up on the way does not overflow: whether a sum is out of range is a
//! property of the group at a time, and not of the order in which its updates came.

use super::group::average;
use crate::collection::{Changes, Collection};
use crate::column::{Column, Data, Lent};
use crate::error::Reason;

/// How much, and how many.
type Weight = (i128, i64);

impl<K: Data, V: Data> Collection<(K, V)> {
    /// For each key, the sum of what `amount` makes of its values, each as often as it is there.
    ///
    /// A group is there while it has more than zero records; counts below zero take their amounts away.
    ///
    /// Cost of a change: that of [`count`](Collection::count), whatever the size of its group. `amount` is called once
    /// an update, and must be a function.
    ///
    /// # Errors
    /// A sum out of the range of `i64` at some time stops the operator; `commit` reports it as
    /// [`Reason::Overflow`](crate::error::Reason::Overflow) of `sum` with that time.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut sales, mut totals) = worker.dataflow(|scope| {
    ///         let (session, sales) = scope.input::<(u32, i64)>("sales");
    ///         (session, sales.sum(|price| price).output())
    ///     })?;
    ///     sales.insert((7, 20));
    ///     sales.insert((7, 5));
    ///     worker.commit(&mut sales)?;
    ///     sales.remove((7, 20));
    ///     let now = Point::from(worker.commit(&mut sales)?);
    ///     assert_eq!(totals.changes(), [((7, 25), now.clone(), -1), ((7, 5), now, 1)]);
    ///     Ok::<_, Error>(totals.rows()?)
    /// });
    /// assert_eq!(rows, Ok(vec![((7, 5), 1)]));
    /// ```
    pub fn sum(&self, amount: impl FnMut(Lent<'_, V>) -> i64 + 'static) -> Collection<(K, i64)> {
        self.of_weights("sum", amount, |(total, _)| i64::try_from(*total).map_err(|_| Reason::Overflow))
    }

    /// For each key, the average of what `amount` makes of its values, rounded to the nearest integer, a half away from
    /// zero. Whoever needs more digits multiplies first: `avg(|metres| 1000 * metres)` is in millimetres.
    ///
    /// Presence, cost and errors are those of [`sum`](Self::sum).
    pub fn avg(&self, amount: impl FnMut(Lent<'_, V>) -> i64 + 'static) -> Collection<(K, i64)> {
        self.of_weights("avg", amount, |(total, records)| average(*total, *records))
    }

    /// For each key with more than zero records, what `logic` makes of its weight.
    fn of_weights(
        &self,
        name: &str,
        amount: impl FnMut(Lent<'_, V>) -> i64 + 'static,
        mut logic: impl FnMut(&Weight) -> Result<i64, Reason> + 'static,
    ) -> Collection<(K, i64)> {
        let shapes = ((), (self.shape.0.clone(), ()));
        self.weigh(name, amount).of_counts(
            name,
            shapes,
            move |_, weight| if weight.1 > 0 { Ok(Some((logic(weight)?, 1i64))) } else { Ok(None) },
            |data: &mut <(K, i64) as Data>::Column, key, value| {
                data.0.push(key);
                data.1.push(value);
            },
            |values| values.pairs(),
        )
    }

    /// The keys, each with its value's amount and its own count as a diff.
    fn weigh(&self, name: &str, mut amount: impl FnMut(Lent<'_, V>) -> i64 + 'static) -> Collection<K, Weight> {
        let shape = self.shape.0.clone();
        self.rewrite(&format!("amounts for {name}"), shape, move |updates: &mut Changes<(K, V), i64>, weighed| {
            for row in 0..updates.len() {
                let count = updates.diffs.get(row);
                // Two numbers of 64 bits: their product has room.
                weighed.diffs.push((i128::from(amount(updates.data.1.get(row))) * i128::from(count), count));
            }
            std::mem::swap(&mut updates.data.0, &mut weighed.data);
            std::mem::swap(&mut updates.times, &mut weighed.times);
            updates.clear();
            Ok(())
        })
    }
}
