//! `ddir plan`: the operators that a program comes to, as text, as a drawing or as JSON.
//!
//! What is shown is what runs: with all that the passes have made better.

use crate::check::program_text;
use crate::language::mistake::Mistake;
use crate::language::report::{render, tame};
use crate::language::{Checked, check, from_disk};
use crate::plan::dot::dot;
use crate::plan::plan;
use crate::stream::console::Console;
use clap::Args;
use std::io;
use std::path::PathBuf;

/// Show the plan of a program in DDIR.
#[derive(Args, Debug)]
#[command(
    override_usage = "ddir plan FILE [--dot|--json]",
    after_help = "\
A line for each operator: what it does to which others, by number; the columns that it makes; and the definition that it
comes from. Loops are indented."
)]
pub struct PlanFlags {
    /// The program; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// As a drawing, for Graphviz: `ddir plan FILE --dot | dot -Tsvg > plan.svg`
    #[arg(long)]
    dot: bool,

    /// As JSON, for machines
    #[arg(long, conflicts_with = "dot")]
    json: bool,
}

impl PlanFlags {
    /// Shows the plan; whether there is one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn run(&self, console: &mut Console<'_>) -> io::Result<bool> {
        let (name, text) = match program_text(&self.file) {
            Ok(read) => read,
            Err(error) => {
                // A message that is lost is no reason to end otherwise: the status says it too.
                let _ =
                    writeln!(console.err, "error: {}: cannot read: {error}", tame(&self.file.display().to_string()));
                return Ok(false);
            }
        };
        let Checked { files, program, mut mistakes } = check(&name, text, &from_disk);
        let planned = program.map(|program| plan(&program));
        if let Some(Err(mistake)) = &planned {
            mistakes.push(Mistake::clone(mistake));
        }
        let colour = console.colour();
        let _ = console.err.write_all(render(&files, &mistakes, colour).as_bytes());
        let Some(Ok(plan)) = planned else { return Ok(false) };
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
}
