//! Arrivals in any order, to one batch for each interval of time that closes.
//!
//! ```text
//!   push   [3: a] [3: b, 9: c] [3: a] [7: d]        chunks, in order of arrival
//!
//!   seal(5)   not in advance of 5    a a b     to be sorted and added up: a batch
//!             in advance of 5        c d       stay, added up too; the batcher holds {7}
//! ```
//!
//! Nothing is sorted before its interval closes: until then a chunk costs its memory. Two things bound that memory.
//! Where records repeat, arrivals are added up before they outgrow what they add up to. What is left behind by a seal is
//! kept in runs by time, so that a seal reads only the runs that it reaches, however much lies in the future.
//!
//! Invariants: the sealed batches and what is left add up to what was pushed. A batch holds exactly the pushed updates
//! in advance of the last `upper` and not of this one. The hold is the lower bound of what is left.
//!
//! | file | holds |
//! |---|---|
//! | `sealing` | [`Sealing`], a closed interval being sorted |
//! | `later` | what is in the future of all seals so far |
//! | `repeats` | whether adding up would shrink a list, from a small sample |
//! | `adding` | arrivals being added up |
//! | `collecting` | [`Batcher`]: pushing, adding up, sealing |
//!
//! Tested in `batcher_laws.rs`: any pushes and seals against a list of updates.

mod sealing;
mod later;
mod repeats;
mod adding;
mod collecting;

#[cfg(test)]
mod batcher_laws;

pub use collecting::Batcher;
pub use sealing::Sealing;
