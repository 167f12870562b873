//! Collects chunks of updates, and takes out those of an interval once it is closed.
//!
//! A chunk of one time, the usual case, is tested as a whole and moved into the interval without being read. Cost of a
//! seal: that of sorting what it seals; what it leaves behind costs a share that is logarithmic in its length.

use super::adding::{Adding, LOOK_FROM};
use super::later::{Later, Run};
use super::repeats::repeats;
use super::sealing::Sealing;
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::{Frontier, TimeColumn};
use crate::updates::{FEW, Keyed, few_sorted};

/// A chunk of up to this many rows is copied behind the last one, if that has no more: a million single updates are
/// not a million chunks.
const SMALL: usize = 256;

/// Collects updates in any order, and gives out those whose time has closed.
///
/// ```
/// use differential::batcher::Batcher;
/// use differential::layout::Rows;
/// use differential::time::Frontier;
/// use differential::updates::Keyed;
///
/// type Roads = Rows<u64, u64, u64, i64>;
/// let mut batcher = Batcher::<Roads>::new();
/// let mut roads = Keyed::<Roads>::empty(&(), &());
/// roads.push(1, 2, &3, 1);
/// roads.push(1, 7, &9, 1);
/// batcher.push(roads);
///
/// let mut sealing = batcher.seal(&Frontier::from(5))?.expect("an update before 5");
/// let mut effort = 1_000;
/// let batch = sealing.batch(&mut effort)?;
/// assert!(sealing.is_done(), "one update is less than a thousand");
/// assert_eq!(batch.expect("it was not taken back").len(), 1);
///
/// let mut held = Frontier::empty();
/// batcher.holds(&mut held);
/// assert_eq!(held, Frontier::from(9));
/// # Ok::<(), differential::diff::Overflow>(())
/// ```
pub struct Batcher<L: Layout> {
    /// What was pushed since the last seal.
    arrivals: Vec<Run<L>>,
    arrived_rows: usize,
    /// How many rows of arrivals make it worth a look whether they repeat.
    look_at: usize,
    /// Whether they did when they were added up last: then no sample is asked.
    repeating: bool,
    /// Arrivals that are being added up.
    adding: Option<Box<Adding<L>>>,
    /// What was in advance of all seals so far.
    later: Later<L>,
    /// The lower bound of all of these.
    lower: Frontier<L::Time>,
}

impl<L: Layout> Batcher<L> {
    /// A batcher with nothing in it.
    pub fn new() -> Self {
        Batcher {
            arrivals: Vec::new(),
            arrived_rows: 0,
            look_at: LOOK_FROM,
            repeating: false,
            adding: None,
            later: Later::default(),
            lower: Frontier::empty(),
        }
    }

    /// Takes updates in any order and at any times. Costs a look at the times of all rows, one look if they have one time.
    pub fn push(&mut self, rows: Keyed<L>) {
        if rows.is_empty() {
            return;
        }
        self.arrived_rows += rows.len();
        let run = Run::new(rows);
        self.lower.extend(&run.lower);
        match self.arrivals.last_mut() {
            Some(last) if run.rows.len() <= SMALL && last.rows.len() <= SMALL => last.append(&run),
            _ => self.arrivals.push(run),
        }
    }

    /// Adds arrivals up where they repeat and have become many, so that memory follows what they add up to: for about
    /// `effort` rows, taken from it. Whether it stopped in the middle: then there is nothing to seal before it is done.
    ///
    /// # Errors
    /// A total leaves the range of the diff; there is no going on then.
    pub fn settle(&mut self, effort: &mut usize) -> Result<bool, OverflowAt<L::Time>> {
        if self.adding.is_none() && self.arrived_rows >= self.look_at {
            let count = self.arrived_rows;
            if self.repeating || repeats(&self.arrivals, count) {
                self.adding = Some(Box::new(Adding::new(std::mem::take(&mut self.arrivals), count)));
                self.arrived_rows = 0;
            } else {
                self.look_at = 2 * count;
            }
        }
        let Some(adding) = &mut self.adding else { return Ok(false) };
        if adding.step(effort)?
            && let Some(adding) = self.adding.take()
        {
            let added = adding.finish();
            self.repeating = added.repeats;
            self.look_at = added.look_at();
            self.arrived_rows += added.kept;
            // Before what arrived meanwhile: what is kept is wider, and is to be freed first.
            self.arrivals.splice(..0, added.pieces);
        }
        Ok(self.adding.is_some())
    }

    /// Whether arrivals are being added up: see [`settle`](Self::settle).
    pub fn is_settling(&self) -> bool {
        self.adding.is_some()
    }

    /// The updates that are not in advance of `upper`, to be sorted; the rest stays. `None` if there are none.
    ///
    /// # Errors
    /// A total of what stays leaves the range of the diff; there is no going on then.
    ///
    /// # Panics
    /// While it [is settling](Self::is_settling).
    pub fn seal(&mut self, upper: &Frontier<L::Time>) -> Result<Option<Sealing<L>>, OverflowAt<L::Time>> {
        assert!(!self.is_settling(), "a seal while arrivals are being added up");
        if self.lower.is_empty() {
            return Ok(None);
        }
        if let Some(rows) = self.take_few(upper) {
            let rows = few_sorted(rows)?;
            return Ok((!rows.is_empty()).then(|| Sealing::done(rows)));
        }
        let mut sealed = Vec::new();
        self.later.take(upper, &mut sealed)?;
        let rests =
            self.arrivals.drain(..).filter_map(|run| run.split(upper, &mut sealed)).map(|rest| rest.rows).collect();
        self.later.add(rests)?;
        self.await_arrivals();
        let lower = std::mem::replace(&mut self.lower, Frontier::empty());
        self.later.lower_into(&mut self.lower);
        Ok((!sealed.is_empty()).then(|| Sealing::new(sealed, lower)))
    }

    /// All there is, if that is a few rows of one time that is not in advance of `upper`: most commits are.
    fn take_few(&mut self, upper: &Frontier<L::Time>) -> Option<Keyed<L>> {
        let [run] = &self.arrivals[..] else { return None };
        let few = run.rows.len() <= FEW && run.rows.times.uniform().is_some() && self.later.is_empty();
        if !few || upper.precedes(&run.lower) {
            return None;
        }
        self.await_arrivals();
        self.lower.clear();
        self.arrivals.pop().map(|run| run.rows)
    }

    /// Begins to count arrivals.
    fn await_arrivals(&mut self) {
        (self.arrived_rows, self.look_at, self.repeating) = (0, LOOK_FROM, false);
    }

    /// How many rows wait here, repetitions included.
    #[cfg(test)]
    pub(crate) fn rows_left(&self) -> usize {
        let adding = self.adding.as_ref().map_or(0, |adding| adding.count());
        self.arrived_rows + adding + self.later.rows()
    }

    /// Lowers `frontier` so that the times of all that is left are in advance of it. Costs a look at each element.
    pub fn holds(&self, frontier: &mut Frontier<L::Time>) {
        frontier.extend(&self.lower);
    }
}
