//! What every answer of the engine is held against.
//!
//! This crate will generate programs, histories and schedules, run them every way the engine can be run, and compare
//! each time of each result with a naive evaluator that shares no code with the engine. Until it does, the package
//! `tests` holds the oracles, each beside the claim that it checks; here are the numbers that all cases are made of.
#![forbid(unsafe_code)]

mod random;

pub use random::Random;
