//! A test that waits for ever says nothing. Here it ends, and says what it was.
//!
//! The limit is far beyond what any check takes on a busy machine, so that no test depends on speed: whoever reaches it
//! waits for something that does not come. Threads can't be stopped from outside, so the whole process ends.

use std::io::Write;
use std::process::exit;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);

/// Answers what `work` answers. If that takes minutes, the process ends, and tells `what` it was doing.
pub fn in_time<T>(what: impl ToString, work: impl FnOnce() -> T) -> T {
    let (done, waits) = channel::<()>();
    let what = what.to_string();
    thread::spawn(move || {
        if waits.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            // Straight to the terminal: what tests print is shown only of those that end.
            _ = writeln!(std::io::stderr(), "\nwaited {LIMIT:?} in vain: {what}");
            exit(101);
        }
    });
    let answer = work();
    drop(done);
    answer
}
