//! Cycles that have no meaning.
//!
//! | cycle | why it is refused |
//! |---|---|
//! | of definitions, none of them a `var` read within its loop | each would have to be there before itself |
//! | of subprograms | unfolding it would not end |
//! | through a `var`, with a step on it that is reversing | what it adds takes away the reason why it was added |
//!
//! The last is allowed in a loop *by rounds*, whose author asks for the limit of its rounds and takes on that there is
//! one. For each loop by itself: the cycles among what is inside it that go through one of its own `var`s. Cycles of an
//! inner loop alone are that loop's affair.

use super::order::{groups, way};
use super::references::{Reads, Reversing, reads};
use super::world::{DeclaredParameter, What, World};
use crate::language::mistake::{Mistake, Problem};
use crate::language::program::{LoopId, Scope};
use std::collections::BTreeSet;

/// What is read by whom, when all cycles were looked at.
pub(super) struct Graph {
    /// For each definition.
    pub(super) reads: Vec<Reads>,
    /// For each definition, whether it depends on itself as none may.
    pub(super) circular: Vec<bool>,
}

impl Graph {
    pub(super) fn of(world: &World<'_>, mistakes: &mut Vec<Mistake>) -> Graph {
        let effects = effects(world, mistakes);
        let reads: Vec<Reads> = world.definitions.iter().map(|declared| reads(world, &effects, declared)).collect();
        let circular = circular(world, &reads, mistakes);
        reversed(world, &reads, mistakes);
        entered(world, &reads, mistakes);
        Graph { reads, circular }
    }

    /// For each definition, those that it reads, and what the subprograms return that it calls: whose columns it needs.
    pub(super) fn edges(&self, world: &World<'_>) -> Vec<Vec<usize>> {
        let of = |reads: &Reads| {
            let read = reads.references.iter().map(|reference| reference.to.0);
            let called = reads.calls.iter().filter_map(|(id, _)| world.subprograms[id.0].result);
            read.chain(called.map(|result| result.0)).collect()
        };
        self.reads.iter().map(of).collect()
    }
}

/// What each subprogram does to its parameters; tells those that call themselves.
fn effects(world: &World<'_>, mistakes: &mut Vec<Mistake>) -> Vec<Vec<Option<Reversing>>> {
    let mut bodies = vec![Vec::new(); world.subprograms.len()];
    let mut calls = vec![Vec::new(); world.subprograms.len()];
    let mut call_spans = vec![Vec::new(); world.subprograms.len()];
    for (at, declared) in world.definitions.iter().enumerate() {
        let Some(id) = world.within_subprogram(declared.scope) else { continue };
        bodies[id.0].push(at);
        for (called, span) in reads(world, &[], declared).calls {
            calls[id.0].push(called.0);
            call_spans[id.0].push((called.0, span));
        }
    }
    let mut effects: Vec<Vec<Option<Reversing>>> = vec![Vec::new(); world.subprograms.len()];
    for group in groups(&calls) {
        let first = *group.iter().min().expect("a group has members");
        if let Some(cycle) = way(&calls, first, first, |node| group.contains(&node)) {
            let span = call_spans[first].iter().find(|(to, _)| *to == cycle[1]).expect("an edge is a call").1;
            let cycle = cycle.iter().map(|at| world.subprograms[*at].name.text.clone()).collect();
            mistakes.push(Mistake::new(span, Problem::RecursiveSubprogram { cycle }));
        }
        for id in group {
            let body: Vec<(usize, Reads)> =
                bodies[id].iter().map(|at| (*at, reads(world, &effects, &world.definitions[*at]))).collect();
            let parameters = &world.subprograms[id].parameters;
            effects[id] = parameters.iter().map(|parameter| effect(&body, parameter)).collect();
        }
    }
    effects
}

/// A reversing step on something that depends on the parameter.
fn effect(body: &[(usize, Reads)], parameter: &DeclaredParameter<'_>) -> Option<Reversing> {
    let DeclaredParameter::Bag(start) = parameter else { return None };
    let mut depends = BTreeSet::from([start.0]);
    loop {
        let before = depends.len();
        for (at, reads) in body {
            if reads.references.iter().any(|reference| depends.contains(&reference.to.0)) {
                depends.insert(*at);
            }
        }
        if depends.len() == before {
            break;
        }
    }
    let all = body.iter().flat_map(|(_, reads)| &reads.references);
    all.filter(|reference| depends.contains(&reference.to.0)).find_map(|reference| reference.reversed)
}

