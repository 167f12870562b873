//! Sorting updates, adding up those of one record and time, dropping zeros.
//!
//! ```text
//!   b 4 +1          a 4 +2
//!   a 4 +1    =>    b 5 -1
//!   b 4 -1
//!   a 4 +1          (b at 4 has gone)
//!   b 5 -1
//! ```

use std::cmp::Ordering;

use super::{Keyed, Updates};
use crate::column::{Column, Data};
use crate::diff::{Diff, Diffs, Overflow};
use crate::layout::Layout;
use crate::time::{Time, TimeColumn};

impl<L: Layout> Keyed<L> {
    /// Sorts by (key, value, time), adds up the diffs of equal rows, and drops what adds up to zero.
    ///
    /// Fails where a sum leaves the range of the diff; the rows are then lost.
    pub fn consolidate(&mut self) -> Result<(), Overflow> {
        let (keys, vals, times) = (&self.keys, &self.vals, &self.times);
        let (rows, diffs) = survivors(&self.diffs, |a, b| {
            (keys.compare(a, keys, b)).then_with(|| vals.compare(a, vals, b)).then_with(|| times.compare(a, times, b))
        })?;
        let (key_shape, val_shape) = self.shapes();
        let mut sorted = Self::empty(&key_shape, &val_shape);
        sorted.keys.extend_gather(keys, &rows);
        sorted.vals.extend_gather(vals, &rows);
        sorted.times.extend_gather(times, &rows);
        sorted.diffs = diffs;
        *self = sorted;
        Ok(())
    }
}

impl<D: Data, T: Time, R: Diff> Updates<D, T, R> {
    /// Sorts by (record, time), adds up the diffs of equal rows, and drops what adds up to zero.
    ///
    /// Fails where a sum leaves the range of the diff; the rows are then lost.
    pub fn consolidate(&mut self) -> Result<(), Overflow> {
        let (data, times) = (&self.data, &self.times);
        let (rows, diffs) =
            survivors(&self.diffs, |a, b| data.compare(a, data, b).then_with(|| times.compare(a, times, b)))?;
        let mut sorted = Self::empty(&data.shape());
        sorted.data.extend_gather(data, &rows);
        sorted.times.extend_gather(times, &rows);
        sorted.diffs = diffs;
        *self = sorted;
        Ok(())
    }
}

/// The first row of each group of equal rows whose diffs do not cancel, in order, and the sums.
fn survivors<R: Diff>(
    diffs: &Diffs<R>,
    compare: impl Fn(usize, usize) -> Ordering,
) -> Result<(Vec<u32>, Diffs<R>), Overflow> {
    let mut order: Vec<u32> = (0..diffs.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| compare(a as usize, b as usize));
    let (mut rows, mut sums) = (Vec::new(), Diffs::default());
    for group in order.chunk_by(|&a, &b| compare(a as usize, b as usize).is_eq()) {
        let mut sum = R::zero();
        for &row in group {
            sum = sum.plus(diffs.get(row as usize))?;
        }
        if !sum.is_zero() {
            rows.push(group[0]);
            sums.push(sum);
        }
    }
    Ok((rows, sums))
}
