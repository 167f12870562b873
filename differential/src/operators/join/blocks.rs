//! What a block's matches are, as ranges of rows: nothing is multiplied out yet.
//!
//! ```text
//!   cross   rows 4..6 x rows 7..10        every left row with every right row, of one key
//!   zip     rows 0..4 , rows 3..7         row 0 with row 3, row 1 with row 4, ...: keys 0, 1, 2, 3 with one row a side
//!
//!   pairs   4 with 7, 2 with 7, 9 with 1  rows of one key from here and there
//! ```
//!
//! A block stands for the pairs at the joined times and multiplied diffs; to make it touches no time and no diff.
//! Why zips: a million keys with one row a side would be a million crosses of one pair, and a cross costs as much to
//! make and to walk as all else about such a pair together.

use std::ops::Range;

/// Every row of a range of the left with every row of a range of the right.
pub(super) struct Cross {
    /// The key's number in the block.
    pub(super) key: u32,
    /// Rows of the left bridge.
    pub(super) left: Range<u32>,
    /// Rows of the right bridge.
    pub(super) right: Range<u32>,
}

/// Keys that follow one another and have one row a side: row by row.
pub(super) struct Zip {
    /// The first key's number in the block.
    pub(super) key: u32,
    /// The first row of the left bridge.
    pub(super) left: u32,
    /// The first row of the right bridge.
    pub(super) right: u32,
    /// The number of keys.
    pub(super) len: u32,
}

/// Rows of one key that meet one by one, wherever they are.
pub(super) struct Pairs {
    /// The key's number in the block.
    pub(super) key: u32,
    /// Where they end in the lists of rows.
    pub(super) end: u32,
}

/// The matches of two bridges.
#[derive(Default)]
pub(super) struct JoinBlocks {
    /// Keys with several rows, in order.
    pub(super) crosses: Vec<Cross>,
    /// Runs of keys with one row a side, in order.
    pub(super) zips: Vec<Zip>,
    /// Rows from here and there, key after key.
    pub(super) pairs: Vec<Pairs>,
    /// For each of them, the left and the right row.
    pub(super) paired: (Vec<u32>, Vec<u32>),
}

impl JoinBlocks {
    pub(super) fn clear(&mut self) {
        self.crosses.clear();
        self.zips.clear();
        self.pairs.clear();
        self.paired.0.clear();
        self.paired.1.clear();
    }

    /// Adds a key with one row a side.
    pub(super) fn push_pair(&mut self, key: u32, left: u32, right: u32) {
        match self.zips.last_mut() {
            // The rows of keys that follow one another do so too.
            Some(zip) if zip.key + zip.len == key => {
                debug_assert_eq!((zip.left + zip.len, zip.right + zip.len), (left, right), "the rows of key {key}");
                zip.len += 1;
            }
            _ => self.zips.push(Zip { key, left, right, len: 1 }),
        }
    }

    /// Ends the pairs of a key, whose rows were added to both lists.
    pub(super) fn end_pairs(&mut self, key: u32) {
        debug_assert_eq!(self.paired.0.len(), self.paired.1.len(), "rows of key {key} that meet one by one");
        let end = self.paired.0.len() as u32;
        if self.pairs.last().map_or(0, |before| before.end) < end {
            self.pairs.push(Pairs { key, end });
        }
    }

    /// Adds two ranges of one key's rows; nothing if either is empty.
    ///
    /// Rows that follow the last cross's and meet the same rows make that longer.
    pub(super) fn push_cross(&mut self, key: u32, left: Range<u32>, right: Range<u32>) {
        if left.is_empty() || right.is_empty() {
            return;
        }
        match self.crosses.last_mut() {
            Some(last) if last.right == right && last.left.end == left.start => last.left.end = left.end,
            Some(last) if last.left == left && last.right.end == right.start => last.right.end = right.end,
            _ => self.crosses.push(Cross { key, left, right }),
        }
    }
}
