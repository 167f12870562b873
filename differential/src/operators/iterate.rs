//! Loops: what a function converges to, kept up to date.
//!
//! ```text
//!            ┌──────────────────────────────────────────────┐
//!            v                                              │ delay: one round later
//!   start ──(+)── variable ──> body ──> result ──(- start)──┘
//!                                          └──> leave
//! ```
//!
//! A variable that starts as `start` is, at round n + 1, what the body made of it at round n. In updates: the start's
//! own at round 0, and from there on the *changes* of the result against it, one round later. The equation:
//!
//! ```text
//!   x(0) = start        x(n + 1) = body(x(n))        result = the limit, at each outer time
//! ```
//!
//! A change of the start, or of anything else that the body reads, at epoch e flows round as changes at (e, 0), (e, 1)
//! ...: only what differs from the rounds of earlier epochs. What goes round is consolidated first, since updates that
//! cancel would otherwise chase each other for ever.
//!
//! A loop may have a bound of [`Rounds`]: the feedback of a variable is where it is kept, as everything goes through
//! there once a round. `docs/ITERATE.md` has the mathematics, with pictures.

use crate::collection::{Changes, Collection, Revise, Scope, postpone};
use crate::column::{Column, Data, ShapeOf};
use crate::diff::Diff;
use crate::error::{Error, Fault, Reason};
use crate::region::{NodeId, Output, SlotRule};
use crate::time::TimeColumn;

/// How many records an error shows of those that still change.
const SAMPLE_RECORDS: usize = 8;

/// How many rounds a loop may take. Rounds are counted from 0, whatever round a record enters at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounds {
    /// As many as it takes to converge; for ever if it does not.
    #[default]
    Unbounded,
    /// The body must converge when it is applied so many times, at every time. Where it does not, `commit` reports
    /// [`Reason::Rounds`], which shows some of the records that still change. No loop has less than one round.
    AtMost(u64),
    /// The body is applied so many times, whether that changes anything or not.
    Exactly(u64),
}

impl Rounds {
    /// The last round at which a variable may change.
    fn last(self) -> u64 {
        match self {
            Rounds::Unbounded => u64::MAX,
            Rounds::AtMost(rounds) => rounds.max(1),
            // What the body makes of the variable in that round is the result.
            Rounds::Exactly(rounds) => rounds.saturating_sub(1),
        }
    }

    /// Takes out what would change a variable past its last round; false if nothing is left.
    fn bound<D: Data, R: Diff>(self, updates: &mut Changes<D, R>, at: usize) -> Result<bool, Fault> {
        let last = self.last();
        let Some(rounds) = updates.times.lanes().get(at) else { return Ok(true) };
        if rounds.uniform().is_some_and(|round| *round <= last) {
            return Ok(true);
        }
        let (kept, late): (Vec<u32>, Vec<u32>) =
            (0..updates.len() as u32).partition(|&row| rounds.get(row as usize) <= last);
        if let (Rounds::AtMost(limit), Some(first)) = (self, late.first()) {
            let shown = |row: &u32| format!("{:?}", updates.data.get(*row as usize));
            let mut changing: Vec<String> = late.iter().map(shown).collect();
            changing.sort();
            changing.dedup();
            let records = changing.len();
            changing.truncate(SAMPLE_RECORDS);
            let reason = Reason::Rounds { limit, records, changing };
            return Err(Fault::from(reason).at(updates.times.get(*first as usize)));
        }
        if !late.is_empty() {
            *updates = updates.gather(&kept);
        }
        Ok(!kept.is_empty())
    }
}

