//! The command `ddir`.
fn main() {}
