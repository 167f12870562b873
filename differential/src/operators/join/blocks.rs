//! What a block's matches are, as ranges of rows: nothing is multiplied out yet.
//!
//! ```text
//!   cross   rows 4..6 x rows 7..10        every left row with every right row, of one key
//!   zip     rows 0..4 , rows 3..7         row 0 with row 3, row 1 with row 4, ...: of keys 0, 1, 2, 3 with one row a
//!                                         side, or all of one key
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

/// Row by row: keys that follow one another and have one row a side, or rows of one key.
pub(super) struct Zip {
    /// The first key's number in the block.
    pub(super) key: u32,
    /// Whether all rows are that key's.
    pub(super) one_key: bool,
    /// The first row of the left bridge.
    pub(super) left: u32,
    /// The first row of the right bridge.
    pub(super) right: u32,
    /// The number of pairs.
    pub(super) len: u32,
}

/// The matches of two bridges.
#[derive(Default)]
pub(super) struct JoinBlocks {
    /// Rows that meet each with each.
    pub(super) crosses: Vec<Cross>,
    /// Rows that meet one by one.
    pub(super) zips: Vec<Zip>,
}

impl JoinBlocks {
    pub(super) fn clear(&mut self) {
        self.crosses.clear();
        self.zips.clear();
    }

    /// Adds a key with one row a side.
    pub(super) fn push_pair(&mut self, key: u32, left: u32, right: u32) {
        match self.zips.last_mut() {
            // The rows of keys that follow one another do so too.
            Some(zip) if !zip.one_key && zip.key + zip.len == key => {
                debug_assert_eq!((zip.left + zip.len, zip.right + zip.len), (left, right), "the rows of key {key}");
                zip.len += 1;
            }
            _ => self.zips.push(Zip { key, one_key: false, left, right, len: 1 }),
        }
    }

    /// Adds rows of one key that meet one by one.
    pub(super) fn push_pairs(&mut self, key: u32, left: Range<u32>, right: Range<u32>) {
        let len = left.len() as u32;
        match self.zips.last_mut() {
            Some(zip)
                if zip.one_key
                    && zip.key == key
                    && zip.left + zip.len == left.start
                    && zip.right + zip.len == right.start =>
            {
                zip.len += len;
            }
            _ => self.zips.push(Zip { key, one_key: true, left: left.start, right: right.start, len }),
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
