//! What a name means where it is read.
//!
//! A name means what the innermost scope around it says; a subprogram sees nothing of the program but subprograms. A path
//! leads into a loop that is finished where it is read: `loop.name`. Whatever else it leads to is a mistake that says what
//! the name does mean, or which was likely meant.

use super::Told;
use super::world::{Entry, ScopeId, World};
use crate::language::files::Span;
use crate::language::mistake::{Mistake, Problem};
use crate::language::near::near;
use crate::language::program::{DefinitionId, Scope, SubprogramId};
use crate::language::syntax::tree::Name;
use std::collections::HashMap;

impl World<'_> {
    /// What a name means in a scope, and where it is declared.
    pub(super) fn find(&self, mut scope: ScopeId, name: &str) -> Option<(Entry, Span)> {
        loop {
            let here = &self.scopes[scope];
            if let Some(found) = here.names.get(name) {
                return Some(*found);
            }
            if matches!(here.kind, Scope::Subprogram(_)) {
                // From here on outwards, only subprograms are seen.
                let found = self.scopes[0].names.get(name).copied();
                return found.filter(|(entry, _)| matches!(entry, Entry::Subprogram(_)));
            }
            scope = here.parent?;
        }
    }

    /// Whether `inner` is `outer` or inside it.
    pub(super) fn is_within(&self, inner: ScopeId, outer: ScopeId) -> bool {
        let mut scope = Some(inner);
        while let Some(here) = scope {
            if here == outer {
                return true;
            }
            scope = self.scopes[here].parent;
        }
        false
    }

    /// All names that are seen in a scope, with what they mean.
    fn visible(&self, scope: ScopeId) -> HashMap<&str, Entry> {
        let mut seen: HashMap<&str, Entry> = HashMap::new();
        let mut sealed = false;
        let mut at = Some(scope);
        while let Some(here) = at {
            let scope = &self.scopes[here];
            for (name, (entry, _)) in &scope.names {
                if !sealed || matches!(entry, Entry::Subprogram(_)) {
                    seen.entry(name).or_insert(*entry);
                }
            }
            sealed |= matches!(scope.kind, Scope::Subprogram(_));
            at = scope.parent;
        }
        seen
    }

    /// The collection that a path means in a scope. `helpful` if it is worth looking for what may have been meant.
    pub(super) fn collection(&self, scope: ScopeId, path: &[Name], helpful: bool) -> Result<DefinitionId, Mistake> {
        let (first, rest) = path.split_first().expect("a path has a name");
        let name = first.text.clone();
        let mistake = |span, problem| Err(Mistake::new(span, problem));
        let Some((entry, declared)) = self.find(scope, &first.text) else {
            return mistake(first.span, self.unknown(scope, first, helpful));
        };
        let Entry::Loop(id) = entry else {
            if let Some(next) = rest.first() {
                return mistake(first.span.to(next.span), Problem::NotALoop { name, declared });
            }
            return match entry {
                Entry::Definition(id) => Ok(id),
                Entry::Subprogram(_) => mistake(first.span, Problem::SubprogramAsCollection { name, declared }),
                Entry::Value(_) | Entry::Loop(_) => mistake(first.span, Problem::ValueAsCollection { name, declared }),
            };
        };
        let inner = self.loops[id.0].inner;
        let names = &self.scopes[inner].names;
        let Some((second, deeper)) = rest.split_first() else {
            let example = names.keys().next().cloned();
            return mistake(first.span, Problem::LoopAsCollection { name, declared, example });
        };
        let span = first.span.to(second.span);
        if self.is_within(scope, inner) {
            return mistake(span, Problem::OwnLoopFromInside { name: second.text.clone(), loop_name: name });
        }
        match names.get(&second.text) {
            Some((Entry::Definition(id), _)) if deeper.is_empty() => Ok(*id),
            Some((Entry::Definition(_), declared)) => {
                mistake(span, Problem::NotALoop { name: second.text.clone(), declared: *declared })
            }
            Some(_) => {
                let (outer, inner) = (name, second.text.clone());
                mistake(span, Problem::LoopInLoopFromOutside { outer, inner })
            }
            None => {
                let near = near(&second.text, names.keys().map(String::as_str).filter(|_| helpful));
                mistake(second.span, Problem::NotInLoop { name: second.text.clone(), loop_name: name, near })
            }
        }
    }

    fn unknown(&self, scope: ScopeId, name: &Name, helpful: bool) -> Problem {
        if !helpful {
            return Problem::UnknownCollection { name: name.text.clone(), near: None };
        }
        let visible = self.visible(scope);
        // It may be a collection of a loop that is in sight.
        let in_loop = visible.iter().filter_map(|(loop_name, entry)| match entry {
            Entry::Loop(id) if self.scopes[self.loops[id.0].inner].names.contains_key(&name.text) => {
                Some(format!("{loop_name}.{}", name.text))
            }
            _ => None,
        });
        let near = in_loop.min().or_else(|| {
            let mut names: Vec<&str> = visible.keys().copied().collect();
            names.sort_unstable();
            near(&name.text, names)
        });
        let outside = self.scopes[0].names.get(&name.text);
        match (self.within_subprogram(scope), outside) {
            (Some(id), Some((_, declared))) => {
                let subprogram = self.subprograms[id.0].name.text.clone();
                Problem::OutsideSubprogram { name: name.text.clone(), subprogram, declared: *declared }
            }
            _ => Problem::UnknownCollection { name: name.text.clone(), near },
        }
    }

    /// The subprogram that a scope is in.
    pub(super) fn within_subprogram(&self, mut scope: ScopeId) -> Option<SubprogramId> {
        loop {
            match self.scopes[scope].kind {
                Scope::Subprogram(id) => return Some(id),
                Scope::Program => return None,
                Scope::Loop(_) => scope = self.scopes[scope].parent?,
            }
        }
    }

    /// The subprogram of a call.
    pub(super) fn subprogram_named(&self, scope: ScopeId, name: &Name) -> Result<SubprogramId, Told> {
        match self.find(scope, &name.text) {
            Some((Entry::Subprogram(id), _)) => Ok(id),
            _ => Err(Told),
        }
    }

    /// A subprogram's name that looks like this one.
    pub(super) fn near_subprogram(&self, name: &str) -> Option<String> {
        near(name, self.subprograms.iter().map(|subprogram| subprogram.name.text.as_str()))
    }
}
