//! The engine's laws of columns.

pub(crate) use differential::column::*;

#[path = "../../../differential/src/column/column_laws.rs"]
pub(crate) mod column_laws;
