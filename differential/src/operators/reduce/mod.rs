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
//! | `moot` | what came and cannot change a result, found without the input's history |
//! | `interned` | output values as ranks |
//! | `node` | the loop over keys with work due |

mod due;
mod gather;
mod interned;
mod moot;
mod node;
mod owed;

use moot::Absorbs;

use std::rc::Rc;

use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf, owned};
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
        node::reduce(self, name, (None, None), shapes, Box::new(logic))
    }

    /// [`try_reduce_to`](Self::try_reduce_to) for results that may *absorb* values: in a loop, what a key's result absorbs is
    /// put aside without a look at the key's other values.
    ///
    /// `absorbs(result, value)` says that a key with this result keeps it when its input has this value too, or has it once
    /// more, whatever else the input has or may get; so it is with a minimum and all values that are not less. It is
    /// only asked about keys whose input has positive counts. `logic` must make one value, of count one, of such an input.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// run_alone(Config::default(), |worker| {
    ///     // The widest path to each node: as wide as its narrowest edge.
    ///     let (mut edges, mut starts, mut widths) = worker.dataflow(|scope| {
    ///         let (edges_session, edges) = scope.input::<(u32, (u32, u32))>("edges");
    ///         let (starts_session, starts) = scope.input::<(u32, u32)>("starts");
    ///         let by_source = edges.arrange_by_key("edges by source");
    ///         let widths = starts.iterate(|widths| {
    ///             let by_node = widths.arrange_by_key("widths by node");
    ///             let further = by_node.join(&by_source, |_, width, (next, edge)| (next, width.min(edge)));
    ///             let candidates = further.concat(&starts).arrange_by_key("candidates");
    ///             let widest = candidates.reduce_absorbing(
    ///                 "widest",
    ///                 ((), ()),
    ///                 |is, new| is >= new,
    ///                 |_, widths, output| Ok(output.extend(widths.last().map(|(width, _)| (*width, 1)))),
    ///             );
    ///             widest.pairs()
    ///         });
    ///         (edges_session, starts_session, widths.output())
    ///     })?;
    ///     starts.insert((0, u32::MAX));
    ///     [(0, (1, 5)), (0, (2, 9)), (2, (1, 7))].map(|edge| edges.insert(edge));
    ///     worker.commit((&mut edges, &mut starts))?;
    ///     assert_eq!(widths.rows()?, [((0, u32::MAX), 1), ((1, 7), 1), ((2, 9), 1)]);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn reduce_absorbing<V2: Data>(
        &self,
        name: &str,
        shapes: (KeyShape<L>, ShapeOf<V2>),
        absorbs: impl for<'a> Fn(Lent<'a, V2>, Val<'a, L>) -> bool + 'static,
        logic: impl FnMut(Key<'_, L>, &[(Val<'_, L>, L::Diff)], &mut Vec<(V2, i64)>) -> Result<(), Reason> + 'static,
    ) -> Arranged<Rows<L::Key, V2, Point, i64>> {
        node::reduce(self, name, (None, Some(Rc::new(absorbs))), shapes, Box::new(logic))
    }
}

impl<K: Data, V: Data, R: Diff> Arranged<Rows<K, V, Point, R>> {
    /// The rows whose count is positive, each with count one, arranged by the same key.
    ///
    /// What [`Collection::distinct`] does for pairs, but the result is arranged as a join by the key wants it: in a loop
    /// that derives pairs and joins them by one of their parts, that is one arrangement fewer. A change looks at its row,
    /// not at the other rows of the key. A negative count is taken as absent.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// run_alone(Config::default(), |worker| {
    ///     // Pairs joined by a path of one edge or more, by their end.
    ///     let (mut edges, mut paths) = worker.dataflow(|scope| {
    ///         let (session, edges) = scope.input::<(u32, u32)>("edges");
    ///         let by_source = edges.arrange_by_key("edges by source");
    ///         let inner = scope.inner("paths");
    ///         let longer = Variable::new(&inner);
    ///         let found = longer.current().concat(&edges.map(|(start, end)| (end, start)));
    ///         let by_end = found.arrange_by_key("found by end").distinct("paths by end");
    ///         longer.set(&by_end.join(&by_source, |_, start, next| (next, start)));
    ///         (session, by_end.pairs().leave().output())
    ///     })?;
    ///     [(1, 2), (2, 3), (3, 1)].map(|edge| edges.insert(edge));
    ///     worker.commit(&mut edges)?;
    ///     assert_eq!(paths.rows()?.len(), 9);
    ///     edges.remove((3, 1));
    ///     worker.commit(&mut edges)?;
    ///     assert_eq!(paths.rows()?, [((2, 1), 1), ((3, 1), 1), ((3, 2), 1)]);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn distinct(&self, name: &str) -> Arranged<Rows<K, V, Point, i64>> {
        let logic = |_: Key<'_, Rows<K, V, Point, R>>,
                     values: &[(Val<'_, Rows<K, V, Point, R>>, R)],
                     output: &mut Vec<(V, i64)>| {
            output.extend(values.iter().filter(|(_, count)| *count > R::zero()).map(|(val, _)| (owned::<V>(*val), 1)));
            Ok(())
        };
        // Of units a key has one at most.
        let by_row: Option<node::ByRow<Rows<K, V, Point, R>, V>> = (V::Column::PREFIX_BITS > 0).then_some(|vals| vals);
        let absorbs: Absorbs<Rows<K, V, Point, R>, V> = Rc::new(|is, new| is == new);
        node::reduce(self, name, (by_row, Some(absorbs)), self.shapes.clone(), Box::new(logic))
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
