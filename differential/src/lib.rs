//! A differential dataflow engine with columnar proxy joins.
#![forbid(unsafe_code)]

pub mod column;
pub mod diff;
pub mod error;
pub mod layout;
pub mod time;
pub mod updates;
