//! Windows of one width, and the last rows.
//!
//! ```text
//!   width 6, step 3       0        3        6        9        12
//!                         [-----------------)
//!                                  [-----------------)
//!                                           [-----------------)
//!   a row at 7                              ^ ^     in the windows that start at 3 and at 6
//! ```
//!
//! A row goes into each of its windows, as a record with the window's start: so what is made of windows is made of groups.
//! A window's deadline is its end.

use std::rc::Rc;

use super::Events;
use super::until::Until;
use crate::collection::Collection;
use crate::column::{Column, Data, ShapeOf};
use crate::error::Error;

/// Rows of windows: of those that are open, and of those that close. Made by [`Events::sliding`] and [`Events::last`].
pub struct Windows<D: Data> {
    rows: Until<D>,
}

impl<D: Data> Windows<D> {
    /// The rows of the windows that are open: at each time, those that the watermark has not reached the end of.
    pub fn open(&self) -> Collection<D> {
        self.rows.passed.concat(&self.rows.expired)
    }

    /// The rows of the windows that close, as they are to the last: at each time, those that are open one time before and
    /// not any more. So what is made of them is each window's final answer, told for one commit.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let told = run_alone(Config::default(), |worker| {
    ///     let (mut sales, mut final_sums) = worker.dataflow(|scope| {
    ///         let (session, sales) = scope.input::<(u64, i64)>("time and price");
    ///         let windows = sales.event_time("sales", 0, |(time, _price)| time).sliding(10, 10);
    ///         let sums = windows.closing().map(|(start, (_time, price))| (start, price)).sum(|price| price);
    ///         (session, sums.output())
    ///     })?;
    ///     let mut told = Vec::new();
    ///     for (time, price) in [(3, 5), (8, 6), (12, 7), (25, 8)] {
    ///         sales.insert((time, price));
    ///         worker.commit(&mut sales)?;
    ///         told.push(final_sums.rows()?.into_iter().map(|(row, _)| row).collect::<Vec<_>>());
    ///     }
    ///     Ok::<_, Error>(told)
    /// });
    /// assert_eq!(told, Ok(vec![vec![], vec![], vec![(0, 11)], vec![(10, 7)]]));
    /// ```
    ///
    /// # Errors
    /// A time that overflows stops the operator; `commit` reports it.
    pub fn closing(&self) -> Collection<D> {
        let expired = &self.rows.expired;
        expired.negate().concat(&expired.delay(1))
    }
}

impl<D: Data> Events<D> {
    /// The rows in windows of `width` that start at every multiple of `step`: `(start, row)`, for each window
    /// `[start, start + width)` that holds the row's event time.
    ///
    /// Where `step` is the width, each row is in one window; where it is greater, some are in none. A window that reaches
    /// past the greatest number never closes.
    ///
    /// Cost: a row for each window that holds it, `width / step` of them.
    ///
    /// # Errors
    /// With a step of zero, building ends with [`Error::Refused`].
    ///
    /// For an example see [`event_time`](Collection::event_time).
    pub fn sliding(&self, width: u64, step: u64) -> Windows<(u64, D)>
    where
        ShapeOf<D>: Default,
    {
        if step == 0 {
            let (operator, reason) = ("sliding windows".into(), "a step of zero makes no windows".into());
            self.on_time.scope().refuse(Error::Refused { operator, reason });
        }
        let time = Rc::clone(&self.time);
        let rows = self.on_time.flat_map(move |row| {
            let (at, row) = (time(row), D::Column::owned(row));
            starts(at, width, step).map(move |start| (start, row.clone()))
        });
        // A row has each of its windows once.
        let rows = Collection { settled: self.on_time.settled, ..rows };
        let rows = self.watermark.expire("sliding windows", &rows, move |(start, _)| start.checked_add(width));
        Windows { rows }
    }

    /// The rows of the last `span`: each until the watermark is more than `span` past its event time.
    ///
    /// The window that slides with every row, as [`sliding`](Self::sliding) by the smallest step, at the cost of one row.
    /// [`Windows::closing`] tells those that leave it.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// // Who was seen in the last hour?
    /// let rows = run_alone(Config::default(), |worker| {
    ///     let (mut seen, here) = worker.dataflow(|scope| {
    ///         let (session, seen) = scope.input::<(String, u64)>("who and when");
    ///         let last_hour = seen.event_time("seen", 0, |(_who, when)| when).last(3600);
    ///         (session, last_hour.open().map(|(who, _when)| who.to_string()).distinct().output())
    ///     })?;
    ///     for (who, when) in [("Ada", 1000), ("Bob", 2000), ("Ada", 4600), ("Eve", 5601)] {
    ///         seen.insert((who.to_string(), when));
    ///         worker.commit(&mut seen)?;
    ///     }
    ///     Ok::<_, Error>(here.rows()?)
    /// });
    /// assert_eq!(rows, Ok(vec![("Ada".to_string(), 1), ("Eve".to_string(), 1)]));
    /// ```
    pub fn last(&self, span: u64) -> Windows<D> {
        let time = Rc::clone(&self.time);
        let rows = self
            .watermark
            .expire("the last rows", &self.on_time, move |row| time(row).checked_add(span)?.checked_add(1));
        Windows { rows }
    }
}

/// The starts of all windows that hold a time, the last one first.
fn starts(at: u64, width: u64, step: u64) -> impl Iterator<Item = u64> {
    (0..=at / step).rev().map(move |window| window * step).take_while(move |start| at - start < width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_of_a_time_are_those_that_hold_it() {
        for (at, width, step) in (0..30u64).flat_map(|at| (0..9).flat_map(move |w| (1..9).map(move |s| (at, w, s)))) {
            let mut all: Vec<u64> = (0..=at).filter(|start| start % step == 0 && start + width > at).collect();
            all.reverse();
            assert_eq!(starts(at, width, step).collect::<Vec<_>>(), all, "at {at}, width {width}, step {step}");
        }
        assert_eq!(starts(u64::MAX, 2, 1).collect::<Vec<_>>(), [u64::MAX, u64::MAX - 1]);
    }
}
