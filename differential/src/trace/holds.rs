//! Who still needs which times, and which positions.
//!
//! ```text
//!   reader 0   times {3}      position 4         since = meet of the times = {3}
//!   reader 1   times {5}      position 9         cuts: after span 4, after span 9
//!   reader 2   released       position 9
//! ```
//!
//! A hold only advances: raising it joins the frontier asked for into it, so a request for less changes nothing.
//! Holding the empty frontier and releasing are two things to say, though they allow the same: the first is where a
//! hold may end up by advancing, the second is for good.
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
}

impl<T: Time> Holds<T> {
    pub(super) fn new() -> Self {
        Holds { readers: Vec::new() }
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
        Reader(free)
    }

    /// A reader that has gone.
    pub(super) fn remove(&mut self, reader: Reader) {
        self.readers[reader.0] = None;
    }

    fn of(&mut self, reader: Reader) -> &mut Hold<T> {
        self.readers[reader.0].as_mut().expect("a reader that has not gone")
    }

    /// Joins a frontier into a reader's times; whether that changed them.
    pub(super) fn raise_times(&mut self, reader: Reader, frontier: &Frontier<T>) -> bool {
        let Some(times) = &mut self.of(reader).times else { return false };
        if frontier.precedes(times) {
            return false;
        }
        *times = if times.precedes(frontier) { frontier.clone() } else { times.join(frontier) };
        true
    }

    /// Advances a reader's position, if that is ahead of it.
    pub(super) fn raise_position(&mut self, reader: Reader, position: Position) {
        if let Some(held) = &mut self.of(reader).position {
            *held = position.max(*held);
        }
    }

    pub(super) fn release_times(&mut self, reader: Reader) {
        self.of(reader).times = None;
    }

    pub(super) fn release_position(&mut self, reader: Reader) {
        self.of(reader).position = None;
    }

    /// The meet of all times held; empty if nobody holds any.
    pub(super) fn since(&self) -> Frontier<T> {
        let mut since = Frontier::empty();
        self.times().for_each(|times| since.extend(times));
        since
    }

    /// Whether no time at all is held.
    pub(super) fn nobody(&self) -> bool {
        self.times().all(Frontier::is_empty)
    }

    /// Whether a reader holds a boundary that has span `older` before it and span `newer` behind it.
    pub(super) fn cut(&self, older: Position, newer: Position) -> bool {
        let held = self.readers.iter().flatten().filter_map(|hold| hold.position);
        held.into_iter().any(|position| (older..newer).contains(&position))
    }

    fn times(&self) -> impl Iterator<Item = &Frontier<T>> + '_ {
        self.readers.iter().flatten().filter_map(|hold| hold.times.as_ref())
    }
}
