//! A differential dataflow engine with columnar proxy joins.
#![forbid(unsafe_code)]

// Rooms stand in reading order, which is import order: `tests/tests/house.rs` checks it.
pub mod time;
pub mod error;
pub mod diff;
pub mod column;
pub mod layout;
pub mod updates;
pub mod history;
pub mod batch;
pub mod batcher;
pub mod region;
pub mod collection;
pub mod operators;
