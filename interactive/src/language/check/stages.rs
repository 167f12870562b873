//! What is done to rows: each stage against the columns before it, and the columns after it.

use super::checker::Checker;
use super::rows::{Col, Row, differ};
use super::world::ScopeId;
use crate::language::files::Span;
use crate::language::mistake::Problem;
use crate::language::program::{Scalar, ScalarKind, Scope, StepKind, Term};
use crate::language::syntax::tree::{self, Expr, ExprKind, Item, Name, Stage, StageKind};
use crate::language::types::Type;
use std::collections::BTreeMap;

/// A stage that was checked.
pub(super) struct Staged {
    pub(super) kind: StepKind,
    /// The columns after it.
    pub(super) row: Row,
    /// Whether they are others than before.
    pub(super) changed: bool,
}

impl Staged {
    fn changed((kind, row): (StepKind, Row)) -> Staged {
        Staged { kind, row, changed: true }
    }
}

impl Checker<'_, '_> {
    /// What a stage does, and the columns after it.
    pub(super) fn stage(&mut self, stage: &Stage, row: Row) -> Staged {
        let kind = match &stage.kind {
            StageKind::Select(items) => {
                let (values, after) = self.items(items, &row);
                return Staged::changed((StepKind::Select(values), after));
            }
            StageKind::Unnest { list, item, position } => {
                return Staged::changed(self.unnest(list, item, position.as_ref(), row));
            }
            StageKind::Join { kind, other, alias, on } => {
                return Staged::changed(self.join(*kind, other, alias.as_ref(), on, row));
            }
            StageKind::Group { keys, aggregates } => {
                return Staged::changed(self.group(keys, aggregates, stage.span, &row));
            }
            StageKind::Where(condition) => StepKind::Where(self.value_of(condition, &row, &Type::Bool, "`where`")),
            StageKind::Inspect(label) => StepKind::Inspect(label.clone()),
            StageKind::Distinct => StepKind::Distinct,
            StageKind::Negate => StepKind::Negate,
            StageKind::Threshold(count) => StepKind::Threshold(self.positive(count, "`threshold`")),
            StageKind::Except(term) => StepKind::Except(self.compared(term, &row, "except")),
            StageKind::Intersect(term) => StepKind::Intersect(self.compared(term, &row, "intersect")),
            StageKind::Top { count, by, per } => self.top(count, by, per, &row),
            StageKind::EnterAt(round) => {
                if !self.in_loop(self.scope) {
                    self.tell(stage.span, Problem::EnterOutside);
                }
                StepKind::EnterAt(self.value_of(round, &row, &Type::Int, "`enter at`"))
            }
        };
        Staged { kind, row, changed: false }
    }

    fn in_loop(&self, scope: ScopeId) -> bool {
        matches!(self.world.scopes[scope].kind, Scope::Loop(_))
    }

    /// A number of rows or rounds, which is at least one.
    pub(super) fn positive(&mut self, written: &Expr, wanted_by: &'static str) -> Scalar {
        let number = match &written.kind {
            ExprKind::Int(0) => Some(0),
            ExprKind::Negative(inner) => match inner.kind {
                ExprKind::Int(number) => Some((number as i64).wrapping_neg()),
                _ => None,
            },
            _ => None,
        };
        if let Some(number) = number {
            self.tell(written.span, Problem::TooSmall { number, least: 1 });
        }
        self.constant(written, &Type::Int, wanted_by)
    }

    fn compared(&mut self, written: &tree::Term, row: &Row, word: &'static str) -> Term {
        let (term, other) = self.term(written);
        if let Some(problem) = differ(row, &other, word) {
            self.tell(written.span, problem);
        }
        term
    }

    /// Values with names, which differ.
    pub(super) fn items(&mut self, items: &[Item], row: &Row) -> (Vec<Scalar>, Row) {
        let (values, after, _) = self.named_items(items, row);
        (values, after)
    }

