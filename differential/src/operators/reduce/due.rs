//! What has work due in one round, and when.
//!
//! ```text
//!   fresh batch 0   a@4   c@4   c@5
//!   fresh batch 1         b@6   c@6         subjects   a     b     c        all of them, each once, in order
//!   owed                  c@3               due       {4}   {6}   {3}       a frontier: no later time matters
//! ```
//!
//! A *subject* is what is looked at as a whole: a key with all of its values, or a row, which is a key with one value.
//! New times are read off the new batches, before these are merged with anything: a record that cancels against the past
//! still marks a time. The subjects are written out as columns first, so that they can be searched for many at once.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;
use std::vec::IntoIter;

use smallvec::SmallVec;

use crate::batch::Batch;
use crate::column::Column;
use crate::layout::{Key, KeyShape, Keys, Layout, Val, ValShape, Vals};
use crate::time::{Frontier, Point, TimeColumn};

/// A key, and of a row its value.
pub(super) type Subject<L> = (<L as Layout>::Key, Option<<L as Layout>::Val>);

/// The same as lent.
pub(super) type Lent<'a, L> = (Key<'a, L>, Option<Val<'a, L>>);

/// What is due, by subject.
pub(super) struct Due<L: Layout> {
    pub(super) keys: Keys<L>,
    /// The values of rows, if those are the subjects.
    pub(super) vals: Option<Vals<L>>,
    /// New batches, and how far each has been read.
    fresh: Vec<Fresh<L>>,
    /// Subjects owed a look, in order, each with its times.
    owed: Peekable<IntoIter<(Subject<L>, Point)>>,
    /// Their rows, ascending.
    owed_rows: Vec<u32>,
    as_of: Option<Frontier<Point>>,
    /// When every subject is due, where one new batch of one time is all there is: so it is in most rounds of a loop.
    at_once: Option<Frontier<Point>>,
}

impl<L: Layout<Time = Point>> Due<L> {
    /// What new batches and owed times make due. Owed subjects are in order; with a shape of values, they are rows.
    ///
    /// What came before a reader began counts as having come at `as_of`.
    pub(super) fn new(
        (keys, vals): (&KeyShape<L>, Option<&ValShape<L>>),
        fresh: Vec<Arc<Batch<L>>>,
        owed: Vec<(Subject<L>, Point)>,
        as_of: Option<Frontier<Point>>,
    ) -> Self {
        let at_once = match &fresh[..] {
            [batch] if owed.is_empty() && as_of.is_none() => batch.times().uniform().map(Frontier::from),
            _ => None,
        };
        let by_row = vals.is_some();
        let fresh: Vec<_> = fresh.into_iter().map(|batch| Fresh { batch, key: 0, val: 0, by_row }).collect();
        let (mut keys, mut vals) = (Keys::<L>::empty(keys), vals.map(Vals::<L>::empty));
        let owed_rows = write_out(&fresh, &owed, &mut keys, &mut vals);
        Due { keys, vals, fresh, owed: owed.into_iter().peekable(), owed_rows, as_of, at_once }
    }

    /// The new batches, from their first subject on.
    pub(super) fn fresh(&self) -> &[Fresh<L>] {
        &self.fresh
    }

    /// When every subject is due, if that is known at once.
    pub(super) fn at_once(&self) -> Option<&Point> {
        self.at_once.as_ref().and_then(|times| times.elements().first())
    }

    /// Whether the subject at a row is owed a look.
    pub(super) fn is_owed(&self, at: usize) -> bool {
        !self.owed_rows.is_empty() && self.owed_rows.binary_search(&(at as u32)).is_ok()
    }

    /// Goes past the subject at row `at`, to which only new batches led.
    pub(super) fn skip(&mut self, at: usize) {
        if self.at_once.is_none() {
            let subject = (self.keys.get(at), self.vals.as_ref().map(|vals| vals.get(at)));
            self.fresh.iter_mut().for_each(|fresh| _ = fresh.next_if(subject));
        }
    }

