//! Who still needs which times, and which positions.
//!
//! ```text
//!   reader 0   times {3}      position 4         since = meet of the times = {3}
//!   reader 1   times {5}      position 9         cuts: after span 4, after span 9
//!   reader 2   released       position 9
//! ```
//!
//! A hold only advances: raising it joins the frontier asked for into it, so a request for less changes nothing.
//! Holding the empty frontier and releasing are two things to say. The first is where a hold ends up when no time is
//! left to come: its reader tells no times apart any more, but may still want the contents. The second is for good: when
//! all have said it, the contents go.
//!
//! Invariant: a new reader holds no less than `since` and no cut but where the trace ends, so that `since` never goes
//! back and no cut comes to lie within a batch. Cost: linear in the number of readers, which is small; a hold that
//! moves costs O(1), as `since` is worked out when a merge needs it.

use super::Position;
use crate::time::{Frontier, Time};

/// Which of the readers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader(usize);

/// What one reader holds; nothing of either kind once that is released.
#[derive(Clone, Debug)]
struct Hold<T> {
    times: Option<Frontier<T>>,
    position: Option<Position>,
}

/// What all readers hold.
#[derive(Debug)]
pub(super) struct Holds<T> {
    /// A place each reader, free if it has gone.
    readers: Vec<Option<Hold<T>>>,
    /// Whether times that are held have changed since [`Holds::take_news`] was asked.
    news: bool,
}

impl<T: Time> Holds<T> {
    pub(super) fn new() -> Self {
        Holds { readers: Vec::new(), news: true }
    }

    /// A new reader.
    pub(super) fn add(&mut self, times: Frontier<T>, position: Position) -> Reader {
        self.place(Hold { times: Some(times), position: Some(position) })
    }

    /// A new reader that holds what another one does.
    pub(super) fn clone_of(&mut self, reader: Reader) -> Reader {
        let hold = self.of(reader).clone();
        self.place(hold)
    }

    fn place(&mut self, hold: Hold<T>) -> Reader {
        let free = self.readers.iter().position(Option::is_none).unwrap_or_else(|| {
            self.readers.push(None);
            self.readers.len() - 1
        });
        self.readers[free] = Some(hold);
        self.news = true;
        Reader(free)
    }

    /// A reader that has gone.
    pub(super) fn remove(&mut self, reader: Reader) {
        self.readers[reader.0] = None;
        self.news = true;
    }

    fn of(&mut self, reader: Reader) -> &mut Hold<T> {
        self.readers[reader.0].as_mut().expect("a reader that has not gone")
    }

    /// Joins a frontier into a reader's times.
    pub(super) fn raise_times(&mut self, reader: Reader, frontier: &Frontier<T>) {
        let Some(times) = &mut self.of(reader).times else { return };
        if times == frontier {
            return;
        }
        if times.precedes(frontier) {
            times.clone_from(frontier);
        } else if !frontier.precedes(times) {
            *times = times.join(frontier);
        }
        self.news = true;
    }

    /// Advances a reader's position, if that is ahead of it.
    pub(super) fn raise_position(&mut self, reader: Reader, position: Position) {
        if let Some(held) = &mut self.of(reader).position {
            *held = position.max(*held);
        }
    }

    pub(super) fn release_times(&mut self, reader: Reader) {
        self.of(reader).times = None;
        self.news = true;
    }

    pub(super) fn release_position(&mut self, reader: Reader) {
        self.of(reader).position = None;
    }

    /// Whether times that are held have changed since this was last asked: whether to ask for `since` anew.
    pub(super) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// The meet of all times held; none if nobody holds any, not even the empty frontier.
    pub(super) fn since(&self) -> Option<Frontier<T>> {
        let mut all = self.readers.iter().flatten().filter_map(|hold| hold.times.as_ref());
        let mut since = all.next()?.clone();
        all.for_each(|times| since.extend(times));
        Some(since)
    }

    /// Whether a reader holds a boundary that has span `older` before it and span `newer` behind it.
    pub(super) fn cut(&self, older: Position, newer: Position) -> bool {
        let mut held = self.readers.iter().flatten().filter_map(|hold| hold.position);
        held.any(|position| (older..newer).contains(&position))
    }
}
