//! The two ends of a trace: one writer, any number of readers.
//!
//! All of them live on one worker and share the spine. What a reader takes out, batches behind `Arc`s, may go anywhere
//! and stays readable whatever is merged later.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::holds::Reader;
use super::spine::Spine;
use super::{Observer, Position, ReadError};
use crate::batch::{Batch, Span};
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::Frontier;

/// The writing end of a trace, owned by the node that arranges.
///
/// ```
/// use std::sync::Arc;
/// use differential::{batch::{Batch, Span}, layout::Rows, time::Frontier, trace::TraceWriter, updates::Keyed};
///
/// let mut writer = TraceWriter::<Rows<u64, u64, u64, i64>>::new();
/// let mut reader = writer.handle();
/// for epoch in 0..100 {
///     let mut rows = Keyed::empty(&(), &());
///     rows.push(epoch % 10, 0, &epoch, 1);
///     let (lower, upper) = (Frontier::from(epoch), Frontier::from(epoch + 1));
///     writer.append(Span { lower, upper, batch: Batch::new(rows).map(Arc::new) })?;
///     reader.hold_times(&Frontier::from(epoch)); // times before this one may be forgotten
///     reader.hold_position(reader.newest());
/// }
/// while writer.maintain(1000)? {} // what a quiet region does
/// let batches = reader.read(100).expect("it holds position 100");
/// assert_eq!(batches.len(), 1);
/// assert_eq!(batches[0].len(), 10); // ten keys, each with a count of ten
/// # Ok::<(), differential::diff::Overflow>(())
/// ```
pub struct TraceWriter<L: Layout> {
    spine: Rc<RefCell<Spine<L>>>,
}

impl<L: Layout> TraceWriter<L> {
    /// A trace without spans, complete up to nothing.
    pub fn new() -> Self {
        TraceWriter::observed(None)
    }

    /// As [`new`](Self::new), with somebody who is told what becomes of batches.
    pub fn observed(observer: Option<Rc<dyn Observer>>) -> Self {
        TraceWriter { spine: Rc::new(RefCell::new(Spine::new(observer))) }
    }

    /// Appends a span and works on merges in proportion to its updates; the number of spans there are now.
    ///
    /// A span whose `upper` is empty is the last one. Nothing is kept once all readers have released their times.
    ///
    /// Cost: O(1) without a batch. With one of `m` updates, at most `16 m` updates are moved for each level of the
    /// trace, of which there are about `log4` of the number of its updates, and some thousands for small merges.
    ///
    /// # Errors
    /// A sum of diffs overflows in a merge. The span was appended, and everything can be read as before.
    ///
    /// # Panics
    /// The span's `lower` is not the `upper` of the trace.
    pub fn append(&mut self, span: Span<L>) -> Result<Position, OverflowAt<L::Time>> {
        self.spine.borrow_mut().append(span)
    }

    /// Notes that time has passed up to `upper` and nothing happened: what appending an empty span does.
    pub fn pass(&mut self, upper: &Frontier<L::Time>) -> Position {
        self.spine.borrow_mut().pass(upper)
    }

    /// Spends idle effort, counted in updates moved, on what insertions have not paid for; whether there is more to do.
    ///
    /// Called until it says no, it leaves one batch between every two cuts, compacted to `since`. A merge begins once
    /// the effort offered since the last insertion has come to its cost, so a first call may do nothing and say yes.
    ///
    /// # Errors
    /// A sum of diffs overflows in a merge. Everything can be read as before.
    pub fn maintain(&mut self, effort: usize) -> Result<bool, OverflowAt<L::Time>> {
        self.spine.borrow_mut().maintain(effort)
    }

    /// What may still be appended.
    pub fn upper(&self) -> Frontier<L::Time> {
        self.spine.borrow().upper().clone()
    }

    /// A new reader. It holds the times that can be told apart now, and the position behind the newest span.
    pub fn handle(&self) -> TraceHandle<L> {
        let mut spine = self.spine.borrow_mut();
        let (since, newest) = (spine.compacted_since().clone(), spine.newest());
        let reader = spine.holds.add(since, newest);
        TraceHandle { spine: Rc::clone(&self.spine), reader }
    }
}

