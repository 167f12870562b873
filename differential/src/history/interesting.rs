//! Where a change may show: the joins that use a seed.
//!
//! A collection's value at a time is made of everything at or before it. So if something changes at the *seeds*, what
//! is computed from it may change there, and at the join of a seed with any other times: that is the first time that
//! sees both.
//!
//! ```text
//!   3 |  .  .  .  .        s: seed (2,1)        x: stored (1,3) and (3,0)
//!     |  .  x  o  o        o: its joins (2,3), (3,1), (3,3), where the two changes first meet
//!     |  .  .  .  .
//!     |  .  .  s  o
//!   0 |  .  .  .  x
//! ```
//!
//! The sweep goes through all times in total order; each is joined with those behind it, and a join lies ahead. What
//! is behind is advanced by the meet of what is ahead, which changes no join with anything there.
//!
//! Invariant: of every pair of a time behind and one behind or at hand, of which one is interesting, the join is
//! known. Cost: the sweep's length times what stays distinct behind: for totally ordered times that is one, and the
//! whole is linear but for sorting.
//! Why not subsets: there are as many as 2 to the number of times.
//! Tested in `interesting_laws.rs`, on every pair of sets of at most three times of a 3 x 3 grid, by subsets.

use std::collections::BTreeSet;

use crate::time::Time;

/// The joins of all non-empty sets of times that use at least one of `seeds` and any number of `stored`, in the total
/// order.
///
/// ```
/// use differential::{history::interesting_times, time::Point};
/// let (seed, stored) = (Point::from([2, 1]), Point::from([1, 3]));
/// assert_eq!(interesting_times(&[seed.clone()], &[stored]), [seed, Point::from([2, 3])]);
/// assert_eq!(interesting_times(&[5u64], &[3, 4, 7, 9]), [5, 7, 9]);
/// ```
pub fn interesting_times<T: Time>(seeds: &[T], stored: &[T]) -> Vec<T> {
    let seeds = seeds.iter().map(|time| (time.clone(), true));
    let mut given: Vec<(T, bool)> = seeds.chain(stored.iter().map(|time| (time.clone(), false))).collect();
    given.sort_by(|(a, a_is_seed), (b, b_is_seed)| a.cmp(b).then(b_is_seed.cmp(a_is_seed)));
    given.dedup_by(|(a, _), (b, _)| a == b);
    let meets = suffix_meets(given.iter().map(|(time, _)| time));

    let (mut found, mut next) = (Vec::new(), 0);
    // Ahead: the rest of `given`, and joins of what is behind. Behind: interesting times, and those merely stored.
    let mut joins_ahead = BTreeSet::new();
    let (mut interesting_behind, mut stored_behind) = (Vec::new(), Vec::new());
    while let Some(time) = joins_ahead.first().into_iter().chain(given.get(next).map(|(time, _)| time)).min().cloned() {
        let mut interesting = joins_ahead.remove(&time);
        if given.get(next).is_some_and(|(given, _)| *given == time) {
            interesting |= given[next].1;
            next += 1;
        }
        for behind in &interesting_behind {
            interesting |= !join_ahead(&time, behind, &mut joins_ahead);
        }
        if interesting {
            for behind in &stored_behind {
                join_ahead(&time, behind, &mut joins_ahead);
            }
            found.push(time.clone());
            interesting_behind.push(time);
        } else {
            stored_behind.push(time);
        }
        let ahead = joins_ahead.iter().chain(meets.get(next)).cloned().reduce(|a, b| a.meet(&b));
        for behind in [&mut interesting_behind, &mut stored_behind] {
            ahead.iter().for_each(|ahead| behind.iter_mut().for_each(|time| time.join_assign(ahead)));
            behind.sort();
            behind.dedup();
        }
    }
    found
}

/// Adds the join of two times to those ahead of `time`, unless it is `time` itself; whether it was added.
fn join_ahead<T: Time>(time: &T, behind: &T, joins_ahead: &mut BTreeSet<T>) -> bool {
    let ahead = !behind.precedes(time);
    if ahead {
        joins_ahead.insert(time.join(behind));
    }
    ahead
}

/// For each time, the meet of it and all that follow.
fn suffix_meets<'a, T: Time>(times: impl DoubleEndedIterator<Item = &'a T>) -> Vec<T> {
    let mut meets: Vec<T> = Vec::new();
    for time in times.rev() {
        let meet = meets.last().map_or_else(|| time.clone(), |following| time.meet(following));
        meets.push(meet);
    }
    meets.reverse();
    meets
}
