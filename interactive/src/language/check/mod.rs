//! From statements to a checked program: what names mean, which types things have, what is refused.
//!
//! ```text
//!   statements ── world ── references ── recursion ── groups in order ── Program
//!                 names    who reads     cycles       types: each after
//!                          whom                       what it reads
//! ```
//!
//! Types need no annotations. A definition is looked at after all that it reads; those that read each other, through a
//! `var`, are looked at together: quietly, again and again, until one more look tells no more columns (a sum has the
//! columns of the first of its parts that has some), and then once aloud. Quiet looks are at most as many as there are
//! definitions and reads.
//!
//! What is wrong gets a broken type or a row with unknown columns, which agree with everything: one mistake is told once.
//!
//! | file | one sentence |
//! |---|---|
//! | `world` | What is declared where. |
//! | `lookup` | What names mean. |
//! | `order` | Groups of what depends on each other, and ways between. |
//! | `references` | Who reads whom, and whether more of it may mean less. |
//! | `recursion` | Cycles that have no meaning. |
//! | `checker` | What is known so far; types as written; constants. |
//! | `rows` | Columns while a pipeline goes on, and how they are found by name. |
//! | `cover` | Whether the arms of a `case` leave something out. |
//! | `patterns` | Patterns against the type of what they take apart. |
//! | `scalars` | Values. |
//! | `calls` | Functions and constructors. |
//! | `joins` | Joins, groups and tops. |
//! | `stages` | What is done to rows. |
//! | `terms` | Where rows come from. |
//! | `unused` | What nobody reads. |
//! | `definitions` | All definitions, in order. |

mod world;
mod lookup;
mod order;
mod references;
mod recursion;
mod checker;
mod rows;
mod cover;
mod patterns;
mod scalars;
mod calls;
mod joins;
mod stages;
mod terms;
mod unused;
mod definitions;

pub(super) use definitions::check;

/// What was looked for is wrong, or is told elsewhere.
#[derive(Debug)]
struct Told;