    /// The subject at a row of these columns.
    #[inline]
    pub(super) fn subject(&self, at: usize) -> Lent<'_, L> {
        (self.keys.get(at), self.vals.as_ref().map(|vals| vals.get(at)))
    }

    /// Sets `due` to the times of the subject at row `at`. Subjects are asked for in order, each once.
    pub(super) fn take(&mut self, at: usize, due: &mut Frontier<Point>) {
        if let Some(at_once) = &self.at_once {
            due.clone_from(at_once);
            return;
        }
        due.clear();
        let Due { keys, vals, fresh, owed, as_of, .. } = self;
        let subject = (keys.get(at), vals.as_ref().map(|vals| vals.get(at)));
        while let Some((_, time)) = owed.next_if(|(owed, _)| compare::<L>(lend::<L>(owed), subject).is_eq()) {
            due.insert(time);
        }
        for fresh in fresh {
            let Some(vals) = fresh.next_if(subject) else { continue };
            let (times, updates) = (fresh.batch.times(), fresh.batch.updates_of(vals));
            match as_of {
                None => times.lower_into(updates, due),
                Some(as_of) => {
                    for update in updates {
                        let mut time = times.get(update);
                        as_of.advance(&mut time);
                        due.insert(time);
                    }
                }
            }
        }
    }
}

/// Writes out all subjects of the batches and those owed, each once, in order; the rows of those owed.
fn write_out<L: Layout>(
    fresh: &[Fresh<L>],
    owed: &[(Subject<L>, Point)],
    keys: &mut Keys<L>,
    vals: &mut Option<Vals<L>>,
) -> Vec<u32> {
    let mut owed_rows = Vec::new();
    if let ([Fresh { batch, .. }], []) = (fresh, owed)
        && !batch.is_flat()
    {
        match vals {
            None => keys.extend_range(batch.keys(), 0..batch.keys().len()),
            Some(vals) => {
                vals.extend_range(batch.vals(), 0..batch.vals().len());
                for key in 0..batch.keys().len() {
                    keys.extend_repeat(batch.keys(), key, batch.vals_of(key..key + 1).len());
                }
            }
        }
        return owed_rows;
    }
    // These go ahead of those that are read for times.
    let mut ahead: SmallVec<[Fresh<L>; 4]> = fresh.iter().cloned().collect();
    let mut owed = owed.iter().map(|(subject, _)| subject).peekable();
    loop {
        let mut least = owed.peek().map(|subject| lend::<L>(subject));
        for subject in ahead.iter().filter_map(Fresh::peek) {
            if least.is_none_or(|least| compare::<L>(subject, least).is_lt()) {
                least = Some(subject);
            }
        }
        let Some((key, val)) = least else { return owed_rows };
        keys.push(key);
        if let (Some(vals), Some(val)) = (&mut *vals, val) {
            vals.push(val);
        }
        let at = keys.len() - 1;
        let least = (keys.get(at), vals.as_ref().map(|vals| vals.get(at)));
        if owed.next_if(|subject| compare::<L>(lend::<L>(subject), least).is_eq()).is_some() {
            owed_rows.push(at as u32);
            while owed.next_if(|subject| compare::<L>(lend::<L>(subject), least).is_eq()).is_some() {}
        }
        ahead.iter_mut().for_each(|fresh| _ = fresh.next_if(least));
    }
}

fn lend<L: Layout>((key, val): &Subject<L>) -> Lent<'_, L> {
    (Keys::<L>::lend(key), val.as_ref().map(Vals::<L>::lend))
}

fn compare<L: Layout>(one: Lent<'_, L>, other: Lent<'_, L>) -> Ordering {
    Keys::<L>::reborrow(one.0).cmp(&Keys::<L>::reborrow(other.0)).then_with(|| match (one.1, other.1) {
        (Some(one), Some(other)) => Vals::<L>::reborrow(one).cmp(&Vals::<L>::reborrow(other)),
        _ => Ordering::Equal,
    })
}

/// A new batch, and how far it has been read.
pub(super) struct Fresh<L: Layout> {
    pub(super) batch: Arc<Batch<L>>,
    /// The next key row; and the next value row, where rows are read.
    key: usize,
    val: usize,
    by_row: bool,
}

impl<L: Layout> Clone for Fresh<L> {
    fn clone(&self) -> Self {
        Fresh { batch: Arc::clone(&self.batch), ..*self }
    }
}

