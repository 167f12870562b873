//! Workloads as text programs: what a typed program costs less than its text.
//!
//! The texts are in `texts/`. Each computes what the typed program of its name does, and in the same way as far as the
//! language has it, so their digests agree and their times can be compared.

use interactive::value::{Row, Value};

use crate::drive::{self, Job};
use crate::trouble::Trouble;

/// Runs a job's plan with the text program that it names.
///
/// # Errors
/// [`Trouble::Unknown`] if there is none; otherwise as [`run`](super::run).
pub fn run_text(job: Job) -> Result<(), Trouble> {
    let pair = |(a, b): (u32, u32)| ints([a, b]);
    let text = match job.plan.workload.as_str() {
        "reach" => include_str!("texts/reach.ddir"),
        "bfs" => include_str!("texts/bfs.ddir"),
        "cc" => include_str!("texts/cc.ddir"),
        "scc" => include_str!("texts/scc.ddir"),
        "tc" => include_str!("texts/tc.ddir"),
        "points_to" => {
            let triple = |(a, b, c): (u32, u32, u32)| ints([a, b, c]);
            return drive::text(job, include_str!("texts/points_to.ddir"), triple);
        }
        other => return Err(Trouble::Unknown(other.to_string())),
    };
    drive::text(job, text, pair)
}

fn ints<const N: usize>(numbers: [u32; N]) -> Row {
    numbers.into_iter().map(|number| Value::Int(number.into())).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Mutex;

    use super::*;
    use crate::plan::Plan;
    use crate::report::Line;
    use crate::workload::{Random, SEED};

    /// The digests of the run under way.
    static DIGESTS: Mutex<Vec<u64>> = Mutex::new(Vec::new());

    fn tell(line: &Line) {
        DIGESTS.lock().unwrap().push(line.digest);
    }

    #[test]
    fn texts_compute_what_the_typed_programs_do() {
        let folder = std::env::temp_dir().join(format!("texts-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (name, kinds, nodes) in [
            ("reach", "u32 u32", 30),
            ("bfs", "u32 u32", 30),
            ("cc", "u32 u32", 100),
            ("scc", "u32 u32", 50),
            ("tc", "u32 u32", 40),
            ("points_to", "u32 u32 u32", 30),
        ] {
            let (mut random, mut bytes, mut fed) = (Random::new(SEED), Vec::new(), Vec::<Vec<u32>>::new());
            // First 80 rows, then ten ticks of two: one comes, and one goes.
            for row in 0..100 {
                let removed = row >= 80 && row % 2 == 1;
                let values: Vec<u32> = if removed {
                    fed.swap_remove(random.below(fed.len() as u64) as usize)
                } else {
                    let bounds = if name == "points_to" { vec![4, nodes, nodes] } else { vec![nodes, nodes] };
                    bounds.into_iter().map(|bound| random.below(bound) as u32).collect()
                };
                let diff: i32 = if removed { -1 } else { 1 };
                bytes.extend([0u32.to_le_bytes(), diff.to_le_bytes()].concat());
                values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
                if !removed {
                    fed.push(values);
                }
            }
            fs::write(folder.join("0.bin"), bytes).unwrap();
            let ticks = |rows: usize, count: usize| format!("tick 1 {rows}\n").repeat(count);
            let text = format!("workload {name}\ninput 0 {kinds}\nphase a\n{}phase b\n{}", ticks(80, 1), ticks(2, 10));
            let run = |program: fn(Job) -> Result<(), Trouble>, workers| {
                let plan: Plan = text.parse().unwrap();
                program(Job { folder: folder.clone(), plan, workers, tell, work: None }).unwrap();
                std::mem::take(&mut *DIGESTS.lock().unwrap())
            };
            let typed = run(crate::programs::run, 1);
            assert_eq!(typed.len(), 2, "{name}");
            assert_eq!(run(run_text, 1), typed, "{name}");
            assert_eq!(run(run_text, 2), typed, "{name}, on two workers");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
