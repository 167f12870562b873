//! What an output needs after its input changed: one key's part of every reduction.
//!
//! The output of a key is a function of its input, at every time. When the input changes at some times, the output is
//! wrong there, and perhaps at joins of those with other times. An engine finds where, evaluates the function there,
//! and answers with what is to be added to the output.
//!
//! ```text
//!   round 3 |  s  .  o  .      s: an input edit of before      o: owed: may be wrong, not yet complete
//!   round 2 |  .  .  .  .      c: the new edit, corrected here
//!   round 1 |  .  .  c  .      upper { (2,2), (3,0) }: the input may still change at or past it
//!               epoch 2 ^
//! ```
//!
//! What a set of *due* times promises, and all that an engine relies on: **wherever the output is wrong, a due time
//! precedes it.** So of several times only the minimal ones matter, and a frontier holds them: once the output is
//! right at `c`, it can next be wrong past `c` only where `c` joins another time at which input or output changes.
//! What an engine owes keeps the same promise for the next call.
//!
//! Times in advance of `upper` are not evaluated, since their input is not known yet, and not joined with anything:
//! they will be when they are due, with all of the history known by then.

use super::{Edits, edits::net};
use crate::diff::{Diff, Overflow};
use crate::time::{Frontier, Time};

/// One key's histories, and where its output may be wrong. All times may have been joined with one that precedes all
/// that are due: nobody looks at any before.
#[derive(Debug)]
pub struct KeyWork<'a, T, R, R2> {
    /// The input, the new edits included. The engine may leave anything in it.
    pub input: &'a mut Edits<T, R>,
    /// The output as it was. The engine may leave anything in it.
    pub output: &'a mut Edits<T, R2>,
    /// Where the output is wrong, one of these precedes: the times of the new edits, and what was owed.
    pub due: &'a Frontier<T>,
    /// The input is known at the times that are not in advance of this.
    pub upper: &'a Frontier<T>,
}

/// The function of a key's input, which is told the time as well: ranks in ascending order with their net diffs, none of them zero, to ranks of the
/// output with theirs, appended in any order. Ranks of input and output are two numberings, both the caller's.
pub type Evaluate<'a, T, R, R2> = dyn FnMut(&T, &[(u32, R)], &mut Vec<(u32, R2)>) -> Result<(), Overflow> + 'a;

/// A way to correct outputs, for one key at a time.
///
/// 1. With the corrections added, the output is `evaluate` of the input at every time that is not in advance of
///    `upper`, provided that wherever it was wrong, a due time precedes.
/// 2. Wherever the output is still wrong, a time in advance of `owed` precedes; all of `owed` is in advance of
///    `upper`, and every element is a join of a due time with times of the histories.
/// 3. `evaluate` is called at complete times only, in their total order, and also with an empty input.
/// 4. Corrections are in the total order of time, then of rank; none is zero, no two have one time and rank.
pub trait Engine<T: Time, R: Diff, R2: Diff> {
    /// Appends what is to be added to the output, and lowers `owed` to the times at which more may be needed.
    ///
    /// # Errors
    /// A sum of diffs overflows, or `evaluate` says so; what was appended is of no use then.
    fn correct(
        &mut self,
        work: KeyWork<'_, T, R, R2>,
        evaluate: &mut Evaluate<'_, T, R, R2>,
        corrections: &mut Edits<T, R2>,
        owed: &mut Frontier<T>,
    ) -> Result<(), Overflow>;
}

/// Appends, at `time`, what takes the output from what it `is` to what it `should` be. Nets `should`; `is` is netted.
pub(super) fn append_difference<T: Time, R: Diff>(
    time: &T,
    is: &[(u32, R)],
    should: &mut Vec<(u32, R)>,
    corrections: &mut Edits<T, R>,
) -> Result<(), Overflow> {
    net(should)?;
    // Mostly nothing changes.
    if *is == should[..] {
        return Ok(());
    }
    let (mut old, mut new) = (is.iter().peekable(), should.iter().peekable());
    loop {
        let (rank, diff) = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some((rank, diff)), Some((new_rank, new_diff))) if rank == new_rank => {
                (*rank, new_diff.plus(&diff.negate()?)?)
            }
            (Some((rank, diff)), other) if other.is_none_or(|(new_rank, _)| rank < new_rank) => (*rank, diff.negate()?),
            (_, Some((rank, diff))) => (*rank, diff.clone()),
            (Some(_), None) => unreachable!("what only one side has was taken above"),
        };
        old.next_if(|(old_rank, _)| *old_rank == rank);
        new.next_if(|(new_rank, _)| *new_rank == rank);
        if !diff.is_zero() {
            corrections.push(rank, time.clone(), diff);
        }
    }
}
