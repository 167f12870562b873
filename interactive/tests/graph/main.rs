//! `ddir graph`, run as a person would run it: what goes in is flags and a file, what comes out is text and a status.
//!
//! | file | claim |
//! |---|---|
//! | `stories` | Small files whose answers can be seen by looking. |
//! | `data` | The real graphs, against answers computed by others. |
//! | `bad_input` | Broken files and odd flags: a clear message, a status, and no answer that isn't one. |
//! | `streams` | The built command, between pipes. |
//! | `desk` | How the command is run. |
//! | `workers` | The same answers from any number of threads and processes, and what happens when one is missing. |
//! | `plain` | The oracle: every answer recomputed from nothing. |

mod bad_input;
mod data;
mod desk;
mod plain;
mod stories;
mod workers;
mod streams;
