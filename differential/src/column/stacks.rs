//! The column of types that have a region of the `columnation` crate and no column of ours: the slow road.
//!
//! ```text
//!   ColumnStack   items as they are, side by side; what they own lies in a few large allocations
//! ```
//!
//! It is for a type that cannot be said as integers, strings, options, lists and structs of those, such as a tree. Its
//! items are stored, compared and lent as they are, row by row; there is no bulk work on them. Only where one leaves its
//! column it is said otherwise: [`Stacked::Sent`] is a type with a column, into which a row is turned to be hashed or sent
//! to another process, and out of which it is made there.
//!
//! Cost: as if items were in a `Vec`, but for the allocations. Hashing and sending makes an owned value a row, and writing
//! does so twice, since the number of bytes is asked for first.
//! Why not `serde` for the bytes: a format would come with it, and its errors know no rows; a type with a column says
//! what is sent, and checks it when read. Tested in `column_laws.rs`.

use std::ops::Range;

use columnation::{ColumnStack, Columnation};

use super::{Column, Data};
use crate::bytes::{Flaw, Malformed, Reader};

/// A type whose lists are kept in a stack of `columnation`. Also implement [`Data`], with [`ColumnStack`] for the column.
///
/// `receive` undoes `send`, and what it accepts is sent as it came. Order and equality are those of `Ord`.
///
/// ```
/// use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
///
/// use columnation::{ColumnStack, Columnation, CopyRegion};
/// use differential::column::{Column, Data, Stacked};
///
/// /// An address of either kind.
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// struct Address(IpAddr);
///
/// impl Columnation for Address {
///     type InnerRegion = CopyRegion<Address>; // it owns nothing
/// }
/// impl Data for Address {
///     type Column = ColumnStack<Address>;
/// }
/// impl Stacked for Address {
///     /// Whether it is of the longer kind, and its number.
///     type Sent = (bool, u128);
///     fn send(&self) -> (bool, u128) {
///         match self.0 {
///             IpAddr::V4(address) => (false, address.to_bits().into()),
///             IpAddr::V6(address) => (true, address.to_bits()),
///         }
///     }
///     fn receive((long, bits): (bool, u128)) -> Option<Address> {
///         let short = || u32::try_from(bits).ok().map(|bits| Ipv4Addr::from_bits(bits).into());
///         let address = if long { Some(Ipv6Addr::from_bits(bits).into()) } else { short() };
///         address.map(Address)
///     }
/// }
///
/// let mut addresses = <Address as Data>::Column::empty(&());
/// addresses.push(&Address(Ipv4Addr::LOCALHOST.into()));
/// assert!(addresses.get(0).0.is_loopback());
/// ```
pub trait Stacked: Columnation<InnerRegion: Send + Sync + 'static> + Data<Column = ColumnStack<Self>> {
    /// What is hashed, and sent to other processes, in its place.
    type Sent: Data<Column: Column<Shape: Default>>;

    /// What is sent.
    fn send(&self) -> Self::Sent;
    /// The item of which this was sent; `None` if there is none.
    fn receive(sent: Self::Sent) -> Option<Self>;
    /// A number that never decreases as items grow: a sort's first pass. Zero for all says nothing.
    fn prefix(&self) -> u64 {
        0
    }
}

type SentColumn<S> = <<S as Stacked>::Sent as Data>::Column;

/// What is sent of some items.
fn sent<S: Stacked>(items: &[S]) -> SentColumn<S> {
    let mut sent = SentColumn::<S>::empty(&Default::default());
    items.iter().for_each(|item| sent.push_owned(item.send()));
    sent
}

impl<S: Stacked> Column for ColumnStack<S> {
    type Owned = S;
    type Ref<'a> = &'a S;
    type Shape = ();

    const EXACT_PREFIX: bool = false;

    fn empty((): &()) -> Self {
        ColumnStack::default()
    }
    fn shape(&self) {}
    #[inline]
    fn len(&self) -> usize {
        <[S]>::len(self)
    }
    fn clear(&mut self) {
        ColumnStack::clear(self);
    }
    /// Nothing: what items own is not known.
    fn reserve(&mut self, _additional: usize) {}
    fn fit(&mut self) {
        let (held, room) = self.summed_heap_size();
        if held < room {
            let mut fitted = ColumnStack::default();
            fitted.reserve_items(self.iter());
            fitted.extend(self.iter());
            *self = fitted;
        }
    }

    #[inline]
    fn get(&self, row: usize) -> &S {
        &self[row]
    }
    #[inline]
    fn iter_range(&self, rows: Range<usize>) -> impl Iterator<Item = &S> {
        self[rows].iter()
    }
    fn owned(item: &S) -> S {
        item.clone()
    }
    #[inline]
    fn lend(item: &S) -> &S {
        item
    }
    #[inline]
    fn reborrow<'b, 'a: 'b>(item: &'a S) -> &'b S {
        item
    }

    #[inline]
    fn push(&mut self, item: &S) {
        self.copy(item);
    }
    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.extend(&other[rows]);
    }
    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.extend(rows.iter().map(|&row| &other[row as usize]));
    }
    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.extend(std::iter::repeat_n(&other[row], count));
    }

    #[inline]
    fn prefix(&self, row: usize) -> u64 {
        self[row].prefix()
    }

    fn absorb(&self, row: usize, state: u64) -> u64 {
        sent(&self[row..row + 1]).absorb(0, state)
    }
    fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        let sent = sent(&self[rows]);
        sent.absorb_rows(0..sent.len(), states);
    }

    fn bytes_len(&self) -> usize {
        sent(self).bytes_len()
    }
    fn write_bytes(&self, into: &mut Vec<u8>) {
        sent(self).write_bytes(into);
    }
    fn read_bytes((): &(), rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let at = from.at();
        let sent = SentColumn::<S>::read_bytes(&Default::default(), rows, from)?;
        let mut column = ColumnStack::default();
        for (row, item) in sent.iter_range(0..rows).enumerate() {
            let item = S::receive(SentColumn::<S>::owned(item));
            column.copy(&item.ok_or(Malformed { at, flaw: Flaw::Value { row } })?);
        }
        Ok(column)
    }

    fn heap_bytes(&self) -> usize {
        self.summed_heap_size().1
    }
}
