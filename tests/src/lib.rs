//! Claims about the whole workspace; each file under `tests/` is one of them.
#![forbid(unsafe_code)]
