//! Where a run writes: reports to one stream, warnings and a progress bar to another.
//!
//! The bar appears only when the second stream is a terminal. It is taken away while a line is written and put back
//! after, so that both may share a terminal. Every report is flushed: whoever reads a pipe sees it at once, and what
//! was complete before an error stays written.

use super::answers::Questions;
use super::latency::Summary;
use super::reader::Lines;
use super::report::{Form, Report, grouped};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};

/// The two streams of a run.
pub struct Console<'a> {
    /// Reports and the summary.
    pub out: &'a mut (dyn Write + Send),
    /// Warnings and errors.
    pub err: &'a mut (dyn Write + Send),
    /// Whether the second stream is a terminal, and may show a progress bar.
    pub progress: bool,
}

/// A console that knows how to write a run.
pub struct Screen<'run, 'a> {
    console: &'run mut Console<'a>,
    questions: &'run Questions,
    form: Form,
    headed: bool,
    bar: ProgressBar,
}

impl<'run, 'a> Screen<'run, 'a> {
    /// Writes nothing yet. The bar is as long as the file, where that is known.
    pub fn new(console: &'run mut Console<'a>, questions: &'run Questions, form: Form, lines: &Lines) -> Self {
        let bar = match (console.progress, lines.bytes_total()) {
            (false, _) => ProgressBar::hidden(),
            (true, Some(bytes)) => ProgressBar::new(bytes).with_style(style("{bar:40} {percent:>3} %  {msg}")),
            (true, None) => ProgressBar::new_spinner().with_style(style("{spinner} {msg}")),
        };
        Screen { console, questions, form, headed: false, bar }
    }

    /// Writes a report, under the heading if it is the first.
    pub fn report(&mut self, report: &Report) -> io::Result<()> {
        let mut text = if self.headed { String::new() } else { self.form.heading(self.questions) };
        self.headed = true;
        text.push_str(&self.form.report(self.questions, report));
        self.write(&text)
    }

    /// Takes the bar away and writes the summary.
    pub fn summary(&mut self, summary: &Summary) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.write(&self.form.summary(summary))
    }

    /// Warns, on the other stream. A warning that cannot be written is no reason to fail.
    pub fn warn(&mut self, warning: &str) {
        let err = &mut *self.console.err;
        let _ = self.bar.suspend(|| writeln!(err, "warning: {warning}"));
    }

    /// Shows how far the run is.
    pub fn progress(&mut self, lines: &Lines, rows: u64, commits: u64) {
        if !self.bar.is_hidden() {
            self.bar.set_position(lines.bytes_read());
            self.bar.set_message(format!("{} rows in {} commits", grouped(rows), grouped(commits)));
        }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        let out = &mut *self.console.out;
        self.bar.suspend(|| {
            out.write_all(text.as_bytes())?;
            out.flush()
        })
    }
}

impl Drop for Screen<'_, '_> {
    /// An error ends a run early: its message must not stand beside half a bar.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is one of ours")
}
