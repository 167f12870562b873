//! What one key with much of all rows does to a join, and to others on the same worker: `join_skew [ROWS HOT]`.
//!
//! ```text
//!   ROWS rows, HOT of one key ──┐
//!                               ├── join: HOT x HOT pairs of that key, one of each other ── added up, none kept
//!   ROWS rows, HOT of one key ──┘
//!
//!   one row a commit ── counted by key        another dataflow, whose commits are timed while the join runs
//! ```
//!
//! The left side is there, and the right side's rows of other keys; then the right side's hot rows come at once. Two
//! things should hold while they are joined: memory stays near what both sides take, as the pairs are never there as a
//! whole; and the other dataflow's commits take no longer than a step, as the join stops when its fuel is spent. Without
//! arguments: 1,000,000 rows a side, 100,000 of one key, which makes 10^10 pairs.

use std::cell::Cell;
use std::rc::Rc;

use benches::digest::mix;
use benches::measure::{cpu_seconds, live_kb, peak_kb, reset_peak};
use differential::prelude::*;

/// The key of many rows; the others are above it.
const HOT: u64 = 0;

/// Commits a row at a time while `goes_on`; tells their number, and what the middle one and the longest took.
fn commits(
    worker: &mut Worker<'_>,
    session: &mut Session<u64>,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Result<String, Error> {
    let mut took = Vec::new();
    while goes_on(took.len()) {
        let begun = cpu_seconds();
        session.insert(mix(took.len() as u64) % 1_000);
        worker.commit(&mut *session)?;
        took.push((cpu_seconds() - begun) * 1e3);
    }
    took.sort_by(f64::total_cmp);
    let (middle, longest) = (took[took.len() / 2], took[took.len() - 1]);
    Ok(format!("{} commits, the middle one {middle:.3} ms of CPU, the longest {longest:.3} ms", took.len()))
}

fn ask(rows: u64, hot: u64) -> Result<(), Error> {
    run_alone(Config::default(), |worker| {
        let (pairs, sum) = (Rc::new(Cell::new(0u64)), Rc::new(Cell::new(0u64)));
        let (mut left, mut right) = worker.dataflow(|scope| {
            let (left, ours) = scope.input::<(u64, u64)>("left");
            let (right, theirs) = scope.input::<(u64, u64)>("right");
            let (pairs, sum) = (pairs.clone(), sum.clone());
            ours.join_map(&theirs, |_, a, b| a ^ b).inspect(move |value, _, diff| {
                pairs.set(pairs.get() + diff.unsigned_abs());
                sum.set(sum.get().wrapping_add(value.wrapping_mul(*diff as u64)));
            });
            (left, right)
        })?;
        let (mut others, _counts) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<u64>("others");
            (session, rows.count().arrange_by_key("counts"))
        })?;
        (0..hot).for_each(|row| left.insert((HOT, mix(row))));
        for key in hot..rows {
            left.insert((mix(key), key));
            right.insert((mix(key), key + 1));
        }
        worker.commit((&mut left, &mut right))?;
        while worker.step()? {}
        let alone = commits(worker, &mut others, |made| made < 1_000)?;
        while worker.step()? {}
        pairs.set(0);
        let before = live_kb();
        reset_peak();
        // More than what is live: the program itself, and what the allocator kept from the load and may use again.
        let resident = peak_kb();
        let cpu = cpu_seconds();
        (0..hot).for_each(|row| right.insert((HOT, mix(!row))));
        // Closed for good, and not waited for.
        drop((left, right));
        let during = commits(worker, &mut others, |_| pairs.get() < hot * hot)?;
        let (cpu, peak, live) = (cpu_seconds() - cpu, peak_kb(), live_kb());
        println!("rows={rows} hot={hot} pairs={} sum={:016x} cpu={cpu:.2}", pairs.get(), sum.get());
        println!("live_kb={before} to {live}, resident_kb={resident} to {peak} at most");
        println!("alone: {alone}\nbeside the join: {during}");
        Ok(())
    })
}

fn main() -> Result<(), Error> {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [rows, hot] => ask(rows, hot),
        _ => ask(1_000_000, 100_000),
    }
}
