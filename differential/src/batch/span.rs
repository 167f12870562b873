//! An interval of time and what happened in it.

use std::sync::Arc;

use super::Batch;
use crate::layout::Layout;
use crate::time::Frontier;

/// The updates of an arrangement in advance of `lower` and not in advance of `upper`.
///
/// Time may pass without anything happening, so the batch is optional, and a span without one costs nothing to keep.
/// Clones share the batch.
pub struct Span<L: Layout> {
    /// What was complete before.
    pub lower: Frontier<L::Time>,
    /// What is complete now.
    pub upper: Frontier<L::Time>,
    /// What happened in between, if anything.
    pub batch: Option<Arc<Batch<L>>>,
}

// By hand, as a derive would ask the layout itself to be `Clone` and `Debug`.
impl<L: Layout> Clone for Span<L> {
    fn clone(&self) -> Self {
        Span { lower: self.lower.clone(), upper: self.upper.clone(), batch: self.batch.clone() }
    }
}

impl<L: Layout> std::fmt::Debug for Span<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Span { lower, upper, batch } = self;
        f.debug_struct("Span").field("lower", lower).field("upper", upper).field("batch", batch).finish()
    }
}
