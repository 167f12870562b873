//! `ddir run`: all rows in one commit, then the answer.
//!
//! ```text
//!   files ── rows ── feed ─┐
//!                          commit ── tables of exports ── failed rows ── files ── a line of times and memory
//! ```
//!
//! Files of exports are begun before anything is read and appear when they are complete, so that a run whose output
//! cannot be written ends at once.
//!
//! Cost: the engine works while files are read, so that it has most of its sorting done when they end.

use super::answers::{Answers, Exports};
use super::errors::RunError;
use super::flags::{ProgramFlags, RunOptions};
use super::inputs::{Inputs, Skipped, Sources};
use super::said::Named;
use super::shown::{FirstRows, Shown, cell, counted, table, warn_of_skipped};
use super::task::{Outcome, Task};
use crate::sources::reader::Tags;
use crate::sources::writer::{self, Writer};
use crate::stream::console::{Console, Screen};
use crate::stream::form::{Form, exact, grouped, json, mebibytes, rounded};
use crate::stream::latency::peak_memory_bytes;
use crate::value::RowRef;
use serde_json::json;
use std::time::Instant;

/// How many rows are gathered before the engine gets them, and a word in.
pub(super) const ROWS_BETWEEN: u64 = 1 << 13;

/// So many rows that failed are shown, however few of the exports are.
pub(super) const FAILURES_SHOWN: usize = 3;

/// Finds the exports that flags name, and checks that the files can be written.
///
/// # Errors
/// A name that the program does not export, or a file whose name does not say how to write it.
pub fn exports_of(
    flag: &'static str,
    named: &[Named],
    exports: &Exports<'_>,
    changes: bool,
) -> Result<Vec<usize>, RunError> {
    let find = |named: &Named| {
        let at = exports.all.iter().position(|export| export.name == named.name);
        let at = at.ok_or_else(|| RunError::NoSuch {
            flag,
            what: "export",
            name: named.name.clone(),
            known: exports.all.iter().map(|export| export.name.to_string()).collect(),
        })?;
        writer::check(&named.file, exports.all[at].columns, changes)?;
        Ok(at)
    };
    named.iter().map(find).collect()
}

/// Writes all rows of the exports that flags name, and warns of rows that a file cannot have.
///
/// # Errors
/// Those of the system, or of the engine.
pub fn write_exports(
    named: &[Named],
    exports: &Exports<'_>,
    answers: &mut dyn Answers,
    screen: &mut Screen<'_, '_>,
) -> Result<(), RunError> {
    for (named, at) in named.iter().zip(exports_of("--export", named, exports, false)?) {
        let mut writer = Writer::create(&named.file, exports.all[at].columns, exports.sums, false)?;
        let (mut written, mut below) = (Ok(()), 0_u64);
        let mut write = |row: RowRef<'_>, count| {
            below += u64::from(count < 0);
            if written.is_ok() {
                written = writer.row(&row.row(), count);
            }
        };
        answers.rows(at, &mut write).map_err(RunError::Workers)?;
        written?;
        writer.finish()?;
        if below > 0 {
            let (name, rows) = (&named.name, counted(below.into(), "row"));
            screen.warn(&format!("{name}: {rows} there less than not at all, and not in the file"));
        }
    }
    Ok(())
}

/// Shows the rows of all exports.
///
/// # Errors
/// Those of the engine.
pub fn show_exports(
    exports: &Exports<'_>,
    rows: Option<usize>,
    form: Form,
    answers: &mut dyn Answers,
) -> Result<(String, Vec<i128>), RunError> {
    let (mut text, mut totals) = (String::new(), Vec::new());
    for (at, export) in exports.all.iter().enumerate() {
        let mut all = FirstRows::default();
        answers.rows(at, &mut |row, count| all.add(row, count, rows)).map_err(RunError::Workers)?;
        text.push_str(&Shown { name: export.name, columns: export.columns, sums: exports.sums }.rows(&all, form));
        totals.push(all.total);
    }
    Ok((text, totals))
}

