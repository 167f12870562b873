//! Gives a collection a memory that others can share.
//!
//! ```text
//!   updates, any order ──> batcher ──(frontier moves from F to F')──> batch of [F, F') ──┬──> trace
//!                                                                                        └──> readers
//! ```
//!
//! The node collects what arrives. When its input's frontier moves it seals everything before that into one batch,
//! appends it to the trace and sends it on. It holds the times of what it has not sealed yet. While its trace has
//! merging left it asks for upkeep, so that a trace whose input went quiet still reaches its smallest form.
//!
//! A reader that comes later (in another dataflow) is handed the batches so far as its first spans, advanced to the
//! trace's `since`; then it follows like everyone else. Nobody ever asks for a cut before `since`.

mod handle;
mod node;

pub use handle::Arranged;
pub(crate) use handle::Reader;
pub(crate) use node::{Writing, arranged};