impl<L: Layout> Fresh<L> {
    /// The next subject.
    #[inline]
    fn peek(&self) -> Option<Lent<'_, L>> {
        let batch = &*self.batch;
        (self.key < batch.keys().len())
            .then(|| (batch.keys().get(self.key), self.by_row.then(|| batch.vals().get(self.val))))
    }

    /// Goes past the next subject, if it is this one; the rows of its values.
    #[inline]
    pub(super) fn next_if(&mut self, subject: Lent<'_, L>) -> Option<Range<usize>> {
        let (key, val) = subject;
        let batch = &*self.batch;
        let (keys, vals) = (batch.keys(), batch.vals());
        if self.key == keys.len() || keys.compare_item(self.key, key).is_ne() {
            return None;
        }
        let Some(val) = val else {
            let run = batch.run(self.key);
            self.key = run.end;
            return Some(batch.vals_of(run));
        };
        if vals.compare_item(self.val, val).is_ne() {
            return None;
        }
        let start = self.val;
        self.val += 1;
        if batch.is_flat() {
            // A row for each update.
            while self.val < vals.len()
                && keys.compare_item(self.val, key).is_eq()
                && vals.compare_item(self.val, val).is_eq()
            {
                self.val += 1;
            }
            self.key = self.val;
        } else if self.val == batch.vals_of(self.key..self.key + 1).end {
            self.key += 1;
        }
        Some(start..self.val)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::layout::Rows;
    use crate::time::small_world::Random;
    use crate::updates::Keyed;

    type Numbers = Rows<u64, u64, Point, i64>;
    /// A key, its value where rows are looked at, and when it is due.
    type Told = (u64, Option<u64>, Frontier<Point>);

    fn batch(updates: impl IntoIterator<Item = ((u64, u64), Point)>) -> Arc<Batch<Numbers>> {
        let mut rows = Keyed::<Numbers>::empty(&(), &());
        updates.into_iter().for_each(|((key, val), time)| rows.push(key, val, &time, 1));
        Arc::new(Batch::new(rows).expect("some updates"))
    }

    /// What is due, subject by subject.
    fn all_due(
        fresh: Vec<Arc<Batch<Numbers>>>,
        owed: Vec<(Subject<Numbers>, Point)>,
        by_row: bool,
        as_of: Option<u64>,
    ) -> Vec<Told> {
        let as_of = as_of.map(|time| Frontier::from(Point::from(time)));
        let mut due = Due::<Numbers>::new((&(), by_row.then_some(&())), fresh, owed, as_of);
        let (count, mut times) = (due.keys.len(), Frontier::empty());
        let take = |at| {
            due.take(at, &mut times);
            let (key, val) = due.subject(at);
            (key, val, times.clone())
        };
        (0..count).map(take).collect()
    }

    #[test]
    fn a_batch_of_one_time_is_due_then_unless_something_is_owed_or_the_reader_came_later() {
        let at = |key: u64, time: u64| (key, None, Frontier::from(Point::from(time)));
        let all_due = |owed: &[(u64, u64)], as_of| {
            let owed = owed.iter().map(|(key, time)| ((*key, None), Point::from(*time))).collect();
            all_due(vec![batch([1, 2].map(|key| ((key, 7), Point::from(4))))], owed, false, as_of)
        };
        assert_eq!(all_due(&[], None), [at(1, 4), at(2, 4)]);
        assert_eq!(all_due(&[], Some(7)), [at(1, 7), at(2, 7)]);
        let owed = [(2, 3), (5, 6)];
        assert_eq!(all_due(&owed, None), [at(1, 4), at(2, 3), at(5, 6)]);
        assert_eq!(all_due(&owed, Some(7)), [at(1, 7), at(2, 3), at(5, 6)]);
    }

    #[test]
    fn keys_and_rows_are_due_at_the_least_of_their_times() {
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let by_row = random.below(2) == 0;
            let mut wanted = BTreeMap::<(u64, Option<u64>), Frontier<Point>>::new();
            let row = |random: &mut Random, wanted: &mut BTreeMap<_, Frontier<Point>>| {
                let (key, val) = (random.below(6) as u64, random.below(4) as u64);
                let time = random.point(2, 3);
                wanted.entry((key, by_row.then_some(val))).or_default().insert(time.clone());
                ((key, val), time)
            };
            // Few updates are held flat, many in layers.
            let fresh = (0..random.below(4)).map(|_| {
                let count = [1, 5, 100][random.below(3)];
                let updates: BTreeMap<_, ()> = (0..count).map(|_| (row(&mut random, &mut wanted), ())).collect();
                batch(updates.into_keys())
            });
            let fresh = fresh.collect();
            let mut owed: Vec<_> = (0..random.below(5)).map(|_| row(&mut random, &mut wanted)).collect();
            owed.sort_unstable();
            owed.dedup();
            let owed = owed.into_iter().map(|((key, val), time)| ((key, by_row.then_some(val)), time));
            let mut owed: Vec<(Subject<Numbers>, Point)> = owed.collect();
            owed.sort_unstable();
            let wanted: Vec<Told> = wanted.into_iter().map(|((key, val), times)| (key, val, times)).collect();
            assert_eq!(all_due(fresh, owed, by_row, None), wanted, "seed {seed}");
        }
    }
}
