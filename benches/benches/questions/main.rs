//! Questions about speed, each beside a yardstick, in a file of its own; as a test, each is asked once.
//!
//! One program for all of them, so that the engine is compiled for them once: `cargo bench -p benches -- seek` asks those
//! whose names hold `seek`.

use criterion::criterion_main;

mod consolidate;
mod merge;
mod seek;
mod arrange;
mod join;
mod reduce;
mod iterate;
mod region;
mod wire;
mod kernel;

criterion_main!(
    consolidate::benches,
    merge::benches,
    seek::benches,
    arrange::benches,
    join::benches,
    reduce::benches,
    iterate::benches,
    region::benches,
    wire::benches,
    kernel::benches,
);
