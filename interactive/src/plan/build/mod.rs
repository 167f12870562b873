//! From a program to its plan.
//!
//! ```text
//!   export ──reads── let ──reads── var        each definition once, after those that it reads
//!                                   └──reads── itself: its variable, whose definition is filled in at the end
//! ```
//!
//! Definitions are built when something asks for them, in a *frame*: that of the program, or one for each call of a
//! subprogram, where parameters have values and loops are loops of their own. Within a frame a stack of definitions takes
//! the place of recursion, since chains of them may be long. Calls do recurse, so their nesting is bounded, and so is
//! their number: unfolding a hundred lines of calls of calls could go on for ever.
//!
//! | file | one sentence |
//! |---|---|
//! | `bags` | Sums and steps. |
//! | `given` | Scalars with the values of parameters, and scalars that are constant. |
//! | `joins` | Joins of two, groups and tops: what needs rows by key. |
//! | `multiway` | Joins of many. |

mod bags;
mod given;
mod joins;
mod multiway;

pub(crate) use given::{constant, literal};

use super::tree::{Export, Node, NodeId, Operator, Place, Plan, Scope, ScopeId};
use crate::language::files::Span;
use crate::language::listing;
use crate::language::mistake::{Mistake, Problem};
use crate::language::program::{
    self, Bag, Definition, DefinitionId, DefinitionKind, LoopId, Program, Scalar, StepKind, Term, TermKind,
};
use crate::language::types::Column;
use crate::value::Kinds;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many calls a program may come to once those in subprograms are counted for each call of these.
pub(crate) const CALLS: usize = 100_000;
/// How deep calls may be in calls, and bags in bags around them.
pub(crate) const NESTED: usize = 400;

/// The plan of a program, with nothing made better yet.
///
/// # Errors
/// A number that is needed now (a limit, an argument of a call) fails or is too small; or calls come to too many.
pub fn plain(program: &Program) -> Result<Plan, Mistake> {
    let nowhere =
        Place { statement: "program".into(), span: Span { file: crate::language::files::FileId(0), start: 0, end: 0 } };
    let scopes = vec![Scope { parent: None, place: nowhere, limit: None }];
    let plan = Plan { sums: program.sums.clone(), scopes, nodes: Vec::new(), exports: Vec::new() };
    let kinds = Kinds::of(&program.sums);
    let mut builder = Builder { program, kinds, plan, frames: Vec::new(), unset: Vec::new(), calls: 0, nested: 0 };
    let whole = builder.frame(ScopeId(0), String::new());
    for (at, definition) in program.definitions.iter().enumerate() {
        let seen = matches!(definition.kind, DefinitionKind::Export(_));
        if seen || (builder.is_planned(definition) && definition.bag().is_some_and(inspects)) {
            let node = builder.definition(whole, DefinitionId(at))?;
            if seen {
                let (name, columns) = (definition.name.clone(), definition.columns.clone());
                builder.plan.exports.push(Export { name, node, columns });
            }
        }
    }
    while let Some((frame, id, variable)) = builder.unset.pop() {
        let result = builder.definition(frame, id)?;
        builder.plan.nodes[variable.0].operator = Operator::Variable { definition: result };
    }
    if cfg!(debug_assertions) {
        builder.plan.check();
    }
    Ok(builder.plan)
}

/// The number of a frame.
#[derive(Clone, Copy, Debug)]
struct FrameId(usize);

/// The program, or one call of a subprogram.
struct Frame {
    /// Where the call stands.
    scope: ScopeId,
    /// What is put before the names of definitions.
    callers: String,
    /// The values of parameters that are values.
    values: Vec<Option<Scalar>>,
    /// Definitions that are built, parameters among them.
    built: BTreeMap<DefinitionId, NodeId>,
    variables: BTreeMap<DefinitionId, NodeId>,
    loops: BTreeMap<LoopId, ScopeId>,
}

struct Builder<'p> {
    program: &'p Program,
    kinds: Kinds,
    plan: Plan,
    frames: Vec<Frame>,
    /// Variables whose definition is not built yet.
    unset: Vec<(FrameId, DefinitionId, NodeId)>,
    calls: usize,
    nested: usize,
}

/// Where a bag stands that is being built.
#[derive(Clone)]
struct Here {
    frame: FrameId,
    scope: ScopeId,
    place: Place,
}

impl Here {
    fn at(&self, span: Span) -> Here {
        Here { place: Place { span, ..self.place.clone() }, ..self.clone() }
    }
}

