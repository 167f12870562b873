//! One key's two histories, met in time order, so that the work follows their net sizes and not their lengths.
//!
//! ```text
//!   left   a+1@0      a-1@2 b+1@2      b-1@4 c+1@4         both in time order
//!   right        x+1@1           x-1@3 y+1@3
//!
//!   @0  a         meets nothing                left holds:  a
//!   @1  x         meets { a }                  right holds: x
//!   @2  -a +b     meets { x }                  left holds:  b
//!   @3  -x +y     meets { b } ...
//! ```
//!
//! Each step takes *all* edits of one side at its least time and crosses them with what the other side did before. Each
//! pair of edits is met exactly once: the later with what holds the earlier. Steps are ordinary blocks over rows that
//! are written at the ends of the two bridges and never changed, so they are multiplied out later with all others.
//!
//! There are two forms, and the times of the key decide. Times on a *line* (all of them comparable, as in a stream of
//! epochs, or once the epochs of a history fell together) need no bookkeeping of times: what one side did is the counts
//! of its values (`line`). Times in a *plane*, where some pair is not comparable, are advanced by meets and added up as
//! far as they agree (`plane`).
//! Cost: a sort by time, and then that of the form.
//! Tested in `join_laws.rs`: all small histories, then long keys with times of one to four coordinates.

use std::ops::Range;

use super::blocks::JoinBlocks;
use super::bridge::{JoinBridge, Sorter};
use super::line::Line;
use super::plane::Plane;
use crate::diff::{Diff, OverflowAt};
use crate::time::{Time, TimeColumn};

/// The replay of one key, which may stop between steps; its buffers serve the next key.
pub(super) struct Replay<T: Time, RA: Diff, RB: Diff> {
    line: Line<T, RA, RB>,
    plane: Plane<T, RA, RB>,
    /// Whether the present key's times are on a line.
    on_line: bool,
}

impl<T: Time, RA: Diff, RB: Diff> Default for Replay<T, RA, RB> {
    fn default() -> Self {
        Replay { line: Line::default(), plane: Plane::default(), on_line: false }
    }
}

impl<T: Time, RA: Diff, RB: Diff> Replay<T, RA, RB> {
    /// Begins with a key's rows on both sides, none of them empty.
    pub(super) fn load(
        &mut self,
        (left, left_rows): (&mut JoinBridge<T, RA>, Range<u32>),
        (right, right_rows): (&mut JoinBridge<T, RB>, Range<u32>),
    ) {
        let wide = |rows: &Range<u32>| rows.start as usize..rows.end as usize;
        let line = left.edits.times.line(wide(&left_rows), &right.edits.times, wide(&right_rows));
        self.on_line = line.is_some();
        match line {
            Some((left_line, right_line)) => {
                self.line.load((&left.edits, left_line, left_rows), (&right.edits, right_line, right_rows));
            }
            None => self.plane.load((left, left_rows), (right, right_rows)),
        }
    }

    /// Goes on after all blocks made so far went out: the rows that only they used are cut off.
    pub(super) fn settle(&mut self, left: &mut JoinBridge<T, RA>, right: &mut JoinBridge<T, RB>) {
        if self.on_line {
            self.line.settle(left, right);
        } else {
            self.plane.settle(left, right);
        }
    }

    /// Makes blocks of the steps to come; whether all are made. If not, a bridge has grown enough.
    pub(super) fn advance(
        &mut self,
        key: u32,
        left: &mut JoinBridge<T, RA>,
        right: &mut JoinBridge<T, RB>,
        blocks: &mut JoinBlocks,
        sorter: &mut Sorter,
    ) -> Result<bool, OverflowAt<T>> {
        if self.on_line {
            self.line.advance(key, left, right, blocks)
        } else {
            self.plane.advance(key, left, right, blocks, sorter)
        }
    }
}
