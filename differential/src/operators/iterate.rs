//! Loops: what a function converges to, kept up to date.
//!
//! ```text
//!            ┌──────────────────────────────────────────────┐
//!            v                                              │ delay: one round later
//!   start ──(+)── variable ──> body ──> result ──(- start)──┘
//!                                          └──> leave
//! ```
//!
//! A variable that starts as `start` is, at round n + 1, what the body made of it at round n. In updates: the start's own
//! at round 0, and from there on the *changes* of the result against it, one round later. The equation:
//!
//! ```text
//!   x(0) = start        x(n + 1) = body(x(n))        result = the limit, at each outer time
//! ```
//!
//! A change of the start, or of anything else that the body reads, at epoch e flows round as changes at (e, 0), (e, 1)
//! ...: only what differs from the rounds of earlier epochs. What goes round is consolidated first, since updates that
//! cancel would otherwise chase each other for ever.

use crate::collection::{Changes, Collection, Revise, Scope, postpone};
use crate::column::{Data, ShapeOf};
use crate::diff::Diff;
use crate::error::{Error, Fault};
use crate::region::{NodeId, Output, SlotRule};

/// A collection of a loop that is defined by what it was one round before.
///
/// Several variables of one loop are mutually recursive and step together. In the outermost scope a round is an epoch: a
/// variable there is what its definition was one epoch before. [`Collection::iterate`] is the short form for one variable
/// that starts as a collection.
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
        Variable { start: None, node, output, current }
    }

    /// A variable of the loop `scope` that is `start` at round 0. `start` may be a collection of an enclosing scope.
    pub fn from(scope: &Scope, start: &Collection<D, R>) -> Self {
        let start = start.enter(scope);
        let mut variable = Self::of_shape(scope, start.shape.clone());
        variable.current = start.concat(&variable.current);
        variable.start = Some(start);
        variable
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
        let logic = move |updates: &mut Changes<D, R>| -> Result<bool, Fault> {
            postpone(&mut updates.times, at, 1)?;
            Ok(true)
        };
        let shape = self.current.shape.clone();
        region.install_relay(self.node, &[&feedback.stream], Revise { output: self.output, shape, logic });
    }
}

impl<D: Data, R: Diff> Collection<D, R> {
    /// The limit of applying `body` again and again, starting from this collection.
    ///
    /// At each time: `x(0)` is this collection, `x(n + 1)` is `body` of `x(n)`; the result is what it converges to. A body
    /// that does not converge runs for ever. The body may use collections and arrangements of enclosing scopes.
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

    /// [`iterate`](Self::iterate) in a loop that was made before, so that other collections could be prepared for it.
    pub fn iterate_in(
        &self,
        scope: &Scope,
        body: impl FnOnce(&Collection<D, R>) -> Collection<D, R>,
    ) -> Collection<D, R> {
        let variable = Variable::from(scope, self);
        let result = body(variable.current());
        variable.set(&result);
        result.leave()
    }
}
