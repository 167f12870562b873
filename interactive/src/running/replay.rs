//! `ddir replay`: rows in the order of their files, commit by commit, with reports of what follows.
//!
//! ```text
//!   --load files ── one commit, not measured
//!   --source, --feed files ── rows ── presence ── changes of rows ── commit closed ──┬── --changes files
//!                              (merged)  (window)                                     └── is a report due? ── a line
//! ```
//!
//! | `--commit` | a commit closes |
//! |---|---|
//! | `rows=N` | after so many rows |
//! | `by=COLUMN` | when the next row has another value there |
//! | `files` | at the end of each file, be it empty |
//!
//! and at the end of what there is. A window keeps the last rows fed, by number or by a column: what leaves it is taken
//! away in the commit in which it leaves. Without one every row stays until a file takes it away.
//!
//! Invariant: what is written of a commit is written after it completed. An error ends the run at once; a person who
//! interrupts it gets what the last commit came to.
//!
//! Cost beside the engine's: O(1) a row; with a window, a copy of each row in it.

use super::answers::{Answers, Exports};
use super::errors::RunError;
use super::flags::{CommitBy, ProgramFlags, ReplayOptions, WindowBy};
use super::gathered::Gathered;
use super::inputs::{Arrived, Asked, Inputs, Skipped, Sources};
use super::once::{FAILURES_SHOWN, ROWS_BETWEEN, exports_of, show_exports, show_failures, write_exports};
use super::shown::{Shown, counted};
use super::task::{Outcome, Task};
use crate::sources::errors::RowError;
use crate::sources::moment::Moment;
use crate::sources::reader::{Fed, Tags};
use crate::sources::writer::Writer;
use crate::stream::commits::{Commits, Due};
use crate::stream::console::{Console, Screen};
use crate::stream::form::{Form, Heading, exact, grouped, grouped_signed, headings, json, line};
use crate::stream::latency::Latencies;
use crate::stream::presence::{Change, Presence, Window};
use crate::stream::seconds::Seconds;
use crate::value::{Row, RowRef};
use differential::Error;
use serde_json::{Map, json};
use std::num::NonZeroU64;
use std::time::Instant;

/// More copies of a row than a window takes from one line: each is a row of its own there.
const COPIES_MAX: i64 = 1_000_001;

impl ReplayOptions {
    /// The columns whose moments are wanted: by which rows are merged or commits close, and that of the window.
    fn marks(&self) -> Marks {
        let order = match &self.commit {
            CommitBy::Column(column) => Some(column.clone()),
            CommitBy::Rows(_) | CommitBy::Files => self.merge.clone(),
        };
        let window = match &self.window {
            Some(WindowBy::Column(column, _)) => Some(column.clone()),
            _ => None,
        };
        let mut columns: Vec<String> = order.iter().cloned().collect();
        let window = window.map(|column| {
            columns.iter().position(|known| *known == column).unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            })
        });
        Marks { columns, ordered: order.is_some(), window }
    }
}

/// Which moments of a row are asked for.
struct Marks {
    columns: Vec<String>,
    /// Whether the first is the order of rows.
    ordered: bool,
    /// Which is that of the window.
    window: Option<usize>,
}

impl Task for ReplayOptions {
    fn program(&self) -> &ProgramFlags {
        &self.program
    }

    fn fills(&self, source: &str) -> bool {
        self.program.fills(source) || self.loads.iter().any(|named| named.name == source)
    }

    /// Replays files to their end, writing reports, warnings and a summary.
    fn run(
        &self,
        sources: &Sources<'_>,
        exports: &Exports<'_>,
        answers: &mut dyn Answers,
        console: &mut Console<'_>,
    ) -> Result<Outcome, RunError> {
        let ProgramFlags { said, exports: files, .. } = &self.program;
        exports_of("--export", files, exports, false)?;
        let followed = exports_of("--changes", &self.changes, exports, true)?;
        let (tags, marks) = (self.program.tags(sources)?, self.marks());
        let tags = Tags(&tags);
        let loads = Inputs::open(Asked { sources: &self.loads, ..Asked::default() }, said, sources, tags)?;
        let merged = marks.ordered && self.commit != CommitBy::Files;
        let asked = Asked { marks: &marks.columns, merged, ..self.program.files() };
        let inputs = Inputs::open(asked, said, sources, tags)?;
        let mut writers = Vec::new();
        for (named, at) in self.changes.iter().zip(followed) {
            writers.push((at, Writer::create(&named.file, exports.all[at].columns, exports.sums, true)?));
        }
        let window = match &self.window {
            None => Window::All,
            Some(WindowBy::Rows(rows)) => Window::Rows(rows.get()),
            Some(WindowBy::Column(_, span)) => Window::Time(*span),
        };
        let rows_each = match self.commit {
            CommitBy::Rows(rows) => rows,
            CommitBy::Column(_) | CommitBy::Files => NonZeroU64::MAX,
        };
        let mut run = Run {
            options: self,
            form: self.program.form(),
            exports,
            answers,
            screen: Screen::new(console, inputs.bytes_total()),
            presence: (window != Window::All).then(|| Presence::new(window)),
            inputs,
            window_mark: marks.window,
            gathered: sources.gathered(),
            changes: Vec::new(),
            commits: Commits::new(rows_each),
            due: Due::new(self.report),
            latencies: Latencies::start(),
            skipped: Skipped::up_to(said.skip_bad),
            rows_fed: 0,
            rows_closed: 0,
            present_closed: (window != Window::All).then_some(0),
            totals: vec![0; exports.all.len()],
            only: vec![Vec::new(); exports.all.len()],
            writers,
            reported_commits: None,
            moment: None,
            moment_closed: None,
        };
        match run.load(loads).and_then(|()| run.all()) {
            Ok(()) => run.end(),
            Err(_) if run.screen.is_stopped() => run.interrupted(),
            Err(error) => Err(error),
        }
    }
}

