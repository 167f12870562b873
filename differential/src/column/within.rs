//! A column inside another one: what a wrapper passes on as it is.
//!
//! Byte strings are stored as strings are, and a struct as the tuple of its fields: such columns differ from the one
//! inside in what they lend and own, and in nothing that is done in bulk. [`bulk_within`] writes the latter, once.

/// The operations of a column that are those of its only field, another column: all that name rows and not items.
macro_rules! bulk_within {
    ($inner:ty) => {
        const EXACT_PREFIX: bool = <$inner as Column>::EXACT_PREFIX;
        const PREFIX_BITS: u32 = <$inner as Column>::PREFIX_BITS;

        fn empty(shape: &Self::Shape) -> Self {
            Self(Column::empty(shape))
        }
        fn shape(&self) -> Self::Shape {
            Column::shape(&self.0)
        }
        #[inline]
        fn len(&self) -> usize {
            Column::len(&self.0)
        }
        fn clear(&mut self) {
            Column::clear(&mut self.0);
        }
        fn reserve(&mut self, additional: usize) {
            Column::reserve(&mut self.0, additional);
        }
        fn fit(&mut self) {
            Column::fit(&mut self.0);
        }
        fn extend_range(&mut self, other: &Self, rows: Range<usize>) {
            self.0.extend_range(&other.0, rows);
        }
        fn extend_gather(&mut self, other: &Self, rows: &[u32]) {
            self.0.extend_gather(&other.0, rows);
        }
        fn extend_repeat(&mut self, other: &Self, row: usize, count: usize) {
            self.0.extend_repeat(&other.0, row, count);
        }
        fn extend_picked(
            &mut self,
            left: &Self,
            left_row: usize,
            right: &Self,
            right_row: usize,
            picks: &[$crate::time::Pick],
        ) {
            self.0.extend_picked(&left.0, left_row, &right.0, right_row, picks);
        }
        fn insert_rows(&mut self, other: &Self, places: &[(u32, u32)]) {
            self.0.insert_rows(&other.0, places);
        }
        fn remove_rows(&mut self, rows: &[u32]) {
            self.0.remove_rows(rows);
        }
        #[inline]
        fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
            self.0.compare(row, &other.0, other_row)
        }
        #[inline]
        fn prefix(&self, row: usize) -> u64 {
            self.0.prefix(row)
        }
        fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
            self.0.prefixes(rows, into);
        }
        fn lane(&self) -> Option<&[u64]> {
            self.0.lane()
        }
        fn deeper(&self, row: usize, depth: u32) -> u64 {
            self.0.deeper(row, depth)
        }
        fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
            self.0.extend_from_prefixes(prefixes);
        }
        #[inline]
        fn absorb(&self, row: usize, state: u64) -> u64 {
            self.0.absorb(row, state)
        }
        fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
            self.0.absorb_rows(rows, states);
        }
        fn bytes_len(&self) -> usize {
            self.0.bytes_len()
        }
        fn write_bytes(&self, into: &mut Vec<u8>) {
            self.0.write_bytes(into);
        }
        fn heap_bytes(&self) -> usize {
            self.0.heap_bytes()
        }
    };
}

pub(super) use bulk_within;
