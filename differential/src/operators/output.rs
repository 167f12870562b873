//! What is read from outside: the changes that the last commit completed, and the rows at a complete time.
//!
//! An output arranges its collection, and keeps what became complete by the last commit readable until the next. It
//! publishes a frontier of its own, once it has taken what comes before it: a probe beside it might run ahead, and so
//! may its own arrangement when a step ends between the two. So rows are read up to the position that goes with that
//! frontier: whenever one asks, the rows are what all changes so far come to.
//!
//! What a commit changed is kept as the batches that it came in, and taken apart when somebody asks: a large load that
//! nobody reads the changes of costs a pointer.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use super::arrange::{Arranged, Reader};
use crate::batch::Batch;
use crate::collection::{Collection, Follow};
use crate::column::{Column, Data, Lent};
use crate::diff::{Diff, Overflow};
use crate::error::Fault;
use crate::layout::Rows;
use crate::region::{Node, SlotRule, Visit};
use crate::time::{Frontier, Point, Time, TimeColumn};
use crate::trace::{Position, ReadError, TraceHandle};

/// Reads a collection from outside the region.
///
/// Times are those of the collection's scope. Of a collection inside a loop they are (epoch, round), so that a snapshot at
/// an epoch is of its round 0, and `rows` and `changes` are of all rounds; what the loop comes to is the output of
/// [`leave`](Collection::leave).
///
/// After an operator has failed that this depends on, what was complete before stays readable: `rows` still answers with
/// that, and a snapshot at a later time is [`ReadError::NotYet`].
///
/// Cost: the collection is arranged once more; a snapshot reads all of its updates, changes only what is new, and that when
/// they are asked for.
pub struct Output<D: Data, R: Diff = i64> {
    arranged: Arranged<Rows<D, (), Point, R>>,
    news: Rc<RefCell<News<D, R>>>,
    /// Holds the times of its own frontier at the last commit: that of the arrangement may be ahead of it.
    _times: Rc<TraceHandle<Rows<D, (), Point, R>>>,
}

/// What the output's node has seen.
struct News<D: Data, R: Diff> {
    /// What there was before a late output, added up.
    past: Vec<(D, Point, R)>,
    /// What came since.
    batches: Vec<Arc<Batch<Rows<D, (), Point, R>>>>,
    frontier: Frontier<Point>,
    /// Behind the last span that it has seen, which `held` keeps readable there.
    position: Position,
    held: TraceHandle<Rows<D, (), Point, R>>,
}

impl<D: Data, R: Diff> Output<D, R> {
    /// The arrangement that it reads, for other dataflows: no second copy. Records are on the worker where the output has
    /// them, so whoever joins or groups them takes them out first, by [`keys`](Arranged::keys).
    pub fn arranged(&self) -> &Arranged<Rows<D, (), Point, R>> {
        &self.arranged
    }

    /// What may still change: a time not in advance of this is complete.
    pub fn frontier(&self) -> Frontier<Point> {
        self.news.borrow().frontier.clone()
    }

    /// The changes that became complete since the last commit began, or since they were last asked for: by time, at each
    /// time retractions before insertions, then by record.
    ///
    /// The next commit forgets those that nobody asked for; [`Collection::capture`] keeps them all.
    pub fn changes(&mut self) -> Vec<(D, Point, R)> {
        let mut news = self.news.borrow_mut();
        let mut changes = std::mem::take(&mut news.past);
        for batch in news.batches.drain(..) {
            each_update(&batch, |record, time, diff| changes.push((D::Column::owned(record), time, diff.clone())));
        }
        in_order(changes)
    }

    /// The records and their counts at `time`, in order.
    ///
    /// # Errors
    /// [`ReadError::Compacted`] for a time before the last commit, [`ReadError::NotYet`] for one that is not complete: an
    /// input may still be fed there, or an operator has failed. [`ReadError::Overflow`] if a count left the range of its
    /// type.
    pub fn snapshot(&self, time: impl Into<Point>) -> Result<Vec<(D, R)>, ReadError<Point>> {
        let time = time.into();
        let upper = self.frontier();
        if upper.admits(&time) {
            return Err(ReadError::NotYet { asked: time, upper });
        }
        self.arranged.trace.check(&time)?;
        self.owned(Some(&time))
    }