/// Shows the first of the rows that failed, and says how many did.
///
/// # Errors
/// Those of the engine.
pub fn show_failures(rows: Option<usize>, form: Form, answers: &mut dyn Answers) -> Result<(String, u128), RunError> {
    let failures = answers.failures().map_err(RunError::Workers)?;
    let total: u128 = failures.iter().map(|(_, count)| u128::from(count.unsigned_abs())).sum();
    let first = failures.iter().take(rows.unwrap_or(failures.len()));
    let text = match form {
        Form::Json => first
            .map(|(failure, count)| {
                json(&json!({ "error": {
                    "statement": failure.statement, "place": failure.place, "reason": failure.reason, "row": failure.row,
                    "count": count,
                } }))
            })
            .collect(),
        Form::Table if failures.is_empty() => String::new(),
        Form::Table => {
            let names = ["statement", "place", "reason", "row", "(count)"];
            let cells = |(failure, count): &(super::answers::Failure, i64)| {
                let texts = [&failure.statement, &failure.place, &failure.reason, &failure.row];
                texts.into_iter().map(|text| cell(text)).chain([count.to_string()]).collect()
            };
            let right = [false, false, false, false, true];
            let shown = table(names.into_iter(), right.into_iter(), first.clone().map(cells));
            let rest = if first.count() < failures.len() { "(there are more; --rows N shows them)\n" } else { "" };
            format!("errors: {} failed and {} left out\n{shown}{rest}\n", counted(count(total), "row"), if total == 1 { "is" } else { "are" })
        }
    };
    Ok((text, total))
}

/// As a count of rows: sums of 64 bits don't reach the last one.
fn count(failed: u128) -> i128 {
    i128::try_from(failed).unwrap_or(i128::MAX)
}

impl Task for RunOptions {
    fn program(&self) -> &ProgramFlags {
        &self.program
    }

    fn run(
        &self,
        sources: &Sources<'_>,
        exports: &Exports<'_>,
        answers: &mut dyn Answers,
        console: &mut Console<'_>,
    ) -> Result<Outcome, RunError> {
        let ProgramFlags { said, exports: files, .. } = &self.program;
        exports_of("--export", files, exports, false)?;
        let (tags, form) = (self.program.tags(sources)?, self.program.form());
        let mut inputs = Inputs::open(self.program.files(), said, sources, Tags(&tags))?;
        let mut screen = Screen::new(console, inputs.bytes_total());
        let (started, mut skipped, mut rows) = (Instant::now(), Skipped::up_to(said.skip_bad), 0_u64);
        let failed = |error| RunError::Engine { commit: 1, error };
        let mut gathered = sources.gathered();
        while inputs.next(&mut skipped, &mut gathered)?.is_some() {
            rows += 1;
            if screen.is_stopped() {
                return interrupted(rows, &mut screen);
            }
            if rows.is_multiple_of(ROWS_BETWEEN) {
                gathered.feed(answers);
                answers.work().map_err(failed)?;
                screen.progress(inputs.bytes_read(), || format!("{} rows read", grouped(rows)));
            }
        }
        gathered.feed(answers);
        let read = started.elapsed().as_secs_f64();
        screen.progress(inputs.bytes_read(), || format!("{} rows read, working", grouped(rows)));
        match answers.commit() {
            Err(_) if screen.is_stopped() => return interrupted(rows, &mut screen),
            outcome => outcome.map_err(failed)?,
        }
        let answered = started.elapsed().as_secs_f64() - read;
        screen.finish();
        screen.tell(&answers.inspected());
        write_exports(files, exports, answers, &mut screen)?;
        let (text, totals) = show_exports(exports, self.rows(), form, answers)?;
        let (failures, failed) = show_failures(self.rows().map(|rows| rows.max(FAILURES_SHOWN)), form, answers)?;
        warn_of_skipped(&skipped, &mut screen);
        let memory = peak_memory_bytes();
        let summary = match form {
            Form::Json => {
                let names = exports.all.iter().map(|export| export.name.to_string());
                let counts: serde_json::Map<_, _> = names.zip(totals.iter().map(|total| exact(*total))).collect();
                json(&json!({ "summary": {
                    "rows_read": rows, "lines_skipped": skipped.count, "exports": counts, "errors": exact(count(failed)),
                    "seconds_reading": rounded(read, 1e6), "seconds_answering": rounded(answered, 1e6),
                    "peak_memory_bytes": memory,
                } }))
            }
            Form::Table => format!(
                "{} read in {read:.2} s, answered in {answered:.2} s more; peak memory {}\n",
                counted(rows.into(), "row"),
                mebibytes(memory)
            ),
        };
        screen.write(&(text + &failures + &summary)).map_err(RunError::Output)?;
        Ok(Outcome { failures: failed })
    }
}

/// A person wants no more. Before the commit is complete no answer is known.
fn interrupted(rows: u64, screen: &mut Screen<'_, '_>) -> Result<Outcome, RunError> {
    screen.finish();
    screen.warn(&format!("interrupted after {}, before there was an answer", counted(rows.into(), "row")));
    Err(RunError::Interrupted)
}
