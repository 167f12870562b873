//! Which rows are present: fed, not removed, and not yet dropped by the window.
//!
//! ```text
//!     arrivals   0   1   2   3   4   5   6   7
//!                dropped   |  a   -   b   a | <- newest      `- ` marks a removed row
//!                          |  window of 5   |
//! ```
//!
//! A window is a suffix of the rows *fed*: by count, the last N of them; by time, those with `T - width < time <= T`,
//! T being the newest time fed. A removed row leaves a gap in it: the gap counts in N, so the row's place is not
//! refilled by an older one, and moving the window past the gap drops nothing, so the row does not come back.
//!
//! A removal takes the newest copy that begins with the columns it names. Copies of an edge are kept in order of
//! arrival, so the window, which drops the oldest row, drops the front of its edge's copies.
//!
//! Every change is of one *row*; whether an edge appears or disappears with it is for the engine to say.
//!
//! Invariant: with a window, each copy kept has its arrival in the queue. Cost: O(1) a row fed or dropped; a removal
//! looks at the copies of its edge newer than the one it takes. Memory: the rows present, and with a window the gaps
//! in it. Why no queue without a window: nothing would ever leave it.
//! Tested at the end of this file against a list that is filtered anew at each step.

use super::rows::{Edge, LineError, Row};
use super::seconds::Seconds;
use std::collections::{HashMap, VecDeque};

/// Which rows, of those fed, stay present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// All of them.
    All,
    /// The last so many.
    Rows(u64),
    /// Those newer than the newest time fed by less than this.
    Time(Seconds),
}

/// A row came (+1) or went (-1).
pub type Change = (Edge, i64);

/// The rows present.
pub struct Presence {
    window: Window,
    copies: HashMap<Edge, VecDeque<Copy>>,
    arrivals: VecDeque<Arrival>,
    rows_fed: u64,
    rows_present: u64,
    newest: Option<Seconds>,
}

/// A row present, under its edge.
struct Copy {
    arrival: u64,
    columns: Box<str>,
}

/// A row fed and not yet passed by the window; it may have been removed.
struct Arrival {
    number: u64,
    edge: Edge,
    /// Zero when the window does not look at it.
    time: Seconds,
}

impl Presence {
    /// Nothing is present.
    pub fn new(window: Window) -> Presence {
        Presence {
            window,
            copies: HashMap::new(),
            arrivals: VecDeque::new(),
            rows_fed: 0,
            rows_present: 0,
            newest: None,
        }
    }

    /// How many rows were fed so far, those removed or dropped since included.
    pub fn rows_fed(&self) -> u64 {
        self.rows_fed
    }

    /// How many rows are present, equal ones counted as often as they are there.
    pub fn rows_present(&self) -> u64 {
        self.rows_present
    }

    /// Feeds a row, and drops what leaves the window by it. Appends the changes.
    ///
    /// Errors leave everything as it was: no time, no number, or one before the newest, with a window by time.
    pub fn insert(&mut self, row: Row, changes: &mut Vec<Change>) -> Result<(), LineError> {
        let time = match self.window {
            Window::Time(_) => self.advance(row.time()?)?,
            Window::All | Window::Rows(_) => Seconds::ZERO,
        };
        let Row { edge, columns } = row;
        let arrival = self.rows_fed;
        self.rows_fed += 1;
        self.rows_present += 1;
        self.copies.entry(edge).or_default().push_back(Copy { arrival, columns });
        changes.push((edge, 1));
        if self.window != Window::All {
            self.arrivals.push_back(Arrival { number: arrival, edge, time });
            self.slide(changes);
        }
        Ok(())
    }

    /// Removes the newest row present that begins with the columns of `row`. Appends the change.
    ///
    /// Errors leave everything as it was: there is no such row.
    pub fn remove(&mut self, row: Row, changes: &mut Vec<Change>) -> Result<(), LineError> {
        let edge = row.edge;
        let Some(copies) = self.copies.get_mut(&edge) else { return Err(LineError::Absent { row }) };
        let Some(newest) = copies.iter().rposition(|copy| begins_with(&copy.columns, &row.columns)) else {
            return Err(LineError::Absent { row });
        };
        copies.remove(newest);
        self.left(edge, changes);
        Ok(())
    }

    /// Moves the newest time forward, or refuses to move it back.
    fn advance(&mut self, time: Seconds) -> Result<Seconds, LineError> {
        match self.newest {
            Some(newest) if time < newest => Err(LineError::TimeWentBack { time, newest }),
            _ => {
                self.newest = Some(time);
                Ok(time)
            }
        }
    }

    /// Drops the arrivals that the window has passed, with their rows if nobody removed those before.
    fn slide(&mut self, changes: &mut Vec<Change>) {
        while let Some(oldest) = self.arrivals.front()
            && self.passed(oldest)
        {
            let Arrival { number, edge, .. } = self.arrivals.pop_front().expect("looked at above");
            // Whoever arrived first is the front of its edge's copies, unless it was removed.
            if let Some(copies) = self.copies.get_mut(&edge)
                && copies.front().is_some_and(|copy| copy.arrival == number)
            {
                copies.pop_front();
                self.left(edge, changes);
            }
        }
    }

    fn passed(&self, arrival: &Arrival) -> bool {
        match (self.window, self.newest) {
            (Window::Rows(rows), _) => self.rows_fed - arrival.number > rows,
            (Window::Time(width), Some(newest)) => arrival.time <= newest.before(width),
            (Window::Time(_), None) | (Window::All, _) => false,
        }
    }

    /// A copy of `edge` was taken out.
    fn left(&mut self, edge: Edge, changes: &mut Vec<Change>) {
        if self.copies.get(&edge).is_some_and(VecDeque::is_empty) {
            self.copies.remove(&edge);
        }
        self.rows_present -= 1;
        changes.push((edge, -1));
    }
}

/// Whether the first of a row's further columns are those named: all that are named, none of them cut short.
fn begins_with(columns: &str, named: &str) -> bool {
    match columns.strip_prefix(named) {
        Some(rest) => named.is_empty() || rest.is_empty() || rest.starts_with('\t'),
        None => false,
    }
}

#[cfg(test)]
#[path = "presence_laws.rs"]
mod presence_laws;
