//! Programs: how they are planned, and what they come to.
//!
//! | file | claim |
//! |---|---|
//! | `plans` | Plans have golden texts. |
//! | `meaning` | What programs mean: an evaluator that computes everything anew. |
//! | `running` | A program run commit by commit, and held against that. |
//! | `examples` | Every example on a small input. |
//! | `cases` | Cases from the field. |
//! | `random` | Random programs over random changes come to what they mean. |
//! | `installed` | Generated rows, clocks, `inspect`, imports, loops that do not end. |
//! | `passes` | Passes keep what plans mean, and never make them larger. |
//! | `typed` | The command `ddir plan`, as a person types it. |

mod plans;
mod meaning;
mod running;
mod examples;
mod cases;
mod random;
mod installed;
mod passes;
mod typed;
