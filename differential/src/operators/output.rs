//! What is read from outside: the changes that the last commit completed, and the rows at a complete time.
//!
//! An output arranges its collection, and keeps what became complete by the last commit readable until the next. It
//! publishes a frontier of its own, once it has taken what comes before it: a probe beside it might run ahead, and so
//! may its own arrangement when a step ends between the two. So rows are read up to the position that goes with that
//! frontier: whenever one asks, the rows are what all changes so far come to.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use super::arrange::{Arranged, Reader};
use crate::collection::{Collection, Follow};
use crate::column::{Column, Data};
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
/// Cost: the collection is arranged once more; a snapshot reads all of its updates, changes only what is new.
pub struct Output<D: Data, R: Diff = i64> {
    arranged: Arranged<Rows<D, (), Point, R>>,
    news: Rc<RefCell<News<D, R>>>,
    /// Holds the times of its own frontier at the last commit: that of the arrangement may be ahead of it.
    _times: Rc<TraceHandle<Rows<D, (), Point, R>>>,
}

/// What the output's node has seen.
struct News<D: Data, R: Diff> {
    changes: Vec<(D, Point, R)>,
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
        in_order(std::mem::take(&mut self.news.borrow_mut().changes))
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
        self.accumulate(|at| at.precedes(&time))
    }

    /// The records and their counts, in order, with all that is complete taken together.
    ///
    /// # Errors
    /// [`ReadError::Overflow`] if a count left the range of its type.
    pub fn rows(&self) -> Result<Vec<(D, R)>, ReadError<Point>> {
        self.accumulate(|_| true)
    }

    fn accumulate(&self, counts: impl Fn(&Point) -> bool) -> Result<Vec<(D, R)>, ReadError<Point>> {
        let mut rows: BTreeMap<D, R> = BTreeMap::new();
        for batch in self.arranged.trace.read(self.news.borrow().position)? {
            for key in 0..batch.keys().len() {
                let mut sum = R::zero();
                for update in batch.updates_of(batch.vals_of(key..key + 1)) {
                    if counts(&batch.times().get(update)) {
                        sum = sum.plus(batch.diffs().get(update)).map_err(|_| ReadError::Overflow)?;
                    }
                }
                if !sum.is_zero() {
                    let count = rows.entry(D::Column::owned(batch.keys().get(key))).or_insert_with(R::zero);
                    *count = count.plus(&sum).map_err(|_| ReadError::Overflow)?;
                }
            }
        }
        rows.retain(|_, count| !count.is_zero());
        Ok(rows.into_iter().collect())
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

struct Watch<D: Data, R: Diff> {
    reader: Reader<Rows<D, (), Point, R>>,
    news: Rc<RefCell<News<D, R>>>,
}

impl<D: Data, R: Diff> Node for Watch<D, R> {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let mut news = self.news.borrow_mut();
        // Only a late output's first visit finds a past, as of some frontier; its times before that count as there.
        let as_of = self.reader.spans.as_of.take();
        while let Some(span) = self.reader.spans.next() {
            let Some(batch) = span.batch else { continue };
            for key in 0..batch.keys().len() {
                let record = D::Column::owned(batch.keys().get(key));
                for update in batch.updates_of(batch.vals_of(key..key + 1)) {
                    let (mut time, diff) = (batch.times().get(update), batch.diffs().get(update).clone());
                    if let Some(as_of) = &as_of {
                        as_of.advance(&mut time);
                    }
                    news.changes.push((record.clone(), time, diff));
                }
            }
        }
        if as_of.is_some() {
            news.changes = added_up(std::mem::take(&mut news.changes))?;
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
        self.news.upgrade().inspect(|news| news.borrow_mut().changes.clear()).is_some()
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
        let news = News { changes: Vec::new(), frontier: Frontier::minimum(), position: 0, held };
        let news = Rc::new(RefCell::new(news));
        region.install(node, Watch { reader, news: news.clone() });
        let last = RefCell::new(Frontier::minimum());
        scope.follow_commits(Forget { news: Rc::downgrade(&news), times: Rc::downgrade(&times), last });
        Output { arranged: self.clone(), news, _times: times }
    }
}
