//! A join's backend over plain vectors: what the documentation of `JoinBackend` shows, whole.
//!
//! Both sides are sorted by key and value, and walked side by side. Values are lent as they lie; the number of one stands
//! for the first row that has it. Held to the same oracle as batches are, in `join_laws.rs`.

use std::cmp::Ordering;

use differential::diff::{Diff, Multiply};
use differential::operators::join::{JoinBackend, JoinBridge};
use differential::time::Time;

/// Two inputs as plain vectors of (key, value, time, diff).
pub struct SortedVectors<K, V, W, T, R> {
    left: Vec<(K, V, T, R)>,
    right: Vec<(K, W, T, R)>,
}

/// What is staged: for each number, the row that it came from; and the next row of either side.
#[derive(Default)]
pub struct Staged {
    keys: Vec<usize>,
    left: Vec<usize>,
    right: Vec<usize>,
    left_next: usize,
    right_next: usize,
}

/// A block ends behind the key that reaches so many rows. Tests meet this bound often.
const BLOCK_ROWS: usize = if cfg!(test) { 40 } else { 1000 };

impl<K: Ord, V: Ord, W: Ord, T: Time, R> SortedVectors<K, V, W, T, R> {
    /// Takes rows in any order.
    pub fn new(mut left: Vec<(K, V, T, R)>, mut right: Vec<(K, W, T, R)>) -> Self {
        left.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        right.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        SortedVectors { left, right }
    }
}

/// Stages the rows of one key, from `next` on, and goes past them.
fn stage_key<K: Ord, V: Ord, T: Time, R: Diff>(
    rows: &[(K, V, T, R)],
    next: &mut usize,
    values: &mut Vec<usize>,
    bridge: &mut JoinBridge<T, R>,
) {
    let first = *next;
    while *next < rows.len() && rows[*next].0 == rows[first].0 {
        let (_, value, time, diff) = &rows[*next];
        if *next == first || rows[*next - 1].1 != *value {
            assert_eq!(bridge.value() as usize, values.len());
            values.push(*next);
        }
        bridge.update(time, diff.clone());
        *next += 1;
    }
    bridge.end_key();
}

impl<K, V, W, T, R> JoinBackend for SortedVectors<K, V, W, T, R>
where
    K: Ord + 'static,
    V: Ord + 'static,
    W: Ord + 'static,
    T: Time,
    R: Multiply<R>,
{
    type Time = T;
    type LeftDiff = R;
    type RightDiff = R;
    type Key<'a> = &'a K;
    type Left<'a> = &'a V;
    type Right<'a> = &'a W;
    type Staging = Staged;

    fn staging(&self) -> Option<Staged> {
        Some(Staged::default())
    }
    fn is_done(&self, staged: &Staged) -> bool {
        staged.left_next == self.left.len() || staged.right_next == self.right.len()
    }
    fn stage(&self, staged: &mut Staged, left: &mut JoinBridge<T, R>, right: &mut JoinBridge<T, R>) -> usize {
        let Staged { keys, left: lefts, right: rights, left_next, right_next } = staged;
        keys.clear();
        lefts.clear();
        rights.clear();
        let mut looked = 0;
        while let (Some(a), Some(b)) = (self.left.get(*left_next), self.right.get(*right_next)) {
            if left.len().max(right.len()).max(looked) >= BLOCK_ROWS {
                break;
            }
            looked += 1;
            match a.0.cmp(&b.0) {
                Ordering::Less => *left_next += 1,
                Ordering::Greater => *right_next += 1,
                Ordering::Equal => {
                    keys.push(*left_next);
                    stage_key(&self.left, left_next, lefts, left);
                    stage_key(&self.right, right_next, rights, right);
                }
            }
        }
        looked
    }
    fn key<'a>(&'a self, staged: &'a Staged, number: u32) -> &'a K {
        &self.left[staged.keys[number as usize]].0
    }
    fn left<'a>(&'a self, staged: &'a Staged, number: u32) -> &'a V {
        &self.left[staged.left[number as usize]].1
    }
    fn right<'a>(&'a self, staged: &'a Staged, number: u32) -> &'a W {
        &self.right[staged.right[number as usize]].1
    }
}
