//! The feeding end of an input.
//!
//! ```text
//!   insert, remove, update ──> buffer ──(commit, or a full buffer)──> waiting chunks ──(visit)──> region
//! ```
//!
//! A session has a frontier: updates are accepted in advance of it. Plain `insert` and `remove` speak at the present
//! *epoch*; a commit closes it. The node's frontier moves when the node is visited, not when the user feeds, so that
//! nobody downstream learns of a frontier before the updates that precede it.
//!
//! Dropping a session closes its input.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::handle::{Changes, Collection};
use super::scope::Scope;
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diffs;
use crate::error::{Error, Fault};
use crate::region::{Node, NodeId, Output, SlotRule, Visit, Waker};
use crate::time::{Frontier, Point, TimeColumn};
use crate::updates::Updates;

/// Updates buffered before they are handed to the region as one chunk.
const CHUNK_UPDATES: usize = 1 << 13;

/// Feeds an input.
///
/// Updates fed are seen by nobody before the next commit.
///
/// An answer is complete at an epoch once every input it depends on has closed that epoch: sessions that feed one answer
/// are best committed together. Dropping a session hands over what it was fed and closes its input for good, so that
/// nobody waits for it any more.
pub struct Session<D: Data> {
    buffer: Changes<D, i64>,
    feed: Rc<RefCell<Feed<D>>>,
    waker: Waker,
    name: String,
    /// How many coordinates the times of inputs have.
    coordinates: usize,
    /// Where `insert` and `remove` speak.
    present: Point,
    /// The first `insert` or `remove` that came after the input was closed for good.
    refused: Option<Error>,
}

struct Feed<D: Data> {
    chunks: VecDeque<Changes<D, i64>>,
    frontier: Frontier<Point>,
}

impl<D: Data> Session<D> {
    /// The present epoch: `insert` and `remove` speak at it.
    pub fn epoch(&self) -> u64 {
        self.present.coordinate(self.coordinates - 1)
    }

    /// What updates may still be fed at.
    pub fn frontier(&self) -> Frontier<Point> {
        self.feed.borrow().frontier.clone()
    }

    /// Adds one copy of a record, at the present epoch.
    pub fn insert(&mut self, record: D) {
        self.update(record, 1);
    }

    /// Takes one copy of a record away, at the present epoch.
    pub fn remove(&mut self, record: D) {
        self.update(record, -1);
    }

    /// Changes the count of a record by `diff`, at the present epoch.
    ///
    /// Once the input is closed for good there is none: then this changes nothing, and the next commit of this session
    /// reports it.
    pub fn update(&mut self, record: D, diff: i64) {
        if !self.is_refused() {
            self.buffer.push(record, &self.present, diff);
            self.flush_if_full();
        }
    }

    /// Changes the counts of many records, each by the diff beside it, at the present epoch: as [`update`](Self::update)
    /// of one after the other, at the cost of copying columns.
    ///
    /// ```
    /// use differential::diff::Diffs;
    /// use differential::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// run_alone(Config::default(), |worker| {
    ///     let (mut numbers, all) = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         (session, numbers.output())
    ///     })?;
    ///     numbers.update_all(&vec![7, 9, 7], &Diffs::repeat(1, 3));
    ///     worker.commit(&mut numbers)?;
    ///     assert_eq!(all.rows()?, [(7, 2), (9, 1)]);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there are not as many diffs as records.
    pub fn update_all(&mut self, records: &D::Column, diffs: &Diffs<i64>) {
        assert_eq!(records.len(), diffs.len(), "a diff for each record");
        if !self.is_refused() {
            self.buffer.data.extend_range(records, 0..records.len());
            self.buffer.times.push_repeat(&self.present, diffs.len());
            self.buffer.diffs.extend_range(diffs, 0..diffs.len());
            self.flush_if_full();
        }
    }

    /// Whether the input is closed for good, in which case the next commit reports that it was fed.
    fn is_refused(&mut self) -> bool {
        let closed = self.feed.borrow().frontier.is_empty();
        if closed {
            self.refused.get_or_insert_with(|| Error::Closed {
                input: self.name.clone(),
                time: self.present.clone(),
                frontier: Frontier::empty(),
            });
        }
        closed
    }

    fn flush_if_full(&mut self) {
        if self.buffer.len() >= CHUNK_UPDATES {
            self.flush();
        }
    }

    /// Changes the count of a record by `diff`, at any time that is not closed.
    ///
    /// # Errors
    /// [`Error::Closed`] if `time` is not in advance of the session's frontier, [`Error::TooDeep`] if it has more
    /// coordinates than the region's inputs: those count the rounds of loops. Nothing changes then.
    pub fn update_at(&mut self, record: D, time: impl Into<Point>, diff: i64) -> Result<(), Error> {
        let time = time.into();
        if time.coordinates().len() > self.coordinates {
            return Err(Error::TooDeep { input: self.name.clone(), time, coordinates: self.coordinates });
        }
        let feed = self.feed.borrow();
        if !feed.frontier.admits(&time) {
            return Err(Error::Closed { input: self.name.clone(), time, frontier: feed.frontier.clone() });
        }
        drop(feed);
        self.buffer.push(record, &time, diff);
        self.flush_if_full();
        Ok(())
    }

