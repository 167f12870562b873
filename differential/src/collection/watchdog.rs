//! Notices that a worker waits and nothing moves.
//!
//! It looks whenever the worker wakes while it waits, and compares what the region has done so far with what it had done
//! the last time: a count of visits and messages that stays the same for long enough is a stall, which is told once. A
//! loop that never ends is not one: it moves. [`Worker::explain`](super::Worker::explain) tells of that too.
//!
//! Why no thread of its own: only the worker can look into its region.
//! Tested in `tests/tests/whole/programs/watchdog.rs`.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After how long a stall is told, and to whom.
#[derive(Clone)]
pub(super) struct Watchdog {
    after: Duration,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog").field("after", &self.after).finish_non_exhaustive()
    }
}

impl Watchdog {
    pub(super) fn new(after: Duration, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Watchdog { after, tell: Arc::new(tell) }
    }
}

/// One wait, as the watchdog sees it.
pub(super) struct Watch<'a> {
    dog: Option<&'a Watchdog>,
    /// What had been done when something last moved, and when that was; none once it was told.
    last: Option<(u64, Option<Instant>)>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(dog: Option<&'a Watchdog>) -> Self {
        Watch { dog, last: None }
    }

    /// Looks at how much was `done` so far, and tells what `explain` says if that is what it was for long.
    pub(super) fn look(&mut self, done: impl FnOnce() -> u64, explain: impl FnOnce() -> String) {
        let Some(dog) = self.dog else { return };
        let done = done();
        match &mut self.last {
            Some((before, since)) if *before == done => {
                if since.is_some_and(|since| since.elapsed() >= dog.after) {
                    *since = None;
                    (dog.tell)(&explain());
                }
            }
            last => *last = Some((done, Some(Instant::now()))),
        }
    }
}
