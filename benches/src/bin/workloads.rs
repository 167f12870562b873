//! Runs a workload from a folder, and prints a line for each of its phases.
//!
//!     workloads FOLDER [-w WORKERS] [--text] [--work]
//!
//! `FOLDER/plan.txt` says what to do, `FOLDER/0.bin` and `1.bin` hold rows. The modules of `benches` have the formats. Rows
//! are read inside the phases, in chunks. With `--text` a text in DDIR takes the program's place, if there is one. With
//! `--work` each worker tells on standard error what it did for a tick: activations, visits, evaluations of frontiers,
//! containers and messages sent to others. Exit status: 0 if every phase ran; 1 with words on standard error otherwise, as
//! for a workload that is not known.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use benches::drive::Job;
use benches::programs;
use benches::report::Line;
use benches::trouble::Trouble;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut take = |flag| {
        let found = words.iter().position(|word| *word == flag);
        found.map(|at| words.remove(at)).is_some()
    };
    let (tells_work, is_text) = (take("--work"), take("--text"));
    let (folder, workers) = match words[..] {
        [folder] => (folder, "1"),
        [folder, "-w", workers] => (folder, workers),
        _ => return refuse("usage: workloads FOLDER [-w WORKERS] [--text] [--work]"),
    };
    let Some(workers) = workers.parse().ok().filter(|&workers| workers > 0) else {
        return refuse(&format!("-w {workers}: expected a number of workers"));
    };
    let work: Option<fn(&str)> = if tells_work { Some(|words| eprintln!("{words}")) } else { None };
    let program = if is_text { programs::run_text } else { programs::run };
    match run(folder.into(), workers, work, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => refuse(&trouble.to_string()),
    }
}

fn refuse(words: &str) -> ExitCode {
    eprintln!("{words}");
    ExitCode::FAILURE
}

fn run(
    folder: PathBuf,
    workers: usize,
    work: Option<fn(&str)>,
    program: fn(Job) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let path = folder.join("plan.txt");
    let text = std::fs::read_to_string(&path).map_err(|error| Trouble::File(path, error))?;
    program(Job { folder, plan: text.parse()?, workers, tell, work })
}

fn tell(line: &Line) {
    let mut output = std::io::stdout().lock();
    // Whoever reads the lines may have gone; the run is worth its end all the same.
    _ = writeln!(output, "{line}");
}
