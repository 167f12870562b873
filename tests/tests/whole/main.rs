//! Claims about the whole: what programs answer, in whatever way they run.
//!
//! | folder | claims |
//! |---|---|
//! | `cases` | what has gone wrong elsewhere, as programs |
//! | `programs` | whole programs, as users write them |
//! | `workers` | several workers say what one says |
//!
//! One binary for all of them, as the engine is compiled anew, for each type, in every binary that uses it; what is
//! checked operator by operator is another, `boxes`, as a binary is compiled by one core.
//! `cargo test -p tests --test whole cases::` runs those of one folder.

mod cases;
mod programs;
mod workers;
