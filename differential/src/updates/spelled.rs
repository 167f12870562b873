//! Rows whose words say all of an update: keys and values by exact prefixes, times and diffs by letters.
//!
//! ```text
//!   (key 7, value 300, time [4], diff -1)   <=>   [ 7 - 2 | 300 | 0 ]        the least key is 2, the letter is 0
//! ```
//!
//! Sorting the words is sorting the updates, and columns are rebuilt from them: nothing is looked up in random order,
//! and a chunk is freed once it is written. Cost: eight to twenty-four bytes a row.

use super::Keyed;
use super::alphabet::Alphabet;
use super::buckets::{BUCKET_ROWS, Sorter, Spelling, settle};
use super::pieces::Place;
use super::radix::Scratch;
use super::scatter::{Counts, Pages};
use super::words::{Packing, for_each_block};
use crate::column::Column;
use crate::diff::{Overflow, OverflowAt};
use crate::layout::Layout;
use crate::time::TimeColumn;

/// Words are turned back into items this many rows at a time.
const BLOCK: usize = 1024;

/// The sort of updates that words say all of.
pub(super) fn spelled<L: Layout>(chunks: Vec<Keyed<L>>, alphabet: Alphabet<L>, packing: Packing) -> Box<dyn Sorter<L>> {
    let spelled = Spelled { alphabet, packing };
    match packing.words() {
        1 => Box::new(Sort::<L, 1>::new(chunks, spelled)),
        2 => Box::new(Sort::<L, 2>::new(chunks, spelled)),
        _ => Box::new(Sort::<L, 3>::new(chunks, spelled)),
    }
}

/// Updates on their way through words.
struct Sort<L: Layout, const W: usize> {
    spelled: Spelled<L>,
    /// What is still to be written, from `place` on.
    chunks: Vec<Keyed<L>>,
    place: Place,
    /// Where rows are written; where they are few, straight to `rows`.
    pages: Option<Pages<W>>,
    /// The next bucket to be sorted.
    next: usize,
    rows: Vec<[u64; W]>,
    scratch: Scratch<W>,
    /// The only chunk, once it is written: buffers for what comes out.
    spare: Option<Keyed<L>>,
}

impl<L: Layout, const W: usize> Sort<L, W> {
    fn new(chunks: Vec<Keyed<L>>, spelled: Spelled<L>) -> Self {
        let count: usize = chunks.iter().map(Keyed::len).sum();
        let packing = spelled.packing;
        let pages = (count > BUCKET_ROWS).then(|| {
            let mut counts = Counts::above(packing.first_low());
            counts.sample(&chunks, |key, val| packing.first(key, val));
            Pages::new(counts.cuts(count.div_ceil(BUCKET_ROWS)))
        });
        let rows = Vec::with_capacity(if pages.is_some() { 0 } else { count });
        let (place, scratch) = (Place::default(), Scratch::default());
        Sort { spelled, chunks, place, pages, next: 0, rows, scratch, spare: None }
    }

    /// Writes the next piece; how many rows it had.
    fn write(&mut self) -> Option<usize> {
        let piece = self.place.next(&self.chunks)?;
        let found = self.spelled.alphabet.next_piece().expect("pieces are read as they are written");
        let letters = self.spelled.alphabet.letters(found);
        let (count, mut place) = (piece.rows.len(), 0);
        for_each_block(&self.chunks[piece.chunk], piece.rows, |keys, vals| {
            let pairs = (place..).zip(keys.iter().zip(vals));
            let rows = pairs.map(|(place, (&key, &val))| self.spelled.write(key, val, letters.of_row(place)));
            match &mut self.pages {
                Some(pages) => rows.for_each(|row| pages.put(row)),
                None => self.rows.extend(rows),
            }
            place += keys.len();
        });
        if piece.last {
            let (keys, vals) = self.chunks[piece.chunk].shapes();
            let chunk = std::mem::replace(&mut self.chunks[piece.chunk], Keyed::empty(&keys, &vals));
            self.spare = Some(chunk).filter(|_| self.chunks.len() == 1 && self.pages.is_none());
        }
        Some(count)
    }