    /// The same, with where each name stands.
    pub(super) fn named_items(&mut self, items: &[Item], row: &Row) -> (Vec<Scalar>, Row, BTreeMap<String, Span>) {
        let mut values = Vec::new();
        let mut after = Row::default();
        let mut seen: BTreeMap<String, Span> = BTreeMap::new();
        for item in items {
            match item {
                Item::All { without, span } => {
                    let left_out = self.left_out(without, row);
                    for (at, column) in row.columns.iter().enumerate() {
                        if left_out.contains(&at) {
                            continue;
                        }
                        let kind = ScalarKind::Column(at);
                        values.push(Scalar { kind, of: column.of.clone(), span: *span });
                        self.add_column(&mut after, &mut seen, column.name.clone(), column.of.clone(), *span);
                    }
                    after.broken |= row.broken;
                }
                Item::One { value, name } => {
                    let own = match &value.kind {
                        ExprKind::Name(own) => Some((own.clone(), value.span)),
                        ExprKind::Qualified(_, own) => Some((own.text.clone(), value.span)),
                        _ => None,
                    };
                    let name = name.as_ref().map(|Name { text, span }| (text.clone(), *span)).or(own);
                    let checked = self.value(value, row);
                    match name {
                        Some((name, span)) => {
                            self.add_column(&mut after, &mut seen, name, checked.of.clone(), span);
                        }
                        None => {
                            self.tell(value.span, Problem::NamelessColumn);
                            after.broken = true;
                        }
                    }
                    values.push(checked);
                }
            }
        }
        (values, after, seen)
    }

    fn left_out(&mut self, without: &[Name], row: &Row) -> Vec<usize> {
        let mut left_out = Vec::new();
        for name in without {
            match row.named(&name.text, &[], self.is_helpful()) {
                Ok((at, _)) => left_out.push(at),
                Err(Some(problem)) => self.tell(name.span, problem),
                Err(None) => {}
            }
        }
        left_out
    }

    pub(super) fn add_column(
        &mut self,
        row: &mut Row,
        seen: &mut BTreeMap<String, Span>,
        name: String,
        of: Type,
        span: Span,
    ) {
        if let Some(first) = seen.insert(name.clone(), span) {
            self.tell(span, Problem::DuplicateColumn { name, first });
            return;
        }
        row.columns.push(Col { name, of, sides: Vec::new() });
    }

    fn unnest(&mut self, list: &Expr, item: &Name, position: Option<&Name>, row: Row) -> (StepKind, Row) {
        let mut list = self.scalar(list, &row);
        let of = match &list.of {
            Type::List(of) => of.as_ref().clone(),
            Type::Broken => Type::Broken,
            other => {
                let found = other.clone();
                self.tell(list.span, Problem::UnnestOfNoList { found });
                Type::Broken
            }
        };
        if of.has(&Type::Hole) {
            self.tell(list.span, Problem::UnknownItemType);
            list.of = Type::Broken;
        }
        let mut after = row;
        let new = [(item, of)].into_iter().chain(position.map(|name| (name, Type::Int)));
        for (name, of) in new {
            if after.columns.iter().any(|column| column.name == name.text) {
                self.tell(name.span, Problem::ColumnExists { name: name.text.clone() });
                after.broken = true;
                continue;
            }
            after.columns.push(Col { name: name.text.clone(), of, sides: Vec::new() });
        }
        (StepKind::Unnest { list, position: position.is_some() }, after)
    }
}

/// That two columns of a row have one name, if so.
pub(super) fn named_uniquely(row: &Row) -> Option<Problem> {
    let mut seen = std::collections::BTreeSet::new();
    let column = row.columns.iter().find(|column| !seen.insert(&column.name))?;
    let ways = row.columns.iter().filter(|other| other.name == column.name);
    let ways = ways.flat_map(|column| column.sides.first().map(|side| format!("{side}.{}", column.name)));
    Some(Problem::ColumnsNamedAlike { name: column.name.clone(), ways: ways.collect() })
}
