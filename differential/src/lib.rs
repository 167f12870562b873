//! A differential dataflow engine with columnar proxy joins.
#![forbid(unsafe_code)]

pub mod error;
pub mod time;