    /// Takes the next bucket's rows; how many.
    fn take(&mut self) -> Option<usize> {
        match &mut self.pages {
            Some(pages) if self.next < pages.len() => pages.take(self.next, &mut self.rows),
            None if self.next == 0 => {}
            _ => return None,
        }
        self.next += 1;
        Some(self.rows.len())
    }
}

impl<L: Layout, const W: usize> Sorter<L> for Sort<L, W> {
    fn step(&mut self, into: &mut Keyed<L>) -> Result<Option<usize>, OverflowAt<L::Time>> {
        if let Some(count) = self.write() {
            return Ok(Some(count));
        }
        let count = self.take();
        if count.is_some() {
            if let Some(spare) = self.spare.take().filter(|_| into.is_empty()) {
                *into = spare;
                into.clear();
            }
            settle(&self.spelled, &mut self.rows, &mut self.scratch, into)?;
        }
        Ok(count)
    }
}

/// Rows that end in a letter.
struct Spelled<L: Layout> {
    alphabet: Alphabet<L>,
    packing: Packing,
}

impl<L: Layout> Spelled<L> {
    #[inline]
    fn letter<const W: usize>(&self, row: &[u64; W]) -> u64 {
        self.packing.letter(row[W - 1])
    }

    /// The row of an update, given the prefixes of its key and value, and its letter.
    #[inline]
    fn write<const W: usize>(&self, key: u64, val: u64, letter: u64) -> [u64; W] {
        let mut row = [0; W];
        match W {
            1 => row[0] = self.packing.pack(key, val, letter),
            2 => (row[0], row[1]) = (key, self.packing.pack_val(val, letter)),
            _ => (row[0], row[1], row[2]) = (key, val, letter),
        }
        row
    }

    /// The prefix of a row's key.
    #[inline]
    fn key<const W: usize>(&self, row: &[u64; W]) -> u64 {
        if W == 1 { self.packing.unpack_key(row[0]) } else { row[0] }
    }

    /// The prefix of a row's value.
    #[inline]
    fn val<const W: usize>(&self, row: &[u64; W]) -> u64 {
        if W == 3 { row[1] } else { self.packing.unpack_val(row[W - 1]) }
    }
}

impl<L: Layout, const W: usize> Spelling<L, W> for Spelled<L> {
    fn order_words(&self) -> usize {
        W
    }
    #[inline]
    fn same(&self, a: &[u64; W], b: &[u64; W]) -> bool {
        let (x, y) = (self.letter(a), self.letter(b));
        a[..W - 1] == b[..W - 1] && a[W - 1] ^ x == b[W - 1] ^ y && self.alphabet.time(x) == self.alphabet.time(y)
    }
    fn sum(&self, rows: &[[u64; W]]) -> Result<L::Diff, Overflow> {
        self.alphabet.sum(rows.iter().map(|row| self.letter(row)))
    }
    fn one_diff(&self) -> Option<&L::Diff> {
        self.alphabet.one_diff()
    }
    fn time(&self, row: &[u64; W]) -> L::Time {
        self.alphabet.times().get(self.alphabet.time(self.letter(row)) as usize)
    }

    fn read(&self, rows: &[[u64; W]], into: &mut Keyed<L>) {
        let one_time = self.alphabet.times().uniform();
        let (mut keys, mut vals, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for block in rows.chunks(BLOCK) {
            keys.clear();
            vals.clear();
            keys.extend(block.iter().map(|row| self.key(row)));
            vals.extend(block.iter().map(|row| self.val(row)));
            into.keys.extend_from_prefixes(&keys);
            into.vals.extend_from_prefixes(&vals);
            match &one_time {
                Some(time) => into.times.push_repeat(time, block.len()),
                None => {
                    times.clear();
                    times.extend(block.iter().map(|row| self.alphabet.time(self.letter(row)) as u32));
                    into.times.extend_gather(self.alphabet.times(), &times);
                }
            }
        }
    }
}
