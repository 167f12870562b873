//! Where rows come from: collections, subprograms, rows as written, joins of many.

use super::checker::Checker;
use super::rows::{Row, differ};
use super::stages::{Staged, named_uniquely};
use super::world::{DeclaredParameter, What};
use crate::language::files::Span;
use crate::language::mistake::Problem;
use crate::language::program::{Argument, Atom, Bag, DefinitionId, Part, Scalar, Slot, Step, Term, TermKind};
use crate::language::syntax::tree::{self, Columns, Expr, ExprKind, Name, StageKind};
use crate::language::types::{Column, Type, unify};
use std::sync::Arc;

impl Checker<'_, '_> {
    /// A bag, and the columns that it ends with.
    pub(super) fn bag(&mut self, written: &tree::Bag) -> (Bag, Row) {
        let (first, mut row) = self.term(&written.first);
        let mut parts = vec![Part { subtracted: false, term: first }];
        for (subtracted, other) in &written.others {
            let (term, other_row) = self.term(other);
            if let Some(problem) = differ(&row, &other_row, if *subtracted { "-" } else { "+" }) {
                self.tell(other.span, problem);
            }
            fill(&mut row, other_row);
            parts.push(Part { subtracted: *subtracted, term });
        }
        if !written.others.is_empty() {
            row.clear_sides();
        }
        // Shared with what is read, if nothing is added to it.
        let mut columns = if written.others.is_empty() { Arc::clone(&parts[0].term.columns) } else { row.plain() };
        let mut steps = Vec::with_capacity(written.stages.len());
        for stage in &written.stages {
            let Staged { kind, row: after, changed } = self.stage(stage, row);
            row = after;
            if changed {
                columns = row.plain();
            }
            steps.push(Step { kind, span: stage.span, columns: Arc::clone(&columns) });
        }
        (Bag { parts, steps, span: written.span, columns }, row)
    }

    pub(super) fn term(&mut self, written: &tree::Term) -> (Term, Row) {
        let span = written.span;
        let (kind, row) = match &written.kind {
            tree::TermKind::Path(path) => match self.read(path) {
                Some((id, columns)) => {
                    let side = &path[path.len() - 1].text;
                    let row = columns.as_ref().map_or_else(Row::broken, |columns| Row::of(columns, Some(side)));
                    return (Term { kind: TermKind::Read(id), span, columns: columns.unwrap_or_default() }, row);
                }
                None => (TermKind::Rows(Vec::new()), Row::broken()),
            },
            tree::TermKind::Nested(bag) => {
                let (bag, row) = self.bag(bag);
                (TermKind::Nested(Box::new(bag)), row)
            }
            tree::TermKind::Rows { columns, rows } => self.rows(columns, rows),
            tree::TermKind::Call { name, arguments } => self.subprogram_call(name, arguments, span),
            tree::TermKind::Multiway(atoms) => self.multiway(atoms, span),
        };
        (Term { kind, span, columns: row.plain() }, row)
    }

    /// The collection of a path, and its columns if they are known.
    fn read(&mut self, path: &[Name]) -> Option<(DefinitionId, Option<Arc<[Column]>>)> {
        match self.world.collection(self.scope, path, self.is_helpful()) {
            Ok(id) => Some((id, self.known[id.0].clone())),
            Err(mistake) => {
                self.pass_on(mistake);
                None
            }
        }
    }

    fn rows(&mut self, columns: &Columns, written: &[(Vec<Expr>, Span)]) -> (TermKind, Row) {
        let columns = self.columns_of(columns);
        let mut rows = Vec::new();
        for (values, span) in written {
            if values.len() != columns.len() {
                self.tell(*span, Problem::RowWidth { wanted: columns.len(), found: values.len() });
                continue;
            }
            let values = values.iter().zip(columns.iter());
            rows.push(values.map(|(value, column)| self.constant(value, &column.of, "the column")).collect());
        }
        (TermKind::Rows(rows), Row::of(&columns, None))
    }

    /// A value that needs no row: of literals, functions, and parameters.
    pub(super) fn constant(&mut self, written: &Expr, of: &Type, wanted_by: &'static str) -> Scalar {
        self.value_of(written, &Row::default(), of, wanted_by)
    }

