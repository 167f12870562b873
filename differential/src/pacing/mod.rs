//! How merging is paid for: which neighbouring batches merge, and how much each insertion works for it.
//!
//! Integers only. No batch, no time and no frontier comes near this room, so that a policy can be run for millions of
//! steps, printed and reasoned about before a single update is moved by it.
//!
//! | file | holds |
//! |---|---|
//! | `ladder` | [`Ladder`]: the sizes of a trace's batches, and what to do next |

mod ladder;

#[cfg(test)]
mod ladder_laws;

pub use ladder::{Ladder, Step};
