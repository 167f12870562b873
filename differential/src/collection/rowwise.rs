//! Nodes that turn each container into at most one other, at once, keeping nothing.
//!
//! ```text
//!   Rewrite   the parcel that came ──(logic)──> a spare of the output ──> on     map, explode: another type of record
//!             back, emptied
//!   Revise    the parcel that came, changed in place ──> on                      filter, negate, delay, leave
//!             a spare of the output ──> back in its place
//! ```
//!
//! Either way each parcel that came in is answered by one that goes back, so that along a chain of such nodes the same
//! few boxes and buffers serve every round, and a hop of one row is some tens of instructions around the user's closure.
//! Buffers of more than [`KEPT_ROWS`] rows are let go instead: after a load of millions nobody would use them again.

use super::handle::Changes;
use super::scope::Scope;
use crate::column::{Data, ShapeOf};
use crate::diff::Diff;
use crate::error::Fault;
use crate::region::{Input, Node, NodeId, Output, Parcel, SlotRule, Stream, Visit};
use crate::updates::Updates;

/// A container that held more rows than this does not go back with its parcel.
pub(crate) const KEPT_ROWS: usize = 256;

/// Returns a parcel whose container held `rows` rows, and has none any more.
#[inline]
pub(crate) fn give_back<D: Data, R: Diff>(
    input: &Input<Changes<D, R>>,
    mut parcel: Parcel<Changes<D, R>>,
    rows: usize,
) {
    debug_assert!(parcel.as_ref().as_ref().is_none_or(Updates::is_empty), "a parcel goes back with rows in it");
    if rows > KEPT_ROWS {
        *parcel = None;
    }
    input.give_back(parcel);
}

/// Writes each container anew: `logic` fills the second from the first, and leaves no rows in the first.
struct Rewrite<D: Data, R: Diff, D2: Data, R2: Diff, F> {
    input: Input<Changes<D, R>>,
    output: Output<Changes<D2, R2>>,
    shape: ShapeOf<D2>,
    logic: F,
}

impl<D: Data, R: Diff, D2: Data, R2: Diff, F> Node for Rewrite<D, R, D2, R2, F>
where
    F: FnMut(&mut Changes<D, R>, &mut Changes<D2, R2>) -> Result<(), Fault> + 'static,
{
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(mut parcel) = self.input.take() {
            let Some(updates) = &mut *parcel else { continue };
            let mut made = self.output.spare();
            let rewritten = made.get_or_insert_with(|| Updates::empty(&self.shape));
            let rows = updates.len();
            (self.logic)(updates, rewritten)?;
            if !rewritten.is_empty() {
                self.output.ship(made);
            }
            give_back(&self.input, parcel, rows);
        }
        Ok(())
    }
}

/// Changes each container in place, and hands on those of which `logic` says that something is left.
pub(crate) struct Revise<D: Data, R: Diff, F> {
    pub(crate) input: Input<Changes<D, R>>,
    pub(crate) output: Output<Changes<D, R>>,
    pub(crate) logic: F,
}

impl<D: Data, R: Diff, F> Node for Revise<D, R, F>
where
    F: FnMut(&mut Changes<D, R>) -> Result<bool, Fault> + 'static,
{
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(mut parcel) = self.input.take() {
            let Some(updates) = &mut *parcel else { continue };
            let rows = updates.len();
            if (self.logic)(updates)? {
                hand_on(&self.input, &self.output, parcel);
            } else {
                updates.clear();
                give_back(&self.input, parcel, rows);
            }
        }
        Ok(())
    }
}

/// Sends a parcel as it came, and returns another in its place if there is one.
#[inline]
pub(crate) fn hand_on<C: Clone>(input: &Input<C>, output: &Output<C>, parcel: Parcel<C>) {
    if let Some(spare) = output.reclaim() {
        input.give_back(spare);
    }
    output.ship(parcel);
}

/// Adds a node that writes each container anew; `shape` is of what it writes.
pub(crate) fn rewrite<D: Data, R: Diff, D2: Data, R2: Diff>(
    scope: &Scope,
    name: &str,
    stream: &Stream<Changes<D, R>>,
    shape: ShapeOf<D2>,
    logic: impl FnMut(&mut Changes<D, R>, &mut Changes<D2, R2>) -> Result<(), Fault> + 'static,
) -> Stream<Changes<D2, R2>> {
    let region = scope.region();
    let node = region.reserve(name, scope.depth(), SlotRule::Shared);
    let input = region.connect(node, stream);
    let (output, made) = region.output(node);
    region.install(node, Rewrite { input, output, shape, logic });
    made
}

/// Adds a node that changes each container in place.
pub(crate) fn revise<D: Data, R: Diff>(
    scope: &Scope,
    name: &str,
    rule: SlotRule,
    stream: &Stream<Changes<D, R>>,
    logic: impl FnMut(&mut Changes<D, R>) -> Result<bool, Fault> + 'static,
) -> Stream<Changes<D, R>> {
    let region = scope.region();
    let node: NodeId = region.reserve(name, scope.depth(), rule);
    let input = region.connect(node, stream);
    let (output, revised) = region.output(node);
    region.install(node, Revise { input, output, logic });
    revised
}
