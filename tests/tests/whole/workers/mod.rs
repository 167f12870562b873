//! Several workers say what one says, and what recomputing says: whoever feeds what, in whatever order they step.
//!
//! ```text
//!   worker 0   fed, steps, commits ──┐  exchanges: each record to the worker that its hash names
//!   worker 1   has nothing to feed ──┼──> each one's share ──sum──┐
//!   worker 2   dropped its sessions ─┘    the first one's whole ──┴─ equal? and what the oracle says?
//! ```
//!
//! | file | claims |
//! |---|---|
//! | `suite` | the programs: every operator, every algorithm, with their oracles |
//! | `matrix` | each of them at sampled points of workers, fuel and commits; or at all |
//! | `small_worlds` | every tiny history, each under a key of its own, at any number of workers |
//! | `shares` | shares add up to the whole, and each record is on the one worker that its hash names |
//! | `balance` | hashes of plain keys give each worker as much as the others |
//! | `failures` | what goes wrong on one worker is told on all, and nothing waits for ever |
//! | `endings` | inputs closed, and sessions dropped, in any order and on any worker |
//! | `records` | records of any length pass |
//! | `cases` | faults of many workers that other engines met |
//!
//! The whole matrix, with other seeds, and the cases as often as they were once run:
//!
//! ```text
//!   WORKERS_MATRIX=whole WORKERS_SEED=1 cargo test -p tests --test whole -- workers::matrix
//!   WORKERS_RUNS=1000 cargo test -p tests --test whole -- workers::cases
//! ```

mod balance;
mod cases;
mod endings;
mod failures;
mod matrix;
mod records;
mod shares;
mod small_worlds;
mod suite;
