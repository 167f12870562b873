//! Patterns against the type of what they take apart.

use super::checker::Checker;
use crate::language::files::Span;
use crate::language::mistake::Problem;
use crate::language::program::{Pattern, PatternKind};
use crate::language::syntax::tree::{self, Name};
use crate::language::types::Type;

/// A constructor, looked up.
pub(super) struct Found {
    pub(super) at: usize,
    pub(super) payload: Option<Type>,
    /// Its whole type, if that is declared; an option's is made by whoever asked.
    pub(super) of: Option<Type>,
}

impl Checker<'_, '_> {
    /// A declared constructor, or one of options, whose payload is then `inside`.
    pub(super) fn constructor(&mut self, name: &Name, inside: &Type) -> Option<Found> {
        match name.text.as_str() {
            "None" => return Some(Found { at: 0, payload: None, of: None }),
            "Some" => return Some(Found { at: 1, payload: Some(inside.clone()), of: None }),
            _ => {}
        }
        let Some((id, at, _)) = self.world.constructors.get(name.text.as_str()) else {
            let known = self.world.constructors.keys().copied();
            let near = self.near(&name.text, known.chain(["Some", "None"]));
            self.tell(name.span, Problem::UnknownConstructor { name: name.text.clone(), near });
            return None;
        };
        let sum = &self.sums[id.0];
        let payload = sum.constructors[*at].payload.clone();
        Some(Found { at: *at, payload, of: Some(Type::Sum(*id, sum.name.clone())) })
    }

    pub(super) fn pattern(&mut self, pattern: &tree::Pattern, of: &Type, bound: &mut Vec<(String, Span)>) -> Pattern {
        let span = pattern.span;
        let mut fits = |own: Type| {
            let fits = matches!(of, Type::Broken | Type::Hole) || *of == own;
            if !fits {
                self.tell(span, Problem::PatternType { found: own, wanted: of.clone() });
            }
        };
        let kind = match &pattern.kind {
            tree::PatternKind::Any => PatternKind::Any,
            tree::PatternKind::Int(number) => {
                fits(Type::Int);
                PatternKind::Int(*number)
            }
            tree::PatternKind::Float(number) => {
                fits(Type::Float);
                PatternKind::Float(*number)
            }
            tree::PatternKind::Bool(value) => {
                fits(Type::Bool);
                PatternKind::Bool(*value)
            }
            tree::PatternKind::Text(text) => {
                fits(Type::Text);
                PatternKind::Text(text.clone())
            }
            tree::PatternKind::Name(name) => {
                if let Some((_, first)) = bound.iter().find(|(other, _)| other == name) {
                    let first = *first;
                    self.tell(span, Problem::DuplicateInPattern { name: name.clone(), first });
                }
                bound.push((name.clone(), span));
                PatternKind::Bind(self.bind(name, of.clone()))
            }
            tree::PatternKind::Tuple(fields) => {
                let types = match of {
                    Type::Tuple(types) if types.len() == fields.len() => types.clone(),
                    Type::Broken | Type::Hole => vec![of.clone(); fields.len()],
                    _ => {
                        let found = Type::Tuple(vec![Type::Hole; fields.len()]);
                        self.tell(span, Problem::PatternType { found, wanted: of.clone() });
                        vec![Type::Broken; fields.len()]
                    }
                };
                let fields = fields.iter().zip(&types).map(|(field, of)| self.pattern(field, of, bound));
                PatternKind::Tuple(fields.collect())
            }
            tree::PatternKind::Construct(name, fields) => self.construct_pattern(name, fields, span, of, bound),
        };
        Pattern { kind, span }
    }

    fn construct_pattern(
        &mut self,
        name: &Name,
        fields: &[tree::Pattern],
        span: Span,
        of: &Type,
        bound: &mut Vec<(String, Span)>,
    ) -> PatternKind {
        let inside = match of {
            Type::Option(inside) => inside.as_ref().clone(),
            _ => Type::Broken,
        };
        let found = self.constructor(name, &inside);
        let payload = match &found {
            Some(Found { of: own, payload, .. }) => {
                let fits = match own {
                    Some(own) => own == of,
                    None => matches!(of, Type::Option(_)),
                };
                if !fits && !matches!(of, Type::Broken | Type::Hole) {
                    let found = own.clone().unwrap_or(Type::Option(Box::new(Type::Hole)));
                    self.tell(span, Problem::PatternType { found, wanted: of.clone() });
                }
                payload.clone()
            }
            None => Some(Type::Broken),
        };
        let inner = match (&payload, fields) {
            (None, []) => None,
            (Some(of), [field]) => Some(self.pattern(field, of, bound)),
            (Some(Type::Tuple(types)), _) if types.len() == fields.len() => {
                let fields = fields.iter().zip(types).map(|(field, of)| self.pattern(field, of, bound));
                Some(Pattern { kind: PatternKind::Tuple(fields.collect()), span })
            }
            _ => {
                if found.is_some() {
                    let (name, found) = (name.text.clone(), fields.len());
                    self.tell(span, Problem::ConstructorArguments { name, payload: payload.clone(), found });
                }
                for field in fields {
                    self.pattern(field, &Type::Broken, bound);
                }
                return PatternKind::Any;
            }
        };
        match found {
            Some(found) => PatternKind::Construct(found.at, inner.map(Box::new)),
            None => PatternKind::Any,
        }
    }
}
