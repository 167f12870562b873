//! The reference column of times: a vector.
//!
//! Every operation is the obvious loop; the lanes of `lanes` are held against it.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;

use super::{Frontier, Time, TimeColumn};
use crate::bytes::{Malformed, Reader};

impl<T: Time> TimeColumn<T> for Vec<T> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn clear(&mut self) {
        Vec::clear(self);
    }

    fn truncate(&mut self, len: usize) {
        Vec::truncate(self, len);
    }

    fn fit(&mut self) {
        self.shrink_to_fit();
    }

    fn get(&self, row: usize) -> T {
        self[row].clone()
    }

    fn push(&mut self, time: &T) {
        Vec::push(self, time.clone());
    }

    fn push_repeat(&mut self, time: &T, count: usize) {
        self.extend(std::iter::repeat_n(time.clone(), count));
    }

    fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
        self.extend_from_slice(&other[rows]);
    }

    fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
        self.extend(rows.iter().map(|&row| other[row as usize].clone()));
    }

    fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
        places.iter().rev().for_each(|&(at, row)| self.insert(at as usize, other[row as usize].clone()));
    }

    fn remove_rows(&mut self, rows: &[u32]) {
        rows.iter().rev().for_each(|&row| drop(self.remove(row as usize)));
    }

    fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
        self.push_repeat(&other[row], count);
    }

    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        self[row].cmp(&other[other_row])
    }

    fn hash(&self, row: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        std::hash::Hash::hash(&self[row], &mut hasher);
        hasher.finish()
    }

    fn admitted(&self, row: usize, frontier: &Frontier<T>) -> bool {
        frontier.admits(&self[row])
    }

    fn uniform(&self) -> Option<T> {
        let (first, rest) = self.split_first()?;
        rest.iter().all(|time| time == first).then(|| first.clone())
    }

    fn join_rows(&mut self, rows: Range<usize>, time: &T) {
        self[rows].iter_mut().for_each(|row| row.join_assign(time));
    }

    fn advance_rows(&mut self, rows: Range<usize>, frontier: &Frontier<T>) {
        self[rows].iter_mut().for_each(|row| frontier.advance(row));
    }

    fn lower_into(&self, rows: Range<usize>, frontier: &mut Frontier<T>) {
        for time in &self[rows] {
            if !frontier.admits(time) {
                frontier.insert(time.clone());
            }
        }
    }

    fn extend_cross_join(&mut self, left: &Self, right: &Self, blocks: &[(Range<u32>, Range<u32>)]) {
        for (left_rows, right_rows) in blocks {
            for a in left_rows.clone() {
                self.extend(right_rows.clone().map(|b| left[a as usize].join(&right[b as usize])));
            }
        }
    }

    fn extend_zip_join(&mut self, left: &Self, left_rows: Range<usize>, right: &Self, right_rows: Range<usize>) {
        self.extend(left[left_rows].iter().zip(&right[right_rows]).map(|(a, b)| a.join(b)));
    }

    fn bytes_len(&self) -> usize {
        T::values_len(self.iter())
    }

    fn write_bytes(&self, into: &mut Vec<u8>) {
        T::write_values(self, into);
    }

    fn read_bytes(rows: usize, from: &mut Reader<'_>) -> Result<Self, Malformed> {
        T::read_values(rows, from)
    }

    fn heap_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}
