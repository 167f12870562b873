//! A value a row: in two bytes each while they all fit.
//!
//! ```text
//!   Short   3 4 3 65535          two bytes a row
//!   Each    3 4 3 65536          as the type has it: eight for a coordinate or a count
//! ```
//!
//! What lanes hold, rounds, epochs and diffs, are small numbers nearly always, and they would be two thirds of what a
//! loop over a graph keeps. The first value that does not fit makes all rows wide; they stay so until [`Written::fit`] finds
//! that all fit again. Invariant: the values are those that were pushed, whatever the form. Cost: a comparison a row for the
//! rows that come in wide, and none for those that come short.
//! Why two bytes, not one: a loop of three hundred rounds is common, one of 65,536 is not. Why not as many as are needed,
//! one, two or four: every operation on two lanes is compiled for each pair of forms.

use crate::bytes::Portable;

use super::Side;

/// A list of values, two bytes each while they fit.
#[derive(Clone, Debug)]
pub(super) enum Written<T> {
    /// All in their short form.
    Short(Vec<u16>),
    /// As they are.
    Each(Vec<T>),
}

impl<T> Default for Written<T> {
    fn default() -> Self {
        Written::Short(Vec::new())
    }
}

impl<T: Portable + Clone + Eq> Written<T> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Written::Short(rows) => rows.len(),
            Written::Each(rows) => rows.len(),
        }
    }

    /// Removes all rows, and keeps the form with its buffer.
    pub(super) fn clear(&mut self) {
        self.truncate(0);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Written::Short(rows) => rows.truncate(len),
            Written::Each(rows) => rows.truncate(len),
        }
    }

    pub(super) fn reserve(&mut self, additional: usize) {
        match self {
            Written::Short(rows) => rows.reserve(additional),
            Written::Each(rows) => rows.reserve(additional),
        }
    }

    /// Gives back room that no row is in, and the wider form if no value needs it.
    pub(super) fn fit(&mut self) {
        if let Written::Each(rows) = self
            && let Some(short) = rows.iter().map(T::short).collect::<Option<Vec<u16>>>()
        {
            *self = Written::Short(short);
        }
        match self {
            Written::Short(rows) => rows.shrink_to_fit(),
            Written::Each(rows) => rows.shrink_to_fit(),
        }
    }

    /// The rows, for reading.
    #[inline]
    pub(super) fn side(&self) -> Side<'_, T> {
        match self {
            Written::Short(rows) => Side::Short(rows),
            Written::Each(rows) => Side::Each(rows),
        }
    }

    /// The rows, which may be read and written in their short form; `None` once one had none.
    #[inline]
    pub(super) fn shorts(&mut self) -> Option<&mut Vec<u16>> {
        if let Written::Short(rows) = self { Some(rows) } else { None }
    }

    /// The rows as values, for good.
    pub(super) fn widen(&mut self) -> &mut Vec<T> {
        if let Written::Short(rows) = self {
            *self = Written::Each(rows.iter().map(|&short| T::of_short(short)).collect());
        }
        let Written::Each(rows) = self else { unreachable!("they were made values just now") };
        rows
    }

    /// Appends a value, unless rows would have to change their form for it; whether it is appended.
    #[inline]
    pub(super) fn push_in_form(&mut self, value: &T) -> bool {
        match (self, value.short()) {
            (Written::Short(rows), Some(short)) => rows.push(short),
            (Written::Each(rows), _) => rows.push(value.clone()),
            (Written::Short(_), None) => return false,
        }
        true
    }

    pub(super) fn push_repeat(&mut self, value: T, count: usize) {
        let len = self.len() + count;
        match (&mut *self, value.short()) {
            (Written::Short(rows), Some(short)) => rows.resize(len, short),
            (Written::Each(rows), _) => rows.resize(len, value),
            (Written::Short(_), None) => self.widen().resize(len, value),
        }
    }

    /// Appends a side's rows.
    pub(super) fn extend_side(&mut self, side: Side<'_, T>, count: usize) {
        match (&mut *self, side) {
            (_, Side::Same(value)) => self.push_repeat(value.clone(), count),
            (Written::Short(rows), Side::Short(values)) => rows.extend_from_slice(values),
            (Written::Each(rows), Side::Short(values)) => rows.extend(values.iter().map(|&short| T::of_short(short))),
            (Written::Each(rows), Side::Each(values)) => rows.extend_from_slice(values),
            (Written::Short(_), Side::Each(values)) => self.extend(values.iter().cloned()),
        }
    }

    #[inline]
    pub(super) fn extend(&mut self, mut values: impl Iterator<Item = T>) {
        if let Written::Short(rows) = self {
            rows.reserve(values.size_hint().0);
            let wide = loop {
                let Some(value) = values.next() else { return };
                match value.short() {
                    Some(short) => rows.push(short),
                    None => break value,
                }
            };
            self.widen().push(wide);
        }
        self.widen().extend(values);
    }

    pub(super) fn set(&mut self, row: usize, value: T) {
        match (&mut *self, value.short()) {
            (Written::Short(rows), Some(short)) => rows[row] = short,
            _ => self.widen()[row] = value,
        }
    }

    pub(super) fn insert(&mut self, at: usize, value: T) {
        match (&mut *self, value.short()) {
            (Written::Short(rows), Some(short)) => rows.insert(at, short),
            _ => self.widen().insert(at, value),
        }
    }

    pub(super) fn remove(&mut self, row: usize) {
        match self {
            Written::Short(rows) => _ = rows.remove(row),
            Written::Each(rows) => _ = rows.remove(row),
        }
    }

    /// Replaces every value by what `change` makes of it.
    pub(super) fn update(&mut self, mut change: impl FnMut(&mut T)) {
        let mut row = 0;
        if let Written::Short(rows) = self {
            let wide = loop {
                let Some(short) = rows.get_mut(row) else { return };
                let mut value = T::of_short(*short);
                change(&mut value);
                match value.short() {
                    Some(changed) => *short = changed,
                    None => break value,
                }
                row += 1;
            };
            self.widen()[row] = wide;
            row += 1;
        }
        self.widen()[row..].iter_mut().for_each(change);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Written::Short(rows) => rows.capacity() * size_of::<u16>(),
            Written::Each(rows) => rows.capacity() * size_of::<T>(),
        }
    }
}
