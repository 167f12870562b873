//! The nest of loops that a collection lives in.
//!
//! ```text
//!   outermost (depth 1) ─┬─ loop "reach" (depth 2)
//!                        └─ loop "scc" (depth 2) ─── loop "labels" (depth 3)
//! ```
//!
//! The depth of a scope is the number of coordinates that its times may have: the input's, then one for each enclosing
//! loop. Two collections can be combined where one scope encloses the other. Anything else (a collection of a loop used
//! outside it, or in a loop beside it) is a mistake of whoever builds the dataflow: the first one is kept, and building
//! ends with it as an error that names both scopes.

use std::cell::RefCell;
use std::rc::Rc;

use super::handle::Collection;
use super::session::{self, Session};
use crate::column::{Data, ShapeOf};
use crate::error::Error;
use crate::region::Region;
use crate::time::{Frontier, Point};

/// Something told of every commit.
pub(crate) trait Follow {
    /// A commit begins; whether it still wants to be told.
    fn commit_begins(&self) -> bool;
    /// The commit has run, and completed what it could.
    fn commit_ends(&self) {}
}

/// Whether a dataflow may stay as it was built.
type Check = Box<dyn FnOnce() -> Result<(), Error>>;

/// What all scopes of a region share.
pub(crate) struct Shared {
    pub(crate) region: Region,
    problem: RefCell<Option<Error>>,
    /// To be asked once the dataflow is built.
    checks: RefCell<Vec<Check>>,
    followers: RefCell<Vec<Box<dyn Follow>>>,
    /// What commits have closed so far.
    complete: RefCell<Frontier<Point>>,
}

/// Where collections live: the outermost scope of a region, or a loop in it.
///
/// Scopes are handles: a clone is the same scope.
#[derive(Clone)]
pub struct Scope {
    nest: Rc<Nest>,
}

struct Nest {
    shared: Rc<Shared>,
    name: String,
    depth: usize,
    parent: Option<Scope>,
}

impl Scope {
    /// The outermost scope of a region.
    pub(crate) fn outermost(region: Region) -> Self {
        let depth = region.input_coordinates();
        let complete = RefCell::new(Frontier::minimum());
        let (problem, checks, followers) = Default::default();
        let shared = Shared { region, problem, checks, followers, complete };
        Scope { nest: Rc::new(Nest { shared: Rc::new(shared), name: "outermost scope".into(), depth, parent: None }) }
    }

    /// A loop in this scope, one coordinate deeper. Its name appears in errors.
    pub fn inner(&self, name: &str) -> Scope {
        let (shared, depth) = (self.nest.shared.clone(), self.depth() + 1);
        Scope { nest: Rc::new(Nest { shared, name: name.into(), depth, parent: Some(self.clone()) }) }
    }

    /// The number of coordinates of times in this scope.
    pub fn depth(&self) -> usize {
        self.nest.depth
    }

    /// The scope around this one; `None` for the outermost.
    pub fn parent(&self) -> Option<&Scope> {
        self.nest.parent.as_ref()
    }

    /// The name it was given.
    pub fn name(&self) -> &str {
        &self.nest.name
    }

    /// An input of this scope's region, and the session that feeds it.
    ///
    /// Inputs belong to the outermost scope, whichever scope they are asked of.
    pub fn input<D: Data>(&self, name: &str) -> (Session<D>, Collection<D>)
    where
        ShapeOf<D>: Default,
    {
        session::input(self, name, Default::default())
    }

    /// An input whose column is typed at run time, by `shape`.
    pub fn input_of_shape<D: Data>(&self, name: &str, shape: ShapeOf<D>) -> (Session<D>, Collection<D>) {
        session::input(self, name, shape)
    }

    pub(crate) fn region(&self) -> &Region {
        &self.nest.shared.region
    }

    /// The scope of a combination of two collections: the inner one of the two.
    pub(crate) fn combine(&self, other: &Scope) -> Scope {
        if self.encloses(other) {
            return other.clone();
        }
        if !other.encloses(self) {
            self.refuse(Error::Scopes { left: self.name().into(), right: other.name().into() });
            // Building goes on to its end: as deep as either, so that both fit.
            return if self.depth() < other.depth() { other.clone() } else { self.clone() };
        }
        self.clone()
    }

    /// Keeps a mistake in building, to be reported when the dataflow is finished. The first one stands.
    pub(crate) fn refuse(&self, error: Error) {
        self.nest.shared.problem.borrow_mut().get_or_insert(error);
    }

    /// Adds a check to be made when the dataflow is built.
    pub(crate) fn check(&self, check: impl FnOnce() -> Result<(), Error> + 'static) {
        self.nest.shared.checks.borrow_mut().push(Box::new(check));
    }

    /// Makes the checks, if the dataflow was built: the first that fails is a mistake in building.
    pub(crate) fn make_checks(&self, built: bool) {
        let checks = std::mem::take(&mut *self.nest.shared.checks.borrow_mut());
        if built && let Some(Err(error)) = checks.into_iter().map(|check| check()).find(Result::is_err) {
            self.refuse(error);
        }
    }

    pub(crate) fn take_problem(&self) -> Option<Error> {
        self.nest.shared.problem.borrow_mut().take()
    }

    pub(crate) fn follow_commits(&self, follower: impl Follow + 'static) {
        self.nest.shared.followers.borrow_mut().push(Box::new(follower));
    }

    /// The frontier that commits have moved to.
    pub(crate) fn complete(&self) -> Frontier<Point> {
        self.nest.shared.complete.borrow().clone()
    }

    /// Notes that a commit moves to `complete`, and tells those who follow commits.
    ///
    /// Sessions that are closed for good say nothing of the epoch that later inputs begin at.
    pub(crate) fn begin_commit(&self, complete: &Frontier<Point>) {
        if !complete.is_empty() {
            self.nest.shared.complete.borrow_mut().clone_from(complete);
        }
        self.nest.shared.followers.borrow_mut().retain(|follower| follower.commit_begins());
    }

    /// Tells those who follow commits that this one has run.
    pub(crate) fn end_commit(&self) {
        self.nest.shared.followers.borrow().iter().for_each(|follower| follower.commit_ends());
    }

    /// Whether `other` is this scope or a loop in it.
    pub(crate) fn encloses(&self, other: &Scope) -> bool {
        let mut scope = Some(other);
        while let Some(at) = scope {
            if Rc::ptr_eq(&self.nest, &at.nest) {
                return true;
            }
            scope = at.parent();
        }
        false
    }
}