/// A collection of a loop that is defined by what it was one round before.
///
/// Several variables of one loop are mutually recursive and step together. In the outermost scope a round is an epoch:
/// a variable there is what its definition was one epoch before. [`Collection::iterate`] is the short form for one
/// variable that starts as a collection.
///
/// ```
/// use differential::prelude::*;
///
/// // Which nodes can be reached in an even number of steps, and which in an odd number?
/// let rows = run_alone(Config::default(), |worker| {
///     let (mut edges, mut roots, even, odd) = worker.dataflow(|scope| {
///         let (edge_session, edges) = scope.input::<(u32, u32)>("edges");
///         let (root_session, roots) = scope.input::<u32>("roots");
///         let edges = edges.arrange_by_key("edges by source");
///         let steps = scope.inner("steps");
///         let (even, odd) = (Variable::from(&steps, &roots), Variable::new(&steps));
///         let step = |from: &Collection<u32>| from.join(&edges, |_source, (), target| target);
///         let next_even = step(odd.current()).concat(&roots).distinct();
///         let next_odd = step(even.current()).distinct();
///         even.set(&next_even);
///         odd.set(&next_odd);
///         (edge_session, root_session, next_even.leave().output(), next_odd.leave().output())
///     })?;
///     roots.insert(1);
///     edges.insert((1, 2));
///     edges.insert((2, 3));
///     worker.commit((&mut edges, &mut roots))?;
///     Ok::<_, Error>((even.rows()?, odd.rows()?))
/// });
/// assert_eq!(rows, Ok((vec![(1, 1), (3, 1)], vec![(2, 1)])));
/// ```
#[must_use = "a variable needs a definition: call `set`"]
pub struct Variable<D: Data, R: Diff = i64> {
    start: Option<Collection<D, R>>,
    rounds: Rounds,
    node: NodeId,
    /// The delayed end.
    output: Output<Changes<D, R>>,
    current: Collection<D, R>,
}

impl<D: Data, R: Diff> Variable<D, R> {
    /// A variable of the loop `scope` that is empty at round 0.
    pub fn new(scope: &Scope) -> Self
    where
        ShapeOf<D>: Default,
    {
        Self::of_shape(scope, Default::default())
    }

    /// A variable that is empty at round 0, of records whose column is typed at run time.
    pub fn of_shape(scope: &Scope, shape: ShapeOf<D>) -> Self {
        let region = scope.region();
        let rule = SlotRule::Delay { coordinate: scope.depth() - 1, by: 1 };
        let node = region.reserve(format!("variable of {}", scope.name()), scope.depth(), rule);
        let (output, stream) = region.output(node);
        let current = Collection { stream, scope: scope.clone(), shape, settled: false, gathered: false };
        Variable { start: None, rounds: Rounds::Unbounded, node, output, current }
    }

    /// A variable of the loop `scope` that is `start` at round 0. `start` may be a collection of an enclosing scope.
    pub fn from(scope: &Scope, start: &Collection<D, R>) -> Self {
        let start = start.enter(scope);
        let mut variable = Self::of_shape(scope, start.shape.clone());
        variable.current = start.concat(&variable.current);
        variable.start = Some(start);
        variable
    }

    /// This variable, for so many rounds. Variables of one loop step together: they are best given the same.
    pub fn for_rounds(self, rounds: Rounds) -> Self {
        Variable { rounds, ..self }
    }

    /// The variable, as the body of the loop sees it.
    pub fn current(&self) -> &Collection<D, R> {
        &self.current
    }

    /// Defines what the variable is one round later.
    pub fn set(self, result: &Collection<D, R>) {
        let result = result.consolidate();
        let feedback = match &self.start {
            Some(start) => result.concat(&start.negate()),
            None => result,
        };
        let scope = self.current.scope.combine(&feedback.scope);
        if scope.depth() != self.current.scope.depth() {
            scope.refuse(Error::Scopes { left: self.current.scope.name().into(), right: scope.name().into() });
        }
        let (region, at) = (scope.region(), self.current.scope.depth() - 1);
        let rounds = self.rounds;
        let logic = move |updates: &mut Changes<D, R>| -> Result<bool, Fault> {
            postpone(&mut updates.times, at, 1)?;
            rounds.bound(updates, at)
        };
        let shape = self.current.shape.clone();
        region.install_relay(self.node, &[&feedback.stream], Revise { output: self.output, shape, logic });
    }

