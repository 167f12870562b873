//! The engine's laws of bytes.

pub(crate) use differential::bytes::*;

#[path = "../../../differential/src/bytes/laws.rs"]
pub(crate) mod laws;
