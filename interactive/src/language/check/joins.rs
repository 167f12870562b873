//! Joins, groups and tops.

use super::checker::Checker;
use super::rows::{Col, Row};
use crate::language::files::Span;
use crate::language::functions::{AGGREGATES, AggregateFunction};
use crate::language::mistake::Problem;
use crate::language::operators::JoinKind;
use crate::language::program::{Aggregate, Join, Scalar, ScalarKind, StepKind};
use crate::language::syntax::tree::{self, AggregateExpr, Expr, Item, Name};
use crate::language::types::{Type, unify};

impl Checker<'_, '_> {
    pub(super) fn join(
        &mut self,
        kind: JoinKind,
        other: &tree::Term,
        alias: Option<&Name>,
        on: &[(Expr, Expr)],
        left: Row,
    ) -> (StepKind, Row) {
        let (other, mut right) = self.term(other);
        if let Some(alias) = alias {
            right.columns.iter_mut().for_each(|column| column.sides = vec![alias.text.clone()]);
        }
        let on: Vec<(Scalar, Scalar)> =
            on.iter().map(|(of_left, of_right)| self.equality(of_left, of_right, &left, &right)).collect();
        let mut after = left;
        let mut kept = Vec::new();
        if matches!(kind, JoinKind::Semi | JoinKind::Anti) {
            return (StepKind::Join(Join { kind, other, on, kept }), after);
        }
        after.broken |= right.broken;
        for (at, column) in right.columns.into_iter().enumerate() {
            // Equal to a left column of its own name: one of the two is enough.
            let same = on.iter().find_map(|pair| match (&pair.0.kind, &pair.1.kind) {
                (ScalarKind::Column(of_left), ScalarKind::Column(of_right))
                    if *of_right == at && after.columns[*of_left].name == column.name =>
                {
                    Some(*of_left)
                }
                _ => None,
            });
            match same {
                Some(of_left) => after.columns[of_left].sides.extend(column.sides),
                None => {
                    kept.push(at);
                    let of = match kind {
                        JoinKind::Left => Type::Option(Box::new(column.of)),
                        _ => column.of,
                    };
                    after.columns.push(Col { of, ..column });
                }
            }
        }
        (StepKind::Join(Join { kind, other, on, kept }), after)
    }

    /// The two sides of an equality: of a left row, and of a right row.
    fn equality(&mut self, of_left: &Expr, of_right: &Expr, left: &Row, right: &Row) -> (Scalar, Scalar) {
        // If each side is known on the other side only, they are swapped.
        if !self.quiet && !left.broken && !right.broken {
            let straight = self.understood(of_left, left) && self.understood(of_right, right);
            if !straight && self.understood(of_left, right) && self.understood(of_right, left) {
                self.tell(of_left.span.to(of_right.span), Problem::JoinSidesSwapped);
                return (self.broken_value(of_left), self.broken_value(of_right));
            }
        }
        let (mut first, mut second) = (self.scalar(of_left, left), self.scalar(of_right, right));
        match unify(&first.of, &second.of) {
            Some(of) => {
                super::scalars::settle(&mut first, &of);
                super::scalars::settle(&mut second, &of);
                if of.has(&Type::Hole) {
                    self.tell(first.span, Problem::UnknownItemType);
                }
            }
            None => {
                let (what, left, left_span) = ("the two sides of an equality", first.of.clone(), first.span);
                self.tell(second.span, Problem::Disagree { what, left, left_span, right: second.of.clone() });
            }
        }
        (first, second)
    }

    fn broken_value(&self, written: &Expr) -> Scalar {
        Scalar { kind: ScalarKind::Broken, of: Type::Broken, span: written.span }
    }

    /// Whether a value can be computed from such rows.
    fn understood(&mut self, written: &Expr, row: &Row) -> bool {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let of = self.scalar(written, row).of;
        self.quiet = quiet;
        !of.has(&Type::Broken)
    }

    pub(super) fn group(&mut self, keys: &[Item], written: &[AggregateExpr], span: Span, row: &Row) -> (StepKind, Row) {
        if written.is_empty() {
            self.tell(span, Problem::EmptyGroup);
        }
        let (keys, mut after, mut seen) = self.named_items(keys, row);
        let mut aggregates = Vec::new();
        for aggregate in written {
            let (checked, of) = self.aggregate(aggregate, row);
            let name = &aggregate.name;
            self.add_column(&mut after, &mut seen, name.text.clone(), of, name.span);
            aggregates.extend(checked);
        }
        (StepKind::Group { keys, aggregates }, after)
    }

    fn aggregate(&mut self, written: &AggregateExpr, row: &Row) -> (Option<Aggregate>, Type) {
        let name = &written.function.text;
        let Some((_, function)) = AGGREGATES.iter().find(|(known, _)| known == name) else {
            let near = self.near(name, AGGREGATES.iter().map(|(known, _)| *known));
            self.tell(written.function.span, Problem::UnknownAggregate { name: name.clone(), near });
            return (None, Type::Broken);
        };
        let wanted = usize::from(*function != AggregateFunction::Count);
        if written.arguments.len() != wanted {
            let (name, found) = (name.clone(), written.arguments.len());
            self.tell(written.span, Problem::AggregateArguments { name, wanted, found });
            return (None, Type::Broken);
        }
        let value = written.arguments.first().map(|argument| self.value(argument, row));
        let of = value.as_ref().map_or(Type::Int, |value| value.of.clone());
        let of = match function {
            AggregateFunction::Count => Type::Int,
            AggregateFunction::Sum | AggregateFunction::Average => match of {
                Type::Int | Type::Float | Type::Broken => match function {
                    AggregateFunction::Average => Type::Float,
                    _ => of,
                },
                found => {
                    self.tell(written.span, Problem::AggregateOfNoNumber { name: name.clone(), found });
                    Type::Broken
                }
            },
            AggregateFunction::Min | AggregateFunction::Max | AggregateFunction::Any => of,
            AggregateFunction::Collect => self.sized(written.span, Type::List(Box::new(of))),
        };
        (Some(Aggregate { function: *function, of: value, span: written.span }), of)
    }

    pub(super) fn top(&mut self, count: &Expr, by: &[(Expr, bool)], per: &[Item], row: &Row) -> StepKind {
        let count = self.positive(count, "`top`");
        let by = by.iter().map(|(value, down)| (self.value(value, row), *down)).collect();
        let per = self.keys(per, row);
        StepKind::Top { count, by, per }
    }

    /// Values to group by whose names don't matter.
    fn keys(&mut self, items: &[Item], row: &Row) -> Vec<Scalar> {
        let mut keys = Vec::new();
        for item in items {
            match item {
                Item::One { value, .. } => keys.push(self.value(value, row)),
                Item::All { .. } => keys.extend(self.items(std::slice::from_ref(item), row).0),
            }
        }
        keys
    }
}
