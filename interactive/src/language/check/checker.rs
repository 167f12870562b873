//! What the checker knows while it goes through definitions; types as they are written; constants.

use super::world::{ScopeId, World};
use crate::language::files::Span;
use crate::language::mistake::{Mistake, Problem};
use crate::language::near::near;
use crate::language::program::LocalId;
use crate::language::syntax::tree::{Columns, Expr, ExprKind, TypeExpr, TypeKind};
use crate::language::types::{Column, SIZE, Sum, Type};
use std::sync::Arc;

pub(super) struct Checker<'w, 't> {
    pub(super) world: &'w World<'t>,
    pub(super) sums: Vec<Sum>,
    /// The columns of each definition, once they are known.
    pub(super) known: Vec<Option<Arc<[Column]>>>,
    /// Whether mistakes are left for a later look.
    pub(super) quiet: bool,
    pub(super) mistakes: &'w mut Vec<Mistake>,
    /// Where the definition stands that is looked at.
    pub(super) scope: ScopeId,
    /// Names that `let`, patterns and functions give, innermost last.
    pub(super) locals: Vec<(String, LocalId, Type)>,
    pub(super) next_local: usize,
}

impl Checker<'_, '_> {
    pub(super) fn tell(&mut self, span: Span, problem: Problem) {
        self.pass_on(Mistake::new(span, problem));
    }

    pub(super) fn pass_on(&mut self, mistake: Mistake) {
        if !self.quiet {
            self.mistakes.push(mistake);
        }
    }

    /// Whether it is worth the time to look for names that may have been meant: not in a quiet look, and not after so many
    /// mistakes that nobody will read them all.
    pub(super) fn is_helpful(&self) -> bool {
        const ENOUGH: usize = 200;
        !self.quiet && self.mistakes.len() < ENOUGH
    }

    /// The name that may have been meant.
    pub(super) fn near<'a>(&self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
        if self.is_helpful() { near(name, candidates) } else { None }
    }

    pub(super) fn bind(&mut self, name: &str, of: Type) -> LocalId {
        let id = LocalId(self.next_local);
        self.next_local += 1;
        self.locals.push((name.to_string(), id, of));
        id
    }

    /// The type, unless it is too large to be worked with.
    pub(super) fn sized(&mut self, span: Span, of: Type) -> Type {
        if of.size() <= SIZE {
            return of;
        }
        self.tell(span, Problem::TypeTooLarge { limit: SIZE });
        Type::Broken
    }

    pub(super) fn type_of(&mut self, written: &TypeExpr) -> Type {
        let of = match &written.kind {
            TypeKind::List(of) => Type::List(Box::new(self.type_of(of))),
            TypeKind::Option(of) => Type::Option(Box::new(self.type_of(of))),
            TypeKind::Tuple(fields) => Type::Tuple(fields.iter().map(|field| self.type_of(field)).collect()),
            TypeKind::Named(name) => match name.as_str() {
                "int" => Type::Int,
                "float" => Type::Float,
                "bool" => Type::Bool,
                "string" => Type::Text,
                _ => match self.world.sum_names.get(name.as_str()) {
                    Some(id) => Type::Sum(*id, name.as_str().into()),
                    None => {
                        let known = ["int", "float", "bool", "string", "list", "option"];
                        let declared = self.world.sum_names.keys().copied();
                        let common = match name.as_str() {
                            "integer" | "i64" | "long" | "number" => Some("int"),
                            "str" | "text" | "String" => Some("string"),
                            "double" | "f64" | "real" => Some("float"),
                            "boolean" => Some("bool"),
                            _ => None,
                        };
                        let common = common.map(str::to_string);
                        let near = common.or_else(|| self.near(name, known.into_iter().chain(declared)));
                        self.tell(written.span, Problem::UnknownType { name: name.clone(), near });
                        Type::Broken
                    }
                },
            },
        };
        self.sized(written.span, of)
    }

    pub(super) fn columns_of(&mut self, written: &Columns) -> Arc<[Column]> {
        let mut columns: Vec<Column> = Vec::new();
        if written.columns.is_empty() {
            self.tell(written.span, Problem::NoColumns);
        }
        let mut seen = std::collections::BTreeMap::new();
        for column in &written.columns {
            let name = column.name.text.clone();
            if let Some(first) = seen.insert(name.clone(), column.name.span) {
                self.tell(column.name.span, Problem::DuplicateColumn { name, first });
                continue;
            }
            let of = self.type_of(&column.of);
            columns.push(Column { name, of });
        }
        columns.into()
    }

    /// A whole number that is written out, at least `least`.
    pub(super) fn whole_number(&mut self, written: &Expr, least: i64) -> Option<i64> {
        let number = match &written.kind {
            ExprKind::Int(number) => i64::try_from(*number).ok(),
            ExprKind::Negative(inner) => match inner.kind {
                ExprKind::Int(number) => Some((number as i64).wrapping_neg()),
                _ => None,
            },
            _ => None,
        };
        match number {
            None => self.tell(written.span, Problem::NotWrittenOut),
            Some(number) if number < least => self.tell(written.span, Problem::TooSmall { number, least }),
            Some(_) => {}
        }
        number
    }
}