impl Builder<'_> {
    fn frame(&mut self, scope: ScopeId, callers: String) -> FrameId {
        let (values, built, variables, loops) = Default::default();
        self.frames.push(Frame { scope, callers, values, built, variables, loops });
        FrameId(self.frames.len() - 1)
    }

    /// Whether a definition is one of the program, and not of a subprogram that may never be called.
    fn is_planned(&self, definition: &Definition) -> bool {
        self.is_within(definition.scope, program::Scope::Program)
    }

    fn of(&mut self, frame: FrameId) -> &mut Frame {
        &mut self.frames[frame.0]
    }

    /// The operator that a definition comes to, in the scope where it is defined.
    fn definition(&mut self, frame: FrameId, id: DefinitionId) -> Result<NodeId, Mistake> {
        let mut path = vec![id];
        while let Some(&at) = path.last() {
            if !self.frames[frame.0].built.contains_key(&at) {
                let missing = self.missing(frame, at);
                if !missing.is_empty() {
                    path.extend(missing);
                    continue;
                }
                let node = self.build(frame, at)?;
                self.of(frame).built.insert(at, node);
            }
            path.pop();
        }
        Ok(self.frames[frame.0].built[&id])
    }

    /// What a definition reads that is not built yet.
    fn missing(&self, frame: FrameId, id: DefinitionId) -> Vec<DefinitionId> {
        let definition = &self.program.definitions[id.0];
        let mut reads = Vec::new();
        if let Some(bag) = definition.bag() {
            reads_of_bag(bag, &mut reads);
        }
        let built = &self.frames[frame.0].built;
        let variable = |read: &DefinitionId| {
            let read = &self.program.definitions[read.0];
            matches!(read.kind, DefinitionKind::Var(_)) && self.is_within(definition.scope, read.scope)
        };
        reads.retain(|read| !built.contains_key(read) && !variable(read));
        reads
    }

    /// Whether a scope of the program is this one or in it.
    fn is_within(&self, mut scope: program::Scope, outer: program::Scope) -> bool {
        loop {
            match scope {
                _ if scope == outer => return true,
                program::Scope::Loop(id) => scope = self.program.loops[id.0].scope,
                program::Scope::Program | program::Scope::Subprogram(_) => return false,
            }
        }
    }

    fn build(&mut self, frame: FrameId, id: DefinitionId) -> Result<NodeId, Mistake> {
        let definition = &self.program.definitions[id.0];
        let place = self.place(frame, id);
        let scope = self.scope(frame, definition.scope)?;
        let columns = &definition.columns;
        let operator = match &definition.kind {
            DefinitionKind::Source => Operator::Source { name: definition.name.clone() },
            DefinitionKind::Generated(generator) => Operator::Generated(generator.clone()),
            DefinitionKind::Import { program, export } => {
                Operator::Import { program: program.clone(), export: export.clone() }
            }
            DefinitionKind::Let(bag) | DefinitionKind::Var(bag) | DefinitionKind::Export(bag) => {
                return self.bag(&Here { frame, scope, place }, bag);
            }
            DefinitionKind::Parameter => unreachable!("a parameter is built with its frame"),
        };
        Ok(self.add(operator, columns.clone(), &place))
    }

    /// What failures of a definition are told with.
    fn place(&self, frame: FrameId, id: DefinitionId) -> Place {
        let definition = &self.program.definitions[id.0];
        let path = listing::path(self.program, definition.scope);
        let statement = format!("{}{path}{}", self.frames[frame.0].callers, definition.name).into();
        Place { statement, span: definition.span }
    }

    /// The plan's scope for one of the program.
    fn scope(&mut self, frame: FrameId, scope: program::Scope) -> Result<ScopeId, Mistake> {
        let program::Scope::Loop(id) = scope else { return Ok(self.frames[frame.0].scope) };
        if let Some(scope) = self.frames[frame.0].loops.get(&id) {
            return Ok(*scope);
        }
        let repeated = &self.program.loops[id.0];
        let parent = self.scope(frame, repeated.scope)?;
        let limit = match &repeated.limit {
            Some(limit) => Some(self.positive(frame, limit)?.unsigned_abs()),
            None => None,
        };
        let path = listing::path(self.program, repeated.scope);
        let statement = format!("{}{path}{}", self.frames[frame.0].callers, repeated.name).into();
        let place = Place { statement, span: repeated.span };
        self.plan.scopes.push(Scope { parent: Some(parent), place, limit });
        let made = ScopeId(self.plan.scopes.len() - 1);
        self.of(frame).loops.insert(id, made);
        Ok(made)
    }

    /// What a definition is when it is read from a scope.
    fn read(&mut self, here: &Here, id: DefinitionId) -> Result<NodeId, Mistake> {
        let definition = &self.program.definitions[id.0];
        let home = self.scope(here.frame, definition.scope)?;
        let mut node = match &definition.kind {
            // From outside as well: after a loop that gave up, a variable is as of the last round.
            DefinitionKind::Var(_) => self.variable(here.frame, id, home),
            _ => self.frames[here.frame.0].built[&id],
        };
        while !self.plan.encloses(self.plan.node(node).scope, here.scope) {
            let Node { scope, columns, .. } = self.plan.node(node).clone();
            let parent = self.plan.scopes[scope.0].parent.expect("the program encloses all");
            node = self.add_in(parent, Operator::Leave { input: node }, columns, &here.place);
        }
        Ok(node)
    }

    fn variable(&mut self, frame: FrameId, id: DefinitionId, home: ScopeId) -> NodeId {
        if let Some(node) = self.frames[frame.0].variables.get(&id) {
            return *node;
        }
        let (place, columns) = (self.place(frame, id), self.program.definitions[id.0].columns.clone());
        // Its definition is filled in before anyone looks.
        let node = self.add_in(home, Operator::Variable { definition: NodeId(usize::MAX) }, columns, &place);
        self.of(frame).variables.insert(id, node);
        self.unset.push((frame, id, node));
        node
    }

    /// A new operator, in the innermost scope of what it reads.
    fn add(&mut self, operator: Operator, columns: Arc<[Column]>, place: &Place) -> NodeId {
        let scopes = operator.inputs().into_iter().map(|input| self.plan.node(input).scope);
        let scope = scopes.max_by_key(|scope| self.plan.depth(*scope)).unwrap_or(ScopeId(0));
        self.add_in(scope, operator, columns, place)
    }

    fn add_in(&mut self, scope: ScopeId, operator: Operator, columns: Arc<[Column]>, place: &Place) -> NodeId {
        self.plan.nodes.push(Node { operator, columns, scope, place: place.clone() });
        NodeId(self.plan.nodes.len() - 1)
    }

    fn columns(&self, node: NodeId) -> Arc<[Column]> {
        self.plan.node(node).columns.clone()
    }

    /// Goes one level deeper, if that is not too deep.
    fn nested<T>(&mut self, span: Span, inside: impl FnOnce(&mut Self) -> Result<T, Mistake>) -> Result<T, Mistake> {
        if self.nested == NESTED {
            return Err(Mistake::new(span, Problem::CallsTooDeep { limit: NESTED }));
        }
        self.nested += 1;
        let outcome = inside(self);
        self.nested -= 1;
        outcome
    }
}

