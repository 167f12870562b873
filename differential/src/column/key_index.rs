//! A search tree above a long sorted column: it answers many searches at once.
//!
//! ```text
//!   top, in the order of a breadth-first walk (Eytzinger's):      [ 4th | 2nd 6th | 1st 3rd 5th 7th ]
//!                                                                      (each: the last prefix of a block)
//!   column   | block of 64 | block of 64 | ... |        a search: down the tree, then six steps in one block
//! ```
//!
//! What a search costs are its cache misses, one after the other. Thirty-two searches in lockstep, each a step at a
//! time, have theirs at the same time. So all of a group's state is in arrays, indices are masked in place of checked,
//! and no step branches on a key. The last block's window is moved back so that all windows have one length.
//!
//! Invariant: `top` holds the prefixes of rows 63, 127, ... in order, padded with the greatest prefix; the number of
//! them below a wanted prefix is the block that it falls in.
//!
//! Cost: 8 bytes for 64 rows, rounded up to a power of two; building reads one row in 64. What does not fill a group goes
//! in smaller ones.
//!
//! Why not galloping from the last place found: it was ten times slower on 2,000 keys in 10 million, since each key
//! waits for the one before it. Why not bisecting what is left: its probes are in no cache, being others each time.
//! Tested in `seek_laws.rs`.

use super::Column;

/// Searches that go in lockstep.
const GROUP: usize = 32;
/// Of what does not fill a group, so many; what is left of that goes one by one.
const FEW: usize = 8;
/// Rows of a block: one slot of the tree.
pub(super) const BLOCK: usize = 64;
const BLOCK_BITS: u32 = BLOCK.ilog2();
/// Shorter columns have no index: their searches miss no cache.
const INDEX_AT_LEAST: usize = 4096;

/// A search tree over a sorted column's prefixes.
///
/// It belongs to the column that it was built on, and is kept beside it: it holds none of its rows.
#[derive(Clone, Debug)]
pub struct KeyIndex {
    /// 1-based: slot 0 is not used.
    top: Vec<u64>,
    levels: u32,
}

impl KeyIndex {
    /// The index of a column sorted in ascending order; none for short ones, which are searched as they are.
    pub fn build<C: Column>(column: &C) -> Option<KeyIndex> {
        (column.len() >= INDEX_AT_LEAST).then(|| KeyIndex::over(column))
    }

    /// The index of a sorted column of at least a block.
    pub(super) fn over<C: Column>(column: &C) -> KeyIndex {
        let blocks = column.len() / BLOCK;
        assert!(blocks > 0, "{} rows are no block", column.len());
        let levels = blocks.ilog2() + 1;
        let mut top = vec![u64::MAX; 1 << levels];
        for block in 1..=blocks {
            // In order, every second slot is a leaf, every fourth is a level up, and so on.
            let height = block.trailing_zeros();
            let slot = (1 << (levels - 1 - height)) + (block >> (height + 1));
            top[slot] = column.prefix(block * BLOCK - 1);
        }
        KeyIndex { top, levels }
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> usize {
        self.top.capacity() * size_of::<u64>()
    }

    /// Appends, for each wanted prefix, the least row of the column whose prefix is at or past it, or its length.
    pub(super) fn seek<C: Column>(&self, column: &C, wanted: &[u64], into: &mut Vec<u32>) {
        match column.lane() {
            Some(lane) => self.seek_windows(
                wanted,
                column.len(),
                // The one check of bounds; inside the window, six bits are always in range.
                |start| lane[start..].first_chunk::<BLOCK>().expect("a window is inside the column"),
                |window, at| window[at as usize & (BLOCK - 1)],
                into,
            ),
            None => self.seek_windows(
                wanted,
                column.len(),
                |start| start,
                |start, at| column.prefix(start + at as usize),
                into,
            ),
        }
    }

    /// The same over windows of rows, of which `window` opens one at a row and `read` reads a prefix.
    fn seek_windows<W: Copy>(
        &self,
        wanted: &[u64],
        rows: usize,
        window: impl Fn(usize) -> W,
        read: impl Fn(W, u32) -> u64,
        into: &mut Vec<u32>,
    ) {
        into.reserve(wanted.len());
        let (groups, rest) = wanted.as_chunks::<GROUP>();
        let (few, rest) = rest.as_chunks::<FEW>();
        groups.iter().for_each(|group| into.extend(self.seek_group(group, rows, &window, &read)));
        few.iter().for_each(|group| into.extend(self.seek_group(group, rows, &window, &read)));
        into.extend(rest.iter().flat_map(|&wanted| self.seek_group(&[wanted], rows, &window, &read)));
    }

    /// Searches for a group in lockstep.
    fn seek_group<const N: usize, W: Copy>(
        &self,
        wanted: &[u64; N],
        rows: usize,
        window: impl Fn(usize) -> W,
        read: impl Fn(W, u32) -> u64,
    ) -> [u32; N] {
        let mask = self.top.len() - 1;
        let mut slots = [1u32; N];
        for _ in 0..self.levels {
            for (slot, wanted) in slots.iter_mut().zip(wanted) {
                *slot = (*slot << 1) | u32::from(self.top[*slot as usize & mask] < *wanted);
            }
        }

        let last_start = rows - BLOCK;
        // Below the tree, slots are numbered on from its size: the number of blocks that end before what is wanted.
        let starts = slots.map(|slot| last_start.min((slot as usize & mask) * BLOCK));
        let windows = starts.map(window);
        let mut ats = [0u32; N];
        for bit in (0..BLOCK_BITS).rev() {
            let before_half = (1 << bit) - 1;
            for ((at, window), wanted) in ats.iter_mut().zip(windows).zip(wanted) {
                *at |= u32::from(read(window, *at | before_half) < *wanted) << bit;
            }
        }
        let mut found = [0; N];
        for (place, found) in found.iter_mut().enumerate() {
            let past = u32::from(read(windows[place], ats[place]) < wanted[place]);
            *found = starts[place] as u32 + ats[place] + past;
        }
        found
    }
}
