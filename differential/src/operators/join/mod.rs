//! Joins: every pair of updates with equal keys, at the join of their times, by the product of their diffs.
//!
//! A unit of work is a fresh batch of one input against the accepted batches of the other. It goes through three
//! stations, a block of keys at a time, and every station works on columns:
//!
//! ```text
//!   1 stage   the keys that both have; rows copied out as numbers of values, times advanced, what nets is added up
//!   2 match   ranges of rows that meet: crosses and zips; long histories are replayed in time order first
//!   3 cross   ranges multiplied out: records by the user's function, times and diffs by the lane
//! ```
//!
//! Keys and values are looked at in the first and the last station only, and there by the *backend*: it knows where they
//! are. In between, rows are *proxies*: a key is its number in the block, a value the number that staging gave it.
//!
//! | file | holds |
//! |---|---|
//! | `bridge` | one side as the matching sees it: numbers, times, diffs; consolidation |
//! | `backend` | [`JoinBackend`]: where keys and values come from; a small one, whole |
//! | `side` | one side's rows copied out of one batch or several |
//! | `walk` | which keys both sides have, a block at a time |
//! | `batches` | [`Fresh`]: the backend of an arrangement's batches, by the two before |
//! | `blocks` | crosses and zips: matches as ranges of rows |
//! | `matching` | from two bridges to blocks: direct or replayed |
//! | `by_time` | a key's rows sorted by time |
//! | `line` | one key's two histories met in time order, where all times are comparable: by counts |
//! | `plane` | the same where some are not: by meets |
//! | `replay` | the one or the other, as the key's times are |
//! | `logic` | [`JoinLogic`]: what is made of a pair of values |
//! | `rungs` | rows that meet one by one, to records, times and diffs |
//! | `cross` | blocks multiplied out into containers |
//! | `tactic` | [`JoinWork`]: the three stations as one resumable unit |
//! | `node` | the region's side: whose batch meets whose past, and what is held |
//! | `surface` | joins as users call them |
//!
//! Only the last two know of the region, of frontiers to come and of holds.

mod blocks;
mod bridge;
mod by_time;
mod line;
mod plane;
mod replay;
mod matching;
mod backend;
mod side;
mod walk;
mod batches;
mod logic;
mod rungs;
mod cross;
mod tactic;
mod node;
mod surface;

#[cfg(test)]
mod join_laws;
#[cfg(test)]
pub mod sorted_vectors;

pub use backend::JoinBackend;
pub use batches::{Fresh, Staged};
pub use bridge::JoinBridge;
pub use logic::{FlatPairs, JoinLogic, MapPairs};
pub use rungs::{Joined, Product};
pub use surface::ByKey;
pub use tactic::{JoinBuffers, JoinView, JoinWork, Progress};
