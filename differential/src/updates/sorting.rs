//! A sort of many updates that can stop and go on: a commit of ten million rows is no reason to hold up others.
//!
//! ```text
//!   chunks --read--> what varies --write--> buckets --sort--> one bucket after the other, final as it comes out
//!            a piece a step       a piece a step      a bucket a step
//! ```
//!
//! Chunks that are in order already, as an operator that went through sorted rows sends them, come out one by one.
//!
//! A chunk is given back while it is written, and what comes out may be used up while the rest is being sorted.
//!
//! Invariant: what came out ascends by (key, value, time), is added up and has no zeros, whenever it is looked at.
//! Cost of a step: a piece or a bucket, tens of thousands of rows; a few rows are one step.

use super::Keyed;
use super::alphabet::AlphabetReader;
use super::buckets::{BUCKET_ROWS, Sorter};
use super::few::{FEW, are_consolidated, concatenated, few_sorted};
use super::numbered::{numbered, sort_bucket};
use super::pieces::Place;
use super::spelled::spelled;
use super::words::SeenRows;
use crate::column::Column;
use crate::diff::OverflowAt;
use crate::layout::Layout;

/// Updates on their way to be sorted, added up and without zeros.
pub(crate) struct Sorting<L: Layout> {
    stage: Stage<L>,
}

enum Stage<L: Layout> {
    /// Nothing was done yet.
    Given(Vec<Keyed<L>>),
    /// In order as they are; not none.
    Ordered(std::vec::IntoIter<Keyed<L>>),
    /// Pieces are being read.
    Reading(Box<Reading<L>>),
    /// Words are being written and sorted.
    Sorting(Box<dyn Sorter<L>>),
    Done,
}

/// What is known of the rows before `place`.
struct Reading<L: Layout> {
    chunks: Vec<Keyed<L>>,
    place: Place,
    seen: SeenRows,
    /// None if words can't say all.
    alphabet: Option<AlphabetReader<L>>,
}

impl<L: Layout> Sorting<L> {
    /// The sort of all these chunks, of which there is at least one, with fewer than 2^32 rows.
    pub(crate) fn new(chunks: Vec<Keyed<L>>) -> Self {
        Sorting { stage: Stage::Given(chunks) }
    }

    /// A sort of which all has come out.
    pub(crate) fn done() -> Self {
        Sorting { stage: Stage::Done }
    }

    /// Whether all has come out.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done)
    }

    /// Goes on for about `effort` rows, and takes what it did from it. What became final is appended to `into`, which
    /// holds nothing but what this sort put there.
    pub(crate) fn step(&mut self, effort: &mut usize, into: &mut Keyed<L>) -> Result<(), OverflowAt<L::Time>> {
        while *effort > 0 && !self.is_done() {
            *effort = effort.saturating_sub(self.step_once(into)?);
        }
        Ok(())
    }

    /// Does a piece or a bucket; how many rows it had. As [`step`](Self::step) otherwise.
    pub(crate) fn step_once(&mut self, into: &mut Keyed<L>) -> Result<usize, OverflowAt<L::Time>> {
        match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Given(chunks) => self.begin(chunks, into),
            Stage::Ordered(mut chunks) => {
                let chunk = chunks.next().expect("not none");
                let count = chunk.len();
                if into.is_empty() {
                    *into = chunk;
                } else {
                    into.extend_range(&chunk, 0..count);
                }
                if chunks.len() > 0 {
                    self.stage = Stage::Ordered(chunks);
                }
                Ok(count)
            }
            Stage::Reading(reading) => self.read(reading, into),
            Stage::Sorting(mut sorter) => Ok(match sorter.step(into)? {
                Some(cost) => {
                    self.stage = Stage::Sorting(sorter);
                    cost
                }
                None => 0,
            }),
            Stage::Done => Ok(0),
        }
    }

    fn begin(&mut self, chunks: Vec<Keyed<L>>, into: &mut Keyed<L>) -> Result<usize, OverflowAt<L::Time>> {
        let count: usize = chunks.iter().map(Keyed::len).sum();
        assert!(u32::try_from(count).is_ok(), "{count} rows, but rows are numbered by 32 bits");
        if count <= FEW {
            *into = few_sorted(concatenated(chunks))?;
        } else if are_consolidated(&chunks) {
            self.stage = Stage::Ordered(chunks.into_iter());
            return self.step_once(into);
        } else {
            let exact = chunks.iter().all(|chunk| chunk.keys.exact_prefix() && chunk.vals.exact_prefix());
            let alphabet = exact.then(AlphabetReader::new);
            let (place, seen) = (Place::default(), SeenRows::NONE);
            self.stage = Stage::Reading(Box::new(Reading { chunks, place, seen, alphabet }));
            return Ok(0);
        }
        Ok(count)
    }

    fn read(&mut self, mut reading: Box<Reading<L>>, into: &mut Keyed<L>) -> Result<usize, OverflowAt<L::Time>> {
        if let Some(piece) = reading.place.next(&reading.chunks) {
            let chunk = &reading.chunks[piece.chunk];
            let count = piece.rows.len();
            reading.seen.add(chunk, piece.rows.clone());
            reading.alphabet = reading.alphabet.take().and_then(|alphabet| alphabet.with(chunk, piece.rows));
            self.stage = Stage::Reading(reading);
            return Ok(count);
        }
        let Reading { chunks, seen, alphabet, .. } = *reading;
        let count = chunks.iter().map(Keyed::len).sum();
        self.stage = match alphabet.map(AlphabetReader::finish) {
            Some(alphabet) => {
                let packing = seen.packing(alphabet.bits());
                Stage::Sorting(spelled(chunks, alphabet, packing))
            }
            None if count > BUCKET_ROWS => Stage::Sorting(numbered(chunks, seen.packing(0))),
            None => {
                sort_bucket(concatenated(chunks), into)?;
                return Ok(count);
            }
        };
        Ok(0)
    }
}
