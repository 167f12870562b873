//! The four types of an update and their columns, named once.
//!
//! Everything stored takes one parameter, `L: Layout`, in place of four types and four columns that would have to
//! agree. The columns of times and diffs follow from the time and the diff, so a layout names only what is free: the
//! key, the value, the time and the diff.

use std::marker::PhantomData;

use crate::column::{Column, Data};
use crate::diff::Diff;
use crate::time::Time;

/// The types of an update: what is keyed by, what is held, when, and by how much.
pub trait Layout: 'static {
    /// The type of keys.
    type Key: Data;
    /// The type of values.
    type Val: Data;
    /// The type of times.
    type Time: Time;
    /// The type of diffs.
    type Diff: Diff;
}

/// The layout of updates with these four types.
pub struct Rows<K, V, T, R>(PhantomData<fn() -> (K, V, T, R)>);

impl<K: Data, V: Data, T: Time, R: Diff> Layout for Rows<K, V, T, R> {
    type Key = K;
    type Val = V;
    type Time = T;
    type Diff = R;
}

/// The column of a layout's keys.
pub type Keys<L> = <<L as Layout>::Key as Data>::Column;
/// The column of a layout's values.
pub type Vals<L> = <<L as Layout>::Val as Data>::Column;
/// The column of a layout's times.
pub type Times<L> = <<L as Layout>::Time as Time>::Column;
/// A key as its column lends it.
pub type Key<'a, L> = <Keys<L> as Column>::Ref<'a>;
/// A value as its column lends it.
pub type Val<'a, L> = <Vals<L> as Column>::Ref<'a>;
/// The shape of a layout's keys.
pub type KeyShape<L> = <Keys<L> as Column>::Shape;
/// The shape of a layout's values.
pub type ValShape<L> = <Vals<L> as Column>::Shape;
