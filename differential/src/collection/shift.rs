//! What changes times: delays, entering a loop at a round, leaving it.
//!
//! ```text
//!   delay        (e, r)    ->  (e, r + 1)      a slot of its own: the input's, later
//!   enter at k   (e)       ->  (e, k)          shares its slot: times only grow
//!   leave        (e, r)    ->  (e)             a slot of its own: the input's, truncated
//! ```

use super::handle::{Changes, Collection};
use super::rowwise::revise;
use super::scope::Scope;
use crate::column::{Column, Data, Lent};
use crate::diff::Diff;
use crate::error::Fault;
use crate::region::SlotRule;
use crate::time::{Lanes, TimeColumn};

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

/// Adds `rounds` at coordinate `at` of all times; a time without room for it is named.
pub(crate) fn postpone(times: &mut Lanes, at: usize, rounds: u64) -> Result<(), Fault> {
    times.add(at, rounds).map_err(|late| {
        // Those without room have wrapped.
        let wrapped = (0..times.len()).map(|row| times.get(row)).filter(|time| time.coordinate(at) < rounds);
        let first = wrapped.filter_map(|time| time.plus(at, rounds.wrapping_neg())).min();
        first.map_or(late.into(), |time| Fault::from(late).at(time))
    })
}
