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
//! A row is a key and further columns; of an edge list, the edge is the key. A removal takes the newest copy of its key that
//! begins with the columns it names. Copies of a key are kept in order of arrival, so the window, which drops the oldest
//! row, drops the front of its key's copies.
//!
//! Every change is of one *row*; what appears or disappears with it is for the engine to say.
//!
//! Invariant: with a window, each copy kept has its arrival in the queue. Cost: O(1) a row fed or dropped; a removal
//! looks at the copies of its key newer than the one it takes. Memory: the rows present, and with a window the gaps
//! in it. Why no queue without a window: nothing would ever leave it.
//! Tested at the end of this file against a list that is filtered anew at each step.

use super::seconds::Seconds;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::Hash;

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

/// A time before one already fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WentBack {
    /// That of the row which is refused.
    pub time: Seconds,
    /// The newest one fed before.
    pub newest: Seconds,
}

impl fmt::Display for WentBack {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WentBack { time, newest } = self;
        write!(out, "time went back: {time} after {newest}; a window by time wants rows in order of time")
    }
}

impl std::error::Error for WentBack {}

/// A row's key came (+1) or went (-1).
pub type Change<K> = (K, i64);

/// The rows present: each a key, which is what its change says, and further columns, which a removal may name.
pub struct Presence<K> {
    window: Window,
    copies: HashMap<K, VecDeque<Copy>>,
    arrivals: VecDeque<Arrival<K>>,
    rows_fed: u64,
    rows_present: u64,
    newest: Option<Seconds>,
}

/// A row present, under its key.
struct Copy {
    arrival: u64,
    columns: Box<str>,
}

/// A row fed and not yet passed by the window; it may have been removed.
struct Arrival<K> {
    number: u64,
    key: K,
    /// Zero when the window does not look at it.
    time: Seconds,
}

impl<K: Clone + Eq + Hash> Presence<K> {
    /// Nothing is present.
    pub fn new(window: Window) -> Presence<K> {
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

    /// Whether rows need a time.
    pub fn wants_time(&self) -> bool {
        matches!(self.window, Window::Time(_))
    }

    /// Feeds a row, and drops what leaves the window by it. Appends the changes. Without a window by time, `time` is of
    /// no meaning.
    ///
    /// Errors leave everything as it was: a time before the newest, with a window by time.
    pub fn insert(
        &mut self,
        key: K,
        columns: Box<str>,
        time: Seconds,
        changes: &mut Vec<Change<K>>,
    ) -> Result<(), WentBack> {
        if self.wants_time() {
            self.advance(time)?;
        }
        let arrival = self.rows_fed;
        self.rows_fed += 1;
        self.rows_present += 1;
        changes.push((key.clone(), 1));
        if self.window != Window::All {
            self.arrivals.push_back(Arrival { number: arrival, key: key.clone(), time });
        }
        self.copies.entry(key).or_default().push_back(Copy { arrival, columns });
        self.slide(changes);
        Ok(())
    }

    /// Removes the newest row present of this key that begins with these columns, and appends the change; false, and
    /// nothing is changed, if there is none.
    pub fn remove(&mut self, key: K, columns: &str, changes: &mut Vec<Change<K>>) -> bool {
        let Some(copies) = self.copies.get_mut(&key) else { return false };
        let Some(newest) = copies.iter().rposition(|copy| begins_with(&copy.columns, columns)) else { return false };
        copies.remove(newest);
        self.left(key, changes);
        true
    }

    /// Moves the newest time forward, or refuses to move it back.
    fn advance(&mut self, time: Seconds) -> Result<(), WentBack> {
        match self.newest {
            Some(newest) if time < newest => Err(WentBack { time, newest }),
            _ => {
                self.newest = Some(time);
                Ok(())
            }
        }
    }

    /// Drops the arrivals that the window has passed, with their rows if nobody removed those before.
    fn slide(&mut self, changes: &mut Vec<Change<K>>) {
        while let Some(oldest) = self.arrivals.front()
            && self.passed(oldest)
        {
            let Arrival { number, key, .. } = self.arrivals.pop_front().expect("looked at above");
            // Whoever arrived first is the front of its key's copies, unless it was removed.
            if let Some(copies) = self.copies.get_mut(&key)
                && copies.front().is_some_and(|copy| copy.arrival == number)
            {
                copies.pop_front();
                self.left(key, changes);
            }
        }
    }

    fn passed(&self, arrival: &Arrival<K>) -> bool {
        match (self.window, self.newest) {
            (Window::Rows(rows), _) => self.rows_fed - arrival.number > rows,
            (Window::Time(width), Some(newest)) => arrival.time <= newest.before(width),
            (Window::Time(_), None) | (Window::All, _) => false,
        }
    }

    /// A copy under `key` was taken out.
    fn left(&mut self, key: K, changes: &mut Vec<Change<K>>) {
        if self.copies.get(&key).is_some_and(VecDeque::is_empty) {
            self.copies.remove(&key);
        }
        self.rows_present -= 1;
        changes.push((key, -1));
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