/// Tells definitions that depend on themselves, and marks them.
fn circular(world: &World<'_>, reads: &[Reads], mistakes: &mut Vec<Mistake>) -> Vec<bool> {
    // Nodes are definitions, then loops: a loop depends on all in it, and whoever reads from outside on the loop.
    let count = world.definitions.len();
    let mut edges = vec![Vec::new(); count + world.loops.len()];
    let mut spans = vec![Vec::new(); count];
    for (at, declared) in world.definitions.iter().enumerate() {
        if let Scope::Loop(id) = world.scopes[declared.scope].kind {
            edges[count + id.0].push(at);
        }
        for reference in &reads[at].references {
            let target = &world.definitions[reference.to.0];
            let inside = world.is_within(declared.scope, target.scope);
            let node = match world.scopes[target.scope].kind {
                Scope::Loop(_) if inside && matches!(target.what, What::Var(..)) => continue,
                Scope::Loop(id) if !inside => count + id.0,
                _ => reference.to.0,
            };
            edges[at].push(node);
            spans[at].push((node, reference.span));
        }
    }
    for (at, declared) in world.loops.iter().enumerate() {
        if let Scope::Loop(outer) = world.scopes[declared.outer].kind {
            edges[count + outer.0].push(count + at);
        }
    }
    let mut circular = vec![false; count];
    for group in groups(&edges) {
        let members: BTreeSet<usize> = group.into_iter().collect();
        let Some(first) = members.iter().copied().find(|node| *node < count) else { continue };
        let Some(cycle) = way(&edges, first, first, |node| members.contains(&node)) else { continue };
        members.iter().filter(|node| **node < count).for_each(|node| circular[*node] = true);
        let names = cycle.iter().map(|node| match node.checked_sub(count) {
            None => world.definitions[*node].name.clone(),
            Some(id) => format!("loop {}", world.loops[id].name.text),
        });
        let span = spans[first].iter().find(|(to, _)| *to == cycle[1]).map(|(_, span)| *span);
        let span = span.unwrap_or(world.definitions[first].span);
        let through_loop = cycle.iter().any(|node| *node >= count);
        mistakes.push(Mistake::new(span, Problem::CircularDefinition { cycle: names.collect(), through_loop }));
    }
    circular
}

/// Tells rows of a loop that are to enter it.
fn entered(world: &World<'_>, reads: &[Reads], mistakes: &mut Vec<Mistake>) {
    for (declared, reads) in world.definitions.iter().zip(reads) {
        let Scope::Loop(id) = world.scopes[declared.scope].kind else { continue };
        for (entered, span) in &reads.entered {
            let (name, loop_name) = (world.definitions[entered.0].name.clone(), world.loops[id.0].name.text.clone());
            mistakes.push(Mistake::new(*span, Problem::EnterFromInside { name, loop_name }));
        }
    }
}

/// How many steps are told of. Finding a cycle costs as much as the loop is long.
const ENOUGH: usize = 100;

/// Tells recursion through reversing steps.
fn reversed(world: &World<'_>, reads: &[Reads], mistakes: &mut Vec<Mistake>) {
    let mut told = BTreeSet::new();
    // For each loop, the definitions in it and in those inside, in ascending order.
    let mut within = vec![Vec::new(); world.loops.len()];
    for (at, declared) in world.definitions.iter().enumerate() {
        let scopes = std::iter::successors(Some(declared.scope), |scope| world.scopes[*scope].parent);
        for scope in scopes {
            if let Scope::Loop(id) = world.scopes[scope].kind {
                within[id.0].push(at);
            }
        }
    }
    // Inner loops come later, and speak first.
    for (at, declared_loop) in world.loops.iter().enumerate().rev() {
        if declared_loop.by_rounds {
            continue;
        }
        let members = &within[at];
        let number = |definition: usize| members.binary_search(&definition).ok();
        let edges: Vec<Vec<usize>> = members
            .iter()
            .map(|member| reads[*member].references.iter().filter_map(|reference| number(reference.to.0)).collect())
            .collect();
        let is_var = |member: usize| {
            let declared = &world.definitions[members[member]];
            world.scopes[declared.scope].kind == Scope::Loop(LoopId(at)) && matches!(declared.what, What::Var(..))
        };
        for group in groups(&edges) {
            if !group.iter().any(|member| is_var(*member)) {
                continue;
            }
            let group: BTreeSet<usize> = group.into_iter().collect();
            for &from in &group {
                for reference in &reads[members[from]].references {
                    let Some(to) = number(reference.to.0).filter(|to| group.contains(to)) else { continue };
                    let Some(reversing) = reference.reversed else { continue };
                    if told.len() == ENOUGH || !told.insert((reversing.span.file, reversing.span.start)) {
                        continue;
                    }
                    let Some(back) =
                        (if from == to { Some(vec![to]) } else { way(&edges, to, from, |node| group.contains(&node)) })
                    else {
                        continue;
                    };
                    let cycle = std::iter::once(from).chain(back);
                    let cycle = cycle.map(|member| world.definitions[members[member]].name.clone()).collect();
                    let loop_name = declared_loop.name.text.clone();
                    let problem =
                        Problem::ReversedRecursion { word: reversing.word, cycle, loop_name, read: reference.span };
                    mistakes.push(Mistake::new(reversing.span, problem));
                }
            }
        }
    }
}
