//! Which keys of a fresh batch the accepted batches hold, and their rows copied out, a block at a time.
//!
//! ```text
//!   fresh     2  5  6  7  9         the keys of a chunk
//!   batch 0   .  4  5  6  .         their rows in each accepted batch, or nothing
//!   batch 1   .  .  .  2  .
//!
//!   hits      5@0  6@0 | 7@0 7@1    keys that one batch holds, batch after batch; then keys that several hold
//! ```
//!
//! Keys are *located* a chunk at a time, in each batch by itself, and copied in a second pass, many keys a column at a
//! time: so the misses of the cache that each pass costs overlap. Within a chunk, keys are staged in the order of the
//! hits, which need not be theirs: a block only asks that both sides agree.
//! A block ends when either side has enough rows. A key is never split over two blocks, and a chunk may be.
//!
//! Invariant: `accepted_at` is at or before all that the keys after the chunk will find.
//! Cost: that of [`Batch::seek_all`] for each accepted batch, and a comparison a key to tell hits from misses. Keys of the
//! fresh batch that lie before the next key of every accepted batch are leapt over.
//! Tested in `join_laws.rs`, with chunks and blocks of few keys.

use std::sync::Arc;

use super::side::Side;
use crate::batch::Batch;
use crate::column::Column;
use crate::layout::Layout;

/// A block has about this many rows on its longer side. Tests meet this bound and the next two often.
const BLOCK_ROWS: usize = if cfg!(test) { 40 } else { 1 << 13 };
/// Keys located at a time.
const CHUNK_KEYS: usize = if cfg!(test) { 9 } else { 1 << 10 };
/// Keys copied at a time, so that a run of long keys stays near the size of a block.
const RUN_KEYS: usize = if cfg!(test) { 3 } else { 1 << 8 };

/// A key of the chunk in an accepted batch: its first key row there.
#[derive(Clone, Copy)]
struct Hit {
    key: u32,
    batch: u32,
    row: u32,
}

/// Where the walk stands.
#[derive(Default)]
pub(super) struct Walk {
    /// The fresh key row after the chunk.
    fresh_at: usize,
    /// For each accepted batch, a key row at or before what the next chunk will find.
    accepted_at: Vec<usize>,
    /// Where each key of the chunk begins in the fresh key column.
    starts: Vec<u32>,
    /// What the chunk's keys found: keys that one batch holds, then keys that several hold, key after key.
    hits: Vec<Hit>,
    /// Where the latter begin.
    shared_from: usize,
    /// The next hit.
    next: usize,
    found: Vec<u32>,
    holders: Vec<u32>,
    shared: Vec<Hit>,
    accepted_rows: Vec<u32>,
}

impl Walk {
    /// Begins before the first key.
    pub(super) fn restart(&mut self, accepted: usize) {
        self.fresh_at = 0;
        self.accepted_at.clear();
        self.accepted_at.resize(accepted, 0);
        self.hits.clear();
        self.shared_from = 0;
        self.next = 0;
    }

    /// Whether nothing is left to match.
    pub(super) fn is_done<F: Layout, G: Layout>(&self, fresh: &Batch<F>, accepted: &[Arc<Batch<G>>]) -> bool {
        self.next == self.hits.len()
            && (self.fresh_at == fresh.keys().len()
                || self.accepted_at.iter().zip(accepted).all(|(&at, batch)| at == batch.keys().len()))
    }

