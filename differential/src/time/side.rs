//! How a lane's rows are stored, for who reads many of them: asked once a run of rows, never once a row.

use std::ops::Range;

use crate::bytes::Portable;

/// How a lane's rows are stored: what a bulk operation matches on, once for a run of rows.
#[derive(Debug)]
pub enum Side<'a, T> {
    /// Every row holds this value.
    Same(&'a T),
    /// A value a row, each in its [short form](Portable::short).
    Short(&'a [u16]),
    /// A value a row.
    Each(&'a [T]),
}

impl<T> Clone for Side<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Side<'_, T> {}

/// Rows that are all read alike: those of a side in one of its forms.
#[derive(Clone, Copy)]
pub(super) enum Cells<'a, V> {
    /// Every row is this one.
    One(V),
    /// A row each.
    Many(&'a [V]),
}

impl<'a, V> Cells<'a, V> {
    /// The rows as a slice, and what to mask a row's number with: of one value, every row is row zero.
    #[inline]
    pub(super) fn masked(&'a self) -> (&'a [V], usize) {
        match self {
            Cells::One(value) => (std::slice::from_ref(value), 0),
            Cells::Many(values) => (values, usize::MAX),
        }
    }
}

impl<'a, T: Portable + Clone + Eq> Side<'a, T> {
    /// The value of `row`. Panics past the end of a lane that is written out.
    #[inline]
    pub fn get(self, row: usize) -> T {
        match self {
            Side::Same(value) => value.clone(),
            Side::Short(values) => T::of_short(values[row]),
            Side::Each(values) => values[row].clone(),
        }
    }

    /// Some of the rows. Panics past the end of a lane that is written out.
    #[inline]
    pub(crate) fn rows(self, rows: Range<usize>) -> Self {
        match self {
            Side::Same(_) => self,
            Side::Short(values) => Side::Short(&values[rows]),
            Side::Each(values) => Side::Each(&values[rows]),
        }
    }

    /// Whether each of these rows passes a test. Panics past the end of a lane that is written out.
    #[inline]
    pub(crate) fn all(self, rows: Range<usize>, test: impl Fn(&T) -> bool) -> bool {
        match self {
            Side::Same(value) => rows.is_empty() || test(value),
            Side::Short(values) => values[rows].iter().all(|&value| test(&T::of_short(value))),
            Side::Each(values) => values[rows].iter().all(test),
        }
    }

    /// The value that all of these rows hold, if they agree; `None` if there are none in a lane that is written out.
    pub fn agreed(self, rows: Range<usize>) -> Option<T> {
        match self {
            Side::Same(value) => Some(value.clone()),
            Side::Short(values) => agreed(&values[rows]).copied().map(T::of_short),
            Side::Each(values) => agreed(&values[rows]).cloned(),
        }
    }

    /// The rows in their short form, if all are known to have one.
    #[inline]
    pub(super) fn shorts(self) -> Option<Cells<'a, u16>> {
        match self {
            Side::Same(value) => value.short().map(Cells::One),
            Side::Short(values) => Some(Cells::Many(values)),
            Side::Each(_) => None,
        }
    }

    /// The rows as values, if they are stored so.
    #[inline]
    pub(super) fn values(self) -> Option<Cells<'a, T>> {
        match self {
            Side::Same(value) => Some(Cells::One(value.clone())),
            Side::Short(_) => None,
            Side::Each(values) => Some(Cells::Many(values)),
        }
    }
}

/// What all of the values are, if there are any and they agree.
fn agreed<V: Eq>(values: &[V]) -> Option<&V> {
    let (first, rest) = values.split_first()?;
    rest.iter().all(|value| value == first).then_some(first)
}