/// A reading end of a trace, with a hold on times and one on a position.
///
/// A clone holds what its source held. Dropping a handle releases both.
pub struct TraceHandle<L: Layout> {
    spine: Rc<RefCell<Spine<L>>>,
    reader: Reader,
}

impl<L: Layout> TraceHandle<L> {
    /// The times at and past which collections can be told apart: the meet of what all readers hold.
    ///
    /// Where they all hold the empty frontier it stays what it was, and the contents with it. It is empty, and the
    /// contents have gone, once all of them have released their times.
    pub fn since(&self) -> Frontier<L::Time> {
        self.spine.borrow_mut().since().clone()
    }

    /// What may still be appended.
    pub fn upper(&self) -> Frontier<L::Time> {
        self.spine.borrow().upper().clone()
    }

    /// The number of spans appended so far.
    pub fn newest(&self) -> Position {
        self.spine.borrow().newest()
    }

    /// The batches of spans 1 to `through`, oldest first: a late reader's consolidated start, too, with times as of
    /// [`since`](Self::since).
    ///
    /// Cost: an `Arc` for each batch, of which there are logarithmically many. No update is copied.
    ///
    /// # Errors
    /// [`ReadError::Merged`] if a batch covers spans on both sides, which can't be if a handle held the position;
    /// [`ReadError::NotAppended`]; [`ReadError::Released`].
    pub fn read(&self, through: Position) -> Result<Vec<Arc<Batch<L>>>, ReadError<L::Time>> {
        self.spine.borrow_mut().read(through)
    }

    /// Whether the collection at `time` can be read: it is then the sum of all updates at times that precede `time`.
    ///
    /// # Errors
    /// [`ReadError::NotYet`], [`ReadError::Compacted`], [`ReadError::Released`].
    pub fn check(&self, time: &L::Time) -> Result<(), ReadError<L::Time>> {
        self.spine.borrow_mut().check(time)
    }

    /// Holds the times in advance of `frontier` and of what was held before; other times may be forgotten.
    ///
    /// A hold never goes back: a lower frontier changes nothing, and neither does any once times were released.
    pub fn hold_times(&self, frontier: &Frontier<L::Time>) {
        self.spine.borrow_mut().holds.raise_times(self.reader, frontier);
    }

    /// Holds the boundary behind span `position`, and lets go of the one held before.
    ///
    /// A hold never goes back: a lower position changes nothing, and neither does any once the position was released.
    /// What lies between a hold and the newest span may have merged: only the present position, one that another
    /// handle holds and the newest one can be read at.
    pub fn hold_position(&self, position: Position) {
        self.spine.borrow_mut().holds.raise_position(self.reader, position);
    }

    /// Holds no times any more, for good. To hold the empty frontier is less: the contents then stay, as they are when
    /// all time has passed.
    pub fn release_times(&self) {
        let mut spine = self.spine.borrow_mut();
        spine.holds.release_times(self.reader);
        spine.released_times();
    }

    /// Holds no position any more, for good.
    pub fn release_position(&self) {
        self.spine.borrow_mut().holds.release_position(self.reader);
    }

    /// The number of batches at present.
    pub fn batches(&self) -> usize {
        self.spine.borrow().batches().count()
    }

    /// The number of updates in them.
    pub fn updates(&self) -> usize {
        self.spine.borrow().batches().map(|batch| batch.len()).sum()
    }

    /// Bytes held by them, buffers included.
    pub fn heap_bytes(&self) -> usize {
        self.spine.borrow().batches().map(|batch| batch.heap_bytes()).sum()
    }
}

impl<L: Layout> Clone for TraceHandle<L> {
    fn clone(&self) -> Self {
        let reader = self.spine.borrow_mut().holds.clone_of(self.reader);
        TraceHandle { spine: Rc::clone(&self.spine), reader }
    }
}

impl<L: Layout> Drop for TraceHandle<L> {
    fn drop(&mut self) {
        let mut spine = self.spine.borrow_mut();
        spine.holds.remove(self.reader);
        spine.released_times();
    }
}

impl<L: Layout> fmt::Debug for TraceHandle<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (since, upper) = (self.since(), self.upper());
        let mut debug = f.debug_struct("TraceHandle");
        debug.field("since", &since).field("upper", &upper).field("newest", &self.newest());
        debug.field("batches", &self.batches()).field("updates", &self.updates()).finish()
    }
}
