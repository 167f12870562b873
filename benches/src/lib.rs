//! Questions about speed, each beside a yardstick.
//!
//! ```text
//!   benches/*.rs       one question each, asked of criterion, with the laziest right way as the yardstick
//!   bin/join_memory.rs what a big join takes that adds up to little
//!   bin/join_skew.rs   what one key with much of all rows does to a join and to others
//!   bin/load_csv.rs    what a file of rows takes without an engine
//!   bin/workloads.rs   whole programs, run from a plan in a folder, with a digest of what they computed
//!   record/            figures that a decision rested on, with machine and commit
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `trouble` | what is wrong with a plan, its rows, or a run |
//! | `plan` | what to feed and when: `plan.txt` |
//! | `rows` | what is fed: `0.bin`, `1.bin` |
//! | `digest` | a sum of hashes that two engines can compare |
//! | `measure` | marks and counters of the process; the one place with unsafe code |
//! | `report` | a phase's time, memory and digest, as one line |
//! | `drive` | a dataflow fed tick by tick, phase by phase |
//! | `programs` | the workloads' dataflows |
//! | `row_at_a_time` | scalars in one row: what kernels are held against |
//! | `workload` | the criterion benches' inputs, each from a seed |

pub mod trouble;
pub mod plan;
pub mod rows;
pub mod digest;
pub mod measure;
pub mod report;
pub mod drive;
pub mod programs;
pub mod row_at_a_time;
pub mod workload;