    /// Defines the variable by `body`; what that comes to, outside of the loop.
    fn limit_of(self, body: impl FnOnce(&Collection<D, R>) -> Collection<D, R>) -> Collection<D, R> {
        let result = body(&self.current);
        self.set(&result);
        result.leave()
    }
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// The limit of applying `body` again and again, starting from this collection.
    ///
    /// At each time: `x(0)` is this collection, `x(n + 1)` is `body` of `x(n)`; the result is what it converges to. A
    /// body that does not converge runs for ever; [`iterate_for`](Self::iterate_for) has a bound. The body may use
    /// collections and arrangements of enclosing scopes.
    ///
    /// ```
    /// use differential::{Config, run_alone};
    ///
    /// // Halve even numbers until all are odd (or zero).
    /// let odd = run_alone(Config::default(), |worker| {
    ///     let (mut numbers, odd) = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         let halve = |n: u64| if n % 2 == 0 { n / 2 } else { n };
    ///         (session, numbers.iterate(|numbers| numbers.map(halve)).output())
    ///     })?;
    ///     numbers.insert(12);
    ///     worker.commit(&mut numbers)?;
    ///     Ok::<_, differential::Error>(odd.rows())
    /// });
    /// assert_eq!(odd.unwrap(), Ok(vec![(3, 1)]));
    /// ```
    pub fn iterate(&self, body: impl FnOnce(&Collection<D, R>) -> Collection<D, R>) -> Collection<D, R> {
        self.iterate_in(&self.scope.inner("iterate"), body)
    }

    /// [`iterate`](Self::iterate) for some number of rounds; `name` is the loop's, and appears in errors.
    ///
    /// # Errors
    /// [`Rounds::AtMost`] stops a loop that has not converged by then; `commit` reports it.
    ///
    /// ```
    /// use differential::operators::Rounds;
    /// use differential::{Config, Error, error::Reason, run_alone};
    ///
    /// let doubled = |rounds| run_alone(Config::default(), |worker| {
    ///     let (mut numbers, doubled) = worker.dataflow(|scope| {
    ///         let (session, numbers) = scope.input::<u64>("numbers");
    ///         (session, numbers.iterate_for("doubling", rounds, |numbers| numbers.map(|n| 2 * n)).output())
    ///     })?;
    ///     numbers.insert(1);
    ///     worker.commit(&mut numbers)?;
    ///     Ok::<_, Error>(doubled.rows()?)
    /// });
    /// assert_eq!(doubled(Rounds::Exactly(10)), Ok(vec![(1024, 1)]));
    /// let Err(Error::Operator { operator, reason, .. }) = doubled(Rounds::AtMost(10)) else { panic!("it goes on") };
    /// assert_eq!(operator, "variable of doubling");
    /// assert!(matches!(reason, Reason::Rounds { limit: 10, .. }));
    /// ```
    pub fn iterate_for(
        &self,
        name: &str,
        rounds: Rounds,
        body: impl FnOnce(&Collection<D, R>) -> Collection<D, R>,
    ) -> Collection<D, R> {
        if rounds == Rounds::Exactly(0) {
            return self.clone();
        }
        Variable::from(&self.scope.inner(name), self).for_rounds(rounds).limit_of(body)
    }

    /// [`iterate`](Self::iterate) in a loop that was made before, so that other collections could be prepared for it.
    pub fn iterate_in(
        &self,
        scope: &Scope,
        body: impl FnOnce(&Collection<D, R>) -> Collection<D, R>,
    ) -> Collection<D, R> {
        Variable::from(scope, self).limit_of(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Point;

    /// Containers that hold several rounds at once, on either side of the bound.
    #[test]
    fn what_is_past_the_last_round_is_taken_out_and_nothing_else() {
        for most in 0..6 {
            for rounds in [vec![], vec![most], vec![0, most, most + 1], vec![3, 4, 5, 0], vec![7, 8]] {
                let mut updates = Changes::<u64, i64>::empty(&());
                for (record, round) in (0..).zip(&rounds) {
                    updates.push(record, &Point::from([9, *round]), 1);
                }
                let kept = Rounds::Exactly(most + 1).bound(&mut updates, 1).expect("nothing fails");
                let left: Vec<u64> = (0..updates.len()).map(|row| updates.times.get(row).coordinate(1)).collect();
                let expected: Vec<u64> = rounds.iter().copied().filter(|round| *round <= most).collect();
                assert_eq!(kept, !expected.is_empty() || rounds.is_empty(), "{rounds:?}, at most {most}");
                if kept {
                    assert_eq!(left, expected, "at most {most}");
                }
            }
        }
    }
}
