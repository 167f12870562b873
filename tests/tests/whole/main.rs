//! Claims about the whole: what programs answer, in whatever way they run.
//!
//! | folder | claims |
//! |---|---|
//! | `boxes` | each operator against recomputation, at every time of a box |
//! | `cases` | what has gone wrong elsewhere, as programs |
//! | `programs` | whole programs, as users write them |
//! | `workers` | several workers say what one says |
//!
//! One binary for all of them, as the engine is compiled anew, for each type, in every binary that uses it.
//! `cargo test -p tests --test whole boxes::` runs those of one folder.

mod boxes;
mod cases;
mod programs;
mod workers;
