//! Many small operators: what a commit of two records costs in a program of 44 of them.
//!
//! ```text
//!   rows ── a ─┬─ even, odd ── both ─┐
//!              ├─ counts ────────────┴─ counted ─┬─ large ─────────────────┐
//!              │                                 └─ shift ─┐               │
//!              └─ seeds ──(+)── pairs ─────────────────────┴── next ─┬─────┴── ends ── result
//!                          └───────────── one epoch later ───────────┘
//! ```
//!
//! The cycle is at the outermost scope, so it delays by an epoch: a relation that reads itself as it was a commit ago.
//! What it computes means nothing; each operator is there to be counted.

use differential::collection::{Collection, Session};
use differential::operators::Variable;
use differential::{Config, Error, Worker, run_alone};

pub(super) fn build(records: &Collection<(u64, u64)>) -> Collection<(u64, u64)> {
    let a = records.map(|(k, v)| (k % 256, v));
    let even = a.filter(|(_, v)| v % 2 == 0).map(|(k, v)| (k, v + 1));
    let odd = a.filter(|(_, v)| v % 2 == 1).map(|(k, v)| (k, v * 3));
    let both = even.concat(&odd).arrange_by_key("both");
    let counts = a.map(|(k, _)| k).count().map(|(k, n)| (k, n as u64)).arrange_by_key("counts");
    let counted = both.join(&counts, |k, v, n| (k, (v, n)));
    let large = counted.map(|(_, (v, n))| (v % 128, n)).filter(|(_, n)| n > 0).distinct().map(|(x, n)| (n % 64, x));
    let seeds = a.map(|(k, v)| (k % 32, v % 32)).filter(|(k, v)| k != v);
    let shift = counted.map(|(k, (_, n))| (k % 32, n % 8)).arrange_by_key("shift");
    let before = Variable::new(records.scope());
    let pairs = before.current().concat(&seeds).map(|pair| pair).filter(|(_, v)| v != 0).arrange_by_key("pairs");
    let next = pairs.join(&shift, |_, y, n| ((y + n) % 32, y)).filter(|(x, y)| x != y).map(|pair| pair);
    let next = next.distinct().map(|pair| pair);
    before.set(&next);
    let ends = next.map(|(x, y)| (y, x)).concat(&large).map(|(a, _)| a).count();
    ends.map(|(k, n)| (k, n as u64)).filter(|(_, n)| n > 0)
}

/// Runs rounds of the program on one worker, each of which does what `round` does: nothing is read or printed.
///
/// # Errors
/// What a round returns.
pub fn small_rounds(
    rounds: u64,
    round: impl Fn(&mut Worker<'_>, &mut Session<(u64, u64)>, u64) -> Result<(), Error>,
) -> Result<(), Error> {
    run_alone(Config::default(), |worker| {
        let mut session = worker.dataflow(|scope| {
            let (session, records) = scope.input("records");
            build(&records).inspect(|_, _, _| {});
            session
        })?;
        (0..rounds).try_for_each(|number| round(worker, &mut session, number))
    })
}
