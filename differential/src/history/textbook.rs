//! The engine to believe: evaluate at every interesting time, from scratch.
//!
//! Every join of a due time with times of the histories is looked at, in total order, and at each of them input and
//! output are added up from their first edit. Corrections are at interesting times already, so they bring in no new
//! ones. Cost: the number of interesting times times the length of the histories; this is the oracle that
//! [`Replaying`](super::Replaying) is held against, not the engine to run.

use super::correct::append_difference;
use super::{Engine, Evaluate, KeyWork, interesting_times};
use crate::diff::{Diff, Overflow};
use crate::history::Edits;
use crate::time::{Frontier, Time};

/// The engine that evaluates at every interesting time, from scratch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Textbook;

impl<T: Time, R: Diff, R2: Diff> Engine<T, R, R2> for Textbook {
    fn correct(
        &mut self,
        work: KeyWork<'_, T, R, R2>,
        evaluate: &mut Evaluate<'_, T, R, R2>,
        corrections: &mut Edits<T, R2>,
        owed: &mut Frontier<T>,
    ) -> Result<(), Overflow> {
        let KeyWork { input, output, due, upper } = work;
        let times_of_input = input.as_slice().iter().map(|edit| &edit.time);
        let times: Vec<T> = times_of_input.chain(output.as_slice().iter().map(|edit| &edit.time)).cloned().collect();
        let (mut present, mut is, mut should) = (Vec::new(), Vec::new(), Vec::new());
        for time in interesting_times(due.elements(), &times) {
            if upper.admits(&time) {
                owed.insert(time);
                continue;
            }
            input.accumulate(&time, &mut present)?;
            output.accumulate(&time, &mut is)?;
            should.clear();
            evaluate(&time, &present, &mut should)?;
            let before = corrections.len();
            append_difference(&time, &is, &mut should, corrections)?;
            output.extend_from_slice(&corrections.as_slice()[before..]);
        }
        Ok(())
    }
}
