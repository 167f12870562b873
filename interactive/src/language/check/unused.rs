//! Warnings of what nobody reads.
//!
//! What only reads itself, through a `var`, is read by nobody. A name that begins with `_` may be left unused, and so may
//! what an included file defines: a library is there to be used in part.

use super::recursion::Graph;
use super::world::{What, World};
use crate::language::files::{FileId, Span};
use crate::language::mistake::{Mistake, Problem};
use std::collections::BTreeSet;

/// Warns of what nobody reads.
pub(super) fn unused(
    world: &World<'_>,
    graph: &Graph,
    groups: &[Vec<usize>],
    main: FileId,
    mistakes: &mut Vec<Mistake>,
) {
    let mut group_of = vec![0; world.definitions.len()];
    for (at, group) in groups.iter().enumerate() {
        group.iter().for_each(|member| group_of[*member] = at);
    }
    let mut read = BTreeSet::new();
    for (at, reads) in graph.reads.iter().enumerate() {
        let others = reads.references.iter().map(|reference| reference.to.0);
        read.extend(others.filter(|to| group_of[*to] != group_of[at]).map(|to| group_of[to]));
    }
    let mut any_shown = false;
    for (at, declared) in world.definitions.iter().enumerate() {
        let shown = graph.reads[at].inspects || matches!(declared.what, What::Export(_));
        any_shown |= shown;
        if shown {
            read.insert(group_of[at]);
        }
    }
    for (at, declared) in world.definitions.iter().enumerate() {
        let asked = matches!(declared.what, What::Let(_) | What::Var(..) | What::Parameter(_))
            || (any_shown && matches!(declared.what, What::Source(..) | What::Import(..)));
        let kept = declared.name.starts_with('_') || declared.span.file != main;
        if asked && !kept && !read.contains(&group_of[at]) {
            mistakes.push(Mistake::new(declared.span, Problem::Unused { name: declared.name.clone() }));
        }
    }
    let called: BTreeSet<usize> = graph.reads.iter().flat_map(|reads| &reads.calls).map(|(id, _)| id.0).collect();
    for (at, declared) in world.subprograms.iter().enumerate() {
        let kept = declared.name.text.starts_with('_') || declared.name.span.file != main;
        if !called.contains(&at) && !kept {
            mistakes.push(Mistake::new(declared.name.span, Problem::Unused { name: declared.name.text.clone() }));
        }
    }
    if !any_shown {
        // At the end of what the program defines; one that defines nothing has only a beginning.
        let last = world.definitions.iter().rev().map(|declared| declared.span).find(|span| span.file == main);
        let span = last.unwrap_or(Span { file: main, start: 0, end: 0 });
        mistakes.push(Mistake::new(span, Problem::NoExport));
    }
}
