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

/// With less effort than this, a block is too short to be worth it.
const EFFORT_AT_LEAST: usize = 64;
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
    /// sides ended, a next key has more updates than effort or excerpt allow, or there is little effort left.
    pub(super) fn merge<L: Layout>(
        &mut self,
        sides: &mut [Source<L>; 2],
        sink: &mut Sink<L>,
        effort: usize,
    ) -> Result<usize, OverflowAt<L::Time>> {
        if effort < EFFORT_AT_LEAST {
            return Ok(0);
        }
        let ends = self.pick_keys(sides, effort);
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
        let mut spent = 0;
        for (side, end) in ends.into_iter().enumerate() {
            let source = &sides[side];
            let updates = source.updates(source.vals(source.key..end));
            spent += updates.len();
            sink.show(sides, side, updates, effort);
        }
        let from = [&sides[0], &sides[1]].map(|source| (source.key, source.val));
        self.pick_vals(sides, sink)?;
        if self.updates.contains(&0) {
            self.count_left();
        }
        sink.extend_block(sides, from, (&self.keys, &self.values), (&self.vals, &self.updates));
        Ok(spent)
    }

    /// Notes on which side each of the next keys is, as far as effort and excerpts go and neither side ends; where that is.
    fn pick_keys<L: Layout>(&mut self, [older, newer]: &[Source<L>; 2], effort: usize) -> [usize; 2] {
        let most = EXCERPT.min(effort / 2);
        let (mut a, mut b) = (older.key, newer.key);
        let (a_end, b_end) = (older.keys_within(most), newer.keys_within(most));
        let (older, newer) = (&older.batch.keys, &newer.batch.keys);
        // Written in place, so that there is no asking for room.
        self.keys.clear();
        self.keys.resize((a_end - a) + (b_end - b), Pick::Both);
        let mut count = 0;
        for next in &mut self.keys {
            if a == a_end || b == b_end {
                break;
            }
            let pick = Pick::by(older.compare(a, newer, b));
            *next = pick;
            pick.pass(&mut a, &mut b);
            count += 1;
        }
        self.keys.truncate(count);
        [a, b]
    }

    /// Notes on which side each value of these keys is, and its updates; goes past them on both sides.
    fn pick_vals<L: Layout>(
        &mut self,
        sides: &mut [Source<L>; 2],
        sink: &mut Sink<L>,
    ) -> Result<(), OverflowAt<L::Time>> {
        self.vals.clear();
        self.values.clear();
        self.updates.clear();
        for at in 0..self.keys.len() {
            let (pick, before) = (self.keys[at], self.vals.len());
            if pick == Pick::Both {
                let ends = [&sides[0], &sides[1]].map(|source| source.vals(source.key..source.key + 1).end);
                while sides[0].val < ends[0] && sides[1].val < ends[1] {
                    let [older, newer] = &*sides;
                    let pick = Pick::by(older.batch.vals.compare(older.val, &newer.batch.vals, newer.val));
                    self.note_val(sides, pick, sink)?;
                }
                for (side, pick) in [Pick::Left, Pick::Right].into_iter().enumerate() {
                    while sides[side].val < ends[side] {
                        self.note_val(sides, pick, sink)?;
                    }
                }
                sides.iter_mut().for_each(|source| source.key += 1);
            } else {
                self.note_vals(sides, pick, sink)?;
            }
            self.values.push((self.vals.len() - before) as u32);
        }
        Ok(())
    }

    /// Notes the values of the next key, which only this side has, and their updates; goes past them.
    #[inline]
    fn note_vals<L: Layout>(
        &mut self,
        sides: &mut [Source<L>; 2],
        pick: Pick,
        sink: &mut Sink<L>,
    ) -> Result<(), OverflowAt<L::Time>> {
        let side = usize::from(pick == Pick::Right);
        let key = sides[side].key;
        let end = sides[side].vals(key..key + 1).end;
        sides[side].key += 1;
        while sides[side].val < end {
            self.note_val(sides, pick, sink)?;
        }
        Ok(())
    }

    /// Notes that the next value is on this side or on both, and its updates; goes past it.
    #[inline]
    fn note_val<L: Layout>(
        &mut self,
        sides: &mut [Source<L>; 2],
        pick: Pick,
        sink: &mut Sink<L>,
    ) -> Result<(), OverflowAt<L::Time>> {
        self.vals.push(pick);
        let side = usize::from(pick == Pick::Right);
        let count = if pick != Pick::Both && sides[side].all_ordered() {
            sink.note_ordered(&sides[side], side)
        } else {
            sink.note_val(sides, [pick != Pick::Right, pick != Pick::Left])?
        };
        self.updates.push(count as u32);
        let [older, newer] = sides;
        pick.pass(&mut older.val, &mut newer.val);
        Ok(())
    }

    /// Counts for each key the values that have updates left.
    fn count_left(&mut self) {
        let mut updates = self.updates.iter();
        for count in &mut self.values {
            *count = updates.by_ref().take(*count as usize).filter(|updates| **updates > 0).count() as u32;
        }
    }
}
