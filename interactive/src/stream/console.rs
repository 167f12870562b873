//! Where a run writes: answers to one stream, warnings and a progress bar to another.
//!
//! The bar appears only when the second stream is a terminal. It is taken away while a line is written and put back
//! after, so that both may share a terminal. Every report is flushed: whoever reads a pipe sees it at once, and what
//! was complete before an error stays written.

use super::stop::Stop;
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
    /// Whether the run should end early.
    pub stop: Stop,
}

impl Console<'_> {
    /// Whether messages may have colours: on a terminal, unless its owner wants none.
    pub fn colour(&self) -> bool {
        self.progress && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }
}

/// A console with a progress bar.
pub struct Screen<'run, 'a> {
    console: &'run mut Console<'a>,
    bar: ProgressBar,
}

impl<'run, 'a> Screen<'run, 'a> {
    /// Writes nothing yet. The bar is as long as so many bytes, where that is known.
    pub fn new(console: &'run mut Console<'a>, bytes_total: Option<u64>) -> Self {
        let bar = match (console.progress, bytes_total) {
            (false, _) => ProgressBar::hidden(),
            (true, Some(bytes)) => ProgressBar::new(bytes).with_style(style("{bar:40} {percent:>3} %  {msg}")),
            (true, None) => ProgressBar::new_spinner().with_style(style("{spinner} {msg}")),
        };
        Screen { console, bar }
    }

    /// Writes answers.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        let out = &mut *self.console.out;
        self.bar.suspend(|| {
            out.write_all(text.as_bytes())?;
            out.flush()
        })
    }

    /// Warns, on the other stream. A warning that cannot be written is no reason to fail.
    pub fn warn(&mut self, warning: &str) {
        let err = &mut *self.console.err;
        let _ = self.bar.suspend(|| writeln!(err, "warning: {warning}"));
    }

    /// Writes lines to the other stream, as they are.
    pub fn tell(&mut self, lines: &str) {
        if !lines.is_empty() {
            let err = &mut *self.console.err;
            let _ = self.bar.suspend(|| err.write_all(lines.as_bytes()));
        }
    }

    /// Shows how far the run is.
    pub fn progress(&mut self, bytes_read: u64, message: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_position(bytes_read);
            self.bar.set_message(message());
        }
    }

    /// Whether the run should end early.
    pub fn is_stopped(&self) -> bool {
        self.console.stop.is_told()
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Screen<'_, '_> {
    /// An error ends a run early: its message must not stand beside half a bar.
    fn drop(&mut self) {
        self.finish();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is one of ours")
}
