//! What users hold: collections, scopes, sessions that feed them, probes that watch them, and the worker that runs them.
//!
//! ```text
//!   session --insert, remove--> [input] ---- collection ---- [map] ---- collection ---- [probe]
//!      \______________ commit: closes an epoch, runs the region until it is quiet _____________/
//! ```
//!
//! A [`Collection`] is a bag of records that changes over time, held as a stream of updates `(record, time, diff)`. The
//! operators of this room are *linear*: what they do to a sum of updates is the sum of what they do to each, so they
//! need no memory and work row by row. All others are in [`operators`](crate::operators).
//!
//! Every collection lives in a [`Scope`]: the outermost one, or a loop in it. Entering a loop changes no time and makes
//! no node, so a collection of an enclosing scope can be used inside as it is; leaving is explicit.
//!
//! | file | holds |
//! |---|---|
//! | `scope` | the nest of loops that a collection lives in |
//! | `handle` | [`Collection`], and how two of them are brought into one scope |
//! | `exchange` | bringing updates to the workers that own them |
//! | `rowwise` | nodes that keep nothing: containers anew or in place, their buffers used again |
//! | `linear` | map, filter, negate, concat ...: row by row |
//! | `columnwise` | a column of records from a column of records, and what fails |
//! | `shift` | what changes times: delay, enter at a round, leave |
//! | `session` | the feeding end |
//! | `upserts` | the feeding end of an input that has one value a key |
//! | `probe` | how far a collection is complete |
//! | `boundary` | streams of timely as collections, and the other way |
//! | `installed` | a dataflow that can be taken out again |
//! | `watchdog` | notices that nothing moves |
//! | `config` | what a program chooses before it runs |
//! | `worker` | building dataflows, committing |

mod handle;
mod exchange;
mod installed;
mod rowwise;
mod linear;
mod columnwise;
mod probe;
mod scope;
mod session;
mod upserts;
mod shift;
mod boundary;
mod watchdog;
mod config;
mod worker;

#[cfg(test)]
mod boundary_laws;
#[cfg(test)]
mod logging_laws;

pub use crate::region::{ENGINE_LOG, EngineEvent, EngineEventBuilder, Mode, OuterTime};
pub use boundary::Boundary;
pub use columnwise::Made;
pub use config::Config;
pub(crate) use exchange::exchanged;
pub use handle::{Changes, Collection};
pub use installed::Installed;
pub use probe::Probe;
pub(crate) use rowwise::Revise;
pub(crate) use scope::Follow;
pub use scope::Scope;
pub use session::{Session, Sessions};
pub(crate) use shift::postpone;
pub use upserts::Upserts;
pub use worker::{Worker, run, run_alone};