/// A replay under way.
struct Run<'run, 'a, 'p> {
    options: &'run ReplayOptions,
    form: Form,
    exports: &'run Exports<'p>,
    answers: &'run mut dyn Answers,
    screen: Screen<'run, 'a>,
    inputs: Inputs<'run>,
    /// Which of a row's marks is that of the window.
    window_mark: Option<usize>,
    /// Rows that are read and not fed yet.
    gathered: Gathered,
    /// Which rows are in, if not all that were fed.
    presence: Option<Presence<(usize, Row)>>,
    changes: Vec<Change<(usize, Row)>>,
    commits: Commits,
    due: Due,
    latencies: Latencies,
    skipped: Skipped,
    rows_fed: u64,
    /// How many of those are in closed commits; and, with a window, how many were present when the last one closed.
    rows_closed: u64,
    present_closed: Option<u64>,
    /// How many rows each export has.
    totals: Vec<i128>,
    /// Of each export that never has more than one row, that row.
    only: Vec<Vec<(Row, i64)>>,
    writers: Vec<(usize, Writer<'run>)>,
    /// How many commits the last report covered, if there was one.
    reported_commits: Option<u64>,
    /// The value of the commit's column, in the commit that is open and in the last one that closed.
    moment: Option<Moment>,
    moment_closed: Option<Moment>,
}

