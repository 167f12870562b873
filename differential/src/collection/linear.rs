//! Linear operators: row by row, without memory.
//!
//! Each is one node that shares its input's frontier, so that a chain of them costs no frontier work, and a relay that is
//! called by who sends to it. The columns of times and diffs are handed on as they are; only the data column is written
//! anew, into a buffer that stays (`rowwise`). Cost: a call of the user's closure and a push for each update.
//!
//! `concat` has a slot of its own where its inputs' differ. `flat_map` always has: its fan-out is unbounded, so it
//! stops between containers when its fuel is spent, and holds the times of what is left.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::handle::{Changes, Collection};
use super::rowwise::{keep_small, revise, rewrite};
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::diff::{Diff, Multiply, OverflowAt};
use crate::error::Fault;
use crate::region::{Input, Node, Output, Parcel, Relay, SlotRule, Visit};
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
        self.rewrite("map", shape, move |updates: &mut Changes<D, R>, mapped: &mut Changes<D2, R>| {
            mapped.data.reserve(updates.len());
            for row in 0..updates.len() {
                mapped.data.push_owned(logic(updates.data.get(row)));
            }
            updates.data.clear();
            std::mem::swap(&mut updates.times, &mut mapped.times);
            std::mem::swap(&mut updates.diffs, &mut mapped.diffs);
            Ok(())
        })
    }

    /// The records that `logic` accepts.
    pub fn filter(&self, mut logic: impl FnMut(Lent<'_, D>) -> bool + 'static) -> Collection<D, R> {
        let mut kept = Vec::new();
        self.revise("filter", move |updates: &mut Changes<D, R>| {
            kept.clear();
            kept.extend((0..updates.len() as u32).filter(|&row| logic(updates.data.get(row as usize))));
            if !kept.is_empty() && kept.len() < updates.len() {
                *updates = updates.gather(&kept);
            }
            Ok(!kept.is_empty())
        })
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
        region.install(node, FlatMap { input, waiting, output, shape: shape.clone(), logic, origins: Vec::new() });
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
        let mut origins = Vec::new();
        let shape = ShapeOf::<D2>::default();
        self.rewrite("explode", shape, move |updates: &mut Changes<D, R>, exploded: &mut Changes<D2, R::Output>| {
            origins.clear();
            for row in 0..updates.len() {
                for (record, diff) in logic(updates.data.get(row)) {
                    exploded.data.push_owned(record);
                    let product = updates.diffs.get(row).times(&diff);
                    exploded.diffs.push(product.map_err(|_| OverflowAt::new(updates.times.get(row)))?);
                    origins.push(row as u32);
                }
            }
            exploded.times.extend_gather(&updates.times, &origins);
            updates.clear();
            Ok(())
        })
    }

    /// Each record with its count negated.
    ///
    /// # Errors
    /// The least value of a diff's type has no negation; it stops the operator, and `commit` reports it.
    pub fn negate(&self) -> Collection<D, R> {
        self.revise("negate", |updates: &mut Changes<D, R>| {
            // What has no negation is left as it was; all else, negated, could be negated again.
            updates.diffs.negate().map_err(|_| {
                let refused = |row: &usize| updates.diffs.get(*row).negate().is_err();
                let times = (0..updates.len()).filter(refused).map(|row| updates.times.get(row));
                OverflowAt::new(times.min().expect("a negation was said to overflow"))
            })?;
            Ok(true)
        })
    }

    /// Calls `logic` on each update as it passes: the record, its time, its diff.
    ///
    /// Updates are seen as they flow, not consolidated: one may be undone by a later one at the same time.
    pub fn inspect(&self, mut logic: impl FnMut(Lent<'_, D>, &Point, &R) + 'static) -> Collection<D, R> {
        self.revise("inspect", move |updates: &mut Changes<D, R>| {
            let only = updates.times.uniform();
            // Most containers hold one time and one diff: then nothing but the record is looked at row by row.
            if let (Some(time), Some(diff)) = (&only, updates.diffs.uniform()) {
                (0..updates.len()).for_each(|row| logic(updates.data.get(row), time, diff));
                return Ok(true);
            }
            for row in 0..updates.len() {
                let time = only.as_ref().map_or_else(|| Cow::Owned(updates.times.get(row)), Cow::Borrowed);
                logic(updates.data.get(row), &time, &updates.diffs.get(row));
            }
            Ok(true)
        })
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
        let streams: Vec<_> = std::iter::once(self).chain(others).map(|collection| &collection.stream).collect();
        let shape = self.shape.clone();
        let region = scope.region();
        let node = region.reserve("concat", scope.depth(), SlotRule::Meet);
        let (output, stream) = region.output(node);
        region.install_relay(node, &streams, Concat { output, shape: shape.clone() });
        Collection { stream, scope, shape, settled: false, gathered }
    }

    /// What a node of its own makes of each container.
    pub(crate) fn rewrite<D2: Data, R2: Diff>(
        &self,
        name: &str,
        shape: ShapeOf<D2>,
        logic: impl FnMut(&mut Changes<D, R>, &mut Changes<D2, R2>) -> Result<(), Fault> + 'static,
    ) -> Collection<D2, R2> {
        let stream = rewrite(&self.scope, name, &self.stream, shape.clone(), logic);
        Collection { stream, scope: self.scope.clone(), shape, settled: false, gathered: self.gathered }
    }

    /// The same records, or some of them: each container as `logic` changes it, if it says that something is left.
    fn revise(
        &self,
        name: &str,
        logic: impl FnMut(&mut Changes<D, R>) -> Result<bool, Fault> + 'static,
    ) -> Collection<D, R> {
        let stream = revise(&self.scope, name, SlotRule::Shared, (&self.stream, &self.shape), logic);
        Collection { stream, ..self.clone() }
    }
}

struct Concat<D: Data, R: Diff> {
    output: Output<Changes<D, R>>,
    shape: ShapeOf<D>,
}

impl<D: Data, R: Diff> Relay<Changes<D, R>> for Concat<D, R> {
    #[inline]
    fn take(&mut self, updates: &mut Changes<D, R>) -> Result<(), Fault> {
        self.output.send_from(updates, || Updates::empty(&self.shape));
        Ok(())
    }
}

struct FlatMap<D: Data, R: Diff, D2: Data, F> {
    input: Input<Changes<D, R>>,
    waiting: VecDeque<Parcel<Changes<D, R>>>,
    output: Output<Changes<D2, R>>,
    shape: ShapeOf<D2>,
    logic: F,
    /// The row that each record was made of.
    origins: Vec<u32>,
}

impl<D: Data, R: Diff, D2: Data, F, I> Node for FlatMap<D, R, D2, F>
where
    F: FnMut(Lent<'_, D>) -> I + 'static,
    I: IntoIterator<Item = D2>,
{
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(parcel) = self.input.take() {
            self.waiting.push_back(parcel);
        }
        while let Some(mut parcel) = self.waiting.pop_front() {
            let Some(updates) = &mut *parcel else { continue };
            let mut made = self.output.spare();
            let mapped = made.get_or_insert_with(|| Updates::empty(&self.shape));
            self.origins.clear();
            for row in 0..updates.len() {
                for record in (self.logic)(updates.data.get(row)) {
                    mapped.data.push_owned(record);
                    self.origins.push(row as u32);
                }
            }
            visit.fuel.take(self.origins.len() as u64);
            if !self.origins.is_empty() {
                mapped.times.extend_gather(&updates.times, &self.origins);
                mapped.diffs.extend_gather(&updates.diffs, &self.origins);
                self.output.ship(made);
            }
            let rows = updates.len();
            updates.clear();
            keep_small(updates, rows);
            self.input.give_back(parcel);
            if visit.fuel.spent() && !self.waiting.is_empty() {
                visit.again();
                break;
            }
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        for updates in self.waiting.iter().filter_map(|parcel| parcel.as_ref().as_ref()) {
            updates.times.lower_into(0..updates.len(), holds);
        }
    }
}
