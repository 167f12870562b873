//! The engine that operators use: one sweep over what is not settled at the first due time.
//!
//! ```text
//!   1. the first due time d: add up all edits at or before d, evaluate, correct; join d with the times of all others
//!          in advance of upper: owed          nearly always that is all, and the call ends here
//!          complete:            pending
//!   2. if something is pending: sweep all times in total order, input and output netted as they are played
//! ```
//!
//! In a loop a key is due once a round, and what lies past that round is owed. So the first step looks at each edit
//! once, copies no time, and sorts only where ranks do not come in order.
//!
//! The sweep keeps three frontiers' worth of times. *Pending*: to be evaluated. *Done*: evaluated; each time of a
//! history that is played later is joined with them. *Ahead*: the meet of what is pending and of what is not yet
//! played precedes every time still to be evaluated, so it is the floor to which both buffers are netted.
//!
//! Invariant: wherever the output is wrong, there precedes either a pending time, or the join of a done time and one
//! not yet played. So of pending, done and owed times only the minimal ones are kept: at depth one a frontier is one
//! time. Cost: the first step is linear in the histories. The sweep sorts them, and each evaluation costs the net size
//! of both; there is no second algorithm for totally ordered times, as theirs is the case where buffers net to what is
//! present. Nothing is allocated once buffers have grown.
//! Why not join every due time with everything at once: a history of ten thousand edits would be joined ten thousand
//! times.
//! Tested in `correct_laws.rs`, against [`Textbook`](super::Textbook) and against recomputing at every time.

use super::correct::append_difference;
use super::edits::net;
use super::{Edits, Engine, Evaluate, KeyWork, Replay};
use crate::diff::{Diff, Overflow};
use crate::time::{Frontier, Time};

/// The engine that plays histories in order and nets them on the way. Kept from key to key for its buffers.
#[derive(Debug)]
pub struct Replaying<T, R, R2> {
    input: Replay<T, R>,
    output: Replay<T, R2>,
    /// Complete times at which the output is to be evaluated: their minimal ones.
    pending: Frontier<T>,
    /// Times at which it was, in the sweep: their minimal ones.
    done: Frontier<T>,
    round: Round<R, R2>,
}

/// The lists of one evaluation.
#[derive(Debug)]
struct Round<R, R2> {
    /// The input.
    present: Vec<(u32, R)>,
    /// The output as it is, and as it should be.
    is: Vec<(u32, R2)>,
    should: Vec<(u32, R2)>,
}

impl<T, R, R2> Default for Replaying<T, R, R2> {
    fn default() -> Self {
        Replaying {
            input: Replay::default(),
            output: Replay::default(),
            pending: Frontier::default(),
            done: Frontier::default(),
            round: Round { present: Vec::new(), is: Vec::new(), should: Vec::new() },
        }
    }
}

impl<T: Time, R: Diff, R2: Diff> Replaying<T, R, R2> {
    /// Two empty lists, for what is present of the input and of the output at the time of [`correct_present`].
    ///
    /// [`correct_present`]: Self::correct_present
    pub fn present(&mut self) -> (&mut Vec<(u32, R)>, &mut Vec<(u32, R2)>) {
        self.round.present.clear();
        self.round.is.clear();
        (&mut self.round.present, &mut self.round.is)
    }

    /// As [`correct`](Engine::correct), where one time is due, is complete, and its joins with other times of the histories
    /// are not: those are owed, and what is [`present`](Self::present) is all there is to know.
    ///
    /// # Errors
    /// As [`correct`](Engine::correct).
    pub fn correct_present(
        &mut self,
        time: &T,
        evaluate: &mut Evaluate<'_, T, R, R2>,
        corrections: &mut Edits<T, R2>,
    ) -> Result<(), Overflow> {
        net(&mut self.round.present)?;
        net(&mut self.round.is)?;
        self.round.correct(time, evaluate, corrections)
    }
}

/// Notes that the output may be wrong from `time` on: pending where it is complete, else owed.
fn note<T: Time>(time: T, upper: &Frontier<T>, pending: &mut Frontier<T>, owed: &mut Frontier<T>) {
    if upper.admits(&time) {
        owed.insert(time)
    } else {
        pending.insert(time)
    };
}

