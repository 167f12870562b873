//! Many chunks of updates, read a piece at a time.
//!
//! ```text
//!   chunks    | 0 1 2 3 4 5 6 | 7 8 | 9 10 11 12 |
//!   pieces    | 0 1 2 3 | 4 5 6 | 7 8 | 9 10 11 12 |      none is long, none lies in two chunks
//! ```
//!
//! So work on updates can stop after each piece, however long a chunk is.

use std::ops::Range;

use super::Keyed;
use crate::layout::Layout;

/// The most rows of a piece. Tests cut often.
pub(super) const PIECE_ROWS: usize = if cfg!(test) { 30 } else { 1 << 14 };

/// How far chunks have been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    chunk: usize,
    row: usize,
}

/// Some rows of one chunk.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) chunk: usize,
    pub(super) rows: Range<usize>,
    /// Whether the chunk ends with them.
    pub(super) last: bool,
}

impl Place {
    /// Goes past the next piece; `None` if all chunks have been read.
    pub(super) fn next<L: Layout>(&mut self, chunks: &[Keyed<L>]) -> Option<Piece> {
        while self.row == chunks.get(self.chunk)?.len() {
            self.chunk += 1;
            self.row = 0;
        }
        let end = chunks[self.chunk].len();
        let rows = self.row..end.min(self.row + PIECE_ROWS);
        let piece = Piece { chunk: self.chunk, last: rows.end == end, rows };
        self.row = piece.rows.end;
        if piece.last {
            // The chunk may be gone when this is asked again.
            self.chunk += 1;
            self.row = 0;
        }
        Some(piece)
    }
}