    /// The records and their counts, in order, with all that is complete taken together.
    ///
    /// # Errors
    /// [`ReadError::Overflow`] if a count left the range of its type.
    pub fn rows(&self) -> Result<Vec<(D, R)>, ReadError<Point>> {
        self.owned(None)
    }

    /// Shows `each` what [`rows`](Self::rows) answers with, one record after the other, without a copy of any.
    ///
    /// # Errors
    /// As [`rows`](Self::rows); what was shown by then is right.
    ///
    /// ```
    /// use differential::{Config, run_alone};
    /// let longest = run_alone(Config::default(), |worker| {
    ///     let (mut words, output) = worker.dataflow(|scope| {
    ///         let (words, collection) = scope.input::<String>("words");
    ///         (words, collection.output())
    ///     })?;
    ///     ["a", "longer", "word"].map(|word| words.insert(word.to_string()));
    ///     worker.commit(&mut words)?;
    ///     let mut longest = 0;
    ///     output.for_each_row(|word, _| longest = longest.max(word.len())).unwrap();
    ///     Ok::<_, differential::Error>(longest)
    /// });
    /// assert_eq!(longest, Ok(6));
    /// ```
    pub fn for_each_row(&self, each: impl FnMut(Lent<'_, D>, R)) -> Result<(), ReadError<Point>> {
        self.accumulate(None, each)
    }

    fn owned(&self, at: Option<&Point>) -> Result<Vec<(D, R)>, ReadError<Point>> {
        let mut rows = Vec::new();
        self.accumulate(at, |record, count| rows.push((D::Column::owned(record), count)))?;
        Ok(rows)
    }

    /// Merges the batches, which are few, by record; counts updates at or before a time, or all.
    fn accumulate(&self, at: Option<&Point>, mut each: impl FnMut(Lent<'_, D>, R)) -> Result<(), ReadError<Point>> {
        let batches = self.arranged.trace.read(self.news.borrow().position)?;
        // The first record of each batch that has not been shown.
        let mut heads = vec![0; batches.len()];
        loop {
            let left = (0..batches.len()).filter(|at| heads[*at] < batches[*at].keys().len());
            let least = left.reduce(|least, at| {
                match batches[at].keys().compare(heads[at], batches[least].keys(), heads[least]) {
                    Ordering::Less => at,
                    _ => least,
                }
            });
            let Some(least) = least else { return Ok(()) };
            let (keys, key, mut sum) = (batches[least].keys(), heads[least], R::zero());
            for (of, (batch, head)) in batches.iter().zip(&mut heads).enumerate().skip(least) {
                // A small batch has a key for each update.
                let is_same = |head| (of, head) == (least, key) || batch.keys().compare(head, keys, key).is_eq();
                while *head < batch.keys().len() && is_same(*head) {
                    for update in batch.updates_of(batch.vals_of(*head..*head + 1)) {
                        if at.is_none_or(|at| batch.times().get(update).precedes(at)) {
                            sum = sum.plus(&batch.diffs().get(update)).map_err(|_| ReadError::Overflow)?;
                        }
                    }
                    *head += 1;
                }
            }
            if !sum.is_zero() {
                each(keys.get(key), sum);
            }
        }
    }
}

/// Shows `logic` the updates of a batch: record, time and diff.
fn each_update<D: Data, R: Diff>(batch: &Batch<Rows<D, (), Point, R>>, mut logic: impl FnMut(Lent<'_, D>, Point, &R)) {
    for key in 0..batch.keys().len() {
        for update in batch.updates_of(batch.vals_of(key..key + 1)) {
            logic(batch.keys().get(key), batch.times().get(update), &batch.diffs().get(update));
        }
    }
}

/// Sorts changes as users see them.
pub(super) fn in_order<D: Ord, R: Diff>(mut changes: Vec<(D, Point, R)>) -> Vec<(D, Point, R)> {
    changes.sort_unstable_by(|a, b| {
        let insertion = |diff: &R| *diff > R::zero();
        (&a.1, insertion(&a.2), &a.0).cmp(&(&b.1, insertion(&b.2), &b.0))
    });
    changes
}

/// What all changes of one record at one time come to.
fn added_up<D: Ord, R: Diff>(changes: Vec<(D, Point, R)>) -> Result<Vec<(D, Point, R)>, Overflow> {
    let mut sums: BTreeMap<(D, Point), R> = BTreeMap::new();
    for (record, time, diff) in changes {
        let sum = sums.entry((record, time)).or_insert_with(R::zero);
        *sum = sum.plus(&diff)?;
    }
    sums.retain(|_, sum| !sum.is_zero());
    Ok(sums.into_iter().map(|((record, time), sum)| (record, time, sum)).collect())
}

impl<D: Data, R: Diff> News<D, R> {
    fn forget(&mut self) {
        self.past.clear();
        self.batches.clear();
    }
}

struct Watch<D: Data, R: Diff> {
    reader: Reader<Rows<D, (), Point, R>>,
    news: Rc<RefCell<News<D, R>>>,
}

impl<D: Data, R: Diff> Node for Watch<D, R> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let mut news = self.news.borrow_mut();
        // Only a late output's first visit finds a past, as of some frontier; its times before that count as there.
        let as_of = self.reader.spans.as_of.take();
        let batches = std::iter::from_fn(|| self.reader.spans.next()).filter_map(|span| span.batch);
        match as_of {
            None => news.batches.extend(batches),
            Some(as_of) => {
                let mut past = Vec::new();
                for batch in batches {
                    each_update(&batch, |record, mut time, diff| {
                        as_of.advance(&mut time);
                        past.push((D::Column::owned(record), time, diff.clone()));
                    });
                }
                news.past = added_up(past)?;
            }
        }
        news.frontier.clone_from(visit.frontier(0));
        news.position = news.held.newest();
        news.held.hold_position(news.position);
        Ok(())
    }
}

/// Forgets the changes of the last commit when the next begins, and the times before it when the next has ended.
struct Forget<D: Data, R: Diff> {
    news: Weak<RefCell<News<D, R>>>,
    times: Weak<TraceHandle<Rows<D, (), Point, R>>>,
    /// The output's frontier after the last commit that moved it.
    last: RefCell<Frontier<Point>>,
}

impl<D: Data, R: Diff> Follow for Forget<D, R> {
    fn commit_begins(&self) -> bool {
        self.news.upgrade().inspect(|news| news.borrow_mut().forget()).is_some()
    }

