//! Passes: plans that mean the same and cost less.
//!
//! ```text
//!   fold ── push ── prune ── fuse ── share ── sets ── (until nothing changes)
//! ```
//!
//! | file | one sentence |
//! |---|---|
//! | `used` | Who reads whom; what nobody needs is left out. |
//! | `fold` | What is constant is computed once, and filters that always hold go. |
//! | `push` | Filters go below joins, and an equality after a cross join becomes its key. |
//! | `prune` | Columns that nobody needs are left out. |
//! | `fuse` | Chains of steps become one operator, and columns are picked where rows are made. |
//! | `identity` | What an operator does, as bytes to compare. |
//! | `share` | Equal operators, and above all equal arrangements, are there once. |
//! | `sets` | `distinct` of what is distinct already goes. |
//!
//! What every pass keeps:
//! 1. The rows of every export after every commit, and what is inspected.
//! 2. Every error: its statement, place and reason, and how often. So what may fail is neither left out, nor done for more
//!    rows or fewer, nor merged with its like from elsewhere. Of a failed row, columns that nothing needs are left out.
//! 3. The number of operators, or it makes that smaller.
//!
//! Hoisting work that is the same in every round out of its loop is no pass: operators stand in the innermost scope of
//! what they read from the beginning (`build`).
//!
//! Tested in `interactive/tests/programs/passes.rs`: random programs, each pass alone and all together.

mod used;
mod fold;
mod fuse;
mod prune;
mod push;
mod identity;
mod share;
mod sets;

use super::Plan;
use crate::language::program::{Scalar, ScalarKind};

/// A plan that means the same and has no more operators.
pub type Pass = fn(&Plan) -> Plan;

/// All passes, by name, in the order in which they are done.
pub const PASSES: [(&str, Pass); 6] = [
    ("fold", fold::fold),
    ("push", push::push),
    ("prune", prune::prune),
    ("fuse", fuse::fuse),
    ("share", share::share),
    ("sets", sets::sets),
];

/// How often passes are done at most.
const TURNS: usize = 4;

/// The plan that means the same and costs least, as far as the passes see it.
pub fn improved(plan: &Plan) -> Plan {
    let mut plan = used::used(plan.clone());
    for _ in 0..TURNS {
        let before = plan.nodes.len();
        for (_, pass) in PASSES {
            plan = pass(&plan);
        }
        if plan.nodes.len() == before {
            break;
        }
    }
    plan
}

/// The columns that a scalar reads, once for each time that it does.
fn reads(scalar: &Scalar) -> Vec<usize> {
    fn walk(scalar: &Scalar, into: &mut Vec<usize>) {
        if let ScalarKind::Column(at) = scalar.kind {
            into.push(at);
        }
        scalar.for_each_part(|part| walk(part, into));
    }
    let mut columns = Vec::new();
    walk(scalar, &mut columns);
    columns
}
