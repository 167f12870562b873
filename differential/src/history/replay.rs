//! A history played in the total order of time, netted as it goes.
//!
//! ```text
//!   buffer: played, advanced, netted      |      ahead: in order of time
//!      rank 0 (1,1) +1                    |      (1,1) (1,2) (3,0)
//!                                         |       meets of what is ahead:  (1,0) (1,0) (3,0)
//! ```
//!
//! Whoever plays asks only about times at or past a *floor*: the meet of the times still to be asked about. Joining the floor into a
//! played edit changes no answer at or past it, and edits that become equal are added up. So a value that came and
//! went a thousand times is one edit, or none, and work follows the net size of a history and not its length.
//!
//! Invariant: at every time at or past the floors so far, the buffer accumulates to what was played. Cost: loading
//! sorts; playing moves; a floor costs the buffer's length, which is why the caller says when.
//! Tested in `product_laws.rs`, against the edits as they were.

use super::edits::{accumulate, consolidate};
use super::{Edit, Edits};
use crate::diff::{Diff, Overflow};
use crate::time::Time;

/// A history, part of it played.
///
/// ```
/// use differential::{diff::Overflow, history::{Edits, Replay}};
/// let mut history = Edits::from_iter([(0, 3u64, 1), (0, 5, -1), (1, 5, 1), (0, 9, 1)]);
/// let mut replay = Replay::default();
/// replay.load(&mut history);
/// replay.play_until(&5);
/// replay.raise_floor(&8)?;
/// assert_eq!(replay.buffer().len(), 1); // rank 1: rank 0 came and went
/// assert_eq!(replay.next_time(), Some(&9));
/// # Ok::<(), Overflow>(())
/// ```
#[derive(Debug)]
pub struct Replay<T, R> {
    /// In the total order of time, last first.
    ahead: Vec<Edit<T, R>>,
    /// `meets[i]` is the meet of the times of `ahead[..=i]`.
    meets: Vec<T>,
    buffer: Vec<Edit<T, R>>,
    /// The buffer's length when its floor was last raised.
    netted: usize,
}

impl<T, R> Default for Replay<T, R> {
    fn default() -> Self {
        Replay { ahead: Vec::new(), meets: Vec::new(), buffer: Vec::new(), netted: 0 }
    }
}

impl<T: Time, R: Diff> Replay<T, R> {
    /// Takes all of a history's edits, in place of what was there; nothing is played yet.
    pub fn load(&mut self, edits: &mut Edits<T, R>) {
        self.ahead.clear();
        self.buffer.clear();
        self.meets.clear();
        self.netted = 0;
        edits.drain_into(&mut self.ahead);
        // Ranks as well, so that what is played at one time comes in their order.
        self.ahead.sort_unstable_by(|a, b| b.time.cmp(&a.time).then_with(|| b.rank.cmp(&a.rank)));
        for edit in &self.ahead {
            let meet = self.meets.last().map_or_else(|| edit.time.clone(), |later| later.meet(&edit.time));
            self.meets.push(meet);
        }
    }

    /// The least time ahead, in the total order.
    pub fn next_time(&self) -> Option<&T> {
        self.ahead.last().map(|edit| &edit.time)
    }

    /// The greatest time that precedes all that are ahead.
    pub fn meet_ahead(&self) -> Option<&T> {
        self.meets.last()
    }

    /// Plays every edit up to `time` in the total order, and says how many those were: they are the last of the
    /// buffer, in the order of ranks where their times are one.
    pub fn play_until(&mut self, time: &T) -> usize {
        let before = self.buffer.len();
        while let Some(edit) = self.ahead.pop_if(|edit| edit.time <= *time) {
            self.buffer.push(edit);
        }
        self.meets.truncate(self.ahead.len());
        self.buffer.len() - before
    }

    /// Adds an edit to those played.
    pub fn push(&mut self, edit: Edit<T, R>) {
        self.buffer.push(edit);
    }

    /// The edits played, netted up to the last floor.
    pub fn buffer(&self) -> &[Edit<T, R>] {
        &self.buffer
    }

    /// Whether the buffer has more than doubled since its floor was last raised.
    pub fn is_grown(&self) -> bool {
        self.buffer.len() > 2 * self.netted
    }

    /// Joins a floor into the buffer and nets it: from now on, only times at or past `floor` are asked about.
    ///
    /// # Errors
    /// A sum of diffs overflows; the replay is of no use then.
    pub fn raise_floor(&mut self, floor: &T) -> Result<(), Overflow> {
        self.buffer.iter_mut().for_each(|edit| edit.time.join_assign(floor));
        consolidate(&mut self.buffer)?;
        self.netted = self.buffer.len();
        Ok(())
    }

    /// The net diff of every rank at a time, of what was played; see [`Edits::accumulate`].
    ///
    /// # Errors
    /// A sum of diffs overflows.
    pub fn accumulate(&self, at: &T, into: &mut Vec<(u32, R)>) -> Result<(), Overflow> {
        accumulate(&self.buffer, at, into)
    }
}