    fn commit_ends(&self) {
        let (Some(news), Some(times)) = (self.news.upgrade(), self.times.upgrade()) else { return };
        let before = self.last.replace(news.borrow().frontier.clone());
        if before != *self.last.borrow() {
            times.hold_times(&before);
        }
    }
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// An output: reads this collection from outside the region.
    ///
    /// With several workers each reads its share, the records whose hash names it; [`gather`](Self::gather) first, and
    /// the first worker reads all.
    pub fn output(&self) -> Output<D, R> {
        let placed = if self.gathered { self.clone() } else { self.exchange() };
        placed.arrange_here("arrange for output").output()
    }
}

impl<D: Data, R: Diff> Arranged<Rows<D, (), Point, R>> {
    /// An output of what is arranged already: no second copy.
    pub fn output(&self) -> Output<D, R> {
        let scope = self.scope();
        let region = scope.region();
        let node = region.reserve("output", scope.depth(), SlotRule::Meet);
        let reader = self.reader(node);
        let times = Rc::new(reader.trace.clone());
        times.release_position();
        reader.trace.release_times();
        let held = reader.trace.clone();
        reader.trace.release_position();
        let news = News { past: Vec::new(), batches: Vec::new(), frontier: Frontier::minimum(), position: 0, held };
        let news = Rc::new(RefCell::new(news));
        region.install(node, Watch { reader, news: news.clone() });
        let last = RefCell::new(Frontier::minimum());
        scope.follow_commits(Forget { news: Rc::downgrade(&news), times: Rc::downgrade(&times), last });
        Output { arranged: self.clone(), news, _times: times }
    }
}
