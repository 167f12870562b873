//! A differential dataflow engine with columnar proxy joins: it keeps the answers of queries up to date while their
//! inputs change, at a cost that follows the change.
//!
//! ```
//! use differential::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! run_alone(Config::default(), |worker| {
//!     // Which nodes can be reached from a root? A loop, kept up to date.
//!     let (mut edges, mut roots, mut reached) = worker.dataflow(|scope| {
//!         let (edge_session, edges) = scope.input::<(u32, u32)>("edges");
//!         let (root_session, roots) = scope.input::<u32>("roots");
//!         let by_source = edges.arrange_by_key("edges by source");
//!         let reached = roots.iterate(|near| {
//!             near.join(&by_source, |_source, (), target| target).concat(&roots).distinct()
//!         });
//!         (edge_session, root_session, reached.output())
//!     })?;
//!
//!     edges.insert((1, 2));
//!     edges.insert((2, 3));
//!     roots.insert(1);
//!     let epoch = worker.commit((&mut edges, &mut roots))?;
//!     assert_eq!(reached.snapshot(epoch)?, [(1, 1), (2, 1), (3, 1)]);
//!
//!     edges.remove((1, 2));
//!     let epoch = worker.commit((&mut edges, &mut roots))?;
//!     let gone = Point::from(epoch);
//!     assert_eq!(reached.changes(), [(2, gone.clone(), -1), (3, gone, -1)]);
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
//! | [`time`] | partial orders with joins and meets; frontiers; times as lanes |
//! | [`error`] | what goes wrong from outside |
//! | [`diff`] | how much: checked groups and products |
//! | [`column`] | lists that lend their items |
//! | [`layout`] | the four types of an update, named once |
//! | [`updates`] | flat columns of updates |
//! | [`history`] | one key's mathematics |
//! | [`pacing`] | how merging is paid for |
//! | [`batch`] | sorted updates that never change |
//! | [`batcher`] | from arrivals in any order to batches |
//! | [`trace`] | a collection's past |
//! | [`region`] | who runs when, and what may still come |
//! | [`collection`] | what users hold |
//! | [`operators`] | arrange, join, reduce, iterate, outputs |
//! | [`algorithms`] | graphs, with the public surface only |
#![forbid(unsafe_code)]

// Rooms stand in reading order, which is import order: `tests/tests/house.rs` checks it.
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
pub mod region;
pub mod collection;
pub mod operators;
pub mod algorithms;

pub use collection::{Collection, Config, Probe, Scope, Session, Worker, run, run_alone};
pub use error::Error;
pub use operators::{Arranged, Capture, Output, Variable};
pub use time::{Frontier, Point};

/// What most programs need.
pub mod prelude {
    pub use crate::collection::{Collection, Config, Probe, Scope, Session, Worker, run, run_alone};
    pub use crate::error::Error;
    pub use crate::operators::{Arranged, Capture, Output, Variable};
    pub use crate::time::{Frontier, Point};
}
