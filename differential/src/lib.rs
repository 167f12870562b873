//! A differential dataflow engine with columnar proxy joins.
#![forbid(unsafe_code)]
