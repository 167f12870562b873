//! Collects chunks of updates, and takes out those of an interval once it is closed.
//!
//! A chunk of one time, the usual case, is tested as a whole and moved into the batch without being read. Cost of a
//! seal: the sort of what it seals; what it leaves behind costs a share that is logarithmic in its length.

use super::later::{Later, Run};
use super::repeats::repeats;
use crate::batch::Batch;
use crate::diff::OverflowAt;
use crate::layout::Layout;
use crate::time::Frontier;
use crate::updates::{Keyed, consolidated};

/// A chunk of up to this many rows is copied behind the last one, if that has no more: a million single updates are
/// not a million chunks.
const SMALL: usize = 256;
/// Arrivals are not looked at for repetitions before there are this many.
const LOOK_FROM: usize = 4096;

/// Collects updates in any order, and makes a batch of those whose time has closed.
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
/// let batch = batcher.seal(&Frontier::from(5))?.expect("an update before 5");
/// assert_eq!(batch.len(), 1);
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
    /// What was in advance of all seals so far.
    later: Later<L>,
    /// The lower bound of all of these.
    lower: Frontier<L::Time>,
    /// Whether a total has left the range of the diff, and when.
    overflow: Option<OverflowAt<L::Time>>,
}

impl<L: Layout> Batcher<L> {
    /// A batcher with nothing in it.
    pub fn new() -> Self {
        Batcher {
            arrivals: Vec::new(),
            arrived_rows: 0,
            look_at: LOOK_FROM,
            later: Later::default(),
            lower: Frontier::empty(),
            overflow: None,
        }
    }

    /// Takes updates in any order and at any times.
    ///
    /// Costs a look at the times of all rows, one look if they have one time. Where rows repeat, they are now and then
    /// added up, so that memory follows what they add up to.
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
        if self.arrived_rows >= self.look_at {
            self.look_for_repeats();
        }
    }

    fn look_for_repeats(&mut self) {
        let before = self.arrived_rows;
        if repeats(&self.arrivals, before) {
            match consolidated(self.arrivals.drain(..).map(|run| run.rows).collect()) {
                Ok(rows) => {
                    self.arrived_rows = rows.len();
                    self.arrivals.extend((!rows.is_empty()).then(|| Run::new(rows)));
                }
                Err(overflow) => self.overflow = Some(overflow),
            }
        }
        // A sample may mistake few rows that come very often for many: then look less often.
        let patience = if self.arrived_rows > before / 2 { 4 } else { 2 };
        self.look_at = LOOK_FROM.max(patience * self.arrived_rows);
    }

    /// The updates that are not in advance of `upper`, as one batch; the rest stays. `None` if they add up to nothing.
    ///
    /// Fails if a total, of what was pushed since the last seal too, leaves the range of the diff: the updates are then
    /// gone, and so does every later call.
    pub fn seal(&mut self, upper: &Frontier<L::Time>) -> Result<Option<Batch<L>>, OverflowAt<L::Time>> {
        Ok(self.extract(upper)?.and_then(Batch::new))
    }

    /// What [`seal`](Self::seal) makes a batch of, as rows, sorted and added up.
    pub fn extract(&mut self, upper: &Frontier<L::Time>) -> Result<Option<Keyed<L>>, OverflowAt<L::Time>> {
        let mut sealed = Vec::new();
        if let Some(overflow) = &self.overflow {
            return Err(overflow.clone());
        }
        let parted = self.part(upper, &mut sealed);
        let result = parted.and_then(|()| if sealed.is_empty() { Ok(None) } else { consolidated(sealed).map(Some) });
        self.overflow = result.as_ref().err().cloned();
        Ok(result?.filter(|rows| !rows.is_empty()))
    }

    fn part(&mut self, upper: &Frontier<L::Time>, sealed: &mut Vec<Keyed<L>>) -> Result<(), OverflowAt<L::Time>> {
        self.later.take(upper, sealed)?;
        let rests = self.arrivals.drain(..).filter_map(|run| run.split(upper, sealed)).map(|rest| rest.rows).collect();
        self.later.add(rests)?;
        self.arrived_rows = 0;
        self.look_at = LOOK_FROM;
        self.lower.clear();
        self.later.lower_into(&mut self.lower);
        Ok(())
    }

    /// How many rows wait here, repetitions included.
    #[cfg(test)]
    pub(super) fn rows_left(&self) -> usize {
        self.arrived_rows + self.later.rows()
    }

    /// Lowers `frontier` so that the times of all that is left are in advance of it. Costs a look at each element.
    pub fn holds(&self, frontier: &mut Frontier<L::Time>) {
        frontier.extend(&self.lower);
    }
}
