//! A block of neighbouring keys of two batches, merged layer by layer.
//!
//! ```text
//!   older   a: x@1   c: x@1 y@2            keys      a b c d     < > = >
//!   newer   b: x@4   c: y@2 z@3   d: x@5   values    x x x y z x   < > < = > >    keys have   1 1 3 1 of them
//!                                          updates   one each of these            values have 1 1 1 1 1 1, or none
//! ```
//!
//! First it is noted on which side each next key is, without a branch on the outcome; then the same for the values of
//! these keys; then how many updates are left of each value. Then every column is filled from both sides in one loop.
//!
//! Invariant: the block's updates are in the sides' excerpts. Cost: a comparison a key and a value, and a few
//! instructions a row and column. Why not key by key: neighbours are on different sides as often as not, so that each
//! has every column asked how it is stored, and every branch guessed.
//! Tested in `merge_laws.rs`, as all ways of merging are.

use super::sink::{EXCERPT, Sink, Source};
use crate::column::Column;
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::Pick;

/// Keys that are compared at once.
const MOST: usize = 1024;
/// So many keys in a row, each on one side and with one update, are copied without a look at updates.
const SINGLE_AT_LEAST: usize = 16;

/// Which side the rows of a block are on, and what they have. Kept for its buffers.
#[derive(Default)]
pub(super) struct Block {
    keys: Vec<Pick>,
    /// How many values of each key are left.
    values: Vec<u32>,
    vals: Vec<Pick>,
    /// How many updates of each value are left.
    updates: Vec<u32>,
}

impl Block {
    /// Merges some of the sides' next keys for at most `effort`; what was spent of it. That is nothing where one of the
    /// sides ended, or a next key has more updates than effort or excerpt allow.
    pub(super) fn merge<L: Layout>(
        &mut self,
        sides: &mut [Source<L>; 2],
        sink: &mut Sink<L>,
        effort: usize,
    ) -> Result<usize, OverflowAt<L::Time>> {
        self.pick_keys(sides, effort);
        if Sink::is_single(sides) {
            let alone = self.keys.iter().position(|pick| *pick == Pick::Both).unwrap_or(self.keys.len());
            if alone >= SINGLE_AT_LEAST {
                self.keys.truncate(alone);
                sink.extend_single(sides, &self.keys);
                return Ok(alone);
            }
        }
        if self.keys.is_empty() {
            return Ok(0);
        }
        let mut ends = [sides[0].key, sides[1].key];
        let [older_end, newer_end] = &mut ends;
        self.keys.iter().for_each(|pick| pick.pass(older_end, newer_end));
        let mut spent = 0;
        for (side, end) in ends.into_iter().enumerate() {
            let source = &sides[side];
            let updates = source.updates(source.vals(source.key..end));
            spent += updates.len();
            sink.show(sides, side, updates, effort);
        }
        self.pick_vals(sides);
        let starts = [sides[0].val, sides[1].val];
        self.updates.clear();
        for pick in &self.vals {
            self.updates.push(sink.note_val(sides, pick.sides())? as u32);
            let [older, newer] = &mut *sides;
            pick.pass(&mut older.val, &mut newer.val);
        }
        self.count_left();
        sink.extend_block(sides, starts, (&self.keys, &self.values), (&self.vals, &self.updates));
        for (source, end) in sides.iter_mut().zip(ends) {
            source.key = end;
        }
        Ok(spent)
    }

    /// Notes on which side each of the next keys is, as far as effort and excerpts go and neither side ends.
    fn pick_keys<L: Layout>(&mut self, [older, newer]: &[Source<L>; 2], effort: usize) {
        let most = EXCERPT.min(effort / 2);
        let (mut a, mut b) = (older.key, newer.key);
        let (a_end, b_end) = (older.keys_within(most), newer.keys_within(most));
        let (older, newer) = (&older.batch.keys, &newer.batch.keys);
        self.keys.clear();
        while self.keys.len() < MOST && a < a_end && b < b_end {
            let pick = Pick::by(older.compare(a, newer, b));
            self.keys.push(pick);
            pick.pass(&mut a, &mut b);
        }
    }

    /// Notes on which side each value of these keys is.
    fn pick_vals<L: Layout>(&mut self, [older, newer]: &[Source<L>; 2]) {
        let (mut a, mut b) = (older.val, newer.val);
        let (mut a_key, mut b_key) = (older.key, newer.key);
        let (older_vals, newer_vals) = (&older.batch.vals, &newer.batch.vals);
        self.vals.clear();
        self.values.clear();
        for pick in &self.keys {
            let before = self.vals.len();
            pick.pass(&mut a_key, &mut b_key);
            let (a_end, b_end) = (older.vals(0..a_key).end, newer.vals(0..b_key).end);
            while a < a_end && b < b_end {
                let pick = Pick::by(older_vals.compare(a, newer_vals, b));
                self.vals.push(pick);
                pick.pass(&mut a, &mut b);
            }
            self.vals.extend(std::iter::repeat_n(Pick::Left, a_end - a));
            self.vals.extend(std::iter::repeat_n(Pick::Right, b_end - b));
            (a, b) = (a_end, b_end);
            self.values.push((self.vals.len() - before) as u32);
        }
    }

    /// Counts the values that have updates left.
    fn count_left(&mut self) {
        if self.updates.contains(&0) {
            let mut updates = self.updates.iter();
            for count in &mut self.values {
                *count = updates.by_ref().take(*count as usize).filter(|updates| **updates > 0).count() as u32;
            }
        }
    }
}
