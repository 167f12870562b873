//! `ddir check`: what is wrong with programs, and which types their collections have.
//!
//! Each program is one of its own; with `--import` it is also looked at whether it goes together with those that it imports
//! from. Messages go to the second stream, types to the first, so that each can be read by itself. A file that cannot be read
//! does not keep the others from being checked.

use crate::language::listing::listing;
use crate::language::report::tame;
use crate::stream::console::Console;
use crate::together::{ImportFlags, Member, Texts, Unfit, linked};
use clap::Args;
use clap::error::Error;
use std::io;
use std::path::PathBuf;

/// Check programs in DDIR without running them.
#[derive(Args, Debug)]
#[command(
    override_usage = "ddir check FILE ... [--import NAME=PROGRAM] [--types]",
    after_help = "\
Each FILE is a program of its own, with all that it includes. With --import, what each imports is compared with what the
programs of those names export; without, a program with imports is checked alone. Messages are written to standard error;
the exit status is 1 if some program has an error, and 0 if there are warnings at most. The language is described in
docs/LANGUAGE.md."
)]
pub struct CheckFlags {
    /// The programs; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// What they import from.
    #[command(flatten)]
    imports: ImportFlags,

    /// Print every collection with the types of its columns
    #[arg(long)]
    types: bool,
}

impl CheckFlags {
    /// Says why they contradict themselves, if they do.
    ///
    /// # Errors
    /// What is refused.
    pub fn check(&self) -> Result<(), Error> {
        self.imports.check("check")
    }

    /// Checks the programs; whether all are without error.
    ///
    /// # Errors
    /// If the types cannot be written.
    pub fn run(&self, console: &mut Console<'_>) -> io::Result<bool> {
        let mut texts = Texts::default();
        // Where those that are imported from have mistakes, programs are still checked alone.
        let imports = Member::imports(&self.imports, &mut texts, console);
        let imports = imports.and_then(|members| linked(&members, console).map(|_| members));
        let mut fine = imports.is_ok();
        imports.as_ref().err().into_iter().for_each(|unfit| tell(unfit, console));
        let mut members = imports.unwrap_or_default();
        for file in &self.files {
            let checked = Member::read("", file, &mut texts, console).and_then(|member| {
                members.push(member);
                // Without any, a program is checked alone, whatever it imports.
                if members.len() > 1 { linked(&members, console).map(|_| ()) } else { Ok(()) }
            });
            if let Err(unfit) = &checked {
                tell(unfit, console);
                fine = false;
            }
            let member = members.pop_if(|member| member.name.is_empty());
            if let (true, Ok(()), Some(member)) = (self.types, checked, member) {
                if self.files.len() > 1 {
                    writeln!(console.out, "-- {}", file.display())?;
                }
                console.out.write_all(listing(&member.program).as_bytes())?;
            }
        }
        console.out.flush()?;
        Ok(fine)
    }
}

/// Says what has not been told yet. A message that is lost is no reason to end otherwise: the status says it too.
pub(crate) fn tell(unfit: &Unfit, console: &mut Console<'_>) {
    if let Unfit::Unreadable { .. } = unfit {
        let _ = writeln!(console.err, "error: {}", tame(&unfit.to_string()));
    }
}
