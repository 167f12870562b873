//! A run: lines in, commits closed, reports out.
//!
//! ```text
//!   line -> row in or out -> changes -> Answers::change
//!                              commit full, asked for, or end of file
//!                                    -> Answers::commit -> is a report due? -> Answers::read -> written
//! ```
//!
//! Invariant: a report is written only after its commit completed. An error ends the run at once: the commit that is
//! open is never closed, nothing more is reported, and there is no summary. A person who interrupts it gets a report of the
//! last commit, and the summary.
//!
//! Cost beside the engine's: O(1) a line. Tested through the command, in `interactive/tests/graph/`.

use super::answers::{Answers, Questions};
use super::errors::{AnswersError, GraphError};
use super::reader::Lines;
use super::report::Report;
use super::rows::{Edge, Line, LineError, Node, Row};
use crate::stream::commits::{Commits, Due, Step};
use crate::stream::console::{Console, Screen};
use crate::stream::form::{Form, grouped};
use crate::stream::latency::Latencies;
use crate::stream::presence::{Change, Presence, Window};
use crate::stream::seconds::Seconds;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Instant;

/// What to replay, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The edge list.
    pub file: PathBuf,
    /// What to keep current.
    pub questions: Questions,
    /// How many insertions fill a commit.
    pub commit_rows: NonZeroU64,
    /// Which rows stay present.
    pub window: Window,
    /// When to report, beside at the end.
    pub report: Option<Step>,
    /// How to report.
    pub form: Form,
}

impl Options {
    /// What is asked for, piece by piece: the same in all processes of a cluster.
    pub fn pieces(&self) -> Vec<String> {
        let Options { file, questions: Questions { roots, components, scc }, commit_rows, window, report, form } = self;
        vec![
            format!("FILE {}", file.display()),
            format!("reach {roots:?}"),
            format!("components {components}"),
            format!("scc {scc}"),
            format!("commit rows={commit_rows}"),
            format!("window {window:?}"),
            format!("report {report:?}"),
            format!("form {form:?}"),
        ]
    }
}

/// Replays a file to its end, writing reports, warnings and a summary to the console.
///
/// `answers` must be fresh, and made for `options.questions`.
pub fn replay(options: &Options, answers: &mut dyn Answers, console: &mut Console<'_>) -> Result<(), GraphError> {
    let lines = Lines::open(&options.file)?;
    let mut run = Run {
        answers,
        screen: Screen::new(console, lines.bytes_total()),
        questions: &options.questions,
        form: options.form,
        lines,
        presence: Presence::new(options.window),
        changes: Vec::new(),
        commits: Commits::new(options.commit_rows),
        due: Due::new(options.report),
        reported_commits: None,
        rows_closed: (0, 0),
        unseen_roots: options.questions.roots.iter().copied().collect(),
        latencies: Latencies::start(),
    };
    match run.all() {
        Ok(()) => run.end(),
        // What the engine had not answered yet, nobody knows.
        Err(_) if run.screen.is_stopped() => run.interrupted(),
        Err(error) => Err(error),
    }
}

/// A replay under way.
struct Run<'run, 'a> {
    lines: Lines,
    presence: Presence<Edge>,
    changes: Vec<Change<Edge>>,
    commits: Commits,
    due: Due,
    answers: &'run mut dyn Answers,
    screen: Screen<'run, 'a>,
    questions: &'run Questions,
    form: Form,
    /// How many commits the last report covered, if there was one.
    reported_commits: Option<u64>,
    /// Rows fed and rows present when the last commit closed. Whoever interrupts a run does so while the next one is open,
    /// and its rows are in no answer.
    rows_closed: (u64, u64),
    /// The roots that no row has named so far.
    unseen_roots: Vec<Node>,
    latencies: Latencies,
}

