//! Windows on event time: rows that say themselves when they happened, which may come late, and which are over one day.
//!
//! ```text
//!   commit            1          2             3                      event times 3 5 | 9 4 | 20 8, lateness 6
//!   greatest seen     5          9             20
//!   watermark         0          3             14                     the greatest, less the lateness: it only rises
//!   rows              3 5        9 4           20, and 8 is late      a change before the watermark is not made
//!   windows of ten    [0,10)     [0,10)        [10,20) [20,30)        a window that ends by it is closed: retracted
//! ```
//!
//! The *watermark* of a commit is the greatest event time inserted by then, over all workers, less the lateness. Three
//! things follow from it:
//!
//! * **Late.** A change of a row whose event time is before the watermark of the change's own commit, be it an insertion
//!   or a removal, is not made; it is told in [`Events::late`]. The order within a commit means nothing, so a load of a
//!   long history is best cut into commits.
//! * **Open.** A window's rows are in the answer as long as a change of the window might still be made. The windows of a
//!   row on time are all open: each ends past the row, which is not before the watermark.
//! * **Closed.** Then they are retracted, and so is what was made of them, and the state behind it. What the answer was
//!   to the last is final; [`Windows::closing`] tells it once more, for one commit.
//!
//! Equation: what is open at `t` are the rows that came on time by `t`, less those whose deadline the watermark of `t` has
//! reached. So it is a function of rows and watermark, whatever the order in which both came. Only where times are
//! totally ordered is there one watermark a time: elsewhere (in loops, with inputs of several coordinates) building is
//! refused.
//!
//! Event time moves with events only: while nothing comes, nothing expires, and closing an input closes no window.
//!
//! Cost: of a commit, the rows that came, those that expired, and a message between workers where the greatest event time
//! rises; a row waits for its deadline in runs by time, in which it is moved some four times for each factor of four.
//! Why not a join of rows with the watermark: every row would be told of every rise. Why not a wheel of slots: the
//! distances between event times are the user's, and may be anything.
//!
//! Tested against recomputation in `tests/tests/boxes/windows_line.rs`; what is kept is counted in `kept_laws.rs`.
//!
//! | file | holds |
//! |---|---|
//! | here | [`Events`]: a collection with event time |
//! | `watermark` | the greatest event time, brought to every worker |
//! | `until` | the node that lets rows pass until their deadline, and takes them back then |
//! | `sliding` | [`Windows`] of one width, and the last rows |
//! | `sessions` | [`Sessions`]: rows of a key that follow each other closely |

mod watermark;
mod until;
mod sliding;
mod sessions;
#[cfg(test)]
mod kept_laws;

use std::rc::Rc;

use crate::collection::Collection;
use crate::column::{Data, Lent};
use crate::error::Error;
use watermark::Watermark;

pub use sessions::Sessions;
pub use sliding::Windows;

/// When a row happened.
type EventTime<D> = Rc<dyn Fn(Lent<'_, D>) -> u64>;

/// Rows that have an event time, on which windows are made. See [`Collection::event_time`].
pub struct Events<D: Data> {
    on_time: Collection<D>,
    late: Collection<D>,
    time: EventTime<D>,
    watermark: Watermark,
}

impl<D: Data> Collection<D> {
    /// These rows, which happened when `time` says, and may come `lateness` later than others: to make windows of.
    ///
    /// Event times count in what units you like, from where you like; `lateness` is in the same. A row's event time is at
    /// most `lateness` before the greatest one that was inserted up to and in the row's own commit, on any worker; all other
    /// changes are [`late`](Events::late). `time` must be a function. `name` appears in errors.
    ///
    /// Cost: that of a [`consolidate`](Self::consolidate), and what the windows take.
    ///
    /// # Errors
    /// In loops, and where inputs have several coordinates, building ends with [`Error::Refused`].
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// // Visits in windows of sixty seconds, one every thirty, of rows that may come ten seconds late.
    /// let (open, late) = run_alone(Config::default(), |worker| {
    ///     let (mut visits, per_minute, late) = worker.dataflow(|scope| {
    ///         let (session, visits) = scope.input::<(u64, String)>("time and page");
    ///         let visits = visits.event_time("visits", 10, |(time, _page)| time);
    ///         let per_minute = visits.sliding(60, 30).open().map(|(start, _visit)| start).count();
    ///         (session, per_minute.output(), visits.late().output())
    ///     })?;
    ///     for time in [20, 40, 62] {
    ///         visits.insert((time, "/".to_string()));
    ///         worker.commit(&mut visits)?;
    ///     }
    ///     assert_eq!(per_minute.rows()?, [((0, 2), 1), ((30, 2), 1), ((60, 1), 1)]);
    ///     // Seconds 55 and 61 are late from now on: the window [0, 60) is closed.
    ///     visits.insert((75, "/".to_string()));
    ///     visits.insert((55, "/too/late".to_string()));
    ///     worker.commit(&mut visits)?;
    ///     Ok::<_, Error>((per_minute.rows()?, late.rows()?))
    /// }).unwrap();
    /// assert_eq!(open, [((30, 3), 1), ((60, 2), 1)]);
    /// assert_eq!(late, [((55, "/too/late".to_string()), 1)]);
    /// ```
    pub fn event_time(&self, name: &str, lateness: u64, time: impl Fn(Lent<'_, D>) -> u64 + 'static) -> Events<D> {
        let depth = self.scope().depth();
        if depth != 1 {
            let reason = format!("event time wants times of one coordinate, and here they have {depth}");
            self.scope().refuse(Error::Refused { operator: name.into(), reason });
        }
        let time: EventTime<D> = Rc::new(time);
        // Only what stays of a commit is seen: whatever came and went within it says nothing of the time.
        let rows = self.consolidate();
        let watermark = Watermark::new(name, &rows, Rc::clone(&time), lateness);
        let at = Rc::clone(&time);
        let judged = watermark.judge(name, &rows, move |row| at(row).checked_add(1));
        Events { on_time: judged.passed, late: judged.refused, time, watermark }
    }
}

impl<D: Data> Events<D> {
    /// The rows that came on time, and were not removed on time: for ever, whatever the watermark is.
    pub fn on_time(&self) -> &Collection<D> {
        &self.on_time
    }

    /// The changes that came too late, and so were not made: rows to be inserted with counts above zero, rows to be
    /// removed with counts below.
    ///
    /// A removal is late as an insertion is. What is kept of it downstream grows with every late change;
    /// `late().delta()` is those of one commit.
    pub fn late(&self) -> &Collection<D> {
        &self.late
    }
}
