//! Which keys of a fresh batch the accepted batches hold, and their rows copied out, a block at a time.
//!
//! ```text
//!   fresh     2  5  6  7  9         keys of a chunk
//!   batch 0   .  4  5  6  .         their rows in each accepted batch, or nothing
//!   batch 1   .  .  .  2  .
//!                ^^^^  ^
//!     one run of two keys, copied a range a column; then a key from two batches, merged
//! ```
//!
//! Keys are *located* a chunk at a time, in each batch by itself, and copied in a second pass: so that the way of
//! locating is one function, and its cache misses may overlap. A block ends when either side has enough rows. A key is
//! never split over two blocks, and a chunk may be.
//!
//! Cost: where the accepted batch is at most 128 times as long as the fresh one, a merge of the two key columns; else a
//! search for each fresh key. Keys of the fresh batch that lie before the next key of every accepted batch are leapt
//! over. Invariant: `accepted_at` is at or before all that the keys after the chunk will find.

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
/// A key column up to this many times as long as the other is merged with it rather than searched.
const MERGE_RATIO: usize = 128;
/// Fewer keys than this are searched for.
const MERGE_KEYS: usize = 8;
/// A key that a batch does not hold.
const ABSENT: u32 = u32::MAX;

/// Where the walk stands.
#[derive(Default)]
pub(super) struct Walk {
    /// The fresh key row after the chunk.
    fresh_at: usize,
    /// For each accepted batch, a key row at or before what the next chunk will find.
    accepted_at: Vec<usize>,
    /// Where each key of the chunk begins in the fresh key column, and the end.
    starts: Vec<u32>,
    /// For each accepted batch, for each key of the chunk: its first key row there, or `ABSENT`.
    found: Vec<u32>,
    /// The next key of the chunk.
    next: usize,
}

impl Walk {
    /// Begins before the first key.
    pub(super) fn restart(&mut self, accepted: usize) {
        self.fresh_at = 0;
        self.accepted_at.clear();
        self.accepted_at.resize(accepted, 0);
        self.starts.clear();
        self.found.clear();
        self.next = 0;
    }

    /// The number of keys in the chunk.
    fn chunk(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether nothing is left to match.
    pub(super) fn is_done<F: Layout, G: Layout>(&self, fresh: &Batch<F>, accepted: &[Arc<Batch<G>>]) -> bool {
        self.next == self.chunk()
            && (self.fresh_at == fresh.keys().len()
                || self.accepted_at.iter().zip(accepted).all(|(&at, batch)| at == batch.keys().len()))
    }

    /// Copies the next keys that both sides hold, until a side has enough rows or a chunk has no more keys.
    ///
    /// `keys` takes the fresh batch's key row of each. Answers with the number of keys that were looked at, one at least
    /// unless nothing is left.
    pub(super) fn fill<F, G>(
        &mut self,
        (fresh, fresh_side): (&Batch<F>, &mut Side<F>),
        (accepted, accepted_side): (&[Arc<Batch<G>>], &mut Side<G>),
        keys: &mut Vec<u32>,
    ) -> usize
    where
        F: Layout,
        G: Layout<Key = F::Key, Time = F::Time>,
    {
        let mut looked = 0;
        while fresh_side.len().max(accepted_side.len()) < BLOCK_ROWS && looked < BLOCK_ROWS {
            if self.next == self.chunk() {
                if self.is_done(fresh, accepted) {
                    break;
                }
                self.locate(fresh, accepted);
                // The leap counts too: it may have gone past the last key.
                looked += 1 + self.chunk();
            } else {
                self.copy((fresh, fresh_side), (accepted, accepted_side), keys);
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
        self.starts.clear();
        while self.starts.len() < CHUNK_KEYS && self.fresh_at < fresh.keys().len() {
            self.starts.push(self.fresh_at as u32);
            self.fresh_at = fresh.run(self.fresh_at).end;
        }
        self.starts.push(self.fresh_at as u32);
        self.next = 0;
        self.found.clear();
        let wanted = &self.starts[..self.starts.len() - 1];
        for (at, batch) in self.accepted_at.iter_mut().zip(accepted) {
            *at = rows_of(fresh, wanted, batch, *at, &mut self.found);
        }
    }

    /// The key row of a chunk's key in an accepted batch.
    fn found(&self, batch: usize, key: usize) -> Option<usize> {
        let row = self.found[batch * self.chunk() + key];
        (row != ABSENT).then_some(row as usize)
    }

    /// Copies the chunk's next key, and those after it while they follow one another on both sides.
    fn copy<F, G>(
        &mut self,
        (fresh, fresh_side): (&Batch<F>, &mut Side<F>),
        (accepted, accepted_side): (&[Arc<Batch<G>>], &mut Side<G>),
        keys: &mut Vec<u32>,
    ) where
        F: Layout,
        G: Layout<Key = F::Key, Time = F::Time>,
    {
        let holder = |key: usize| {
            let mut holders = (0..accepted.len()).filter_map(|batch| Some((batch, self.found(batch, key)?)));
            (holders.next(), holders.next().is_some())
        };
        let mut key = self.next;
        let (first, several) = loop {
            match holder(key) {
                (Some(first), several) => break (first, several),
                (None, _) if key + 1 == self.chunk() => {
                    self.next = key + 1;
                    return;
                }
                (None, _) => key += 1,
            }
        };
        let (index, row) = first;
        let fresh_rows = |key: usize| self.starts[key] as usize..self.starts[key + 1] as usize;
        let mut run = 1;
        if several {
            keys.push(self.starts[key]);
            fresh_side.extend_key(fresh, fresh_rows(key));
            let rows = |batch: usize| self.found(batch, key).map(|row| accepted[batch].run(row));
            accepted_side.extend_merged(accepted, rows);
        } else {
            let batch = &accepted[index];
            let single = |key: usize, row: usize| fresh_rows(key).len() == 1 && batch.run(row).len() == 1;
            if single(key, row) {
                let longest = RUN_KEYS.min(self.chunk() - key);
                while run < longest
                    && holder(key + run) == (Some((index, row + run)), false)
                    && single(key + run, row + run)
                {
                    run += 1;
                }
                keys.extend_from_slice(&self.starts[key..key + run]);
                let start = self.starts[key] as usize;
                fresh_side.extend_keys(fresh, start..start + run);
                accepted_side.extend_keys(batch, row..row + run);
            } else {
                keys.push(self.starts[key]);
                fresh_side.extend_key(fresh, fresh_rows(key));
                accepted_side.extend_key(batch, batch.run(row));
            }
        }
        self.next = key + run;
    }
}

/// Appends, for each wanted key row of `fresh`, the key's first row in `batch` or `ABSENT`, looking from `from` on.
///
/// Answers with the row from which keys past the last one are to be looked for.
fn rows_of<F, G>(fresh: &Batch<F>, wanted: &[u32], batch: &Batch<G>, from: usize, found: &mut Vec<u32>) -> usize
where
    F: Layout,
    G: Layout<Key = F::Key, Time = F::Time>,
{
    let (wanted_keys, keys) = (fresh.keys(), batch.keys());
    let merge = wanted.len() >= MERGE_KEYS && keys.len() <= MERGE_RATIO * wanted_keys.len();
    let mut at = from;
    for &row in wanted {
        if merge {
            while at < keys.len() && keys.compare(at, wanted_keys, row as usize).is_lt() {
                at += 1;
            }
        } else {
            at = batch.seek(at, wanted_keys.get(row as usize));
        }
        let held = at < keys.len() && keys.compare(at, wanted_keys, row as usize).is_eq();
        found.push(if held { at as u32 } else { ABSENT });
    }
    at
}
