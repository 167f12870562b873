//! Linear operators: row by row, without memory.
//!
//! Each is one node that shares its input's frontier, so that a chain of them costs no frontier work. The columns of
//! times and diffs are handed on as they are; only the data column is written anew. Cost: a call of the user's closure
//! and a push for each update.
//!
//! `concat` has a slot of its own where its inputs' differ. `flat_map` always has: its fan-out is unbounded, so it
//! stops between containers when its fuel is spent, and holds the times of what is left.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::handle::{Changes, Collection, rowwise};
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::diff::{Diff, Diffs, Multiply, OverflowAt};
use crate::error::Fault;
use crate::region::{Input, Node, Output, SlotRule, Visit};
use crate::time::{Frontier, Point, TimeColumn};
use crate::updates::Updates;

impl<D: Data, R: Diff> Collection<D, R> {
    /// Each record replaced by what `logic` makes of it.
    ///
    /// The closure sees what the record's column lends: integers by value, `&str` for a `String`, a tuple of those.
    pub fn map<D2: Data>(&self, logic: impl FnMut(Lent<'_, D>) -> D2 + 'static) -> Collection<D2, R>
    where
        ShapeOf<D2>: Default,
    {
        self.map_to(Default::default(), logic)
    }

    /// [`map`](Self::map) to records whose column is typed at run time, by `shape`.
    pub fn map_to<D2: Data>(
        &self,
        shape: ShapeOf<D2>,
        mut logic: impl FnMut(Lent<'_, D>) -> D2 + 'static,
    ) -> Collection<D2, R> {
        let column = shape.clone();
        self.rewrite("map", shape, move |updates: Changes<D, R>| {
            let mut data = D2::Column::empty(&column);
            data.reserve(updates.len());
            for row in 0..updates.len() {
                data.push_owned(logic(updates.data.get(row)));
            }
            Ok(Some(Updates { data, times: updates.times, diffs: updates.diffs }))
        })
    }

    /// The records that `logic` accepts.
    pub fn filter(&self, mut logic: impl FnMut(Lent<'_, D>) -> bool + 'static) -> Collection<D, R> {
        let shape = self.shape.clone();
        let mut kept = Vec::new();
        let filtered = self.rewrite("filter", shape.clone(), move |updates: Changes<D, R>| {
            kept.clear();
            kept.extend((0..updates.len() as u32).filter(|&row| logic(updates.data.get(row as usize))));
            Ok(match kept.len() {
                0 => None,
                all if all == updates.len() => Some(updates),
                _ => Some(updates.gather(&kept)),
            })
        });
        Collection { settled: self.settled, ..filtered }
    }

    /// Each record replaced by the records that `logic` makes of it, any number of them.
    pub fn flat_map<D2: Data, I>(&self, logic: impl FnMut(Lent<'_, D>) -> I + 'static) -> Collection<D2, R>
    where
        I: IntoIterator<Item = D2>,
        ShapeOf<D2>: Default,
    {
        let shape = ShapeOf::<D2>::default();
        let region = self.scope.region();
        let node = region.reserve("flat_map", self.scope.depth(), SlotRule::Meet);
        let input = region.connect(node, &self.stream);
        let (output, stream) = region.output(node);
        let waiting = VecDeque::new();
        region.install(node, FlatMap { input, waiting, output, shape: shape.clone(), logic });
        Collection { stream, scope: self.scope.clone(), shape, settled: false, gathered: self.gathered }
    }

    /// Each record replaced by the records and diffs that `logic` makes of it; an update's diff is multiplied into them.
    ///
    /// # Errors
    /// A product that overflows stops the operator; `commit` reports it.
    pub fn explode<D2: Data, R2: Diff, I>(
        &self,
        mut logic: impl FnMut(Lent<'_, D>) -> I + 'static,
    ) -> Collection<D2, R::Output>
    where
        R: Multiply<R2>,
        I: IntoIterator<Item = (D2, R2)>,
        ShapeOf<D2>: Default,
    {
        let shape = ShapeOf::<D2>::default();
        let column = shape.clone();
        self.rewrite("explode", shape, move |updates: Changes<D, R>| {
            let (mut data, mut diffs, mut origins) = (D2::Column::empty(&column), Diffs::default(), Vec::new());
            for row in 0..updates.len() {
                for (record, diff) in logic(updates.data.get(row)) {
                    data.push_owned(record);
                    let product = updates.diffs.get(row).times(&diff);
                    diffs.push(product.map_err(|_| OverflowAt::new(updates.times.get(row)))?);
                    origins.push(row as u32);
                }
            }
            let mut times = <Point as crate::time::Time>::Column::default();
            times.extend_gather(&updates.times, &origins);
            Ok((!origins.is_empty()).then_some(Updates { data, times, diffs }))
        })
    }

    /// Each record with its count negated.
    ///
    /// # Errors
    /// The least value of a diff's type has no negation; it stops the operator, and `commit` reports it.
    pub fn negate(&self) -> Collection<D, R> {
        let negated = self.rewrite("negate", self.shape.clone(), |mut updates: Changes<D, R>| {
            // What has no negation is left as it was; all else, negated, could be negated again.
            updates.diffs.negate().map_err(|_| {
                let refused = |row: &usize| updates.diffs.get(*row).negate().is_err();
                let times = (0..updates.len()).filter(refused).map(|row| updates.times.get(row));
                OverflowAt::new(times.min().expect("a negation was said to overflow"))
            })?;
            Ok(Some(updates))
        });
        Collection { settled: self.settled, ..negated }
    }

    /// Calls `logic` on each update as it passes: the record, its time, its diff.
    ///
    /// Updates are seen as they flow, not consolidated: one may be undone by a later one at the same time.
    pub fn inspect(&self, mut logic: impl FnMut(Lent<'_, D>, &Point, &R) + 'static) -> Collection<D, R> {
        let inspected = self.rewrite("inspect", self.shape.clone(), move |updates: Changes<D, R>| {
            // Most containers hold one time, which is then taken out once.
            let only = updates.times.uniform();
            for row in 0..updates.len() {
                let time = only.as_ref().map_or_else(|| Cow::Owned(updates.times.get(row)), Cow::Borrowed);
                logic(updates.data.get(row), &time, updates.diffs.get(row));
            }
            Ok(Some(updates))
        });
        Collection { settled: self.settled, ..inspected }
    }

    /// The sum of two collections: counts add up.
    pub fn concat(&self, other: &Collection<D, R>) -> Collection<D, R> {
        self.concat_all([other])
    }

    /// The sum of this collection and the others.
    pub fn concat_all<'a>(&self, others: impl IntoIterator<Item = &'a Collection<D, R>>) -> Collection<D, R> {
        let others: Vec<_> = others.into_iter().collect();
        let gathered = self.gathered && others.iter().all(|other| other.gathered);
        let scope = others.iter().fold(self.scope.clone(), |scope, other| scope.combine(&other.scope));
        let region = scope.region();
        let node = region.reserve("concat", scope.depth(), SlotRule::Meet);
        let streams = std::iter::once(self).chain(others).map(|collection| &collection.stream);
        let inputs = streams.map(|stream| region.connect(node, stream)).collect();
        let (output, stream) = region.output(node);
        region.install(node, Concat { inputs, output });
        Collection { stream, scope, shape: self.shape.clone(), settled: false, gathered }
    }

    /// A node of its own that rewrites each container.
    fn rewrite<D2: Data, R2: Diff>(
        &self,
        name: &str,
        shape: ShapeOf<D2>,
        logic: impl FnMut(Changes<D, R>) -> Result<Option<Changes<D2, R2>>, Fault> + 'static,
    ) -> Collection<D2, R2> {
        let (_, stream) = rowwise(&self.scope, name, SlotRule::Shared, &self.stream, logic);
        Collection { stream, scope: self.scope.clone(), shape, settled: false, gathered: self.gathered }
    }
}

struct Concat<C> {
    inputs: Vec<Input<C>>,
    output: Output<C>,
}

impl<C: Clone + 'static> Node for Concat<C> {
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        for input in &mut self.inputs {
            while let Some(container) = input.next() {
                self.output.send(container);
            }
        }
        Ok(())
    }
}

struct FlatMap<D: Data, R: Diff, D2: Data, F> {
    input: Input<Changes<D, R>>,
    waiting: VecDeque<Changes<D, R>>,
    output: Output<Changes<D2, R>>,
    shape: ShapeOf<D2>,
    logic: F,
}

impl<D: Data, R: Diff, D2: Data, F, I> Node for FlatMap<D, R, D2, F>
where
    F: FnMut(Lent<'_, D>) -> I + 'static,
    I: IntoIterator<Item = D2>,
{
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(updates) = self.input.next() {
            self.waiting.push_back(updates);
        }
        while let Some(updates) = self.waiting.pop_front() {
            let (mut data, mut origins) = (D2::Column::empty(&self.shape), Vec::new());
            for row in 0..updates.len() {
                for record in (self.logic)(updates.data.get(row)) {
                    data.push_owned(record);
                    origins.push(row as u32);
                }
            }
            visit.fuel.take(origins.len() as u64);
            if !origins.is_empty() {
                let (mut times, mut diffs) = (<Point as crate::time::Time>::Column::default(), Diffs::default());
                times.extend_gather(&updates.times, &origins);
                diffs.extend_gather(&updates.diffs, &origins);
                self.output.send(Updates { data, times, diffs });
            }
            if visit.fuel.spent() && !self.waiting.is_empty() {
                visit.again();
                break;
            }
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        for updates in &self.waiting {
            updates.times.lower_into(0..updates.len(), holds);
        }
    }
}
