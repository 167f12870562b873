//! What every replay shares: how files are opened, which rows are present, when commits close, what is written.
//!
//! In reading order, which is import order:
//!
//! | file | one sentence |
//! |---|---|
//! | [`seconds`] | Times with decimals, exact. |
//! | [`presence`] | Which rows are in: windows, removals, equal copies. |
//! | [`commits`] | When a commit closes, and when a report is due. |
//! | [`quantity`] | Quantities as a person types them, with their unit. |
//! | [`latency`] | How long commits took, and how much memory the run took at most. |
//! | [`form`] | Reports and summary as JSON lines or as a table. |
//! | [`stop`] | Whether a person wants a run to end early. |
//! | [`console`] | Where a run writes: reports, warnings, a progress bar. |
//! | [`opened`] | The bytes of a plain or compressed file, counted. |

pub mod seconds;
pub mod presence;
pub mod commits;
pub mod quantity;
pub mod latency;
pub mod form;
pub mod stop;
pub mod console;
pub mod opened;