impl Run<'_, '_, '_> {
    /// Feeds what is there before the first commit.
    fn load(&mut self, mut loads: Inputs<'_>) -> Result<(), RunError> {
        let mut rows = 0_u64;
        while loads.next(&mut self.skipped, &mut self.gathered)?.is_some() {
            rows += 1;
            if rows.is_multiple_of(ROWS_BETWEEN) {
                self.gathered.feed(self.answers);
                self.answers.work().map_err(failed(0))?;
            }
            if self.screen.is_stopped() {
                return Err(RunError::Interrupted);
            }
        }
        self.gathered.feed(self.answers);
        if rows > 0 {
            self.begin()?;
        }
        Ok(())
    }

    /// Makes current what is there before the first commit, which is not counted: rows that are loaded or written in the
    /// program.
    fn begin(&mut self) -> Result<(), RunError> {
        self.answers.commit().map_err(failed(0))?;
        self.screen.tell(&self.answers.inspected());
        self.take_changes("0")?;
        // Only commits are measured.
        self.latencies = Latencies::start();
        Ok(())
    }

    /// Feeds all rows and closes their commits.
    fn all(&mut self) -> Result<(), RunError> {
        let mut file = 0;
        while let Some(Arrived { fed, file: from }) = self.inputs.next(&mut self.skipped, &mut self.gathered)? {
            if self.options.commit == CommitBy::Files {
                self.close_files(&mut file, from)?;
            }
            let moment = fed.marks.first().filter(|_| matches!(self.options.commit, CommitBy::Column(_)));
            if self.moment.is_some() && moment != self.moment.as_ref() {
                self.close_if(self.commits.is_open())?;
            }
            self.moment = moment.cloned();
            self.feed(fed)?;
            self.rows_fed += 1;
            let full = self.commits.insert();
            self.close_if(full)?;
            if self.screen.is_stopped() {
                return Err(RunError::Interrupted);
            }
        }
        if self.options.commit == CommitBy::Files {
            let files = self.inputs.files();
            self.close_files(&mut file, files)?;
        }
        self.close_if(self.commits.is_open())?;
        // Nothing came, and what is written in the program is an answer all the same.
        if self.commits.closed() == 0 { self.begin() } else { Ok(()) }
    }

    /// Closes the commits of the files before this one.
    fn close_files(&mut self, file: &mut usize, now: usize) -> Result<(), RunError> {
        while *file < now {
            *file += 1;
            self.close()?;
        }
        Ok(())
    }

    /// Feeds the row that was read last, and takes away what leaves the window by it.
    fn feed(&mut self, fed: Fed) -> Result<(), RunError> {
        let Fed { target, diff, marks } = fed;
        let Some(presence) = &mut self.presence else {
            self.gathered.feed(self.answers);
            return Ok(());
        };
        let row = self.gathered.rows[target].row(0);
        self.gathered.clear();
        let time = match self.window_mark.map(|at| &marks[at]) {
            None => Seconds::ZERO,
            Some(Moment::Number(time)) => *time,
            Some(Moment::Text(text)) => {
                let reason = text.parse::<Seconds>().err().map_or_else(String::new, |reason| reason.to_string());
                let error = RowError::NotTime { found: text.to_string(), reason };
                return Err(self.inputs.refuse(error).into());
            }
        };
        let key = (target, row);
        let outcome = match diff {
            0 => Ok(()),
            COPIES_MAX.. => Err(RowError::TooOften { count: diff, most: COPIES_MAX - 1 }),
            1.. => (0..diff).try_for_each(|_| {
                presence
                    .insert(key.clone(), "".into(), time, &mut self.changes)
                    .map_err(|error| RowError::WentBack(error.to_string()))
            }),
            _ => (diff..0).try_for_each(|_| match presence.remove(key.clone(), "", &mut self.changes) {
                true => Ok(()),
                false => Err(RowError::Absent),
            }),
        };
        outcome.map_err(|error| RunError::from(self.inputs.refuse(error)))?;
        for ((target, row), diff) in self.changes.drain(..) {
            self.gathered.push(target, RowRef::Owned(&row.0), diff);
        }
        self.gathered.feed(self.answers);
        Ok(())
    }

    fn close_if(&mut self, close: bool) -> Result<(), RunError> {
        if close { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<(), RunError> {
        let started = Instant::now();
        self.answers.commit().map_err(failed(self.commits.closed() + 1))?;
        self.latencies.note(started.elapsed());
        self.screen.tell(&self.answers.inspected());
        let commits = self.commits.close();
        let time = self.moment.as_ref().map_or_else(|| commits.to_string(), Moment::to_string);
        self.take_changes(&time)?;
        self.rows_closed = self.rows_fed;
        self.present_closed = self.presence.as_ref().map(Presence::rows_present);
        self.moment_closed = self.moment.clone();
        let rows = self.rows_closed;
        self.screen
            .progress(self.inputs.bytes_read(), || format!("{} rows in {} commits", grouped(rows), grouped(commits)));
        if self.due.at(rows, commits) { self.report() } else { Ok(()) }
    }

    /// Adds up what the last commit changed, and writes it where that is wanted.
    fn take_changes(&mut self, time: &str) -> Result<(), RunError> {
        for (at, total) in self.totals.iter_mut().enumerate() {
            let changes = self.answers.changes(at);
            *total += changes.iter().map(|(_, diff)| i128::from(*diff)).sum::<i128>();
            if self.exports.all[at].single {
                keep(&mut self.only[at], &changes);
            }
            for (_, writer) in self.writers.iter_mut().filter(|(of, _)| *of == at) {
                for (row, diff) in &changes {
                    writer.change(time, *diff, row)?;
                }
            }
        }
        Ok(())
    }

    fn columns(&self) -> Vec<Heading> {
        let heading = |above: &str, below: &str| (above.to_string(), below.to_string());
        let mut columns = vec![heading("", "commits"), heading("rows", "fed")];
        if self.presence.is_some() {
            columns.push(heading("rows", "present"));
        }
        for export in &self.exports.all {
            match export.single {
                true => columns.extend(export.columns.iter().map(|column| heading(export.name, &column.name))),
                false => columns.push(heading("rows of", export.name)),
            }
        }
        columns.push(heading("", "errors"));
        columns
    }

    /// What a line says of each export: of one that never has more than one row the values, of others how many rows.
    fn cells(&self) -> Vec<String> {
        let mut cells = Vec::new();
        for (at, export) in self.exports.all.iter().enumerate() {
            let shown = Shown { name: export.name, columns: export.columns, sums: self.exports.sums };
            match (export.single, self.only[at].first()) {
                (false, _) => cells.push(grouped_signed(self.totals[at])),
                (true, Some((row, _))) => cells.extend(shown.figures(row)),
                (true, None) => cells.extend(export.columns.iter().map(|_| "-".to_string())),
            }
        }
        cells
    }

    fn report(&mut self) -> Result<(), RunError> {
        let first = self.reported_commits.is_none();
        let (commits, errors) = (self.commits.closed(), self.answers.failures_count());
        self.reported_commits = Some(commits);
        let present = self.present_closed;
        let text = match self.form {
            Form::Table => {
                let columns = self.columns();
                let mut cells: Vec<String> =
                    [commits, self.rows_closed].into_iter().chain(present).map(grouped).collect();
                cells.extend(self.cells());
                cells.push(grouped_signed(errors));
                let heading = if first { headings(&columns) } else { String::new() };
                heading + &line(&columns, &cells)
            }
            Form::Json => {
                let names = self.exports.all.iter().map(|export| export.name.to_string());
                let totals = self.totals.iter().map(|total| exact(*total));
                let mut report = Map::new();
                report.insert("commits".to_string(), json!(commits));
                report.insert("rows".to_string(), json!(self.rows_closed));
                if let Some(present) = present {
                    report.insert("rows_present".to_string(), json!(present));
                }
                if let Some(moment) = &self.moment_closed {
                    report.insert("at".to_string(), json!(moment.to_string()));
                }
                report.insert("exports".to_string(), names.zip(totals).collect::<Map<_, _>>().into());
                let singles = self.exports.all.iter().zip(&self.only).filter(|(export, _)| export.single);
                let values = singles.map(|(export, only)| {
                    let shown = Shown { name: export.name, columns: export.columns, sums: self.exports.sums };
                    let row = only.first().map(|(row, _)| shown.values(row));
                    (export.name.to_string(), row.map_or(serde_json::Value::Null, serde_json::Value::Object))
                });
                let values: Map<_, _> = values.collect();
                if !values.is_empty() {
                    report.insert("values".to_string(), values.into());
                }
                report.insert("errors".to_string(), exact(errors));
                json(&json!({ "report": report }))
            }
        };
        self.screen.write(&text).map_err(RunError::Output)
    }

    /// A last report if the last was not of this state, files, the summary, and what else is to be said.
    fn end(mut self) -> Result<Outcome, RunError> {
        let outcome = self.sum_up()?;
        for (_, writer) in self.writers.drain(..) {
            writer.finish()?;
        }
        write_exports(&self.options.program.exports, self.exports, self.answers, &mut self.screen)?;
        Ok(outcome)
    }

    /// What was known when a person wanted no more: of the last commit, as rows may be of the one that did not complete.
    fn interrupted(mut self) -> Result<Outcome, RunError> {
        self.report_last()?;
        self.screen.finish();
        let summary = self.form.summary(&self.latencies.summary());
        self.screen.write(&summary).map_err(RunError::Output)?;
        self.warn_of_skipped();
        // As far as it goes: every change that is written is one of a complete commit.
        for (_, writer) in self.writers.drain(..) {
            writer.finish()?;
        }
        Err(RunError::Interrupted)
    }

    /// A report, if the last was not of this state.
    fn report_last(&mut self) -> Result<(), RunError> {
        if self.reported_commits == Some(self.commits.closed()) { Ok(()) } else { self.report() }
    }

    fn sum_up(&mut self) -> Result<Outcome, RunError> {
        self.report_last()?;
        self.screen.finish();
        let (options, form) = (self.options, self.form);
        let summary = form.summary(&self.latencies.summary());
        let shown = match options.rows {
            0 => String::new(),
            rows => {
                let (text, _) = show_exports(self.exports, Some(rows), form, self.answers)?;
                if form == Form::Table { format!("\n{text}") } else { text }
            }
        };
        let (failures, total) = show_failures(Some(options.rows.max(FAILURES_SHOWN)), form, self.answers)?;
        let gap = if form == Form::Table && !failures.is_empty() { "\n" } else { "" };
        self.screen.write(&(shown + gap + &failures + &summary)).map_err(RunError::Output)?;
        self.warn_of_skipped();
        Ok(Outcome { failures: total })
    }

    fn warn_of_skipped(&mut self) {
        for bad in &self.skipped.first {
            self.screen.warn(&format!("left out: {bad}"));
        }
        if self.skipped.count > 0 {
            self.screen.warn(&format!("{} left out", counted(self.skipped.count.into(), "bad line")));
        }
    }
}

/// Adds changes to the few rows that are there.
fn keep(rows: &mut Vec<(Row, i64)>, changes: &[(Row, i64)]) {
    for (row, diff) in changes {
        match rows.iter_mut().find(|(kept, _)| kept == row) {
            Some((_, count)) => *count += diff,
            None => rows.push((row.clone(), *diff)),
        }
    }
    rows.retain(|(_, count)| *count != 0);
}

/// Says which commit an error of the engine's stopped.
fn failed(commit: u64) -> impl FnOnce(Error) -> RunError {
    move |error| RunError::Engine { commit, error }
}
