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
use super::reports::{Reports, State};
use super::shown::warn_of_skipped;
use super::task::{Outcome, Task};
use crate::sources::errors::RowError;
use crate::sources::moment::Moment;
use crate::sources::reader::{Fed, Tags};
use crate::sources::writer::Writer;
use crate::stream::commits::{Commits, Due};
use crate::stream::console::{Console, Screen};
use crate::stream::form::{Form, grouped};
use crate::stream::latency::Latencies;
use crate::stream::presence::{Change, Presence, Window};
use crate::stream::seconds::Seconds;
use crate::value::{Row, RowRef};
use differential::Error;
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
            reports: Reports::new(self.program.form(), exports),
            writers,
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
    reports: Reports<'run>,
    writers: Vec<(usize, Writer<'run>)>,
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
        // Whoever interrupts a pipe ends what writes into it too.
        if self.screen.is_stopped() {
            return Err(RunError::Interrupted);
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
        for at in 0..self.exports.all.len() {
            let changes = self.answers.changes(at);
            self.reports.add(at, &changes);
            for (_, writer) in self.writers.iter_mut().filter(|(of, _)| *of == at) {
                for (row, diff) in &changes {
                    writer.change(time, *diff, row)?;
                }
            }
        }
        Ok(())
    }

    fn report(&mut self) -> Result<(), RunError> {
        let state = State {
            commits: self.commits.closed(),
            rows: self.rows_closed,
            present: self.present_closed,
            moment: self.moment_closed.as_ref(),
            errors: self.answers.failures_count(),
        };
        self.screen.write(&self.reports.tell(state)).map_err(RunError::Output)
    }

    /// Ends with all that is to be said, of files that have come to their end.
    fn end(mut self) -> Result<Outcome, RunError> {
        let failures = self.sum_up(true)?;
        write_exports(&self.options.program.exports, self.exports, self.answers, &mut self.screen)?;
        Ok(Outcome { failures })
    }

    /// What was known when a person wanted no more: of the last commit, as rows may be of the one that did not complete.
    fn interrupted(mut self) -> Result<Outcome, RunError> {
        self.sum_up(false)?;
        Err(RunError::Interrupted)
    }

    /// A last report if the last was not of this state; rows, if they are of it; the summary, warnings, and files of
    /// changes, which are right as far as they go: each is one of a complete commit. How many rows failed.
    fn sum_up(&mut self, is_complete: bool) -> Result<u128, RunError> {
        if !self.reports.have_told(self.commits.closed()) {
            self.report()?;
        }
        self.screen.finish();
        let summary = self.form.summary(&self.latencies.summary());
        let (rows, failures) = if is_complete { self.rows()? } else { (String::new(), 0) };
        self.screen.write(&(rows + &summary)).map_err(RunError::Output)?;
        warn_of_skipped(&self.skipped, &mut self.screen);
        for (_, writer) in self.writers.drain(..) {
            writer.finish()?;
        }
        Ok(failures)
    }

    /// The rows of exports that are shown in the end, and rows that failed, and how many of those there are.
    fn rows(&mut self) -> Result<(String, u128), RunError> {
        let (options, form) = (self.options, self.form);
        let shown = match options.rows {
            0 => String::new(),
            rows => {
                let (text, _) = show_exports(self.exports, Some(rows), form, self.answers)?;
                if form == Form::Table { format!("\n{text}") } else { text }
            }
        };
        let (failures, total) = show_failures(Some(options.rows.max(FAILURES_SHOWN)), form, self.answers)?;
        let gap = if form == Form::Table && !failures.is_empty() { "\n" } else { "" };
        Ok((shown + gap + &failures, total))
    }
}

/// Says which commit an error of the engine's stopped.
fn failed(commit: u64) -> impl FnOnce(Error) -> RunError {
    move |error| RunError::Engine { commit, error }
}
