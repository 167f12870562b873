//! How much memory a big join takes whose output adds up to little: `join_memory [KEYS SIDE REMAIN]`.
//!
//! ```text
//!   KEYS x SIDE rows ──┐
//!                      ├── join: KEYS x SIDE x SIDE pairs ── one of REMAIN numbers each ── arranged, counted by number
//!   KEYS x SIDE rows ──┘
//! ```
//!
//! What must be in memory at the end are the two arrangements and REMAIN numbers. While the join runs there should be
//! little more: what it makes in an activation is taken in and added up before it makes more. The aim is a peak of at most
//! twice what remains. Without arguments: 10^8 pairs that come to 10^5 numbers, and 10^7 that come to 10^6.

use std::time::Instant;

use benches::measure::{live_kb, peak_kb, reset_peak};
use differential::prelude::*;

fn ask(keys: u64, side: u64, remain: u64) -> Result<(), Error> {
    run_alone(Config::default(), |worker| {
        let (mut left, mut right, numbers) = worker.dataflow(|scope| {
            let (left, ours) = scope.input::<(u64, u64)>("left");
            let (right, theirs) = scope.input::<(u64, u64)>("right");
            let (ours, theirs) = (ours.arrange_by_key("ours"), theirs.arrange_by_key("theirs"));
            let mix = move |a: u64, b: u64| (a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b).wrapping_mul(31) % remain;
            let numbers = ours.join(&theirs, move |_, a, b| mix(a, b));
            (left, right, numbers.arrange_by_self("numbers"))
        })?;
        for key in 0..keys {
            (0..side).for_each(|value| left.insert((key, key * side + value)));
        }
        worker.commit((&mut left, &mut right))?;
        let before = live_kb();
        reset_peak();
        // The program itself, and what the allocator has not given back: the peak is taken without.
        let beside = peak_kb().saturating_sub(before);
        let begun = Instant::now();
        for key in 0..keys {
            (0..side).for_each(|value| right.insert((key, key * side + value)));
        }
        worker.commit((&mut left, &mut right))?;
        let seconds = begun.elapsed().as_secs_f64();
        let (peak, committed) = (peak_kb(), live_kb());
        while worker.step()? {}
        let live = live_kb();
        let pairs = keys * side * side;
        println!(
            "pairs={pairs} numbers={remain} seconds={seconds:.2} before_kb={before} beside_kb={beside} peak_kb={peak} committed_kb={committed} live_kb={live} \
             (peak-beside)/live={:.2}",
            peak.saturating_sub(beside) as f64 / live as f64
        );
        drop(numbers);
        Ok(())
    })
}

fn main() -> Result<(), Error> {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [keys, side, remain] => ask(keys, side, remain),
        _ => {
            ask(100, 1_000, 100_000)?;
            ask(1_000, 100, 1_000_000)
        }
    }
}