    /// Hands what is buffered to the region, which takes it when it next runs.
    pub fn flush(&mut self) {
        if !self.buffer.is_empty() {
            let shape = self.buffer.data.shape();
            let chunk = std::mem::replace(&mut self.buffer, Updates::empty(&shape));
            // Once its input was taken out, nobody takes what is fed.
            if Rc::strong_count(&self.feed) > 1 {
                self.feed.borrow_mut().chunks.push_back(chunk);
                self.waker.wake();
            }
        }
    }
}

impl<D: Data> Drop for Session<D> {
    fn drop(&mut self) {
        self.flush();
        self.feed.borrow_mut().frontier.clear();
        self.waker.wake();
    }
}

/// Sessions that move together in one commit.
pub trait Sessions {
    /// The latest present epoch among them.
    fn epoch(&self) -> u64;
    /// Whether each one's frontier can move to `frontier`; the first that can't says why.
    fn check(&self, frontier: &Frontier<Point>) -> Result<(), Error>;
    /// Names the inputs that they feed.
    fn sources(&self, into: &mut Vec<NodeId>);
    /// Hands everything fed to the region and closes what is not in advance of `frontier`; `present` is the new epoch.
    fn advance(&mut self, frontier: &Frontier<Point>, present: &Point);
}

impl<D: Data> Sessions for Session<D> {
    fn epoch(&self) -> u64 {
        Session::epoch(self)
    }

    fn check(&self, frontier: &Frontier<Point>) -> Result<(), Error> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        let current = self.frontier();
        if current.precedes(frontier) {
            return Ok(());
        }
        Err(Error::Backwards { input: self.name.clone(), asked: frontier.clone(), frontier: current })
    }

    fn sources(&self, into: &mut Vec<NodeId>) {
        into.push(self.waker.node());
    }

    fn advance(&mut self, frontier: &Frontier<Point>, present: &Point) {
        self.flush();
        self.feed.borrow_mut().frontier.clone_from(frontier);
        self.present.clone_from(present);
        self.waker.wake();
    }
}

impl<S: Sessions> Sessions for &mut S {
    fn epoch(&self) -> u64 {
        S::epoch(self)
    }

    fn check(&self, frontier: &Frontier<Point>) -> Result<(), Error> {
        S::check(self, frontier)
    }

    fn sources(&self, into: &mut Vec<NodeId>) {
        S::sources(self, into);
    }

    fn advance(&mut self, frontier: &Frontier<Point>, present: &Point) {
        S::advance(self, frontier, present);
    }
}

impl<S: Sessions> Sessions for Vec<S> {
    fn epoch(&self) -> u64 {
        self.iter().map(S::epoch).max().unwrap_or(0)
    }

    fn check(&self, frontier: &Frontier<Point>) -> Result<(), Error> {
        self.iter().try_for_each(|session| session.check(frontier))
    }

    fn sources(&self, into: &mut Vec<NodeId>) {
        self.iter().for_each(|session| session.sources(into));
    }

    fn advance(&mut self, frontier: &Frontier<Point>, present: &Point) {
        self.iter_mut().for_each(|session| session.advance(frontier, present));
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        #[allow(non_snake_case)]
        impl<$($name: Sessions),*> Sessions for ($($name,)*) {
            fn epoch(&self) -> u64 {
                let ($($name,)*) = self;
                0 $(.max($name.epoch()))*
            }

            fn check(&self, frontier: &Frontier<Point>) -> Result<(), Error> {
                let ($($name,)*) = self;
                $($name.check(frontier)?;)*
                Ok(())
            }

            fn sources(&self, into: &mut Vec<NodeId>) {
                let ($($name,)*) = self;
                $($name.sources(into);)*
            }

            fn advance(&mut self, frontier: &Frontier<Point>, present: &Point) {
                let ($($name,)*) = self;
                $($name.advance(frontier, present);)*
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

/// An input of a region, and the session that feeds it.
pub(super) fn input<D: Data>(scope: &Scope, name: &str, shape: ShapeOf<D>) -> (Session<D>, Collection<D>) {
    let mut outermost = scope.clone();
    while let Some(parent) = outermost.parent().cloned() {
        outermost = parent;
    }
    let region = outermost.region();
    let node = region.reserve(name, outermost.depth(), SlotRule::Source);
    let (output, stream) = region.output(node);
    // A region that already runs has closed epochs: a new input begins at its present one.
    let frontier = outermost.complete();
    let present = frontier.elements().first().cloned().unwrap_or_default();
    let feed = Rc::new(RefCell::new(Feed { chunks: VecDeque::new(), frontier: frontier.clone() }));
    region.install(node, Source { feed: feed.clone(), output, said: frontier });
    let session = Session {
        buffer: Updates::empty(&shape),
        feed,
        waker: region.waker(node),
        name: name.into(),
        coordinates: outermost.depth(),
        present,
        refused: None,
    };
    (session, Collection { stream, scope: outermost, shape, settled: false, gathered: false })
}

struct Source<D: Data> {
    feed: Rc<RefCell<Feed<D>>>,
    output: Output<Changes<D, i64>>,
    /// The frontier as of the last visit.
    said: Frontier<Point>,
}

impl<D: Data> Node for Source<D> {
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        let mut feed = self.feed.borrow_mut();
        while let Some(chunk) = feed.chunks.pop_front() {
            self.output.send(chunk);
        }
        self.said.clone_from(&feed.frontier);
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        holds.extend(&self.said);
    }
}
