//! Groups: for each key, what a function makes of its values, kept up to date.
//!
//! ```text
//!   spans of the input ──> keys with work due ──> for each: its input history, its output history, its due times
//!                               ^                        │
//!                          owed from before              └──> corrections ──> a batch of the output's trace
//! ```
//!
//! A change at time `t` may change the output at `t`, and at any join of `t` with times at which the key changed
//! before: there the accumulated input is one that no single update shows. Those times are *owed*: kept until the
//! input's frontier passes them. Only keys with a new update or an owed time that came due are looked at.
//!
//! The output's history is a trace of its own, which is at once the arrangement of the result: no second copy.
//! `docs/REDUCE.md` tells which times must be looked at, and why no others.
//!
//! | file | holds |
//! |---|---|
//! | `owed` | times at which keys must be looked at later |
//! | `due` | the keys with work due in one round, and when |
//! | `gather` | one key's history out of all batches, values as ranks |
//! | `interned` | output values as ranks |
//! | `node` | the loop over keys with work due |

mod due;
mod gather;
mod interned;
mod node;
mod owed;

use crate::collection::Collection;
use crate::column::{Data, ShapeOf};
use crate::diff::Diff;
use crate::error::Reason;
use crate::layout::{Key, KeyShape, Layout, Rows, Val};
use crate::operators::arrange::Arranged;
use crate::time::Point;

impl<L: Layout<Time = Point>> Arranged<L> {
    /// For each key, what `logic` makes of its values.
    ///
    /// `logic` sees the key, its values in ascending order with their counts (never zero, maybe negative; at least one),
    /// and pushes output values with counts. It must be a function of these: the same input gives the same output.
    pub fn reduce<V2: Data, R2: Diff>(
        &self,
        name: &str,
        logic: impl FnMut(Key<'_, L>, &[(Val<'_, L>, L::Diff)], &mut Vec<(V2, R2)>) + 'static,
    ) -> Arranged<Rows<L::Key, V2, Point, R2>>
    where
        ShapeOf<V2>: Default,
    {
        self.reduce_to(name, (self.shapes.0.clone(), Default::default()), logic)
    }

    /// [`reduce`](Self::reduce) to values whose column is typed at run time, by the second of `shapes`.
    pub fn reduce_to<V2: Data, R2: Diff>(
        &self,
        name: &str,
        shapes: (KeyShape<L>, ShapeOf<V2>),
        mut logic: impl FnMut(Key<'_, L>, &[(Val<'_, L>, L::Diff)], &mut Vec<(V2, R2)>) + 'static,
    ) -> Arranged<Rows<L::Key, V2, Point, R2>> {
        self.try_reduce_to(name, shapes, move |key, values, output| {
            logic(key, values, output);
            Ok(())
        })
    }

    /// [`reduce_to`](Self::reduce_to) with logic that may fail: the operator stops then, and `commit` reports the reason.
    pub fn try_reduce_to<V2: Data, R2: Diff>(
        &self,
        name: &str,
        shapes: (KeyShape<L>, ShapeOf<V2>),
        logic: impl FnMut(Key<'_, L>, &[(Val<'_, L>, L::Diff)], &mut Vec<(V2, R2)>) -> Result<(), Reason> + 'static,
    ) -> Arranged<Rows<L::Key, V2, Point, R2>> {
        node::reduce(self, name, shapes, Box::new(logic))
    }
}

impl<K: Data, V: Data, R: Diff> Collection<(K, V), R> {
    /// For each key, what `logic` makes of its values: [`Arranged::reduce`] of the collection arranged by key.
    pub fn reduce<V2: Data, R2: Diff>(
        &self,
        name: &str,
        logic: impl FnMut(Key<'_, Rows<K, V, Point, R>>, &[(Val<'_, Rows<K, V, Point, R>>, R)], &mut Vec<(V2, R2)>)
        + 'static,
    ) -> Collection<(K, V2), R2>
    where
        ShapeOf<V2>: Default,
    {
        self.arrange_by_key("arrange for reduce").reduce(name, logic).pairs()
    }
}
