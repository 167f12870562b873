//! Holds what small commits cost in instructions against what they may cost.
//!
//!     budgets                      runs each kind under valgrind, prints a table; exit status 1 if one costs too much
//!     budgets KIND ROUNDS          what is counted: so many rounds of a kind, and nothing else
//!
//! ```text
//!   instructions of a round  =  (of 600 rounds  -  of 200 rounds) / 400          what it takes to start cancels
//! ```
//!
//! Instructions do not depend on what else the machine does, so this is a check and not a measurement: for the program
//! of 44 operators, by one worker, in a release build. Where valgrind is not to be found nothing is checked, and that
//! is said.

use std::process::{Command, ExitCode};

use benches::programs::small_rounds;
use differential::Error;

/// Rounds that are counted, and rounds that are taken away from them.
const ROUNDS: (u64, u64) = (600, 200);

/// What a round is, what it may cost, what we want it to cost, and in words. What it may cost is lowered to a little above what is
/// counted whenever that has become less, until it is what we want.
const BUDGETS: [(&str, u64, u64, &str); 3] = [
    ("records", 160_000, 80_000, "a commit of two records"),
    ("nothing", 30_000, 20_000, "a commit of nothing"),
    ("idle", 4_000, 4_000, "a step with nothing to do"),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => check(),
        [kind, rounds] if BUDGETS.iter().any(|(known, ..)| kind == *known) => match rounds.parse() {
            Ok(rounds) => run(kind, rounds).map_err(|error| error.to_string()),
            Err(error) => Err(format!("{rounds}: {error}")),
        },
        _ => Err("usage: budgets [KIND ROUNDS]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            eprintln!("{words}");
            ExitCode::FAILURE
        }
    }
}

fn run(kind: &str, rounds: u64) -> Result<(), Error> {
    small_rounds(rounds, |worker, session, round| match kind {
        "records" => {
            session.insert((round * 7, round * 3));
            session.insert((round * 5 + 1, round));
            worker.commit(session).map(drop)
        }
        "nothing" => worker.commit(session).map(drop),
        _ => worker.step().map(drop),
    })
}

/// Counts each kind, and says which cost too much.
fn check() -> Result<(), String> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not found: what small commits cost in instructions is not checked");
        return Ok(());
    }
    println!("instructions of 44 operators    counted    at most     wanted");
    let mut over = Vec::new();
    for (kind, budget, wanted, words) in BUDGETS {
        let cost = (counted(kind, ROUNDS.0)?.saturating_sub(counted(kind, ROUNDS.1)?)) / (ROUNDS.0 - ROUNDS.1);
        println!("{words:<28} {cost:>10} {budget:>10} {wanted:>10}");
        over.extend((cost > budget).then(|| format!("{words} costs {cost} instructions, {budget} are allowed")));
    }
    if over.is_empty() { Ok(()) } else { Err(over.join("\n")) }
}

/// The instructions of a run of this very program.
fn counted(kind: &str, rounds: u64) -> Result<u64, String> {
    let here = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(here).arg(kind).arg(rounds.to_string());
    let output = command.output().map_err(|error| format!("valgrind can't be run: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    let count = words.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    count.filter(|_| output.status.success()).ok_or_else(|| format!("{kind} {rounds} was not counted:\n{words}"))
}
