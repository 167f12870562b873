//! `ddir check`: what is wrong with programs, and which types their collections have.
//!
//! Messages go to the second stream, types to the first, so that each can be read by itself. A file that cannot be read
//! does not keep the others from being checked.

use crate::language::listing::listing;
use crate::language::report::{render, tame};
use crate::language::{Checked, check, from_disk, text_of};
use crate::stream::console::Console;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};

/// Check programs in DDIR without running them.
#[derive(Args, Debug)]
#[command(
    override_usage = "ddir check FILE ... [--types]",
    after_help = "\
Each FILE is a program of its own, with all that it includes. Messages are written to standard error; the exit status is
1 if some program has an error, and 0 if there are warnings at most. The language is described in docs/LANGUAGE.md."
)]
pub struct CheckFlags {
    /// The programs; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Print every collection with the types of its columns
    #[arg(long)]
    types: bool,
}

impl CheckFlags {
    /// Checks the programs; whether all are without error.
    ///
    /// # Errors
    /// If the types cannot be written.
    pub fn run(&self, console: &mut Console<'_>) -> io::Result<bool> {
        let colour = console.colour();
        let (mut fine, mut any_standard) = (true, false);
        for file in &self.files {
            let is_standard = file == Path::new("-");
            let again = any_standard && is_standard;
            any_standard |= is_standard;
            let text = match again {
                true => Err(io::Error::other("standard input is read already")),
                false => program_text(file),
            };
            let (name, text) = match text {
                Ok(text) => text,
                Err(error) => {
                    // A message that is lost is no reason to end otherwise: the status says it too.
                    let _ = writeln!(console.err, "error: {}: cannot read: {error}", tame(&file.display().to_string()));
                    fine = false;
                    continue;
                }
            };
            let Checked { files, program, mistakes } = check(&name, text, &from_disk);
            let _ = console.err.write_all(render(&files, &mistakes, colour).as_bytes());
            fine &= program.is_some();
            if let (true, Some(program)) = (self.types, program) {
                if self.files.len() > 1 {
                    writeln!(console.out, "-- {}", file.display())?;
                }
                console.out.write_all(listing(&program).as_bytes())?;
            }
        }
        console.out.flush()?;
        Ok(fine)
    }
}

/// The text of a program, or of standard input for `-`, with the name that messages give it.
pub(crate) fn program_text(file: &Path) -> io::Result<(PathBuf, String)> {
    if file == Path::new("-") {
        return Ok(("standard input".into(), text_of(io::stdin())?));
    }
    from_disk(file).map(|text| (file.to_path_buf(), text))
}
