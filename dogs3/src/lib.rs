//! Joins of many relations, driven by each one's changes.
//!
//! This crate will hold delta queries with an explicit rule for ties, and worst-case optimal joins that grow a
//! prefix by one attribute at a time: ask every index for a count, let the smallest propose, let the others strike
//! out. It waits for the engine's join to be finished (a lookup of many keys at once is what it is built on), so it
//! holds no code yet.
#![forbid(unsafe_code)]
