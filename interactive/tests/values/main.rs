//! Values and their columns.
//!
//! | file | claim |
//! |---|---|
//! | `columns` | Columns of every kind obey the engine's laws of columns. |
//! | `engine` | Rows go through sorts, sums and joins of the engine. |
//! | `kernel` | Scalars over columns come to what the manual says, row by row. |
//! | `order` | The order of values is the one that docs/LANGUAGE.md says. |
//! | `written` | What is shown of a value is how a program writes it. |
//!
//! `bytes` and `column` bring those laws here, as the engine's own tests have them; they name `time` by its path there.

use differential::time;

mod bytes;
mod column;
mod columns;
mod engine;
mod kernel;
mod order;
mod random;
mod written;
