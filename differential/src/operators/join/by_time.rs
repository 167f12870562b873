//! A key's rows in order of time, where each time is one number.
//!
//! ```text
//!   times    0x5201  0x5303  0x5203        what varies: 0x0102, so nothing above the lowest ten bits
//!   passes   one, over digits of eleven bits
//! ```
//!
//! Rows are sorted by digits from the least significant one up, each pass stable, so that rows of one time stay in the
//! order in which they came. Digits in which all times agree take no pass. Few rows, and times that vary all over the
//! word, are sorted by comparison.
//! Invariant: after `sort`, rows ascend by (time, row). Cost: a count and a copy a row and pass.
//! Why not always by comparison: a history of ten thousand edits costs ten times as much.
//! Tested below, against the standard sort.

use std::ops::Range;

use crate::time::Side;

/// The bits of a digit: its counters fit into a first-level cache beside what is counted.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Up to this many rows are sorted by comparison, since the counters alone are more than that. Tests count sooner.
const FEW: usize = if cfg!(test) { 4 } else { 256 };
/// More passes than this are no better than comparing.
const MOST_PASSES: u32 = 4;

/// Rows in order of time, and buffers.
#[derive(Default)]
pub(super) struct TimeOrder {
    /// When, and which row.
    pub(super) edits: Vec<(u64, u32)>,
    spare: Vec<(u64, u32)>,
    starts: Vec<u32>,
}

impl TimeOrder {
    /// Takes these rows of a column of times and brings them into order.
    pub(super) fn sort(&mut self, times: Side<'_, u64>, rows: Range<u32>) {
        self.edits.clear();
        self.edits.extend(rows.map(|row| (times.get(row as usize), row)));
        let first = self.edits.first().map_or(0, |edit| edit.0);
        let varying = self.edits.iter().fold(0, |varying, edit| varying | (edit.0 ^ first));
        let digits = (0..u64::BITS).step_by(DIGIT_BITS as usize);
        let digits = digits.filter(|&shift| digit(varying, shift) != 0);
        if self.edits.len() <= FEW || digits.clone().count() as u32 > MOST_PASSES {
            self.edits.sort_unstable();
        } else {
            digits.for_each(|shift| self.pass(shift));
        }
    }

    /// Sorts by the digit at `shift`; rows that agree in it stay in order.
    fn pass(&mut self, shift: u32) {
        self.starts.clear();
        self.starts.resize(DIGITS, 0);
        for edit in &self.edits {
            self.starts[digit(edit.0, shift)] += 1;
        }
        let mut start = 0;
        for count in &mut self.starts {
            start += std::mem::replace(count, start);
        }
        self.spare.resize(self.edits.len(), (0, 0));
        for &edit in &self.edits {
            let start = &mut self.starts[digit(edit.0, shift)];
            self.spare[*start as usize] = edit;
            *start += 1;
        }
        std::mem::swap(&mut self.edits, &mut self.spare);
    }
}

fn digit(time: u64, shift: u32) -> usize {
    (time >> shift) as usize & (DIGITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::small_world::Random;

    #[test]
    fn rows_are_sorted_by_time_and_stay_in_order_otherwise() {
        let mut order = TimeOrder::default();
        for seed in 0..500 {
            let mut random = Random::new(seed);
            // Times that vary in few bits, in high ones only, everywhere, and not at all.
            let mask = [0x7, 0xfff << 40, u64::MAX, 0x8000_0000_0000_0001, 0][seed as usize % 5];
            let times: Vec<u64> = (0..random.below(40)).map(|_| 0x5a5a << 20 | random.next() & mask).collect();
            let rows = random.below(times.len() + 1) as u32..times.len() as u32;
            let mut expected: Vec<(u64, u32)> = rows.clone().map(|row| (times[row as usize], row)).collect();
            expected.sort();
            order.sort(Side::Each(&times), rows);
            assert_eq!(order.edits, expected, "seed {seed}");
        }
    }
}
