//! Searching forward from where one stands.
//!
//! Doubling steps, then halving the last one: the cost is logarithmic in the distance, not in the length. A walk in
//! ascending order over part of a batch then costs no more than reading that part, and a far jump no more than twice a
//! binary search.

use std::ops::Range;

use crate::column::Column;

/// The least row of an ascending range whose item is at or past `item`; its end if none.
#[inline]
pub(super) fn gallop<C: Column>(column: &C, rows: Range<usize>, item: C::Ref<'_>) -> usize {
    let Range { start, end } = rows;
    if start >= end || !column.compare_item(start, item).is_lt() {
        return start;
    }
    let (mut low, mut step) = (start, 1);
    while low + step < end && column.compare_item(low + step, item).is_lt() {
        low += step;
        step *= 2;
    }
    column.lower_bound(low + 1..end.min(low + step), item)
}

/// The first row of a range for which `before` no longer holds.
pub(super) fn partition(rows: Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (rows.start, rows.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
