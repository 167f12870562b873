//! One key's mathematics: times, diffs and small integers; no storage, no scheduler, no values.
//!
//! A key's history is a list of *edits*: at this time, the value of this *rank* changes by this diff. Ranks are small
//! integers that stand for values; whoever asks gives them out and reads them back.
//!
//! ```text
//!   input edits            output edits         upper: what may still come
//!        \                    /                 due: where the output may be wrong
//!         +---- an engine ---+
//!                 |
//!          corrections at times now complete, and the times that are owed: complete later
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `edits` | [`Edit`], [`Edits`]: a history, consolidated, advanced, accumulated at a time |
//! | `interesting` | [`interesting_times`]: where a change of the seeds may show |
//! | `replay` | [`Replay`]: a history played in order, netted as it goes |
//! | `product` | [`Product`]: every edit of one history with every edit of another, by replay |
//! | `correct` | [`Engine`]: what an output needs after its input changed |
//! | `textbook` | [`Textbook`]: evaluate at every interesting time, from scratch; the oracle |
//! | `replaying` | [`Replaying`]: the engine that operators use |
//!
//! Everything is held against brute force on all of a small grid of times, then at random.

mod correct;
mod edits;
mod interesting;
mod product;
mod replay;
mod replaying;
mod textbook;

#[cfg(test)]
mod correct_laws;
#[cfg(test)]
mod interesting_laws;
#[cfg(test)]
mod product_laws;

pub use correct::{Engine, Evaluate, KeyWork};
pub(crate) use edits::net;
pub use edits::{Edit, Edits};
pub use interesting::interesting_times;
pub use product::Product;
pub use replay::Replay;
pub use replaying::Replaying;
pub use textbook::Textbook;
