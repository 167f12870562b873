//! [`Collection`]: a stream of updates, and the scope that it lives in.
//!
//! The struct and nothing else: each operator adds its own `impl Collection` in its own file.

use super::scope::Scope;
use crate::column::{Data, ShapeOf};
use crate::diff::Diff;
use crate::region::Stream;
use crate::time::Point;
use crate::updates::Updates;

/// Updates as they flow between the nodes of a region.
pub type Changes<D, R> = Updates<D, Point, R>;

/// A bag of records that changes over time.
///
/// A handle: a clone is the same collection. `D` is the type of records, `R` that of the changes of their counts.
///
/// Its methods add operators, so they are called within [`Worker::dataflow`](super::Worker::dataflow), and panic
/// elsewhere. A collection keeps nothing: a later dataflow that uses it is told of changes from then on, and not of what
/// was there before. For that, keep an arrangement ([`arrange_by_key`](Self::arrange_by_key),
/// [`arrange_by_self`](Collection::arrange_by_self)) and use it there.
pub struct Collection<D: Data, R: Diff = i64> {
    pub(crate) stream: Stream<Changes<D, R>>,
    pub(crate) scope: Scope,
    pub(crate) shape: ShapeOf<D>,
    /// Whether the stream never holds updates that would cancel: what a reduction emits, and what is made from that
    /// without merging records.
    pub(crate) settled: bool,
    /// Whether all of it is on the first worker, for an output there.
    pub(crate) gathered: bool,
}

impl<D: Data, R: Diff> Clone for Collection<D, R> {
    fn clone(&self) -> Self {
        Collection {
            stream: self.stream.clone(),
            scope: self.scope.clone(),
            shape: self.shape.clone(),
            settled: self.settled,
            gathered: self.gathered,
        }
    }
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// The scope it lives in.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The same collection, seen from a loop inside its scope. No node, no cost.
    ///
    /// Operators do this by themselves where they combine a collection of an enclosing scope with one of a loop.
    pub fn enter(&self, scope: &Scope) -> Collection<D, R> {
        let scope = self.scope.combine(scope);
        Collection { scope, ..self.clone() }
    }
}