impl Run<'_, '_> {
    /// Does what all lines say, and closes the commit that is open then.
    fn all(&mut self) -> Result<(), GraphError> {
        while let Some(line) = self.lines.next_line()? {
            self.take(line)?;
            if self.screen.is_stopped() {
                return Err(GraphError::Interrupted);
            }
        }
        // Whoever interrupts a pipe ends what writes into it too.
        if self.screen.is_stopped() {
            return Err(GraphError::Interrupted);
        }
        self.close_if(self.commits.is_open())
    }

    /// Does what a line says.
    fn take(&mut self, line: Line) -> Result<(), GraphError> {
        match line {
            Line::Blank => Ok(()),
            Line::Commit => self.close_if(self.commits.is_open()),
            Line::Remove(row) => {
                if !self.presence.remove(row.edge, &row.columns, &mut self.changes) {
                    return Err(self.lines.refuse(LineError::Absent { row }));
                }
                self.commits.remove();
                self.feed()
            }
            Line::Insert(row) => {
                let time = if self.presence.wants_time() { row.time() } else { Ok(Seconds::ZERO) };
                let time = time.map_err(|error| self.lines.refuse(error))?;
                let Row { edge: edge @ (source, target), columns } = row;
                let fed = self.presence.insert(edge, columns, time, &mut self.changes);
                fed.map_err(|error| self.lines.refuse(LineError::TimeWentBack(error)))?;
                self.unseen_roots.retain(|&root| root != source && root != target);
                self.feed()?;
                let full = self.commits.insert();
                self.close_if(full)
            }
        }
    }

    /// Hands the changes of rows on.
    fn feed(&mut self) -> Result<(), GraphError> {
        for (edge, diff) in self.changes.drain(..) {
            self.answers.change(edge, diff).map_err(failed(&self.commits))?;
        }
        Ok(())
    }

    fn close_if(&mut self, close: bool) -> Result<(), GraphError> {
        if !close {
            return Ok(());
        }
        let started = Instant::now();
        self.answers.commit().map_err(failed(&self.commits))?;
        self.latencies.note(started.elapsed());
        let commits = self.commits.close();
        let rows = self.presence.rows_fed();
        self.rows_closed = (rows, self.presence.rows_present());
        let progress = || format!("{} rows in {} commits", grouped(rows), grouped(commits));
        self.screen.progress(self.lines.bytes_read(), progress);
        if self.due.at(rows, commits) { self.report() } else { Ok(()) }
    }

    fn report(&mut self) -> Result<(), GraphError> {
        let (rows, rows_present) = self.rows_closed;
        let report = Report { rows, rows_present, answer: self.answers.read().map_err(failed(&self.commits))? };
        // The heading stands above the first.
        let heading = self.reported_commits.is_none().then(|| self.form.heading(self.questions));
        self.reported_commits = Some(self.commits.closed());
        let text = heading.unwrap_or_default() + &self.form.report(self.questions, &report);
        self.screen.write(&text).map_err(|error| GraphError::Write { error })
    }

    /// A person wants no more: reports what was complete, and sums up.
    fn interrupted(mut self) -> Result<(), GraphError> {
        if self.commits.closed() > 0 && self.reported_commits != Some(self.commits.closed()) {
            self.report()?;
        }
        self.sum_up()?;
        Err(GraphError::Interrupted)
    }

    fn sum_up(&mut self) -> Result<(), GraphError> {
        self.screen.finish();
        let summary = self.form.summary(&self.latencies.summary());
        self.screen.write(&summary).map_err(|error| GraphError::Write { error })
    }

    /// The file is read: reports if the last report was not of this state, and sums up.
    fn end(mut self) -> Result<(), GraphError> {
        if self.reported_commits != Some(self.commits.closed()) {
            self.report()?;
        }
        self.sum_up()?;
        for root in &self.unseen_roots {
            self.screen.warn(&format!("root {root} never appeared in {}", self.lines.file().display()));
        }
        Ok(())
    }
}

/// Says which commit an error of the engine's stopped: the one after those closed.
fn failed(commits: &Commits) -> impl FnOnce(AnswersError) -> GraphError {
    let commit = commits.closed() + 1;
    move |error| GraphError::Answers { commit, error }
}
