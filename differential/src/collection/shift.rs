//! What changes times: delays, entering a loop at a round, leaving it.
//!
//! ```text
//!   delay        (e, r)    ->  (e, r + 1)      a slot of its own: the input's, later
//!   enter at k   (e)       ->  (e, k)          shares its slot: times only grow
//!   leave        (e, r)    ->  (e)             a slot of its own: the input's, truncated
//!   split at k   (e, r)    ->  (e, r)          two outputs, r < k and r >= k: no time changes
//! ```

use super::handle::{Changes, Collection};
use super::rowwise::revise;
use super::scope::Scope;
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::diff::Diff;
use crate::error::Fault;
use crate::region::{Output, Relay, SlotRule};
use crate::time::{Lanes, TimeColumn};
use crate::updates::Updates;

impl<D: Data, R: Diff> Collection<D, R> {
    /// The same updates, `rounds` later at the innermost coordinate: rounds of the loop, or epochs outside of one.
    ///
    /// # Errors
    /// A time that overflows stops the operator; `commit` reports it.
    pub fn delay(&self, rounds: u64) -> Collection<D, R> {
        if rounds == 0 {
            return self.clone();
        }
        let at = self.scope.depth() - 1;
        let rule = SlotRule::Delay { coordinate: at, by: rounds };
        let stream =
            revise(&self.scope, "delay", rule, (&self.stream, &self.shape), move |updates: &mut Changes<D, R>| {
                postpone(&mut updates.times, at, rounds)?;
                Ok(true)
            });
        Collection { stream, ..self.clone() }
    }

    /// The same records, seen from the loop `scope`, each from the round on that `round` gives it.
    ///
    /// Used to let some records start later than others: labels that enter in order of priority settle sooner.
    pub fn enter_at(&self, scope: &Scope, mut round: impl FnMut(Lent<'_, D>) -> u64 + 'static) -> Collection<D, R> {
        let entered = self.enter(scope);
        let at = entered.scope.depth() - 1;
        let mut rounds = Vec::new();
        let logic = move |updates: &mut Changes<D, R>| {
            rounds.clear();
            rounds.extend((0..updates.len()).map(|row| round(updates.data.get(row))));
            updates.times.raise(at, &rounds);
            Ok(true)
        };
        let stream = revise(&entered.scope, "enter_at", SlotRule::Shared, (&entered.stream, &entered.shape), logic);
        // Updates of two epochs' rounds may fall on one.
        Collection { stream, settled: false, ..entered }
    }

    /// The updates before a round of the innermost loop, and those from it on: of a loop that is to be given up, what goes
    /// round once more, and what would still change.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// // Counts up for ever, but for the limit of ten rounds.
    /// let (kept, late) = run_alone(Config::default(), |worker| {
    ///     let (mut numbers, kept, late) = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         let variable = Variable::new(&scope.inner("count"));
    ///         let next = variable.current().map(|number| number + 1).concat(&numbers).distinct();
    ///         let (kept, late) = next.split_at_round(10);
    ///         variable.set(&kept);
    ///         (session, kept.leave().output(), late.leave().output())
    ///     })?;
    ///     numbers.insert(7);
    ///     worker.commit(&mut numbers)?;
    ///     Ok::<_, Error>((kept.rows().unwrap(), late.rows().unwrap()))
    /// }).unwrap();
    /// assert_eq!((kept.len(), late), (10, vec![(17, 1)]));
    /// ```
    pub fn split_at_round(&self, round: u64) -> (Collection<D, R>, Collection<D, R>) {
        let (region, at) = (self.scope.region(), self.scope.depth() - 1);
        let node = region.reserve("split at a round", self.scope.depth(), SlotRule::Shared);
        let ((before, before_stream), (from, from_stream)) = (region.output(node), region.output(node));
        let shape = self.shape.clone();
        region.install_relay(node, &[&self.stream], SplitAtRound { before, from, at, round, shape });
        (Collection { stream: before_stream, ..self.clone() }, Collection { stream: from_stream, ..self.clone() })
    }

    /// The collection as seen from outside its loop: at each outer time, the sum over all rounds.
    ///
    /// Used on the outermost scope it is an error of whoever builds the dataflow.
    pub fn leave(&self) -> Collection<D, R> {
        let Some(parent) = self.scope.parent() else {
            self.scope.refuse(crate::error::Error::Scopes { left: self.scope.name().into(), right: "nothing".into() });
            return self.clone();
        };
        let depth = parent.depth();
        let rule = SlotRule::Truncate { depth };
        let stream = revise(parent, "leave", rule, (&self.stream, &self.shape), move |updates: &mut Changes<D, R>| {
            updates.times.truncate_to(depth);
            Ok(true)
        });
        Collection { stream, scope: parent.clone(), shape: self.shape.clone(), settled: false, gathered: self.gathered }
    }
}

struct SplitAtRound<D: Data, R: Diff> {
    before: Output<Changes<D, R>>,
    from: Output<Changes<D, R>>,
    at: usize,
    round: u64,
    shape: ShapeOf<D>,
}

impl<D: Data, R: Diff> Relay<Changes<D, R>> for SplitAtRound<D, R> {
    fn take(&mut self, updates: &mut Changes<D, R>) -> Result<(), Fault> {
        let (at, round) = (self.at, self.round);
        let empty = || Updates::empty(&self.shape);
        // Mostly all of a container are of one round.
        if let Some(time) = updates.times.uniform() {
            let output = if time.coordinate(at) < round { &self.before } else { &self.from };
            output.send_from(updates, empty);
            return Ok(());
        }
        let is_late = |row: &u32| updates.times.get(*row as usize).coordinate(at) >= round;
        let (late, early): (Vec<u32>, Vec<u32>) = (0..updates.len() as u32).partition(is_late);
        if !late.is_empty() {
            self.from.send(updates.gather(&late));
            *updates = updates.gather(&early);
        }
        if !early.is_empty() {
            self.before.send_from(updates, empty);
        }
        Ok(())
    }
}

/// Adds `rounds` at coordinate `at` of all times; a time without room for it is named.
pub(crate) fn postpone(times: &mut Lanes, at: usize, rounds: u64) -> Result<(), Fault> {
    times.add(at, rounds).map_err(|late| {
        // Those without room have wrapped.
        let wrapped = (0..times.len()).map(|row| times.get(row)).filter(|time| time.coordinate(at) < rounds);
        let first = wrapped.filter_map(|time| time.plus(at, rounds.wrapping_neg())).min();
        first.map_or(late.into(), |time| Fault::from(late).at(time))
    })
}