/// Notes the joins of an evaluated time with the times of a history.
fn note_joins<'a, T: Time>(
    time: &T,
    times: impl Iterator<Item = &'a T>,
    upper: &Frontier<T>,
    pending: &mut Frontier<T>,
    owed: &mut Frontier<T>,
) {
    for other in times.filter(|other| !other.precedes(time)) {
        note(time.join(other), upper, pending, owed);
    }
}

impl<T: Time, R: Diff, R2: Diff> Engine<T, R, R2> for Replaying<T, R, R2> {
    fn correct(
        &mut self,
        work: KeyWork<'_, T, R, R2>,
        evaluate: &mut Evaluate<'_, T, R, R2>,
        corrections: &mut Edits<T, R2>,
        owed: &mut Frontier<T>,
    ) -> Result<(), Overflow> {
        let KeyWork { input, output, due, upper } = work;
        self.pending.clear();
        let mut first = None;
        for time in due.elements() {
            if first.is_none() && !upper.admits(time) {
                first = Some(time);
            } else {
                note(time.clone(), upper, &mut self.pending, owed);
            }
        }
        let Some(time) = first else { return Ok(()) };
        input.accumulate(time, &mut self.round.present)?;
        output.accumulate(time, &mut self.round.is)?;
        let before = corrections.len();
        self.round.correct(time, evaluate, corrections)?;
        note_joins(time, input.as_slice().iter().map(|edit| &edit.time), upper, &mut self.pending, owed);
        note_joins(time, output.as_slice().iter().map(|edit| &edit.time), upper, &mut self.pending, owed);
        if let Some(floor) = self.pending.meet() {
            output.extend_from_slice(&corrections.as_slice()[before..]);
            self.load(input, output, &floor);
            self.sweep(upper, evaluate, corrections, owed)?;
        }
        Ok(())
    }
}

impl<R: Diff, R2: Diff> Round<R, R2> {
    /// Corrects the output at a time at which `present` and `is` are what is there.
    fn correct<T: Time>(
        &mut self,
        time: &T,
        evaluate: &mut Evaluate<'_, T, R, R2>,
        corrections: &mut Edits<T, R2>,
    ) -> Result<(), Overflow> {
        self.should.clear();
        evaluate(time, &self.present, &mut self.should)?;
        append_difference(time, &self.is, &mut self.should, corrections)
    }
}

impl<T: Time, R: Diff, R2: Diff> Replaying<T, R, R2> {
    /// Takes both histories, as seen at or past `floor`.
    fn load(&mut self, input: &mut Edits<T, R>, output: &mut Edits<T, R2>, floor: &T) {
        input.join(floor);
        output.join(floor);
        self.input.load(input);
        self.output.load(output);
    }

    /// Evaluates at the pending times and what follows from them, in the total order.
    fn sweep(
        &mut self,
        upper: &Frontier<T>,
        evaluate: &mut Evaluate<'_, T, R, R2>,
        corrections: &mut Edits<T, R2>,
        owed: &mut Frontier<T>,
    ) -> Result<(), Overflow> {
        let Replaying { input, output, pending, done, round } = self;
        done.clear();
        loop {
            // Once nothing is pending, and nothing was done that history could be joined with, nothing is wrong.
            let first = pending.elements().first();
            let Some(time) = first.into_iter().chain(input.next_time()).chain(output.next_time()).min().cloned() else {
                return Ok(());
            };
            if input.play_until(&time) + output.play_until(&time) > 0 {
                for earlier in done.elements() {
                    note(time.join(earlier), upper, pending, owed);
                }
            }
            if pending.elements().first() != Some(&time) {
                continue;
            }
            pending.take_first();
            let ahead = pending.elements().iter().chain(input.meet_ahead()).chain(output.meet_ahead());
            let floor = ahead.fold(time.clone(), |floor, ahead| floor.meet(ahead));
            input.raise_floor(&floor)?;
            output.raise_floor(&floor)?;
            input.accumulate(&time, &mut round.present)?;
            output.accumulate(&time, &mut round.is)?;
            let before = corrections.len();
            round.correct(&time, evaluate, corrections)?;
            note_joins(&time, input.buffer().iter().map(|edit| &edit.time), upper, pending, owed);
            note_joins(&time, output.buffer().iter().map(|edit| &edit.time), upper, pending, owed);
            corrections.as_slice()[before..].iter().for_each(|edit| output.push(edit.clone()));
            done.insert(time);
        }
    }
}
