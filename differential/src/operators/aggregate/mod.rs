//! What is made of the values of a group: sums, averages, the first few, lists; and several of these in one pass.
//!
//! ```text
//!   (key, value) ──┬── aggregate(|group| (group.count(), group.sum(..), group.min()))   one reduction, one row a group
//!                  ├── top, top_by, collect, any                                        that for one of them
//!                  └── sum, avg ── (key) with diff (amount, count) ── function of a count   no values are kept at all
//! ```
//!
//! An aggregate is a method of a [`Group`], and a composite is a closure that calls several: rows, columns and types of
//! what comes out are those of the tuple that it makes. So there is no family of aggregate types to learn or to
//! combine.
//!
//! **Counts below zero.** Updates may come in any order, and removals may lack what they remove. What picks out (`min`,
//! `max`, `top`, `collect`, `any`) takes a value whose count is negative as absent, as
//! [`distinct`](crate::Collection::distinct) does; what is owed stays owed until an insertion meets it. What adds up
//! (`sum`, `avg`) takes every count as it is, and a group as absent while it has no more than zero records, all counts
//! taken together. In a composite both hold: there is a row while there are more than zero records, and then some value
//! has a positive count. Whoever would rather know puts [`expect_counts`](crate::Collection::expect_counts) in front.
//!
//! Cost: a change of a group reads all of its values; of huge groups see [`Hierarchical`]. `sum` and `avg` do not: they
//! keep two numbers a group, whatever its size, as the sum is a sum of diffs; where times are totally ordered no
//! history either.
//!
//! Tested in `tests/tests/boxes/aggregate_box.rs`, against plain loops at every time of a box and of a line.
//!
//! | file | holds |
//! |---|---|
//! | `group` | [`Group`]: what can be asked of a group's values |
//! | `linear` | `sum` and `avg`: diffs that carry an amount |
//! | `picked` | `top`, `top_by`, `collect`, `any`: rows out of a group |
//! | `hierarchical` | `min`, `max`, `top`, `top_by` of huge groups, bucket by bucket |

mod group;
mod linear;
mod picked;
mod hierarchical;

use crate::collection::Collection;
use crate::column::{Data, ShapeOf};
use crate::error::Reason;
use crate::layout::Rows;
use crate::operators::arrange::Arranged;
use crate::time::Point;

pub use group::Group;
pub use hierarchical::Hierarchical;

impl<K: Data, V: Data> Collection<(K, V)> {
    /// For each key, one row: what `logic` makes of the group of its values.
    ///
    /// A group is there while it has more than zero records (see [`Group`]). `name` appears in errors.
    ///
    /// # Errors
    /// What `logic` gives back stops the operator, and `commit` reports it with the time: an overflow of a sum, say.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut orders, summary) = worker.dataflow(|scope| {
    ///         let (session, orders) = scope.input::<(String, i64)>("orders");
    ///         let summary = orders.aggregate("orders by customer", |orders| {
    ///             Ok((orders.count(), orders.sum(|price| price)?, orders.max()))
    ///         });
    ///         (session, summary.output())
    ///     })?;
    ///     for price in [5, 20, 5] {
    ///         orders.insert(("Ada".to_string(), price));
    ///     }
    ///     worker.commit(&mut orders)?;
    ///     Ok::<_, Error>(summary.rows()?)
    /// });
    /// assert_eq!(rows, Ok(vec![(("Ada".to_string(), (3, 30, 20)), 1)]));
    /// ```
    pub fn aggregate<A: Data>(
        &self,
        name: &str,
        logic: impl FnMut(&Group<'_, '_, V>) -> Result<A, Reason> + 'static,
    ) -> Collection<(K, A)>
    where
        ShapeOf<A>: Default,
    {
        self.arrange_by_key(&format!("arrange for {name}")).aggregate(name, logic).pairs()
    }
}

impl<K: Data, V: Data> Arranged<Rows<K, V, Point, i64>> {
    /// [`Collection::aggregate`] of what is arranged already; the result is an arrangement, too.
    pub fn aggregate<A: Data>(
        &self,
        name: &str,
        mut logic: impl FnMut(&Group<'_, '_, V>) -> Result<A, Reason> + 'static,
    ) -> Arranged<Rows<K, A, Point, i64>>
    where
        ShapeOf<A>: Default,
    {
        let shapes = (self.shapes.0.clone(), Default::default());
        self.try_reduce_to(name, shapes, move |_, values, made| {
            if let Some(group) = Group::new(values)? {
                made.push((logic(&group)?, 1));
            }
            Ok(())
        })
    }
}