    fn subprogram_call(&mut self, name: &Name, arguments: &[tree::Argument], span: Span) -> (TermKind, Row) {
        let nothing = (TermKind::Rows(Vec::new()), Row::broken());
        let world = self.world;
        let Ok(id) = world.subprogram_named(self.scope, name) else {
            let problem = match world.find(self.scope, &name.text) {
                Some((_, declared)) => Problem::NotASubprogram { name: name.text.clone(), declared },
                None => {
                    let near = world.near_subprogram(&name.text).filter(|_| self.is_helpful());
                    Problem::UnknownSubprogram { name: name.text.clone(), near }
                }
            };
            self.tell(name.span, problem);
            return nothing;
        };
        let subprogram = &world.subprograms[id.0];
        let wanted = subprogram.parameters.len();
        if arguments.len() != wanted {
            let (name, found, declared) = (name.text.clone(), arguments.len(), subprogram.name.span);
            let taken_by = arguments.iter().find_map(takes_commas).filter(|_| found < wanted);
            self.tell(span, Problem::SubprogramArguments { name, wanted, found, declared, taken_by });
            return nothing;
        }
        let mut given = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&subprogram.parameters) {
            match (argument, parameter) {
                (tree::Argument::Bag(bag), DeclaredParameter::Bag(id)) => {
                    let (checked, row) = self.bag(bag);
                    if let Some(columns) = self.known[id.0].clone()
                        && let Some(problem) = differ(&Row::of(&columns, None), &row, "the parameter")
                    {
                        self.tell(bag.span, problem);
                    }
                    given.push(Argument::Bag(checked));
                }
                (argument, DeclaredParameter::Value(_, of)) => {
                    let quiet = std::mem::replace(&mut self.quiet, true);
                    let of = self.type_of(of);
                    self.quiet = quiet;
                    match as_value(argument) {
                        Ok(value) => given.push(Argument::Scalar(self.constant(&value, &of, "the parameter"))),
                        Err(span) => self.tell(span, Problem::WantedValueArgument { of }),
                    }
                }
                (tree::Argument::Scalar(value), DeclaredParameter::Bag(id)) => {
                    let declared = world.definitions[id.0].span;
                    self.tell(value.span, Problem::WantedBagArgument { declared });
                }
            }
        }
        let columns = subprogram.result.and_then(|result| self.known[result.0].clone());
        let row = columns.map_or_else(Row::broken, |columns| Row::of(&columns, Some(&name.text)));
        (TermKind::Call(id, given), row)
    }

    fn multiway(&mut self, written: &[tree::Atom], span: Span) -> (TermKind, Row) {
        if written.is_empty() {
            self.tell(span, Problem::EmptyMultiway);
        }
        let mut variables: Vec<Column> = Vec::new();
        let mut numbers = std::collections::BTreeMap::new();
        let mut atoms = Vec::new();
        let mut broken = false;
        for atom in written {
            let read = self.read(&atom.path);
            let columns = read.as_ref().and_then(|(_, columns)| columns.clone());
            broken |= columns.is_none();
            if let Some(columns) = &columns
                && columns.len() != atom.slots.len()
            {
                let name = atom.path[atom.path.len() - 1].text.clone();
                let columns = crate::language::types::Listed(columns).to_string();
                self.tell(atom.span, Problem::AtomWidth { name, columns, found: atom.slots.len() });
                broken = true;
                continue;
            }
            let mut slots = Vec::new();
            for (at, (slot, span)) in atom.slots.iter().enumerate() {
                let of = columns.as_ref().map_or(Type::Broken, |columns| columns[at].of.clone());
                slots.push(match slot {
                    tree::Slot::Any => Slot::Any,
                    tree::Slot::Constant(value) => Slot::Constant(self.constant(value, &of, "the column")),
                    tree::Slot::Variable(name) => {
                        let number = *numbers.entry(name.clone()).or_insert_with(|| {
                            variables.push(Column { name: name.clone(), of: of.clone() });
                            variables.len() - 1
                        });
                        match unify(&variables[number].of, &of) {
                            Some(Type::Broken) | None if variables[number].of == Type::Broken => {
                                variables[number].of = of;
                            }
                            Some(_) => {}
                            None => {
                                let (name, first) = (name.clone(), variables[number].of.clone());
                                self.tell(*span, Problem::VariableTypes { name, first, second: of });
                            }
                        }
                        Slot::Variable(number)
                    }
                });
            }
            if let Some((collection, _)) = read {
                atoms.push(Atom { collection, slots, span: atom.span });
            }
        }
        if variables.is_empty() && !broken && !written.is_empty() {
            self.tell(span, Problem::NoVariables);
        }
        let mut row = Row::of(&variables, None);
        row.broken = broken;
        (TermKind::Multiway { atoms }, row)
    }

    /// The columns of a definition: of different names, as written after a `var` if they are.
    pub(super) fn whole_bag(&mut self, what: What<'_>, span: Span) -> Option<(Bag, Row)> {
        let written = what.bag()?;
        self.locals.clear();
        self.next_local = 0;
        let (bag, row) = self.bag(written);
        if let Some(problem) = named_uniquely(&row) {
            self.tell(span, problem);
            return Some((bag, Row::broken()));
        }
        Some((bag, row))
    }
}

/// Takes from another part of a sum what is not known of the parts before.
fn fill(row: &mut Row, other: Row) {
    if row.broken && !other.broken {
        *row = other;
    } else if !row.broken && row.columns.len() == other.columns.len() {
        let unknown = row.columns.iter_mut().zip(other.columns).filter(|(column, _)| column.of.has(&Type::Broken));
        unknown.for_each(|(column, other)| column.of = other.of);
    }
}

/// The stage at the end of an argument that takes what follows a comma for one of its own, and has done so.
fn takes_commas(argument: &tree::Argument) -> Option<&'static str> {
    let tree::Argument::Bag(bag) = argument else { return None };
    match &bag.stages.last()?.kind {
        StageKind::Select(items) if items.len() > 1 => Some("select"),
        StageKind::Top { by, per, .. } if by.len() > 1 || per.len() > 1 => Some("top"),
        _ => None,
    }
}

/// An argument as a value: a name alone may be a parameter that is one.
fn as_value(argument: &tree::Argument) -> Result<Expr, Span> {
    match argument {
        tree::Argument::Scalar(value) => Ok(value.clone()),
        tree::Argument::Bag(tree::Bag { first, others, stages, span }) => match &first.kind {
            tree::TermKind::Path(path) if others.is_empty() && stages.is_empty() && path.len() == 1 => {
                Ok(Expr { kind: ExprKind::Name(path[0].text.clone()), span: *span, height: 1 })
            }
            _ => Err(*span),
        },
    }
}
