//! Text programs over the differential engine, and the command `ddir`.
#![forbid(unsafe_code)]
