//! Which program a plan's workload is.

use differential::time::Point;

use super::{graphs, many, rounds};
use crate::digest::Digest;
use crate::drive::{self, Job};
use crate::plan::Work;
use crate::trouble::Trouble;

/// Runs a job's plan, with the program that it names.
///
/// # Errors
/// [`Trouble::Unknown`] if there is no such program; otherwise what is wrong with the plan, its rows, or the run.
pub fn run(job: Job) -> Result<(), Trouble> {
    let name = job.plan.workload.clone();
    if let Work::Rounds(_) = &job.plan.work {
        return match name.as_str() {
            "progress_chain10"
            | "progress_chain100"
            | "progress_loop20"
            | "progress_exchange100"
            | "progress_xloop20" => drive::rounds(job, rounds::build),
            _ => Err(Trouble::Unknown(name)),
        };
    }
    match name.as_str() {
        "arrange_u64" => drive::arrange::<u64>(job),
        "arrange_str" => drive::arrange::<String>(job),
        "count" | "count_total" => drive::one::<u64, _>(job, |_, keys| keys.count()),
        "distinct" | "distinct_total" => drive::one::<u64, _>(job, |_, keys| keys.distinct()),
        "join_match" | "join_lookup" => drive::two::<(u64, u64), (u64, u64), (u64, u64)>(
            job,
            |left, right| left.join_map(right, |_, a, b| (a, b)),
            |pair, _| pair.digest(),
        ),
        "join_dense" => drive::two::<(u64, u64), (u64, u64), ()>(
            job,
            |left, right| left.join_map(right, |_, _, _| ()),
            |unit, _| unit.digest(),
        ),
        // The result is each match with the time at which it happens.
        "join_history" => drive::two::<(u64, u64), (u64, u64), (u64, u64)>(
            job,
            |left, right| left.join_map(right, |_, a, b| (a, b)),
            |pair, time: &Point| (pair, time.coordinate(0)).digest(),
        ),
        "reach" => drive::one(job, graphs::reach),
        "bfs" => drive::one(job, graphs::bfs),
        "cc" => drive::one(job, graphs::components),
        "scc" => drive::one(job, graphs::strong_edges),
        "tc" => drive::one(job, graphs::paths),
        "sg" => drive::one(job, graphs::same_generation),
        "triangles" => drive::one(job, graphs::triangles),
        "points_to" => drive::one(job, graphs::points_to),
        "dd_like" => drive::one(job, |_, rows| many::build(rows)),
        _ => Err(Trouble::Unknown(name)),
    }
}
