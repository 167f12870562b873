//! The watermark: the greatest event time inserted so far, less the lateness, known on every worker.
//!
//! ```text
//!   worker 0   rows ──(greatest of each container, if it is a rise)──┬──> all workers
//!   worker 1   rows ──(                  "                         )─┘    └─> until: the greatest of what came by t
//! ```
//!
//! What goes between workers are rises: a time, and the greatest event time of some rows inserted then. Whoever has all
//! rises up to a time, which its frontier tells, knows the greatest there; a rise too many does not matter, and that is
//! why nobody needs to add anything up, or to ask a worker in the middle.
//!
//! Cost: a look at each row's event time; in a commit, a message to each worker from each whose own greatest rises.

use std::collections::BTreeMap;

use super::EventTime;
use super::until::{Until, until};
use crate::collection::{Changes, Collection};
use crate::column::{Column, Data, Lent};
use crate::region::Stream;
use crate::time::{Point, Time, TimeColumn};

/// Event times that the greatest one rose to, on every worker. A handle.
#[derive(Clone)]
pub(super) struct Watermark {
    pub(super) rises: Stream<Changes<u64, i64>>,
    pub(super) lateness: u64,
}

impl Watermark {
    /// That of rows, of which none cancel.
    pub(super) fn new<D: Data>(name: &str, rows: &Collection<D>, time: EventTime<D>, lateness: u64) -> Self {
        // What was said last: it covers what is not before it, and not greater.
        let mut said: Option<(Point, u64)> = None;
        let name = format!("event times of {name}");
        let rises = rows.rewrite(&name, (), move |updates: &mut Changes<D, i64>, rises: &mut Changes<u64, i64>| {
            let inserted = (0..updates.len()).filter(|&row| updates.diffs.get(row) > 0);
            let event = |row: usize| time(updates.data.get(row));
            let mut greatest = BTreeMap::<Point, u64>::new();
            match updates.times.uniform() {
                Some(at) => greatest.extend(inserted.map(event).max().map(|event| (at, event))),
                None => inserted.for_each(|row| {
                    let greatest = greatest.entry(updates.times.get(row)).or_default();
                    *greatest = event(row).max(*greatest);
                }),
            }
            for (at, event) in greatest {
                if said.as_ref().is_some_and(|(before, said)| before.precedes(&at) && event <= *said) {
                    continue;
                }
                rises.push(event, &at, 1);
                if said.as_ref().is_none_or(|(_, said)| event > *said) {
                    said = Some((at, event));
                }
            }
            updates.clear();
            Ok(())
        });
        Watermark { rises: rises.broadcast(), lateness }
    }

    /// Lets changes pass whose row's deadline is past the watermark of their own time. `None` is a deadline that is never
    /// reached.
    pub(super) fn judge<D: Data>(
        &self,
        name: &str,
        rows: &Collection<D>,
        deadline: impl FnMut(Lent<'_, D>) -> Option<u64> + 'static,
    ) -> Until<D> {
        until(name, rows, self, false, deadline)
    }

    /// [`judge`](Self::judge), and takes what passed back once the watermark has reached its deadline.
    pub(super) fn expire<D: Data>(
        &self,
        name: &str,
        rows: &Collection<D>,
        deadline: impl FnMut(Lent<'_, D>) -> Option<u64> + 'static,
    ) -> Until<D> {
        until(name, rows, self, true, deadline)
    }
}
