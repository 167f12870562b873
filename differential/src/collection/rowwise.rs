//! Relays that turn each container into at most one other, keeping nothing.
//!
//! ```text
//!   Rewrite   the container that came --(logic)--> one of its own, kept for the next --> on     map, explode
//!   Revise    the container that came, changed in place --> on                                  filter, negate, leave
//! ```
//!
//! Along a chain of such nodes each calls the next one ([`Relay`]), so the same few buffers serve every round, and a
//! hop of one row is some tens of instructions around the user's closure. Buffers of more than [`KEPT_ROWS`] rows are
//! let go instead: after a load of millions nobody would use them again.

use super::handle::Changes;
use super::scope::Scope;
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diff;
use crate::error::Fault;
use crate::region::{Output, Relay, SlotRule, Stream};
use crate::updates::Updates;

/// A container that held more rows than this is not kept for its buffers.
pub(crate) const KEPT_ROWS: usize = 256;

/// Lets go of the buffers of a container that held `rows` rows, and has none any more, if they are large.
#[inline]
pub(crate) fn keep_small<D: Data, R: Diff>(emptied: &mut Changes<D, R>, rows: usize) {
    debug_assert!(emptied.is_empty(), "a container is given back with rows in it");
    if rows > KEPT_ROWS {
        *emptied = Updates::empty(&emptied.data.shape());
    }
}

/// Writes each container anew: `logic` fills the second from the first, and leaves no rows in the first.
struct Rewrite<D2: Data, R2: Diff, F> {
    made: Changes<D2, R2>,
    output: Output<Changes<D2, R2>>,
    shape: ShapeOf<D2>,
    logic: F,
}

impl<D: Data, R: Diff, D2: Data, R2: Diff, F> Relay<Changes<D, R>> for Rewrite<D2, R2, F>
where
    F: FnMut(&mut Changes<D, R>, &mut Changes<D2, R2>) -> Result<(), Fault>,
{
    #[inline]
    fn take(&mut self, updates: &mut Changes<D, R>) -> Result<(), Fault> {
        let rows = updates.len();
        (self.logic)(updates, &mut self.made)?;
        keep_small(updates, rows);
        if !self.made.is_empty() {
            self.output.send_from(&mut self.made, || Updates::empty(&self.shape));
        }
        Ok(())
    }
}

/// Changes each container in place, and hands on those of which `logic` says that something is left.
pub(crate) struct Revise<D: Data, R: Diff, F> {
    pub(crate) output: Output<Changes<D, R>>,
    pub(crate) shape: ShapeOf<D>,
    pub(crate) logic: F,
}

impl<D: Data, R: Diff, F> Relay<Changes<D, R>> for Revise<D, R, F>
where
    F: FnMut(&mut Changes<D, R>) -> Result<bool, Fault>,
{
    #[inline]
    fn take(&mut self, updates: &mut Changes<D, R>) -> Result<(), Fault> {
        let rows = updates.len();
        if (self.logic)(updates)? {
            self.output.send_from(updates, || Updates::empty(&self.shape));
        } else {
            updates.clear();
            keep_small(updates, rows);
        }
        Ok(())
    }
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
    let (output, made) = region.output(node);
    region.install_relay(node, &[stream], Rewrite { made: Updates::empty(&shape), output, shape, logic });
    made
}

/// Adds a node that changes each container in place.
pub(crate) fn revise<D: Data, R: Diff>(
    scope: &Scope,
    name: &str,
    rule: SlotRule,
    (stream, shape): (&Stream<Changes<D, R>>, &ShapeOf<D>),
    logic: impl FnMut(&mut Changes<D, R>) -> Result<bool, Fault> + 'static,
) -> Stream<Changes<D, R>> {
    let region = scope.region();
    let node = region.reserve(name, scope.depth(), rule);
    let (output, revised) = region.output(node);
    region.install_relay(node, &[stream], Revise { output, shape: shape.clone(), logic });
    revised
}
