//! The keys with work due in one round, and when each is due.
//!
//! ```text
//!   fresh batch 0   a@4   c@4   c@5
//!   fresh batch 1         b@6   c@6         keys   a     b     c        all of them, each once, in order
//!   owed                  c@3               due   {4}   {6}   {3}       a frontier: no later time matters
//! ```
//!
//! New times are read off the new batches, before these are merged with anything: a record that cancels against the past
//! still marks a time. The keys are written out as a column first, so that they can be searched for many at once.

use std::iter::Peekable;
use std::sync::Arc;
use std::vec::IntoIter;

use smallvec::{SmallVec, smallvec};

use crate::batch::Batch;
use crate::column::Column;
use crate::layout::{Key, KeyShape, Keys, Layout};
use crate::time::{Frontier, Point, TimeColumn};

/// What is due, by key.
pub(super) struct Due<L: Layout> {
    pub(super) keys: Keys<L>,
    /// New batches, and how far each has been read.
    fresh: Vec<(Arc<Batch<L>>, usize)>,
    /// Keys owed a look, in order, each with its times.
    owed: Peekable<IntoIter<(L::Key, Point)>>,
    as_of: Option<Frontier<Point>>,
    /// When every key is due, where one new batch of one time is all there is: so it is in most rounds of a loop.
    at_once: Option<Frontier<Point>>,
}

impl<L: Layout<Time = Point>> Due<L> {
    /// What new batches and owed times make due. Owed keys are in order.
    ///
    /// What came before a reader began counts as having come at `as_of`.
    pub(super) fn new(
        shape: &KeyShape<L>,
        fresh: Vec<Arc<Batch<L>>>,
        owed: Vec<(L::Key, Point)>,
        as_of: Option<Frontier<Point>>,
    ) -> Self {
        let keys = union::<L>(shape, &fresh, &owed);
        let at_once = match &fresh[..] {
            [batch] if owed.is_empty() && as_of.is_none() => batch.times().uniform().map(Frontier::from),
            _ => None,
        };
        let fresh = fresh.into_iter().map(|batch| (batch, 0)).collect();
        Due { keys, fresh, owed: owed.into_iter().peekable(), as_of, at_once }
    }

    /// Sets `due` to the times of the key at row `at`. Keys are asked for in order, each once.
    pub(super) fn take(&mut self, at: usize, due: &mut Frontier<Point>) {
        if let Some(at_once) = &self.at_once {
            due.clone_from(at_once);
            return;
        }
        due.clear();
        let key = self.keys.get(at);
        let keys = &self.keys;
        while let Some((_, time)) = self.owed.next_if(|(owed, _)| keys.compare_item(at, Keys::<L>::lend(owed)).is_eq())
        {
            due.insert(time);
        }
        for (batch, next) in &mut self.fresh {
            if *next == batch.keys().len() || batch.keys().compare_item(*next, key).is_ne() {
                continue;
            }
            let run = batch.run(*next);
            *next = run.end;
            let updates = batch.updates_of(batch.vals_of(run));
            match &self.as_of {
                None => batch.times().lower_into(updates, due),
                Some(as_of) => {
                    for update in updates {
                        let mut time = batch.times().get(update);
                        as_of.advance(&mut time);
                        due.insert(time);
                    }
                }
            }
        }
    }
}

/// All keys of the batches and those owed, each once, in order.
fn union<L: Layout>(shape: &KeyShape<L>, fresh: &[Arc<Batch<L>>], owed: &[(L::Key, Point)]) -> Keys<L> {
    let mut keys = Keys::<L>::empty(shape);
    if let ([batch], true) = (fresh, owed.is_empty())
        && !batch.is_flat()
    {
        keys.extend_range(batch.keys(), 0..batch.keys().len());
        return keys;
    }
    let mut next: SmallVec<[usize; 4]> = smallvec![0; fresh.len()];
    let mut owed = owed.iter().map(|(key, _)| key).peekable();
    loop {
        let mut least: Option<Key<'_, L>> = owed.peek().map(|key| Keys::<L>::lend(key));
        for (batch, &at) in fresh.iter().zip(&next) {
            if at < batch.keys().len() && least.is_none_or(|least| batch.keys().compare_item(at, least).is_lt()) {
                least = Some(batch.keys().get(at));
            }
        }
        let Some(least) = least else { return keys };
        keys.push(least);
        while owed.next_if(|key| Keys::<L>::reborrow(Keys::<L>::lend(key)) == Keys::<L>::reborrow(least)).is_some() {}
        for (batch, at) in fresh.iter().zip(&mut next) {
            if *at < batch.keys().len() && batch.keys().compare_item(*at, least).is_eq() {
                *at = batch.run(*at).end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Rows;
    use crate::updates::Keyed;

    /// What is due, key by key.
    fn all_due(owed: &[(u64, Point)], as_of: Option<u64>) -> Vec<(u64, Frontier<Point>)> {
        let mut rows = Keyed::<Rows<u64, (), Point, i64>>::empty(&(), &());
        [1, 2].into_iter().for_each(|key| rows.push(key, (), &Point::from(4), 1));
        let fresh = vec![Arc::new(Batch::new(rows).expect("two updates"))];
        let mut due = Due::new(&(), fresh, owed.to_vec(), as_of.map(|time| Frontier::from(Point::from(time))));
        let mut times = Frontier::empty();
        let mut take = |at| {
            due.take(at, &mut times);
            (due.keys[at], times.clone())
        };
        let mut all: Vec<_> = (0..2).map(&mut take).collect();
        all.extend((2..2 + owed.iter().filter(|(key, _)| *key > 2).count()).map(take));
        all
    }

    #[test]
    fn a_batch_of_one_time_is_due_then_unless_something_is_owed_or_the_reader_came_later() {
        let at = |key: u64, time: u64| (key, Frontier::from(Point::from(time)));
        assert_eq!(all_due(&[], None), [at(1, 4), at(2, 4)]);
        assert_eq!(all_due(&[], Some(7)), [at(1, 7), at(2, 7)]);
        let owed = [(2, Point::from(3)), (5, Point::from(6))];
        assert_eq!(all_due(&owed, None), [at(1, 4), at(2, 3), at(5, 6)]);
        assert_eq!(all_due(&owed, Some(7)), [at(1, 7), at(2, 3), at(5, 6)]);
    }
}
