//! `ddir plan`: the operators that a program comes to, as text, as a drawing or as JSON.
//!
//! What is shown is what runs: with all that the passes have made better.

use crate::check::tell;
use crate::plan::Plan;
use crate::plan::dot::dot;
use crate::stream::console::Console;
use crate::together::{ImportFlags, Member, Texts, Unfit, planned};
use clap::Args;
use clap::error::Error;
use std::io;
use std::path::PathBuf;

/// Show the plan of a program in DDIR.
#[derive(Args, Debug)]
#[command(
    override_usage = "ddir plan FILE [--import NAME=PROGRAM] [--dot|--json]",
    after_help = "\
A line for each operator: what it does to which others, by number; the columns that it makes; and the definition that it
comes from. Loops are indented. With --import, what the program imports is compared with what those of these names export;
the plan is its own all the same."
)]
pub struct PlanFlags {
    /// The program; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What it imports from.
    #[command(flatten)]
    imports: ImportFlags,

    /// As a drawing, for Graphviz: `ddir plan FILE --dot | dot -Tsvg > plan.svg`
    #[arg(long)]
    dot: bool,

    /// As JSON, for machines
    #[arg(long, conflicts_with = "dot")]
    json: bool,
}

impl PlanFlags {
    /// Says why they contradict themselves, if they do.
    ///
    /// # Errors
    /// What is refused.
    pub fn check(&self) -> Result<(), Error> {
        self.imports.check("plan")
    }

    /// Shows the plan; whether there is one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn run(&self, console: &mut Console<'_>) -> io::Result<bool> {
        let plan = match self.plan(console) {
            Ok(plan) => plan,
            Err(unfit) => {
                tell(&unfit, console);
                return Ok(false);
            }
        };
        match (self.dot, self.json) {
            (true, _) => console.out.write_all(dot(&plan).as_bytes())?,
            (_, true) => {
                serde_json::to_writer(&mut *console.out, &plan)?;
                writeln!(console.out)?;
            }
            _ => write!(console.out, "{plan}")?,
        }
        console.out.flush()?;
        Ok(true)
    }

    fn plan(&self, console: &mut Console<'_>) -> Result<Plan, Unfit> {
        let mut texts = Texts::default();
        let mut members = Member::imports(&self.imports, &mut texts, console)?;
        let program = Member::read("", &self.file, &mut texts, console)?;
        if members.is_empty() {
            // Without any, it is planned alone, whatever it imports.
            return program.planned(|_| true, console).map(|planned| planned.plan);
        }
        members.push(program);
        let planned = planned(members, console)?;
        Ok(planned.into_iter().next_back().expect("the program itself").plan)
    }
}
