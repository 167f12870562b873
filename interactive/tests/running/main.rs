//! `ddir run` and `ddir replay`, as a person would type them: what goes in is programs and files, what comes out is text,
//! files and a status.
//!
//! | file | claim |
//! |---|---|
//! | `desk` | How the command is run. |
//! | `once` | Files of every format, tables, JSON, files of exports, failed rows. |
//! | `commits` | Replays: commits, windows, feeds, merging, files of changes, against what filtering comes to. |
//! | `bad_input` | Broken files and odd flags: a clear message and a status. |
//! | `imports` | Programs that import from others, and those that don't go together. |
//! | `streams` | The built command: pipes, several workers, an interrupt. |
//! | `data` | Real inputs, against answers computed by others. |

mod desk;
mod imports;
mod once;
mod commits;
mod bad_input;
mod streams;
mod data;
