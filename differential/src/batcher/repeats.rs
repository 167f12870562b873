//! Whether adding up would shrink a list by much, guessed from a sample whose size is the root of the list's.
//!
//! ```text
//!   a list of n rows, each pair (key, value) in it about c times
//!   two rows of it are equal with probability (c - 1) / n
//!   a sample of 8 sqrt(n) rows has 32 n pairs, so 32 (c - 1) of them equal
//! ```
//!
//! So a list in which rows come twice shows some 32 equal pairs, and one without repetitions none, whatever its length.
//! Few rows that come very often show as well: a wrong yes costs one consolidation that was not needed, a wrong no
//! costs memory.

use super::later::Run;
use crate::column::Column;
use crate::layout::Layout;

/// Equal pairs from which on a list counts as one that repeats.
const ENOUGH: usize = 24;

/// Whether adding up these `count` rows would drop about half of them or more, times aside.
pub(super) fn repeats<L: Layout>(runs: &[Run<L>], count: usize) -> bool {
    let stride = (count.isqrt() / 8).max(1) as u64;
    let mut hashes = Vec::new();
    // Steps of one to twice the stride: even ones would not see a repetition of neighbours.
    let (mut state, mut skip) = (0x9e37_79b9_7f4a_7c15u64, 0);
    for run in runs {
        let (keys, vals) = (&run.rows.keys, &run.rows.vals);
        let mut row = skip;
        while row < run.rows.len() as u64 {
            hashes.push(vals.absorb(row as usize, keys.hash(row as usize)));
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            row += 1 + state % (2 * stride - 1);
        }
        skip = row - run.rows.len() as u64;
    }
    hashes.sort_unstable();
    let equal = hashes.chunk_by(|a, b| a == b).map(|group| group.len() * (group.len() - 1) / 2);
    equal.sum::<usize>() >= ENOUGH
}
