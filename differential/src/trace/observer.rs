//! Who is told what becomes of a trace's batches.
//!
//! ```text
//!   append ──> added      a merge ends ──> merged: one or two away, one or none made      released ──> dropped
//! ```
//!
//! A trace knows nothing of logs, workers or time of day: it has at most one of these, handed in by whoever made it, and
//! tells it of lengths. Invariant: batches added and made by merges are those merged away, dropped, and still there.
//! Without an observer the cost is a comparison for each batch. Tested in `trace_laws.rs`.

/// Told what becomes of a trace's batches, in numbers of updates.
pub trait Observer {
    /// A batch was appended.
    fn added(&self, updates: usize);

    /// Two neighbours, or one alone, became a batch of `made` updates; no batch if that is zero.
    fn merged(&self, older: usize, newer: Option<usize>, made: usize);

    /// A batch was let go, as nobody can read it any more.
    fn dropped(&self, updates: usize);
}
