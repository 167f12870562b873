//! Bringing updates to the workers that own them.
//!
//! ```text
//!   updates ──> a hash of each record ──> its place among the workers ──> a part for each worker
//! ```
//!
//! Whoever arranges, exchanges first, by the hash of the key: so all updates of one key meet on one worker, and joins and
//! reductions of arrangements need not look further. Alone, nothing of this exists.
//!
//! Which worker owns a hash is documented at [`Updates::split`] and equal in every process.

use super::handle::{Changes, Collection};
use crate::bytes::Reader;
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diff;
use crate::error::Reason;
use crate::region::{Freight, Parts, Region, Stream};
use crate::time::{Frontier, Point, TimeColumn};
use crate::updates::Updates;

impl<D: Data, R: Diff> Freight for Changes<D, R> {
    fn least_times(&self, times: &mut Frontier<Point>) {
        self.times.lower_into(0..self.len(), times);
    }

    fn records(&self) -> usize {
        self.len()
    }

    fn bytes_len(&self) -> usize {
        Updates::bytes_len(self)
    }

    fn write_bytes(&self, into: &mut Vec<u8>) {
        Updates::write_bytes(self, into);
    }
}

/// A stream whose updates are on the workers that `hashes` of their records name.
pub(crate) fn exchanged<D: Data, R: Diff>(
    region: &Region,
    name: &str,
    shape: &ShapeOf<D>,
    stream: &Stream<Changes<D, R>>,
    mut hashes: impl FnMut(&D::Column, &mut Vec<u64>) + 'static,
) -> Stream<Changes<D, R>> {
    let peers = region.peers().count;
    brought(region, name, shape, stream, move |updates| {
        let parts = updates.split(peers, &mut hashes).into_iter().enumerate();
        parts.filter(|(_, part)| !part.is_empty()).collect()
    })
}

/// A stream whose containers are on the workers that `split` names with their parts.
fn brought<D: Data, R: Diff>(
    region: &Region,
    name: &str,
    shape: &ShapeOf<D>,
    stream: &Stream<Changes<D, R>>,
    mut split: impl FnMut(Changes<D, R>) -> Parts<Changes<D, R>> + 'static,
) -> Stream<Changes<D, R>> {
    let shape = shape.clone();
    let read = move |bytes: &[u8]| {
        let mut from = Reader::new(bytes);
        let updates = Updates::read_bytes(&shape, &mut from).and_then(|updates| from.finish().map(|()| updates));
        updates.map_err(|malformed| Reason::Other(format!("from another process: {malformed}")).into())
    };
    region.exchange(name, stream, move |updates| Ok(split(updates)), read)
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// The same collection, each record on the worker that its hash names. Alone, the collection itself.
    ///
    /// Arranging does this by itself; use it where work that follows should be spread, or repeated records should meet.
    pub fn exchange(&self) -> Collection<D, R> {
        self.exchange_by("exchange", |data, hashes| data.hashes(0..data.len(), hashes))
    }

    /// The same collection, all of it on the first worker: for an output that one worker reads. Alone, the collection
    /// itself.
    pub fn gather(&self) -> Collection<D, R> {
        let gathered = self.exchange_by("gather", |data, hashes| hashes.resize(hashes.len() + data.len(), 0));
        Collection { gathered: true, ..gathered }
    }

    /// All updates on every worker: what each must know of the whole. No collection, as its records would count several
    /// times. Alone, the stream itself.
    pub(crate) fn broadcast(&self) -> Stream<Changes<D, R>> {
        let region = self.scope.region();
        let peers = region.peers().count;
        brought(region, "broadcast", &self.shape, &self.stream, move |updates| {
            (0..peers).map(|peer| (peer, updates.clone())).collect()
        })
    }

    fn exchange_by(&self, name: &str, hashes: impl FnMut(&D::Column, &mut Vec<u64>) + 'static) -> Collection<D, R> {
        let stream = exchanged(self.scope.region(), name, &self.shape, &self.stream, hashes);
        Collection { stream, gathered: false, ..self.clone() }
    }
}
