//! The workloads' dataflows: each by name, with the inputs it reads and the result whose digest is told.
//!
//! They are the programs that the peers run, operator by operator where the number of operators is what is measured
//! (`dd_like`, `progress_*`), and otherwise as a user would write them.
//!
//! | file | holds |
//! |---|---|
//! | `graphs` | reach, bfs, components, scc, tc, sg, triangles, points_to |
//! | `many` | `dd_like`: 44 operators |
//! | `rounds` | a record through a chain of maps, or round a loop of them |
//! | `texts` | [`run_text`]: some of them as text programs |
//! | `by_name` | [`run`]: the program that a plan names; arrangements, joins and counts are one line there |

mod graphs;
mod many;
mod rounds;
mod texts;
mod by_name;

pub use by_name::run;
pub use many::small_rounds;
pub use texts::run_text;