    /// Copies the next keys that both sides hold, until a side has enough rows or as many keys were looked at.
    ///
    /// `keys` takes the fresh batch's key row of each. Answers with the number of keys that were looked at.
    pub(super) fn fill<F, G>(
        &mut self,
        (fresh, fresh_side): (&Batch<F>, &mut Side<'_, F>),
        (accepted, accepted_side): (&[Arc<Batch<G>>], &mut Side<'_, G>),
        keys: &mut Vec<u32>,
    ) -> usize
    where
        F: Layout,
        G: Layout<Key = F::Key, Time = F::Time>,
    {
        let mut looked = 0;
        while fresh_side.len().max(accepted_side.len()) < BLOCK_ROWS && looked < BLOCK_ROWS {
            if self.next < self.hits.len() {
                self.copy((fresh, fresh_side), (accepted, accepted_side), keys);
            } else if self.is_done(fresh, accepted) {
                break;
            } else {
                self.locate(fresh, accepted);
                // The leap counts too: it may have gone past the last key.
                looked += 1 + self.starts.len();
            }
        }
        looked
    }

    /// Finds the next chunk's keys in each accepted batch.
    fn locate<F, G>(&mut self, fresh: &Batch<F>, accepted: &[Arc<Batch<G>>])
    where
        F: Layout,
        G: Layout<Key = F::Key, Time = F::Time>,
    {
        let heads = self.accepted_at.iter().zip(accepted).filter(|(at, batch)| **at < batch.keys().len());
        let least = heads.map(|(&at, batch)| batch.keys().get(at)).min();
        if let Some(least) = least {
            self.fresh_at = fresh.seek(self.fresh_at, least);
        }
        let first = self.fresh_at;
        self.starts.clear();
        while self.starts.len() < CHUNK_KEYS && self.fresh_at < fresh.keys().len() {
            self.starts.push(self.fresh_at as u32);
            self.fresh_at = fresh.run(self.fresh_at).end;
        }
        self.next = 0;
        self.hits.clear();
        for (index, batch) in accepted.iter().enumerate() {
            self.found.clear();
            batch.seek_all(self.accepted_at[index], fresh.keys(), first..self.fresh_at, &mut self.found);
            self.accepted_at[index] = self.found.last().map_or(self.accepted_at[index], |&row| row as usize);
            for (key, &start) in self.starts.iter().enumerate() {
                let row = self.found[start as usize - first];
                let held = (row as usize) < batch.keys().len()
                    && batch.keys().compare(row as usize, fresh.keys(), start as usize).is_eq();
                if held {
                    self.hits.push(Hit { key: key as u32, batch: index as u32, row });
                }
            }
        }
        self.part_shared();
    }

    /// Moves the keys that several batches hold behind all others, key after key.
    fn part_shared(&mut self) {
        let (holders, shared) = (&mut self.holders, &mut self.shared);
        let (first, last) = (self.hits.first(), self.hits.last());
        if first.map(|hit| hit.batch) != last.map(|hit| hit.batch) {
            holders.clear();
            holders.resize(self.starts.len(), 0);
            self.hits.iter().for_each(|hit| holders[hit.key as usize] += 1);
            shared.clear();
            self.hits.retain(|&hit| {
                let alone = holders[hit.key as usize] == 1;
                if !alone {
                    shared.push(hit);
                }
                alone
            });
            // A stable sort: each key's batches stay in order.
            shared.sort_by_key(|hit| hit.key);
            self.shared_from = self.hits.len();
            self.hits.extend_from_slice(shared);
        } else {
            self.shared_from = self.hits.len();
        }
    }

    /// Copies the next hits: some that one batch holds, or all of one key.
    fn copy<F, G>(
        &mut self,
        (fresh, fresh_side): (&Batch<F>, &mut Side<'_, F>),
        (accepted, accepted_side): (&[Arc<Batch<G>>], &mut Side<'_, G>),
        keys: &mut Vec<u32>,
    ) where
        F: Layout,
        G: Layout<Key = F::Key, Time = F::Time>,
    {
        let (hits, staged) = (&self.hits[self.next..], keys.len());
        let first = hits[0];
        if self.next < self.shared_from {
            let most = RUN_KEYS.min(self.shared_from - self.next);
            let run = hits[..most].iter().take_while(|hit| hit.batch == first.batch);
            self.accepted_rows.clear();
            for hit in run {
                keys.push(self.starts[hit.key as usize]);
                self.accepted_rows.push(hit.row);
            }
            fresh_side.extend_keys(fresh, &keys[staged..]);
            accepted_side.extend_keys(&accepted[first.batch as usize], &self.accepted_rows);
            self.next += keys.len() - staged;
        } else {
            let holders = hits.iter().take_while(|hit| hit.key == first.key).count();
            keys.push(self.starts[first.key as usize]);
            fresh_side.extend_keys(fresh, &keys[staged..]);
            accepted_side.extend_merged(hits[..holders].iter().map(|hit| {
                let batch = &*accepted[hit.batch as usize];
                (batch, batch.run(hit.row as usize))
            }));
            self.next += holders;
        }
    }
}
