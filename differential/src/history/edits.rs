//! A history: at which time the value of which rank changes, and by how much.
//!
//! ```text
//!   rank  time   diff          accumulated at (1,1):  rank 0: +1, rank 2: +3
//!    0    (0,0)   +1
//!    2    (1,1)   +3
//!    2    (2,0)   -3
//! ```
//!
//! Invariant: none on the order, until [`Edits::consolidate`] gives one. Cost: accumulating is linear, and sorts only
//! what does not come in the order of ranks.

use crate::diff::{Diff, Overflow};
use crate::time::{Frontier, Time};

/// One change of one value's count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit<T, R> {
    /// Which value, as a number that whoever made the history gave it.
    pub rank: u32,
    /// When.
    pub time: T,
    /// By how much.
    pub diff: R,
}

/// A list of edits.
///
/// ```
/// use differential::{diff::Overflow, history::Edits, time::{Point, Frontier}};
/// let mut edits = Edits::default();
/// edits.push(7, Point::from([0, 1]), 1);
/// edits.push(7, Point::from([0, 2]), -1);
/// let mut at = Vec::new();
/// edits.accumulate(&Point::from([3, 1]), &mut at)?;
/// assert_eq!(at, [(7, 1)]);
/// edits.advance(&Frontier::from(Point::from([3, 2])));
/// edits.consolidate()?;
/// assert!(edits.is_empty()); // at or past (3, 2) nobody can tell that the value was ever there
/// # Ok::<(), Overflow>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edits<T, R> {
    list: Vec<Edit<T, R>>,
}

impl<T, R> Default for Edits<T, R> {
    fn default() -> Self {
        Edits { list: Vec::new() }
    }
}

impl<T: Time, R: Diff> FromIterator<(u32, T, R)> for Edits<T, R> {
    fn from_iter<I: IntoIterator<Item = (u32, T, R)>>(edits: I) -> Self {
        Edits { list: edits.into_iter().map(|(rank, time, diff)| Edit { rank, time, diff }).collect() }
    }
}

impl<T: Time, R: Diff> Edits<T, R> {
    /// Appends an edit.
    #[inline]
    pub fn push(&mut self, rank: u32, time: T, diff: R) {
        self.list.push(Edit { rank, time, diff });
    }

    /// The number of edits.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no edits.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Removes all edits and keeps the buffer.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The edits, in the order in which they are held.
    #[inline]
    pub fn as_slice(&self) -> &[Edit<T, R>] {
        &self.list
    }

    /// Appends a copy of other edits.
    pub fn extend_from_slice(&mut self, edits: &[Edit<T, R>]) {
        self.list.extend_from_slice(edits);
    }

    /// Replaces each edit's rank by what `name` makes of it.
    pub fn rename(&mut self, name: impl Fn(u32) -> u32) {
        self.list.iter_mut().for_each(|edit| edit.rank = name(edit.rank));
    }

    /// Moves all edits to the end of a list, and is empty then.
    pub(super) fn drain_into(&mut self, list: &mut Vec<Edit<T, R>>) {
        list.append(&mut self.list);
    }

    /// Joins a time into every edit's: no reader at or past it can tell the difference.
    pub fn join(&mut self, time: &T) {
        self.list.iter_mut().for_each(|edit| edit.time.join_assign(time));
    }

    /// Advances every edit's time by a frontier: no reader at or past it can tell the difference.
    pub fn advance(&mut self, since: &Frontier<T>) {
        self.list.iter_mut().for_each(|edit| since.advance(&mut edit.time));
    }

    /// Sorts by (rank, time), adds up the diffs of equal ones, and drops what adds up to zero.
    ///
    /// # Errors
    /// A sum of diffs overflows; the edits are of no use then.
    pub fn consolidate(&mut self) -> Result<(), Overflow> {
        consolidate(&mut self.list)
    }

    /// The net diff of every rank at a time, in the order of ranks and without zeros, in place of what `into` held.
    ///
    /// # Errors
    /// A sum of diffs overflows.
    pub fn accumulate(&self, at: &T, into: &mut Vec<(u32, R)>) -> Result<(), Overflow> {
        accumulate(&self.list, at, into)
    }
}

/// Sorts by (rank, time), adds up the diffs of equal ones, and drops what adds up to zero.
pub(super) fn consolidate<T: Time, R: Diff>(list: &mut Vec<Edit<T, R>>) -> Result<(), Overflow> {
    // A stable sort: histories are mostly sorted but for a few edits at their end, which it makes use of.
    list.sort_by(|a, b| a.rank.cmp(&b.rank).then_with(|| a.time.cmp(&b.time)));
    add_up(list, |a, b| a.rank == b.rank && a.time == b.time, |edit| &mut edit.diff)
}

/// The net diff of every rank at a time; see [`Edits::accumulate`].
pub(super) fn accumulate<T: Time, R: Diff>(
    list: &[Edit<T, R>],
    at: &T,
    into: &mut Vec<(u32, R)>,
) -> Result<(), Overflow> {
    into.clear();
    into.extend(list.iter().filter(|edit| edit.time.precedes(at)).map(|edit| (edit.rank, edit.diff.clone())));
    net(into)
}

/// Sorts by rank, adds up the diffs of equal ranks, and drops what adds up to zero.
pub(crate) fn net<R: Diff>(list: &mut Vec<(u32, R)>) -> Result<(), Overflow> {
    if !list.is_sorted_by_key(|(rank, _)| *rank) {
        list.sort_unstable_by_key(|(rank, _)| *rank);
    }
    add_up(list, |(a, _), (b, _)| a == b, |(_, diff)| diff)
}

/// Adds up the diffs of neighbours that are the same but for them, and drops what adds up to zero.
fn add_up<I, R: Diff>(
    list: &mut Vec<I>,
    same: impl Fn(&I, &I) -> bool,
    diff: impl Fn(&mut I) -> &mut R,
) -> Result<(), Overflow> {
    // Mostly there is one.
    if let [only] = &mut list[..] {
        if diff(only).is_zero() {
            list.clear();
        }
        return Ok(());
    }
    // `..kept` are final but for the last, which may still grow; `at` is the next to look at.
    let mut kept = 0;
    for at in 0..list.len() {
        let (before, rest) = list.split_at_mut(at);
        if let Some(last) = before[..kept].last_mut() {
            if same(last, &rest[0]) {
                let sum = diff(last).plus(diff(&mut rest[0]))?;
                *diff(last) = sum;
                continue;
            }
            if diff(last).is_zero() {
                kept -= 1;
            }
        }
        list.swap(kept, at);
        kept += 1;
    }
    if list[..kept].last_mut().is_some_and(|last| diff(last).is_zero()) {
        kept -= 1;
    }
    list.truncate(kept);
    Ok(())
}
