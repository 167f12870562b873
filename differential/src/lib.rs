//! A differential dataflow engine with columnar proxy joins: it keeps the answers of queries up to date while their
//! inputs change, at a cost that follows the change.
//!
//! ```
//! use differential::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! run_alone(Config::default(), |worker| {
//!     // How often does each word stand in the lines? Kept up to date as lines come and go.
//!     let (mut lines, mut counts) = worker.dataflow(|scope| {
//!         let (session, lines) = scope.input::<String>("lines");
//!         let words = lines.flat_map(|line| line.split(' ').map(str::to_string).collect::<Vec<_>>());
//!         (session, words.count().output())
//!     })?;
//!
//!     lines.insert("to be or not to be".to_string());
//!     let epoch = worker.commit(&mut lines)?; // close the epoch, run until it is complete
//!     assert_eq!(counts.snapshot(epoch)?.len(), 4);
//!
//!     lines.insert("be".to_string());
//!     let now = Point::from(worker.commit(&mut lines)?);
//!     let be = |count| ("be".to_string(), count);
//!     assert_eq!(counts.changes(), [(be(2), now.clone(), -1), (be(3), now, 1)]);
//!     Ok(())
//! })
//! # }
//! ```
//!
//! # Where to go from here
//!
//! [`Collection`] has the operators, [`algorithms`] shows what is made of them, [`collection`] and [`operators`] tell how
//! they work. The rooms of this crate, in reading order, which is import order:
//!
//! | room | holds |
//! |---|---|
//! | [`bytes`] | columns as bytes, and what may be wrong with those |
//! | [`time`] | partial orders with joins and meets; frontiers; times as lanes |
//! | [`error`] | what goes wrong from outside |
//! | [`diff`] | how much: checked groups and products |
//! | [`column`](mod@column) | lists that lend their items |
//! | [`layout`] | the four types of an update, named once |
//! | [`updates`] | flat columns of updates |
//! | [`history`] | one key's mathematics |
//! | [`pacing`] | how merging is paid for |
//! | [`batch`] | sorted updates that never change |
//! | [`batcher`] | from arrivals in any order to batches |
//! | [`trace`] | a collection's past |
//! | [`cluster`] | where workers come from: threads and processes |
//! | [`region`] | who runs when, and what may still come |
//! | [`collection`] | what users hold |
//! | [`operators`] | arrange, join, reduce, iterate, windows, outputs |
//! | [`algorithms`] | graphs, with the public surface only |
#![forbid(unsafe_code)]

// Examples that the documentation shows are tested as modules too, and name the crate as users do.
#[cfg(test)]
extern crate self as differential;

// Rooms stand in reading order, which is import order: `tests/tests/house.rs` checks it.
pub mod bytes;
pub mod time;
pub mod error;
pub mod diff;
pub mod column;
pub mod layout;
pub mod updates;
pub mod history;
pub mod pacing;
pub mod batch;
pub mod batcher;
pub mod trace;
pub mod cluster;
pub mod region;
pub mod collection;
pub mod operators;
pub mod algorithms;

pub use collection::{Collection, Config, Installed, Probe, Scope, Session, Upserts, Worker, run, run_alone};
pub use error::Error;
pub use operators::{Arranged, Capture, Output, Variable};
pub use time::{Frontier, Point};
pub use trace::ReadError;

/// What most programs need.
pub mod prelude {
    pub use crate::collection::{
        Collection, Config, Installed, Probe, Scope, Session, Upserts, Worker, run, run_alone,
    };
    pub use crate::error::Error;
    pub use crate::operators::{Arranged, Capture, Output, Variable};
    pub use crate::time::{Frontier, Point};
    pub use crate::trace::ReadError;
}

/// The example of `README.md`, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
