//! Which collections a definition reads, and whether giving it more of one may take rows from it.
//!
//! ```text
//!   a | where ok | except b | group k { n = count() }
//!   └ reversed by count     └ reversed by count, and by except
//! ```
//!
//! A step is *reversing* if a larger input may make its output lose rows: subtraction, `negate`, the right side of
//! `except`, `antijoin` and `left join`, and a `group` with `count`, `sum`, `avg` or `collect`. `min`, `max`, `any` and
//! `top` replace rows by better ones, which is what shortest paths in a loop are made of; they don't count.
//!
//! Names that are unknown are skipped here, and told when types are checked.

use super::world::{Declared, DeclaredParameter, ScopeId, World};
use crate::language::files::Span;
use crate::language::operators::JoinKind;
use crate::language::program::{DefinitionId, SubprogramId};
use crate::language::syntax::tree::{Argument, Bag, Name, StageKind, Term, TermKind};

/// A step that may take rows away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reversing {
    pub(super) word: &'static str,
    pub(super) span: Span,
}

/// That a definition reads another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) to: DefinitionId,
    pub(super) span: Span,
    pub(super) reversed: Option<Reversing>,
}

/// All that a definition reads and calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Reads {
    pub(super) references: Vec<Reference>,
    pub(super) calls: Vec<(SubprogramId, Span)>,
    pub(super) inspects: bool,
    /// Collections of the innermost loop that are to enter it.
    pub(super) entered: Vec<(DefinitionId, Span)>,
}

/// What a subprogram does to each of its parameters, as far as is known.
pub(super) type Effects = [Vec<Option<Reversing>>];

pub(super) fn reads(world: &World<'_>, effects: &Effects, declared: &Declared<'_>) -> Reads {
    let mut walk = Walk { world, effects, scope: declared.scope, entering: false, reads: Reads::default() };
    if let Some(bag) = declared.what.bag() {
        walk.bag(bag, None);
    }
    walk.reads
}

struct Walk<'w, 't> {
    world: &'w World<'t>,
    effects: &'w Effects,
    scope: ScopeId,
    /// Whether what is read goes through `enter at`.
    entering: bool,
    reads: Reads,
}

impl Walk<'_, '_> {
    fn path(&mut self, path: &[Name], span: Span, reversed: Option<Reversing>) {
        if let Ok(to) = self.world.collection(self.scope, path, false) {
            self.reads.references.push(Reference { to, span, reversed });
            // Of a loop inside, too: it runs in each round.
            if self.entering && self.world.is_within(self.world.definitions[to.0].scope, self.scope) {
                self.reads.entered.push((to, span));
            }
        }
    }

    fn bag(&mut self, bag: &Bag, around: Option<Reversing>) {
        // From the last stage to the first: what comes later is done to what came before.
        let mut reversed = around;
        let entering = self.entering;
        for stage in bag.stages.iter().rev() {
            let here = |word| Some(Reversing { word, span: stage.span });
            match &stage.kind {
                StageKind::Negate => reversed = reversed.or(here("negate")),
                StageKind::Group { aggregates, .. } => {
                    let reversing = aggregates.iter().find_map(|aggregate| {
                        let words = ["count", "sum", "avg", "collect"];
                        let word = words.into_iter().find(|word| *word == aggregate.function.text)?;
                        Some(Reversing { word, span: aggregate.span })
                    });
                    reversed = reversed.or(reversing);
                }
                StageKind::Except(term) => self.term(term, reversed.or(here("except"))),
                StageKind::Intersect(term) => self.term(term, reversed),
                StageKind::Join { kind, other, .. } => {
                    let own = match kind {
                        JoinKind::Anti | JoinKind::Left => here(kind.words()),
                        JoinKind::Inner | JoinKind::Semi | JoinKind::Cross => None,
                    };
                    self.term(other, reversed.or(own));
                }
                StageKind::Inspect(_) => self.reads.inspects = true,
                StageKind::EnterAt(_) => self.entering = true,
                _ => {}
            }
        }
        self.term(&bag.first, reversed);
        for (subtracted, term) in &bag.others {
            let own = subtracted.then_some(Reversing { word: "-", span: term.span });
            self.term(term, reversed.or(own));
        }
        self.entering = entering;
    }

    fn term(&mut self, term: &Term, reversed: Option<Reversing>) {
        match &term.kind {
            TermKind::Path(path) => self.path(path, term.span, reversed),
            TermKind::Nested(bag) => self.bag(bag, reversed),
            TermKind::Rows { .. } => {}
            TermKind::Multiway(atoms) => atoms.iter().for_each(|atom| self.path(&atom.path, atom.span, reversed)),
            TermKind::Call { name, arguments } => {
                let Ok(id) = self.world.subprogram_named(self.scope, name) else { return };
                self.reads.calls.push((id, name.span));
                for (at, argument) in arguments.iter().enumerate() {
                    let parameter = self.world.subprograms[id.0].parameters.get(at);
                    if let (Argument::Bag(bag), Some(DeclaredParameter::Bag(_))) = (argument, parameter) {
                        let effect = self.effects.get(id.0).and_then(|effects| effects.get(at).copied().flatten());
                        // Where it happens is in the subprogram; what is written here is the call.
                        let effect = effect.map(|effect| Reversing { span: name.span, ..effect });
                        self.bag(bag, reversed.or(effect));
                    }
                }
            }
        }
    }
}
