//! Functions of a record's count, and the ends of groups, where times are totally ordered: no history is kept, only what it
//! came to.
//!
//! ```text
//!   rows of an interval, sorted        sums so far          what the count was goes, what it is comes
//!      a @4 +2                          a  1                   (a, 1) @4 -1    (a, 3) @4 +1
//!      c @4 -1                          c  1                   (c, 1) @4 -1
//!      c @5 +1                          f  8                   (c, 1) @5 +1
//! ```
//!
//! Intervals close in order, and within one a record's times ascend. So when an update is reached, the sum is the count
//! just before it, whatever was added up meanwhile; and no other time can be due, as joins of totally ordered times are
//! times that updates have. Neither the input's history nor the output's is of use to anyone here, so neither is kept:
//! a record costs its own bytes and a count.
//!
//! In a loop, or where inputs have several coordinates, times are ordered partially only, and the same functions are
//! [reductions](super::reduce). Which of the two it is depends on the scope, and is known when the dataflow is built.
//!
//! Cost: a change is a search among the records and two rows. Tested in `sums_laws.rs` and `extremes_laws.rs`, and against
//! recomputation in `tests/tests/boxes/totals_line.rs`.
//!
//! | file | holds |
//! |---|---|
//! | `sums` | what each record's changes come to: sorted columns in leaves |
//! | `node` | the node that adds intervals to them, for functions of one record's count |
//! | `extremes` | that for the least and the greatest value of each key |

mod sums;
mod node;
mod extremes;

#[cfg(test)]
mod extremes_laws;
#[cfg(test)]
mod sums_laws;

pub(super) use extremes::{End, extremes};
pub(super) use node::accumulate;
