//! From two bridges to blocks: which rows meet which.
//!
//! ```text
//!   a key with one row a side                                  a pair of a zip
//!   fewer than 16 rows on a side, or nothing to net            one cross: no time and no diff is touched
//!   16 rows or more on both, and at least half of one nets     a replay (see there): pairs, or a cross for each time
//! ```
//!
//! Whether a history nets is worth more than its length: a direct cross of two histories of ten thousand edits makes a
//! hundred million rows where a replay makes forty thousand, but replaying histories that only grow is all cost.
//!
//! A replay names rows one by one, and writes rows of its own behind the staged ones. When there are enough of either
//! the matching stops, the caller multiplies the blocks out, and `advance` cuts the rows off and goes on.
//! Invariant: blocks name rows that stay as they are until the next call.

use std::ops::Range;

use super::blocks::JoinBlocks;
use super::bridge::{GROWTH_ROWS, JoinBridge, Sorter};
use super::replay::Replay;
use crate::diff::{Diff, OverflowAt};
use crate::time::Time;

/// Keys with fewer rows on either side are crossed directly. Tests replay the histories of their small world.
const REPLAY_ROWS: usize = if cfg!(test) { 2 } else { 16 };

/// How far the matching of two bridges has come.
pub(super) struct Matching<T: Time, RA: Diff, RB: Diff> {
    /// The next key.
    next: usize,
    /// The key whose replay was interrupted.
    replaying: Option<u32>,
    replay: Replay<T, RA, RB>,
}

impl<T: Time, RA: Diff, RB: Diff> Default for Matching<T, RA, RB> {
    fn default() -> Self {
        Matching { next: 0, replaying: None, replay: Replay::default() }
    }
}

impl<T: Time, RA: Diff, RB: Diff> Matching<T, RA, RB> {
    /// Begins with new bridges.
    pub(super) fn restart(&mut self) {
        self.next = 0;
        self.replaying = None;
    }

    /// Whether all keys of these bridges were matched.
    pub(super) fn is_done(&self, left: &JoinBridge<T, RA>) -> bool {
        self.replaying.is_none() && self.next == left.ends.len()
    }

    /// Replaces `blocks`, which have gone out, by the next ones: of all keys left, or until a bridge has grown enough.
    pub(super) fn advance(
        &mut self,
        left: &mut JoinBridge<T, RA>,
        right: &mut JoinBridge<T, RB>,
        blocks: &mut JoinBlocks,
        sorter: &mut Sorter,
    ) -> Result<(), OverflowAt<T>> {
        assert_eq!(left.ends.len(), right.ends.len(), "both sides of a block hold the same keys");
        blocks.clear();
        if let Some(key) = self.replaying {
            self.replay.settle(left, right);
            if !self.replay.advance(key, left, right, blocks, sorter)? {
                return Ok(());
            }
            self.replaying = None;
        } else {
            left.truncate_to_staged();
            right.truncate_to_staged();
        }
        while self.next < left.ends.len()
            && left.appended().max(right.appended()).max(blocks.paired.0.len()) <= GROWTH_ROWS
        {
            let key = self.next as u32;
            let (left_rows, right_rows) = (left.run(self.next), right.run(self.next));
            self.next += 1;
            let shorter = left_rows.len().min(right_rows.len());
            if left_rows.len() == 1 && right_rows.len() == 1 {
                blocks.push_pair(key, left_rows.start, right_rows.start);
            } else if shorter < REPLAY_ROWS || !(nets(left, &left_rows) || nets(right, &right_rows)) {
                blocks.push_cross(key, left_rows, right_rows);
            } else {
                self.replay.load((left, left_rows), (right, right_rows));
                if !self.replay.advance(key, left, right, blocks, sorter)? {
                    self.replaying = Some(key);
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Whether at least half of a key's rows would net.
fn nets<T: Time, R: Diff>(bridge: &JoinBridge<T, R>, rows: &Range<u32>) -> bool {
    rows.end as usize > bridge.distinct && bridge.edits.nets(rows.start as usize..rows.end as usize)
}
