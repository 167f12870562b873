//! What came and cannot change a result, found without the input's history.
//!
//! ```text
//!   distinct     result   a: present since (0,3)      new   a@(0,7) +1     moot: a stays present
//!   min          result   k: 4 since (0,3)            new   k->9@(0,7) +1  moot: 4 stays the least
//!                                                     new   k->2@(0,7) +1  to be looked at
//! ```
//!
//! In a loop most of what is derived was known before: a node is reached again by each of its other edges. Where a subject's
//! input only has positive counts, it only grows along time. A result that takes a new value in without a change
//! then does so at every later time too: for `distinct`, any result; for `min`, a lesser or equal one. So nothing is to be
//! corrected and nothing owed.
//!
//! Invariant: a subject is moot only if nothing is owed to it now, the new batches only insert, every batch of the
//! input that holds it has positive diffs for it, and its result at the meet of the new times takes in each new value. Cost:
//! a search in the results; the input's batches that only insert are not searched, and the others only for
//! subjects that passed the rest. Why not for every reduction: a count changes with every record.
//! `docs/REDUCE.md` has the proof.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;

use super::due::{Due, Fresh};
use super::gather::{Few, History, Holders, gather_at};
use super::node::AsResults;
use crate::batch::Batch;
use crate::column::{Column, Data};
use crate::diff::Diff;
use crate::history::net;
use crate::layout::{KeyShape, Keys, Layout, Rows, Val, ValShape, Vals};
use crate::time::{Frontier, Point, TimeColumn};

/// Whether a result takes in a new value of the input without a change, whatever else the input has.
pub(super) type Absorbs<L, V2> = Rc<dyn for<'a> Fn(crate::column::Lent<'a, V2>, Val<'a, L>) -> bool>;

/// What is moot in one round, a chunk of its subjects after the other.
pub(super) struct Moot<L: Layout, V2: Data> {
    absorbs: Absorbs<L, V2>,
    /// New batches, and how far each has been read.
    fresh: SmallVec<[Fresh<L>; 4]>,
    /// The input's batches that do not only insert.
    mixed: History<L>,
    /// Which subjects of the chunk are moot.
    marks: Vec<bool>,
    /// Rows of subjects, and these subjects.
    rows: Vec<u32>,
    keys: Keys<L>,
    vals: Option<Vals<L>>,
}

impl<L: Layout<Time = Point>, V2: Data> Moot<L, V2> {
    /// For a round with these subjects, over the input's batches; `None` if something was taken back in it: then there is
    /// much to be looked at, and little moot.
    pub(super) fn new(
        absorbs: Absorbs<L, V2>,
        (keys, vals): (&KeyShape<L>, Option<&ValShape<L>>),
        due: &Due<L>,
        input: &[Arc<Batch<L>>],
    ) -> Option<Self> {
        let fresh = due.fresh();
        (!fresh.is_empty() && fresh.iter().all(|fresh| fresh.batch.inserts_only())).then(|| Moot {
            absorbs,
            fresh: fresh.iter().cloned().collect(),
            mixed: History::new(input.iter().filter(|batch| !batch.inserts_only()).cloned().collect()),
            marks: Vec::new(),
            rows: Vec::new(),
            keys: Keys::<L>::empty(keys),
            vals: vals.map(Vals::<L>::empty),
        })
    }

    /// Finds what is moot in the next chunk, whose results were searched for; the subjects that are not.
    pub(super) fn sift<R2: Diff>(
        &mut self,
        due: &Due<L>,
        chunk: Range<usize>,
        results: &History<Rows<L::Key, V2, Point, R2>>,
        as_results: AsResults<'_, V2>,
    ) -> (&Keys<L>, Option<&Vals<L>>) {
        self.marks.clear();
        self.marks.resize(chunk.len(), false);
        self.take_in(due, chunk.clone(), results, as_results);
        if !self.mixed.is_empty() {
            self.copy_marked(due, chunk.start, true);
            self.mixed.find(&self.keys, self.vals.as_ref(), 0..self.rows.len());
            for (at, row) in self.rows.iter().enumerate() {
                let subject = (self.keys.get(at), self.vals.as_ref().map(|vals| vals.get(at)));
                self.marks[*row as usize - chunk.start] = self.mixed.inserts_only(at, subject);
            }
        }
        self.copy_marked(due, chunk.start, false);
        (&self.keys, self.vals.as_ref())
    }

    /// Whether the subject of this number in the chunk is moot.
    pub(super) fn is(&self, number: usize) -> bool {
        self.marks[number]
    }

    /// Marks subjects whose results take in all that came for them.
    fn take_in<R2: Diff>(
        &mut self,
        due: &Due<L>,
        chunk: Range<usize>,
        results: &History<Rows<L::Key, V2, Point, R2>>,
        as_results: AsResults<'_, V2>,
    ) {
        let (mut values, mut present) = (Few::new(), Vec::new());
        let (mut times, mut later) = (Frontier::empty(), Frontier::empty());
        let mut news: SmallVec<[Range<usize>; 4]> = SmallVec::new();
        for (number, at) in chunk.enumerate() {
            let subject = due.subject(at);
            news.clear();
            news.extend(self.fresh.iter_mut().map(|fresh| fresh.next_if(subject).unwrap_or(0..0)));
            if due.is_owed(at) {
                continue;
            }
            let meet;
            let time = match due.at_once() {
                Some(time) => time,
                None => {
                    times.clear();
                    for (fresh, vals) in self.fresh.iter().zip(&news) {
                        fresh.batch.times().lower_into(fresh.batch.updates_of(vals.clone()), &mut times);
                    }
                    meet = times.meet().expect("a subject that nothing is owed to is in a new batch");
                    &meet
                }
            };
            let takes_in = |value, count: &R2| {
                let result = V2::Column::reborrow(value);
                let news = || {
                    self.fresh
                        .iter()
                        .zip(&news)
                        .flat_map(|(fresh, vals)| vals.clone().map(|val| fresh.batch.vals().get(val)))
                };
                *count > R2::zero() && news().all(|new| (self.absorbs)(result, Vals::<L>::reborrow(new)))
            };
            let result = (subject.0, as_results.map(|vals| vals.get(at)));
            self.marks[number] = match results.holders(number, result) {
                Holders::None => false,
                Holders::One(batch, vals) if batch.updates_of(vals.clone()).len() == 1 => {
                    let update = batch.updates_of(vals.clone());
                    batch.times().precede(update.clone(), time)
                        && takes_in(batch.vals().get(vals.start), &batch.diffs().get(update.start))
                }
                _ => {
                    present.clear();
                    let read = gather_at(results, number, result, time, &mut values, &mut present, &mut later);
                    later.clear();
                    // A sum that overflows is told by who looks at the subject.
                    read.and_then(|_| net(&mut present)).is_ok()
                        && present.iter().any(|(rank, count)| takes_in(values[*rank as usize], count))
                }
            };
        }
    }

    /// Copies the subjects that are marked so.
    fn copy_marked(&mut self, due: &Due<L>, start: usize, mark: bool) {
        let marked = self.marks.iter().enumerate().filter(|(_, is)| **is == mark);
        self.rows.clear();
        self.rows.extend(marked.map(|(number, _)| (start + number) as u32));
        self.keys.clear();
        self.keys.extend_gather(&due.keys, &self.rows);
        if let (Some(into), Some(vals)) = (&mut self.vals, &due.vals) {
            into.clear();
            into.extend_gather(vals, &self.rows);
        }
    }
}