/// What a bag reads by name in its own frame.
fn reads_of_bag(bag: &Bag, reads: &mut Vec<DefinitionId>) {
    bag.parts.iter().for_each(|part| reads_of_term(&part.term, reads));
    for step in &bag.steps {
        match &step.kind {
            StepKind::Except(term) | StepKind::Intersect(term) => reads_of_term(term, reads),
            StepKind::Join(join) => reads_of_term(&join.other, reads),
            _ => {}
        }
    }
}

fn reads_of_term(term: &Term, reads: &mut Vec<DefinitionId>) {
    match &term.kind {
        TermKind::Read(id) => reads.push(*id),
        TermKind::Nested(bag) => reads_of_bag(bag, reads),
        TermKind::Rows(_) => {}
        TermKind::Multiway { atoms } => reads.extend(atoms.iter().map(|atom| atom.collection)),
        TermKind::Call(_, arguments) => {
            for argument in arguments {
                if let program::Argument::Bag(bag) = argument {
                    reads_of_bag(bag, reads);
                }
            }
        }
    }
}

/// Whether changes are shown on the way, within this bag.
fn inspects(bag: &Bag) -> bool {
    let of_step = |step: &program::Step| match &step.kind {
        StepKind::Inspect(_) => true,
        StepKind::Except(term) | StepKind::Intersect(term) => term_inspects(term),
        StepKind::Join(join) => term_inspects(&join.other),
        _ => false,
    };
    bag.parts.iter().any(|part| term_inspects(&part.term)) || bag.steps.iter().any(of_step)
}

fn term_inspects(term: &Term) -> bool {
    match &term.kind {
        TermKind::Nested(bag) => inspects(bag),
        TermKind::Call(_, arguments) => {
            arguments.iter().any(|argument| matches!(argument, program::Argument::Bag(bag) if inspects(bag)))
        }
        TermKind::Read(_) | TermKind::Rows(_) | TermKind::Multiway { .. } => false,
    }
}
