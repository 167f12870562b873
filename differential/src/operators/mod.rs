//! What is done to collections: a folder an operator.
//!
//! | folder | holds |
//! |---|---|
//! | [`join`] | every pair of updates with equal keys |

pub mod join;
